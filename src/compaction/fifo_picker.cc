#include "compaction/fifo_picker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fiber/clock.h"

namespace cairn {
namespace {

uint64_t TotalSize(const Version& version) {
  uint64_t bytes = 0;
  for (int level = 0; level < version.num_levels(); ++level) bytes += version.NumLevelBytes(level);
  return bytes;
}

}  // namespace

std::unique_ptr<Compaction> FifoPicker::PickCompaction(const ColumnFamilyOptions& options,
                                                       Version* version) {
  if (HasRunning()) return nullptr;
  if (auto c = DropExpired(options, version)) return c;
  if (auto c = DropOldest(options, version)) return c;
  return options.compaction_options_fifo.allow_compaction ? MergeNewest(options, version) : nullptr;
}

std::unique_ptr<Compaction> FifoPicker::CompactRange(const ColumnFamilyOptions& options,
                                                     Version* version,
                                                     const CompactRangeOptions& /*range_options*/,
                                                     const ManualRange& /*range*/,
                                                     ManualStep* step) {
  step->more = false;
  step->conflict = HasRunning();
  return PickCompaction(options, version);
}

std::unique_ptr<Compaction> FifoPicker::DropExpired(const ColumnFamilyOptions& options,
                                                    Version* version) {
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  const std::vector<FileMetaData*>& files = version->files(0);
  std::vector<FileMetaData*> expired;
  uint64_t left = TotalSize(*version);
  for (auto it = files.rbegin(); it != files.rend(); ++it) {
    if (version->TtlEnd(options, 0, **it) >= now) break;
    left -= (*it)->file_size;
    expired.push_back(*it);
  }
  if (left > options.compaction_options_fifo.max_table_files_size) return nullptr;
  return Drop(options, version, 0, std::move(expired), CompactionReason::kFIFOTtl);
}

std::unique_ptr<Compaction> FifoPicker::DropOldest(const ColumnFamilyOptions& options,
                                                   Version* version) {
  const uint64_t limit = options.compaction_options_fifo.max_table_files_size;
  uint64_t left = TotalSize(*version);
  const int level = std::max(version->num_non_empty_levels() - 1, 0);
  std::vector<FileMetaData*> files = version->files(level);
  if (level == 0) std::reverse(files.begin(), files.end());
  std::vector<FileMetaData*> dropped;
  for (FileMetaData* file : files) {
    if (left <= limit) break;
    left -= file->file_size;
    dropped.push_back(file);
  }
  return Drop(options, version, level, std::move(dropped), CompactionReason::kFIFOMaxSize);
}

std::unique_ptr<Compaction> FifoPicker::Drop(const ColumnFamilyOptions& options, Version* version,
                                             int level, std::vector<FileMetaData*> files,
                                             CompactionReason reason) {
  if (files.empty()) return nullptr;
  // As level 0 has them: newest first.
  if (level == 0) std::reverse(files.begin(), files.end());
  Compaction::Params params;
  params.inputs = {{level, std::move(files)}};
  params.output_level = level;
  params.drops_inputs = true;
  params.score = version->CompactionScore(0);
  params.reason = reason;
  return Make(options, version, std::move(params));
}

std::unique_ptr<Compaction> FifoPicker::MergeNewest(const ColumnFamilyOptions& options,
                                                    Version* version) {
  const auto least = static_cast<size_t>(std::max(options.level0_file_num_compaction_trigger, 2));
  const uint64_t most_per_removed = options.write_buffer_size + options.write_buffer_size / 10;
  uint64_t per_removed = 0;
  std::vector<FileMetaData*> files =
      NewestToMerge(*version, MaxCompactionBytes(options), &per_removed);
  if (files.size() < least || per_removed >= most_per_removed) return nullptr;
  Compaction::Params params;
  params.inputs = {{0, std::move(files)}};
  params.output_level = 0;
  params.score = version->CompactionScore(0);
  params.reason = CompactionReason::kFIFOReduceNumFiles;
  params.max_subcompactions = 1;
  return Make(options, version, std::move(params));
}

}  // namespace cairn
