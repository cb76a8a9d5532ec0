// MultiGet, and with async_io also Get: lookups whose reads wait together.
//
// The first pass looks up each key in what is in memory, one after the other, as plain calls. What
// is left must be read, on fibers of this very thread (together.h): first whatever tells where
// the keys can be (tables that are not open, filters, indexes), of all files that come into
// question at once; then, if keys share blocks or have adjoining ones, each such run of blocks with
// one read; then the lookups go on from where they stand, all at once. It is the same walk, written
// once; and where all is in memory no fiber is made.
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "fs/read_limits.h"
#include "read/point_lookup.h"
#include "read/table_walk.h"
#include "read/together.h"
#include "table/format.h"

namespace cairn {
namespace {

constexpr uint64_t kMaxRun = 256 << 10;  // bytes of blocks that are read at once

class MultiLookup {
 public:
  MultiLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
              const Slice* keys, SequenceNumber snapshot, PinnableSlice* values, Status* statuses,
              Statistics* statistics)
      : options_(options),
        in_memory_(options),
        limits_(options),
        sv_(sv),
        version_(*sv.current),
        tables_(tables),
        keys_(keys),
        snapshot_(snapshot),
        values_(values),
        statuses_(statuses),
        statistics_(statistics) {
    in_memory_.read_tier = kBlockCacheTier;
  }

  void Run(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      values_[i].Reset();
      if (limits_.Over()) [[unlikely]] {
        statuses_[i] = limits_.Error();
        continue;
      }
      const LookupKey lookup(keys_[i], snapshot_);
      if (LookInMemtables(sv_, lookup, &values_[i], statistics_, nullptr, &statuses_[i])) continue;
      Unread key{i, {}};
      if (!Walk(in_memory_, lookup, kAllLevels, &key)) unread_.push_back(key);
    }
    // Level by level only where the user wants it so: fewer reads in flight, and none for a key
    // that a level above turns out to have.
    const int levels = version_.num_non_empty_levels();
    for (int end = options_.optimize_multiget_for_io ? levels : 1; !unread_.empty(); ++end) {
      Prepare(end);
      Cleanable pins;
      if (unread_.size() > 1) LoadSharedRuns(end, &pins);
      ForEachTogether(unread_.size(), [&](size_t i) {
        Unread& key = unread_[i];
        key.concluded = Walk(options_, LookupKey(keys_[key.index], snapshot_), end, &key);
      });
      std::erase_if(unread_, [](const Unread& key) { return key.concluded; });
    }
  }

 private:
  struct Unread {
    size_t index;
    TablePosition at;
    bool concluded = false;
  };

  // Something to be read before a data block.
  struct Part {
    enum Kind { kTable, kFilter, kIndex } kind;
    TableFileId file;
    size_t index;  // of the key

    auto Order() const { return std::tuple(kind, file.number, kind == kIndex ? index : 0); }
  };

  // False: `key` is not concluded yet, and stands at what must be read or at `end_level`.
  bool Walk(const ReadOptions& options, const LookupKey& lookup, int end_level, Unread* key) {
    const size_t i = key->index;
    GetContext context(version_.icmp().user_comparator(), keys_[i], &values_[i]);
    int hit_level = -1;
    Status s =
        WalkTables(options, version_, tables_, lookup, end_level, &key->at, &context, &hit_level);
    if (s.IsIncomplete() && options.read_tier == kBlockCacheTier) return false;
    if (s.ok() && context.state() == GetContext::kNotFound &&
        key->at.level < version_.num_non_empty_levels()) {
      return false;
    }
    statuses_[i] = Conclude(std::move(s), context, hit_level, statistics_);
    return true;
  }

  // Has the unread keys' tables opened, and their filters and indexes read, as far as `end_level`.
  // An error is left to the lookup, which comes across it again.
  void Prepare(int end_level) {
    std::vector<Part> parts;
    for (const Unread& key : unread_) {
      const LookupKey lookup(keys_[key.index], snapshot_);
      TablePosition at = key.at;
      ForEachCandidate(version_, lookup, end_level, &at, [&](const FileSlot& file, int level) {
        AddMissing(file.meta->TableId(level), key.index, lookup.internal_key(), &parts);
        return false;
      });
    }
    std::sort(parts.begin(), parts.end(),
              [](const Part& a, const Part& b) { return a.Order() < b.Order(); });
    parts.erase(std::unique(parts.begin(), parts.end(),
                            [](const Part& a, const Part& b) { return a.Order() == b.Order(); }),
                parts.end());
    if (parts.size() < 2) return;  // the lookup reads it as well
    ForEachTogether(parts.size(), [&](size_t i) {
      const Part& part = parts[i];
      TableCache::Ref table;
      if (!tables_->FindTable(part.file, &table, /*no_io=*/false, limits_).ok() ||
          part.kind == Part::kTable) {
        return;
      }
      const LookupKey lookup(keys_[part.index], snapshot_);
      const Status s = part.kind == Part::kFilter
                           ? table->LoadFilter(options_)
                           : table->LoadIndex(options_, lookup.internal_key());
      s.PermitUncheckedError();
    });
  }

  // A data block that is wanted.
  struct Wanted {
    TableFileId file;
    BlockHandle handle;

    auto Order() const { return std::tuple(file.number, handle.offset); }
    bool PrecededBy(const Wanted& other) const {
      return file.number == other.file.number &&
             handle.offset == other.handle.offset + other.handle.size + kBlockTrailerSize;
    }
  };

  // Reads each block that is wanted next once, and adjoining ones together, if that makes fewer
  // reads than there are keys. An error is left to the lookup.
  void LoadSharedRuns(int end_level, Cleanable* pins) {
    std::vector<Wanted> wanted;
    for (const Unread& key : unread_) AddNextBlock(key, end_level, &wanted);
    const size_t keys = wanted.size();
    std::sort(wanted.begin(), wanted.end(),
              [](const Wanted& a, const Wanted& b) { return a.Order() < b.Order(); });
    wanted.erase(
        std::unique(wanted.begin(), wanted.end(),
                    [](const Wanted& a, const Wanted& b) { return a.Order() == b.Order(); }),
        wanted.end());
    std::vector<size_t> starts;  // of runs, in `wanted`
    uint64_t run_bytes = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      run_bytes += wanted[i].handle.size;
      if (i > 0 && wanted[i].PrecededBy(wanted[i - 1]) && run_bytes <= kMaxRun) continue;
      starts.push_back(i);
      run_bytes = wanted[i].handle.size;
    }
    if (starts.size() == keys) return;
    starts.push_back(wanted.size());
    ForEachTogether(starts.size() - 1, [&](size_t run) {
      std::vector<BlockHandle> handles;
      for (size_t i = starts[run]; i < starts[run + 1]; ++i) handles.push_back(wanted[i].handle);
      TableCache::Ref table;
      Status s = tables_->FindTable(wanted[starts[run]].file, &table, /*no_io=*/false, limits_);
      if (s.ok()) s = table->LoadBlocks(options_, handles, pins);
      s.PermitUncheckedError();
    });
  }

  // The block of the newest file that may have the key, if what tells it is in memory.
  void AddNextBlock(const Unread& key, int end_level, std::vector<Wanted>* wanted) const {
    const LookupKey lookup(keys_[key.index], snapshot_);
    TablePosition at = key.at;
    ForEachCandidate(version_, lookup, end_level, &at, [&](const FileSlot& file, int level) {
      const TableFileId id = file.meta->TableId(level);
      TableCache::Ref table;
      if (!tables_->FindTable(id, &table, /*no_io=*/true).ok()) return true;
      if (!table->CachesBlocks(options_)) return true;
      BlockHandle handle;
      const Status s = table->LocateBlock(in_memory_, lookup.internal_key(), &handle);
      if (s.ok()) wanted->push_back({id, handle});
      return !s.IsNotFound();
    });
  }

  void AddMissing(const TableFileId& file, size_t index, const Slice& internal_key,
                  std::vector<Part>* parts) const {
    TableCache::Ref table;
    if (!tables_->FindTable(file, &table, /*no_io=*/true).ok()) {
      parts->push_back({Part::kTable, file, index});
      return;
    }
    if (table->FilterAndIndexArePinned() || !options_.fill_cache) return;
    if (table->LoadFilter(in_memory_).IsIncomplete()) {
      parts->push_back({Part::kFilter, file, index});
    }
    if (table->LoadIndex(in_memory_, internal_key).IsIncomplete()) {
      parts->push_back({Part::kIndex, file, index});
    }
  }

  const ReadOptions& options_;
  ReadOptions in_memory_;
  const ReadLimits limits_;
  const SuperVersion& sv_;
  const Version& version_;
  TableCache* const tables_;
  const Slice* const keys_;
  const SequenceNumber snapshot_;
  PinnableSlice* const values_;
  Status* const statuses_;
  Statistics* const statistics_;
  std::vector<Unread> unread_;
};

}  // namespace

void MultiGetLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                    size_t n, const Slice* keys, SequenceNumber snapshot, PinnableSlice* values,
                    Status* statuses, Statistics* statistics) {
  if (options.async_io && options.read_tier == kReadAllTier) {
    MultiLookup(options, sv, tables, keys, snapshot, values, statuses, statistics).Run(n);
    return;
  }
  const ReadLimits limits(options);
  for (size_t i = 0; i < n; ++i) {
    values[i].Reset();
    if (limits.Over()) [[unlikely]] {
      statuses[i] = limits.Error();
      continue;
    }
    statuses[i] = PointLookup(options, sv, tables, keys[i], snapshot, &values[i], statistics);
  }
}

}  // namespace cairn
