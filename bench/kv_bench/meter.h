// How the clients' operations are timed: each by itself, how many in each second of the run, and
// the longest time in which none of any client finished.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "fiber/clock.h"
#include "support/latency.h"

namespace kv_bench {

// The longest time in which no client finished anything. Shared by all; Finished() from any
// context.
class Pauses {
 public:
  // A client begins; the first one's beginning counts like the end of an operation.
  void Begin(uint64_t now) {
    uint64_t none = 0;
    last_.compare_exchange_strong(none, now, std::memory_order_relaxed);
  }

  void Finished(uint64_t now) {
    // The word is written once in a tenth of a millisecond, or all clients would fight for it: a
    // pause is told too long by at most that.
    uint64_t last = last_.load(std::memory_order_relaxed);
    if (now < last + kStep) return;
    // Relaxed: the words guard nothing. Who loses was overtaken by a later end than `last`.
    if (last_.compare_exchange_strong(last, now, std::memory_order_relaxed)) Note(now - last);
  }

  uint64_t longest() const { return longest_.load(std::memory_order_relaxed); }

 private:
  static constexpr uint64_t kStep = 100'000;  // nanoseconds

  void Note(uint64_t pause) {
    uint64_t longest = longest_.load(std::memory_order_relaxed);
    while (pause > longest &&
           !longest_.compare_exchange_weak(longest, pause, std::memory_order_relaxed)) {
    }
  }

  alignas(64) std::atomic<uint64_t> last_{0};
  alignas(64) std::atomic<uint64_t> longest_{0};
};

// Operations in each second since `start`. Of one client.
class Timeline {
 public:
  void Begin(uint64_t start) {
    start_ = start;
    end_ = start;
  }
  void Add(uint64_t now, uint64_t n) {
    if (now >= end_) {
      const uint64_t second = now < start_ ? 0 : (now - start_) / kSecond;
      counts_.resize(second + 1);
      end_ = start_ + (second + 1) * kSecond;
    }
    counts_.back() += n;
  }
  const std::vector<uint64_t>& counts() const { return counts_; }

 private:
  static constexpr uint64_t kSecond = 1'000'000'000;  // nanoseconds

  uint64_t start_ = 0;
  uint64_t end_ = 0;  // of the second that counts_ ends with
  std::vector<uint64_t> counts_;
};

// What one client measured.
struct Measured {
  uint64_t operations = 0;  // entries written, keys looked up, entries walked over
  uint64_t longest_nanos = 0;
  bench::Latency latency;
  Timeline timeline;
};

// Times one client's calls. They follow each other closely, the end of one being the beginning of
// the next, but where each says when it was due.
class Meter {
 public:
  // `start`: of the run, a now_nanos() value.
  Meter(Measured* measured, Pauses* pauses, uint64_t start)
      : measured_(measured), pauses_(pauses), last_(fiber::now_nanos()) {
    measured_->timeline.Begin(start);
    pauses_->Begin(last_);
  }

  // The next call was due at this time, a now_nanos() value: its duration begins there, whether it
  // could begin then or not.
  void Due(uint64_t at) { last_ = at; }

  // A call that did `n` operations ended now; returns the time.
  uint64_t Tick(uint64_t n) {
    const uint64_t now = fiber::now_nanos();
    const uint64_t nanos = now - last_;
    last_ = now;
    measured_->operations += n;
    measured_->latency.Add(nanos);
    measured_->longest_nanos = std::max(measured_->longest_nanos, nanos);
    measured_->timeline.Add(now, n);
    pauses_->Finished(now);
    return now;
  }

 private:
  Measured* const measured_;
  Pauses* const pauses_;
  uint64_t last_;
};

}  // namespace kv_bench
