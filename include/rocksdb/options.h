// The options of a database, of reads, writes, flushes and compactions. Names and defaults are
// RocksDB's 7.8.3, but for write_dbid_to_manifest.
//
// DB::Open refuses a setting that it cannot honour, naming it; fields marked "unsupported" must
// keep their default. Fields marked "a hint" are accepted and may have no effect.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/advanced_options.h"
#include "rocksdb/comparator.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/customizable.h"
#include "rocksdb/data_structure.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/universal_compaction.h"
#include "rocksdb/version.h"
#include "rocksdb/write_buffer_manager.h"

namespace ROCKSDB_NAMESPACE {

class Cache;
class CompactionFilter;
class CompactionFilterFactory;
class ConcurrentTaskLimiter;
class EventListener;
class MergeOperator;
class RateLimiter;
class SliceTransform;
class Snapshot;
class SstFileManager;
class SstPartitionerFactory;
class Statistics;
class TableFactory;
class UserDefinedIndexFactory;
class WalFilter;
class WriteBufferManager;
struct TableProperties;

using FileTypeSet = SmallEnumSet<FileType, FileType::kBlobFile>;
using CompactionStyleSet = SmallEnumSet<CompactionStyle, CompactionStyle::kCompactionStyleNone>;

// A directory for table files and how many bytes it should take.
struct DbPath {
  std::string path;
  uint64_t target_size;

  DbPath() : target_size(0) {}
  DbPath(const std::string& p, uint64_t t) : path(p), target_size(t) {}
};

struct ColumnFamilyOptions : public AdvancedColumnFamilyOptions {
  // Less memory for a database of a few MB; with `cache`, blocks are kept there (*cache null: a new
  // one of 16 MiB).
  ColumnFamilyOptions* OptimizeForSmallDb(std::shared_ptr<Cache>* cache = nullptr);
  // The defaults of that release of RocksDB, where they were others. (Of all options; below, too.)
  ColumnFamilyOptions* OldDefaults(int rocksdb_major_version = 4, int rocksdb_minor_version = 6);
  // For Get alone: a block cache of this size and Bloom filters.
  ColumnFamilyOptions* OptimizeForPointLookup(uint64_t block_cache_size_mb);
  // For steady loads: memtables and level sizes that share `memtable_memory_budget` bytes.
  ColumnFamilyOptions* OptimizeLevelStyleCompaction(uint64_t memtable_memory_budget = 512 * 1024 *
                                                                                      1024);
  // The same for universal compaction: less is rewritten, more space is taken.
  ColumnFamilyOptions* OptimizeUniversalStyleCompaction(uint64_t memtable_memory_budget = 512 *
                                                                                          1024 *
                                                                                          1024);

  // The order of keys. Its name is stored: a database opens only with the one that it was made
  // with. Borrowed.
  const Comparator* comparator = BytewiseComparator();

  // What Merge() means (merge_operator.h). Null: Merge() is refused.
  std::shared_ptr<MergeOperator> merge_operator = nullptr;
  // What looks at entries while they are compacted and may drop or change them
  // (compaction_filter.h): one filter, borrowed, or a factory of filters.
  const CompactionFilter* compaction_filter = nullptr;
  std::shared_ptr<CompactionFilterFactory> compaction_filter_factory = nullptr;

  // Bytes of a memtable at which it becomes immutable and is flushed to a level-0 file.
  size_t write_buffer_size = 64 << 20;

  // Of data blocks, wherever nothing more special is set. Blocks that do not get smaller are stored
  // as they are.
  CompressionType compression = kSnappyCompression;
  // Of the last level with data; kDisableCompressionOption: as the others.
  CompressionType bottommost_compression = kDisableCompressionOption;
  CompressionOptions bottommost_compression_opts;
  CompressionOptions compression_opts;
  // How tables are compressed, of one's own; the four above are then what it is told
  // (rocksdb/advanced_compression.h). Blobs and logs are of the built-in types. May be changed
  // while the database is open, for new tables. Null: the built-in types.
  std::shared_ptr<CompressionManager> compression_manager;

  // Number of level-0 files at which they are compacted into level 1.
  int level0_file_num_compaction_trigger = 4;

  // Prefixes of keys, for filters, prefix seeks and hash memtables.
  std::shared_ptr<const SliceTransform> prefix_extractor = nullptr;

  // Bytes of level 1 (or of the base level, with dynamic level bytes).
  uint64_t max_bytes_for_level_base = 256 * 1048576;

  // Without effect, as in RocksDB.
  uint64_t snap_refresh_nanos = 0;

  // Only manual compactions.
  bool disable_auto_compactions = false;

  // The format of table files: a block-based one. See table.h.
  std::shared_ptr<TableFactory> table_factory;

  // As DBOptions::db_paths, for this family's tables and, the first, its blob files. Empty: those.
  // The same in each opening. Not with sst_file_manager or best_efforts_recovery: NotSupported.
  std::vector<DbPath> cf_paths;

  // What compactions ask; null: nobody. concurrent_task_limiter.h, sst_partitioner.h.
  std::shared_ptr<ConcurrentTaskLimiter> compaction_thread_limiter = nullptr;
  std::shared_ptr<SstPartitionerFactory> sst_partitioner_factory = nullptr;

  // A memtable with so many range deletions is flushed; 0: they are not counted. (Of RocksDB 8.)
  uint32_t memtable_max_range_deletions = 0;

  // A hint without effect: the blocks of a deleted file leave the block cache as those that nobody
  // uses do. (Of RocksDB 9.)
  uint32_t uncache_aggressiveness = 0;

  ColumnFamilyOptions();
  explicit ColumnFamilyOptions(const Options& options);

  // Writes every option to the log.
  void Dump(Logger* log) const;
};

// What to do with a damaged write-ahead log at opening.
enum class WALRecoveryMode : char {
  // A record cut off at the end of a log is forgiven, anything else is Corruption.
  kTolerateCorruptedTailRecords = 0x00,
  // Any damage is Corruption.
  kAbsoluteConsistency = 0x01,
  // Recovers up to the first damage: a state that the database once had.
  kPointInTimeRecovery = 0x02,
  // Leaves damaged records out and goes on.
  kSkipAnyCorruptedRecords = 0x03,
};

// DBOptions::db_host_id: the name of this machine.
inline const char* kHostnameForDbHostId = "__hostname__";

// Remote compaction: the primary, the database that is open, lets another process merge its tables
// (DB::OpenAndCompact) and takes the result over. What lies between the two is a CompactionService
// of the user's.

// What became of a job.
enum class CompactionServiceJobStatus : char {
  kSuccess,
  kFailure,
  kAborted,
  kUseLocal,  // the primary runs it itself
};

// The job, for who has to find a worker for it. The names are the primary's.
struct CompactionServiceJobInfo {
  std::string db_name;  // the directory
  std::string db_id;
  std::string db_session_id;
  uint32_t cf_id = 0;
  std::string cf_name;
  // Unique as long as the database is open: of two of its parts that run at once it is not the
  // same.
  uint64_t job_id = 0;
  Env::Priority priority = Env::LOW;
  CompactionReason compaction_reason = CompactionReason::kUnknown;
  bool is_full_compaction = false;  // of all files of the column family
  bool is_manual_compaction = false;
  bool bottommost_level = false;
  int base_input_level = 0;  // the first one that has inputs
  int output_level = 0;

  CompactionServiceJobInfo() = default;
  CompactionServiceJobInfo(std::string db_name_, std::string db_id_, std::string db_session_id_,
                           uint32_t cf_id_, std::string cf_name_, uint64_t job_id_,
                           Env::Priority priority_, CompactionReason compaction_reason_,
                           bool is_full_compaction_, bool is_manual_compaction_,
                           bool bottommost_level_, int base_input_level_, int output_level_)
      : db_name(std::move(db_name_)),
        db_id(std::move(db_id_)),
        db_session_id(std::move(db_session_id_)),
        cf_id(cf_id_),
        cf_name(std::move(cf_name_)),
        job_id(job_id_),
        priority(priority_),
        compaction_reason(compaction_reason_),
        is_full_compaction(is_full_compaction_),
        is_manual_compaction(is_manual_compaction_),
        bottommost_level(bottommost_level_),
        base_input_level(base_input_level_),
        output_level(output_level_) {}
};

struct CompactionServiceScheduleResponse {
  std::string scheduled_job_id;  // the service's name for the job
  CompactionServiceJobStatus status;

  CompactionServiceScheduleResponse(std::string scheduled_job_id_,
                                    CompactionServiceJobStatus status_)
      : scheduled_job_id(std::move(scheduled_job_id_)), status(status_) {}
  explicit CompactionServiceScheduleResponse(CompactionServiceJobStatus status_)
      : status(status_) {}
};

// Called from the threads of compactions, of several at once, without a lock of the database. Must
// not throw. (Of RocksDB 11; release 7.8.3 has others in place of Schedule and Wait.)
class CompactionService : public Customizable {
 public:
  static const char* Type() { return "CompactionService"; }
  const char* Name() const override = 0;

  // Hands the job to a worker, with `compaction_service_input`: bytes for DB::OpenAndCompact. With
  // kSuccess Wait() is called next; kFailure and kAborted fail the compaction, with Incomplete and
  // Aborted.
  virtual CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& /*info*/, const std::string& /*compaction_service_input*/) {
    return CompactionServiceScheduleResponse(CompactionServiceJobStatus::kUseLocal);
  }
  // Returns when the job has ended, with what OpenAndCompact gave out as *result. kSuccess: the
  // tables are moved out of the worker's directory into the database's, which must be of the same
  // file system. kFailure: the compaction fails with the status that is in *result, Incomplete
  // where there is none.
  virtual CompactionServiceJobStatus Wait(const std::string& /*scheduled_job_id*/,
                                          std::string* /*result*/) {
    return CompactionServiceJobStatus::kUseLocal;
  }
  // The database is closed, or CancelAllBackgroundWork() was called: Wait() should return soon from
  // now on, with kAborted, for those who are in it are waited for. May be called more than once.
  virtual void CancelAwaitingJobs() {}
  // A job whose Wait() said kSuccess has its tables moved to the database; or it has not, so that
  // what is left of them is the service's to remove. kUseLocal: the result cannot be read.
  virtual void OnInstallation(const std::string& /*scheduled_job_id*/,
                              CompactionServiceJobStatus /*status*/) {}

  ~CompactionService() override = default;
};

struct DBOptions {
  // Less memory for a database of a few MB.
  DBOptions* OptimizeForSmallDb(std::shared_ptr<Cache>* cache = nullptr);
  DBOptions* OldDefaults(int rocksdb_major_version = 4, int rocksdb_minor_version = 6);
  // max_background_jobs = total_threads.
  DBOptions* IncreaseParallelism(int total_threads = 16);

  // --- Opening ---
  // Make the database if there is none; otherwise InvalidArgument.
  bool create_if_missing = false;
  bool create_missing_column_families = false;
  // InvalidArgument if there is one.
  bool error_if_exists = false;
  // Stop writes at any internal damage that is noticed.
  bool paranoid_checks = true;
  bool flush_verify_memtable_count = true;
  // A compaction that did not read as many entries as its tables say they have is Corruption: the
  // new tables are not installed. (Of RocksDB 8. Not of tables from other hands that do not say it,
  // and not where a filter skipped keys.)
  bool compaction_verify_record_count = true;
  // The MANIFEST tells which logs were closed and synced: an open misses one that is gone or cut.
  bool track_and_verify_wals_in_manifest = false;
  // Without effect: the size of a table is compared with the MANIFEST, its identity is not.
  bool verify_sst_unique_id_in_manifest = true;

  // Borrowed.
  Env* env = Env::Default();

  // Limits what flushes and compactions write, and may limit reads: see rocksdb/rate_limiter.h.
  std::shared_ptr<RateLimiter> rate_limiter = nullptr;
  // Bounds the space, and paces deletions; one of NewSstFileManager's, shared or own. Null: none.
  std::shared_ptr<SstFileManager> sst_file_manager = nullptr;

  // Receives the log; null: a LOG file in the database's directory.
  std::shared_ptr<Logger> info_log = nullptr;
  InfoLogLevel info_log_level = INFO_LEVEL;

  // --- Files ---
  // Table files kept open; -1: all that are used. A value above what the process may have open
  // (RLIMIT_NOFILE) is cut to that, and tables take no more than three quarters of it; where no
  // descriptor is left, tables that nobody reads are closed.
  int max_open_files = -1;
  // A hint without effect.
  int max_file_opening_threads = 16;
  // A hint without effect: tables are open when the database is. (Of RocksDB 11.)
  bool open_files_async = false;
  // Bytes of logs at which the oldest memtable is flushed, so that its log can go; 0: four times
  // the memory of memtables.
  uint64_t max_total_wal_size = 0;
  std::shared_ptr<Statistics> statistics = nullptr;
  // fsync instead of fdatasync.
  bool use_fsync = false;
  // Directories for tables, four at most, each with the bytes that it is to hold, about. Newer data
  // go to the first ones: flushes, ingested and imported files and blob files to the very first, a
  // compaction's tables to the first directory that has room for their level (leveled) or their run
  // (universal); the last one takes all that the others have no room for. Each belongs to this
  // database alone (OWNER). The order must stay: tables are found by it. Empty: the database's own.
  std::vector<DbPath> db_paths;
  // Directory of the LOG file; empty: the database's.
  std::string db_log_dir = "";
  // Directory of the write-ahead logs, of this database alone (OWNER); empty: the database's.
  std::string wal_dir = "";
  // A hint without effect: files that nobody needs are deleted as soon as that is known.
  uint64_t delete_obsolete_files_period_micros = 6ULL * 60 * 60 * 1000000;

  // --- Background work ---
  // Flushes and compactions at once, on threads of their own.
  int max_background_jobs = 2;
  // -1: derived from max_background_jobs.
  int max_background_compactions = -1;
  // Threads that share one compaction of level 0, or a manual one.
  uint32_t max_subcompactions = 1;
  int max_background_flushes = -1;

  // --- The LOG file ---
  // Bytes, and seconds, after which a new one begins; 0: never.
  size_t max_log_file_size = 0;
  size_t log_file_time_to_roll = 0;
  // Old ones kept.
  size_t keep_log_file_num = 1000;

  // --- Write-ahead log and MANIFEST ---
  // Obsolete logs kept to be overwritten instead of new files, which saves allocations of space and
  // makes syncs cheaper. Taken as 0 but with kSkipAnyCorruptedRecords, as in RocksDB: to the other
  // recovery modes the remains of an older log look like damage.
  size_t recycle_log_file_num = 0;
  // Bytes at which a new MANIFEST begins.
  uint64_t max_manifest_file_size = 1024 * 1024 * 1024;
  // The same where a new one would be large itself: it has grown by so many percent of what it was
  // when it began. The larger of the two counts. (Of RocksDB 10. 0 and less: no more than that.)
  int max_manifest_space_amp_pct = 500;
  // The MANIFEST is read back when the database is closed; another is written if it is damaged.
  bool verify_manifest_content_on_close = false;
  // Of RocksDB 11, hints without effect: what an opening does with the MANIFEST, and whether a log
  // is made before it is wanted.
  bool optimize_manifest_for_recovery = false;
  bool reuse_manifest_on_open = false;          // a hint without effect
  bool async_wal_precreate = false;             // a hint without effect
  bool background_close_inactive_wals = false;  // a hint without effect: their last writer closes
  int table_cache_numshardbits = 6;
  // Logs that are not needed any more go to the folder "archive" of wal_dir, for GetUpdatesSince,
  // until they are so old (seconds since they were last written to; 0: however old) or the folder
  // has more than so many MiB (0: no limit). Both 0: they are deleted. Looked after whenever a log
  // becomes obsolete. Switches recycle_log_file_num off.
  uint64_t WAL_ttl_seconds = 0;
  uint64_t WAL_size_limit_MB = 0;
  size_t manifest_preallocation_size = 4 * 1024 * 1024;

  // --- How files are read and written ---
  // Tables are read as memory, not with direct reads; a file cut meanwhile ends the process.
  bool allow_mmap_reads = false;
  // Tables and blob files are written through mappings, by the default file system; logs and the
  // MANIFEST never are. Space is allocated first (where the file system cannot, and on a fiber,
  // writes are plain). Not with use_direct_io_for_flush_and_compaction; NotSupported on Windows.
  bool allow_mmap_writes = false;
  // O_DIRECT.
  bool use_direct_reads = false;
  bool use_direct_io_for_flush_and_compaction = false;
  // A hint without effect: compactions read the files that all others read. (Of RocksDB 11.)
  bool use_direct_io_for_compaction_reads = false;
  bool allow_fallocate = true;
  bool is_fd_close_on_exec = true;

  // Every so many seconds what "rocksdb.stats" says of all column families, and the statistics, go
  // into the LOG; 0: never.
  unsigned int stats_dump_period_sec = 600;
  // Every so many seconds what the tickers have counted goes into a history in memory of about so
  // many bytes, with `statistics` only: stats_history.h. 0: never.
  unsigned int stats_persist_period_sec = 600;
  bool persist_stats_to_disk = false;  // into a column family instead, where nothing is forgotten
  size_t stats_history_buffer_size = 1 << 20;

  // A hint without effect.
  bool advise_random_on_open = true;
  // Bytes of all memtables of the database; 0: no common limit.
  size_t db_write_buffer_size = 0;
  // Shared with other databases, perhaps, and the block cache; null: one of db_write_buffer_size.
  std::shared_ptr<WriteBufferManager> write_buffer_manager = nullptr;
  enum AccessHint { NONE, NORMAL, SEQUENTIAL, WILLNEED };
  // A hint without effect: compactions read ahead by themselves.
  AccessHint access_hint_on_compaction_start = NORMAL;
  // Bytes read at once by compactions; 0: as the implementation likes.
  size_t compaction_readahead_size = 0;
  size_t random_access_max_buffer_size = 1024 * 1024;
  size_t writable_file_max_buffer_size = 1024 * 1024;
  // A hint without effect: every lock of Cairn spins only where that helps.
  bool use_adaptive_mutex = false;

  DBOptions() = default;
  explicit DBOptions(const Options& options);

  // Writes every option to the log.
  void Dump(Logger* log) const;

  // Start writing table files, and logs, back after this many bytes; 0: leave it to the system.
  uint64_t bytes_per_sync = 0;
  uint64_t wal_bytes_per_sync = 0;
  bool strict_bytes_per_sync = false;

  // What is told of flushes, compactions, errors and so on: see rocksdb/listener.h. None is null.
  std::vector<std::shared_ptr<EventListener>> listeners;
  // Env::GetThreadList() says which flushes and compactions of this database run.
  bool enable_thread_tracking = false;

  // --- Writes ---
  // Bytes a second when writes are slowed down; 0: 16 MiB, or less as the levels fill.
  uint64_t delayed_write_rate = 0;
  // The next group of writers forms, and writes its log record, while this one inserts into the
  // memtable. Groups that sync always do.
  bool enable_pipelined_write = false;
  // Writers insert in no order: snapshots may change, and batches be seen in part.
  bool unordered_write = false;
  // Members of a write group insert their own batches into the memtable, in parallel.
  bool allow_concurrent_memtable_write = true;
  // A hint without effect: a writer that waits parks (fiber) or spins shortly and then sleeps
  // (thread).
  bool enable_write_thread_adaptive_yield = true;
  // Bytes that a write group may have.
  uint64_t max_write_batch_group_size_bytes = 1 << 20;
  uint64_t write_thread_max_yield_usec = 100;  // without effect, see above
  uint64_t write_thread_slow_yield_usec = 3;   // without effect

  // --- Opening, continued ---
  // A hint without effect.
  bool skip_stats_update_on_db_open = false;
  bool skip_checking_sst_file_sizes_on_db_open = false;
  WALRecoveryMode wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  // Transactions that the logs leave prepared are kept, for a TransactionDB to decide
  // (rocksdb/utilities/transaction_db.h, whose Open() sets this). Without it they are a reason to
  // refuse the database (NotSupported).
  bool allow_2pc = false;
  // What tables have for single keys (Get, MultiGet), charged in bytes; null: none. Databases may
  // share it, with blocks and blobs, too. Snapshots have entries of their own in tables that are
  // newer; tables with range tombstones, where RocksDB shows what these delete, have none.
  std::shared_ptr<Cache> row_cache = nullptr;
  // Looks at each write that is recovered from the logs; borrowed until the database is open. See
  // rocksdb/wal_filter.h.
  WalFilter* wal_filter = nullptr;
  // Fail DB::Open if the OPTIONS file cannot be written.
  bool fail_if_options_file_error = false;
  // A hint without effect.
  bool dump_malloc_stats = false;
  // Must be false for OpenAndTrimHistory. Else it changes nothing: what was in logs is in tables
  // when the database is open.
  bool avoid_flush_during_recovery = false;
  // Do not flush data that were written without a log when the database is closed: they are lost.
  bool avoid_flush_during_shutdown = false;
  // Compactions keep out of the last level, and drop no tombstone for there being nothing below:
  // files may be ingested behind all else. For universal style with at least 3 levels.
  bool allow_ingest_behind = false;
  // A hint without effect: one queue serves all writers.
  bool two_write_queues = false;
  // Logs reach the operating system only by FlushWAL(), so a killed process may lose acknowledged
  // writes.
  bool manual_wal_flush = false;
  // Compress the records of the write-ahead logs, each by itself: kZSTD; all others are taken for
  // kNoCompression. It costs processor time of each write and saves writes to disk.
  CompressionType wal_compression = kNoCompression;
  // All column families are flushed together; with one of them it makes no difference.
  bool atomic_flush = false;
  // Leave deletion of files to background threads: a hint.
  bool avoid_unnecessary_blocking_io = false;
  // The MANIFEST has the identity, too, for those who lose IDENTITY. (Default of RocksDB 9.7.)
  bool write_dbid_to_manifest = true;
  // False: there is no file IDENTITY; one that is there is deleted when the database was opened.
  // The identity is in the MANIFEST. Not together with write_dbid_to_manifest = false. (Of
  // RocksDB 9.7.)
  bool write_identity_file = true;
  // Iterators see keys of other prefixes unless they say that they do not want to: as if each had
  // ReadOptions::total_order_seek, but for those with auto_prefix_mode or prefix_same_as_start. (Of
  // RocksDB 9.)
  bool prefix_seek_opt_in_only = false;
  // A hint without effect: logs are read ahead by themselves.
  size_t log_readahead_size = 0;
  // Makes a checksum of each table file while it is written, kept in the MANIFEST: see
  // file_checksum.h and DB::VerifyFileChecksums(). Null: none are made.
  std::shared_ptr<FileChecksumGenFactory> file_checksum_gen_factory = nullptr;
  // What the files that are left were together at some time is opened; logs are not replayed.
  bool best_efforts_recovery = false;
  // Attempts, and microseconds between them, to go on after a background error that passes: a full
  // disk, or a shortage of descriptors or memory, or what a file system calls retryable. The first
  // one comes at once, but to a full disk.
  int max_bgerror_resume_count = INT_MAX;
  uint64_t bgerror_resume_retry_interval = 1000000;
  // Without effect: whether messages and the log may show keys; few do.
  bool allow_data_in_errors = false;
  // Kept in the properties of table files; at most 255 bytes.
  std::string db_host_id = kHostnameForDbHostId;
  // Each write to a file of these kinds (kWalFile, kDescriptorFile, kTableFile, kBlobFile; others
  // are written as ever) hands the CRC32C of its bytes to the FileSystem: the Append() and
  // PositionedAppend() with a DataVerificationInfo, whose checksum is four bytes, little-endian.
  // One that finds that they differ answers Corruption, which is then the error of the write. Of
  // logs and MANIFESTs it is computed before the bytes are buffered, and guards the buffer, too.
  // Empty: none.
  FileTypeSet checksum_handoff_file_types;
  // Compactions that merge tables run elsewhere, each of their parts as a job of its own; those
  // that only move or drop files, or that have to do with blob files, run here. Null: all do.
  std::shared_ptr<CompactionService> compaction_service = nullptr;
  // kVolatileTier: the block cache's secondary cache, if it has one, is not used for this database.
  CacheTier lowest_used_cache_tier = CacheTier::kNonVolatileBlockTier;
  // Without effect: a compaction that meets a SingleDelete that was misused goes on.
  bool enforce_single_del_contracts = true;

  // --- Of releases since 8 ---
  // FileOptions::temperature of new logs, and of new MANIFESTs; kUnknown: none. What it means is
  // the FileSystem's.
  Temperature wal_write_temperature = Temperature::kUnknown;
  Temperature metadata_write_temperature = Temperature::kUnknown;
  // The hours, in UTC, in which little is asked ("23:30-04:00"); empty: none. A hint without
  // effect: a table is compacted for periodic_compaction_seconds when it is due.
  std::string daily_offpeak_time_utc = "";
  // Of DB::OpenAsFollower, which is not there: without effect.
  uint64_t follower_refresh_catchup_period_ms = 10000;
  uint64_t follower_catchup_retry_count = 10;     // without effect
  uint64_t follower_catchup_retry_wait_ms = 100;  // without effect
  // Hints without effect: recovery flushes by write_buffer_size; the ages of tables are looked at
  // after each flush and compaction, and every minute; files are opened as RocksDB 7.8.3 does.
  bool enforce_write_buffer_manager_during_recovery = true;
  uint64_t max_compaction_trigger_wakeup_seconds = 43200;  // without effect
  bool fast_sst_open = false;                              // a hint without effect
  int read_io_executor_threads = 1;                        // a hint without effect
  // A hint without effect: of which compaction styles the files' lifetimes are told to the disk.
  CompactionStyleSet calculate_sst_write_lifetime_hint_set = {kCompactionStyleLevel};
  // Each log tells of the one before it (its number, size and last sequence number), and recovery
  // compares: a log that is missing, shorter or another one is Corruption. With
  // kPointInTimeRecovery the history ends before what it follows, with kSkipAnyCorruptedRecords
  // nobody compares. What was written without this option is not told of. A database without any
  // log (as RepairDB() and some checkpoints leave it) does not open with it: Corruption.
  bool track_and_verify_wals = false;
};

// All options of a database with one column family.
struct Options : public DBOptions, public ColumnFamilyOptions {
  Options() = default;
  Options(const DBOptions& db_options, const ColumnFamilyOptions& column_family_options)
      : DBOptions(db_options), ColumnFamilyOptions(column_family_options) {}

  // Write every option, or those of the column family, to the log.
  void Dump(Logger* log) const;
  void DumpCFOptions(Logger* log) const;

  // For loading in order of keys, with one CompactRange at the end: no automatic compactions, no
  // write stalls.
  Options* PrepareForBulkLoad();
  Options* OptimizeForSmallDb();
  Options* OldDefaults(int rocksdb_major_version = 4, int rocksdb_minor_version = 6);
  // force_consistency_checks = false, which has no effect here.
  Options* DisableExtraChecks();
};

// Where a read may look.
enum ReadTier {
  kReadAllTier = 0x0,     // everywhere
  kBlockCacheTier = 0x1,  // in memory; Incomplete if that does not answer
  kPersistedTier = 0x2,   // what would survive a kill: leaves out memtables without a log
  kMemtableTier = 0x3     // unsupported
};

struct ReadOptions {
  // The state to read; null: the present one. Borrowed.
  const Snapshot* snapshot = nullptr;
  // Iterators see keys in [lower, upper). Borrowed until the iterator dies, the bytes too.
  const Slice* iterate_lower_bound = nullptr;
  const Slice* iterate_upper_bound = nullptr;
  // Bytes that an iterator reads ahead; 0: grows with sequential use.
  size_t readahead_size = 0;
  // An iterator gives up with Incomplete after this many hidden keys; 0: never.
  uint64_t max_skippable_internal_keys = 0;
  ReadTier read_tier = kReadAllTier;
  // Check the checksums of blocks read from files.
  bool verify_checksums = true;
  // Keep blocks that were read in the block cache.
  bool fill_cache = true;
  // Of iterators: each seek looks at the present state, whatever `snapshot` says. (They move
  // backward, too, unlike RocksDB's.)
  bool tailing = false;
  bool managed = false;
  // Matter only with a prefix extractor.
  bool total_order_seek = false;
  bool auto_prefix_mode = false;
  bool prefix_same_as_start = false;
  // Keys stay in memory as long as the iterator.
  bool pin_data = false;
  // A hint.
  bool background_purge_on_iterator_cleanup = false;
  bool ignore_range_deletions = false;
  // Tables for which it returns false are left out.
  std::function<bool(const TableProperties&)> table_filter;
  // Where keys have timestamps (Comparator::timestamp_size): what is newer is not seen; needed
  // there, and only there. `iter_start_ts`: an iterator shows every version from there on up to
  // *timestamp, deletions too, and its key() is an internal key (user key, timestamp, 8 bytes).
  // Both must outlive the read; an iterator copies them.
  const Slice* timestamp = nullptr;
  const Slice* iter_start_ts = nullptr;
  // The point in time (since 1970, Env::NowMicros) at which Get, MultiGet and an iterator's
  // movement give up with TimedOut (a MultiGet: for the keys that are not done), and the limit of
  // one file read, which then is TimedOut; zero: none. Both reach a FileSystem as
  // IOOptions::timeout. The default one leaves a read that hangs behind, on fibers and plain
  // threads; one of a user that ignores it may hold its caller. Opening a file and waiting for
  // memory have no limit.
  std::chrono::microseconds deadline = std::chrono::microseconds::zero();
  std::chrono::microseconds io_timeout = std::chrono::microseconds::zero();
  // MultiGet gives up with Aborted after this many bytes of values.
  uint64_t value_size_soft_limit = std::numeric_limits<uint64_t>::max();
  // An iterator that goes on in the next file of a level reads ahead there as it did before, at
  // once, instead of finding its pace anew.
  bool adaptive_readahead = false;
  // How reads of files ask DBOptions::rate_limiter. IO_TOTAL: not at all.
  Env::IOPriority rate_limiter_priority = Env::IO_TOTAL;
  // Start reads before their result is needed: what a Get, a MultiGet or a seek reads is read
  // together, iterators read ahead in the background. (A MultiGet reads together without it, too,
  // where reads were seen to be slow.)
  bool async_io = false;
  // What a MultiGet reads together comes from all levels at once; else level by level, which is
  // fewer reads and more waits.
  bool optimize_multiget_for_io = true;
  // Readahead in the background (async_io) ends at the iterator's bounds.
  bool auto_readahead_size = true;
  // An iterator does not read a value that is in a blob file before IteratorBase::PrepareValue()
  // asks for it. For scans that want the values of some keys only.
  bool allow_unprepared_value = false;
  // Without effect: reads of files are not told apart by what they are for. (Of RocksDB 8, like the
  // others below.)
  Env::IOActivity io_activity = Env::IOActivity::kUnknown;
  // Get and MultiGet of a value that was merged of more operands than this succeed with the
  // sub-code kMergeOperandThresholdExceeded: it may be worth writing anew. Unset: nobody counts.
  std::optional<size_t> merge_operand_count_threshold;
  // With a snapshot, which outlives it: an iterator lets go of old tables as it goes (RocksDB 10).
  bool auto_refresh_iterator_with_snapshot = false;
  // A name of the user's for what this read is a part of, which the calls of the FileSystem that it
  // leads to are told (IODebugContext::request_id), and their traces have. Borrowed, by an iterator
  // as long as it lives. Null: none.
  const std::string* request_id = nullptr;
  // Data blocks are found by the index that this factory's name tells, in tables that have it
  // (rocksdb/user_defined_index.h). One that has another than this, which its options name, is
  // InvalidArgument. Borrowed. Null: by the usual one.
  const UserDefinedIndexFactory* table_index_factory = nullptr;
  // Not RocksDB's. Once it is true a read gives up with Aborted: before its next file read, and an
  // iterator also before its next block. Borrowed as long as the read, or the iterator, lives.
  const std::atomic<bool>* cancelled = nullptr;

  ReadOptions() = default;
  ReadOptions(bool cksum, bool cache) : verify_checksums(cksum), fill_cache(cache) {}
};

struct WriteOptions {
  // Acknowledge when the log is durable: the write survives a power cut. Without it, a kill of the
  // process.
  bool sync = false;
  // No log: the write is lost unless a flush comes first. Not together with sync.
  bool disableWAL = false;
  // Leave out entries for column families that do not exist, instead of failing.
  bool ignore_missing_column_families = false;
  // Incomplete instead of waiting when writes are slowed down or stopped.
  bool no_slowdown = false;
  // Gives way to others while compaction is behind: all such writes together are held to 1 MiB/s.
  bool low_pri = false;
  // A hint.
  bool memtable_insert_hint_per_batch = false;
  // IO_USER: the batch asks DBOptions::rate_limiter before it is logged. IO_TOTAL: it does not.
  // Others, and IO_USER without a log or with manual_wal_flush: InvalidArgument.
  Env::IOPriority rate_limiter_priority = Env::IO_TOTAL;
  // 8: each entry of the batch gets a checksum when the write begins (see WriteBatch, which can
  // have them from the start), of what is in memory then. 0: none. Others: NotSupported.
  size_t protection_bytes_per_key = 0;
  // Without effect, as in ReadOptions.
  Env::IOActivity io_activity = Env::IOActivity::kUnknown;
};

struct FlushOptions {
  // Return when the data are in a table file.
  bool wait = true;
  // Flush now, even if that makes writes wait.
  bool allow_write_stall = false;
  // All families are flushed together, as with DBOptions::atomic_flush. Needs `wait`: else
  // NotSupported. (Of RocksDB 11.)
  bool force_atomic_flush = false;
  // With `wait`: EventListener::OnFlushCompleted has returned, too. Not in a call by a listener.
  // (Of RocksDB 11.)
  bool listener_wait = false;
};

// Of DB::FlushWAL. (Of RocksDB 10.)
struct FlushWALOptions {
  bool sync = false;
  // IO_TOTAL: what is written does not ask DBOptions::rate_limiter; others ask it.
  Env::IOPriority rate_limiter_priority = Env::IO_TOTAL;
};

// The logger that a database of this name gets: DBOptions::info_log, or a LOG file (an old one is
// renamed). Makes the directory if needed.
extern Status CreateLoggerFromOptions(const std::string& dbname, const DBOptions& options,
                                      std::shared_ptr<Logger>* logger);

// Of DB::CompactFiles.
struct CompactionOptions {
  // Of the new files; kDisableCompressionOption: as the output level's.
  CompressionType compression = kSnappyCompression;
  // Bytes at which a new file ends, about; level 0 always gets one file.
  uint64_t output_file_size_limit = std::numeric_limits<uint64_t>::max();
  // Threads that share the compaction; 0: as the DBOptions say.
  uint32_t max_subcompactions = 0;
  // Set it to true to end the compaction early: Incomplete, sub-code kManualCompactionPaused.
  // Borrowed; null: nothing does. (Of RocksDB 7.10, the others of 9 and 10.)
  std::atomic<bool>* canceled = nullptr;
  // FileOptions::temperature of the new files; kUnknown: as for other compactions.
  Temperature output_temperature_override = Temperature::kUnknown;
  // Files that overlap with nothing of the output level are moved there as they are, where their
  // compression and size would stay.
  bool allow_trivial_move = false;
};

// Of DB::WaitForCompact.
struct WaitForCompactOptions {
  // Aborted when background work is paused, instead of waiting for it to go on.
  bool abort_on_pause = false;
  // Flush all families first.
  bool flush = false;
  // Also until the files are gone that nobody needs any more.
  bool wait_for_purge = false;
  // Close the database then.
  bool close_db = false;
  // TimedOut after so long; 0: never.
  std::chrono::microseconds timeout = std::chrono::microseconds::zero();
};

// Of DB::IngestExternalFile(s).
struct IngestExternalFileOptions {
  // The files become the database's own: linked, and their old names removed afterwards. Otherwise
  // they are copied.
  bool move_files = false;
  // Copy what the file system cannot link (another disk).
  bool failed_move_fall_back_to_copy = true;
  // Snapshots that were taken before do not see the new entries.
  bool snapshot_consistency = true;
  // Files get a sequence number where their keys are in the database already, or a snapshot must
  // not see them. False: InvalidArgument where one would be needed.
  bool allow_global_seqno = true;
  // What is in memory in the files' ranges is flushed first, while writers wait. False:
  // InvalidArgument where that would be needed.
  bool allow_blocking_flush = true;
  // Behind all that is there: keys that exist keep their values. Needs
  // DBOptions::allow_ingest_behind since the database was created.
  bool ingest_behind = false;
  // Older releases of RocksDB (before 5.16) need the sequence number in the file itself. True:
  // where a file needs one, it is written there, too (with link_files and move_files into the
  // caller's own); the MANIFEST has it in any case.
  bool write_global_seqno = false;
  // Reads all blocks before.
  bool verify_checksums_before_ingest = false;
  // Bytes read at once for that; 0: as for any sweep over a table.
  size_t verify_checksums_readahead_size = 0;
  // With DBOptions::file_checksum_gen_factory: checksums that the caller gives are compared with
  // the file's; false: taken as they are.
  bool verify_file_checksum = true;
  // TryAgain, instead of a place above the last level.
  bool fail_if_not_bottommost_level = false;
  // Files of databases, too: entries keep their numbers, and must not be in the database already.
  bool allow_db_generated_files = false;
  // Blocks that are read to check the files go to the block cache.
  bool fill_cache = true;
  // Like move_files, but the old names stay. Not both.
  bool link_files = false;
  // Of RocksDB 11, hints without effect: the files are opened one after the other.
  int file_opening_threads = 1;
  bool prefetch_lmax_index_and_filter_blocks = true;  // a hint without effect
};

// Of DB::CreateColumnFamilyWithImport.
struct ImportColumnFamilyOptions {
  // The files become the database's own: linked (copied where the file system cannot link), and
  // their old names removed afterwards. Otherwise they are copied.
  bool move_files = false;
};

// Keys in [start, limit).
struct Range {
  Slice start;
  Slice limit;

  Range() = default;
  Range(const Slice& s, const Slice& l) : start(s), limit(l) {}
};

// The same where null means the first and the last key.
struct RangePtr {
  const Slice* start;
  const Slice* limit;

  RangePtr() : start(nullptr), limit(nullptr) {}
  RangePtr(const Slice* s, const Slice* l) : start(s), limit(l) {}
};

// The same where one may be missing.
struct RangeOpt {
  OptSlice start;
  OptSlice limit;

  RangeOpt() = default;
  RangeOpt(const OptSlice& s, const OptSlice& l) : start(s), limit(l) {}
};

// Whether a manual compaction rewrites the last level, which has nowhere to go.
enum class BottommostLevelCompaction {
  kSkip,
  kIfHaveCompactionFilter,
  kForce,
  kForceOptimized,  // but not the files that this very compaction made
};

// kUseDefault: enable_blob_garbage_collection says it.
enum class BlobGarbageCollectionPolicy { kForce, kDisable, kUseDefault };

struct CompactRangeOptions {
  // No automatic compactions meanwhile.
  bool exclusive_manual_compaction = false;
  // Move the result to target_level; -1: the highest level that can hold it.
  bool change_level = false;
  int target_level = -1;
  uint32_t target_path_id = 0;  // index into cf_paths or db_paths
  BottommostLevelCompaction bottommost_level_compaction =
      BottommostLevelCompaction::kIfHaveCompactionFilter;
  // Flush now, even if that makes writes wait.
  bool allow_write_stall = false;
  uint32_t max_subcompactions = 0;
  // As DB::IncreaseFullHistoryTsLow() before the compaction; then there is no range:
  // InvalidArgument.
  const Slice* full_history_ts_low = nullptr;
  // Set it to true to end the compaction early: Incomplete, sub-code kManualCompactionPaused.
  // Borrowed.
  std::atomic<bool>* canceled = nullptr;
  // Whether values of the oldest blob files are written anew, and how many files these are (0 to 1;
  // others: as the option of this name says).
  BlobGarbageCollectionPolicy blob_garbage_collection_policy =
      BlobGarbageCollectionPolicy::kUseDefault;
  double blob_garbage_collection_age_cutoff = -1;
};

// What TraceOptions::filter keeps out of a trace. Bits.
enum TraceFilterType : uint64_t {
  kTraceFilterNone = 0x0,
  kTraceFilterGet = 0x1 << 0,
  kTraceFilterWrite = 0x1 << 1,
  kTraceFilterIteratorSeek = 0x1 << 2,
  kTraceFilterIteratorSeekForPrev = 0x1 << 3,
  kTraceFilterMultiGet = 0x1 << 4,
};

// Of DB::StartTrace.
struct TraceOptions {
  // Bytes; once the trace has more, nothing is added but the record of its end.
  uint64_t max_trace_file_size = uint64_t{64} * 1024 * 1024 * 1024;
  // One of so many operations is traced, of those that the filter leaves. 0 and 1: each.
  uint64_t sampling_frequency = 1;
  uint64_t filter = kTraceFilterNone;  // TraceFilterType
  // Writes are traced in the order in which they are applied, by the writer that leads their group,
  // so that a slow TraceWriter holds up all of them. Otherwise each is traced when it is called,
  // also if it fails later.
  bool preserve_write_order = false;
};

struct SizeApproximationOptions {
  // At least one of the two.
  bool include_memtables = false;
  bool include_files = true;
  // Accepted error as a share of the files' size; negative: as the implementation likes.
  double files_size_error_margin = -1.0;
  // Blob files, too, by the tables' share in the range. (Of RocksDB 11. It may also be the only
  // one.)
  bool include_blob_files = false;
};

// Of DB::OpenAndCompact: what the OPTIONS file of the database does not have, as it has names of
// objects at most. They must do what the primary's do. All is used as it is here, null included,
// but for table_factory.
struct CompactionServiceOptionsOverride {
  Env* env = Env::Default();
  std::shared_ptr<FileChecksumGenFactory> file_checksum_gen_factory = nullptr;

  const Comparator* comparator = BytewiseComparator();
  std::shared_ptr<MergeOperator> merge_operator = nullptr;
  const CompactionFilter* compaction_filter = nullptr;
  std::shared_ptr<CompactionFilterFactory> compaction_filter_factory = nullptr;
  std::shared_ptr<const SliceTransform> prefix_extractor = nullptr;
  std::shared_ptr<TableFactory> table_factory;  // null: of the OPTIONS file
  std::shared_ptr<SstPartitionerFactory> sst_partitioner_factory = nullptr;

  // Told of what happens here: files that are made, read and written, and the part of the
  // compaction; not of the compaction, which is the primary's.
  std::vector<std::shared_ptr<EventListener>> listeners;
  std::shared_ptr<Statistics> statistics = nullptr;
  std::shared_ptr<Logger> info_log = nullptr;  // null: a LOG in the output directory
  std::vector<std::shared_ptr<TablePropertiesCollectorFactory>>
      table_properties_collector_factories;

  // Options of the database and of the family, by name, instead of the file's. Names that are not
  // known are left out.
  std::unordered_map<std::string, std::string> options_map;
};

// Of DB::OpenAndCompact.
struct OpenAndCompactOptions {
  // Set it to true to end the compaction early: Incomplete, sub-code kManualCompactionPaused.
  // Borrowed.
  std::atomic<bool>* canceled = nullptr;
  // Unsupported: to go on where another call ended.
  bool allow_resumption = false;
};

// Of DB::GetLiveFilesStorageInfo.
struct LiveFilesStorageInfoOptions {
  // Fill in FileStorageInfo::file_checksum and file_checksum_func_name; "" and "Unknown" for files
  // that have none, as all but tables.
  bool include_checksum_info = false;
  // Flush if the logs have so many bytes; 0: always, UINT64_MAX: never.
  uint64_t wal_size_for_flush = 0;
  // A flush is one of all families together, as with DBOptions::atomic_flush. (Of RocksDB 11.)
  bool atomic_flush = false;
};

}  // namespace ROCKSDB_NAMESPACE
