// What was denied of late, for ACL LOG: a bounded list, in which equal ones that follow within a
// minute are one entry with a count. Thread safe.

#ifndef CAIRN_SERVER_AUTH_ACL_LOG_H_
#define CAIRN_SERVER_AUTH_ACL_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fiber/mutex.h"

namespace cairn::server {

class AclLog {
 public:
  struct Entry {
    uint64_t id = 0;
    uint64_t count = 1;
    const char* reason;   // "command", "key", "channel" or "auth"
    const char* context;  // "toplevel" or "multi"
    std::string object;   // the command, the key ...; the start of it
    std::string user;
    std::string client;  // as CLIENT INFO has it; the last one's
    uint64_t first_at_ms = 0;
    uint64_t last_at_ms = 0;
  };

  // Its times are the call's.
  void Add(Entry entry, uint64_t now_ms);
  std::vector<Entry> Newest(size_t count);
  void Reset();

 private:
  static constexpr size_t kMaxEntries = 128;
  static constexpr uint64_t kSameMs = 60'000;

  fiber::Mutex mutex_;
  std::deque<Entry> entries_ FIBER_GUARDED_BY(mutex_);  // the newest first
  uint64_t next_id_ FIBER_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_ACL_LOG_H_
