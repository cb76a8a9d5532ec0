#include "block_cache_trace_analyzer/reports.h"

#include <algorithm>
#include <cinttypes>
#include <utility>

#include "text_output/output_file.h"
#include "text_output/strings.h"

namespace block_cache_trace_analyzer {
namespace {

using rocksdb::Status;
using text_output::OutputFile;
using text_output::WriteFile;

constexpr uint64_t kNever = UINT64_MAX - 1;  // of what did not come again

using Counts = std::map<uint64_t, uint64_t>;  // by buckets

void Count(Counts* buckets, uint64_t number, uint64_t times = 1) {
  const auto bucket = buckets->upper_bound(number);
  // (UINT64_MAX belongs to the last one.)
  (bucket != buckets->end() ? bucket : std::prev(buckets->end()))->second += times;
}

// The counts of a row, which begin with nothing in any bucket.
Counts& CountsOf(std::map<std::string, Counts>* distribution, const std::string& row,
                 const Buckets& buckets) {
  const auto [place, is_new] = distribution->try_emplace(row);
  if (is_new) {
    for (const uint64_t bucket : buckets) place->second[bucket] = 0;
  }
  return place->second;
}

// How accesses are grouped, read once.
class Grouping {
 public:
  explicit Grouping(std::string_view label) : parts_(text_output::Split(label, '_')) {
    std::sort(parts_.begin(), parts_.end());
    parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
  }

  bool Has(std::string_view part) const {
    return std::find(parts_.begin(), parts_.end(), part) != parts_.end();
  }
  // The group's name. kMaxBlockCacheLookupCaller: the caller is not known.
  std::string Of(const BlockPlace& place, const BlockInfo& block,
                 TableReaderCaller caller = rocksdb::kMaxBlockCacheLookupCaller) const {
    std::string text;
    for (const std::string_view part : parts_) {
      if (!text.empty()) text += '-';
      if (part == "block") {
        text += std::to_string(block.id);
      } else if (part == "bt") {
        text += TypeName(place.type);
      } else if (part == "caller") {
        text += CallerName(caller);
      } else if (part == "cf") {
        text += place.family;
      } else if (part == "level") {
        text += std::to_string(place.level);
      } else if (part == "sst") {
        text += std::to_string(place.file);
      } else {
        text += part;
      }
    }
    return text;
  }

 private:
  std::vector<std::string_view> parts_;  // in the order of their names
};

// The row of a timeline: `text_of` says what stands at a time.
template <typename TextOf>
void WriteTimes(OutputFile* file, const std::string& first, uint64_t begin, uint64_t end,
                const TextOf& text_of) {
  std::string row = first;
  for (uint64_t now = begin; now <= end; ++now) row += "," + text_of(now);
  file->Write(row + "\n");
}

// The first row: the times themselves.
void WriteTimeHeader(OutputFile* file, const std::string& first, uint64_t begin, uint64_t end) {
  WriteTimes(file, first, begin, end, [](uint64_t now) { return std::to_string(now); });
}

}  // namespace

bool ParseBuckets(const std::string& text, Buckets* buckets) {
  buckets->clear();
  for (const std::string_view piece : text_output::Split(text, ',')) {
    uint64_t bucket;
    if (!text_output::ParseSize(piece, &bucket)) return false;
    if (!buckets->empty() && bucket <= buckets->back()) return false;
    buckets->push_back(bucket);
  }
  if (buckets->back() != UINT64_MAX) buckets->push_back(UINT64_MAX);
  return true;
}

bool IsLabel(const std::string& label) {
  constexpr std::string_view kLabels[] = {"all", "block", "bt", "caller", "cf", "level", "sst"};
  const std::vector<std::string_view> parts = text_output::Split(label, '_');
  return std::all_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return std::find(std::begin(kLabels), std::end(kLabels), part) != std::end(kLabels);
  });
}

Status Reports::WriteDistribution(const std::string& name, const Buckets& buckets,
                                  const Distribution& distribution, uint64_t whole) const {
  return WriteFile(directory_ + "/" + name, [&](OutputFile* file) {
    std::string header = "bucket";
    for (const auto& [label, counts] : distribution) header += "," + label;
    file->Write(header + "\n");
    for (const uint64_t bucket : buckets) {
      std::string row = std::to_string(bucket);
      for (const auto& [label, counts] : distribution) {
        row += "," + std::to_string(Percent(counts.at(bucket), whole));
      }
      file->Write(row + "\n");
    }
  });
}

template <typename Row>
Status Reports::WriteByFamily(const std::string& name, const char* what,
                              const std::map<Row, std::map<std::string, uint64_t>>& rows,
                              const std::function<std::string(Row)>& name_of) const {
  uint64_t whole = 0;
  for (const auto& [row, families] : rows) {
    for (const auto& [family, count] : families) whole += count;
  }
  return WriteFile(directory_ + "/" + name, [&](OutputFile* file) {
    std::string header = what;
    for (const auto& [family, files] : accesses_->families()) header += "," + family;
    file->Write(header + "\n");
    for (const auto& [row, families] : rows) {
      std::string text = name_of(row);
      for (const auto& [family, files] : accesses_->families()) {
        const auto count = families.find(family);
        text += "," + (count == families.end() ? std::string("0")
                                               : std::to_string(Percent(count->second, whole)));
      }
      file->Write(text + "\n");
    }
  });
}

// ---- Misses

Status Reports::WriteMissRatioCurve() const {
  if (simulation_ == nullptr) return Status::OK();
  const std::string name = std::to_string(last_second_ - first_second_) + "_" +
                           std::to_string(counts_.accesses()) + "_mrc";
  return WriteFile(directory_ + "/" + name, [&](OutputFile* file) {
    file->Write("cache_name,num_shard_bits,ghost_capacity,capacity,miss_ratio,total_accesses\n");
    for (const CacheSimulation::Simulated& simulated : simulation_->caches()) {
      file->Print("%s,%d,%" PRIu64 ",%" PRIu64 ",%.4f,%" PRIu64 "\n",
                  simulated.config->name.c_str(), simulated.config->num_shard_bits,
                  simulated.config->ghost_capacity, simulated.capacity,
                  simulated.counts.MissRatio(), simulated.counts.accesses());
    }
  });
}

Status Reports::WriteMissTimelines(uint64_t unit) const {
  if (simulation_ == nullptr) return Status::OK();
  using Timeline = std::map<uint64_t, MissCounts::Second>;
  // capacity -> row -> unit of time.
  std::map<uint64_t, std::map<std::string, Timeline>> capacities;
  capacities[UINT64_MAX]["trace"] = counts_.Timeline(unit);
  for (const CacheSimulation::Simulated& simulated : simulation_->caches()) {
    const CacheConfig& config = *simulated.config;
    const std::string row = config.name + "-" + std::to_string(config.num_shard_bits) + "-" +
                            std::to_string(config.ghost_capacity);
    capacities[simulated.capacity][row] = simulated.counts.Timeline(unit);
  }
  const uint64_t begin = first_second_ / unit, end = last_second_ / unit;
  for (const auto& [capacity, rows] : capacities) {
    const std::string name =
        directory_ + "/" + std::to_string(capacity) + "_" + std::to_string(unit) + "_";
    for (const bool ratio : {true, false}) {
      const Status s =
          WriteFile(name + (ratio ? "miss_ratio_timeline" : "miss_timeline"),
                    [&, &rows = rows](OutputFile* file) {
                      WriteTimeHeader(file, "time", begin, end);
                      for (const auto& [row, timeline] : rows) {
                        WriteTimes(file, row, begin, end, [&, &timeline = timeline](uint64_t now) {
                          const auto at = timeline.find(now);
                          if (at == timeline.end()) return std::string("0");
                          const MissCounts::Second& counts = at->second;
                          return ratio ? std::to_string(Percent(counts.misses, counts.accesses))
                                       : std::to_string(counts.misses);
                        });
                      }
                    });
      if (!s.ok()) return s;
    }
  }
  return Status::OK();
}

// ---- When blocks are accessed

Status Reports::WriteAccessTimeline(const std::string& label, uint64_t unit, bool users) const {
  const Grouping grouping(label);
  std::map<std::string, std::map<uint64_t, uint64_t>> rows;
  std::map<std::string, uint64_t> sums;
  uint64_t begin = UINT64_MAX, end = 0;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    for (const auto& [caller, seconds] : block.by_second) {
      if (users && !IsUser(caller)) continue;
      const std::string row = grouping.Of(place, block, caller);
      for (const auto& [second, count] : seconds) {
        rows[row][second / unit] += count;
        sums[row] += count;
        begin = std::min(begin, second / unit);
        end = std::max(end, second / unit);
      }
    }
  });
  std::vector<std::string> order;
  for (const auto& [row, times] : rows) order.push_back(row);
  // Blocks are many: the most used come first.
  if (grouping.Has("block")) {
    std::sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
      return sums[a] != sums[b] ? sums[a] > sums[b] : a < b;
    });
  }
  const std::string name = std::string(users ? "user_access_only_" : "all_access_") + label + "_" +
                           std::to_string(unit) + "_access_timeline";
  return WriteFile(directory_ + "/" + name, [&](OutputFile* file) {
    WriteTimeHeader(file, "time", begin, end);
    for (const std::string& row : order) {
      const std::map<uint64_t, uint64_t>& times = rows[row];
      WriteTimes(file, row, begin, end, [&](uint64_t now) {
        const auto at = times.find(now);
        return at == times.end() ? std::string("0") : std::to_string(at->second);
      });
    }
  });
}

Status Reports::WriteReuseTimeline(uint64_t window, TraceType type, bool users) const {
  const uint64_t windows = (last_second_ - first_second_) / window;
  if (windows < 2) return Status::OK();  // nothing can come again
  // reused[i][j]: blocks that were accessed in window i, and in j, too.
  std::vector<std::vector<uint64_t>> reused(windows, std::vector<uint64_t>(windows));
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    if (place.type != type) return;
    std::vector<bool> accessed(windows);
    for (const auto& [caller, seconds] : block.by_second) {
      if (users && !IsUser(caller)) continue;
      for (const auto& [second, count] : seconds) {
        accessed[std::min((second - std::min(second, first_second_)) / window, windows - 1)] = true;
      }
    }
    for (uint64_t i = 0; i < windows; ++i) {
      for (uint64_t j = i; accessed[i] && j < windows; ++j) reused[i][j] += accessed[j] ? 1 : 0;
    }
  });
  const std::string name = std::string(TypeName(type)) +
                           (users ? "_user_access_only_" : "_all_access_") +
                           std::to_string(window) + "_reuse_blocks_timeline";
  return WriteFile(directory_ + "/" + name, [&](OutputFile* file) {
    WriteTimeHeader(file, "start_time", 0, windows - 1);
    for (uint64_t i = 0; i < windows; ++i) {
      WriteTimes(file, std::to_string(i * window), 0, windows - 1, [&](uint64_t j) {
        return j < i ? std::string("100.0") : std::to_string(Percent(reused[i][j], reused[i][i]));
      });
    }
  });
}

// ---- How soon blocks are accessed again

Status Reports::WriteReuseDistance(const std::string& label, const Buckets& buckets) const {
  const Grouping grouping(label);
  Distribution distances;
  uint64_t whole = 0;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    const std::string row = grouping.Of(place, block);
    auto& counts = CountsOf(&distances, row, buckets);
    for (const auto& [distance, times] : block.reuse_distances) {
      Count(&counts, distance, times);
      whole += times;
    }
  });
  return WriteDistribution(label + "_reuse_distance", buckets, distances, whole);
}

Status Reports::WriteReuseInterval(const std::string& label, const Buckets& buckets) const {
  const Grouping grouping(label);
  Distribution intervals, averages, averages_by_access;
  uint64_t reuses = 0, blocks = 0, accesses = 0;
  const auto add = [&](const std::string& row, const std::map<uint64_t, uint64_t>& seconds) {
    auto& counts = CountsOf(&intervals, row, buckets);
    uint64_t previous = UINT64_MAX;
    for (const auto& [second, count] : seconds) {
      Count(&counts, 0, count - 1);  // within the second
      reuses += count - 1;
      if (previous != UINT64_MAX) {
        Count(&counts, second - previous);
        ++reuses;
      }
      previous = second;
    }
  };
  const bool by_caller = grouping.Has("caller");
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    ++blocks;
    accesses += block.accesses;
    if (by_caller) {
      for (const auto& [caller, seconds] : block.by_second) {
        add(grouping.Of(place, block, caller), seconds);
      }
      return;
    }
    const std::string row = grouping.Of(place, block);
    std::map<uint64_t, uint64_t> together;
    for (const auto& [caller, seconds] : block.by_second) {
      for (const auto& [second, count] : seconds) together[second] += count;
    }
    add(row, together);
    const uint64_t average = block.accesses > 1 ? (block.last_access - block.first_access) /
                                                      kMicrosInSecond / block.accesses
                                                : kNever;
    Count(&CountsOf(&averages, row, buckets), average);
    Count(&CountsOf(&averages_by_access, row, buckets), average, block.accesses);
  });
  Status s = WriteDistribution(label + "_access_reuse_interval", buckets, intervals, reuses);
  if (s.ok()) s = WriteDistribution(label + "_avg_reuse_interval", buckets, averages, blocks);
  if (s.ok()) {
    s = WriteDistribution(label + "_avg_reuse_interval_naccesses", buckets, averages_by_access,
                          accesses);
  }
  return s;
}

Status Reports::WriteReuseLifetime(const std::string& label, const Buckets& buckets) const {
  const Grouping grouping(label);
  Distribution lifetimes;
  uint64_t blocks = 0;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    const std::string row = grouping.Of(place, block);
    const uint64_t lifetime =
        block.accesses > 1 ? (block.last_access - block.first_access) / kMicrosInSecond : kNever;
    Count(&CountsOf(&lifetimes, row, buckets), lifetime);
    ++blocks;
  });
  return WriteDistribution(label + "_reuse_lifetime", buckets, lifetimes, blocks);
}

// ---- How often, and by whom

Status Reports::WriteAccessCounts(const Buckets& buckets, bool users) const {
  Distribution types, families;
  uint64_t blocks = 0;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    auto& of_type = CountsOf(&types, TypeName(place.type), buckets);
    auto& of_family = CountsOf(&families, place.family, buckets);
    uint64_t accesses = 0;
    for (const auto& [caller, count] : block.callers) {
      if (!users || IsUser(caller)) accesses += count;
    }
    if (accesses == 0) return;
    ++blocks;
    Count(&of_type, accesses);
    Count(&of_family, accesses);
  });
  const std::string suffix =
      std::string(users ? "_user_access_only_" : "_all_access_") + "access_count_summary";
  const Status s = WriteDistribution("cf" + suffix, buckets, families, blocks);
  return s.ok() ? WriteDistribution("bt" + suffix, buckets, types, blocks) : s;
}

Status Reports::WriteCallers() const {
  std::map<TableReaderCaller, std::map<std::string, uint64_t>> callers;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    for (const auto& [caller, count] : block.callers) callers[caller][place.family] += count;
  });
  return WriteByFamily<TableReaderCaller>("percentage_of_accesses_summary", "caller", callers,
                                          &CallerName);
}

Status Reports::WriteCaller(TableReaderCaller caller) const {
  std::map<uint32_t, std::map<std::string, uint64_t>> levels;
  std::map<TraceType, std::map<std::string, uint64_t>> types;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    const auto count = block.callers.find(caller);
    if (count == block.callers.end()) return;
    levels[place.level][place.family] += count->second;
    types[place.type][place.family] += count->second;
  });
  const std::string name = CallerName(caller);
  const Status s =
      WriteByFamily<uint32_t>(name + "_level_percentage_of_accesses_summary", "level", levels,
                              [](uint32_t level) { return std::to_string(level); });
  return s.ok() ? WriteByFamily<TraceType>(name + "_bt_percentage_of_accesses_summary", "bt", types,
                                           &TypeName)
                : s;
}

// How much of a data block Gets are for.
Status Reports::WriteSpatialLocality(const std::string& label, const Buckets& buckets) const {
  const Grouping grouping(label);
  Distribution keys, accesses, bytes;
  uint64_t blocks = 0;
  const auto whole_percent = [](uint64_t part, uint64_t whole) {
    return static_cast<uint64_t>(std::max(Percent(part, whole), 0.0));
  };
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    if (block.keys == 0) return;
    ++blocks;
    uint64_t by_get = 0;
    for (const auto& [key, callers] : block.found_keys) {
      const auto count = callers.find(rocksdb::kUserGet);
      if (count != callers.end()) by_get += count->second;
    }
    const std::string row = grouping.Of(place, block, rocksdb::kUserGet);
    Count(&CountsOf(&keys, row, buckets), whole_percent(block.found_keys.size(), block.keys));
    Count(&CountsOf(&accesses, row, buckets), whole_percent(block.found, by_get));
    Count(&CountsOf(&bytes, row, buckets), whole_percent(block.referenced_bytes, block.size));
  });
  Status s = WriteDistribution(label + "_percent_ref_keys", buckets, keys, blocks);
  if (s.ok()) {
    s = WriteDistribution(label + "_percent_accesses_on_ref_keys", buckets, accesses, blocks);
  }
  if (s.ok()) {
    s = WriteDistribution(label + "_percent_data_size_on_ref_keys", buckets, bytes, blocks);
  }
  return s;
}

Status Reports::WriteSkewness(const std::string& label, const Buckets& percents,
                              TraceType type) const {
  const Grouping grouping(label);
  std::map<std::string, uint64_t> sums;
  uint64_t whole = 0;
  accesses_->ForEachBlock([&](const BlockPlace& place, const BlockInfo& block) {
    if (type != rocksdb::kTraceMax && type != place.type) return;
    sums[grouping.Of(place, block)] += block.accesses;
    whole += block.accesses;
  });
  std::vector<uint64_t> order;
  for (const auto& [row, count] : sums) order.push_back(count);
  std::sort(order.begin(), order.end(), std::greater<>());
  Distribution skewness;
  uint64_t begin = 0;
  for (const uint64_t percent : percents) {
    const uint64_t end = percent >= 100 ? order.size() : percent * order.size() / 100;
    uint64_t sum = 0;
    for (; begin < end; ++begin) sum += order[begin];
    skewness[label][percent] = sum;
  }
  std::string name = label + "_";
  if (type != rocksdb::kTraceMax) name += std::string(TypeName(type)) + "_";
  return WriteDistribution(name + "skewness", percents, skewness, whole);
}

}  // namespace block_cache_trace_analyzer
