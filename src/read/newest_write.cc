#include "read/newest_write.h"

#include "read/table_walk.h"
#include "table/get_context.h"

namespace cairn {

namespace {

// (Tables that have nothing newer than `since` are not asked.)
Status FindNewest(const SuperVersion& sv, TableCache* tables, const Slice& key,
                  SequenceNumber bound, SequenceNumber since, SequenceNumber* newest) {
  const LookupKey lookup(key, bound);
  *newest = 0;
  // (How the entry reads is of no interest: the newest one decides, an operand too.)
  Status entry;
  bool is_entity = false;
  if (sv.mem->Get(lookup, nullptr, &entry, newest, nullptr, false, &is_entity) ||
      (sv.imm->size() != 0 &&
       sv.imm->Get(lookup, nullptr, &entry, newest, nullptr, false, &is_entity))) {
    entry.PermitUncheckedError();
    return Status::OK();
  }
  const ReadOptions options;
  GetContext context(sv.current->icmp().user_comparator(), key, /*value=*/nullptr, newest);
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
  return s;
}

}  // namespace

Status WrittenSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                    SequenceNumber since, bool* written) {
  SequenceNumber newest = 0;
  Status s = FindNewest(sv, tables, key, kMaxSequenceNumber, since, &newest);
  *written = s.ok() && newest > since;
  return s;
}

Status NewestWrite(const SuperVersion& sv, TableCache* tables, const Slice& key,
                   SequenceNumber bound, SequenceNumber* newest) {
  return FindNewest(sv, tables, key, bound, /*since=*/0, newest);
}

}  // namespace cairn
