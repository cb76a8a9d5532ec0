// What a client of a world of timestamps has written to its keys: every version of each, so that
// what a reader at any timestamp must see is known, also of what was there after the first n
// writes only (at a snapshot, or after a restart).
//
// A client's timestamps never go back, so that of the versions of a key the later ones have the
// same or larger ones.

#ifndef CAIRN_SIM_TIMESTAMP_MODEL_H_
#define CAIRN_SIM_TIMESTAMP_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"

namespace cairn::sim {

class TimestampModel {
 public:
  struct Change {
    std::string key;
    std::optional<std::string> value;  // nothing: the key goes
    bool by_range = false;             // ... and its older versions are no longer shown
    uint64_t timestamp = 0;
  };
  struct Seen {
    std::string value;
    uint64_t timestamp;
    bool operator==(const Seen&) const = default;
  };
  using State = std::map<std::string, Seen>;
  // Of an iterator over all versions: by key, the newest timestamp first. Nothing: a deletion.
  using VersionKey = std::pair<std::string, uint64_t>;
  struct NewestFirst {
    bool operator()(const VersionKey& a, const VersionKey& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };
  using Versions = std::map<VersionKey, std::optional<std::string>, NewestFirst>;

  // Write number `write`: not below those before.
  void Add(size_t write, const Change& change);
  // What a reader at `timestamp` sees after the writes below number `writes`.
  State At(uint64_t timestamp, size_t writes) const;
  std::optional<Seen> At(const std::string& key, uint64_t timestamp, size_t writes) const;
  // What one over all versions from `start` to `timestamp` sees.
  Versions VersionsAt(uint64_t start, uint64_t timestamp, size_t writes) const;
  // Whether there is anything of it, deletions included.
  bool Knows(const std::string& key) const { return versions_.contains(key); }

  // The writes from number `writes` on never were; and nobody asks below `low` any more.
  void Restart(size_t writes, uint64_t low);

 private:
  struct Version {
    size_t write;
    uint64_t timestamp;
    std::optional<std::string> value;
    bool by_range;
  };
  // The last one that is visible; null: there is none.
  static const Version* Newest(const std::vector<Version>& of_key, uint64_t timestamp,
                               size_t writes);

  std::map<std::string, std::vector<Version>> versions_;  // of a key in the order of its writes
};

}  // namespace cairn::sim

#endif  // CAIRN_SIM_TIMESTAMP_MODEL_H_
