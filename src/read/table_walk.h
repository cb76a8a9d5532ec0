// The steps of a point lookup, which one key and many share: memtables, then a walk through the
// tables, newest first, that can be taken up again where it had to stop.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/allocation.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/perf.h"
#include "manifest/version.h"
#include "read/point_lookup.h"
#include "read/super_version.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "table/get_context.h"
#include "table/lookup_approach.h"
#include "table/table_cache.h"

namespace cairn {

constexpr int kAllLevels = std::numeric_limits<int>::max();

// Where a walk through the tables stands: the next file to ask.
struct TablePosition {
  int level = 0;
  size_t file = 0;        // in level 0; below: how many after the first that may hold the key
  uint32_t compared = 0;  // user keys on the way here that are not counted yet
};

// The first table that may have the key, as far as filters tell: where it is (or the end), and how
// far the lookup in it has come.
struct ApproachedTable {
  TablePosition at = {};
  LookupApproach how = {};
};

// What follows comes twice: where nothing is timed, at the usual PerfLevel, kTimed is false, and
// nothing asks for the level again.

// Calls visit(file, level) for each file that can hold the key, newest first, from `*at` on, up to
// the level before `end_level`, until it returns true; then *at is where that was.
template <class Visit>
[[gnu::always_inline]] inline void ForEachCandidate(const Version& version, const LookupKey& key,
                                                    int end_level, TablePosition* at,
                                                    const Visit& visit) {
  const InternalKeyComparator& icmp = version.icmp();
  const Slice internal_key = key.internal_key();
  const Slice user_key = key.user_key();
  const int levels = std::min(end_level, version.num_non_empty_levels());
  if (at->level == 0 && levels > 0) {
    const LevelFiles& newest = version.level_files(0);
    for (; at->file < newest.size; ++at->file) {
      const FileSlot& file = newest[at->file];
      at->compared += 2;
      if (icmp.CompareBare(user_key, ExtractUserKey(file.smallest)) < 0 ||
          icmp.CompareBare(user_key, ExtractUserKey(file.largest)) > 0) {
        continue;
      }
      if (visit(file, 0)) return;
    }
    at->level = 1;
    at->file = 0;
  }
  for (; at->level < levels; ++at->level, at->file = 0) {
    const LevelFiles& files = version.level_files(at->level);
    if (files.size == 0) continue;
    for (size_t i =
             FindFileInRange(icmp, files, internal_key, 0, files.size, &at->compared) + at->file;
         i < files.size; ++i) {
      ++at->compared;
      if (icmp.CompareBare(user_key, ExtractUserKey(files[i].smallest)) < 0) break;
      if (visit(files[i], at->level)) return;
      ++at->compared;
      // RocksDB cuts files between versions of a key, too.
      if (!icmp.EqualBare(user_key, ExtractUserKey(files[i].largest))) [[likely]]
        break;
      ++at->file;
    }
  }
}

[[nodiscard]] inline Status TableNotInMemory() {
  return Status::Incomplete("The table or block is not in memory, and it may not be read");
}

// Out of line, where it costs those without a row cache nothing.
[[gnu::noinline]] inline Status GetRow(const LookupRequest& request, const FileSlot& file,
                                       int level, const Slice& internal_key, GetContext* context) {
  return request.tables->GetRow(request.options, file.meta->TableId(level), internal_key, context);
}

// Looks a key up in the table files from `*at` on, up to the level before `end_level`: level 0
// newest first, then level by level, one file each, until the context is decided. OK when the walk
// ended (ask context->state()); an error of a table otherwise. `hit_level`, if not null, receives
// the level of the deciding file. Incomplete: the file at `*at` can tell only if it may be read;
// from there the walk may be taken up again, with a fresh context.
template <bool kTimed>
[[gnu::always_inline]] inline Status WalkTables(const LookupRequest& request, const LookupKey& key,
                                                int end_level, TablePosition* at,
                                                GetContext* context, int* hit_level) {
  Status s;
  const ReadOptions& options = request.options;
  const Slice internal_key = key.internal_key();
  MergeOperands* const operands = context->operands();
  const PerfTimerIf<kTimed> timer(&PerfContext::get_from_output_files_time);
  const Perf perf;
  const bool has_rows = request.tables->has_rows();
  ForEachCandidate(*request.sv.current, key, end_level, at, [&](const FileSlot& file, int level) {
    const size_t operands_above = operands != nullptr ? operands->size() : 0;
    const uint64_t start = kTimed && perf.counts_levels() ? fiber::now_nanos() : 0;
    TableReader* const reader = file.meta->table.slot.reader();
    if (has_rows) [[unlikely]] {
      s = GetRow(request, file, level, internal_key, context);
    } else {
      s = reader != nullptr
              ? reader->Get(options, internal_key, context)
              : request.tables->Get(options, file.meta->TableId(level), internal_key, context);
    }
    if (kTimed && start != 0) {
      perf.CountAt(level, &PerfContextByLevel::get_from_table_nanos, fiber::now_nanos() - start);
    }
    if (s.ok() && context->key_may_exist()) {
      s = TableNotInMemory();
    }
    if (!s.ok()) {
      // Whoever goes on from here asks this file again.
      if (operands != nullptr) operands->Truncate(operands_above);
      return true;
    }
    if (context->undecided()) return false;
    if (hit_level != nullptr) *hit_level = level;
    if (perf.counts_levels() && context->state() == GetContext::kFound) [[unlikely]] {
      perf.CountAt(level, &PerfContextByLevel::user_key_return_count);
    }
    return true;
  });
  perf.Count(&PerfContext::user_key_comparison_count, std::exchange(at->compared, 0));
  return s;
}

// The answer is what `operands` and the value below them make; the value, if they are just
// collected.
[[nodiscard]] Status MergeInto(const LookupRequest& request, const MergeOperands& operands,
                               const Slice& user_key, const MergeBase& base,
                               const LookupAnswer& answer);

// Of the entity that the answer's value is, as it is stored; without a value all is well.
[[nodiscard]] Status ShowEntity(const Slice& user_key, const LookupAnswer& answer);
// Of `entity`, which is elsewhere.
[[nodiscard]] Status CopyEntity(const Slice& user_key, const Slice& entity,
                                const LookupAnswer& answer);

// The lookup in the table that was approached, if one was, which is on *level then. *at: where
// WalkTables() goes on if the context is undecided. Incomplete: as WalkTables().
[[nodiscard]] Status FinishApproach(const LookupRequest& request, const LookupKey& lookup,
                                    ApproachedTable* approached, GetContext* context,
                                    TablePosition* at, int* level);

// True if a memtable decides; *s tells how. Merge operands that it, or those that do not decide,
// hold are added to `operands`.
template <bool kTimed>
[[gnu::always_inline]] inline bool LookInMemtables(const LookupRequest& request,
                                                   const LookupKey& lookup,
                                                   const LookupAnswer& answer,
                                                   MergeOperands* operands, Status* s) {
  const ReadOptions& options = request.options;
  const SuperVersion& sv = request.sv;
  Statistics* const statistics = request.statistics;
  if (options.read_tier == kPersistedTier) [[unlikely]]
    return false;
  Slice found;
  bool found_entity = false;
  PerfTimerIf<kTimed> timer(&PerfContext::get_from_memtable_time);
  const bool ignore = options.ignore_range_deletions;
  const bool decided =
      sv.mem->Get(lookup, &found, s, nullptr, operands, ignore, &found_entity, answer.timestamp) ||
      (sv.imm->size() != 0 &&
       sv.imm->Get(lookup, &found, s, nullptr, operands, ignore, &found_entity, answer.timestamp));
  timer.Stop();
  if (decided && !operands->empty()) [[unlikely]] {
    if (s->ok() || s->IsNotFound()) {
      const ValueType type = !s->ok()       ? kTypeDeletion
                             : found_entity ? kTypeWideColumnEntity
                                            : kTypeValue;
      *s = MergeInto(request, *operands, sv.current->icmp().BareKey(lookup.user_key()),
                     {found, type}, answer);
    }
  } else if (decided && s->ok() && answer.value != nullptr) {
    if (found_entity) [[unlikely]] {
      *s = CopyEntity(sv.current->icmp().BareKey(lookup.user_key()), found, answer);
    } else {
      *s = CopyInto(answer.value, found);
    }
  }
  if (statistics != nullptr) statistics->recordTick(decided ? MEMTABLE_HIT : MEMTABLE_MISS, 1);
  return decided;
}

// The blob index that the answer's value is becomes the blob. Without a value all is well: the key
// is there. SUSPENDS.
[[nodiscard]] Status ShowBlob(const LookupRequest& request, const GetContext& context,
                              const LookupAnswer& answer);

// Of a walk that ended well, and met merge operands. SUSPENDS where they stand on a blob.
[[nodiscard]] Status ConcludeMerge(const LookupRequest& request, const GetContext& context,
                                   const LookupAnswer& answer);

inline void CountHit(const GetContext& context, int hit_level, Statistics* statistics) {
  if (statistics == nullptr || context.state() != GetContext::kFound) return;
  statistics->recordTick(hit_level == 0   ? GET_HIT_L0
                         : hit_level == 1 ? GET_HIT_L1
                                          : GET_HIT_L2_AND_UP,
                         1);
}

// What the walk through the tables, which ended with `walked`, means to the user. SUSPENDS where
// the value is in a blob file.
inline Status Conclude(Status walked, const LookupRequest& request, const GetContext& context,
                       int hit_level, const LookupAnswer& answer) {
  CountHit(context, hit_level, request.statistics);
  if (!walked.ok()) return walked;
  if (answer.timestamp != nullptr && context.timestamps() != nullptr && answer.timestamp->empty()) {
    *answer.timestamp = context.timestamps()->newest;
  }
  if (!context.operands()->empty()) [[unlikely]] {
    return ConcludeMerge(request, context, answer);
  }
  switch (context.state()) {
    case GetContext::kFound:
      if (context.is_blob()) [[unlikely]]
        return ShowBlob(request, context, answer);
      if (context.is_entity()) [[unlikely]]
        return ShowEntity(context.user_key(), answer);
      return Status::OK();
    case GetContext::kDeleted:
    case GetContext::kNotFound:
    case GetContext::kMerge:  // no: there are no operands
      return Status::NotFound();
    case GetContext::kUnsupported:
      return Status::NotSupported("Value type is not supported");
    case GetContext::kNoMemory:
      return Status::MemoryLimit("no memory for the value");
    case GetContext::kCorrupt:
      break;
  }
  return Status::Corruption("corrupted entry for key", context.user_key().ToString(/*hex=*/true));
}

}  // namespace cairn
