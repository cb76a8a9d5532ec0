#!/usr/bin/env python3
"""Cairn's ldb and sst_dump beside RocksDB's (Debian's package rocksdb-tools), over the same directories: the same command on a copy of the
same database must print the same to the standard output and end with the same status, but for what DIFFERENCES lists with its reason.

  compare_tools.py --ldb build/release/tools/ldb --sst-dump build/release/tools/sst_dump [--filter WORD] [--verbose]

Each command runs in a directory of its own with a database that RocksDB's ldb made, or Cairn's: both kinds in turn. What no two runs have in
common (times, identities, sizes that hold them, pointers) is masked. Exit status: 0 all equal or listed; 1 something else; 77 without
RocksDB's tools.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TIMEOUT_S = 300


class Tools:
    def __init__(self, ldb, sst_dump):
        self.paths = {'ldb': str(ldb), 'sst_dump': str(sst_dump)}

    def run(self, folder, line, stdin=None):
        """(status, standard output, standard error) of a command line whose first word is a tool's name."""
        words = [word.replace('SPACE', ' ') for word in line.split()]
        result = subprocess.run([self.paths[words[0]], *words[1:]], cwd=folder, input=stdin, capture_output=True, timeout=TIMEOUT_S,
                                env={**os.environ, 'TZ': 'UTC', 'LC_ALL': 'C'})
        return result.returncode, result.stdout.decode(errors='replace'), result.stderr.decode(errors='replace')


def build(tools, folder):
    """The database `db`, with two families, deletions, a merge of files, tombstones; `ttl` with times; `ext.sst`; `wal`, with a log."""
    def must(line, stdin=None):
        status, out, err = tools.run(folder, line, stdin)
        if status != 0:
            sys.exit(f'compare_tools.py: {line}: {status}\n{out}{err}')
    must('ldb --db=db --create_if_missing batchput a.1 v1 a.2 v2 b.1 v3')
    must('ldb --db=db put bSPACE2 vSPACE4')
    must('ldb --db=db create_column_family two')
    must('ldb --db=db --column_family=two batchput x 1 y 2 z 3')
    must('ldb --db=db delete a.2')
    must('ldb --db=db compact')
    must('ldb --db=db put --hex 0x08FF 0x0901')
    must('ldb --db=db load --compression_type=no', b''.join(b'key%05d ==> %s\n' % (i, b'value' * 7) for i in range(2000)))
    must('ldb --db=db deleterange key01000 key01500')
    must('ldb --db=db --column_family=two singledelete y')
    must('ldb --db=ttl --ttl --create_if_missing batchput t1 v1 t2 v2') if tools.paths['ldb'] != shutil.which('ldb') else \
        tools.run(folder, 'ldb --db=ttl --ttl --create_if_missing batchput t1 v1 t2 v2')  # RocksDB's writes, and says that it failed
    must('ldb --db=db write_extern_sst ext.sst', b'key00001 ==> new\nzzz ==> last\n')
    must('ldb --db=one --create_if_missing batchput k1 v1 k2 v2')
    must('ldb --db=one put k3 v3')
    must('ldb --db=one compact')
    must('ldb --db=one put k4 v4')
    blobs = '--enable_blob_files --min_blob_size=4 --blob_compression_type=snappy'
    must(f'ldb --db=blobs --create_if_missing {blobs} batchput k1 v1 k2 {"value2" * 9} k3 {"value3" * 9}')
    must(f'ldb --db=blobs {blobs} compact')
    shutil.copytree(folder / 'db', folder / 'wal')


# The commands, each (name, line, standard input). They run one by one on a fresh copy.
COMMANDS = [
    # --- reading
    ('get', 'ldb --db=db get a.1'),
    ('get, missing', 'ldb --db=db get nothing'),
    ('get, deleted', 'ldb --db=db get a.2'),
    ('get --hex', 'ldb --db=db get --hex 0x612E31'),
    ('get --key_hex', 'ldb --db=db get --key_hex 0x612E31'),
    ('get --value_hex', 'ldb --db=db get --value_hex a.1'),
    ('get, family', 'ldb --db=db get --column_family=two x'),
    ('get, no such family', 'ldb --db=db get --column_family=three x'),
    ('get without a key', 'ldb --db=db get'),
    ('get, no directory', 'ldb --db=nowhere get a'),
    ('get as secondary', 'ldb --db=db --secondary_path=second get a.1'),
    ('get --try_load_options', 'ldb --db=db --try_load_options get a.1'),
    ('get --try_load_options=false', 'ldb --db=db --try_load_options=false get a.1'),
    ('scan', 'ldb --db=db scan --to=key00010'),
    ('scan from', 'ldb --db=db scan --from=key00995 --to=key01505'),
    ('scan --max_keys', 'ldb --db=db scan --from=b --max_keys=3'),
    ('scan --no_value', 'ldb --db=db scan --from=b --max_keys=3 --no_value'),
    ('scan --hex', 'ldb --db=db scan --hex --from=0x00 --to=0x63'),
    ('scan, family', 'ldb --db=db scan --column_family=two'),
    ('scan, zero bytes', 'ldb --db=db put --hex 0x00FF 0x0001', None, 'ldb --db=db scan --max_keys=1'),
    ('scan, bad number', 'ldb --db=db scan --max_keys=foo'),
    ('scan, unknown option', 'ldb --db=db scan --nonsense=1'),
    ('scan, unknown flag', 'ldb --db=db scan --nonsense'),
    ('dump', 'ldb --db=db dump --from=a --to=key00003'),
    ('dump --count_only', 'ldb --db=db dump --count_only'),
    ('dump --count_delim', 'ldb --db=db dump --count_delim --to=key00003'),
    ('dump --count_delim of one', 'ldb --db=db dump --count_delim=1 --to=key00003'),
    ('dump --max_keys', 'ldb --db=db dump --max_keys=2 --hex'),
    ('dump, family', 'ldb --db=db dump --column_family=two'),
    ('idump', 'ldb --db=db idump --to=key00005'),
    ('idump, family', 'ldb --db=db idump --column_family=two'),
    ('idump --hex', 'ldb --db=db idump --hex --max_keys=3'),
    ('idump --input_key_hex', 'ldb --db=db idump --input_key_hex --from=0x61 --to=0x62'),
    ('idump --count_only', 'ldb --db=db idump --count_only'),
    ('idump --count_delim', 'ldb --db=db idump --count_delim --from=a --to=key00003'),
    ('list_file_range_deletes', 'ldb --db=db list_file_range_deletes'),
    ('approxsize', 'ldb --db=db approxsize --from=a --to=z'),
    ('approxsize without --to', 'ldb --db=db approxsize --from=a'),
    ('query', 'ldb --db=db query', b'get a.1\nput q 1\nget q\nwhat\ndelete q\n'),
    ('query, help', 'ldb --db=db query', b'help\n'),
    ('query, missing', 'ldb --db=db query', b'get q\nget a.1\n'),
    # --- with TTL
    ('get --ttl', 'ldb --db=ttl --ttl get t1'),
    ('scan --ttl', 'ldb --db=ttl --ttl scan'),
    ('dump --ttl', 'ldb --db=ttl --ttl dump'),
    ('scan --ttl --timestamp', 'ldb --db=ttl --ttl scan --timestamp'),
    ('scan --ttl, times', 'ldb --db=ttl --ttl scan --start_time=1400000000 --end_time=1400000001'),
    # --- writing
    ('put', 'ldb --db=db put n 1', None, 'ldb --db=db get n'),
    ('put, hex without 0x', 'ldb --db=db put --hex 61 62'),
    ('put without a value', 'ldb --db=db put n'),
    ('put, new database', 'ldb --db=new --create_if_missing put n 1', None, 'ldb --db=new scan'),
    ('put, missing database', 'ldb --db=new put n 1'),
    ('batchput, odd', 'ldb --db=db batchput a b c'),
    ('delete', 'ldb --db=db delete a.1', None, 'ldb --db=db scan --to=c'),
    ('singledelete', 'ldb --db=db singledelete a.1', None, 'ldb --db=db scan --to=c'),
    ('deleterange', 'ldb --db=db deleterange a b', None, 'ldb --db=db scan --to=c'),
    ('load', 'ldb --db=db load', b'l1 ==> 1\nbad\nl2 ==> 2\nKeys in range: 2\n', 'ldb --db=db scan --from=l'),
    ('load --bulk_load --compact', 'ldb --db=db load --bulk_load --compact', b'l1 ==> 1\n', 'ldb --db=db scan --from=l'),
    # --- families
    ('list_column_families', 'ldb --db=db list_column_families'),
    ('create_column_family', 'ldb --db=db create_column_family three', None, 'ldb --db=db list_column_families'),
    ('create_column_family, again', 'ldb --db=db create_column_family two'),
    ('drop_column_family', 'ldb --db=db drop_column_family two', None, 'ldb --db=db list_column_families'),
    ('drop_column_family, none', 'ldb --db=db drop_column_family three'),
    # --- the whole
    ('checkconsistency', 'ldb --db=db checkconsistency'),
    ('compact', 'ldb --db=db compact', None, 'ldb --db=db scan --to=c'),
    ('compact, range', 'ldb --db=db compact --from=a --to=b', None, 'ldb --db=db scan --to=c'),
    ('reduce_levels', 'ldb --db=one reduce_levels --new_levels=2 --print_old_levels', None, 'ldb --db=one scan'),
    ('reduce_levels of several families', 'ldb --db=db reduce_levels --new_levels=2 --print_old_levels', None, 'ldb --db=db scan --to=c'),
    ('reduce_levels to none', 'ldb --db=db reduce_levels --new_levels=0'),
    ('change_compaction_style', 'ldb --db=db change_compaction_style --old_compaction_style=0 --new_compaction_style=1', None,
     'ldb --db=db scan --to=c'),
    ('change_compaction_style to the same', 'ldb --db=db change_compaction_style --old_compaction_style=0 --new_compaction_style=0'),
    ('get_property', 'ldb --db=db get_property rocksdb.estimate-num-keys'),
    ('get_property, unknown', 'ldb --db=db get_property rocksdb.nonsense'),
    ('checkpoint', 'ldb --db=db checkpoint --checkpoint_dir=copy', None, 'ldb --db=copy scan --to=c'),
    ('backup', 'ldb --db=db backup --backup_dir=backup', None, 'ldb --db=back restore --backup_dir=backup'),
    ('backup without a directory', 'ldb --db=db backup'),
    ('restore, no backup', 'ldb --db=back restore --backup_dir=nothing'),
    ('repair', 'ldb --db=db repair', None, 'ldb --db=db scan --to=c'),
    # --- files
    ('manifest_dump', 'ldb --db=db manifest_dump'),
    ('manifest_dump --verbose', 'ldb --db=db manifest_dump --verbose --hex'),
    ('manifest_dump --path', 'ldb manifest_dump --path=MANIFEST'),
    ('dump --path of a MANIFEST', 'ldb dump --path=MANIFEST'),
    ('dump_wal', 'ldb dump_wal --walfile=LOG --header --print_value'),
    ('dump_wal, keys only', 'ldb dump_wal --walfile=LOG'),
    ('dump --path of a log', 'ldb dump --path=LOG'),
    ('dump --path of a table', 'ldb dump --path=TABLE'),
    ('dump --path of nothing', 'ldb dump --path=nothing'),
    ('dump --path of a blob file', 'ldb dump --path=BLOBS'),
    ('dump --path of a blob file --hex', 'ldb dump --path=BLOBS --hex'),
    ('dump --path of a blob file --dump_uncompressed_blobs', 'ldb dump --path=BLOBS --dump_uncompressed_blobs'),
    ('manifest_dump, blobs', 'ldb --db=blobs manifest_dump --verbose'),
    ('manifest_dump --json, blobs', 'ldb --db=blobs manifest_dump --json'),
    ('idump --decode_blob_index', 'ldb --db=blobs idump --decode_blob_index'),
    ('idump of blobs', 'ldb --db=blobs idump --hex'),
    ('dump_live_files, blobs', 'ldb --db=blobs dump_live_files --decode_blob_index --dump_uncompressed_blobs'),
    ('list_live_files_metadata, blobs', 'ldb --db=blobs list_live_files_metadata'),
    ('list_live_files_metadata --sort_by_filename, blobs', 'ldb --db=blobs list_live_files_metadata --sort_by_filename'),
    ('sst_dump --decode_blob_index', 'sst_dump --file=blobs --command=scan --decode_blob_index'),
    ('file_checksum_dump', 'ldb --db=db file_checksum_dump'),
    ('list_live_files_metadata', 'ldb --db=db list_live_files_metadata'),
    ('list_live_files_metadata --sort_by_filename', 'ldb --db=db list_live_files_metadata --sort_by_filename'),
    ('dump_live_files', 'ldb --db=db dump_live_files'),
    ('write_extern_sst', 'ldb --db=db write_extern_sst o.sst', b'a ==> 1\nb ==> 2\n', 'sst_dump --file=o.sst --command=scan'),
    ('ingest_extern_sst', 'ldb --db=db ingest_extern_sst ext.sst', None, 'ldb --db=db get key00001'),
    ('ingest_extern_sst without global numbers', 'ldb --db=db ingest_extern_sst --allow_global_seqno=false ext.sst'),
    ('unsafe_remove_sst_file', 'ldb --db=db unsafe_remove_sst_file NUMBER', None, 'ldb --db=db dump --count_only'),
    ('unsafe_remove_sst_file, no number', 'ldb --db=db unsafe_remove_sst_file x'),
    ('update_manifest', 'ldb --db=db update_manifest --update_temperatures'),
    ('update_manifest, nothing to do', 'ldb --db=db update_manifest'),
    # --- the command line
    ('ldb without anything', 'ldb'),
    ('ldb --version', 'ldb --version'),
    ('ldb --help', 'ldb --help'),
    ('ldb, unknown command', 'ldb --db=db nonsense'),
    ('ldb without --db', 'ldb put a b --create_if_missing'),
    # --- sst_dump
    ('sst_dump', 'sst_dump --file=TABLE'),
    ('sst_dump scan', 'sst_dump --file=TABLE --command=scan'),
    ('sst_dump scan, range', 'sst_dump --file=TABLE --command=scan --from=key00010 --to=key00012'),
    ('sst_dump scan --prefix', 'sst_dump --file=TABLE --command=scan --prefix=key0001'),
    ('sst_dump scan --output_hex', 'sst_dump --file=TABLE --command=scan --output_hex --read_num=3'),
    ('sst_dump scan --input_key_hex', 'sst_dump --file=TABLE --command=scan --input_key_hex --from=0x6B65793030303130 --to=0x6B65793030303132'),
    ('sst_dump check --verify_checksum', 'sst_dump --file=TABLE --command=check --verify_checksum'),
    ('sst_dump verify', 'sst_dump --file=TABLE --command=verify'),
    ('sst_dump of a directory', 'sst_dump --file=db --command=verify'),
    ('sst_dump --show_properties', 'sst_dump --file=TABLE --show_properties'),
    ('sst_dump --show_summary', 'sst_dump --file=TABLE --show_summary --command=none'),
    ('sst_dump identify', 'sst_dump --file=TABLE --command=identify'),
    ('sst_dump identify, directory', 'sst_dump --file=db --command=identify'),
    ('sst_dump identify, not one', 'sst_dump --file=MANIFEST --command=identify'),
    ('sst_dump raw', 'sst_dump --file=ext.sst --command=raw', None, 'cat ext_dump.txt'),
    ('sst_dump recompress', 'sst_dump --file=TABLE --command=recompress --compression_types=kNoCompression,kLZ4Compression,kZSTD'),
    ('sst_dump recompress, unknown', 'sst_dump --file=TABLE --command=recompress --compression_types=kNone'),
    ('sst_dump --parse_internal_key', 'sst_dump --parse_internal_key=0x6B310100000000000000'),
    ('sst_dump, missing file', 'sst_dump --file=nothing.sst'),
    ('sst_dump, damaged table', 'sst_dump --file=damaged.sst --command=scan --verify_checksum'),
    ('sst_dump, cut table', 'sst_dump --file=cut.sst --command=scan'),
    ('sst_dump, empty table', 'sst_dump --file=empty.sst --command=scan'),
    ('sst_dump --help', 'sst_dump --help'),
    ('sst_dump, unknown argument', 'sst_dump --file=TABLE --nonsense'),
    ('sst_dump --prefix and --from', 'sst_dump --file=TABLE --prefix=a --from=b'),
]

TTL = 'RocksDB does it, and then says that it failed: it takes every database with TTL for one with several families'
# Commands whose output or status is another one here, and why.
DIFFERENCES = {
    'scan, zero bytes': 'RocksDB cuts keys and values at a zero byte; they are printed whole',
    'dump --path of a blob file': 'RocksDB cuts values at a zero byte; they are printed whole',
    'manifest_dump --json, blobs': 'RocksDB 7.8.3 prints text whatever the flag says',
    'idump --count_only': 'RocksDB leaves out what a tombstone of a range covers; what lies in the database is counted',
    'query, help': 'it names what later releases of RocksDB name, too: timestamps, and count',
    'query, missing': 'RocksDB ends the session, and fails, at the first key that is not there',
    'get --ttl': TTL,
    'scan --ttl': TTL,
    'dump --ttl': TTL,
    'scan --ttl --timestamp': TTL,
    'scan --ttl, times': TTL,
    'put, hex without 0x': 'RocksDB throws, and is aborted; an error, and status 1',
    'reduce_levels of several families': 'RocksDB refuses databases with several families; the family that is named is moved',
    'ldb --help': 'commands of later releases are listed, too: put_entity, multi_get, get_entity, multi_get_entity',
    'sst_dump --show_properties': 'RocksDB repeats the numbers of deletions and operands among the user\'s properties',
    'sst_dump, damaged table': 'RocksDB tells of the damage, and ends with status 0; a damaged file is status 1',
}
# Their lines come in an order of chance from RocksDB: as a hash table, or the file system, has them. Here they are sorted.
UNORDERED = {'file_checksum_dump', 'sst_dump of a directory', 'sst_dump identify, directory'}


def number_of_table(folder, name):
    """The number of the table of the default family that has key00000."""
    for path in sorted((folder / name).glob('*.sst')):
        if b'key00000' in path.read_bytes():
            return path.name.split('.')[0]
    sys.exit('compare_tools.py: no table has the keys')


def prepare(folder):
    """The names that the commands use for files whose numbers they do not know."""
    number = number_of_table(folder, 'db')
    table = folder / 'db' / f'{number}.sst'
    names = {
        'NUMBER': str(int(number)),
        'TABLE': f'db/{number}.sst',
        'MANIFEST': 'db/' + (folder / 'db' / 'CURRENT').read_text().strip(),
        'BLOBS': str(next((folder / 'blobs').glob('*.blob')).relative_to(folder)),
        'LOG': f'wal/{sorted(path.name for path in (folder / "wal").glob("*.log"))[-1]}',
    }
    data = table.read_bytes()
    (folder / 'damaged.sst').write_bytes(data[:100] + b'\xff' + data[101:])
    (folder / 'cut.sst').write_bytes(data[:len(data) // 2])
    (folder / 'empty.sst').write_bytes(b'')
    return names


MASKS = [
    (r'options\.env is 0x[0-9a-f]+', 'options.env is POINTER'),
    (r'Time Taken: +\d+ microsecs', 'Time Taken: N microsecs'),
    (r' Size: +\d+ Blocks:', ' Size: N Blocks:'),  # the properties' texts are in it
    (r'(unique_id\(internal\): )\{\d+,\d+\}', r'\1ID'),
    (r'(public_unique_id: |unique ID: )[0-9A-F]+-[0-9A-F]+', r'\1ID'),
    (r'(DB session identity: ).*', r'\1ID'),
]


def masked(text):
    for pattern, instead in MASKS:
        text = re.sub(pattern, instead, text)
    return text


def run_one(tools, template, command, work):
    """(status, output) of the command, and of what is run after it, on a copy of the template."""
    folder = work / 'copy'
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder)
    names = prepare(folder)
    _, line, stdin, after = (*command, None, None)[:4]
    def named(text):
        return re.sub(r'\b(NUMBER|TABLE|MANIFEST|BLOBS|LOG)\b', lambda match: names[match.group(1)], text)
    status, out, err = tools.run(folder, named(line), stdin)
    if after and after.startswith('cat '):
        path = folder / after.split()[1]
        out += path.read_text(errors='replace') if path.exists() else 'no file'
    elif after:
        second, more, _ = tools.run(folder, named(after), stdin=None)
        out += f'--- {after}: {second}\n{more}'
    return status, masked(out), err


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--ldb', type=pathlib.Path, default='build/release/tools/ldb')
    parser.add_argument('--sst-dump', type=pathlib.Path, default='build/release/tools/sst_dump')
    parser.add_argument('--filter', default='', help='only commands whose name or line has this')
    parser.add_argument('--verbose', action='store_true', help='show the outputs that differ though they are listed')
    parser.add_argument('--lines', type=int, default=20, help='of a difference that are shown')
    args = parser.parse_args()
    theirs = Tools(shutil.which('ldb'), shutil.which('sst_dump'))
    if None in (shutil.which('ldb'), shutil.which('sst_dump')):
        print('compare_tools.py: RocksDB\'s tools are not installed (Debian: rocksdb-tools)', file=sys.stderr)
        sys.exit(77)
    ours = Tools(args.ldb.resolve(), args.sst_dump.resolve())
    equal = listed = 0
    surprises = []
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for maker, tools in (('RocksDB', theirs), ('Cairn', ours)):
            template = work / maker
            template.mkdir()
            build(tools, template)
            for command in COMMANDS:
                name = command[0]
                if args.filter not in name and args.filter not in command[1]:
                    continue
                want = run_one(theirs, template, command, work)
                got = run_one(ours, template, command, work)
                if name in UNORDERED:
                    want, got = ((each[0], '\n'.join(sorted(each[1].split('\n'))), each[2]) for each in (want, got))
                if want[:2] == got[:2]:
                    equal += 1
                    continue
                lines = difflib.unified_diff(want[1].split('\n'), got[1].split('\n'), 'RocksDB', 'Cairn', lineterm='', n=0)
                difference = '\n'.join([f'on the database of {maker}: {command[1]}', f'status {want[0]}, here {got[0]}',
                                        *[line[:300] for line in lines][:args.lines],
                                        f'errors: {want[2].strip()[:300]!r}, here {got[2].strip()[:300]!r}'])
                if name in DIFFERENCES:
                    listed += 1
                    if args.verbose:
                        print(f'LISTED {name} {difference}\n')
                else:
                    surprises.append(name)
                    print(f'DIFFERENT {name} {difference}\n', flush=True)
    print(f'{len(COMMANDS)} commands, on databases of both: {equal} runs equal, {listed} listed as different, {len(surprises)} surprises')
    for name in surprises:
        print(f'  {name}')
    sys.exit(1 if surprises else 0)


if __name__ == '__main__':
    main()
