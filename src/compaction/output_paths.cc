#include "compaction/output_paths.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace cairn {

namespace {

// In bytes; what is too large for the type is the largest there is.
uint64_t Scaled(uint64_t bytes, double factor) {
  const double scaled = static_cast<double>(bytes) * factor;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  return scaled >= static_cast<double>(kMost) ? kMost : static_cast<uint64_t>(scaled);
}

// How much larger the level below `level` is.
double Growth(const ColumnFamilyOptions& options, int level) {
  double growth = options.max_bytes_for_level_multiplier;
  const auto& additional = options.max_bytes_for_level_multiplier_additional;
  if (!options.level_compaction_dynamic_level_bytes &&
      static_cast<size_t>(level) < additional.size()) {
    growth *= additional[static_cast<size_t>(level)];
  }
  return growth;
}

}  // namespace

uint32_t PathOfLevel(const std::vector<DbPath>& paths, const ColumnFamilyOptions& options,
                     int level) {
  if (paths.size() < 2) return 0;
  const auto last = static_cast<uint32_t>(paths.size() - 1);
  uint32_t path = 0;
  uint64_t room = paths[0].target_size;
  uint64_t size = options.max_bytes_for_level_base;  // level 0 counts as large as level 1
  for (int at = 0; path < last; ++at) {
    while (path < last && size > room) room = paths[++path].target_size;
    if (at == level) break;
    room -= std::min(room, size);
    if (at > 0) size = Scaled(size, Growth(options, at));
  }
  return path;
}

uint32_t PathOfRun(const std::vector<DbPath>& paths, const ColumnFamilyOptions& options,
                   uint64_t bytes) {
  if (paths.size() < 2) return 0;
  const auto last = static_cast<uint32_t>(paths.size() - 1);
  const unsigned ratio = std::min(options.compaction_options_universal.size_ratio, 100U);
  const uint64_t future = Scaled(bytes, (100 - ratio) / 100.0);
  uint64_t before = 0;  // the room of the directories that were passed over
  for (uint32_t path = 0; path < last; ++path) {
    const uint64_t target = paths[path].target_size;
    if (target > bytes && before + (target - bytes) > future) return path;
    before += std::min(target, std::numeric_limits<uint64_t>::max() - before);
  }
  return last;
}

}  // namespace cairn
