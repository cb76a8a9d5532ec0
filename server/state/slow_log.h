// The commands that took longest, for SLOWLOG: the newest first. Thread safe.

#ifndef CAIRN_SERVER_STATE_SLOW_LOG_H_
#define CAIRN_SERVER_STATE_SLOW_LOG_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/mutex.h"
#include "server/state/session.h"

namespace cairn::server {

class SlowLog {
 public:
  struct Entry {
    uint64_t id;
    uint64_t at_s;  // since 1970
    uint64_t micros;
    std::vector<std::string> words;  // the first 32, cut
    std::string address;
    std::string client_name;
  };

  SlowLog(int64_t threshold_micros, size_t length)
      : threshold_micros_(threshold_micros), length_(length) {}

  void Note(const Session& session, std::span<const std::string_view> words, uint64_t nanos) {
    const int64_t threshold = threshold_micros_.load(std::memory_order_relaxed);
    if (threshold < 0 || static_cast<int64_t>(nanos / 1000) < threshold) return;
    Add(session, words, nanos / 1000);
  }
  // Negative: nothing is logged; 0: everything.
  void set_threshold_micros(int64_t micros) { threshold_micros_.store(micros); }
  int64_t threshold_micros() const { return threshold_micros_.load(); }
  void set_length(size_t length);
  size_t length() const { return length_.load(); }

  std::vector<Entry> Newest(size_t count);
  size_t Size();
  void Reset();

 private:
  void Add(const Session& session, std::span<const std::string_view> words, uint64_t micros);

  std::atomic<int64_t> threshold_micros_;
  std::atomic<size_t> length_;
  fiber::Mutex mutex_;
  std::deque<Entry> entries_ FIBER_GUARDED_BY(mutex_);  // the newest first
  uint64_t next_id_ FIBER_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_STATE_SLOW_LOG_H_
