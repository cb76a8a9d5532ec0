#include "compaction/compaction_picker.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "fs/file_names.h"

namespace cairn {

uint64_t TotalSize(const std::vector<FileMetaData*>& files) {
  uint64_t bytes = 0;
  for (const FileMetaData* f : files) bytes += f->file_size;
  return bytes;
}

std::vector<FileMetaData*> CompactionPicker::NewestToMerge(const Version& version,
                                                           uint64_t max_bytes,
                                                           uint64_t* bytes_per_removed) const {
  const std::vector<FileMetaData*>& level0 = version.files(0);
  const auto first = std::find_if(level0.begin(), level0.end(), [this](const FileMetaData* f) {
    return f->largest_seqno < unflushed_from_;
  });
  uint64_t bytes = 0;
  *bytes_per_removed = UINT64_MAX;
  auto end = first;
  for (; end != level0.end() && !(*end)->being_compacted; ++end) {
    bytes += (*end)->file_size;
    if (bytes > max_bytes) break;
    if (end != first) {
      const uint64_t per_removed = bytes / static_cast<uint64_t>(end - first);
      if (per_removed > *bytes_per_removed) break;
      *bytes_per_removed = per_removed;
    }
  }
  std::vector<FileMetaData*> files(first, end);
  if (!MayStayInLevel0(version, files)) files.clear();
  return files;
}

bool CompactionPicker::MayStayInLevel0(const Version& version,
                                       const std::vector<FileMetaData*>& files) const {
  if (files.size() < 2) return true;
  SequenceNumber smallest = kMaxSequenceNumber, largest = 0;
  for (const FileMetaData* f : files) {
    smallest = std::min(smallest, f->smallest_seqno);
    largest = std::max(largest, f->largest_seqno);
  }
  if (largest >= unflushed_from_) return false;
  const std::vector<FileMetaData*>& level0 = version.files(0);
  const auto first = std::find(level0.begin(), level0.end(), files.front());
  const auto end = first + static_cast<std::ptrdiff_t>(files.size());
  // A file from outside has one number: 0, or one of a time after that of newer tables, with which
  // it has no key in common.
  return std::all_of(level0.begin(), first,
                     [&](const FileMetaData* f) {
                       return f->smallest_seqno > largest || f->largest_seqno == 0;
                     }) &&
         std::all_of(end, level0.end(), [&](const FileMetaData* f) {
           return f->largest_seqno < smallest || f->smallest_seqno == f->largest_seqno;
         });
}

bool AnyBeingCompacted(const std::vector<FileMetaData*>& files) {
  return std::any_of(files.begin(), files.end(),
                     [](const FileMetaData* f) { return f->being_compacted; });
}

// max_compaction_bytes, when not set, in target file sizes.
constexpr uint64_t kDefaultCompactionFiles = 25;

uint64_t MaxCompactionBytes(const ColumnFamilyOptions& options) {
  return options.max_compaction_bytes != 0
             ? options.max_compaction_bytes
             : options.target_file_size_base * kDefaultCompactionFiles;
}

CompressionType CompressionForLevel(const ColumnFamilyOptions& options, const Version& version,
                                    int level, int base_level, bool bottommost) {
  const bool last = bottommost || level >= version.num_non_empty_levels() - 1;
  if (options.bottommost_compression != kDisableCompressionOption && last) {
    return options.bottommost_compression;
  }
  const std::vector<CompressionType>& per_level = options.compression_per_level;
  if (per_level.empty()) return options.compression;
  // Counted from the base level on: the levels between 0 and it are empty.
  const int index = level == 0 ? 0 : level - base_level + 1;
  return per_level[std::clamp<size_t>(static_cast<size_t>(std::max(index, 0)), 0,
                                      per_level.size() - 1)];
}

CompressionOptions CompressionOptionsForLevel(const ColumnFamilyOptions& options,
                                              const Version& version, int level) {
  if (options.bottommost_compression_opts.enabled && level >= version.num_non_empty_levels() - 1) {
    return options.bottommost_compression_opts;
  }
  return options.compression_opts;
}

uint64_t MaxFileSizeForLevel(const ColumnFamilyOptions& options, int level, int base_level) {
  const int depth = options.level_compaction_dynamic_level_bytes && level >= base_level
                        ? level - base_level
                        : level - 1;
  uint64_t size = options.target_file_size_base;
  for (int i = 0; i < depth; ++i) {
    if (size > UINT64_MAX / std::max(options.target_file_size_multiplier, 1)) return UINT64_MAX;
    size *= static_cast<uint64_t>(std::max(options.target_file_size_multiplier, 1));
  }
  return size;
}

CompactionPicker::CompactionPicker(const DBOptions* db_options, const InternalKeyComparator* icmp)
    : icmp_(icmp),
      paths_(db_options->db_paths),
      reserves_last_level_(db_options->allow_ingest_behind),
      max_subcompactions_(db_options->max_subcompactions) {}

void CompactionPicker::Register(Compaction* compaction) {
  running_.insert(compaction);
  if (compaction->start_level() == 0) running_level0_.insert(compaction);
}

void CompactionPicker::Unregister(Compaction* compaction) {
  running_.erase(compaction);
  running_level0_.erase(compaction);
}

bool CompactionPicker::RangeOverlapsRunning(const Slice& smallest, const Slice& largest,
                                            int output_level) const {
  const auto overlaps = [&](int level, const Slice& first, const Slice& last) {
    return level == output_level && icmp_->CompareBare(first, largest) <= 0 &&
           icmp_->CompareBare(last, smallest) >= 0;
  };
  return std::any_of(running_.begin(), running_.end(),
                     [&](const Compaction* c) {
                       const Placement& placement = c->placement();
                       return overlaps(c->output_level(), c->smallest_user_key(),
                                       c->largest_user_key()) ||
                              (placement.level >= 0 &&
                               overlaps(placement.level, placement.smallest, placement.largest));
                     }) ||
         std::any_of(reserved_.begin(), reserved_.end(), [&](const Reservation* r) {
           return overlaps(r->level_, r->smallest_, r->largest_);
         });
}

bool CompactionPicker::OutputsOverlapRunning(const ColumnFamilyOptions& options,
                                             const Version& version,
                                             const std::vector<CompactionInputFiles>& inputs,
                                             int output_level) const {
  Slice smallest, largest;
  GetRange(inputs, &smallest, &largest);
  if (RangeOverlapsRunning(smallest, largest, output_level)) return true;
  const Placement placement = PlacementOf(options, version, inputs, output_level);
  return placement.level >= 0 &&
         RangeOverlapsRunning(placement.smallest, placement.largest, placement.level);
}

Placement CompactionPicker::PlacementOf(const ColumnFamilyOptions& options, const Version& version,
                                        const std::vector<CompactionInputFiles>& inputs,
                                        int output_level) const {
  Placement placement;
  const bool universal = options.compaction_style == kCompactionStyleUniversal;
  const int proximal = output_level - 1;
  if (options.preclude_last_level_data_seconds == 0 ||
      (options.compaction_style != kCompactionStyleLevel && !universal) ||
      output_level != version.num_levels() - 1 || proximal <= 0) {
    return placement;
  }
  std::vector<CompactionInputFiles> above;
  size_t of_proximal = 0;
  for (const CompactionInputFiles& input : inputs) {
    if (input.files.empty()) continue;
    if (input.level == proximal) of_proximal = input.files.size();
    if (input.level != output_level) {
      above.push_back(input);
      continue;
    }
    for (const FileMetaData* f : input.files) {
      placement.stays_through = std::max(placement.stays_through, f->largest_seqno);
    }
  }
  const bool takes_all = of_proximal == version.files(proximal).size();
  if (above.empty() && !(universal && takes_all)) return Placement();
  placement.level = proximal;
  placement.full_range = universal && takes_all;
  if (placement.full_range) placement.stays_through = 0;
  GetRange(placement.full_range ? inputs : above, &placement.smallest, &placement.largest);
  return placement;
}

bool CompactionPicker::StaysWhereItIs(const ColumnFamilyOptions& options, const Version& version,
                                      const std::vector<FileMetaData*>& files, int level,
                                      int output_level) const {
  return level + 1 == output_level &&
         PlacementOf(options, version, {{level, files}}, output_level).level == level &&
         std::all_of(files.begin(), files.end(),
                     [this](const FileMetaData* f) { return f->smallest_seqno > young_after_; });
}

void CompactionPicker::GetRange(const std::vector<FileMetaData*>& files, Slice* smallest,
                                Slice* largest) const {
  assert(!files.empty());
  *smallest = files.front()->smallest.user_key();
  *largest = files.front()->largest.user_key();
  for (const FileMetaData* f : files) {
    if (icmp_->CompareBare(f->smallest.user_key(), *smallest) < 0) {
      *smallest = f->smallest.user_key();
    }
    if (icmp_->CompareBare(f->largest.user_key(), *largest) > 0) {
      *largest = f->largest.user_key();
    }
  }
}

void CompactionPicker::GetRange(const std::vector<CompactionInputFiles>& inputs, Slice* smallest,
                                Slice* largest) const {
  std::vector<FileMetaData*> all;
  for (const CompactionInputFiles& input : inputs) {
    all.insert(all.end(), input.files.begin(), input.files.end());
  }
  GetRange(all, smallest, largest);
}

bool CompactionPicker::ExpandToCleanCut(const Version& version,
                                        CompactionInputFiles* inputs) const {
  if (inputs->files.empty()) return true;
  // Each round takes what shares a user key with the range so far, until nothing is added. On level
  // 0 GetOverlappingInputs reaches that in one round.
  for (size_t before = 0; before != inputs->files.size();) {
    before = inputs->files.size();
    Slice smallest, largest;
    GetRange(inputs->files, &smallest, &largest);
    version.GetOverlappingInputs(inputs->level, &smallest, &largest, &inputs->files);
  }
  return !AnyBeingCompacted(inputs->files);
}

std::vector<FileMetaData*> CompactionPicker::Grandparents(
    const Version& version, const std::vector<CompactionInputFiles>& inputs,
    int output_level) const {
  std::vector<FileMetaData*> found;
  if (output_level == 0) return found;
  Slice smallest, largest;
  GetRange(inputs, &smallest, &largest);
  for (int level = output_level + 1; level < version.num_non_empty_levels(); ++level) {
    version.GetOverlappingInputs(level, &smallest, &largest, &found);
    if (!found.empty()) break;
  }
  return found;
}

void CompactionPicker::SetOutputDefaults(const ColumnFamilyOptions& options, const Version& version,
                                         Compaction::Params* params) const {
  const int base_level = version.base_level();
  params->target_output_file_size = MaxFileSizeForLevel(options, params->output_level, base_level);
  params->min_part_bytes = params->target_output_file_size;
  params->max_compaction_bytes = MaxCompactionBytes(options);
  params->compression =
      CompressionForLevel(options, version, params->output_level, base_level, false);
  params->compression_opts = CompressionOptionsForLevel(options, version, params->output_level);
  // (In FIFO style there is but one, whose temperatures come with age.)
  const bool last = params->output_level == version.num_levels() - 1 &&
                    options.compaction_style != kCompactionStyleFIFO;
  params->temperature = last && options.last_level_temperature != Temperature::kUnknown
                            ? options.last_level_temperature
                            : options.default_write_temperature;
  params->proximal_temperature = options.default_write_temperature;
}

std::unique_ptr<Compaction> CompactionPicker::Make(const ColumnFamilyOptions& options,
                                                   Version* version, Compaction::Params params) {
  SetOutputDefaults(options, *version, &params);
  return Start(options, version, std::move(params));
}

std::unique_ptr<Compaction> CompactionPicker::Start(const ColumnFamilyOptions& options,
                                                    Version* version, Compaction::Params params) {
  params.version = version;
  std::erase_if(params.inputs, [](const CompactionInputFiles& i) { return i.files.empty(); });
  assert(!params.inputs.empty());
  params.may_get_older = reserves_last_level_;
  params.grandparents = Grandparents(*version, params.inputs, params.output_level);
  if (params.may_be_placed) {
    params.placement = PlacementOf(options, *version, params.inputs, params.output_level);
  }
  auto compaction = std::make_unique<Compaction>(this, options, std::move(params));
  // The files that this one holds must not count towards the next pick.
  version->ComputeCompactionScore(options);
  return compaction;
}

// --- CompactFiles

namespace {

// Files [from, to) of a level.
struct Run {
  size_t from = 0;
  size_t to = 0;
  bool empty() const { return from >= to; }
  void Take(size_t i) {
    if (empty()) {
      *this = {i, i + 1};
    } else {
      from = std::min(from, i);
      to = std::max(to, i + 1);
    }
  }
};

}  // namespace

Status CompactionPicker::CompactFiles(const ColumnFamilyOptions& options, Version* version,
                                      const CompactionOptions& compact_options,
                                      const std::set<uint64_t>& numbers, int output_level,
                                      uint32_t output_path_id,
                                      std::unique_ptr<Compaction>* compaction) {
  if (numbers.empty()) {
    return Status::InvalidArgument("A compaction must contain at least one file.");
  }
  for (const uint64_t number : numbers) {
    int level = 0;
    if (version->FindFileByNumber(number, &level) == nullptr) {
      return Status::InvalidArgument("Specified compaction input file does not exist",
                                     TableFileName("", number));
    }
    if (level > output_level) {
      return Status::InvalidArgument(
          "Cannot compact file to up level, input file: " + TableFileName("", number) + " level " +
          std::to_string(level) + " > output level " + std::to_string(output_level));
    }
  }

  if (reserves_last_level_ && output_level == version->num_levels() - 1) {
    return Status::InvalidArgument("The last level is reserved (allow_ingest_behind)");
  }

  Compaction::Params params;
  Slice smallest, largest;  // of what is taken so far
  bool any = false;
  for (int level = 0; level <= output_level; ++level) {
    const std::vector<FileMetaData*>& files = version->files(level);
    Run run;
    for (size_t i = 0; i < files.size(); ++i) {
      if (numbers.contains(files[i]->number)) run.Take(i);
    }
    if (level == 0 && !run.empty() && output_level > 0) run.to = files.size();
    const auto take_overlapping = [&](const Slice& first, const Slice& last) {
      const auto [from, to] = version->OverlappingRange(level, &first, &last);
      for (size_t i = from; i < to; ++i) run.Take(i);
    };
    if (level > 0 && any) take_overlapping(smallest, largest);
    if (run.empty()) continue;
    if (level == output_level && any) {
      // What lies between these and those of the levels above would overlap the output.
      const Slice first = files[run.from]->smallest.user_key();
      const Slice last = files[run.to - 1]->largest.user_key();
      take_overlapping(icmp_->CompareBare(first, smallest) < 0 ? first : smallest,
                       icmp_->CompareBare(last, largest) > 0 ? last : largest);
    }
    CompactionInputFiles input{level,
                               {files.begin() + static_cast<std::ptrdiff_t>(run.from),
                                files.begin() + static_cast<std::ptrdiff_t>(run.to)}};
    if (output_level == 0 && !MayStayInLevel0(*version, input.files)) {
      return Status::Aborted(
          "The sequence numbers of the files enclose those of others, or of what is not flushed: "
          "compact more of level 0, or to a level below");
    }
    const bool idle =
        level == 0 ? !AnyBeingCompacted(input.files) : ExpandToCleanCut(*version, &input);
    if (!idle) {
      return Status::Aborted(
          "Some of the necessary compaction input files are already being compacted");
    }
    params.inputs.push_back(std::move(input));
    GetRange(params.inputs, &smallest, &largest);
    any = true;
  }
  if (output_level > 0 && OutputsOverlapRunning(options, *version, params.inputs, output_level)) {
    return Status::Aborted(
        "A running compaction is writing to the same output level in an overlapping key range");
  }

  params.output_level = output_level;
  params.output_path_id = output_path_id;
  params.manual = true;
  // Else the user wants these files written anew.
  params.trivial_move_allowed = compact_options.allow_trivial_move;
  params.reason = CompactionReason::kManualCompaction;
  params.max_subcompactions = compact_options.max_subcompactions != 0
                                  ? compact_options.max_subcompactions
                                  : max_subcompactions_;
  SetOutputDefaults(options, *version, &params);
  params.target_output_file_size = std::max<uint64_t>(compact_options.output_file_size_limit, 1);
  if (compact_options.compression != kDisableCompressionOption) {
    params.compression = compact_options.compression;
  }
  if (compact_options.output_temperature_override != Temperature::kUnknown) {
    params.temperature = compact_options.output_temperature_override;
    params.proximal_temperature = compact_options.output_temperature_override;
    params.trivial_move_allowed = false;
  }
  *compaction = Start(options, version, std::move(params));
  return Status::OK();
}

}  // namespace cairn
