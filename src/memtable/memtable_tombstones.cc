// A memtable's range tombstones.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/entry_checksum.h"
#include "memtable/memtable.h"
#include "memtable/memtable_special.h"

namespace cairn {

Status MemTable::AddTombstone(SequenceNumber seq, const Slice& start, const Slice& end,
                              const uint64_t* checksum) {
  // Room for the bytes here, and charged for what stands beside them, whole and in fragments.
  const size_t bytes = start.size() + end.size();
  char* const p = arena_.Allocate(2 * (bytes + sizeof(StoredTombstone) + sizeof(RangeTombstone)));
  if (p == nullptr) return Status::MemoryLimit("no memory for a range tombstone");
  std::memcpy(p, start.data(), start.size());
  std::memcpy(p + start.size(), end.data(), end.size());
  const Slice stored_start(p, start.size());
  const Slice stored_end(p + start.size(), end.size());
  uint64_t own = 0;
  if (checksum != nullptr || protection_bytes() != 0) {
    own = EntryChecksum(kTypeRangeDeletion, stored_start, stored_end);
    if (own != (checksum != nullptr ? *checksum : EntryChecksum(kTypeRangeDeletion, start, end))) {
      return ChecksumMismatch("a range tombstone changed in memory");
    }
  }
  {
    fiber::MutexLock lock(&tombstone_mutex_);
    tombstones_.push_back({stored_start, stored_end, seq, own});
    tombstone_count_.store(tombstones_.size(), std::memory_order_release);
  }
  data_size_.fetch_add(bytes + kInternalKeyFooterSize, std::memory_order_relaxed);
  NoteSequence(seq);
  if (comparator_.timestamp_size() == kUnpersistedTimestampSize) NoteTimestamp(start);
  return Status::OK();
}

std::shared_ptr<const RangeTombstones> MemTable::range_tombstones() const {
  if (num_range_tombstones() == 0) return nullptr;
  fiber::MutexLock lock(&tombstone_mutex_);
  if (fragmented_ != tombstones_.size()) {
    std::vector<RangeTombstone> all;
    all.reserve(tombstones_.size());
    for (const StoredTombstone& one : tombstones_) {
      all.push_back(MakeRangeTombstone(comparator_, one.start, one.end, one.sequence));
    }
    fragments_ = std::make_shared<const RangeTombstones>(comparator_, std::move(all));
    fragmented_ = tombstones_.size();
  }
  return fragments_;
}

Status MemTable::VerifyRangeTombstones() const {
  if (protection_bytes() == 0) return Status::OK();
  fiber::MutexLock lock(&tombstone_mutex_);
  for (const StoredTombstone& one : tombstones_) {
    if (EntryChecksum(kTypeRangeDeletion, one.start, one.end) != one.checksum) {
      return ChecksumMismatch("a range tombstone of a memtable changed in memory, from " +
                              one.start.ToString(/*hex=*/true));
    }
  }
  return Status::OK();
}

}  // namespace cairn
