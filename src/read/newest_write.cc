#include "read/newest_write.h"

#include "read/table_walk.h"
#include "table/get_context.h"

namespace cairn {

Status WrittenSince(const SuperVersion& sv, TableCache* tables, const Slice& key,
                    SequenceNumber since, bool* written) {
  *written = false;
  const LookupKey lookup(key, kMaxSequenceNumber);
  SequenceNumber newest = 0;
  // (How the entry reads is of no interest: the newest one decides, an operand too.)
  Status entry;
  bool is_entity = false;
  if (sv.mem->Get(lookup, nullptr, &entry, &newest, nullptr, false, &is_entity) ||
      (sv.imm->size() != 0 &&
       sv.imm->Get(lookup, nullptr, &entry, &newest, nullptr, false, &is_entity))) {
    entry.PermitUncheckedError();
    *written = newest > since;
    return Status::OK();
  }
  const ReadOptions options;
  GetContext context(sv.current->icmp().user_comparator(), key, /*value=*/nullptr, &newest);
  Status s;
  TablePosition at;
  ForEachCandidate(*sv.current, lookup, kAllLevels, &at, [&](const FileSlot& file, int level) {
    if (file.meta->largest_seqno <= since) return false;
    s = tables->Get(options, file.meta->TableId(level), lookup.internal_key(), &context);
    return !s.ok() || !context.undecided();
  });
  if (!s.ok()) return s;
  if (context.state() == GetContext::kCorrupt) {
    return Status::Corruption("corrupted entry for key", key.ToString(/*hex=*/true));
  }
  *written = newest > since;
  return Status::OK();
}

}  // namespace cairn
