// How many keys each database has, for INFO, /metrics and whoever watches: counted up to some ten
// thousand, estimated beyond. (DBSIZE walks all of them.)

#ifndef CAIRN_SERVER_COMMANDS_KEY_COUNT_H_
#define CAIRN_SERVER_COMMANDS_KEY_COUNT_H_

#include <cstdint>
#include <vector>

namespace cairn::server {

class Keyspace;

struct KeyCount {
  int database = 0;
  uint64_t keys = 0;
  uint64_t expiring = 0;    // of the keys
  uint64_t avg_ttl_ms = 0;  // of those that expire
  bool estimated = false;
};

// Of the databases that are not empty. At most so many keys of each are looked at.
inline constexpr uint64_t kCountedKeys = 10'000;
std::vector<KeyCount> CountKeys(Keyspace& keyspace, uint64_t counted = kCountedKeys);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_KEY_COUNT_H_
