// How big each level should be, how far it is from that, and what that means for compaction.
//
// Part of Version; run once when a Version is built (targets), and again whenever files start or
// stop being compacted (scores). The rules are those of RocksDB 7.8, so that a database behaves the
// same under either.

#include <algorithm>
#include <cmath>
#include <limits>

#include "fiber/clock.h"
#include "manifest/version.h"

namespace cairn {

namespace {

// A level over its target outranks level 0 by file count: its score counts tenfold.
constexpr double kOverTargetScale = 10.0;
// How much of a hidden entry's value a tombstone counts for.
constexpr uint64_t kDeletionWeight = 2;

uint64_t SaturatingMultiply(uint64_t a, double b) {
  constexpr double kTooLarge = 18446744073709551616.0;  // 2^64
  const double product = static_cast<double>(a) * b;
  if (product >= kTooLarge) return std::numeric_limits<uint64_t>::max();
  return product <= 0 ? 0 : static_cast<uint64_t>(product);
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  return a > std::numeric_limits<uint64_t>::max() - b ? std::numeric_limits<uint64_t>::max()
                                                      : a + b;
}

double Ratio(uint64_t a, uint64_t b) {
  return static_cast<double>(a) / static_cast<double>(std::max<uint64_t>(b, 1));
}

}  // namespace

uint64_t Version::CompensatedSize(const FileMetaData& f) const {
  // A file with more tombstones than live entries is compacted early: pretend that it is larger by
  // what they hide.
  uint64_t size = f.file_size;
  if (f.stats_known && f.num_deletions * 2 >= f.num_entries) {
    size += (f.num_deletions * 2 - f.num_entries) * average_value_size_ * kDeletionWeight;
  }
  return size + f.compensated_range_deletion_size;
}

void Version::ComputeCompensatedSizes() {
  uint64_t values = 0, value_bytes = 0, raw_bytes = 0, file_bytes = 0;
  for (const auto& level : files_) {
    for (const FileMetaData* f : level) {
      if (!f->stats_known || f->num_entries <= f->num_deletions) continue;
      values += f->num_entries - f->num_deletions;
      value_bytes += f->raw_value_size;
      raw_bytes += f->raw_key_size + f->raw_value_size;
      file_bytes += f->file_size;
    }
  }
  average_value_size_ = 0;
  if (values != 0 && raw_bytes != 0) {
    // In bytes on disk: scaled by how well these files compress.
    average_value_size_ = static_cast<uint64_t>(static_cast<double>(value_bytes) / values *
                                                (static_cast<double>(file_bytes) / raw_bytes));
  }
  for (const auto& level : files_) {
    for (FileMetaData* f : level) {
      // Once known it stays, so that the order of files does not depend on when one asks.
      if (f->compensated_file_size == 0 || f->stats_known) {
        f->compensated_file_size = CompensatedSize(*f);
      }
    }
  }
}

void Version::ComputeLevelTargets(const ColumnFamilyOptions& options) {
  constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
  const int levels = num_levels();
  level_max_bytes_.assign(levels, kNoLimit);
  level_multiplier_ = options.max_bytes_for_level_multiplier;
  base_level_ = levels > 1 ? 1 : 0;
  if (levels <= 1) return;

  if (!options.level_compaction_dynamic_level_bytes ||
      options.compaction_style != kCompactionStyleLevel) {
    uint64_t target = options.max_bytes_for_level_base;
    level_max_bytes_[0] = target;
    for (int level = 1; level < levels; ++level) {
      level_max_bytes_[level] = target;
      const std::vector<int>& extra = options.max_bytes_for_level_multiplier_additional;
      const double factor = static_cast<size_t>(level) < extra.size() ? extra[level] : 1;
      target = SaturatingMultiply(SaturatingMultiply(target, level_multiplier_), factor);
    }
    return;
  }

  // Sized from the largest level up: the last level is as large as its data, each one above a
  // multiplier smaller, and the first whose target falls into [base / multiplier, base] is where
  // level 0 goes. Levels between 0 and it stay empty.
  int first_used = 0;
  uint64_t largest = 0;
  for (int level = 1; level < levels; ++level) {
    if (level_bytes_[level] > 0 && first_used == 0) first_used = level;
    largest = std::max(largest, level_bytes_[level]);
  }
  if (largest == 0) {
    base_level_ = levels - 1;
    // No target yet: level 0 goes straight to the last level.
    return;
  }
  const uint64_t level0_bytes = level_bytes_[0];
  const uint64_t base_max = std::max(options.max_bytes_for_level_base, level0_bytes);
  const uint64_t base_min =
      static_cast<uint64_t>(static_cast<double>(base_max) / options.max_bytes_for_level_multiplier);

  const auto shrink = [&](uint64_t v) {
    return static_cast<uint64_t>(static_cast<double>(v) / options.max_bytes_for_level_multiplier);
  };
  uint64_t target = largest;
  for (int level = levels - 1; level > first_used; --level) target = shrink(target);
  base_level_ = first_used;
  uint64_t base_bytes;
  if (target <= base_min) {
    // Data was written with other settings, or deleted since: keep using the first level in use.
    base_bytes = base_min + 1;
  } else {
    while (base_level_ > 1 && target > base_max) {
      --base_level_;
      target = shrink(target);
    }
    base_bytes = std::min(target, base_max);
  }

  // When level 0 outgrows the base level, even sizes between them keep the write amplification low:
  // let the base be as large as level 0 and spread the rest with a smaller multiplier.
  const bool level0_is_behind =
      level0_bytes > base_bytes &&
      (level0_bytes > options.max_bytes_for_level_base ||
       static_cast<int>(files_[0].size() / 2) >= options.level0_file_num_compaction_trigger);
  if (level0_is_behind) {
    base_bytes = level0_bytes;
    const int below = levels - 1 - base_level_;
    level_multiplier_ =
        below == 0 ? 1.0 : std::pow(Ratio(largest, base_bytes), 1.0 / static_cast<double>(below));
  }
  target = base_bytes;
  for (int level = base_level_; level < levels; ++level) {
    if (level > base_level_) target = SaturatingMultiply(target, level_multiplier_);
    // Never below the base: a level smaller than that is not worth splitting.
    level_max_bytes_[level] = std::max(target, base_max);
  }
}

void Version::ComputeCompactionScore(const ColumnFamilyOptions& options) {
  const bool dynamic = options.level_compaction_dynamic_level_bytes &&
                       options.compaction_style == kCompactionStyleLevel;
  scores_.clear();
  marked_files_.clear();
  marked_for_blob_gc_.clear();
  ComputeNextExpiry(options);
  if (options.compaction_style == kCompactionStyleNone) {
    next_expiry_ = UINT64_MAX;
    pending_compaction_bytes_ = 0;
    return;
  }
  if (options.compaction_style == kCompactionStyleUniversal) {
    ScoreUniversal(options);
    return;
  }
  if (options.compaction_style == kCompactionStyleFIFO) {
    ScoreFifo(options);
    return;
  }
  uint64_t coming_down = 0;  // bytes over target above the level at hand
  for (int level = 0; level + 1 < std::max(num_levels(), 2); ++level) {
    double score = 0;
    uint64_t idle_bytes = 0, all_bytes = 0;
    int idle_files = 0;
    for (const FileMetaData* f : files_[level]) {
      all_bytes += f->compensated_file_size;
      if (f->being_compacted) continue;
      idle_bytes += f->compensated_file_size;
      ++idle_files;
    }
    if (level == 0) {
      score =
          static_cast<double>(idle_files) / std::max(options.level0_file_num_compaction_trigger, 1);
      if (num_levels() > 1 && options.compaction_style == kCompactionStyleLevel) {
        // Many bytes in few files count as well, or a small trigger could never keep up.
        if (!dynamic) {
          score = std::max(score, Ratio(idle_bytes, options.max_bytes_for_level_base));
        } else {
          if (idle_bytes >= options.max_bytes_for_level_base) score = std::max(score, 1.01);
          const uint64_t base_target = level_max_bytes_[base_level_];
          if (base_target != std::numeric_limits<uint64_t>::max() && idle_bytes > base_target) {
            const uint64_t base_bytes = std::max(level_bytes_[base_level_], base_target);
            score = std::max(score, Ratio(idle_bytes, base_bytes));
          }
          if (score > 1.0) score *= kOverTargetScale;
        }
      }
    } else {
      const uint64_t target = level_max_bytes_[level];
      if (!dynamic || idle_bytes < target) {
        score = Ratio(idle_bytes, target);
      } else {
        // What comes down soon counts too: compacting this level first would be done again.
        score = static_cast<double>(idle_bytes) /
                (static_cast<double>(target) + static_cast<double>(coming_down)) * kOverTargetScale;
      }
      if (all_bytes > target) coming_down += all_bytes - target;
    }
    scores_.emplace_back(score, level);
  }
  std::sort(scores_.begin(), scores_.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });

  CollectMarkedFiles();
  CollectFilesForBlobGc(options);
  EstimatePendingBytes(options);
}

// But for what has nowhere to go, and would be picked for ever: the last level that has files, and,
// where level 0 is the only one, its oldest file.
void Version::CollectMarkedFiles() {
  const auto consider = [this](int level, FileMetaData* f) {
    if (f->marked_for_compaction && !f->being_compacted) marked_files_.emplace_back(level, f);
  };
  for (FileMetaData* f : files_[0]) {
    if (num_levels() > 1 || f != files_[0].back()) consider(0, f);
  }
  for (int level = 1; level + 1 < num_non_empty_levels_; ++level) {
    for (FileMetaData* f : files_[level]) consider(level, f);
  }
}

// The oldest blob files that the same tables keep are judged together: only a compaction of those
// tables can free them, and it collects all of them or, where the age cutoff falls between them,
// some for nothing.
void Version::CollectFilesForBlobGc(const ColumnFamilyOptions& options) {
  if (!options.enable_blob_garbage_collection || blob_files_.empty() ||
      options.compaction_style != kCompactionStyleLevel ||
      options.blob_garbage_collection_age_cutoff <= 0 ||
      options.blob_garbage_collection_force_threshold >= 1) {
    return;
  }
  const size_t eligible = BlobFilesWithin(options.blob_garbage_collection_age_cutoff);
  if (eligible == 0) return;
  uint64_t bytes = blob_files_[0]->file->bytes;
  uint64_t garbage = blob_files_[0]->garbage_bytes;
  size_t together = 1;
  for (; together < eligible && blob_files_[together]->linked_tables.empty(); ++together) {
    bytes += blob_files_[together]->file->bytes;
    garbage += blob_files_[together]->garbage_bytes;
  }
  if (together < blob_files_.size() && blob_files_[together]->linked_tables.empty()) return;
  // (Where there is none a compaction would have to come again and again, for nothing.)
  if (garbage == 0 ||
      static_cast<double>(garbage) <
          options.blob_garbage_collection_force_threshold * static_cast<double>(bytes)) {
    return;
  }
  for (const uint64_t table : blob_files_[0]->linked_tables) {
    int level = 0;
    FileMetaData* const f = FindFileByNumber(table, &level);
    if (f != nullptr && !f->being_compacted) marked_for_blob_gc_.emplace_back(level, f);
  }
}

size_t Version::BlobFilesWithin(double age_cutoff) const {
  const double count = age_cutoff * static_cast<double>(blob_files_.size());
  return count <= 0 ? 0 : std::min(static_cast<size_t>(count), blob_files_.size());
}

int Version::NumSortedRuns() const {
  int runs = NumLevelFiles(0);
  for (int level = 1; level < num_levels(); ++level) runs += files_[level].empty() ? 0 : 1;
  return runs;
}

// One score, as if each level were a file of level 0.
void Version::ScoreUniversal(const ColumnFamilyOptions& options) {
  int idle_runs = 0;
  for (int level = 0; level < num_levels(); ++level) {
    int idle = 0;
    for (const FileMetaData* f : files_[level]) idle += f->being_compacted ? 0 : 1;
    idle_runs += level == 0 ? idle : std::min(idle, 1);
  }
  for (int level = 0; level + 1 < std::max(num_levels(), 2); ++level)
    scores_.emplace_back(0, level);
  scores_[0].first =
      static_cast<double>(idle_runs) / std::max(options.level0_file_num_compaction_trigger, 1);
  CollectMarkedFiles();
  pending_compaction_bytes_ = 0;  // how much is to be rewritten nobody can say
}

uint64_t Version::FifoBytes(const CompactionOptionsFIFO& options) const {
  uint64_t bytes = options.max_data_files_size > 0 ? TotalsOf(blob_files_).file_bytes : 0;
  for (int level = 0; level < num_levels(); ++level) bytes += level_bytes_[level];
  return bytes;
}

// One score: how full the database is, or, where small files are merged, how many it has.
void Version::ScoreFifo(const ColumnFamilyOptions& options) {
  const uint64_t bytes = FifoBytes(options.compaction_options_fifo);
  const uint64_t limit = FifoLimit(options.compaction_options_fifo);
  double score = Ratio(bytes, std::max<uint64_t>(limit, 1));
  // (Exactly full is not too full.)
  if (bytes <= limit) score = std::min(score, 0.99);
  if (options.compaction_options_fifo.allow_compaction) {
    score = std::max(score, static_cast<double>(NumLevelFiles(0)) /
                                std::max(options.level0_file_num_compaction_trigger, 1));
  }
  for (int level = 0; level + 1 < std::max(num_levels(), 2); ++level) {
    scores_.emplace_back(level == 0 ? score : 0, level);
  }
  pending_compaction_bytes_ = 0;
}

uint64_t Version::TtlEnd(const ColumnFamilyOptions& options, int level,
                         const FileMetaData& file) const {
  if (options.ttl == 0 || options.compaction_style == kCompactionStyleUniversal) return UINT64_MAX;
  // In the last level that has files there is nowhere to go.
  if (options.compaction_style == kCompactionStyleLevel && level + 1 >= num_non_empty_levels_) {
    return UINT64_MAX;
  }
  const uint64_t since = file.oldest_ancester_time != kUnknownFileTime ? file.oldest_ancester_time
                                                                       : file.file_creation_time;
  return since == kUnknownFileTime ? UINT64_MAX : SaturatingAdd(since, options.ttl);
}

uint64_t Version::PeriodEnd(const ColumnFamilyOptions& options, const FileMetaData& file) const {
  if (options.periodic_compaction_seconds == 0 ||
      options.compaction_style == kCompactionStyleFIFO ||
      file.file_creation_time == kUnknownFileTime) {
    return UINT64_MAX;
  }
  return SaturatingAdd(file.file_creation_time, options.periodic_compaction_seconds);
}

Temperature Version::TemperatureAt(const ColumnFamilyOptions& options, size_t index,
                                   uint64_t now) const {
  const FileMetaData& file = *files_[0][index];
  // Its newest entry came before the oldest one of the file that came next.
  const uint64_t newest =
      index == 0 ? kUnknownFileTime : files_[0][index - 1]->oldest_ancester_time;
  Temperature temperature = file.temperature;
  if (newest == kUnknownFileTime) return temperature;
  for (const FileTemperatureAge& from :
       options.compaction_options_fifo.file_temperature_age_thresholds) {
    if (SaturatingAdd(newest, from.age) <= now) temperature = from.temperature;
  }
  return temperature;
}

uint64_t Version::TemperatureEnd(const ColumnFamilyOptions& options, size_t index,
                                 uint64_t now) const {
  const Temperature own = files_[0][index]->temperature;
  if (TemperatureAt(options, index, now) != own) return now;
  if (index == 0 || files_[0][index - 1]->oldest_ancester_time == kUnknownFileTime) {
    return UINT64_MAX;
  }
  for (const FileTemperatureAge& from :
       options.compaction_options_fifo.file_temperature_age_thresholds) {
    const uint64_t time = SaturatingAdd(files_[0][index - 1]->oldest_ancester_time, from.age);
    if (time > now && from.temperature != own) return time;
  }
  return UINT64_MAX;
}

void Version::ComputeNextExpiry(const ColumnFamilyOptions& options) {
  next_expiry_ = UINT64_MAX;
  for (int level = 0; level < num_levels(); ++level) {
    for (const FileMetaData* f : files_[level]) {
      if (f->being_compacted) continue;
      next_expiry_ = std::min({next_expiry_, TtlEnd(options, level, *f), PeriodEnd(options, *f)});
    }
  }
  if (options.compaction_style != kCompactionStyleFIFO ||
      options.compaction_options_fifo.file_temperature_age_thresholds.empty()) {
    return;
  }
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  for (size_t index = 0; index < files_[0].size(); ++index) {
    if (files_[0][index]->being_compacted) continue;
    // (A time is over once it has passed.)
    const uint64_t end = TemperatureEnd(options, index, now);
    next_expiry_ =
        std::min(next_expiry_, end == UINT64_MAX ? end : end - std::min<uint64_t>(end, 1));
  }
}

void Version::OptionsChanged(const ColumnFamilyOptions& options) {
  ComputeLevelTargets(options);
  ComputeCompactionScore(options);
}

bool Version::NeedsCompaction() const {
  if (!marked_files_.empty() || !marked_for_blob_gc_.empty()) return true;
  if (next_expiry_ != UINT64_MAX && fiber::wall_micros() / 1'000'000 > next_expiry_) return true;
  for (const auto& [score, level] : scores_) {
    if (score >= 1.0) return true;
  }
  return false;
}

void Version::EstimatePendingBytes(const ColumnFamilyOptions& options) {
  pending_compaction_bytes_ = 0;
  if (num_levels() <= 1 || options.compaction_style != kCompactionStyleLevel) return;
  // Walks down as compactions would: what level 0 holds goes into the base level, and what then
  // exceeds a target moves on, each time rewriting its share of the level that receives it.
  uint64_t incoming = 0;
  const bool level0_due =
      static_cast<int>(files_[0].size()) >= options.level0_file_num_compaction_trigger ||
      level_bytes_[0] >= options.max_bytes_for_level_base;
  if (level0_due) {
    incoming = level_bytes_[0];
    pending_compaction_bytes_ += incoming;
    pending_compaction_bytes_ += level_bytes_[base_level_];  // level 0 overlaps all of it
  }
  for (int level = base_level_; level + 1 < num_levels(); ++level) {
    const uint64_t bytes = level_bytes_[level] + incoming;
    incoming = 0;
    const uint64_t target = level_max_bytes_[level];
    if (bytes <= target) continue;
    incoming = bytes - target;
    pending_compaction_bytes_ += incoming;
    pending_compaction_bytes_ +=
        SaturatingMultiply(incoming, Ratio(level_bytes_[level + 1], bytes));
  }
}

}  // namespace cairn
