#include "read/newest_write.h"

#include <string>

#include "read/table_walk.h"
#include "table/get_context.h"

namespace cairn {

namespace {

// (Tables that have nothing newer than `since` are not asked. `timestamp`: of the entry, where
// `lookup` has one; else null.)
Status FindNewest(const SuperVersion& sv, TableCache* tables, const LookupKey& lookup,
                  const Slice& key, SequenceNumber since, SequenceNumber* newest,
                  std::string* timestamp) {
  *newest = 0;
  // (How the entry reads is of no interest: the newest one decides, an operand too.)
  Status entry;
  bool is_entity = false;
  if (sv.mem->Get(lookup, nullptr, &entry, newest, nullptr, false, &is_entity, timestamp) ||
      (sv.imm->size() != 0 &&
       sv.imm->Get(lookup, nullptr, &entry, newest, nullptr, false, &is_entity, timestamp))) {
    entry.PermitUncheckedError();
    return Status::OK();
  }
  const ReadOptions options;
  GetContext context(sv.current->icmp().user_comparator(), key, /*value=*/nullptr, newest);
  GetContext::Timestamps timestamps;
  if (timestamp != nullptr) context.KeepTimestamps(&timestamps);
  Status s;
  TablePosition at;
  ForEachCandidate(*sv.current, lookup, kAllLevels, &at, [&](const FileSlot& file, int level) {
    if (file.meta->largest_seqno <= since) return false;
    s = tables->Get(options, file.meta->TableId(level), lookup.internal_key(), &context);
    return !s.ok() || !context.undecided();
  });
  if (s.ok() && context.state() == GetContext::kCorrupt) {
    s = Status::Corruption("corrupted entry for key", key.ToString(/*hex=*/true));
  }
  if (timestamp != nullptr) *timestamp = timestamps.newest;
  return s;
}

}  // namespace

Status WrittenSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                    SequenceNumber since, bool* written) {
  SequenceNumber newest = 0;
  const LookupKey lookup(key, kMaxSequenceNumber);
  Status s = FindNewest(sv, tables, lookup, key, since, &newest, /*timestamp=*/nullptr);
  *written = s.ok() && newest > since;
  return s;
}

Status StampedSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                    SequenceNumber since, const Slice& read_timestamp, bool* written) {
  const InternalKeyComparator& icmp = sv.current->icmp();
  const std::string largest(icmp.timestamp_size(), '\xff');
  const LookupKey lookup(key, kMaxSequenceNumber, largest);
  SequenceNumber newest = 0;
  std::string timestamp;
  Status s =
      FindNewest(sv, tables, lookup, key, read_timestamp.empty() ? since : 0, &newest, &timestamp);
  *written = s.ok() && newest > since;
  if (s.ok() && !read_timestamp.empty() && !timestamp.empty()) {
    *written |= icmp.user_comparator()->CompareTimestamp(read_timestamp, timestamp) < 0;
  }
  return s;
}

Status NewestWrite(const SuperVersion& sv, TableCache* tables, const Slice& key,
                   SequenceNumber bound, SequenceNumber* newest) {
  const LookupKey lookup(key, bound);
  return FindNewest(sv, tables, lookup, key, /*since=*/0, newest, /*timestamp=*/nullptr);
}

}  // namespace cairn
