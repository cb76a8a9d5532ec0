// What one run of commands reads and writes: reads of the database with the writes that the run
// has made so far on top, and all these writes in one atomic WriteBatch at its end.
//
// A run that only writes pays for the batch alone; the writes are indexed when the first read asks
// for it. Not thread safe; the run holds the stripes of the keys that it writes (lock_table.h).

#ifndef CAIRN_SERVER_KEYSPACE_TRANSACTION_H_
#define CAIRN_SERVER_KEYSPACE_TRANSACTION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/memory_budget.h"

namespace cairn::server {

class Keyspace;
class LockSet;

class Transaction {
 public:
  using Pending = std::map<std::string, std::optional<std::string>, std::less<>>;

  // `locks`: null of a run that only reads. Both are borrowed.
  Transaction(Keyspace* keyspace, LockSet* locks);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Keyspace& keyspace() { return *keyspace_; }
  // Milliseconds since 1970, the same for the whole run.
  uint64_t now_ms() const { return now_ms_; }

  // All further reads see one state of the database. Of a run that only reads.
  void HoldStill();

  // Reads the pairs of many keys at once; Get() then finds them here, each once, beside what was
  // prefetched before. Best asked for in that order: only the first `at_once` are read now, the
  // next ones when the first of them is asked for, as many at a time as their size allows. They all
  // show one state of the database.
  void Prefetch(std::vector<std::string> keys, size_t at_once = SIZE_MAX);
  // Of the values that the last Prefetch() has read at a time. REQUIRES: there was one.
  size_t prefetched_bytes() const { return prefetched_.back().bytes; }
  // How many the first Prefetch() would read at a time now. REQUIRES: there was one.
  size_t prefetched_at_once() const { return prefetched_.front().at_once; }
  // Forgets what the last Prefetch() read and nobody has asked for.
  void ForgetPrefetched() { prefetched_.pop_back(); }

  // The pairs of the store, by their encoded keys. NotFound if there is none.
  rocksdb::Status Get(std::string_view key, rocksdb::PinnableSlice* value);
  void Put(std::string_view key, std::string_view value);
  void Put(std::string_view key, const rocksdb::SliceParts& value);
  void Delete(std::string_view key);

  // The entry of a user's key, NotFound also if it has expired. `*bytes` holds what
  // `entry->value` views.
  rocksdb::Status Find(uint32_t ns, std::string_view key, Entry* entry,
                       rocksdb::PinnableSlice* bytes);
  // Of the calls of Find() since the last of this: those that found something, and the others.
  void TakeLookups(uint64_t* hits, uint64_t* misses) {
    *hits = std::exchange(hits_, 0);
    *misses = std::exchange(misses_, 0);
  }
  void PutEntry(uint32_t ns, std::string_view key, const Entry& entry);
  // Without looking at what was there.
  void PutString(uint32_t ns, std::string_view key, std::string_view value, uint64_t expires_at);
  void DeleteEntry(uint32_t ns, std::string_view key);
  // For a change of a key that leaves its entry as it is: tells its watchers of it.
  void Touch(uint32_t ns, std::string_view key);
  // Gives `entry` a number and makes it the owner of what is stored under it. The entry itself is
  // still to be put.
  void NewCollection(uint32_t ns, std::string_view key, Type type, Entry* entry);
  // Makes what is stored under the number belong to another key.
  void MoveCollection(uint64_t id, uint32_t ns, std::string_view key);

  // An ordered walk over [lower, upper), the run's own writes included as they were at its
  // creation. "" is no bound.
  class Range {
   public:
    virtual ~Range() = default;
    virtual void SeekToFirst() = 0;
    virtual void SeekToLast() = 0;
    // The first at or behind; the last at or before.
    virtual void Seek(std::string_view key) = 0;
    virtual void SeekForPrev(std::string_view key) = 0;
    virtual void Next() = 0;
    virtual void Prev() = 0;
    virtual bool Valid() const = 0;
    virtual std::string_view key() const = 0;
    virtual std::string_view value() const = 0;
    virtual rocksdb::Status status() const = 0;
  };
  std::unique_ptr<Range> NewRange(std::string lower, std::string upper);

  // The namespace of a database, as this run has it.
  uint32_t NamespaceOf(int database) const;
  // Gives a database a fresh namespace; exchanges those of two. REQUIRES: all stripes are held.
  rocksdb::Status FlushDatabase(int database);
  void SwapDatabases(int first, int second);

  // Why the run cannot go on: it has been asked for more memory than there is, or for a larger
  // batch than the store takes. Nothing more is added then, and the run must not be committed.
  const rocksdb::Status& status() const { return status_; }
  void Fail(rocksdb::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // Of a run that only reads: what failed was one command's alone.
  void Forgive() { status_ = rocksdb::Status(); }
  // For a value of so many bytes that is about to be made. False: Fail().
  bool Reserve(uint64_t bytes);

  bool has_writes() const { return batch_.Count() != 0; }
  size_t write_bytes() const { return batch_.GetDataSize(); }
  // SUSPENDS. Writes what there is, all or nothing, and tells the watchers of the changed keys.
  // `again`: whether what has failed so is to be tried once more. REQUIRES: status().ok().
  rocksdb::Status Commit(const rocksdb::WriteOptions& options,
                         const std::function<bool(const rocksdb::Status&)>& again = nullptr);

 private:
  struct Prefetched {
    std::string key;
    rocksdb::Status status;
    rocksdb::PinnableSlice value;
  };

  // What one Prefetch() has read, at a time.
  struct PrefetchedRun {
    std::vector<std::string> keys;  // all of them; those that were read are empty
    size_t read = 0;                // of the keys
    size_t at_once = 0;
    std::vector<Prefetched> pairs;
    size_t untaken = 0;  // of the pairs
    char tag = '\0';     // of the keys
    size_t next = 0;     // where the next one asked for is looked for first
    size_t bytes = 0;
  };

  // False: it was not prefetched, or was asked for already.
  bool TakePrefetched(std::string_view key, rocksdb::PinnableSlice* value, rocksdb::Status* status);
  void ReadNext(PrefetchedRun* run);
  // Before so many bytes are added to the batch.
  bool Charge(uint64_t bytes);
  void IndexWrites();
  void Index(std::string_view key, std::optional<std::string> value) {
    pending_.insert_or_assign(std::string(key), std::move(value));
  }
  rocksdb::ReadOptions read_options() const;

  Keyspace* const keyspace_;
  LockSet* const locks_;
  const uint64_t now_ms_;
  const rocksdb::Snapshot* snapshot_ = nullptr;
  rocksdb::WriteBatch batch_;
  bool indexed_ = false;
  Pending pending_;                                        // the batch, once indexed_
  std::vector<PrefetchedRun> prefetched_;                  // the newest last
  std::vector<std::pair<uint32_t, std::string>> touched_;  // that are watched, perhaps
  std::map<int, uint32_t> namespaces_;                     // that this run changes
  uint32_t fresh_namespaces_ = 0;
  uint64_t hits_ = 0, misses_ = 0;
  rocksdb::Status status_;
  MemoryShare share_;
  uint64_t reserved_ = 0;  // for values
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_TRANSACTION_H_
