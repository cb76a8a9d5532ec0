#include "compaction/universal_picker.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "compaction/incremental_slice.h"
#include "compaction/output_paths.h"
#include "fiber/clock.h"
#include "options/options_check.h"

namespace cairn {
namespace {

// `small` bytes with the tolerance come to `large`.
bool Reaches(uint64_t small, uint64_t ratio_percent, uint64_t large) {
  return static_cast<double>(small) * (100.0 + static_cast<double>(ratio_percent)) / 100.0 >=
         static_cast<double>(large);
}

}  // namespace

class UniversalPicker::Pick {
 public:
  struct SortedRun {
    int level = 0;
    std::vector<FileMetaData*> files;  // level 0: one
    uint64_t bytes = 0;                // compensated: tombstones make a run larger
    bool being_compacted = false;
  };

  Pick(UniversalPicker* picker, const ColumnFamilyOptions& options, Version* version)
      : picker_(picker),
        options_(options),
        universal_(options.compaction_options_universal),
        version_(version),
        last_level_(version->num_levels() - (picker->reserves_last_level() ? 2 : 1)),
        runs_(SortedRuns(*version, last_level_)) {}

  std::unique_ptr<Compaction> Run() {
    if (auto c = RewriteOld()) return c;
    if (auto c = MergeRuns()) return c;
    for (const auto& [level, file] : version_->files_marked_for_compaction()) {
      if (auto c = CompactMarked(level, file)) return c;
    }
    return nullptr;
  }

  std::unique_ptr<Compaction> All(const CompactRangeOptions& range_options) {
    Compaction::Params params = ParamsOf(0, runs_.size(), CompactionReason::kManualCompaction);
    params.manual = true;
    params.output_path_id = range_options.target_path_id;
    params.trivial_move_allowed = false;
    params.blob_gc_policy = range_options.blob_garbage_collection_policy;
    params.blob_gc_age_cutoff = range_options.blob_garbage_collection_age_cutoff;
    if (range_options.max_subcompactions != 0) {
      params.max_subcompactions = range_options.max_subcompactions;
    }
    return Start(std::move(params), 0);
  }

  const std::vector<SortedRun>& runs() const { return runs_; }
  int last_level() const { return last_level_; }

 private:
  static SortedRun MakeRun(int level, std::vector<FileMetaData*> files) {
    SortedRun run{level, std::move(files)};
    run.being_compacted = AnyBeingCompacted(run.files);
    for (const FileMetaData* f : run.files) run.bytes += f->compensated_file_size;
    return run;
  }
  static std::vector<SortedRun> SortedRuns(const Version& version, int last_level) {
    std::vector<SortedRun> runs;
    for (FileMetaData* f : version.files(0)) runs.push_back(MakeRun(0, {f}));
    for (int level = 1; level <= last_level; ++level) {
      if (!version.files(level).empty()) runs.push_back(MakeRun(level, version.files(level)));
    }
    return runs;
  }

  // Rules 1 to 3.
  std::unique_ptr<Compaction> MergeRuns() {
    const auto trigger =
        static_cast<size_t>(std::max(options_.level0_file_num_compaction_trigger, 1));
    if (runs_.size() < trigger) return nullptr;
    if (auto c = ReduceSpaceAmplification()) return c;
    constexpr unsigned kAnyNumber = std::numeric_limits<unsigned>::max();
    if (auto c = MergeNeighbours(universal_.size_ratio, kAnyNumber,
                                 CompactionReason::kUniversalSizeRatio)) {
      return c;
    }
    const auto idle = static_cast<size_t>(std::count_if(
        runs_.begin(), runs_.end(), [](const SortedRun& r) { return !r.being_compacted; }));
    const size_t most =
        universal_.max_read_amp < 0 ? trigger : static_cast<size_t>(universal_.max_read_amp);
    if (idle <= most) return nullptr;
    constexpr unsigned kAnyRatio = std::numeric_limits<unsigned>::max();
    return MergeNeighbours(kAnyRatio, static_cast<unsigned>(idle - most + 1),
                           CompactionReason::kUniversalSortedRunNum);
  }

  // What was not rewritten for too long, with all that is newer and not being compacted: so that it
  // comes to the last level.
  std::unique_ptr<Compaction> RewriteOld() {
    const uint64_t now = fiber::wall_micros() / 1'000'000;
    if (version_->next_expiry() >= now) return nullptr;
    const auto is_old = [&](const FileMetaData* f) {
      return version_->PeriodEnd(options_, *f) < now;
    };
    size_t first = runs_.size();
    bool any = false;
    while (first > 0 && !runs_[first - 1].being_compacted) {
      --first;
      any |= std::any_of(runs_[first].files.begin(), runs_[first].files.end(), is_old);
    }
    return any ? Merge(first, runs_.size(), CompactionReason::kPeriodicCompaction) : nullptr;
  }

  // A file that asks for it (its tombstones are many), with what it overlaps of the next older run;
  // from level 0 with all that is older there.
  std::unique_ptr<Compaction> CompactMarked(int level, FileMetaData* file) {
    CompactionInputFiles start{level, {file}};
    if (level == 0) {
      const std::vector<FileMetaData*>& files = version_->files(0);
      start.files.assign(std::find(files.begin(), files.end(), file), files.end());
    }
    if (level > 0 ? !picker_->ExpandToCleanCut(*version_, &start) : AnyBeingCompacted(start.files))
      return nullptr;
    int output_level = level + 1;
    while (output_level < version_->num_levels() && version_->files(output_level).empty()) {
      ++output_level;
    }
    output_level = std::min(output_level, version_->num_levels() - 1);
    if (picker_->StaysWhereItIs(options_, *version_, start.files, level, output_level)) {
      return nullptr;
    }
    Compaction::Params params;
    params.inputs.push_back(std::move(start));
    if (output_level > level) {
      Slice smallest, largest;
      CompactionInputFiles older{output_level, {}};
      picker_->GetRange(params.inputs, &smallest, &largest);
      version_->GetOverlappingInputs(output_level, &smallest, &largest, &older.files);
      if (!picker_->ExpandToCleanCut(*version_, &older)) return nullptr;
      params.inputs.push_back(std::move(older));
    }
    if (output_level > 0 && OverlapRunning(params.inputs, output_level)) return nullptr;
    params.output_level = output_level;
    params.reason = CompactionReason::kFilesMarkedForCompaction;
    params.max_subcompactions = picker_->max_subcompactions();
    params.trivial_move_allowed = false;
    params.score = version_->CompactionScore(0);
    const auto newer_or_in = [output_level](const SortedRun& run) {
      return run.level <= output_level;
    };
    return Start(std::move(params),
                 static_cast<size_t>(std::count_if(runs_.begin(), runs_.end(), newer_or_in)));
  }

  // The last level is a tier of its own, whose size says nothing of the space that the others take.
  bool LeavesOutLastLevel() const {
    return options_.preclude_last_level_data_seconds > 0 && version_->num_levels() > 2 &&
           runs_.size() > 1 && runs_.back().level == version_->num_levels() - 1;
  }

  std::unique_ptr<Compaction> ReduceSpaceAmplification() {
    const bool leaves_out_last = LeavesOutLastLevel();
    const size_t end = runs_.size() - (leaves_out_last ? 1 : 0);
    const SortedRun& oldest = runs_[end - 1];
    size_t first = 0;
    while (first + 1 < end && runs_[first].being_compacted) ++first;
    if (first + 1 >= end || oldest.being_compacted) return nullptr;
    uint64_t newer = 0;
    for (size_t i = first; i + 1 < end; ++i) {
      if (runs_[i].being_compacted) return nullptr;
      newer += runs_[i].bytes;
    }
    if (static_cast<double>(newer) * 100.0 <
        static_cast<double>(oldest.bytes) * universal_.max_size_amplification_percent) {
      return nullptr;
    }
    if (universal_.incremental && !leaves_out_last) {
      if (auto c = MergeSliceIntoOldest(newer)) return c;
    }
    return Merge(first, end, CompactionReason::kUniversalSizeAmplification);
  }

  // A slice of the run above the oldest one, with what it overlaps there, and with what of newer
  // runs lies within its range. `newer`: bytes of all runs but the oldest. Null: level 0 cannot be
  // sliced, or no slice is worth it against a merge of everything.
  std::unique_ptr<Compaction> MergeSliceIntoOldest(uint64_t newer) {
    // So much more of the oldest run may a slice rewrite for each byte than a merge of everything.
    constexpr double kWorseThanAll = 1.8;
    const SortedRun& oldest = runs_.back();
    const SortedRun& above = runs_[runs_.size() - 2];
    if (above.level == 0 || newer == 0) return nullptr;
    const double all = static_cast<double>(oldest.bytes) / static_cast<double>(newer);
    // Half: the slice is made whole (ExpandToCleanCut), and newer runs add to it.
    const IncrementalSlice slice =
        CheapestSlice(picker_->icmp(), above.files, oldest.files, MaxCompactionBytes(options_) / 2,
                      all * kWorseThanAll);
    if (slice.begin == slice.end) return nullptr;

    std::vector<CompactionInputFiles> inputs;  // the lowest level first, for now
    inputs.push_back({oldest.level, {}});
    inputs.push_back({above.level,
                      {above.files.begin() + static_cast<ptrdiff_t>(slice.begin),
                       above.files.begin() + static_cast<ptrdiff_t>(slice.end)}});
    if (!picker_->ExpandToCleanCut(*version_, &inputs[1])) return nullptr;
    Slice smallest, largest;
    picker_->GetRange(inputs[1].files, &smallest, &largest);
    version_->GetOverlappingInputs(oldest.level, &smallest, &largest, &inputs[0].files);
    if (!picker_->ExpandToCleanCut(*version_, &inputs[0])) return nullptr;
    // (The slice may fall into a gap of the oldest run.)
    if (inputs[0].files.empty()) inputs.erase(inputs.begin());

    for (size_t i = runs_.size() - 2; i-- > 0 && runs_[i].level > 0;) {
      if (!version_->OverlapInLevel(runs_[i].level, &smallest, &largest)) continue;
      // A newer run goes along only where all that is between it and the oldest one does.
      CompactionInputFiles within = FilesWithin(runs_[i], smallest, largest);
      if (within.files.empty()) break;
      picker_->GetRange(within.files, &smallest, &largest);
      inputs.push_back(std::move(within));
    }
    std::reverse(inputs.begin(), inputs.end());

    Compaction::Params params;
    params.inputs = std::move(inputs);
    params.output_level = oldest.level;
    params.reason = CompactionReason::kUniversalSizeAmplification;
    params.max_subcompactions = picker_->max_subcompactions();
    params.trivial_move_allowed = universal_.allow_trivial_move;
    params.score = version_->CompactionScore(0);
    if (OverlapRunning(params.inputs, params.output_level)) return nullptr;
    return Start(std::move(params), runs_.size());
  }

  // The files that lie between the two user keys, if they can be cut out of their run and none of
  // them is being compacted; else none.
  CompactionInputFiles FilesWithin(const SortedRun& run, const Slice& smallest,
                                   const Slice& largest) const {
    const InternalKeyComparator& icmp = picker_->icmp();
    CompactionInputFiles within{run.level, {}};
    for (FileMetaData* f : run.files) {
      if (icmp.CompareBare(f->smallest.user_key(), smallest) >= 0 &&
          icmp.CompareBare(f->largest.user_key(), largest) <= 0) {
        within.files.push_back(f);
      }
    }
    const size_t found = within.files.size();
    if (!picker_->ExpandToCleanCut(*version_, &within) || within.files.size() != found) {
      within.files.clear();
    }
    return within;
  }

  std::unique_ptr<Compaction> MergeNeighbours(unsigned size_ratio, unsigned most,
                                              CompactionReason reason) {
    const size_t least = std::max(universal_.min_merge_width, 2U);
    most = std::min(most, universal_.max_merge_width);
    for (size_t first = 0; first < runs_.size(); ++first) {
      if (runs_[first].being_compacted) continue;
      const size_t end = EndOfNeighbours(first, size_ratio, most);
      if (end - first >= least) return Merge(first, end, reason);
    }
    return nullptr;
  }

  size_t EndOfNeighbours(size_t first, unsigned size_ratio, unsigned most) const {
    uint64_t bytes = runs_[first].bytes;
    size_t end = first + 1;
    for (; end < runs_.size() && end - first < most; ++end) {
      const SortedRun& next = runs_[end];
      if (next.being_compacted || !Reaches(bytes, size_ratio, next.bytes)) break;
      if (universal_.stop_style == kCompactionStopStyleSimilarSize) {
        if (!Reaches(next.bytes, size_ratio, bytes)) break;
        bytes = next.bytes;
      } else {
        bytes += next.bytes;
      }
    }
    return end;
  }

  std::unique_ptr<Compaction> Merge(size_t first, size_t end, CompactionReason reason) {
    if (OutputLevel(end) == 0 && !MayStayInLevel0(first, end)) {
      // Then it goes below, and all of level 0 that is older with it.
      do {
        if (end == runs_.size() || runs_[end].being_compacted) return nullptr;
        ++end;
      } while (OutputLevel(end) == 0);
    }
    Compaction::Params params = ParamsOf(first, end, reason);
    // (What is to be rewritten is, wherever it goes.)
    if (reason != CompactionReason::kPeriodicCompaction && runs_[first].level > 0 &&
        end - first == 2 &&
        picker_->StaysWhereItIs(options_, *version_, runs_[first].files, runs_[first].level,
                                params.output_level)) {
      return nullptr;
    }
    // Only compactions that the user composed (CompactFiles) can be in the way, and one that leaves
    // young entries in a level where it has no inputs.
    if (params.output_level > 0 && OverlapRunning(params.inputs, params.output_level)) {
      return nullptr;
    }
    return Start(std::move(params), end);
  }

  bool OverlapRunning(const std::vector<CompactionInputFiles>& inputs, int output_level) const {
    return picker_->OutputsOverlapRunning(options_, *version_, inputs, output_level);
  }

  // Where the runs before `end` go.
  int OutputLevel(size_t end) const {
    return end == runs_.size() ? last_level_ : std::max(runs_[end].level - 1, 0);
  }

  bool MayStayInLevel0(size_t first, size_t end) const {
    const auto files = version_->files(0).begin();
    return picker_->MayStayInLevel0(
        *version_, {files + static_cast<ptrdiff_t>(first), files + static_cast<ptrdiff_t>(end)});
  }

  Compaction::Params ParamsOf(size_t first, size_t end, CompactionReason reason) const {
    Compaction::Params params;
    for (size_t i = first; i < end; ++i) {
      if (params.inputs.empty() || params.inputs.back().level != runs_[i].level) {
        params.inputs.push_back({runs_[i].level, {}});
      }
      std::vector<FileMetaData*>& files = params.inputs.back().files;
      files.insert(files.end(), runs_[i].files.begin(), runs_[i].files.end());
    }
    params.output_level = OutputLevel(end);
    params.reason = reason;
    params.max_subcompactions = picker_->max_subcompactions();
    params.trivial_move_allowed = universal_.allow_trivial_move && params.output_level > 0 &&
                                  reason != CompactionReason::kPeriodicCompaction;
    params.score = version_->CompactionScore(0);
    return params;
  }

  // `end`: of the runs that go in.
  std::unique_ptr<Compaction> Start(Compaction::Params params, size_t end) {
    picker_->SetOutputDefaults(options_, *version_, &params);
    if (!params.manual) {
      params.output_path_id = PathOfRun(picker_->paths(), options_, BytesOf(params.inputs));
    }
    // A run that is merged as a whole may lie over others as it will. Slices are cheaper where
    // files end about where those of the next older run do.
    constexpr uint64_t kAnyNumber = std::numeric_limits<uint64_t>::max();
    const uint64_t target = params.target_output_file_size;
    params.max_compaction_bytes =
        universal_.incremental && target < kAnyNumber / 2 ? target / 2 * 3 : kAnyNumber;
    if (!params.manual && !MayCompress(end)) params.compression = kNoCompression;
    return picker_->Start(options_, version_, std::move(params));
  }

  static uint64_t BytesOf(const std::vector<CompactionInputFiles>& inputs) {
    uint64_t bytes = 0;
    for (const CompactionInputFiles& input : inputs) bytes += TotalSize(input.files);
    return bytes;
  }

  // compression_size_percent: so much of the data, the oldest, is compressed.
  bool MayCompress(size_t end) const {
    const int percent = universal_.compression_size_percent;
    if (percent < 0 || end == runs_.size()) return true;
    double all = 0, older = 0;
    for (size_t i = 0; i < runs_.size(); ++i) {
      all += static_cast<double>(runs_[i].bytes);
      if (i >= end) older += static_cast<double>(runs_[i].bytes);
    }
    return older * 100.0 < all * percent;
  }

  UniversalPicker* const picker_;
  const ColumnFamilyOptions& options_;
  const CompactionOptionsUniversal& universal_;
  Version* const version_;
  const int last_level_;               // that compactions write to
  const std::vector<SortedRun> runs_;  // newest first
};

std::unique_ptr<Compaction> UniversalPicker::PickCompaction(const ColumnFamilyOptions& options,
                                                            Version* version) {
  return Pick(this, options, version).Run();
}

std::unique_ptr<Compaction> UniversalPicker::CompactRange(const ColumnFamilyOptions& options,
                                                          Version* version,
                                                          const CompactRangeOptions& range_options,
                                                          const ManualRange& /*range*/,
                                                          ManualStep* step) {
  step->more = false;
  step->conflict = false;
  Pick pick(this, options, version);
  if (pick.runs().empty()) return nullptr;
  const BottommostLevelCompaction bottommost = range_options.bottommost_level_compaction;
  const bool force = bottommost == BottommostLevelCompaction::kForce ||
                     bottommost == BottommostLevelCompaction::kForceOptimized ||
                     (bottommost == BottommostLevelCompaction::kIfHaveCompactionFilter &&
                      HasCompactionFilter(options));
  if (pick.runs().size() == 1 && pick.runs()[0].level == pick.last_level() && !force) {
    return nullptr;
  }
  // (A running compaction has inputs, and thereby one of the runs; a file on its way may be of the
  // level that all goes to.)
  step->conflict = HasRunning();
  return step->conflict ? nullptr : pick.All(range_options);
}

}  // namespace cairn
