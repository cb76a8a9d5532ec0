#include "repair/table_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/range_tombstones.h"

namespace cairn {
namespace {

// The tables by rank: their place in the order of sequence numbers, 0 is the newest.
class Placer {
 public:
  Placer(const InternalKeyComparator& icmp, const std::vector<const FileMetaData*>& tables,
         const RelateTables& relate, TablePlaces* places)
      : icmp_(icmp), tables_(tables), relate_(relate), places_(places), ranked_(tables.size()) {
    std::iota(ranked_.begin(), ranked_.end(), 0);
    std::sort(ranked_.begin(), ranked_.end(),
              [&](size_t a, size_t b) { return NewestFirstBySequence(tables_[a], tables_[b]); });
    older_.resize(ranked_.size());
    newer_.resize(ranked_.size());
  }

  Status Run(int num_levels) {
    Status s = Relate();
    if (!s.ok() || !places_->conflict.empty() || !Order()) return s;
    levels_.assign(ranked_.size(), 0);
    if (!FitsLevel0(order_)) {
      AssignLevels(num_levels);
      std::vector<size_t> level0;
      for (const size_t rank : order_) {
        if (levels_[rank] == 0) level0.push_back(rank);
      }
      if (!FitsLevel0(level0)) {
        Conflict(level0);
        return s;
      }
    }
    places_->levels.resize(ranked_.size());
    for (const size_t rank : order_) {
      places_->order.push_back(ranked_[rank]);
      places_->levels[ranked_[rank]] = levels_[rank];
    }
    return s;
  }

 private:
  const FileMetaData& Table(size_t rank) const { return *tables_[ranked_[rank]]; }

  void Conflict(const std::vector<size_t>& ranks) {
    for (const size_t rank : ranks) places_->conflict.push_back(ranked_[rank]);
  }

  // All that `rank` has a conflict with, and these, and so on: one table of them all is made sooner
  // than one of each pair.
  void ConflictAround(size_t rank, const std::map<size_t, std::vector<size_t>>& conflicts) {
    std::set<size_t> all{rank};
    std::vector<size_t> next{rank};
    while (!next.empty()) {
      const size_t at = next.back();
      next.pop_back();
      for (const size_t other : conflicts.at(at)) {
        if (all.insert(other).second) next.push_back(other);
      }
    }
    Conflict({all.begin(), all.end()});
  }

  // Fills in older_ and newer_ for all pairs that have keys in common.
  Status Relate() {
    std::vector<size_t> by_key(ranked_.size());
    std::iota(by_key.begin(), by_key.end(), 0);
    std::sort(by_key.begin(), by_key.end(), [&](size_t a, size_t b) {
      return icmp_.Compare(Table(a).smallest.Encode(), Table(b).smallest.Encode()) < 0;
    });
    std::map<size_t, std::vector<size_t>> conflicts;  // by rank
    for (size_t i = 0; i < by_key.size(); ++i) {
      for (size_t j = i + 1; j < by_key.size(); ++j) {
        const FileMetaData& one = Table(by_key[i]);
        if (EndsBefore(icmp_, one.largest.Encode(), Table(by_key[j]).smallest.user_key())) break;
        const size_t first = std::min(by_key[i], by_key[j]);
        const size_t second = std::max(by_key[i], by_key[j]);
        TableRelation relation;
        if (Table(first).smallest_seqno > Table(second).largest_seqno) {
          relation.first_is_newer = true;
        } else {
          Status s = relate_(ranked_[first], ranked_[second], &relation);
          if (!s.ok()) return s;
        }
        if (relation.first_is_newer && relation.second_is_newer) {
          conflicts[first].push_back(second);
          conflicts[second].push_back(first);
          continue;
        }
        if (relation.first_is_newer) SetNewer(first, second);
        if (relation.second_is_newer) SetNewer(second, first);
      }
    }
    if (!conflicts.empty()) ConflictAround(conflicts.begin()->first, conflicts);
    return Status::OK();
  }

  void SetNewer(size_t rank, size_t than) {
    older_[rank].push_back(than);
    newer_[than].push_back(rank);
  }

  // False: some are newer than one another in a circle; they are the conflict.
  bool Order() {
    std::vector<size_t> waits_for(ranked_.size());
    std::set<size_t> ready;
    for (size_t rank = 0; rank < ranked_.size(); ++rank) {
      waits_for[rank] = newer_[rank].size();
      if (waits_for[rank] == 0) ready.insert(rank);
    }
    while (!ready.empty()) {
      const size_t rank = *ready.begin();
      ready.erase(ready.begin());
      order_.push_back(rank);
      for (const size_t older : older_[rank]) {
        if (--waits_for[older] == 0) ready.insert(older);
      }
    }
    if (order_.size() == ranked_.size()) return true;
    // Each that waits has a newer one that waits: whoever goes from one to the next comes round.
    size_t at = 0;
    while (waits_for[at] == 0) ++at;
    std::vector<size_t> path;
    for (;;) {
      const auto seen = std::find(path.begin(), path.end(), at);
      if (seen != path.end()) {
        Conflict({seen, path.end()});
        return false;
      }
      path.push_back(at);
      at = *std::find_if(newer_[at].begin(), newer_[at].end(),
                         [&](size_t rank) { return waits_for[rank] > 0; });
    }
  }

  // What RocksDB before epochs demands of level 0, which it orders by sequence numbers: of two
  // tables the older one has the lesser smallest number, unless it has a single one. That looks at
  // neighbours alone, but a compaction can take one away: so no table may enclose any later one,
  // whichever lies between. `ranks`: newest first.
  bool FitsLevel0(const std::vector<size_t>& ranks) const {
    SequenceNumber least = kMaxSequenceNumber;  // of those so far
    for (size_t i = 0; i < ranks.size(); ++i) {
      const FileMetaData& table = Table(ranks[i]);
      if (i > 0) {
        if (ranks[i - 1] > ranks[i]) return false;
        const bool single = table.smallest_seqno == table.largest_seqno;
        const SequenceNumber below = single ? Table(ranks[i - 1]).largest_seqno : least;
        if (table.largest_seqno != 0 && table.smallest_seqno >= below) return false;
      }
      least = std::min(least, table.smallest_seqno);
    }
    return true;
  }

  // Each one, the oldest first, on the deepest level that has room for it and lies above all that
  // is older than it.
  void AssignLevels(int num_levels) {
    std::vector<std::vector<size_t>> on_level(static_cast<size_t>(std::max(num_levels, 1)));
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      size_t level = on_level.size();
      for (const size_t older : older_[*it]) {
        level = std::min(level, static_cast<size_t>(levels_[older]));
      }
      const auto has_room = [&](size_t candidate) {
        return std::none_of(on_level[candidate].begin(), on_level[candidate].end(),
                            [&](size_t rank) { return Overlap(icmp_, Table(*it), Table(rank)); });
      };
      if (level > 0) --level;
      while (level > 0 && !has_room(level)) --level;
      levels_[*it] = static_cast<int>(level);
      if (level > 0) on_level[level].push_back(*it);
    }
  }

  const InternalKeyComparator& icmp_;
  const std::vector<const FileMetaData*>& tables_;
  const RelateTables& relate_;
  TablePlaces* const places_;
  std::vector<size_t> ranked_;  // index by rank
  // By rank: the ranks of those that are known to be older, and newer.
  std::vector<std::vector<size_t>> older_, newer_;
  std::vector<size_t> order_;  // ranks, newest first
  std::vector<int> levels_;    // by rank
};

}  // namespace

bool Overlap(const InternalKeyComparator& icmp, const FileMetaData& a, const FileMetaData& b) {
  return !EndsBefore(icmp, a.largest.Encode(), b.smallest.user_key()) &&
         !EndsBefore(icmp, b.largest.Encode(), a.smallest.user_key());
}

Status PlaceTables(const InternalKeyComparator& icmp,
                   const std::vector<const FileMetaData*>& tables, int num_levels,
                   const RelateTables& relate, TablePlaces* places) {
  *places = TablePlaces();
  return Placer(icmp, tables, relate, places).Run(num_levels);
}

}  // namespace cairn
