// What the parts of a MemTable's code share: what only some memtables have, and checksums of
// entries.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "base/coding.h"
#include "base/hash.h"
#include "base/perf.h"
#include "fiber/mutex.h"
#include "memtable/checked_search.h"
#include "memtable/memtable.h"
#include "memtable/memtable_filter.h"
#include "memtable/memtable_index.h"
#include "memtable/user_memtable.h"

namespace cairn {

struct MemTable::Special {
  std::unique_ptr<MemTableIndex> index;    // null: the skip list
  std::unique_ptr<UserMemTable> user;      // instead of both; null: it is not the user's own
  std::unique_ptr<MemTableFilter> filter;  // null: none
  const SliceTransform* prefix_extractor = nullptr;
  bool filter_whole_keys = false;
  size_t protection_bytes = 0;  // behind each entry's value
  bool check_order = false;     // see MemTableOptions; of the skip list
  bool check_on_seek = false;   // likewise

  // Of values, by their keys' hashes; without updates in place there is none.
  std::unique_ptr<fiber::Mutex[]> value_locks;
  size_t value_lock_count = 0;
  UpdateStatus (*inplace_callback)(char*, uint32_t*, Slice, std::string*) = nullptr;
  Statistics* statistics = nullptr;

  fiber::Mutex* LockOf(const Slice& user_key) const {
    return &value_locks[HashSlice64(user_key) % value_lock_count];
  }
  bool checks_searches() const { return check_order || check_on_seek; }
};

inline size_t MemTable::protection_bytes() const {
  return special_ == nullptr ? 0 : special_->protection_bytes;
}

inline Status EntryChanged(const Slice& internal_key) {
  return ChecksumMismatch("an entry of a memtable changed in memory, key " +
                          ExtractUserKey(internal_key).ToString(/*hex=*/true));
}

// What stands behind an entry: the lowest bytes.
inline void EncodeChecksum(uint64_t checksum, size_t bytes, char* to) {
  char whole[sizeof(uint64_t)];
  EncodeFixed64(whole, checksum);
  std::memcpy(to, whole, bytes);
}

inline bool AskFilter(const MemTableFilter& filter, const Slice& bytes) {
  const bool may_contain = filter.MayContain(bytes);
  Perf().Count(may_contain ? &PerfContext::bloom_memtable_hit_count
                           : &PerfContext::bloom_memtable_miss_count);
  return may_contain;
}

// Looks at what a search of the skip list comes by.
class MemTable::SearchCheck final : public SkipListCheck {
 public:
  explicit SearchCheck(const MemTable* table) : table_(table) {}
  bool compares_order() const override { return table_->special_->check_order; }
  Status Check(const SkipList::Node& node) const override {
    return !table_->special_->check_on_seek || table_->IsIntact(node.key(), node.value())
               ? Status::OK()
               : EntryChanged(node.key());
  }

 private:
  const MemTable* const table_;
};

}  // namespace cairn
