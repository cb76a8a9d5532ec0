#include "read/point_lookup.h"

namespace cairn {
namespace {

// What a decided (or undecided) context means to the user.
Status StatusOf(const GetContext& context) {
  switch (context.state()) {
    case GetContext::kFound:
      return Status::OK();
    case GetContext::kDeleted:
    case GetContext::kNotFound:
      return Status::NotFound();
    case GetContext::kMerge:
      return Status::NotSupported("Merge is not supported");
    case GetContext::kUnsupported:
      return Status::NotSupported("Value type is not supported");
    case GetContext::kCorrupt:
      break;
  }
  return Status::Corruption("corrupted entry for key", context.user_key().ToString(/*hex=*/true));
}

}  // namespace

Status GetFromVersion(const ReadOptions& options, const Version& version, TableCache* tables,
                      const LookupKey& key, GetContext* context, int* hit_level) {
  if (hit_level != nullptr) *hit_level = -1;
  const InternalKeyComparator& icmp = version.icmp();
  const Slice internal_key = key.internal_key();
  const Slice user_key = key.user_key();

  // True if the walk is over; *s tells how.
  const auto ask = [&](const FileSlot& file, int level, Status* s) {
    TableReader* const reader = file.meta->table.slot.reader();
    *s = reader != nullptr ? reader->Get(options, internal_key, context)
                           : tables->Get(options, file.meta->TableId(level), internal_key, context);
    if (!s->ok()) return true;
    if (context->key_may_exist()) {
      *s = Status::Incomplete("The table or block is not in memory, and it may not be read");
      return true;
    }
    if (context->state() == GetContext::kNotFound) return false;
    if (hit_level != nullptr) *hit_level = level;
    return true;
  };

  Status s;
  const int levels = version.num_non_empty_levels();
  if (levels == 0) return s;
  const LevelFiles& newest = version.level_files(0);
  for (size_t i = 0; i < newest.size; ++i) {
    const FileSlot& file = newest[i];
    if (icmp.CompareUserKey(user_key, ExtractUserKey(file.smallest)) < 0 ||
        icmp.CompareUserKey(user_key, ExtractUserKey(file.largest)) > 0) {
      continue;
    }
    if (ask(file, 0, &s)) return s;
  }
  for (int level = 1; level < levels; ++level) {
    const LevelFiles& files = version.level_files(level);
    if (files.size == 0) continue;
    const size_t i = FindFile(icmp, files, internal_key);
    if (i == files.size) continue;
    if (icmp.CompareUserKey(user_key, ExtractUserKey(files[i].smallest)) < 0) continue;
    if (ask(files[i], level, &s)) return s;
  }
  return s;
}

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   Statistics* statistics, SequenceNumber* seq) {
  const LookupKey lookup(key, snapshot);
  Status s;
  Slice found;
  if (sv.mem->Get(lookup, &found, &s, seq) ||
      (sv.imm->size() != 0 && sv.imm->Get(lookup, &found, &s, seq))) {
    if (s.ok() && value != nullptr) value->PinSelf(found);
    if (statistics != nullptr) statistics->recordTick(MEMTABLE_HIT, 1);
    return s;
  }
  GetContext context(sv.current->icmp().user_comparator(), key, value, seq);
  int level = -1;
  s = GetFromVersion(options, *sv.current, tables, lookup, &context, &level);
  if (statistics != nullptr) {
    statistics->recordTick(MEMTABLE_MISS, 1);
    if (context.state() == GetContext::kFound) {
      statistics->recordTick(level == 0   ? GET_HIT_L0
                             : level == 1 ? GET_HIT_L1
                                          : GET_HIT_L2_AND_UP,
                             1);
    }
  }
  return s.ok() ? StatusOf(context) : s;
}

void MultiGetLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                    size_t n, const Slice* keys, SequenceNumber snapshot, PinnableSlice* values,
                    Status* statuses, Statistics* statistics) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    values[i].Reset();
    if (bytes > options.value_size_soft_limit) {
      statuses[i] = Status::Aborted();
      continue;
    }
    statuses[i] = PointLookup(options, sv, tables, keys[i], snapshot, &values[i], statistics);
    bytes += values[i].size();
  }
}

}  // namespace cairn
