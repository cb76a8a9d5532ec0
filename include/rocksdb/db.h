// DB: a persistent, ordered map from keys to values: the interface that everything else is for.
//
// Thread-safe, from threads and fibers alike, without a lock of the user's. Reads and writes may
// wait: on a fiber they park it, on a thread they block. Every function here but the getters
// SUSPENDS.
//
// Functions with a column family exist beside ones without, which mean the default one.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/attribute_groups.h"
#include "rocksdb/column_family_handle.h"
#include "rocksdb/db_property_names.h"
#include "rocksdb/iterator.h"
#include "rocksdb/listener.h"
#include "rocksdb/metadata.h"
#include "rocksdb/multi_scan.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/types.h"
#include "rocksdb/version.h"
#include "rocksdb/wide_columns.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {

class BlockCacheTraceWriter;  // rocksdb/block_cache_trace_writer.h
class Env;
class FileSystem;
class StatsHistoryIterator;        // rocksdb/stats_history.h
class Replayer;                    // rocksdb/utilities/replayer.h
class TraceReader;                 // rocksdb/trace_reader_writer.h
class TraceWriter;                 // rocksdb/trace_reader_writer.h
class UserWriteCallback;           // rocksdb/user_write_callback.h
struct BlockCacheTraceOptions;     // rocksdb/block_cache_trace_writer.h
struct CompactionJobInfo;          // rocksdb/listener.h
struct ExportImportFilesMetaData;  // rocksdb/metadata.h
struct IOStatsContext;             // rocksdb/iostats_context.h
struct PerfContext;                // rocksdb/perf_context.h

static const int kMajorVersion = ROCKSDB_MAJOR;
static const int kMinorVersion = ROCKSDB_MINOR;

// The family of persist_stats_to_disk.
extern const std::string kPersistentStatsColumnFamilyName;

struct GetMergeOperandsOptions {
  using ContinueCallback = std::function<bool(Slice)>;

  int expected_max_number_of_operands = 0;
  // Asked with each operand that was found, the newest one first, whether older ones are wanted:
  // false ends the lookup there, without a base value. Null: all are. It is called by the thread or
  // fiber of the lookup. (RocksDB 9.)
  ContinueCallback continue_cb;
};

class DB {
 public:
  // --- Opening and closing ---

  // Opens the database in directory `name`. The caller owns the result; it is null on error:
  // InvalidArgument for options that cannot be honoured, a missing database without
  // create_if_missing or another comparator; IOError when another process holds it; Corruption
  // naming the file and the offset.
  static Status Open(const Options& options, const std::string& name, DB** dbptr);
  static Status Open(const Options& options, const std::string& name, std::unique_ptr<DB>* dbptr);
  // With its column families: all that it has, the default one among them. Exactly one handle for
  // each, the caller's.
  static Status Open(const DBOptions& db_options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, DB** dbptr);
  static Status Open(const DBOptions& db_options, const std::string& name,
                     const std::vector<ColumnFamilyDescriptor>& column_families,
                     std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* dbptr);

  // Opens it and takes away, in the families that have timestamps, whatever is newer than trim_ts:
  // values, deletions and deletions of ranges are as if they had never been. Compacts these
  // families as a whole. InvalidArgument: a timestamp of another size, or with
  // avoid_flush_during_recovery. NotSupported: a compaction style that rewrites no files. After an
  // error the database is not open, and may be trimmed in part. SUSPENDS.
  static Status OpenAndTrimHistory(const DBOptions& db_options, const std::string& name,
                                   const std::vector<ColumnFamilyDescriptor>& column_families,
                                   std::vector<ColumnFamilyHandle*>* handles, DB** dbptr,
                                   std::string trim_ts);
  static Status OpenAndTrimHistory(const DBOptions& db_options, const std::string& name,
                                   const std::vector<ColumnFamilyDescriptor>& column_families,
                                   std::vector<ColumnFamilyHandle*>* handles,
                                   std::unique_ptr<DB>* dbptr, std::string trim_ts);

  // For reading the present state, beside a process that has it open even. Takes no lock, changes
  // no file; writes are NotSupported. With error_if_wal_file_exists: Corruption if there is a log
  // with data.
  static Status OpenForReadOnly(const Options& options, const std::string& name, DB** dbptr,
                                bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(const Options& options, const std::string& name,
                                std::unique_ptr<DB>* dbptr, bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(const DBOptions& db_options, const std::string& name,
                                const std::vector<ColumnFamilyDescriptor>& column_families,
                                std::vector<ColumnFamilyHandle*>* handles, DB** dbptr,
                                bool error_if_wal_file_exists = false);
  static Status OpenForReadOnly(const DBOptions& db_options, const std::string& name,
                                const std::vector<ColumnFamilyDescriptor>& column_families,
                                std::vector<ColumnFamilyHandle*>* handles,
                                std::unique_ptr<DB>* dbptr, bool error_if_wal_file_exists = false);

  // A secondary: for reading a database that another process, the primary, has open and goes on
  // writing. It shows the primary's state as it was when this was opened, or when
  // TryCatchUpWithPrimary was last called: a prefix of what was written to the primary, which it
  // leaves undisturbed. Takes no lock, writes nothing but its LOG in `secondary_path` (made if it
  // is missing); writes and maintenance are NotSupported, and so are snapshots and tailing
  // iterators. The primary deletes files that its newest state does not need: with max_open_files =
  // -1, as should be, a secondary keeps its tables open; else a read may answer IOError until the
  // next catch-up. Families: any of the primary's, the default one among them.
  static Status OpenAsSecondary(const Options& options, const std::string& name,
                                const std::string& secondary_path, DB** dbptr);
  static Status OpenAsSecondary(const Options& options, const std::string& name,
                                const std::string& secondary_path, std::unique_ptr<DB>* dbptr);
  static Status OpenAsSecondary(const DBOptions& db_options, const std::string& name,
                                const std::string& secondary_path,
                                const std::vector<ColumnFamilyDescriptor>& column_families,
                                std::vector<ColumnFamilyHandle*>* handles, DB** dbptr);
  static Status OpenAsSecondary(const DBOptions& db_options, const std::string& name,
                                const std::string& secondary_path,
                                const std::vector<ColumnFamilyDescriptor>& column_families,
                                std::vector<ColumnFamilyHandle*>* handles,
                                std::unique_ptr<DB>* dbptr);

  // A worker of remote compaction (CompactionService in options.h): merges the tables of the
  // database in `name` that `input`, which the primary's service was given, names into tables in
  // `output_directory`. That is made if it is missing, has nothing in it but a LOG, and is of the
  // database's file system. Reads only, beside the process that has it open. *output is for Wait():
  // the result, or what tells of the failure. After an error there are no tables. InvalidArgument:
  // an `input` of another database or of files that it does not have any more, a directory that is
  // not empty; Corruption: an `input` that is damaged; NotSupported: one of another version;
  // TryAgain: the files are seen here as they were before. SUSPENDS.
  static Status OpenAndCompact(const std::string& name, const std::string& output_directory,
                               const std::string& input, std::string* output,
                               const CompactionServiceOptionsOverride& override_options);
  static Status OpenAndCompact(const OpenAndCompactOptions& options, const std::string& name,
                               const std::string& output_directory, const std::string& input,
                               std::string* output,
                               const CompactionServiceOptionsOverride& override_options);

  // The names of the column families of a database that is not open.
  static Status ListColumnFamilies(const DBOptions& db_options, const std::string& name,
                                   std::vector<std::string>* column_families);

  DB() = default;
  DB(const DB&) = delete;
  void operator=(const DB&) = delete;
  // Closes without a report. REQUIRES: no other call is in progress, no iterator or snapshot is
  // left.
  virtual ~DB();

  // Ends background work and closes every file. Aborted while snapshots are held. Afterwards only
  // the destructor may be called. What was written without a log is flushed first, unless
  // avoid_flush_during_shutdown.
  virtual Status Close() { return Status::NotSupported(); }

  // Tries to go on after a background error.
  virtual Status Resume() { return Status::NotSupported(); }

  // Of a secondary: takes over what the primary has written since, its tables and logs both.
  // Readers see it as a whole, all families at once; iterators keep showing what they did until
  // they are refreshed. Families that the primary dropped can be read as long as there are handles;
  // those that it created are passed over. After an error readers see what they saw before, and the
  // next call tries again; TryAgain: the primary removed tables or logs faster than they could be
  // read, a hundred times. May be called from several threads at once, beside reads. SUSPENDS.
  virtual Status TryCatchUpWithPrimary();

  // --- Column families ---
  // Key spaces with options, memtables and tables of their own, and one log: a WriteBatch over
  // several is atomic. Created and dropped beside reads and writes. The options must be such as
  // Open takes. InvalidArgument: there is one of that name.

  virtual Status CreateColumnFamily(const ColumnFamilyOptions& options,
                                    const std::string& column_family_name,
                                    ColumnFamilyHandle** handle);
  virtual Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                                      const std::vector<std::string>& column_family_names,
                                      std::vector<ColumnFamilyHandle*>* handles);
  virtual Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& column_families,
                                      std::vector<ColumnFamilyHandle*>* handles);
  // Gone at once for writers (InvalidArgument) and for the next Open. Who has a handle or an
  // iterator reads on; the files go with the last of them. InvalidArgument: the default family, or
  // one that is dropped already.
  virtual Status DropColumnFamily(ColumnFamilyHandle* column_family);
  virtual Status DropColumnFamilies(const std::vector<ColumnFamilyHandle*>& column_families);
  // Deletes a handle that Open or CreateColumnFamily gave. InvalidArgument for
  // DefaultColumnFamily().
  virtual Status DestroyColumnFamilyHandle(ColumnFamilyHandle* column_family);
  // Owned by the database.
  virtual ColumnFamilyHandle* DefaultColumnFamily() const = 0;

  // --- Writing ---
  // OK means visible to every later read, and as durable as the WriteOptions say. Errors of the log
  // or of background work are returned by every later write until the database is reopened.

  virtual Status Put(const WriteOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, const Slice& value) = 0;
  virtual Status Put(const WriteOptions& options, const Slice& key, const Slice& value) {
    return Put(options, DefaultColumnFamily(), key, value);
  }

  // An entity (rocksdb/wide_columns.h) in place of what the key had. The columns come in any order;
  // Corruption, as in RocksDB: two have the same name.
  virtual Status PutEntity(const WriteOptions& options, ColumnFamilyHandle* column_family,
                           const Slice& key, const WideColumns& columns) = 0;
  // One entity in each group's family, all at once. InvalidArgument: there are no groups.
  virtual Status PutEntity(const WriteOptions& options, const Slice& key,
                           const AttributeGroups& attribute_groups) = 0;

  // OK also if there was no such key.
  virtual Status Delete(const WriteOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key) = 0;
  virtual Status Delete(const WriteOptions& options, const Slice& key) {
    return Delete(options, DefaultColumnFamily(), key);
  }

  // For a key that was put once, at most, since it was deleted last; otherwise what remains is
  // undefined.
  virtual Status SingleDelete(const WriteOptions& options, ColumnFamilyHandle* column_family,
                              const Slice& key) = 0;
  virtual Status SingleDelete(const WriteOptions& options, const Slice& key) {
    return SingleDelete(options, DefaultColumnFamily(), key);
  }

  // The keys in [begin_key, end_key), whether they are there or not, at the cost of one entry.
  // InvalidArgument if end_key comes before begin_key. A null family is the default one.
  virtual Status DeleteRange(const WriteOptions& options, ColumnFamilyHandle* column_family,
                             const Slice& begin_key, const Slice& end_key);
  virtual Status DeleteRange(const WriteOptions& options, const Slice& begin_key,
                             const Slice& end_key) {
    return DeleteRange(options, DefaultColumnFamily(), begin_key, end_key);
  }

  // Writes an operand for the merge operator (Options::merge_operator; NotSupported without one):
  // see rocksdb/merge_operator.h.
  virtual Status Merge(const WriteOptions& options, ColumnFamilyHandle* column_family,
                       const Slice& key, const Slice& value) = 0;
  virtual Status Merge(const WriteOptions& options, const Slice& key, const Slice& value) {
    return Merge(options, DefaultColumnFamily(), key, value);
  }

  // Where the family's comparator has timestamps (Comparator::timestamp_size): with one, which is
  // not part of the key that reads show; the calls above are InvalidArgument there, and these for
  // other families and with a timestamp of another size. The timestamps of one key must not go
  // back. A batch: WriteBatch.
  virtual Status Put(const WriteOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, const Slice& ts, const Slice& value);
  virtual Status Put(const WriteOptions& options, const Slice& key, const Slice& ts,
                     const Slice& value) {
    return Put(options, DefaultColumnFamily(), key, ts, value);
  }
  virtual Status Delete(const WriteOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key, const Slice& ts);
  virtual Status Delete(const WriteOptions& options, const Slice& key, const Slice& ts) {
    return Delete(options, DefaultColumnFamily(), key, ts);
  }
  virtual Status SingleDelete(const WriteOptions& options, ColumnFamilyHandle* column_family,
                              const Slice& key, const Slice& ts);
  virtual Status SingleDelete(const WriteOptions& options, const Slice& key, const Slice& ts) {
    return SingleDelete(options, DefaultColumnFamily(), key, ts);
  }
  virtual Status DeleteRange(const WriteOptions& options, ColumnFamilyHandle* column_family,
                             const Slice& begin_key, const Slice& end_key, const Slice& ts);
  virtual Status Merge(const WriteOptions& options, ColumnFamilyHandle* column_family,
                       const Slice& key, const Slice& ts, const Slice& value);

  // All entries of the batch at once: a reader sees all or none, and so does recovery. `updates` is
  // not changed, but its sequence number is.
  virtual Status Write(const WriteOptions& options, WriteBatch* updates) = 0;
  // The same; `callback` (rocksdb/user_write_callback.h, not null) is told how far it is. Such a
  // write is logged by itself, not with others.
  virtual Status WriteWithCallback(const WriteOptions& /*options*/, WriteBatch* /*updates*/,
                                   UserWriteCallback* /*callback*/) {
    return Status::NotSupported("WriteWithCallback not implemented for this interface.");
  }

  // --- Reading ---

  // NotFound if there is no such key. The value is pinned in the block cache or in a memtable, or
  // copied: Reset() it soon.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, PinnableSlice* value) = 0;
  // Into a string: one copy. *value is unspecified on error.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, std::string* value);
  virtual Status Get(const ReadOptions& options, const Slice& key, std::string* value) {
    return Get(options, DefaultColumnFamily(), key, value);
  }

  // Where there are timestamps: what a reader at *options.timestamp sees. InvalidArgument: that is
  // null there, has another size or is below GetFullHistoryTsLow(), or the family has none.
  // *timestamp, if not null, receives that of the value, or of the deletion; empty: nothing is
  // known of the key.
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, PinnableSlice* value, std::string* timestamp);
  virtual Status Get(const ReadOptions& options, ColumnFamilyHandle* column_family,
                     const Slice& key, std::string* value, std::string* timestamp);
  virtual Status Get(const ReadOptions& options, const Slice& key, std::string* value,
                     std::string* timestamp) {
    return Get(options, DefaultColumnFamily(), key, value, timestamp);
  }

  // The key's columns: an entity's, or a plain value's one. *columns is reset first; it has the
  // memory that they lie in.
  virtual Status GetEntity(const ReadOptions& options, ColumnFamilyHandle* column_family,
                           const Slice& key, PinnableWideColumns* columns) = 0;
  // The same of the family of each group in *result, which receives its columns and its own status.
  // Not OK: the arguments are wrong, and nothing was read.
  virtual Status GetEntity(const ReadOptions& options, const Slice& key,
                           PinnableAttributeGroups* result) = 0;

  // The key's merge operands, oldest first, behind the value below them, if there is one; what was
  // merged before is one. `merge_operands` has room for
  // options->expected_max_number_of_operands; if there are more: Incomplete, and
  // *number_of_operands says how many.
  virtual Status GetMergeOperands(const ReadOptions& options, ColumnFamilyHandle* column_family,
                                  const Slice& key, PinnableSlice* merge_operands,
                                  GetMergeOperandsOptions* get_merge_operands_options,
                                  int* number_of_operands) = 0;

  // Many keys in one state of the database; one status each. *values is resized; values of keys
  // without OK are empty.
  virtual std::vector<Status> MultiGet(const ReadOptions& options,
                                       const std::vector<ColumnFamilyHandle*>& column_family,
                                       const std::vector<Slice>& keys,
                                       std::vector<std::string>* values) = 0;
  virtual std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<Slice>& keys,
                                       std::vector<std::string>* values) {
    return MultiGet(options, std::vector<ColumnFamilyHandle*>(keys.size(), DefaultColumnFamily()),
                    keys, values);
  }
  // The same into arrays of num_keys elements, the caller's. sorted_input: the keys are in order.
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const size_t num_keys, const Slice* keys, PinnableSlice* values,
                        Status* statuses, const bool sorted_input = false) = 0;
  virtual void MultiGet(const ReadOptions& options, const size_t num_keys,
                        ColumnFamilyHandle** column_families, const Slice* keys,
                        PinnableSlice* values, Status* statuses,
                        const bool sorted_input = false) = 0;
  // The same with timestamps: see Get.
  virtual std::vector<Status> MultiGet(const ReadOptions& options,
                                       const std::vector<ColumnFamilyHandle*>& column_family,
                                       const std::vector<Slice>& keys,
                                       std::vector<std::string>* values,
                                       std::vector<std::string>* timestamps);
  virtual std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<Slice>& keys,
                                       std::vector<std::string>* values,
                                       std::vector<std::string>* timestamps) {
    return MultiGet(options, std::vector<ColumnFamilyHandle*>(keys.size(), DefaultColumnFamily()),
                    keys, values, timestamps);
  }
  virtual void MultiGet(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const size_t num_keys, const Slice* keys, PinnableSlice* values,
                        std::string* timestamps, Status* statuses, const bool sorted_input = false);
  virtual void MultiGet(const ReadOptions& options, const size_t num_keys,
                        ColumnFamilyHandle** column_families, const Slice* keys,
                        PinnableSlice* values, std::string* timestamps, Status* statuses,
                        const bool sorted_input = false);
  // GetEntity of many keys in one state of the database.
  virtual void MultiGetEntity(const ReadOptions& options, ColumnFamilyHandle* column_family,
                              size_t num_keys, const Slice* keys, PinnableWideColumns* results,
                              Status* statuses, bool sorted_input = false) = 0;
  virtual void MultiGetEntity(const ReadOptions& options, size_t num_keys,
                              ColumnFamilyHandle** column_families, const Slice* keys,
                              PinnableWideColumns* results, Status* statuses,
                              bool sorted_input = false) = 0;
  // keys[i] in the families of the groups of results[i].
  virtual void MultiGetEntity(const ReadOptions& options, size_t num_keys, const Slice* keys,
                              PinnableAttributeGroups* results) = 0;

  // --- Asynchronous reading
  //
  // Get and MultiGet that do not hold the calling thread while a file is read. What memory can
  // answer is answered in the call, which then also calls the callback; all else is read on a fiber
  // (of the caller's runtime, if a fiber calls; else of fiber::default_runtime()), which calls the
  // callback when the statuses and values are there. Where the system refuses that runtime its
  // threads, the call reads by itself.
  //
  // The database, the callback, the keys' bytes, the arrays, the values and the statuses must live
  // until OnComplete() returns; `options` is copied. OnComplete() must not throw; it may start
  // other reads, and should not block the worker that it runs on.
  //
  // With EnableStats() it receives what its operation did (perf_context.h, iostats_context.h),
  // measured at the caller's level, and by level and without I/O as the caller has it; that is then
  // in nobody's context but these, which end with OnComplete(). Else they are null.
  //
  // More forms (futures, coroutines, cancellation, writes and iterators): cairn/async.h.
  class AsyncCallback {
   public:
    virtual ~AsyncCallback() = default;
    virtual bool EnableStats() const { return false; }
    virtual void OnComplete(const PerfContext* callback_perf_context,
                            const IOStatsContext* callback_iostats_context) = 0;
  };
  virtual void GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key, PinnableSlice* value, std::string* timestamp,
                        Status& status, AsyncCallback& callback);
  virtual void GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key, std::string* value, std::string* timestamp,
                        Status& status, AsyncCallback& callback);
  virtual void GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key, PinnableSlice* value, Status& status,
                        AsyncCallback& callback) {
    GetAsync(options, column_family, key, value, /*timestamp=*/nullptr, status, callback);
  }
  virtual void GetAsync(const ReadOptions& options, ColumnFamilyHandle* column_family,
                        const Slice& key, std::string* value, Status& status,
                        AsyncCallback& callback) {
    GetAsync(options, column_family, key, value, /*timestamp=*/nullptr, status, callback);
  }
  virtual void GetAsync(const ReadOptions& options, const Slice& key, std::string* value,
                        Status& status, AsyncCallback& callback) {
    GetAsync(options, DefaultColumnFamily(), key, value, status, callback);
  }
  virtual void GetAsync(const ReadOptions& options, const Slice& key, std::string* value,
                        std::string* timestamp, Status& status, AsyncCallback& callback) {
    GetAsync(options, DefaultColumnFamily(), key, value, timestamp, status, callback);
  }
  virtual void MultiGetAsync(const ReadOptions& options, const size_t num_keys,
                             ColumnFamilyHandle** column_families, const Slice* keys,
                             PinnableSlice* values, std::string* timestamps, Status* statuses,
                             const bool sorted_input, AsyncCallback& callback);
  virtual void MultiGetAsync(const ReadOptions& options, const size_t num_keys,
                             ColumnFamilyHandle** column_families, const Slice* keys,
                             PinnableSlice* values, Status* statuses, const bool sorted_input,
                             AsyncCallback& callback) {
    MultiGetAsync(options, num_keys, column_families, keys, values, /*timestamps=*/nullptr,
                  statuses, sorted_input, callback);
  }
  virtual void MultiGetAsync(const ReadOptions& options, const size_t num_keys,
                             ColumnFamilyHandle** column_families, const Slice* keys,
                             PinnableSlice* values, std::string* timestamps, Status* statuses,
                             AsyncCallback& callback) {
    MultiGetAsync(options, num_keys, column_families, keys, values, timestamps, statuses,
                  /*sorted_input=*/false, callback);
  }
  virtual void MultiGetAsync(const ReadOptions& options, const size_t num_keys,
                             ColumnFamilyHandle** column_families, const Slice* keys,
                             PinnableSlice* values, Status* statuses, AsyncCallback& callback) {
    MultiGetAsync(options, num_keys, column_families, keys, values, /*timestamps=*/nullptr,
                  statuses, /*sorted_input=*/false, callback);
  }

  // False only if the key is certainly absent; looks at memory and filters, reads no file. With
  // *value_found the answer is certain, and *value has the value of a key that is there; otherwise
  // *value is empty. `value` may be null.
  virtual bool KeyMayExist(const ReadOptions& /*options*/, ColumnFamilyHandle* /*column_family*/,
                           const Slice& /*key*/, std::string* /*value*/,
                           bool* value_found = nullptr) {
    if (value_found != nullptr) *value_found = false;
    return true;
  }
  virtual bool KeyMayExist(const ReadOptions& options, const Slice& key, std::string* value,
                           bool* value_found = nullptr) {
    return KeyMayExist(options, DefaultColumnFamily(), key, value, value_found);
  }

  // The same with a timestamp, which is that of the value that was found.
  virtual bool KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* column_family,
                           const Slice& key, std::string* value, std::string* timestamp,
                           bool* value_found = nullptr);
  virtual bool KeyMayExist(const ReadOptions& options, const Slice& key, std::string* value,
                           std::string* timestamp, bool* value_found = nullptr) {
    return KeyMayExist(options, DefaultColumnFamily(), key, value, timestamp, value_found);
  }

  // Where there are timestamps: from now on nobody reads below `ts_low` (InvalidArgument), and
  // flushes and compactions may drop what only such readers would see. Kept in the MANIFEST. Never
  // down: InvalidArgument, as is a family without timestamps, or another size. TryAgain: somebody
  // else raised it further meanwhile. SUSPENDS.
  virtual Status IncreaseFullHistoryTsLow(ColumnFamilyHandle* column_family, std::string ts_low);
  // Empty: it was never set.
  virtual Status GetFullHistoryTsLow(ColumnFamilyHandle* column_family, std::string* ts_low);
  // The newest timestamp that a family with persist_user_defined_timestamps = false was written to
  // with: of its newest memtable that has any, else, where it has tables, the last one below
  // GetFullHistoryTsLow(). Empty: nothing was written. NotSupported: tables have the timestamps.
  virtual Status GetNewestUserDefinedTimestamp(ColumnFamilyHandle* column_family,
                                               std::string* newest_timestamp);

  // Not positioned; the caller owns it and deletes it before the database. Never null: errors are
  // in its status().
  virtual Iterator* NewIterator(const ReadOptions& options, ColumnFamilyHandle* column_family) = 0;
  virtual Iterator* NewIterator(const ReadOptions& options) {
    return NewIterator(options, DefaultColumnFamily());
  }
  virtual Status NewIterators(const ReadOptions& options,
                              const std::vector<ColumnFamilyHandle*>& column_families,
                              std::vector<Iterator*>* iterators) = 0;
  // Several ranges, whose reads wait together (rocksdb/multi_scan.h). Never null. What is wrong
  // shows once it is begun. (Of RocksDB 11.)
  virtual std::unique_ptr<MultiScan> NewMultiScan(const ReadOptions& options,
                                                  ColumnFamilyHandle* column_family,
                                                  const MultiScanArgs& args);
  // One iterator over the keys of several families, in one state of the database. columns() has
  // those of all families that have the key; of two with the same name that of the family given
  // later. value() is the default one of these. InvalidArgument, in status(): there are no
  // families, or their orders differ.
  virtual std::unique_ptr<Iterator> NewCoalescingIterator(
      const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& column_families) = 0;
  // The same, with the columns of each family apart. The handles must live as long.
  virtual std::unique_ptr<AttributeGroupIterator> NewAttributeGroupIterator(
      const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& column_families) = 0;

  // The present state; give it back with ReleaseSnapshot(). Cheap, but keeps old versions from
  // being compacted away.
  virtual const Snapshot* GetSnapshot() = 0;
  // Null is allowed.
  virtual void ReleaseSnapshot(const Snapshot* snapshot) = 0;

  // --- Properties ---

  // The names of properties.
  using Properties = DBPropertyNames;

  // False for a name that is unknown or, for GetIntProperty, not a number.
  virtual bool GetProperty(ColumnFamilyHandle* column_family, const Slice& property,
                           std::string* value) = 0;
  virtual bool GetProperty(const Slice& property, std::string* value) {
    return GetProperty(DefaultColumnFamily(), property, value);
  }
  // "rocksdb.cfstats", "rocksdb.cf-write-stall-stats", "rocksdb.aggregated-table-properties" and
  // the same with "-at-level" and a number.
  virtual bool GetMapProperty(ColumnFamilyHandle* /*column_family*/, const Slice& /*property*/,
                              std::map<std::string, std::string>* /*value*/) {
    return false;
  }
  virtual bool GetMapProperty(const Slice& property, std::map<std::string, std::string>* value) {
    return GetMapProperty(DefaultColumnFamily(), property, value);
  }
  virtual bool GetIntProperty(ColumnFamilyHandle* column_family, const Slice& property,
                              uint64_t* value) = 0;
  virtual bool GetIntProperty(const Slice& property, uint64_t* value) {
    return GetIntProperty(DefaultColumnFamily(), property, value);
  }
  // The sum over all column families.
  virtual bool GetAggregatedIntProperty(const Slice& property, uint64_t* value) = 0;
  // What the tickers counted, from `start_time` to before `end_time` (seconds since 1970):
  // rocksdb/stats_history.h. InvalidArgument: stats_iterator is null.
  virtual Status GetStatsHistory(uint64_t /*start_time*/, uint64_t /*end_time*/,
                                 std::unique_ptr<StatsHistoryIterator>* /*stats_iterator*/) {
    return Status::NotSupported("Not implemented");
  }
  virtual Status ResetStats() { return Status::NotSupported("Not implemented"); }  // counts from 0

  enum class SizeApproximationFlags : uint8_t {
    NONE = 0,
    INCLUDE_MEMTABLES = 1 << 0,
    INCLUDE_FILES = 1 << 1
  };

  // About how many bytes each of the n ranges takes, compressed.
  virtual Status GetApproximateSizes(const SizeApproximationOptions& options,
                                     ColumnFamilyHandle* column_family, const Range* ranges, int n,
                                     uint64_t* sizes) = 0;
  virtual Status GetApproximateSizes(
      ColumnFamilyHandle* column_family, const Range* ranges, int n, uint64_t* sizes,
      SizeApproximationFlags include_flags = SizeApproximationFlags::INCLUDE_FILES);
  virtual Status GetApproximateSizes(
      const Range* ranges, int n, uint64_t* sizes,
      SizeApproximationFlags include_flags = SizeApproximationFlags::INCLUDE_FILES) {
    return GetApproximateSizes(DefaultColumnFamily(), ranges, n, sizes, include_flags);
  }

  // About how many entries and bytes of the range are in the memtable.
  virtual void GetApproximateMemTableStats(ColumnFamilyHandle* column_family, const Range& range,
                                           uint64_t* const count, uint64_t* const size) = 0;
  virtual void GetApproximateMemTableStats(const Range& range, uint64_t* const count,
                                           uint64_t* const size) {
    GetApproximateMemTableStats(DefaultColumnFamily(), range, count, size);
  }

  // --- Flush and compaction ---

  virtual Status Flush(const FlushOptions& options, ColumnFamilyHandle* column_family) = 0;
  virtual Status Flush(const FlushOptions& options) {
    return Flush(options, DefaultColumnFamily());
  }
  virtual Status Flush(const FlushOptions& options,
                       const std::vector<ColumnFamilyHandle*>& column_families) = 0;

  // Moves all keys in [*begin, *end] (null: from the first, to the last) to the last level that has
  // data, dropping what is shadowed. Flushes first where needed.
  virtual Status CompactRange(const CompactRangeOptions& options, ColumnFamilyHandle* column_family,
                              const Slice* begin, const Slice* end) = 0;
  virtual Status CompactRange(const CompactRangeOptions& options, const Slice* begin,
                              const Slice* end) {
    return CompactRange(options, DefaultColumnFamily(), begin, end);
  }

  // Compacts these table files ("000012.sst", with or without a directory before it) into
  // output_level, in new files of at most CompactionOptions::output_file_size_limit bytes. What
  // must come along for the order of versions does: of level 0 the files between the newest and the
  // oldest, and all older ones when the output goes below level 0; of each level down to the output
  // whatever overlaps. Returns when the result is in force; *output_file_names, if not null,
  // receives the paths of the new files and *compaction_job_info, if not null, a report.
  // InvalidArgument: a name or file that does not exist, a level that does not, or a file that is
  // below output_level. Aborted: a running compaction has one of the files, or writes where these
  // would go; try again later. Incomplete: DisableManualCompaction(). Waits while background work
  // is paused, and for exclusive manual compactions. output_path_id: an index into db_paths; -1:
  // the first, if there are no others (NotSupported).
  virtual Status CompactFiles(const CompactionOptions& /*compact_options*/,
                              ColumnFamilyHandle* /*column_family*/,
                              const std::vector<std::string>& /*input_file_names*/,
                              const int /*output_level*/, const int /*output_path_id*/ = -1,
                              std::vector<std::string>* const /*output_file_names*/ = nullptr,
                              CompactionJobInfo* /*compaction_job_info*/ = nullptr) {
    return Status::NotSupported("CompactFiles() is not supported.");
  }
  virtual Status CompactFiles(const CompactionOptions& compact_options,
                              const std::vector<std::string>& input_file_names,
                              const int output_level, const int output_path_id = -1,
                              std::vector<std::string>* const output_file_names = nullptr,
                              CompactionJobInfo* compaction_job_info = nullptr) {
    return CompactFiles(compact_options, DefaultColumnFamily(), input_file_names, output_level,
                        output_path_id, output_file_names, compaction_job_info);
  }

  // Waits until no flush or compaction runs or is due. (Writes may make the next one due at once.)
  // A background error is returned; ShutdownInProgress: the database closes.
  virtual Status WaitForCompact(const WaitForCompactOptions& /*options*/) {
    return Status::NotSupported("WaitForCompact() is not supported.");
  }

  // Waits for running background work and starts none until ContinueBackgroundWork(); calls nest.
  virtual Status PauseBackgroundWork() = 0;
  virtual Status ContinueBackgroundWork() = 0;
  virtual Status EnableAutoCompaction(
      const std::vector<ColumnFamilyHandle*>& column_family_handles) = 0;
  // Manual compactions end early, and new ones fail, with Incomplete and sub-code
  // kManualCompactionPaused; calls nest. An EnableManualCompaction() that comes first counts: the
  // next DisableManualCompaction() only takes it back.
  virtual void DisableManualCompaction() = 0;
  virtual void EnableManualCompaction() = 0;

  virtual int NumberLevels(ColumnFamilyHandle* column_family) = 0;
  virtual int NumberLevels() { return NumberLevels(DefaultColumnFamily()); }
  // Always 0.
  virtual int MaxMemCompactionLevel(ColumnFamilyHandle* column_family) = 0;
  virtual int MaxMemCompactionLevel() { return MaxMemCompactionLevel(DefaultColumnFamily()); }
  virtual int Level0StopWriteTrigger(ColumnFamilyHandle* column_family) = 0;
  virtual int Level0StopWriteTrigger() { return Level0StopWriteTrigger(DefaultColumnFamily()); }

  // --- Options ---

  // Changes options of an open database by name, all of the map or none: in force when this
  // returns, and in a new OPTIONS file. Values are written as in that file ("1048576" or "1M",
  // "true", "kLZ4Compression"); "{...}" for a struct, or "compaction_options_universal.size_ratio"
  // for one member. InvalidArgument names an option that is unknown, malformed or fixed while the
  // database is open; NotSupported one that DB::Open would refuse with that value. Running flushes
  // and compactions end as they began. Thread-safe, beside reads and writes.
  virtual Status SetOptions(ColumnFamilyHandle* /*column_family*/,
                            const std::unordered_map<std::string, std::string>& /*new_options*/) {
    return Status::NotSupported("SetOptions() is not supported.");
  }
  virtual Status SetOptions(const std::unordered_map<std::string, std::string>& new_options) {
    return SetOptions(DefaultColumnFamily(), new_options);
  }
  // The same for options of the database. wal_bytes_per_sync is that of the logs begun from then
  // on; a smaller max_open_files does not close files that max_open_files = -1 keeps open.
  virtual Status SetDBOptions(const std::unordered_map<std::string, std::string>& /*new_options*/) {
    return Status::NotSupported("SetDBOptions() is not supported.");
  }

  // As they are in force: what was out of range has been adjusted.
  virtual Options GetOptions(ColumnFamilyHandle* column_family) const = 0;
  virtual Options GetOptions() const { return GetOptions(DefaultColumnFamily()); }
  virtual DBOptions GetDBOptions() const = 0;

  // The directory, as given to Open.
  virtual const std::string& GetName() const = 0;
  virtual Env* GetEnv() const = 0;
  virtual FileSystem* GetFileSystem() const;

  // --- The write-ahead log ---

  // Hands buffered log records to the operating system (only with manual_wal_flush are there any);
  // with `sync`, durably.
  virtual Status FlushWAL(bool /*sync*/) {
    return Status::NotSupported("FlushWAL not implemented");
  }
  // What is buffered asks the limiter first, with that priority.
  virtual Status FlushWAL(const FlushWALOptions& options) {
    if (options.rate_limiter_priority == Env::IO_TOTAL) return FlushWAL(options.sync);
    return Status::NotSupported("FlushWALOptions::rate_limiter_priority is not supported");
  }
  // All writes so far become durable. Not together with manual_wal_flush's unflushed records: call
  // FlushWAL(true) for those.
  virtual Status SyncWAL() = 0;
  // What can be read stays as it is, and is handed to the operating system, until UnlockWAL() was
  // called as often as this: writers wait (Incomplete with no_slowdown). A checkpoint that is made
  // meanwhile has just that. Flushes and compactions go on; what else changes the data (ingestion,
  // families) is not held up. Do not write, nor close the database, from where the lock is held.
  // An error of the log leaves it unlocked.
  virtual Status LockWAL() { return Status::NotSupported("LockWAL not implemented"); }
  // Aborted: it is not locked.
  virtual Status UnlockWAL() { return Status::NotSupported("UnlockWAL not implemented"); }
  // The last write.
  virtual SequenceNumber GetLatestSequenceNumber() const = 0;

  // --- Files ---

  // Files that are not needed any more stay until EnableFileDeletions(); calls nest, `force` ends
  // all. NotSupported in a database that is open for reading only, which deletes nothing.
  virtual Status DisableFileDeletions() = 0;
  virtual Status EnableFileDeletions(bool force = true) = 0;

  // Names relative to GetName() ("/CURRENT") of all files of the present state, after a flush if
  // wanted. Use it between DisableFileDeletions() and EnableFileDeletions(). Of the MANIFEST copy
  // only manifest_file_size bytes.
  virtual Status GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                              bool flush_memtable = true) = 0;
  // The same with logs, directories and sizes, all of one moment: copied together, between
  // DisableFileDeletions() and EnableFileDeletions(), they are a database. Flushes first if the
  // logs have so many bytes.
  virtual Status GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions& /*opts*/,
                                         std::vector<LiveFileStorageInfo>* /*files*/) {
    return Status::NotSupported("GetLiveFilesStorageInfo() is not supported.");
  }
  // The logs that hold something, oldest first, those in the archive, too; one that is not needed
  // any more may be among them.
  // See transaction_log.h.
  virtual Status GetSortedWalFiles(VectorLogPtr& /*files*/) {
    return Status::NotSupported("GetSortedWalFiles() is not supported.");
  }
  // The batches from the one on that has this sequence number, for who follows the database: see
  // transaction_log.h. Logs that are not needed for recovery are gone, unless WAL_ttl_seconds or
  // WAL_size_limit_MB keeps them. NotFound: nothing has this number yet. SUSPENDS.
  virtual Status GetUpdatesSince(SequenceNumber /*seq_number*/,
                                 std::unique_ptr<TransactionLogIterator>* /*iter*/,
                                 const TransactionLogIterator::ReadOptions& /*read_options*/ =
                                     TransactionLogIterator::ReadOptions()) {
    return Status::NotSupported("GetUpdatesSince() is not supported.");
  }
  // The one being written, which may be another one soon. Its StartSequence() is 0.
  virtual Status GetCurrentWalFile(std::unique_ptr<LogFile>* /*current_log_file*/) {
    return Status::NotSupported("GetCurrentWalFile() is not supported.");
  }
  // Deprecated, like RocksDB's: takes a table ("000009.sst") out of the database, of the last level
  // that has files (of level 0 the oldest), or an archived log ("/archive/000003.log") away.
  // InvalidArgument: it is none of these. NotSupported: a log that is not archived.
  virtual Status DeleteFile(std::string name) = 0;
  // Every table file of the present state.
  virtual void GetLiveFilesMetaData(std::vector<LiveFileMetaData>* metadata) = 0;
  // The same by level.
  virtual void GetColumnFamilyMetaData(ColumnFamilyHandle* column_family,
                                       ColumnFamilyMetaData* metadata) = 0;
  void GetColumnFamilyMetaData(ColumnFamilyMetaData* metadata) {
    GetColumnFamilyMetaData(DefaultColumnFamily(), metadata);
  }
  // Of all families, behind what is there.
  virtual void GetAllColumnFamilyMetaData(std::vector<ColumnFamilyMetaData>* /*metadata*/) {}
  // Of some levels or keys: only levels that have such files, and no blob files. (Of RocksDB 10.)
  // Without any, of a DB of one's own.
  virtual void GetColumnFamilyMetaData(ColumnFamilyHandle* /*column_family*/,
                                       const GetColumnFamilyMetaDataOptions& /*options*/,
                                       ColumnFamilyMetaData* metadata) {
    *metadata = ColumnFamilyMetaData();
  }
  void GetColumnFamilyMetaData(const GetColumnFamilyMetaDataOptions& options,
                               ColumnFamilyMetaData* metadata) {
    GetColumnFamilyMetaData(DefaultColumnFamily(), options, metadata);
  }

  // Reads every table file whole and compares it with the checksum that was made when it was
  // written (file_checksum.h); tables without one are passed over. Heeds the read options'
  // deadline, io_timeout, readahead_size and rate_limiter_priority. Corruption and InvalidArgument
  // (the factory has not this function) name the file; InvalidArgument, too, without
  // DBOptions::file_checksum_gen_factory.
  virtual Status VerifyFileChecksums(const ReadOptions& /*read_options*/) {
    return Status::NotSupported("File verification not supported");
  }
  // The checksums of all table files of the present state, with "" and "Unknown" where there is
  // none. What was in the list goes.
  virtual Status GetLiveFilesChecksumInfo(FileChecksumList* /*checksum_list*/) {
    return Status::NotSupported("GetLiveFilesChecksumInfo() is not supported.");
  }
  // Reads every block of every table. Corruption names the file and the offset.
  virtual Status VerifyChecksum(const ReadOptions& read_options) = 0;
  virtual Status VerifyChecksum() { return VerifyChecksum(ReadOptions()); }

  // Adds files that SstFileWriter made, each as a whole, at the deepest level where they fit and
  // nothing newer lies below. Their entries are newer than all that is there (ingest_behind:
  // older), and of a key in several files the last one's wins. All files or none, also after a
  // crash, and what was written before then is durable, too. Files on level 0 count for the stall
  // of writers. InvalidArgument: no files, no entries, another comparator, options that cannot be
  // met. Corruption: a file is no table, or has sequence numbers. TryAgain: see
  // fail_if_not_bottommost_level. IOError, PathNotFound: a file cannot be read, linked or copied.
  // Writers wait while the files are put in their place, and GetSnapshot() does. SUSPENDS.
  virtual Status IngestExternalFile(ColumnFamilyHandle* column_family,
                                    const std::vector<std::string>& external_files,
                                    const IngestExternalFileOptions& options);
  virtual Status IngestExternalFile(const std::vector<std::string>& external_files,
                                    const IngestExternalFileOptions& options) {
    return IngestExternalFile(DefaultColumnFamily(), external_files, options);
  }
  // Files of several families, all or none. InvalidArgument: two args of one family.
  virtual Status IngestExternalFiles(const std::vector<IngestExternalFileArg>& /*args*/) {
    return Status::NotSupported("IngestExternalFiles() is not supported.");
  }

  // Creates a column family of the table files that `metadata` lists: those of
  // Checkpoint::ExportColumnFamily, Cairn's or RocksDB's, from any database, or of SstFileWriter
  // with a level of the caller's choice. Entries keep their sequence numbers, and the database's
  // goes up to the largest of them; snapshots that were taken before see what is not above them.
  // The family is there with all of its files or not at all, also after a crash; what was written
  // before is durable, too. *handle is the caller's; null after an error, which leaves no family
  // and no file behind and the given files as they were.
  // InvalidArgument: a family of this name, another comparator, no files or no entries, a level
  // that the options do not have, files of one level below 0 (or of several metadatas) that
  // overlap. Corruption: a file has another size or other keys than is said, or is no table.
  // NotSupported: values in blob files. PathNotFound, IOError: a file cannot be read, linked or
  // copied. Writers wait while the MANIFEST is written. SUSPENDS.
  virtual Status CreateColumnFamilyWithImport(const ColumnFamilyOptions& options,
                                              const std::string& column_family_name,
                                              const ImportColumnFamilyOptions& import_options,
                                              const ExportImportFilesMetaData& metadata,
                                              ColumnFamilyHandle** handle) {
    const std::vector<const ExportImportFilesMetaData*> metadatas = {&metadata};
    return CreateColumnFamilyWithImport(options, column_family_name, import_options, metadatas,
                                        handle);
  }
  // The files of several families, whose keys do not overlap, as one.
  virtual Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& column_family_name,
      const ImportColumnFamilyOptions& import_options,
      const std::vector<const ExportImportFilesMetaData*>& metadatas, ColumnFamilyHandle** handle);

  // The properties of every table file, by its path; opens the tables that are not open. Adds to
  // *props, also where a later table gives an error.
  virtual Status GetPropertiesOfAllTables(ColumnFamilyHandle* column_family,
                                          TablePropertiesCollection* props) = 0;
  virtual Status GetPropertiesOfAllTables(TablePropertiesCollection* props) {
    return GetPropertiesOfAllTables(DefaultColumnFamily(), props);
  }
  // Of those whose keys, from the first to the last, overlap one of the n ranges. Here, as in
  // RocksDB, a range includes its limit.
  virtual Status GetPropertiesOfTablesInRange(ColumnFamilyHandle* /*column_family*/,
                                              const Range* /*range*/, std::size_t /*n*/,
                                              TablePropertiesCollection* /*props*/) {
    return Status::NotSupported("GetPropertiesOfTablesInRange() is not supported.");
  }

  // The same by level: one for each that the family has.
  virtual Status GetPropertiesOfTablesByLevel(
      ColumnFamilyHandle* /*column_family*/,
      std::vector<std::unique_ptr<TablePropertiesCollection>>* /*props_by_level*/) {
    return Status::NotSupported("GetPropertiesOfTablesByLevel() is not supported.");
  }
  // When the oldest table file was made, in seconds since 1970; 0: of one it is not known;
  // UINT64_MAX: there is none. NotSupported, unless max_open_files is -1.
  virtual Status GetCreationTimeOfOldestFile(uint64_t* /*creation_time*/) {
    return Status::NotSupported("GetCreationTimeOfOldestFile() is not supported.");
  }
  // Deletes all keys outside of [begin_key, end_key), and the space that they take as far as it is
  // that of whole files. InvalidArgument: end_key comes before begin_key, or the family's keys have
  // timestamps. Not atomic. SUSPENDS.
  virtual Status ClipColumnFamily(ColumnFamilyHandle* /*column_family*/, const Slice& /*begin_key*/,
                                  const Slice& /*end_key*/) {
    return Status::NotSupported("ClipColumnFamily() is not supported.");
  }

  // Of the database, for ever (also in the IDENTITY file), and of this opening.
  virtual Status GetDbIdentity(std::string& identity) const = 0;
  virtual Status GetDbSessionId(std::string& session_id) const = 0;

  // The database below wrappers.
  virtual DB* GetRootDB() { return this; }

  // See rocksdb/experimental.h.
  virtual Status SuggestCompactRange(ColumnFamilyHandle* /*column_family*/, const Slice* /*begin*/,
                                     const Slice* /*end*/) {
    return Status::NotSupported("SuggestCompactRange() is not implemented.");
  }
  virtual Status PromoteL0(ColumnFamilyHandle* /*column_family*/, int /*target_level*/) {
    return Status::NotSupported("PromoteL0() is not implemented.");
  }

  // Writes a record of each operation that begins from now on to `writer`, which the database owns
  // from here: Get (GetEntity, GetMergeOperands and KeyMayExist, too), MultiGet, Write (and what is
  // one inside: Put, Delete, Merge, a transaction's commit), Iterator::Seek and SeekForPrev
  // (SeekToFirst with a lower bound and SeekToLast with an upper bound are these). The bytes are
  // those of RocksDB, which replays and analyses them. One record is written at a time: operations
  // wait for the writer, which must not call the database. A trace that runs already ends.
  //
  // OK, as in RocksDB, where the writer fails, too: after its first error nothing more is written,
  // and EndTrace() returns it. InvalidArgument: there is no writer. Thread-safe.
  virtual Status StartTrace(const TraceOptions& /*options*/,
                            std::unique_ptr<TraceWriter>&& /*writer*/) {
    return Status::NotSupported("StartTrace() is not implemented.");
  }
  // Writes the record of the end, and closes and deletes the writer. The first error that the
  // writer has met. IOError: no trace is running. Closing the database ends a trace, too, and its
  // LOG has the error. Thread-safe.
  virtual Status EndTrace() { return Status::NotSupported("EndTrace() is not implemented."); }

  // Writes a record of each lookup of a block in the block cache to `writer`
  // (rocksdb/block_cache_trace_writer.h), which the database owns from here. With TraceOptions its
  // sampling_frequency and max_trace_file_size count. Lookups wait for the writer, one after the
  // other. Blocks that a table keeps for itself, or pins, are not looked up. Busy: one is running.
  // InvalidArgument: there is no writer. Else what it said to the header. Thread-safe.
  virtual Status StartBlockCacheTrace(const TraceOptions& /*options*/,
                                      std::unique_ptr<TraceWriter>&& /*writer*/) {
    return Status::NotSupported("StartBlockCacheTrace() is not implemented.");
  }
  virtual Status StartBlockCacheTrace(const BlockCacheTraceOptions& /*options*/,
                                      std::unique_ptr<BlockCacheTraceWriter>&& /*writer*/) {
    return Status::NotSupported("StartBlockCacheTrace() is not implemented.");
  }
  // Deletes the writer. OK, whether or not a trace was running. Closing the database does the same.
  virtual Status EndBlockCacheTrace() {
    return Status::NotSupported("EndBlockCacheTrace() is not implemented.");
  }
  // Writes a record of each call of the file system that the database makes (what is called, of
  // which file, how long it took, what came of it) to `writer`, which the database owns from here.
  // The bytes are RocksDB's; our tool for them is io_tracer_parser. Of the options
  // max_trace_file_size counts. Calls wait for the writer, one after the other, and do not fail
  // with it. Busy: one is running. InvalidArgument: there is no writer. Else what it said to the
  // header. Thread-safe.
  virtual Status StartIOTrace(const TraceOptions& /*options*/,
                              std::unique_ptr<TraceWriter>&& /*writer*/) {
    return Status::NotSupported("StartIOTrace() is not implemented.");
  }
  // Closes and deletes the writer. OK, whether or not a trace was running. Closing the database
  // does the same.
  virtual Status EndIOTrace() { return Status::NotSupported("EndIOTrace() is not implemented."); }

  // *replayer does on this database what `reader`'s trace tells (rocksdb/utilities/replayer.h).
  // `handles`: of the families that it may use, which outlive it, as the database does; operations
  // on others are Corruption.
  virtual Status NewDefaultReplayer(const std::vector<ColumnFamilyHandle*>& /*handles*/,
                                    std::unique_ptr<TraceReader>&& /*reader*/,
                                    std::unique_ptr<Replayer>* /*replayer*/) {
    return Status::NotSupported("NewDefaultReplayer() is not implemented.");
  }
};

inline DB::SizeApproximationFlags operator&(DB::SizeApproximationFlags lhs,
                                            DB::SizeApproximationFlags rhs) {
  return static_cast<DB::SizeApproximationFlags>(static_cast<uint8_t>(lhs) &
                                                 static_cast<uint8_t>(rhs));
}
inline DB::SizeApproximationFlags operator|(DB::SizeApproximationFlags lhs,
                                            DB::SizeApproximationFlags rhs) {
  return static_cast<DB::SizeApproximationFlags>(static_cast<uint8_t>(lhs) |
                                                 static_cast<uint8_t>(rhs));
}

// Deletes a database that is not open: the files that belong to one, and the directory if it is
// empty then. OK if there is none; IOError while it is open.
Status DestroyDB(const std::string& name, const Options& options,
                 const std::vector<ColumnFamilyDescriptor>& column_families =
                     std::vector<ColumnFamilyDescriptor>());

// Makes a database that opens out of what is left of a damaged one that is not open (IOError: it
// is), whatever became of CURRENT and the MANIFEST: out of the tables and logs that can be read.
// What cannot be read, and what is not needed any more, goes to the folder `lost` beside it. Some
// data may have been lost; doc/reliability.md says what may be relied on. An empty or missing
// directory becomes an empty database. The options must be those of the database: comparators
// (InvalidArgument: a table has another one), wal_dir, db_paths. An interrupted repair may be
// repeated.
//
// `column_families` are the options of the families to be repaired, the default one among them
// (else InvalidArgument). Tables of other families go to `lost`, too.
Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& column_families);
// Families that are not among them are taken with unknown_cf_opts.
Status RepairDB(const std::string& dbname, const DBOptions& db_options,
                const std::vector<ColumnFamilyDescriptor>& column_families,
                const ColumnFamilyOptions& unknown_cf_opts);
// All families, with these options.
Status RepairDB(const std::string& dbname, const Options& options);

}  // namespace ROCKSDB_NAMESPACE
