#!/usr/bin/env python3
"""What RocksDB's public C++ headers declare and Cairn's do not, name by name, as libclang reads them.

  scripts/compare_headers.py [--crate 0.10 0.17 0.19] [--sources FOLDER] [--out bench/results/headers.md] [--list]

The headers are those of the crate librocksdb-sys, fetched by cargo for this run (its release is RocksDB's, behind the '+': 0.10 has
7.9.2, 0.17 10.4.2, 0.19 11.8.1); --sources: those under FOLDER/include/rocksdb instead. A name is a class, function, constant, type
or variable that a program may use: of classes what is public or protected, of templates the template. It counts as ours if any of
our public headers declares it, in the class itself or in a base of it. The C interface is not looked at: c_test.py does that.
Each name that is missing has a reason in REASONS, or stands in the table as one that has none. --list: prints those without one.
Exit status: 0 if all have; 1 otherwise.
"""
import argparse
import collections
import pathlib
import re
import sys
import tempfile

import rocksdb_crate

try:
    from clang import cindex
except ImportError:  # Debian's module is that of Debian's Python
    sys.path.append('/usr/lib/python3/dist-packages')
    from clang import cindex

ROOT = pathlib.Path(__file__).resolve().parent.parent
Kind = cindex.CursorKind
CLASSES = {Kind.CLASS_DECL, Kind.STRUCT_DECL, Kind.CLASS_TEMPLATE, Kind.UNION_DECL}
MEMBERS = {Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE, Kind.CXX_METHOD, Kind.FIELD_DECL, Kind.VAR_DECL, Kind.TYPEDEF_DECL,
           Kind.TYPE_ALIAS_DECL, Kind.TYPE_ALIAS_TEMPLATE_DECL, Kind.ENUM_DECL}
HIDDEN = {cindex.AccessSpecifier.PRIVATE}

# Headers as patterns, names as patterns (null: any), and why what they match is not there. The first that fits.
EXPERIMENTAL = 'experimental in RocksDB, and not here yet'
REASONS = [
    # Whole headers.
    (r'rocksdb/(?:\w+_bench_tool|db_stress_tool|tool_hooks)\.h', None, 'RocksDB\'s tools as functions: `db_bench` is a program here'),
    (r'rocksdb/utilities/secondary_index_faiss\.h', None, 'needs the library faiss, which is not among ours'),
    (r'rocksdb/utilities/lua/.*', None, 'needs Lua, which is not among our libraries'),
    (r'rocksdb/(?:external_table|io_dispatcher|blob_file_partition_strategy|utilities/sorted_run_builder)\.h', None, EXPERIMENTAL),
    (r'rocksdb/experimental\.h', None, EXPERIMENTAL),
    (r'rocksdb/advanced_compression\.h', None, 'a manager of one\'s own decides which blocks are worth it'),
    (r'rocksdb/advanced_cache\.h', None, 'a cache of one\'s own implements `Cache` of `cache.h`, which is that of RocksDB 7'),
    (r'rocksdb/compression_type\.h', r'k(?:First|Last)?(?:Custom|Builtin)Compression\w*|CompressionOptions::.*',
     'compressions are the built-in ones: zlib, bzip2, LZ4, LZ4HC, Snappy, ZSTD'),
    (r'rocksdb/compression_type\.h', None, 'compressions are the built-in ones: zlib, bzip2, LZ4, LZ4HC, Snappy, ZSTD'),
    (r'rocksdb/data_structure\.h', None, 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/functor_wrapper\.h', None, 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/filter_policy\.h', r'FilterBuildingContext|FilterPolicy::Get\w+', 'filters are the built-in ones: Bloom and Ribbon'),
    (r'rocksdb/(?:utilities/)?ldb_\w+\.h', None, 'of newer commands of `ldb`'),
    # Names.
    (r'.*', r'Configurable::RegisteredOptions::.*|OptionTypeInfo::StripOuterBraces', 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'.*', r'.*operator(?:=|==|&=)', 'the compiler\'s, or not needed'),
    (r'rocksdb/env\.h', r'Env::IOActivity::kCustomIOActivity\w+', 'the numbers between kFirst- and kLastCustomIOActivity have no names'),
    (r'rocksdb/env\.h', r'CreateThreadStatusUpdater|Env::thread_status_updater_', 'databases tell of their threads by themselves: `GetThreadList`'),
    (r'rocksdb/statistics\.h', r'[A-Z0-9_]+', 'not counted'),
    (r'rocksdb/statistics\.h', r'Statistics::measureTime', 'RocksDB\'s older name of `recordInHistogram`'),
    (r'rocksdb/perf_context\.h', None, 'not counted'),
    (r'rocksdb/iostats_context\.h', None, 'not counted'),
    (r'rocksdb/status\.h', r'Status::(?:AssertOK|MarkChecked|PermitUncheckedOk|CopyState|UpdateIfOk)', 'of RocksDB\'s own tests and code'),
    (r'rocksdb/thread_status\.h', None, 'threads of the user\'s are not followed'),
    (r'rocksdb/write_batch\.h', r'.*TimedPut.*', 'an entry has no write time of its own (`TimedPut`)'),
    (r'.*', r'.*(?:TimedPut|TimedPutCF|kEntryTimedPut|UnixWriteTime\w*|CompactForTiering\w*|last_level_inclusive\w*)',
     'an entry has no write time of its own (`TimedPut`)'),
    (r'rocksdb/system_clock\.h', r'.*TimedWait', 'its argument is a class that RocksDB does not publish'),
    (r'.*', r'.*(?:BasedTablePropertyNames|TablePropertyNames)', 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/cache\.h', r'Cache::ApplyToAllCacheEntries', 'RocksDB\'s older name of `ApplyToAllEntries`'),
    (r'rocksdb/cache\.h', r'BlockCache|RowCache|CacheEntryRoleSet|\w+::MakeShared\w+', 'other names: `Cache`, `MakeSharedCache` through `NewLRUCache`'),
    (r'rocksdb/cache\.h', r'.*(?:Tiered|kAdmPolicy|kCacheType|PrimaryCacheType|do_not_compress_roles|compression_opts).*',
     'a compressed secondary cache is given to the block cache by itself (`NewCompressedSecondaryCache`)'),
    (r'rocksdb/secondary_cache\.h', None, 'of RocksDB 8 and later: a secondary cache of one\'s own implements that of RocksDB 7'),
    (r'.*', r'.*(?:kVolatileCompressedTier|BlockCacheEntryStatsMapKeys|ReportProblems)', 'not counted, or not told'),
    (r'rocksdb/advanced_options\.h', r'.*(?:blob_direct_write_partition_strategy|blob_compression_opts)', 'blobs are written by flushes, with the codec\'s own settings'),
    (r'.*', r'.*(?:FileTemperatureAge|file_temperature_age_thresholds|kCool|kIce)', 'three temperatures: hot, warm, cold'),
    (r'rocksdb/compaction_filter\.h', None, EXPERIMENTAL),
    (r'.*', r'.*(?:io_dispatcher|read_scoped_block_buffer_provider|'
     r'ReadScopedBlockBufferProvider|EmbeddedBlob\w*|MultiScanIterator|ScanIterator|IngestWriteBatchWithIndex|OpenAsFollower)', EXPERIMENTAL),
    (r'.*', r'(?:DB::|StackableDB::)?(?:(?:Prepare|Commit)FileIngestion\w*|CommitFileIngestionHandles?|GetPreparedFileInfo\w*|FileIngestionHandle)|'
     r'.*(?:prepared_file_info|file_infos|atomic_replace_range|CreatedBySstFileWriter)', 'files are ingested in one call: `IngestExternalFiles`'),
    (r'.*', r'.*(?:AbortAllCompactions|ResumeAllCompactions|CompactionAborted|CompactionAbortCount|CompactionJobInfo::aborted)',
     '`DisableManualCompaction` and `PauseBackgroundWork`'),
    (r'rocksdb/db\.h', r'DB::Properties::k\w+|DB::SizeApproximationFlags::INCLUDE_BLOB_FILES', 'not counted; for blobs `SizeApproximationOptions::include_blob_files`'),
    (r'.*', r'WriteStall\w+', 'the names of `rocksdb.cf-write-stall-stats` are those of RocksDB, as text'),
    (r'rocksdb/convenience\.h', r'GetMemTableRepFactoryFromString', '`GetColumnFamilyOptionsFromString` with `memtable=`'),
    (r'rocksdb/convenience\.h', r'MapToString', 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/(?:env|file_system)\.h', r'.*(?:SyncFile|RandomAccessFile(?:Wrapper)?::GetFileSize|FSRandomAccessFile(?:Wrapper)?::\w+|GetReadExecutor|SetReadIOExecutorThreads|'
     r'DiscardCacheForDirectory|SupportedOps|FSSupportedOps|FSAllocationPtr|fs_scratch|k(?:AsyncIO|FSBuffer|FSPrefetch|VerifyAndReconstructRead)|'
     r'FileOpenContract|file_checksum\w*|file_metadata|open_contract|write_hint|io_activity|verify_and_reconstruct_read|cost_info|mutex|temperature)',
     'of RocksDB 8 and later: databases here do not ask it of a file system, nor tell it'),
    (r'rocksdb/file_system\.h', r'FileOptions::handoff_checksum_type', '`checksum_handoff_file_types` is refused'),
    (r'rocksdb/file_system\.h', r'FileSystem::(?:Load|WriteLifeTimeHint|kWLTH\w+)', 'RocksDB\'s older names of `CreateFromString` and `Env::WriteLifeTimeHint`'),
    (r'rocksdb/listener\.h', None, 'no such event, or reason, happens here'),
    (r'rocksdb/memory_allocator\.h', None, 'of RocksDB 8 and later'),
    (r'rocksdb/options\.h', r'CompactionService::\w+V2', 'of RocksDB 7: `Schedule` and `Wait`'),
    (r'rocksdb/slice\.h', r'OptSlice::slice_', 'not to be used: protected there'),
    (r'rocksdb/sst_file_reader\.h', None, '`ldb` and `sst_dump` show raw entries'),
    (r'rocksdb/status\.h', None, 'no status of this kind is given'),
    (r'rocksdb/table\.h', r'TableFactory::Clone', 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/utilities/env_mirror\.h', r'EnvMirror::FileLockMirror.*', 'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/table_properties\.h', None, 'RocksDB\'s own text of properties: `ToString`'),
    (r'rocksdb/types\.h', r'kCompactionProgressFile', 'compactions do not resume'),
    (r'.*', r'.*(?:AsBackupEngine|kNoFileChecksumFuncName|has_num_input_records|GetImpl|payload_size|TrackTimestampSize|GetColumnFamilyToTimestampSize)',
     'RocksDB\'s own: nothing of its public interface needs it'),
    (r'rocksdb/utilities/checkpoint\.h', None, EXPERIMENTAL),
    (r'rocksdb/utilities/db_ttl\.h', r'DBWithTTL::GetTtl', 'the caller gave it'),
    (r'rocksdb/utilities/transaction_db\.h', r'.*IsKilled\w+', 'a transaction that waits ends by its own timeout'),
]


class Names:
    """What the headers under a folder declare."""

    def __init__(self, include):
        self.include = pathlib.Path(include).resolve()
        self.of_header = collections.defaultdict(set)  # 'rocksdb/db.h': {'DB::Get', ...}
        self.bases = collections.defaultdict(set)      # of a class, by their names
        self.errors = []
        headers = sorted(path.relative_to(self.include).as_posix() for path in (self.include / 'rocksdb').rglob('*.h'))
        self.headers = [name for name in headers if not re.search(r'/c(_\w+)?\.h$', name)]
        self._read()

    def _read(self):
        # Some headers do not stand alone; with all in one unit each is read once.
        text = ''.join(f'#include "{name}"\n' for name in self.headers)
        unit = cindex.Index.create().parse('all.cc', ['-std=c++20', f'-I{self.include}', '-DROCKSDB_PLATFORM_POSIX', '-DOS_LINUX',
                                                      '-w', '-ferror-limit=0'],
                                           unsaved_files=[('all.cc', text)])
        self.errors = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        for cursor in unit.cursor.get_children():
            if cursor.kind == Kind.NAMESPACE and cursor.spelling in ('rocksdb', 'cairn') and self._header(cursor):
                self._walk(cursor, '')

    def _header(self, cursor):
        file = cursor.location.file
        if file is None:
            return None
        path = pathlib.Path(file.name).resolve()
        return path.relative_to(self.include).as_posix() if path.is_relative_to(self.include) else None

    def _walk(self, parent, scope):
        for cursor in parent.get_children():
            if cursor.access_specifier in HIDDEN or cursor.semantic_parent != cursor.lexical_parent:
                continue  # not to be used, or a member that is defined outside of its class
            name = f'{scope}{cursor.spelling}'
            if cursor.kind == Kind.NAMESPACE:
                self._walk(cursor, f'{name}::')
            elif cursor.kind in CLASSES:
                if not cursor.spelling or cursor.is_anonymous():
                    self._walk(cursor, scope)
                elif cursor.is_definition():
                    self._add(cursor, name)
                    self._walk(cursor, f'{name}::')
            elif cursor.kind == Kind.CXX_BASE_SPECIFIER:
                base = cursor.referenced.spelling if cursor.referenced is not None else cursor.spelling
                self.bases[scope.removesuffix('::')].add(base.split('<')[0])
            elif cursor.kind in MEMBERS:
                anonymous = not cursor.spelling or cursor.is_anonymous()
                if not anonymous and not cursor.spelling.startswith('TEST_'):
                    self._add(cursor, re.sub(r'<.*', '', name) if 'operator' not in name else name)
                if cursor.kind in (Kind.TYPE_ALIAS_DECL, Kind.TYPEDEF_DECL):  # its members are the other's
                    target = cursor.underlying_typedef_type.get_declaration().spelling
                    if target and target != cursor.spelling:
                        self.bases[name].add(target)
                if cursor.kind == Kind.ENUM_DECL:
                    inner = f'{name}::' if cursor.is_scoped_enum() else scope
                    for constant in cursor.get_children():
                        if constant.kind == Kind.ENUM_CONSTANT_DECL:
                            self._add(constant, inner + constant.spelling)

    def _add(self, cursor, name):
        header = self._header(cursor)
        if header is not None:
            self.of_header[header].add(name)

    def all(self):
        return set().union(*self.of_header.values())

    def knows(self, name, everything):
        """Whether it is declared, or a base of its class has it."""
        if name in everything:
            return True
        scope, _, last = name.rpartition('::')
        return bool(scope) and any(self.knows(f'{base}::{last}', everything) for base in self.bases.get(scope, ()) if base != scope)


def reason_of(header, name):
    for headers, names, reason in REASONS:
        if re.fullmatch(headers, header) and (names is None or re.fullmatch(names, name)):
            return reason
    return None


def compare(theirs, ours, version):
    """(a table, the missing names without a reason)"""
    everything = ours.all()
    present = {name for name in (ours.include / 'rocksdb').rglob('*.h')}
    present = {path.relative_to(ours.include).as_posix() for path in present}
    rows, why, unexplained, total, lost = [], collections.defaultdict(list), [], 0, 0
    for header in theirs.headers:
        names = theirs.of_header.get(header, set())
        missing = sorted(name for name in names if not ours.knows(name, everything))
        total += len(names)
        lost += len(missing)
        # A member of what is missing itself need not be named.
        heads = [name for name in missing if not any(name.startswith(f'{other}::') for other in missing if other != name)]
        for name in heads:
            reason = reason_of(header, name)
            if reason is None:
                unexplained.append(f'{header}: {name}')
            why[reason or 'not yet'].append((header, name))
        if missing or header not in present:
            rows.append(f'| `{header}`{"" if header in present else " (no such header)"} | {len(names)} | {len(missing)} |')
    out = [f'## RocksDB {version}', '',
           f'{len(theirs.headers)} headers with {total} names; {total - lost} of them are here, {lost} are not; '
           f'{len(theirs.headers) - len(rows)} headers are whole.', '',
           '| header | names | not here |', '| --- | ---: | ---: |', *rows, '', 'What is not here, and why (of a class its own name alone):', '']
    for reason, names in sorted(why.items(), key=lambda item: (item[0] == 'not yet', -len(item[1]))):
        listed = collections.defaultdict(list)
        for header, name in names:
            listed[header].append(name)
        texts = [f'`{header}`: ' + ', '.join(f'`{name}`' for name in some) for header, some in sorted(listed.items())]
        out.append(f'- **{reason}**: ' + '; '.join(texts))
    return '\n'.join(out) + '\n', unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--crate', nargs='+', default=['0.10', '0.17', '0.19'])
    parser.add_argument('--sources', type=pathlib.Path, action='append', help='a folder with include/rocksdb')
    parser.add_argument('--out', type=pathlib.Path, help='where the tables go')
    parser.add_argument('--list', action='store_true')
    args = parser.parse_args()
    ours = Names(ROOT / 'include')
    if ours.errors:
        sys.exit('our headers do not compile:\n' + '\n'.join(ours.errors[:10]))
    tables = ['# RocksDB\'s C++ headers and Cairn\'s', '',
              '`make compare-headers`: `scripts/compare_headers.py`, names as libclang reads them. By name: that a function takes what '
              'RocksDB\'s takes is the conformance tests\' to show.', '']
    unexplained = []
    with tempfile.TemporaryDirectory() as temporary:
        sources = args.sources or []
        for i, crate in enumerate(args.crate if not sources else []):
            folder = pathlib.Path(temporary) / str(i)
            folder.mkdir()
            sources.append(rocksdb_crate.fetch(folder, crate)[0])
        for source in sources:
            theirs = Names(source / 'include')
            for error in theirs.errors[:5]:
                print(f'compare_headers.py: {error}', file=sys.stderr)
            text = (source / 'include' / 'rocksdb' / 'version.h').read_text()
            version = '.'.join(re.search(rf'define ROCKSDB_{part} (\d+)', text)[1] for part in ('MAJOR', 'MINOR', 'PATCH'))
            table, rest = compare(theirs, ours, version)
            tables.append(table)
            unexplained += [f'{version}: {line}' for line in rest]
            print(re.search(r'^\d+ headers.*$', table, re.M)[0], f'({version})')
    if args.out:
        args.out.write_text('\n'.join(tables))
    if args.list:
        print('\n'.join(unexplained))
    print(f'{len(unexplained)} missing names without a reason')
    return 1 if unexplained else 0


if __name__ == '__main__':
    sys.exit(main())
