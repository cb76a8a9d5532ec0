#include "compaction/fifo_picker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fiber/clock.h"

namespace cairn {
namespace {

// What is left of the bytes that are limited, as files are dropped.
class Remaining {
 public:
  Remaining(const Version& version, const CompactionOptionsFIFO& options)
      : bytes_(version.FifoBytes(options)) {
    uint64_t tables = 0;
    for (int level = 0; level < version.num_levels(); ++level) {
      tables += version.NumLevelBytes(level);
    }
    per_table_byte_ = tables == 0 ? 1 : static_cast<double>(bytes_) / static_cast<double>(tables);
  }
  uint64_t bytes() const { return bytes_; }
  // A table, with its share of the blob files that count.
  void Drop(const FileMetaData& file) {
    bytes_ -= std::min(
        bytes_, std::max(file.file_size, static_cast<uint64_t>(static_cast<double>(file.file_size) *
                                                               per_table_byte_)));
  }

 private:
  uint64_t bytes_;
  double per_table_byte_;
};

}  // namespace

std::unique_ptr<Compaction> FifoPicker::PickCompaction(const ColumnFamilyOptions& options,
                                                       Version* version) {
  if (HasRunning()) return nullptr;
  if (auto c = DropExpired(options, version)) return c;
  if (auto c = DropOldest(options, version)) return c;
  if (options.compaction_options_fifo.allow_compaction) {
    if (auto c = MergeNewest(options, version)) return c;
  }
  return ChangeTemperature(options, version);
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
  const CompactionOptionsFIFO& fifo = options.compaction_options_fifo;
  Remaining left(*version, fifo);
  for (auto it = files.rbegin(); it != files.rend(); ++it) {
    if (version->TtlEnd(options, 0, **it) >= now) break;
    left.Drop(**it);
    expired.push_back(*it);
  }
  if (left.bytes() > Version::FifoLimit(fifo)) return nullptr;
  return Drop(options, version, 0, std::move(expired), CompactionReason::kFIFOTtl);
}

std::unique_ptr<Compaction> FifoPicker::DropOldest(const ColumnFamilyOptions& options,
                                                   Version* version) {
  const CompactionOptionsFIFO& fifo = options.compaction_options_fifo;
  Remaining left(*version, fifo);
  const int level = std::max(version->num_non_empty_levels() - 1, 0);
  std::vector<FileMetaData*> files = version->files(level);
  if (level == 0) std::reverse(files.begin(), files.end());
  std::vector<FileMetaData*> dropped;
  for (FileMetaData* file : files) {
    if (left.bytes() <= Version::FifoLimit(fifo)) break;
    left.Drop(*file);
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

std::unique_ptr<Compaction> FifoPicker::ChangeTemperature(const ColumnFamilyOptions& options,
                                                          Version* version) {
  if (options.compaction_options_fifo.file_temperature_age_thresholds.empty()) return nullptr;
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  const std::vector<FileMetaData*>& files = version->files(0);
  for (size_t index = files.size(); index-- > 0;) {
    const Temperature temperature = version->TemperatureAt(options, index, now);
    if (temperature == files[index]->temperature) continue;
    Compaction::Params params;
    params.inputs = {{0, {files[index]}}};
    params.output_level = 0;
    params.score = version->CompactionScore(0);
    params.reason = CompactionReason::kChangeTemperature;
    params.max_subcompactions = 1;
    SetOutputDefaults(options, *version, &params);
    params.temperature = temperature;
    return Start(options, version, std::move(params));
  }
  return nullptr;
}

}  // namespace cairn
