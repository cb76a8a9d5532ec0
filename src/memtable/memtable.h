// A memtable: the newest writes, sorted, in memory. The commit layer adds, the read layer looks up
// and iterates, the flush job turns an immutable one into a table.
//
// Reference counted (Ref/Unref); the creator holds the first reference. Everything an entry
// consists of lives in the memtable's own arena: a Slice handed out stays good while a reference is
// held.
//
// Thread safety: readers need no lock. Add(allow_concurrent = false) needs exclusion from other
// writers; Add(allow_concurrent = true) may run beside others of its kind. Setters marked "db
// mutex" need that lock.
#ifndef CAIRN_MEMTABLE_MEMTABLE_H_
#define CAIRN_MEMTABLE_MEMTABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/arena.h"
#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/merge_operands.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "fiber/mutex.h"
#include "memtable/memtable_index.h"
#include "memtable/skiplist.h"
#include "memtable/write_buffer_client.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace cairn {

enum class MemTableKind { kSkipList, kVector, kHashSkipList, kHashLinkList, kUser };

struct MemTableOptions {
  size_t write_buffer_size = size_t{64}
                             << 20;  // bytes; ShouldFlush() says true at about this much memory
  size_t arena_block_size = 0;       // bytes; 0: an eighth of write_buffer_size, 4 KiB to 1 MiB
  size_t huge_page_size = 0;         // bytes, a power of two; 0: ordinary memory
  bool reserved_huge_pages = true;   // if the system has any; false: transparent ones
  std::shared_ptr<HugePagePool> huge_page_pool = nullptr;  // of the memtables before

  /// Only the skip list takes concurrent writers, and the user's own where its factory says so. The
  /// hashes of lists need a prefix_extractor.
  MemTableKind kind = MemTableKind::kSkipList;
  size_t vector_reserve = 0;  // entries
  HashSkipListOptions hash;
  HashLinkListOptions links;                                   // (its info_log is the one below)
  std::shared_ptr<MemTableRepFactory> user_factory = nullptr;  // of kUser
  uint32_t column_family = 0;                                  // likewise: its id

  /// Borrowed, may be null: what seeks of one prefix, and a filter, go by.
  const SliceTransform* prefix_extractor = nullptr;
  /// Of each entry's checksum, which reads and the flush compare: 1, 2, 4, 8; 0: entries have none.
  size_t protection_bytes = 0;
  /// Readers of a skip list compare the order of all entries that they meet, and their checksums,
  /// if they have any; or (on_seek) the checksums of those that a search meets.
  bool check_order = false;
  bool check_on_seek = false;
  uint64_t max_range_tombstones = 0;  // ShouldFlush() with so many; 0: however many
  size_t filter_bytes = 0;  // of a Bloom filter over prefixes, whole keys or both; 0: none
  bool filter_whole_keys = false;

  /// Values may be overwritten where they are (ColumnFamilyOptions::inplace_update_support), under
  /// one of so many locks; 0: never. Not of kUser.
  size_t inplace_locks = 0;
  UpdateStatus (*inplace_callback)(char*, uint32_t*, Slice, std::string*) = nullptr;
  Statistics* statistics = nullptr;  // borrowed, may be null

  WriteBufferClient* client = nullptr;  // borrowed, may be null: charged for the memory
  Logger* info_log = nullptr;           // borrowed, may be null
};

/// What a batch adds to a memtable's counters; concurrent writers collect it and add it once per
/// batch.
struct MemTableCounters {
  uint64_t entries = 0;
  uint64_t deletes = 0;
  uint64_t data_size = 0;  // bytes of keys and values
};

class MemTable {
 public:
  /// Every entry will have a sequence number > earliest_seq - 1; pass the last sequence number at
  /// creation.
  MemTable(const InternalKeyComparator& comparator, const MemTableOptions& options,
           SequenceNumber earliest_seq);

  MemTable(const MemTable&) = delete;
  MemTable& operator=(const MemTable&) = delete;

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  /// Deletes the memtable with the last reference. Any thread, no lock needed.
  void Unref();

  /// OK, or why the user's factory made nothing: then nothing can be added. Of other kinds always
  /// OK.
  Status creation_status() const;
  /// What the user's own may deny; others support both.
  bool SupportsMerge() const;
  bool SupportsSnapshots() const;

  /// Adds one entry. `counters`: where to count instead of the memtable's own (then AddCounters()
  /// it once at the end). TryAgain if an entry with the same key, sequence number and type exists;
  /// NotSupported for a type that this version does not store (blob indexes, ...). `checksum`, if
  /// not null: what EntryChecksum() of the entry is to be, once it is here; Corruption if not.
  [[nodiscard]] Status Add(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value,
                           bool allow_concurrent, MemTableCounters* counters = nullptr,
                           const uint64_t* checksum = nullptr);
  /// What is to become of a Put where updates are in place.
  enum class PutFate {
    kDone,     // the value there was overwritten, or is to stay: nothing is added
    kAdd,      // it is added as it is
    kAddMade,  // what the callback made is added in its place
    kUnknown,  // AskCallback(), with what the key has below the memtable
  };
  /// Puts are asked what they become (kTypeValue, kTypeWideColumnEntity), by one writer at a time.
  bool updates_in_place() const { return updates_in_place_; }
  /// REQUIRES: updates_in_place(), and nothing newer was added. `checksum` as in Add(), for a value
  /// that is overwritten. Aborted: the callback threw, or made what it must not.
  [[nodiscard]] Status UpdateInPlace(SequenceNumber seq, ValueType type, const Slice& key,
                                     const Slice& value, const uint64_t* checksum,
                                     std::string* made, PutFate* fate);
  /// `existing`: what the key has; null: nothing.
  [[nodiscard]] Status AskCallback(const std::string* existing, const Slice& value,
                                   std::string* made, PutFate* fate) const;
  void AddCounters(const MemTableCounters& counters);
  /// A batch of concurrent writes is in: before its sequence numbers are published.
  void FinishConcurrentBatch();

  /// Whether Prefetch() before the next entries pays: the memtable is larger than a cache, and they
  /// are not likely to follow the last one. With the exclusion that Add() needs.
  bool WantsPrefetch(bool allow_concurrent) const;
  /// Fetches what Add() of these user keys will read; see SkipList::Prefetch.
  void Prefetch(const Slice* user_keys, size_t count) const { list_.Prefetch(user_keys, count); }

  /// True if this memtable decides the lookup: *s is OK (and *value points into the memtable),
  /// NotFound (a tombstone) or an error. False: look further. `seq` receives the deciding entry's
  /// sequence number. *is_entity, if not null, is set if *value is an entity; null: that is
  /// NotSupported. Merge operands on the way are added to `operands`, older ones behind newer
  /// ones, pinned by the memtable; without `operands` they decide with MergeInProgress.
  /// `ignore_tombstones`: range tombstones hide nothing. *timestamp, if not null and empty,
  /// receives the timestamp of the newest entry or tombstone that was met, where there are any.
  bool Get(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq = nullptr,
           MergeOperands* operands = nullptr, bool ignore_tombstones = false,
           bool* is_entity = nullptr, std::string* timestamp = nullptr) const;

  /// All range tombstones so far; null: none. Whoever saw a sequence number published sees those up
  /// to it. They are cut into fragments when somebody asks for the first time after a new one.
  std::shared_ptr<const RangeTombstones> range_tombstones() const;
  uint64_t num_range_tombstones() const { return tombstone_count_.load(std::memory_order_acquire); }

  /// How many merge operands of the key lie on top of each other, from the newest one on; at most
  /// `limit`.
  size_t CountSuccessiveMerges(const LookupKey& key, size_t limit) const;

  /// A new iterator over internal keys, owned by the caller, who keeps the memtable referenced.
  /// Keys and values are pinned for the memtable's life. With `one_prefix` what a Seek comes to,
  /// and what follows it, need only be right within the prefix of the target.
  InternalIterator* NewIterator(bool one_prefix = false) const;
  /// For who reads all of it once: SeekToFirst, Next and NextEntry only.
  InternalIterator* NewTraversal() const;
  /// Shows a random part of the entries, of `at_least` or, if there are fewer, all. REQUIRES:
  /// immutable
  void Sample(size_t at_least,
              const std::function<void(const Slice& key, const Slice& value)>& take) const;
  /// Before a flush: tells the info log how the entries lie, if the options want that. REQUIRES:
  /// immutable
  void LogDistribution() const;
  /// Corruption: a range tombstone is not what was added. (Of entries their iterators say so.) OK
  /// without protection_bytes.
  Status VerifyRangeTombstones() const;

  /// Nothing is added from here on: its memory no longer counts as written to. Once, by whoever
  /// excludes writers.
  void MarkImmutable();
  /// It is in a table. Once, after MarkImmutable().
  void MarkFlushed();

  /// Bytes taken from the allocator, and bytes in use.
  size_t ApproximateMemoryUsage() const { return arena_.ApproximateMemoryUsage() + UserMemory(); }
  size_t MemoryAllocated() const { return arena_.MemoryAllocatedBytes() + UserMemory(); }
  /// Time to make it immutable and flush it. Cheap enough to ask per batch.
  bool ShouldFlush() const;
  /// From now on; any thread.
  void set_write_buffer_size(size_t bytes) {
    write_buffer_size_.store(bytes, std::memory_order_relaxed);
  }
  size_t write_buffer_size() const { return write_buffer_size_.load(std::memory_order_relaxed); }

  uint64_t num_entries() const { return entries_.load(std::memory_order_relaxed); }
  uint64_t num_deletes() const { return deletes_.load(std::memory_order_relaxed); }
  uint64_t data_size() const { return data_size_.load(std::memory_order_relaxed); }
  bool IsEmpty() const;

  /// The smallest sequence number added; 0 while empty.
  SequenceNumber GetFirstSequenceNumber() const {
    return first_seq_.load(std::memory_order_relaxed);
  }
  /// Given at construction.
  SequenceNumber GetEarliestSequenceNumber() const { return earliest_seq_; }
  /// The newest timestamp of entries and range tombstones, where these have one of 8 bytes and no
  /// two were added at once; empty: none was added. Any thread.
  std::string newest_timestamp() const;

  /// Estimated entries and bytes in the internal-key range [begin, end).
  void ApproximateRange(const Slice& begin, const Slice& end, uint64_t* count,
                        uint64_t* bytes) const;

  const InternalKeyComparator& comparator() const { return comparator_; }

  // The fields below belong to the list of immutable memtables and to flushing: db mutex.
  uint64_t GetID() const { return id_; }
  void SetID(uint64_t id) { id_ = id; }
  /// The WAL that starts after this memtable was made immutable: once flushed, older WALs hold
  /// nothing of it.
  uint64_t GetNextLogNumber() const { return next_log_number_; }
  /// What it has is in this WAL or later ones.
  uint64_t GetFirstLogNumber() const { return first_log_number_; }
  void SetFirstLogNumber(uint64_t number) { first_log_number_ = number; }
  void SetNextLogNumber(uint64_t number) { next_log_number_ = number; }

  /// It has, or will have, entries of a transaction that was prepared in the log `number`, which
  /// the commit in a later log says nothing of: that log is needed as long as the memtable is no
  /// table. Any thread, before the entries are added.
  void NeedPreparedLog(uint64_t number) {
    uint64_t oldest = prepared_log_.load(std::memory_order_relaxed);
    // release: who learns that the transaction is decided sees this.
    while ((oldest == 0 || number < oldest) &&
           !prepared_log_.compare_exchange_weak(oldest, number, std::memory_order_acq_rel)) {
    }
  }
  /// The oldest of them; 0: none.
  uint64_t prepared_log() const { return prepared_log_.load(std::memory_order_acquire); }

 private:
  friend class ImmutableMemTables;
  friend class MemTablePeer;  // tests
  // What a memtable by default does without, behind one pointer: its own path asks no more than
  // whether that is null.
  struct Special;

  ~MemTable();

  Status AddToUser(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value,
                   bool allow_concurrent, MemTableCounters* counters, const uint64_t* checksum);
  // Of an entry that was added: what the memtable knows of all of them.
  void NoteEntry(SequenceNumber seq, ValueType type, const Slice& key, size_t bytes,
                 bool allow_concurrent, MemTableCounters* counters);
  // Beside the arena's.
  size_t UserMemory() const;
  void AddToFilter(const Slice& key);
  SkipList::Node* AllocateSpecial(const Slice& key, size_t key_size, size_t value_size);
  // The first entry >= key, if it may be of the same user key. Corruption: see MemTableOptions.
  Status FindSpecial(const LookupKey& key, const SkipList::Node** node) const;
  // The newest range tombstone that covers a key; 0: none. Its timestamp lives as long as `all`.
  struct Cover {
    SequenceNumber sequence = 0;
    std::shared_ptr<const RangeTombstones> all;
    Slice timestamp;
  };
  // Get() of a key whose newest entry is a merge operand, or that range tombstones cover, or that
  // has a timestamp.
  bool GetSlowly(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                 MergeOperands* operands, const Cover& cover, bool* is_entity,
                 std::string* timestamp) const;
  // Get() where keys have timestamps.
  bool GetVersion(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                  MergeOperands* operands, bool ignore_tombstones, bool* is_entity,
                  std::string* timestamp) const;
  // False: the filter knows that there is no entry of the (bare) key.
  bool FilterMayContain(const Slice& key) const;
  Status AddTombstone(SequenceNumber seq, const Slice& start, const Slice& end,
                      const uint64_t* checksum);
  // Of MemTableOptions.
  size_t protection_bytes() const;
  // Whether an entry is what was added. REQUIRES: protection_bytes() != 0
  bool IsIntact(const Slice& internal_key, const Slice& value) const;
  class CheckedIterator;
  class CopyingIterator;
  class SearchCheck;
  InternalIterator* Checked(InternalIterator* iter) const;
  void NoteSequence(SequenceNumber seq);
  // REQUIRES: comparator_ has timestamps of 8 bytes.
  void NoteTimestamp(const Slice& user_key);

  const InternalKeyComparator comparator_;
  std::atomic<size_t> write_buffer_size_;  // relaxed: a limit that may change at any time
  const size_t arena_block_size_;
  const uint64_t max_range_tombstones_;  // 0: none
  const SequenceNumber earliest_seq_;
  WriteBufferCharge charge_;  // outlives the arena
  ConcurrentArena arena_;
  SkipList list_;
  SkipList::Splice hint_;  // of list_.Insert: guarded by its exclusion
  std::unique_ptr<Special> special_;

  struct StoredTombstone {
    Slice start, end;  // in the arena
    SequenceNumber sequence;
    uint64_t checksum;  // EntryChecksum; only with protection_bytes
  };
  mutable fiber::Mutex tombstone_mutex_;
  std::vector<StoredTombstone> tombstones_ FIBER_GUARDED_BY(tombstone_mutex_);
  // Of the first `fragmented_` of them.
  mutable std::shared_ptr<const RangeTombstones> fragments_ FIBER_GUARDED_BY(tombstone_mutex_);
  mutable size_t fragmented_ FIBER_GUARDED_BY(tombstone_mutex_) = 0;
  std::atomic<uint64_t> tombstone_count_{0};  // release: after tombstones_ has it

  // Relaxed: statistics, and first_seq_ which is read only after the writers are done.
  std::atomic<uint64_t> entries_{0};
  std::atomic<uint64_t> deletes_{0};
  std::atomic<uint64_t> data_size_{0};
  std::atomic<SequenceNumber> first_seq_{0};
  std::atomic<uint64_t> newest_timestamp_{0};  // written by one at a time
  std::atomic<bool> has_timestamp_{false};     // release: after newest_timestamp_
  std::atomic<int> refs_{1};

  uint64_t id_ = 0;
  uint64_t first_log_number_ = 0;
  uint64_t next_log_number_ = 0;
  std::atomic<uint64_t> prepared_log_{0};
  bool flush_in_progress_ = false;
  bool purged_ = false;  // it waits for the next one's flush
  const bool updates_in_place_;
};

}  // namespace cairn

#endif  // CAIRN_MEMTABLE_MEMTABLE_H_
