#include "read/approaches.h"

#include <algorithm>

#include "base/perf.h"
#include "table/table_cache.h"

namespace cairn {

bool Approaches::MayHelp(const LookupRequest& request, size_t keys) {
  const ReadTier tier = request.options.read_tier;
  return keys >= kFewest && request.timestamp.empty() && !request.tables->has_rows() &&
         (tier == kReadAllTier || tier == kBlockCacheTier) && !Perf().timed();
}

void Approaches::Start(const Slice* keys, size_t n) {
  size_t prepared = 0;
  size_t used = 0;
  for (size_t i = 0; i < started_; ++i) {
    prepared += ways_[i].approached.how.table != nullptr ? 1 : 0;
    used += ways_[i].approached.how.used ? 1 : 0;
  }
  started_ = n;
  const bool wanted = used * 2 >= prepared;
  size_t under_way = 0;
  for (size_t i = 0; i < n; ++i) {
    Way& way = ways_[i];
    way.approached = ApproachedTable();
    way.reader = nullptr;
    if (!wanted) continue;
    way.key.emplace(keys[i], request_.snapshot, request_.timestamp);
    FindTable(&way);
    under_way += way.reader != nullptr ? 1 : 0;
  }
  while (under_way > 0) {
    under_way = 0;
    for (size_t i = 0; i < n; ++i) {
      if (ways_[i].reader == nullptr) continue;
      Step(&ways_[i]);
      under_way += ways_[i].reader != nullptr ? 1 : 0;
    }
  }
}

void Approaches::FindTable(Way* way) const {
  way->reader = nullptr;
  ForEachCandidate(*request_.sv.current, *way->key, kAllLevels, &way->approached.at,
                   [way](const FileSlot& file, int /*level*/) {
                     way->reader = file.meta->table.slot.reader();
                     return true;
                   });
}

void Approaches::Step(Way* way) const {
  LookupApproach* const how = &way->approached.how;
  if (way->reader->Approach(request_.options, way->key->internal_key(), how)) return;
  if (!how->excluded) {
    way->reader = nullptr;
    return;
  }
  *how = LookupApproach();
  ++way->approached.at.file;
  FindTable(way);
}

}  // namespace cairn
