// MultiGet, and with async_io also Get: lookups whose reads wait together. Without async_io the
// keys of a MultiGet are looked up one after the other as long as what is read is there at once, as
// out of the system's page cache, where it is the cheaper way (ReadPace). Some at a time they first
// come together to what is cached of what they touch (Approaches).
//
// The first pass looks up each key in what is in memory, one after the other, as plain calls. What
// is left must be read, on fibers of this very thread (together.h): first whatever tells where
// the keys can be (tables that are not open, filters, indexes), of all files that come into
// question at once; then the blocks that several keys share, or that adjoin, with one read, and
// those of all levels at once (LoadBlocksTogether); then the lookups go on from where they stand,
// all at once. It is the same walk, written once; and where all is in memory no fiber is made. Last
// come the values that tables only refer to, out of blob files, all at once.
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/perf.h"
#include "fiber/clock.h"
#include "fs/read_limits.h"
#include "read/approaches.h"
#include "read/point_lookup.h"
#include "read/table_walk.h"
#include "read/together.h"
#include "table/format.h"

namespace cairn {
namespace {

constexpr uint64_t kMaxRun = 256 << 10;  // bytes of blocks that are read at once

class MultiLookup {
 public:
  MultiLookup(const LookupRequest& request, const Slice* keys, PinnableSlice* values,
              Status* statuses, bool* are_entities, std::string* timestamps)
      : request_(request),
        options_(request.options),
        in_memory_options_(request.options),
        in_memory_{in_memory_options_, request.sv,        request.tables,  request.snapshot,
                   request.statistics, request.timestamp, request.trace_id},
        limits_(request.options),
        version_(*request.sv.current),
        tables_(request.tables),
        keys_(keys),
        values_(values),
        statuses_(statuses),
        are_entities_(are_entities),
        timestamps_(timestamps) {
    in_memory_options_.read_tier = kBlockCacheTier;
  }

  void Run(size_t n) {
    std::optional<Approaches> approaches;
    if (Approaches::MayHelp(in_memory_, n)) approaches.emplace(in_memory_);
    for (size_t i = 0; i < n; ++i) {
      ApproachedTable* const approached = approaches ? approaches->Next(keys_, n, i) : nullptr;
      values_[i].Reset();
      if (limits_.Over()) [[unlikely]] {
        statuses_[i] = limits_.Error();
        continue;
      }
      const LookupKey lookup(keys_[i], request_.snapshot, request_.timestamp);
      Unread key{i, MergeOperands(request_.sv.merge_operator)};
      const bool decided =
          Perf().timed()
              ? LookInMemtables<true>(request_, lookup, Answer(i), &key.operands, &statuses_[i])
              : LookInMemtables<false>(request_, lookup, Answer(i), &key.operands, &statuses_[i]);
      if (decided) continue;
      if (!Walk(in_memory_, lookup, kAllLevels, &key, approached)) {
        unread_.push_back(std::move(key));
      }
    }
    // Level by level only where the user wants it so: fewer reads in flight, and none for a key
    // that a level above turns out to have.
    const int levels = version_.num_non_empty_levels();
    for (int end = options_.optimize_multiget_for_io ? levels : 1; !unread_.empty(); ++end) {
      Cleanable pins;
      Prepare(end, &pins);
      if (unread_.size() > 1 || options_.optimize_multiget_for_io) {
        LoadBlocksTogether(end, &pins);
      } else {
        CountBatch(1);
      }
      ForEachTogether(unread_.size(), [&](size_t i) {
        Unread& key = unread_[i];
        key.concluded =
            Walk(request_, LookupKey(keys_[key.index], request_.snapshot, request_.timestamp), end,
                 &key);
      });
      std::erase_if(unread_, [](const Unread& key) { return key.concluded; });
    }
    ReadBlobs();
  }

 private:
  struct Unread {
    size_t index;
    MergeOperands operands;  // above `at`
    TablePosition at = {};
    bool concluded = false;
  };

  // A value that is in a blob file.
  struct InBlobFile {
    size_t index;
    MergeOperands operands;
    std::string blob_index;
    BlobIndex at;           // the same, as far as it can be read
    std::string timestamp;  // of the key that the blob file has; empty: there are none
  };

  // Something to be read before a data block.
  struct Part {
    TableFileId file;
    bool is_table;  // the table itself is to be opened
    MetaPart block = {};

    auto Order() const { return std::tuple(file.number, block.handle.offset); }
  };

  LookupAnswer Answer(size_t i) const {
    return {&values_[i], are_entities_ != nullptr ? are_entities_ + i : nullptr,
            timestamps_ != nullptr ? timestamps_ + i : nullptr};
  }

  // False: `key` is not concluded yet, and stands at what must be read or at `end_level`. It goes
  // on from where `approached`, if not null, is.
  bool Walk(const LookupRequest& request, const LookupKey& lookup, int end_level, Unread* key,
            ApproachedTable* approached = nullptr) {
    const size_t i = key->index;
    GetContext context(version_.icmp().user_comparator(), keys_[i], &values_[i], nullptr,
                       &key->operands);
    context.ShareTraceId(request.trace_id);
    GetContext::Timestamps timestamps;
    if (!request.timestamp.empty()) context.KeepTimestamps(&timestamps);
    int hit_level = -1;
    Status s;
    if (approached != nullptr) {
      s = FinishApproach(request, lookup, approached, &context, &key->at, &hit_level);
    }
    if (s.ok() && context.undecided()) {
      s = Perf().timed()
              ? WalkTables<true>(request, lookup, end_level, &key->at, &context, &hit_level)
              : WalkTables<false>(request, lookup, end_level, &key->at, &context, &hit_level);
    }
    if ((s.IsIncomplete() && request.options.read_tier == kBlockCacheTier) ||
        (s.ok() && context.undecided() && key->at.level < version_.num_non_empty_levels())) {
      NoteTimestamp(i, context);  // of an operand
      return false;
    }
    if (s.ok() && context.state() == GetContext::kFound && context.is_blob()) [[unlikely]] {
      CountHit(context, hit_level, request.statistics);
      NoteTimestamp(i, context);
      InBlobFile blob{i, std::move(key->operands), values_[i].ToString(), {}, timestamps.of_blob};
      DecodeBlobIndex(blob.blob_index, &blob.at).PermitUncheckedError();  // who reads it, tells
      blobs_.push_back(std::move(blob));
      return true;
    }
    statuses_[i] = Conclude(std::move(s), request, context, hit_level, Answer(i));
    return true;
  }

  void NoteTimestamp(size_t i, const GetContext& context) {
    if (timestamps_ == nullptr || context.timestamps() == nullptr || !timestamps_[i].empty())
      return;
    timestamps_[i] = context.timestamps()->newest;
  }

  // False: it may not be read here.
  bool ReadBlob(const LookupRequest& request, const InBlobFile& blob) {
    const size_t i = blob.index;
    BlobSource* const blobs = request.sv.blobs;
    if (blobs == nullptr) {
      values_[i].Reset();
      statuses_[i] = Status::NotSupported("nobody reads blob files here");
      return true;
    }
    const std::string stamped =
        blob.timestamp.empty() ? std::string() : keys_[i].ToString() + blob.timestamp;
    statuses_[i] = blobs->Get(request.options, stamped.empty() ? keys_[i] : Slice(stamped),
                              blob.blob_index, &values_[i]);
    if (statuses_[i].IsIncomplete() && request.options.read_tier == kBlockCacheTier) return false;
    if (statuses_[i].ok() && !blob.operands.empty()) {
      statuses_[i] =
          MergeInto(request, blob.operands, keys_[i], {values_[i], kTypeValue}, Answer(i));
    }
    return true;
  }

  // What the tables only refer to, all at once, in the order of the files. What the blob cache has
  // costs no fiber.
  void ReadBlobs() {
    if (blobs_.empty()) return;
    std::erase_if(blobs_, [&](const InBlobFile& blob) { return ReadBlob(in_memory_, blob); });
    std::sort(blobs_.begin(), blobs_.end(), [](const InBlobFile& a, const InBlobFile& b) {
      return std::tuple(a.at.file_number, a.at.offset) < std::tuple(b.at.file_number, b.at.offset);
    });
    ForEachTogether(blobs_.size(), [&](size_t i) { ReadBlob(request_, blobs_[i]); });
  }

  // Has the unread keys' tables opened, and their filters and indexes read, as far as `end_level`:
  // all tables at once, then all filters and indexes, then their partitions. An error is left to
  // the lookup, which comes across it again.
  void Prepare(int end_level, Cleanable* pins) {
    constexpr int kDeepest = 3;
    for (int depth = 0; depth < kDeepest; ++depth) {
      std::vector<Part> parts;
      for (const Unread& key : unread_) {
        const LookupKey lookup(keys_[key.index], request_.snapshot, request_.timestamp);
        TablePosition at = key.at;
        ForEachCandidate(version_, lookup, end_level, &at, [&](const FileSlot& file, int level) {
          AddMissing(file.meta->TableId(level), lookup.internal_key(), &parts);
          return false;
        });
      }
      std::sort(parts.begin(), parts.end(),
                [](const Part& a, const Part& b) { return a.Order() < b.Order(); });
      parts.erase(std::unique(parts.begin(), parts.end(),
                              [](const Part& a, const Part& b) { return a.Order() == b.Order(); }),
                  parts.end());
      // A single lookup reads a single part as well.
      if (parts.empty() || (parts.size() == 1 && unread_.size() == 1)) return;
      ForEachTogether(parts.size(), [&](size_t i) {
        const Part& part = parts[i];
        TableCache::Ref table;
        Status s = tables_->FindTable(part.file, &table, /*no_io=*/false, limits_);
        if (s.ok() && !part.is_table) s = table->LoadPart(options_, part.block, pins);
        s.PermitUncheckedError();
      });
    }
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

  // So many reads wait together.
  void CountBatch(size_t reads) const {
    if (reads == 0 || request_.statistics == nullptr) return;
    request_.statistics->recordInHistogram(MULTIGET_IO_BATCH_SIZE, reads);
  }

  // Reads each block that is wanted once, and adjoining ones together, unless the lookups would do
  // no worse. On all levels together, where no filter tells, the blocks of all files that may have
  // a key are wanted, though the first may turn out to have it: more reads, and one round trip. An
  // error is left to the lookup.
  void LoadBlocksTogether(int end_level, Cleanable* pins) {
    std::vector<Wanted> wanted;
    std::vector<Wanted> doubtful;
    bool several = false;  // of one key
    for (const Unread& key : unread_) {
      const size_t before = wanted.size();
      AddBlocks(key, end_level, &wanted, &doubtful);
      several |= wanted.size() > before + 1;
    }
    // A filter that errs costs the whole batch a round trip. Where few keys have a second file,
    // reading its blocks as well costs less.
    constexpr size_t kDoubtfulShare = 4;
    if (!doubtful.empty() && doubtful.size() <= wanted.size() / kDoubtfulShare) {
      wanted.insert(wanted.end(), doubtful.begin(), doubtful.end());
      several = true;
    }
    const size_t asked = wanted.size();
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
    CountBatch(starts.size());
    if (starts.size() == asked && !several) return;
    starts.push_back(wanted.size());
    ForEachTogether(starts.size() - 1, [&](size_t run) {
      std::vector<BlockHandle> handles;
      for (size_t i = starts[run]; i < starts[run + 1]; ++i) handles.push_back(wanted[i].handle);
      TableCache::Ref table;
      Status s = tables_->FindTable(wanted[starts[run]].file, &table, /*no_io=*/false, limits_);
      s.PermitUncheckedError();
      if (!s.ok()) return;
      std::vector<BlockRef> blocks(handles.size());
      table->PinBlocks(options_, handles, blocks);
      for (BlockRef& block : blocks) {
        if (block) block.TransferTo(pins);
      }
    });
  }

  // The block of the newest file that may have the key, and those of the files that may have it if
  // that one has not, as far as memory tells. `doubtful`: the block of the next file whose filter
  // does not exclude the key, either, which is read only if the one before has erred.
  void AddBlocks(const Unread& key, int end_level, std::vector<Wanted>* wanted,
                 std::vector<Wanted>* doubtful) const {
    const LookupKey lookup(keys_[key.index], request_.snapshot, request_.timestamp);
    TablePosition at = key.at;
    bool found = false;
    ForEachCandidate(version_, lookup, end_level, &at, [&](const FileSlot& file, int level) {
      const TableFileId id = file.meta->TableId(level);
      TableCache::Ref table;
      if (!tables_->FindTable(id, &table, /*no_io=*/true).ok()) return true;
      if (!table->CachesBlocks(options_)) return true;
      BlockHandle handle;
      const Status s = table->LocateBlock(in_memory_options_, lookup.internal_key(), &handle);
      if (s.IsNotFound()) return false;
      if (s.ok()) (found ? doubtful : wanted)->push_back({id, handle});
      if (found) return true;
      // What a filter says is there mostly is; without one any level may have it. Below a merge
      // operand the next level's is wanted, too.
      if (!s.ok() || !options_.optimize_multiget_for_io) return true;
      found = table->HasFilter() && key.operands.empty() &&
              (request_.sv.merge_operator == nullptr || !table->MayHoldOperands());
      return false;
    });
  }

  void AddMissing(const TableFileId& file, const Slice& internal_key, std::vector<Part>* parts) {
    TableCache::Ref table;
    if (!tables_->FindTable(file, &table, /*no_io=*/true).ok()) {
      parts->push_back({file, true});
      return;
    }
    if (table->FilterAndIndexArePinned() || !options_.fill_cache) return;
    missing_.clear();
    table->AddMissingParts(internal_key, &missing_);
    for (const MetaPart& block : missing_) parts->push_back({file, false, block});
  }

  const LookupRequest& request_;
  const ReadOptions& options_;  // the request's
  ReadOptions in_memory_options_;
  const LookupRequest in_memory_;  // the same request, of what is in memory
  const ReadLimits limits_;
  const Version& version_;
  TableCache* const tables_;
  const Slice* const keys_;
  PinnableSlice* const values_;
  Status* const statuses_;
  bool* const are_entities_;       // may be null
  std::string* const timestamps_;  // may be null
  std::vector<Unread> unread_;
  std::vector<InBlobFile> blobs_;
  std::vector<MetaPart> missing_;  // of one key in one table
};

}  // namespace

void MultiGetLookup(const LookupRequest& one, size_t n, const Slice* keys, PinnableSlice* values,
                    Status* statuses, bool* are_entities, std::string* timestamps) {
  LookupRequest request = one;
  uint64_t trace_id = 0;
  if (n > 1) request.trace_id = &trace_id;
  if (are_entities != nullptr) std::fill_n(are_entities, n, false);
  const auto together = [&](size_t from) {
    bool* const entities = are_entities != nullptr ? are_entities + from : nullptr;
    std::string* const found = timestamps != nullptr ? timestamps + from : nullptr;
    MultiLookup(request, keys + from, values + from, statuses + from, entities, found)
        .Run(n - from);
  };
  const bool may_read = request.options.read_tier == kReadAllTier;
  ReadPace* const pace = request.tables->pace();
  if (may_read && (request.options.async_io || (n > 1 && pace->WantsTogether()))) {
    together(0);
    return;
  }
  // One after the other, until reads take so long that the others' should wait together.
  const PerfContext* const counters = may_read && n > 1 ? Perf().counters() : nullptr;
  uint64_t reads = counters != nullptr ? counters->block_read_count : 0;
  uint64_t looked_at = counters != nullptr ? fiber::now_nanos() : 0;
  size_t cached = 0;
  uint64_t waited = 0;  // by those that read
  size_t readers = 0;
  const ReadLimits limits(request.options);
  std::optional<Approaches> approaches;
  if (Approaches::MayHelp(request, n)) approaches.emplace(request);
  for (size_t i = 0; i < n; ++i) {
    ApproachedTable* const approached = approaches ? approaches->Next(keys, n, i) : nullptr;
    values[i].Reset();
    if (limits.Over()) [[unlikely]] {
      statuses[i] = limits.Error();
      continue;
    }
    statuses[i] = PointLookup(request, keys[i],
                              {&values[i], are_entities != nullptr ? are_entities + i : nullptr,
                               timestamps != nullptr ? timestamps + i : nullptr, approached});
    ++cached;
    if (counters == nullptr || counters->block_read_count == reads) continue;
    const uint64_t now = fiber::now_nanos();
    waited += now - looked_at;
    ++readers;
    if (pace->IsSlow(now - looked_at, cached - 1) && i + 1 < n) {
      pace->TookOneByOne(waited, readers);
      together(i + 1);
      pace->TookTogether(fiber::now_nanos() - now, n - i - 1);
      return;
    }
    reads = counters->block_read_count;
    looked_at = now;
    cached = 0;
  }
  if (readers > 0) pace->TookOneByOne(waited, readers);
}

}  // namespace cairn
