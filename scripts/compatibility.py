#!/usr/bin/env python3
"""What becomes of each option that the public headers declare: doc/compatibility.md.

  scripts/compatibility.py [--check]

An option is refused where the sources say so by name (Checker::Unsupported in src/options/options_check.cc, a NotSupported status);
honoured where something reads it besides what only carries options around (parsing, printing, the C interface); otherwise it has no
effect, and its comment in the header must say that ("a hint", "no effect", "ignored"). Comments that claim something else
than the sources do are errors, and so is an option without effect of which nothing says so. --check: compare with the committed
file instead of writing it.
Exit status: 0; 1 after errors.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / 'doc/compatibility.md'

# Header, struct, and how a user names it.
STRUCTS = [
    ('options.h', 'DBOptions'),
    ('options.h', 'ColumnFamilyOptions'),
    ('advanced_options.h', 'AdvancedColumnFamilyOptions'),
    ('table.h', 'BlockBasedTableOptions'),
    ('table.h', 'PlainTableOptions'),
    ('table.h', 'CuckooTableOptions'),
    ('options.h', 'ReadOptions'),
    ('options.h', 'WriteOptions'),
    ('options.h', 'FlushOptions'),
    ('options.h', 'CompactRangeOptions'),
    ('options.h', 'CompactionOptions'),
    ('options.h', 'IngestExternalFileOptions'),
    ('options.h', 'ImportColumnFamilyOptions'),
    ('options.h', 'WaitForCompactOptions'),
    ('advanced_options.h', 'CompactionOptionsFIFO'),
    ('universal_compaction.h', 'CompactionOptionsUniversal'),
    ('compression_type.h|advanced_options.h', 'CompressionOptions'),
    ('cache.h', 'ShardedCacheOptions'),
    ('cache.h', 'LRUCacheOptions'),
    ('cache.h', 'HyperClockCacheOptions'),
    ('cache.h', 'CompressedSecondaryCacheOptions'),
    ('utilities/transaction_db.h', 'TransactionDBOptions'),
    ('utilities/transaction_db.h', 'TransactionOptions'),
    ('utilities/backup_engine.h', 'BackupEngineOptions'),
    ('utilities/backup_engine.h', 'CreateBackupOptions'),
    ('utilities/backup_engine.h', 'RestoreOptions'),
]
# Files that carry options around, or show them, and decide nothing by them; and functions that do. (What traced_file_system.cc reads is a
# field of the same name in IODebugContext.)
CARRIERS = re.compile(r'src/(c/|toolkit/|options/(options_table|option_fields|mutable_options|object_strings|options_dump)|table/options\.cc|trace/traced_file_system\.cc)|_test\.cc$|/testing/')
SHOWS = re.compile(r'::GetPrintableOptions\(\) const \{.*?^\}', re.S | re.M)
HINT = re.compile(r'\b(a hint|no effect|without effect|ignored)\b', re.I)
REFUSED = re.compile(r'\bunsupported\b', re.I)


def struct_body(text, name):
    """The lines between the braces of a struct; None: it is not there."""
    start = re.search(rf'^(?:struct|class) {name}\b[^;{{]*\{{', text, re.M)
    if not start:
        return None
    depth, at = 1, start.end()
    while depth:
        depth += {'{': 1, '}': -1}.get(text[at], 0)
        at += 1
    return text[start.end():at - 1]


# Of what is honoured, where it needs more words than the header has.
NOTES = [
    '- `best_efforts_recovery`: as RocksDB 7.8.3, by the sizes of files; a table whose unique id is another than the MANIFEST says still fails',
    '  the open. Families that were flushed as one group go back behind it together, the others stay where they are. Logs are not',
    '  replayed: those that have anything are moved to a directory `lost` beside them (RocksDB leaves them, and a later open without the',
    '  option would replay writes behind a gap). Tables or logs without any MANIFEST are refused, where RocksDB makes a new database.',
    '- `recycle_log_file_num` has an effect with `wal_recovery_mode = kSkipAnyCorruptedRecords` alone, as in RocksDB 7.8.3. To the other',
    '  modes what is left of an older log behind the end of a recycled one looks like damage. Cairn could tell the two apart in point-in-time',
    '  recovery, but RocksDB 7.8.3 cannot: after a kill it took the end of each recycled log for a corrupted one, refused the database where',
    '  a column family was flushed since ("SST file is ahead of WALs"), or ended the history early.',
    '- `wal_dir`, `db_paths`, `cf_paths`: a directory outside of the database has one owner, which a file `OWNER` in it names. A database that is not the',
    '  owner is refused, also for reading ([reliability.md](reliability.md#directories-outside-of-the-database)). RocksDB passes over the file, and asks nobody.',
    '- Several `db_paths`: RocksDB makes no checkpoint and no backup of such a database. A checkpoint here, and what a backup is restored',
    '  to, is in one directory, and opened without them. Blob files are in the first. So with `cf_paths`, four at most, which RocksDB does',
    '  not check and cannot record; beside `sst_file_manager`, `best_efforts_recovery` and in `RepairDB` they are refused (`NotSupported`).',
    '- `row_cache`: tables with range tombstones go without, and `DeleteRange` is not refused beside it, as it is by RocksDB 11.',
    '- `protection_bytes_per_key` (batches, `WriteOptions`), `memtable_protection_bytes_per_key`: a range tombstone in a memtable is compared',
    '  when it is added and when it is flushed, not by each read. What a batch damaged in memory says is `Corruption: ProtectionInfo mismatch`.',
    '- `block_protection_bytes_per_key`: of data blocks and indexes (`NotSupported`: other numbers, as in RocksDB). A search compares all entries',
    '  that it looks at, where RocksDB compares the one that it ends at, so that a wrong byte of another one hides nothing. It costs that, 4 bytes',
    '  for each entry beside the checksum, and the hash index and the prefixes of the block, which have no checksum. What changed does not go to a',
    '  secondary cache. Tables that are open when `SetOptions` changes it stay as they are.',
    '- `track_and_verify_wals`: RocksDB\'s records, words and rules, beside what Cairn\'s logs say of each other anyway; releases before 8 take a log',
    '  with such a record for damaged, RocksDB\'s or Cairn\'s. A file that is longer than was said, but ends there as a log (what was allocated and not',
    '  given back; a recycled one), is no difference. A log behind one that could not be written says nothing of it. A database without any log',
    '  opens: a repair leaves none, nor may a power cut before anything was synced (RocksDB 11 refuses both).',
    '- `allow_mmap_writes`, `EnvOptions::use_mmap_writes`: space is allocated before it is mapped, and where a file system cannot writes are plain',
    '  (in RocksDB an error, or with `allow_fallocate=false` a SIGBUS). A sync cuts the file to its size first, so that a power cut leaves no longer one.',
    '  On a fiber, whose worker a page fault would keep, writes are plain. Not on Windows (`NotSupported`).',
    '- `experimental_mempurge_threshold`: what newer entries, range tombstones or merges leave of full memtables becomes one again, where RocksDB',
    '  decides by a like sample. It lies behind those that came since, where RocksDB puts it in front of them; compaction filters are asked when a',
    '  table is made, only; a flush that somebody asked for makes a table; and a listener hears nothing of it, where RocksDB tells of a begin',
    '  without an end. Families with user-defined timestamps have none.',
    '- `checksum_handoff_file_types`: logs, MANIFESTs, tables and blob files, as in RocksDB. A file without the `PositionedAppend` that takes a',
    '  checksum is written by the other one; there it is `NotSupported`. `FaultInjectionFileSystem` compares the checksums.',
    '- `paranoid_memory_checks`, `memtable_verify_per_key_checksum_on_seek`: of skip lists; other memtables are read as ever. With',
    '  `inplace_update_support` the second has no effect; each value that is read is compared with its checksum all the same.',
    '- `inplace_update_support`: a Put that a range tombstone lies above is added, where RocksDB overwrites what that hides, and the key stays',
    '  deleted. With an `inplace_callback` a log is replayed over what the tables have, and the memtable is not flushed before its end; RocksDB',
    '  fails to open (`NotSupported`) if a key is not in the memtable, as a secondary does here. A callback that throws, or makes a value longer',
    '  in place, is `Aborted`, which ends the writes, and the opening that replays it. `NotSupported` with a memtable of one\'s own.',
    '  Iterators go backwards, too (`NotSupported` there). An optimistic transaction needs snapshots.',
    '- `env`: an `Env` is a handle to a `FileSystem`; of its functions those are virtual that run functions in the background (`Schedule`,',
    '  `UnSchedule`, `StartThread`, `SetBackgroundThreads` and their kin). Flushes and compactions have threads of the database\'s own, unless the',
    '  `Env` is of a class of the user\'s, as a rule an `EnvWrapper`: then they go through its `Schedule`, in the pools HIGH and LOW, never BOTTOM.',
    '  The parts of a compaction, the syncs beside it, compression and reads ahead run on threads or fibers that no `Env` hears of.',
    '- `IngestExternalFileOptions::allow_db_generated_files`, as in RocksDB 11. Each file is read once for its sequence numbers. Refused besides:',
    '  tables with values in blob files (`NotSupported`; RocksDB ingests them without), above another a file that had been ingested where it comes',
    '  from, whose number is in that MANIFEST, files that meet in level 0 out of their order, and `ingest_behind` of what has sequence numbers.',
    '- `memory_allocator`: for the blocks that tables read. Values of a `blob_cache` lie in the program\'s memory.',
    '  `NewJemallocNodumpAllocator` is `NotSupported`, and `NewCompressedSecondaryCache` with an allocator returns null.',
    '- `sst_file_manager`: one of `NewSstFileManager` only. A compaction for which there is no room waits until a file goes or the limit is',
    '  higher; RocksDB tries again every second. Compactions that only delete files need none, in RocksDB they do. Files that were',
    '  ingested count at once, in RocksDB after the next opening. A flush is never undone by the limit: where its blob files reach it, RocksDB',
    '  lets the flush fail. After `SpaceLimit` both go on by themselves; `DB::Resume` is `Busy` meanwhile in RocksDB, here it tries at once.',
    '- `compaction_service`, `DB::OpenAndCompact`, as in RocksDB 11; its form of release 7.8.3 (`StartV2`) is not here. What the two processes tell',
    '  each other is Cairn\'s own, so that one of them cannot be RocksDB. Not sent to a worker: files that only move or go; families with',
    '  `enable_blob_files`, tables that refer to blob files, `persist_user_defined_timestamps=false`, `OpenAndTrimHistory`. A service that fails, a worker',
    '  that dies and tables that are not as told fail a compaction as in RocksDB, and change nothing: it is tried again, after a pause of up',
    '  to a second; in RocksDB they are a background error, after which the database takes no writes. A result that cannot be read leaves the',
    '  job to the primary, as there. Tables are moved only after all of a job are found with their sizes; what was moved is deleted if a later one fails. With',
    '  `paranoid_file_checks` they are read once more. A worker refuses an output directory that has anything but a LOG, a job of a database with another',
    '  identity, and a MANIFEST that it sees older than the primary\'s; compression and sizes of tables are those that the primary picked, whatever',
    '  the override says. Without a `table_factory` in the override it takes that of the OPTIONS file, in RocksDB there is none. It knows',
    '  `db_paths` and `cf_paths`, in RocksDB it does not. `OpenAndCompactOptions::allow_resumption` is `NotSupported`.',
    '- `persist_stats_to_disk`: the family is RocksDB\'s, both ways. What could not be written, as in a stall, is a part of the next note; in',
    '  RocksDB it is lost. `GetStatsHistory` ends before `end_time`, as it says; in RocksDB a note of that second is in it, and with `UINT64_MAX`',
    '  the two entries with the version are, too. Readers and secondaries show what there is. The family is flushed with others once it alone',
    '  keeps the oldest log.',
    '- `enable_thread_tracking`: flushes and compactions tell fewer of RocksDB\'s stages (none of memtables), and no thread ever waits for a mutex.',
    '- `write_dbid_to_manifest` (true, as in RocksDB 9.7 and later): with it or without, a checkpoint gets an identity of its own; where RocksDB',
    '  writes it to the MANIFEST a checkpoint passes for its source. A copy of the files has their identity.',
    '- Options of later releases than 7.8.3 (`write_identity_file`, `open_files_async`, `max_data_files_size` ...) are in OPTIONS files only where',
    '  they are not at their defaults; RocksDB 7.8.3 then reads such a file with `ignore_unknown_options` alone.',
    '- `file_temperature_age_thresholds` (of FIFO style, RocksDB 9): one file at a time is read and written anew, whatever',
    '  `allow_trivial_copy_when_change_temperature` says. How old its newest entry is, is told by the oldest one of the file after it; so the newest',
    '  file waits for another one, as in RocksDB where a table has no `newest_key_time`.',
    '- `preclude_last_level_data_seconds`, `preserve_internal_time_seconds`, as in RocksDB 10 and 11; tables tell when what was written as there',
    '  (`rocksdb.seqno.time.map`). A compaction also knows what the open database has sampled, so that data whose tables were written between two',
    '  samples grow old; RocksDB goes by the tables alone. The first entry that is not old is young; in RocksDB it is old, too. In leveled style',
    '  files of which nothing is old enough are not compacted into the last level by themselves, nor in universal style that level and the one above it; in',
    '  RocksDB they are, again and again, as long as the level is too large. A new database begins with sequence number 0; RocksDB leaves 100',
    '  numbers free there, for `TimedPut`, which is not here: `DB::TimedPut` and `WriteBatch::TimedPut` do not compile, tables that have such',
    '  entries cannot be read, and iterators have no `rocksdb.iterator.write-time`. Such compactions are not sent to a `compaction_service`.',
    '- `max_data_files_size`: the blob files that go with a table are counted as its share of all of them, by its size, as in RocksDB 11.',
    '- `db_log_dir`, `wal_dir` in the OPTIONS file of a checkpoint are empty: RocksDB copies the file, and the copy names its source\'s logs.',
    '- `allow_2pc`: without it a database opens once all of its transactions are committed or rolled back (RocksDB\'s `DB::Open` wants their',
    '  logs gone, too). With one that is prepared only it is `NotSupported` (`RepairDB` always), and its logs stay as they are; RocksDB',
    '  7.8.3\'s `DB::Open` forgets one whose log only it keeps. Of RocksDB\'s other write policies `NotSupported` in any case.',
    '- Prepared transactions that a `TransactionDB` recovers hold the locks of their keys again; in RocksDB they hold none. They take no more',
    '  writes; RocksDB takes them, and loses them in a crash. All steps are logged whatever `disableWAL` says, in RocksDB only `Prepare`.',
    '  A step that was refused before anything was written may be tried again; in RocksDB the transaction is stuck.',
    '- `index_type = kHashSearch` is without effect: tables get the plain index, in which any key is found (as RocksDB reads it where it has no',
    '  hash). `kBinarySearchWithFirstKey`: the keys are written and used as by RocksDB: a block that begins with the key that a movement comes to is',
    '  read once its value is wanted, mostly never. Other than there `SeekForPrev` passes by a block that begins behind its target, tables with the',
    '  sequence number of an ingestion have it too, and with `async_io` what a seek comes to is read at once, as with other indexes.',
    '- `data_block_index_type = kDataBlockBinaryAndHash`: with a comparator to which keys of different bytes may be equal',
    '  (`CanKeysWithDifferentByteContentsBeEqual`, the default of a comparator of one\'s own) blocks are made and searched without the hash.',
    '- `persist_user_defined_timestamps=false`, as in later releases of RocksDB: tables, and the bounds in the MANIFEST, are those of keys without',
    '  timestamps, and are read with the smallest one; a flush keeps of each key the newest version (for each snapshot) and raises',
    '  `full_history_ts_low` above the newest timestamp that it has. As there a family may get timestamps with this setting, or lose them, from',
    '  one opening to the next (logs are converted), and the setting does not change while it has them; `NotSupported` with `atomic_flush`,',
    '  `allow_concurrent_memtable_write` and a comparator whose timestamps are not `.u64ts`. Here also with `enable_blob_files`, where there are',
    '  blob files, and with `allow_ingest_behind`; and so are `RepairDB`, `OpenAndTrimHistory` and imports of such a family. A recovery puts',
    '  into tables what the logs have, whatever `avoid_flush_during_recovery` says, and the mark goes up. The flush of a full memtable that has',
    '  timestamps at or above the mark, where one was set, waits for `IncreaseFullHistoryTsLow` as long as `max_write_buffer_number` leaves room',
    '  for another memtable, and never with a limit of a write buffer manager; RocksDB asks again every 100 ms. What is written with an older',
    '  timestamp than the key had before is dropped by the flush, if both are in memtables then. RocksDB 7.8.3 knows nothing of the setting.',
    '- User-defined timestamps: a file whose range of keys, without timestamps, overlaps',
    '  with what is there, or with another file of the call, is not ingested: RocksDB refuses it since release 9, and 7.8.3 does not',
    '  look. Merge operands of different timestamps are merged by who',
    '  reads, never by a compaction. A log of a family with timestamps says so (record type 10), as RocksDB 8 and later write and need it;',
    '  RocksDB 7.8.3 cannot read such a log: flush before it opens the database.',
    '- Timestamps in transactions (`TransactionDB`, `WRITE_COMMITTED`): `Commit()` without a timestamp leaves the transaction as it was; in',
    '  RocksDB its writes are gone, or, once prepared, it is stuck in 7.8.3. What that recovers, and commits, has keys with a timestamp too',
    '  many; 11.1.1 and Cairn decide what the other has prepared. `SetReadTimestampForValidation` is held against what tables have, too;',
    '  RocksDB looks at memtables alone, unless there is a snapshot. Plain writes with a timestamp, batches of them included, take the locks',
    '  of their keys; in RocksDB they take none, and a batch is `NotSupported`. `iter_start_ts`',
    '  over a batch is `NotSupported`. A commit that lacks the timestamp of a snapshot that was asked for may be tried again; in RocksDB',
    '  the transaction is stuck. As in RocksDB there are none with the other two policies,',
    '  and none in a `WriteBatchWithIndex` by its functions that take one; optimistic transactions have none.',
    '- `secondary_indices`, as RocksDB 11 has them: with `WRITE_COMMITTED`, `Merge` is `NotSupported`, an entry is removed by a `SingleDelete`,',
    '  so that either engine goes on with the other\'s entries. With another policy they are `NotSupported`; RocksDB takes them and indexes nothing.',
    '  Whether a write is to the primary family is told by its id; in RocksDB by the handle, so that what is written by another handle of the',
    '  family, or by none, has no entries. Batches (`Write`) are indexed unless they skip concurrency control; in RocksDB they are not, nor are',
    '  plain writes with a timestamp, which are `NotSupported` here. Where several indices change one column, all have entries of the value that is',
    '  stored; in RocksDB the earlier ones keep entries that nothing removes. An untracked write does not validate its entries either.',
    '  `DisableIndexing` does nothing: in RocksDB a key that is written twice then leaves an entry. `utilities/secondary_index_faiss.h`, an index of',
    '  vectors that RocksDB builds where it has the FAISS library, is not here: a `SecondaryIndex` of one\'s own can use it.',
    '- Statistics: all tickers and histograms of RocksDB 11.8 are declared, and C has them by the numbers of its release. Those stay 0 that RocksDB',
    '  (7.9, 11.8) does not count either (`NO_ITERATORS`, `STALL_L0_*`, `BLOCK_CACHE_COMPRESSED_*`, ...), and those of what is not here:',
    '  `BLOB_DB_*` of its stacked BlobDB; the super versions that threads keep, and the one database mutex; `BLOCK_CACHE_COMPRESSION_DICT_*`',
    '  (dictionaries are the table\'s own), `BLOCK_CACHE_*_REDUNDANT`, what a MultiGet read by level (its reads are of all levels at once),',
    '  `READ_ASYNC_MICROS`, `ASYNC_PREFETCH_ABORT_MICROS`, `FILE_SUBMIT_ASYNC_READ_FALLBACK`; `WAL_PRECREATE_*`, `FILE_OPEN_METADATA_*`,',
    '  `FILE_READ_CORRUPTION_RETRY_*`, `READ_PATH_RANGE_TOMBSTONES_*`, `PREFETCH_MEMORY_*`, `IO_DISPATCHER_*`, `BLOCK_KEY_DISTRIBUTION_CV`,',
    '  `MANIFEST_VALIDATION_FAILURE_COUNT`, `NUMBER_WBWI_INGEST`, `TIMESTAMP_FILTER_TABLE_*`,',
    '  `COMPACTION_ABORTED`, `REMOTE_COMPACT_RESUMED_BYTES`, `COMPRESSED_SECONDARY_CACHE_*`, `*_REASON_MEMTABLE_MAX_RANGE_DELETIONS` (such',
    '  a flush counts as one of a full memtable). `*_LEVEL_SEEK_DATA_USEFUL_*` stay 0, too: entries are taken with their',
    '  values, so that nobody knows which a user looked at; `*_LEVEL_SEEK_DATA` and `*_FILTER*` count. `MULTISCAN_PREPARE_CALLS` counts tables,',
    '  as in RocksDB; the times (`MULTISCAN_PREPARE_MICROS`, `_ITERATORS`) are of all of a scan\'s tables together. `FILE_READ_*_MICROS` are of',
    '  reads that somebody waits in; what is read ahead in the background is `POLL_WAIT_MICROS`. `MULTIGET_IO_BATCH_SIZE`: reads that wait together.',
    '- The tickers `TXN_*`: `TXN_DUPLICATE_KEY_OVERHEAD` counts prepared sections that were looked through for keys that come twice, with the',
    '  policies other than `WRITE_COMMITTED`. `TXN_PREPARE_MUTEX_OVERHEAD`, `TXN_OLD_COMMIT_MAP_MUTEX_OVERHEAD` and',
    '  `TXN_SNAPSHOT_MUTEX_OVERHEAD` are of mutexes that are not here, and no `Get` says `TryAgain` (`TXN_GET_TRY_AGAIN`): they stay 0.',
    '  `key_lock_wait_count` and `key_lock_wait_time` count waits for ranges, too.',
    '- Objects that a text or an OPTIONS file names are made where Cairn has them. One that comes with RocksDB and not with Cairn',
    '  (a persistent cache ...) is `NotSupported`, by name. Another name is the',
    '  user\'s own object, which stays with the caller, or is `NotSupported` without `ConfigOptions::ignore_unsupported_options`, as in RocksDB.',
    '  A Ribbon filter\'s level is in its id alone (`ribbonfilter:10:3`); RocksDB 10 and later write it as an option, too, which is read, and',
    '  `SetOptions` changes it for one family, in RocksDB for all that share the policy. A rate limiter has no text, as there.',
    '- `write_buffer_size`: an entry of a memtable takes up to 14 bytes more than RocksDB 7.8.3\'s, so that memtables of small entries are flushed',
    '  earlier: of 100,000 bytes one takes 1,834 entries with keys of 9 bytes and values of 1 where RocksDB takes 2,632, and 653 for 717 with',
    '  values of 100.',
    '- `memtable_factory` of one\'s own (`MemTableRep`): the engine asks `CreateMemTableRep`, `Allocate`, `InsertKey`, `InsertKeyConcurrently`,',
    '  `BatchPostProcess`, `Get`, both kinds of iterators (without an arena), `ApproximateNumEntries`, `ApproximateMemoryUsage`, `MarkReadOnly`,',
    '  `MarkFlushed`, `IsMergeOperatorSupported` and `IsSnapshotSupported`; never `Contains`, `MultiGet`, `UniqueRandomSample`, insertions with',
    '  hints or what validates. What throws is `Aborted` here and ends the process there. A new column family makes one more, as a trial.',
    '  An optimistic transaction needs snapshots. One that extends a built-in factory is asked like any other.',
    '- `memtable_factory`, a hash of skip lists or of linked lists: an iterator without `total_order_seek` shows all that the memtable has from `SeekToFirst`,',
    '  `SeekToLast` or a key on whose prefix there is nothing. RocksDB shows nothing of it there, and what of it lies in tables. An entry of',
    '  a linked list has the links of a skip list from the start, 16 bytes and on average a third more, where RocksDB has 8; a list that has',
    '  `threshold_use_skiplist` entries becomes a skip list without copies. `huge_page_tlb_size` is of the whole memtable, in RocksDB of the',
    '  table of buckets.',
    '- `merge_operator`: an operator that fails gives `Corruption: Merge operator failed` (`kMergeOperatorFailed`), as in RocksDB 8 and later;',
    '  7.8.3 says `Error: Could not perform merge.`',
    '- `wal_filter`: what it drops or changes keeps its sequence numbers; in RocksDB the next write gets those of a dropped one. A secondary',
    '  and `RepairDB` do not ask it, as in RocksDB.',
    '- A block cache of one\'s own implements `Cache` of `rocksdb/cache.h`, which is that of RocksDB 7; `rocksdb/advanced_cache.h` of RocksDB 8 and',
    '  later, another class of that name, is not here.',
    '- `compression_manager`: of tables alone, as in RocksDB. `FilterBuildingContext` says nothing of the style and the number of levels; a',
    '  decompressor gets no working area. A repair does not look for blocks of its own types in what is left of a damaged table.',
    '  `CreateAutoSkipCompressionManager` and `CreateCostAwareCompressionManager` are not here.',
    '- `user_defined_index_factory`: of RocksDB\'s own there is none (its trie is not here): tables that have one are read by the usual index.',
    '  `UserDefinedIndexIterator::Prepare` is not called. As in RocksDB it does not go with `parallel_threads`; nor, here, with',
    '  `persist_user_defined_timestamps = false`. An iterator of it that finds no entry ends the read; an error of it is the read\'s.',
    '- `persistent_cache`: keys are of 16 bytes, as in RocksDB, and other ones. What a cache of compressed blocks has wrong is a miss; in RocksDB',
    '  it is `Corruption`. `VerifyChecksum` does not ask it, and what is read without `verify_checksums` is not inserted. A `MultiGet` reads block',
    '  by block with one. `NewPersistentCache`: 1 MiB will do where RocksDB wants 100; who fills 1 MiB of insertions writes it, without threads',
    '  of the cache\'s own; only `optimized_for_nvm` goes past the page cache; after a write that failed nothing more is inserted.',
    '- Plain and cuckoo tables: the files are RocksDB\'s, both ways, and so is what they cannot do. A table that is open is mapped, with',
    '  `allow_mmap_reads` and if its pages are in memory (on a fiber a page fault would keep the worker), else it is in memory as a whole, which',
    '  `rocksdb.estimate-table-readers-mem` counts; RocksDB reads plain tables without `allow_mmap_reads` in small pieces, and refuses cuckoo',
    '  tables without it. Movements back over plain tables (`SeekToLast`, `SeekForPrev`, `Prev`) are `NotSupported`, and a `Get` with',
    '  `full_scan_mode` is `InvalidArgument`: Debian\'s RocksDB 7.8.3 ends with an assertion there. A key that the `prefix_extractor` does not',
    '  take is its own prefix. `kPrefix` without a `prefix_extractor` or with `index_sparseness` 0, and ratios out of range, are `InvalidArgument`',
    '  when the database is opened; keys of another size than `user_key_len`, or shorter than `identity_as_first_hash` needs, are `NotSupported`',
    '  when they are flushed, as is what a cuckoo table does not take (RocksDB 7.8.3\'s flush says OK, and loses it). Ingested tables have the',
    '  number of their ingestion (RocksDB ingests no plain ones). Cuckoo tables: a snapshot hides what is newer, `SeekForPrev` works, and a',
    '  table has bare user keys only if all of its entries are values of sequence number 0; RocksDB goes by the first one. `DeleteRange` is',
    '  refused before it is logged. The other formats have no timestamps (`NotSupported`). Range tombstones in logs of a database that changes',
    '  to one of these formats make its flush fail. `RepairDB` takes tables of all formats; of damaged ones it saves entries of block-based ones',
    '  alone. An OPTIONS file names an adaptive factory without what it is made of, as in RocksDB: it stays with the caller.',
    '- `DB::StartTrace`, `Replayer`: the file is RocksDB\'s, both ways. `EndTrace` closes the writer and returns its first error; a second',
    '  `StartTrace` and the end of the database end a trace with a footer, too. A replay refuses traces of newer versions, and says Corruption of',
    '  payloads that are shorter or longer than they say, where RocksDB 7.8.3 takes what there is; with several threads it returns what an',
    '  operation failed with, not only what could not be read. It passes over the marks of two-phase commit, at which RocksDB\'s stops with an',
    '  assertion: entries prepared under `WRITE_COMMITTED` are written by their commit.',
    '- `DB::NewMultiScan`, `Iterator::Prepare` (of RocksDB 11.8): what is refused, and how, is as in RocksDB\'s code, which is stricter than its',
    '  header: on a prepared iterator a seek that is not the next one is InvalidArgument, and so is a second `Prepare`. The tables of all levels are',
    '  opened together, then what of their indexes is missing is read, then all blocks of all ranges; RocksDB prepares one table after the other,',
    '  and without `use_async_io` those of the levels below 0 when the scan comes to them. `use_async_io` lets the scan begin while blocks are being',
    '  read, unless there is a `deadline` or an `io_timeout`. A block is kept until the scan has left the last range that needs it. What cannot be read',
    '  ends the range that comes to it, not `Prepare`. Where only some ranges have a limit all show one state, too; in RocksDB an iterator',
    '  with limits and one without see different ones. A `DBWithTTL` shows values without their times. `io_dispatcher` is not declared, nor are the',
    '  performance counters of these scans; `property_bag` is ignored, as by RocksDB\'s own tables. Iterators of transactions, of batches and over several',
    '  families do nothing in `Prepare`.',
    '- `DB::StartBlockCacheTrace`: the file is RocksDB\'s, both ways. A record is what the block cache was asked: what a MultiGet',
    '  reads for several keys together is looked up for `Prefetch` first, once; what only memory may answer (`kBlockCacheTier`) is told of where',
    '  it was there. Dictionaries and range tombstones are the table\'s own: they are not looked up.',
    '- `ReadOptions::auto_refresh_iterator_with_snapshot` (RocksDB 10): not with `pin_data`, nor after `Prepare`, nor where keys have timestamps:',
    '  such iterators keep what they were made with. A `Refresh` with another snapshot, which then has to live on, goes on with that one;',
    '  one to the present ends it.',
    '- `DB::StartIOTrace`: the file is RocksDB\'s, both ways. Beyond what RocksDB tells, it has `Sync`, `Fsync` and `RangeSync`, and the opening of',
    '  all files; a call whose status is an error is told with it, also in a `MultiRead` that fails as a whole. As in RocksDB, renames, links,',
    '  locks and `FileExists` are not told, nor the files of `LOG`. Calls have',
    '  `ReadOptions::request_id`, as in RocksDB 11.',
    '- `NewEncryptedEnv`, `NewEncryptedFS`: the files are RocksDB\'s, both ways, but each has a counter and a vector of its own (RocksDB draws them',
    '  from the time of day: files of one microsecond share their key stream). A file that ends within its prefix is empty, where RocksDB says',
    '  Corruption, and then a database does not open after a power cut between a log\'s creation and its first record; a log that is used again',
    '  is emptied first. Zeros behind what was written (a power cut leaves them) stay zeros, where RocksDB reads noise, and a MANIFEST with such an',
    '  end does not open. (What RocksDB 7.8.3 appends to a file that it reopened cannot be read again.) `MultiRead` and `ReadAsync` read several ranges at once. `use_mmap_writes` is no error: the file below is mapped. `Decrypt` of',
    '  ROT13 undoes `Encrypt`. `LOG` is in plain text, as there. A cipher\'s blocks have 8 to 2,048 bytes in counter mode.',
    '- `SystemClock`: `Default()`, `Env::GetSystemClock()` and clocks of one\'s own for a program\'s use. A database takes its time from fiber: a',
    '  test runs in a `fiber::Simulation`, whose clock is virtual. `TimedWait` is not there.',
    '- An `Env` of one\'s own, derived from `Env` or `EnvWrapper`, may override all that RocksDB\'s has. What a class derived from `Env` leaves',
    '  out is `NotSupported` by its name, where RocksDB has pure virtual functions. Its files are read as they are written, on the thread or',
    '  worker of the caller: they park if they call what parks (another `Env`\'s files do). What an `EnvWrapper` passes on keeps its asynchronous',
    '  reads, which RocksDB\'s loses. `SanitizeEnvOptions`, `RegisterDbPaths`, `ReserveThreads` and `SetAllowNonOwnerAccess` are not called by',
    '  databases, and do nothing here; `LoadLibrary` and mapped writing (`NewMemoryMappedFileBuffer`) are `NotSupported`. `OptimizeFor...` of an',
    '  `Env` or a `FileSystem` decides how files are opened, but that logs and MANIFESTs are never mapped or direct.',
    '- `LockWAL` is that of RocksDB 8 and later (in 7.8.3 it keeps the log from others, and hangs who locks twice); a `Flush`, a',
    '  checkpoint and `SyncWAL` go on meanwhile, also while writers wait. A write with a `UserWriteCallback` is a group of its own.',
    '- `utilities/agg_merge.h`: an operand that has no function\'s encoding makes the result a `kErrorFuncName`; RocksDB (7.9, 11.8) forgets it,',
    '  and those behind it. The functions may be registered while others are used.',
    '- `utilities/env_mirror.h`: a difference is `Corruption`, with the file; RocksDB\'s is an assertion. `LOG` lies in both environments.',
    '- `utilities/cache_dump_load.h`: the file is framed as RocksDB\'s, but keys and contents of blocks are Cairn\'s, so that each refuses or ignores',
    '  the other\'s. `SetDumpFilter` means all column families, in RocksDB the default one. A dump that ends without a footer is `Corruption`.',
    '- `db_dump_tool.h`: the file is RocksDB\'s, both ways; one that is cut off changes nothing, while RocksDB loads what comes before.',
    '- `GetAllColumnFamilyMetaData` adds to what the vector has, as in RocksDB.',
    '- `Env::LowerThreadPoolIOPriority`, `LowerThreadPoolCPUPriority`: without effect, unless an `Env` of one\'s own does something; the form',
    '  with a `CpuPriority` is `NotSupported`.',
    '- `ExportColumnFamily`, `CreateColumnFamilyWithImport`: a family whose tables refer to blob files is `NotSupported`, on both sides. RocksDB',
    '  (10.4, 11.8) exports and imports its tables without the blob files; reads of such values are then `Corruption`. What brings',
    '  the values into the tables first: `SetOptions` with `enable_blob_files=false`, `enable_blob_garbage_collection=true`,',
    '  `blob_garbage_collection_age_cutoff=1`, and a `CompactRange` that forces the bottommost level.',
    '- Iterators read blobs ahead as they do blocks, by the table\'s `max_auto_readahead_size` and its kin as they were at the opening, and by',
    '  `readahead_size`, from the second blob of a file on that follows another; RocksDB reads each by itself.',
    '- `report_bg_io_stats`: what `CompactionJobStats` says of files; flushes are not timed.',
    '- A compaction drops the timestamps of versions below the mark, but not of those whose value is a blob: the blob\'s file has the key with it.',
    '  RocksDB (10.4, 11.1) drops it, and then reads `Corruption` ("Key mismatch when reading blob"); Cairn reads what it left. Backward with',
    '  `iter_start_ts` it shows some versions that are older, or ends early, where there are such.',
    '- `ReadOptions::value_size_soft_limit`: the value that goes beyond it is the last one. RocksDB leaves out a blob that would go beyond.',
    '- RocksDB 7.8.3 has two faults with blobs: `GetEntity` gives the index of the blob as the value, and a read by a secondary can',
    '  end the process (3 of 12 tries).',
    '- `DBWithTTL`: the forms of `MultiGet` with `PinnableSlice`s, `GetMergeOperands` and `NewIterators` show values without their times, and a',
    '  `SingleDelete` in a batch is kept; RocksDB 7.8.3 shows the times, and drops it. Entities are `NotSupported`; there they have no time.',
    '- `CreateNewBackup` of a secondary is `NotSupported`; RocksDB 7.8.3 makes one.',
    '- `enable_blob_direct_write` (RocksDB 11): refused. There it is experimental, and what was written that way since the last flush is not',
    '  recovered after a crash (so says its header); it wants one writer at a time, and no timestamps. `enable_blob_files` keeps what was',
    '  acknowledged.',
]


# The headers of RocksDB 7.8.3 that are not here, and what to use.
HEADERS = [
    (['db_bench_tool.h', 'db_stress_tool.h', 'cache_bench_tool.h'], 'programs as functions: `db_bench` and `db_stress` are programs here'),
]


def fields(body):
    """(name, its comment) of each data member, in order."""
    found, comment, statement, depth = [], [], '', 0
    for line in body.splitlines():
        code, _, remark = line.partition('//')
        if not code.strip() and depth == 0 and not statement:
            comment = [*comment, remark.strip()] if remark else []
            continue
        if re.match(r'\s*(?:using|typedef|enum|explicit|static|virtual)\b', code) and not statement:
            depth += code.count('{') - code.count('}')
            comment = []
            if depth > 0 or not code.rstrip().endswith((';', '}')):
                statement = 'using'  # until its end
            continue
        before = depth
        depth += code.count('{') - code.count('}')
        if before == 0 or statement:
            statement += ' ' + code.strip()
        if depth > 0 or not (statement.endswith(';') or statement.endswith('}')):
            continue
        text = re.sub(r'\{.*\}', '', statement)  # of an initializer, a function, an enum
        member = re.match(r'^\s*(?!using|typedef|static|struct|enum|class|virtual|explicit|friend|public|private)'
                          r'[\w:<>,*&\s()]+?[\s>*&](\w+)\s*(=[^=]*)?;?$', text)
        if member and '(' not in text.split('=')[0].replace('function<', '').replace('bool(const TableProperties&)', '').replace('void()', ''):
            found.append((member.group(1), ' '.join([*comment, remark.strip()]).strip()))
        comment, statement = [], ''
    return found


def sources():
    texts = {}
    for path in sorted([*ROOT.glob('src/**/*.cc'), *ROOT.glob('src/**/*.h')]):
        name = str(path.relative_to(ROOT))
        if not CARRIERS.search(name):
            texts[name] = SHOWS.sub('', re.sub(r'//[^\n]*', '', path.read_text()))
    return texts


def refusals(texts):
    """Names of options that some source refuses."""
    names = set()
    for text in texts.values():
        for call in re.finditer(r'(?:Unsupported|unsupported|NotSupported|InvalidArgument)\s*\((.*?)\);', text, re.S):
            for literal in re.findall(r'"([^"]*)"', call.group(1)):
                names.update(re.findall(r'\w+', literal))
        names.update(re.findall(r'return "(\w+)(?: \w+)?";', text))
    return names


# `if (o.name) return Status::NotSupported(...` and its like: what is read there is read to refuse it.
SET = r'\w+(?:\.|->)\w+(?: != (?:nullptr|0))?'
REFUSING_IF = re.compile(rf'\bif \(({SET}(?:\s*\|\|\s*{SET})*)\) ?\{{?\s*return '
                         r'(?:(?:NewErrorIterator\()?(?:IO)?Status::NotSupported\(|"\w+";|nullptr;)')


class Uses:
    """What the sources do with names of options. (Looked at once: the patterns go through all sources.)"""

    def __init__(self, texts):
        everything = '\n'.join(texts.values())
        elsewhere = re.sub(r'(?:->Unsupported|->Invalid)\(.*?\);|[^;{}]*unsupported\(.*?\);', '', everything, flags=re.S)
        self.read = set(re.findall(r'(?:\.|->)(\w+)', REFUSING_IF.sub('', elsewhere)))
        self.checks = '\n;'.join(re.findall(r'[Uu]nsupported\([^;]*', everything))
        self.refused = refusals(texts)
        for match in REFUSING_IF.finditer(everything):
            self.refused.update(re.findall(r'(?:\.|->)(\w+)', match.group(1)))


def classify(struct, options, uses):
    """What becomes of each of the options (name, comment), and what is wrong with what the headers say of them."""
    rows, errors = {'honoured': [], 'accepted, without effect': [], 'refused': []}, []
    for name, comment in options:
        read = name in uses.read
        checked = re.search(rf'[Uu]nsupported\([^;]*"{name}\b', uses.checks) is not None
        # Whatever it is set to, and alone: what else reads it finds the default.
        always = re.search(rf'[Uu]nsupported\(!?\w+(?:\.|->){name}(?: != nullptr|\.empty\(\))?,\s*"{name}"(?!,\s*"together)',
                           uses.checks) is not None
        is_refused = checked or (name in uses.refused and (not read or REFUSED.search(comment) is not None))
        if is_refused and (not read or always or REFUSED.search(comment)):
            rows['refused'].append(name)
        elif HINT.search(comment) and not read:
            rows['accepted, without effect'].append(name)
        elif read:
            rows['honoured'].append(name)
            if REFUSED.search(comment):
                errors.append(f'{struct}::{name}: the header calls it unsupported, but nothing refuses it: {comment}')
        else:
            errors.append(f'{struct}::{name}: nothing reads or refuses it, and its comment does not say so: {comment!r}')
    return rows, errors


# What the headers cannot say. test/conformance/option_combinations_test.cc has the table, for both engines.
COMBINATIONS = '''
## Combinations

`DB::Open`, `CreateColumnFamily` and `SetOptions` refuse together what RocksDB 7.8.3 refuses, with its codes: `atomic_flush` with
`enable_pipelined_write`; `unordered_write` with `enable_pipelined_write`, without `allow_concurrent_memtable_write`, or with
`max_successive_merges`; FIFO style with a `ttl` (the default one counts) and a `max_open_files` other than -1; a memtable that does
not take concurrent writers with `allow_concurrent_memtable_write`; `zstd_max_train_bytes` without `max_dict_bytes`;
`use_direct_io_for_flush_and_compaction` with a `writable_file_max_buffer_size` of 0; what needs a block cache with `no_block_cache`; a
hash in data blocks with a utilisation of 0 or less.

More than RocksDB it refuses `allow_ingest_behind` without universal style and three levels, a `bottommost_compression` that is not
built in, and bad table options in `CreateColumnFamily`, too (RocksDB makes a family that it then does not open).
`two_write_queues` has no effect, also beside `enable_pipelined_write`, where RocksDB fails each write.
'''


def render(sections):
    lines = ['# Options', '',
             'What becomes of each option that the headers declare; made by `scripts/compatibility.py` from the headers and the',
             'sources. What is refused gives `NotSupported` or `InvalidArgument` with its name, by `DB::Open` or by the call. Operations:',
             'the [table of what works](features.md).', '']
    for struct, rows in sections:
        lines += [f'## {struct}', '', '| | |', '| --- | --- |']
        lines += [f'| {what} | {", ".join(f"`{name}`" for name in names)} |' for what, names in rows.items() if names]
        lines.append('')
    lines += ['## Notes', '', *NOTES, '', '## Headers', '',
              'Name by name, for three releases of RocksDB: [headers.md](../bench/results/headers.md) (`make compare-headers`). Of 7.8.3\'s',
              'public headers these are not here:', '',
              '| | instead |', '| --- | --- |']
    lines += [f'| {", ".join(f"`{name}`" for name in names)} | {instead} |' for names, instead in HEADERS]
    lines.append('')
    return '\n'.join(lines) + COMBINATIONS


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--check', action='store_true')
    args = parser.parse_args()
    uses = Uses(sources())
    errors, sections = [], []
    for headers, struct in STRUCTS:
        body = None
        for header in headers.split('|'):
            path = ROOT / 'include/rocksdb' / header
            body = body or (path.exists() and struct_body(path.read_text(), struct)) or None
        if body is None:
            errors.append(f'{struct}: not found in {headers}')
            continue
        rows, found = classify(struct, fields(body), uses)
        errors += found
        sections.append((struct, rows))
    errors += [f'{name} is there, and is listed as missing' for names, _ in HEADERS for name in names
               if (ROOT / 'include/rocksdb' / name).exists()]
    for error in errors:
        print(f'compatibility: {error}', file=sys.stderr)
    if errors:
        sys.exit(1)
    text = render(sections)
    if not args.check:
        TABLE.write_text(text)
        print(f'{TABLE.relative_to(ROOT)}: ' + ', '.join(
            f'{sum(len(rows[what]) for _, rows in sections)} {what}' for what in sections[0][1]))
    elif not TABLE.exists() or TABLE.read_text() != text:
        print(f'compatibility: {TABLE.relative_to(ROOT)} is not what the headers and sources say: run scripts/compatibility.py',
              file=sys.stderr)
        sys.exit(1)


if __name__ == '__main__':
    main()
