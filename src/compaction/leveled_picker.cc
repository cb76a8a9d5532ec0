#include "compaction/leveled_picker.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "compaction/output_paths.h"
#include "fiber/clock.h"

namespace cairn {

namespace {

// An intra-level compaction of level 0 takes at least so many files, and only when level 0 holds so
// many more than its trigger.
constexpr size_t kMinFilesForIntraLevel0 = 4;
constexpr int kIntraLevel0Surplus = 2;

// Per file of `level`, the bytes of the next level that it overlaps.
std::vector<uint64_t> OverlappingBytes(const Version& version, int level, int next_level) {
  std::vector<uint64_t> bytes;
  for (const FileMetaData* f : version.files(level)) {
    const Slice smallest = f->smallest.user_key();
    const Slice largest = f->largest.user_key();
    uint64_t sum = 0;
    if (next_level > 0 && next_level < version.num_levels()) {
      const auto [from, to] = version.OverlappingRange(next_level, &smallest, &largest);
      for (size_t i = from; i < to; ++i) sum += version.level_files(next_level)[i].file_size;
    }
    bytes.push_back(sum);
  }
  return bytes;
}

}  // namespace

bool LeveledPicker::SetupOtherInputs(const ColumnFamilyOptions& options, const Version& version,
                                     CompactionInputFiles* start,
                                     CompactionInputFiles* output) const {
  Slice smallest, largest;
  GetRange(start->files, &smallest, &largest);
  version.GetOverlappingInputs(output->level, &smallest, &largest, &output->files);
  if (!ExpandToCleanCut(version, output)) return false;
  if (output->files.empty() || start->level == 0) return true;

  // The output level's files may reach further than the start level's. Whatever of the start level
  // lies within that range, and would not bring in more of the output level, comes along for free.
  std::vector<FileMetaData*> all = start->files;
  all.insert(all.end(), output->files.begin(), output->files.end());
  GetRange(all, &smallest, &largest);
  CompactionInputFiles grown{start->level, {}};
  version.GetOverlappingInputs(start->level, &smallest, &largest, &grown.files);
  if (grown.files.size() <= start->files.size() || !ExpandToCleanCut(version, &grown)) return true;
  if (TotalSize(grown.files) + TotalSize(output->files) > MaxCompactionBytes(options)) return true;
  GetRange(grown.files, &smallest, &largest);
  CompactionInputFiles same{output->level, {}};
  version.GetOverlappingInputs(output->level, &smallest, &largest, &same.files);
  if (!ExpandToCleanCut(version, &same) || same.files.size() != output->files.size()) return true;
  start->files = std::move(grown.files);
  return true;
}

// One attempt to find work: tries levels by score, then marked files.
class LeveledPicker::Pick {
 public:
  Pick(LeveledPicker* picker, const ColumnFamilyOptions& options, Version* version)
      : picker_(picker), options_(options), version_(version) {}

  std::unique_ptr<Compaction> Run() {
    bool level0_waits = false;
    for (int rank = 0; rank + 1 < std::max(version_->num_levels(), 2); ++rank) {
      const double score = version_->CompactionScore(rank);
      if (score < 1.0) break;
      const int level = version_->CompactionScoreLevel(rank);
      const int output_level = level == 0 ? version_->base_level() : level + 1;
      // Level 0 wants to go there: work on that level would only delay it.
      if (level0_waits && level == version_->base_level()) continue;
      if (TryLevel(level, output_level)) {
        return Done(score, level == 0 ? CompactionReason::kLevelL0FilesNum
                                      : CompactionReason::kLevelMaxLevelSize);
      }
      if (level != 0) continue;
      level0_waits = true;
      if (TryIntraLevel0()) return Done(score, CompactionReason::kLevelL0FilesNum);
    }
    for (const auto& [level, file] : version_->files_marked_for_compaction()) {
      if (level + 1 >= version_->num_levels()) continue;
      if (TryFile(level, level == 0 ? version_->base_level() : level + 1, file)) {
        return Done(1.0, CompactionReason::kFilesMarkedForCompaction);
      }
    }
    if (auto too_old = PickTooOld()) return too_old;
    // In their level: the blobs of old files are to be written anew, nothing else.
    for (const auto& [level, file] : version_->files_marked_for_blob_gc()) {
      if (TryFile(level, level == 0 ? version_->base_level() : level, file)) {
        return Done(1.0, CompactionReason::kForcedBlobGC);
      }
    }
    return nullptr;
  }

 private:
  std::unique_ptr<Compaction> Done(double score, CompactionReason reason) {
    Compaction::Params params;
    params.inputs = {std::move(start_), std::move(output_)};
    params.output_level = output_level_;
    params.output_path_id = PathOfLevel(picker_->paths(), options_, output_level_);
    params.score = score;
    params.reason = reason;
    params.max_subcompactions = picker_->max_subcompactions();
    return picker_->Make(options_, version_, std::move(params));
  }

  // Nothing else is to be done: what ttl sends to the next level, and what must be rewritten now
  // and then.
  std::unique_ptr<Compaction> PickTooOld() {
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    if (version_->next_expiry() >= now) return nullptr;
    for (const bool periodic : {false, true}) {
      for (int level = 0; level < version_->num_levels(); ++level) {
        for (FileMetaData* file : version_->files(level)) {
          const uint64_t end = periodic ? version_->PeriodEnd(options_, *file)
                                        : version_->TtlEnd(options_, level, *file);
          if (end >= now) continue;
          const int next = level == 0 ? version_->base_level() : level + 1;
          if (TryFile(level, periodic ? level : next, file)) {
            return Done(1.0,
                        periodic ? CompactionReason::kPeriodicCompaction : CompactionReason::kTtl);
          }
        }
      }
    }
    return nullptr;
  }

  bool TryLevel(int level, int output_level) {
    if (output_level <= level) return false;
    for (FileMetaData* f : FilesInOrder(level, output_level)) {
      if (!TryFile(level, output_level, f)) continue;
      if (picker_->round_robin_.size() <= static_cast<size_t>(level)) {
        picker_->round_robin_.resize(static_cast<size_t>(level) + 1);
      }
      picker_->round_robin_[static_cast<size_t>(level)] = f->largest.user_key().ToString();
      return true;
    }
    return false;
  }

  bool TryFile(int level, int output_level, FileMetaData* file) {
    if (file->being_compacted) return false;
    // Two jobs from level 0 could put a newer entry below an older one.
    if (level == 0 && picker_->Level0Running()) return false;
    start_ = {level, {file}};
    output_ = {output_level, {}};
    output_level_ = output_level;
    if (!picker_->ExpandToCleanCut(*version_, &start_)) return false;
    if (output_level != level &&
        !picker_->SetupOtherInputs(options_, *version_, &start_, &output_)) {
      return false;
    }
    if (picker_->StaysWhereItIs(options_, *version_, start_.files, level, output_level)) {
      return false;
    }
    return !picker_->OutputsOverlapRunning(options_, *version_, {start_, output_}, output_level);
  }

  // Level 0 cannot go down now. Merging its newest files among themselves at least keeps reads and
  // the stop trigger at bay. They are neighbours in age, so their output takes their place in
  // order.
  bool TryIntraLevel0() {
    const std::vector<FileMetaData*>& files = version_->files(0);
    if (static_cast<int>(files.size()) <
        options_.level0_file_num_compaction_trigger + kIntraLevel0Surplus) {
      return false;
    }
    uint64_t bytes_per_removed = 0;
    start_ = {0,
              picker_->NewestToMerge(*version_, MaxCompactionBytes(options_), &bytes_per_removed)};
    if (start_.files.size() < kMinFilesForIntraLevel0) return false;
    output_ = {0, {}};
    output_level_ = 0;
    return true;
  }

  // The files of a level, the best to compact first.
  std::vector<FileMetaData*> FilesInOrder(int level, int output_level) const {
    const std::vector<FileMetaData*>& files = version_->files(level);
    std::vector<size_t> order(files.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (level > 0) {
      // Equal choices take turns, so that no part of the key space is left behind.
      const size_t next = AfterCursor(level);
      std::rotate(order.begin(), order.begin() + next, order.end());
    } else {
      std::reverse(order.begin(), order.end());  // oldest first
    }
    // Sorts by rank; equal ranks stay in the order above.
    const auto by = [&](auto rank) {
      std::vector<std::pair<uint64_t, size_t>> ranked;
      for (size_t at = 0; at < order.size(); ++at) ranked.emplace_back(rank(order[at]), at);
      std::sort(ranked.begin(), ranked.end());
      std::vector<size_t> sorted;
      for (const auto& [r, at] : ranked) sorted.push_back(order[at]);
      order = std::move(sorted);
    };
    switch (options_.compaction_pri) {
      case kByCompensatedSize:
        by([&](size_t i) { return UINT64_MAX - files[i]->compensated_file_size; });
        break;
      case kOldestLargestSeqFirst:
        by([&](size_t i) { return files[i]->largest_seqno; });
        break;
      case kOldestSmallestSeqFirst:
        by([&](size_t i) { return files[i]->smallest_seqno; });
        break;
      case kRoundRobin:
        break;
      case kMinOverlappingRatio:
      default: {
        const std::vector<uint64_t> overlap = OverlappingBytes(*version_, level, output_level);
        by([&](size_t i) {
          return overlap[i] * 1024 / std::max<uint64_t>(files[i]->compensated_file_size, 1);
        });
        break;
      }
    }
    std::vector<FileMetaData*> result;
    for (const size_t i : order) result.push_back(files[i]);
    return result;
  }

  size_t AfterCursor(int level) const {
    if (picker_->round_robin_.size() <= static_cast<size_t>(level)) return 0;
    const std::string& cursor = picker_->round_robin_[static_cast<size_t>(level)];
    if (cursor.empty()) return 0;
    const std::vector<FileMetaData*>& files = version_->files(level);
    const auto it = std::partition_point(files.begin(), files.end(), [&](const FileMetaData* f) {
      return picker_->icmp().CompareBare(f->smallest.user_key(), cursor) <= 0;
    });
    return it == files.end() ? 0 : static_cast<size_t>(it - files.begin());
  }

  LeveledPicker* const picker_;
  const ColumnFamilyOptions& options_;
  Version* const version_;
  CompactionInputFiles start_, output_;
  int output_level_ = 0;
};

std::unique_ptr<Compaction> LeveledPicker::PickCompaction(const ColumnFamilyOptions& options,
                                                          Version* version) {
  return Pick(this, options, version).Run();
}

std::unique_ptr<Compaction> LeveledPicker::CompactRange(const ColumnFamilyOptions& options,
                                                        Version* version,
                                                        const CompactRangeOptions& range_options,
                                                        const ManualRange& range,
                                                        ManualStep* step) {
  const int input_level = range.input_level;
  const int output_level = range.output_level;
  assert(input_level <= output_level && output_level < version->num_levels());
  step->more = false;
  step->conflict = false;
  CompactionInputFiles start{input_level, {}};
  version->GetOverlappingInputs(input_level, range.begin, range.end, &start.files);

  if (input_level > 0 && !start.files.empty()) {
    // A level is taken in steps: a run of neighbours of bounded size, that holds no file to ignore.
    const std::vector<FileMetaData*> overlapping = std::move(start.files);
    start.files.clear();
    const uint64_t max_bytes = MaxCompactionBytes(options);
    const auto ignored = [&](const FileMetaData* f) {
      return input_level == output_level && f->number >= range.ignore_files_from;
    };
    size_t i = 0;
    while (i < overlapping.size() && ignored(overlapping[i])) ++i;
    uint64_t bytes = 0;
    for (; i < overlapping.size() && !ignored(overlapping[i]); ++i) {
      if (!start.files.empty() && bytes + overlapping[i]->file_size > max_bytes) break;
      bytes += overlapping[i]->file_size;
      start.files.push_back(overlapping[i]);
    }
  }
  if (start.files.empty()) return nullptr;

  if (input_level == 0 && Level0Running()) {
    step->conflict = true;
    return nullptr;
  }
  if (!ExpandToCleanCut(*version, &start)) {
    step->conflict = true;
    return nullptr;
  }
  CompactionInputFiles output{output_level, {}};
  if (input_level != output_level && !SetupOtherInputs(options, *version, &start, &output)) {
    step->conflict = true;
    return nullptr;
  }
  if (output_level > 0 && OutputsOverlapRunning(options, *version, {start, output}, output_level)) {
    step->conflict = true;
    return nullptr;
  }

  if (input_level > 0) {
    // What follows the last file taken, if the range goes on to there.
    const std::vector<FileMetaData*>& files = version->files(input_level);
    const Slice taken = start.files.back()->largest.user_key();
    const auto next = std::partition_point(files.begin(), files.end(), [&](const FileMetaData* f) {
      return icmp().CompareBare(f->smallest.user_key(), taken) <= 0;
    });
    if (next != files.end() &&
        (range.end == nullptr ||
         icmp().CompareBare((*next)->smallest.user_key(), *range.end) <= 0)) {
      step->resume_at = (*next)->smallest.user_key().ToString();
      step->more = true;
    }
  }

  Compaction::Params params;
  params.inputs = {std::move(start), std::move(output)};
  params.output_level = output_level;
  params.output_path_id = range_options.target_path_id;
  params.manual = true;
  params.reason = CompactionReason::kManualCompaction;
  params.blob_gc_policy = range_options.blob_garbage_collection_policy;
  params.blob_gc_age_cutoff = range_options.blob_garbage_collection_age_cutoff;
  params.max_subcompactions = range_options.max_subcompactions != 0
                                  ? range_options.max_subcompactions
                                  : max_subcompactions();
  const BottommostLevelCompaction bottommost = range_options.bottommost_level_compaction;
  params.trivial_move_allowed = bottommost != BottommostLevelCompaction::kForce &&
                                bottommost != BottommostLevelCompaction::kForceOptimized;
  return Make(options, version, std::move(params));
}

}  // namespace cairn
