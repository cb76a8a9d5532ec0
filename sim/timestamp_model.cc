#include "sim/timestamp_model.h"

#include <algorithm>
#include <utility>

namespace cairn::sim {

void TimestampModel::Add(size_t write, const Change& change) {
  versions_[change.key].push_back({write, change.timestamp, change.value, change.by_range});
}

const TimestampModel::Version* TimestampModel::Newest(const std::vector<Version>& of_key,
                                                      uint64_t timestamp, size_t writes) {
  const auto found = std::find_if(of_key.rbegin(), of_key.rend(), [&](const Version& version) {
    return version.timestamp <= timestamp && version.write < writes;
  });
  return found == of_key.rend() ? nullptr : &*found;
}

TimestampModel::State TimestampModel::At(uint64_t timestamp, size_t writes) const {
  State state;
  for (const auto& [key, of_key] : versions_) {
    const Version* const newest = Newest(of_key, timestamp, writes);
    if (newest != nullptr && newest->value) state[key] = {*newest->value, newest->timestamp};
  }
  return state;
}

std::optional<TimestampModel::Seen> TimestampModel::At(const std::string& key, uint64_t timestamp,
                                                       size_t writes) const {
  const auto of_key = versions_.find(key);
  if (of_key == versions_.end()) return std::nullopt;
  const Version* const newest = Newest(of_key->second, timestamp, writes);
  if (newest == nullptr || !newest->value) return std::nullopt;
  return Seen{*newest->value, newest->timestamp};
}

TimestampModel::Versions TimestampModel::VersionsAt(uint64_t start, uint64_t timestamp,
                                                    size_t writes) const {
  Versions all;
  for (const auto& [key, of_key] : versions_) {
    Versions shown;
    for (const Version& version : of_key) {
      if (version.timestamp > timestamp || version.write >= writes) continue;
      if (version.by_range) {
        shown.clear();
      } else {
        shown[{key, version.timestamp}] = version.value;
      }
    }
    for (auto& [at, value] : shown) {
      if (at.second >= start) all[at] = std::move(value);
    }
  }
  return all;
}

void TimestampModel::Restart(size_t writes, uint64_t low) {
  for (auto of_key = versions_.begin(); of_key != versions_.end();) {
    std::vector<Version>& versions = of_key->second;
    std::erase_if(versions, [&](const Version& version) { return version.write >= writes; });
    // The newest one at the mark is what a reader there sees.
    const Version* const base = Newest(versions, low, writes);
    if (base != nullptr) versions.erase(versions.begin(), versions.begin() + (base - &versions[0]));
    of_key = versions.empty() ? versions_.erase(of_key) : std::next(of_key);
  }
}

}  // namespace cairn::sim
