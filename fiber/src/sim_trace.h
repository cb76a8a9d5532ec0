// SimTrace: the events of a simulation as a running hash and, on request, as text. Holds only
// numbers that the simulation gave out itself, never an address: equal runs give equal traces in
// any process.
//
// Thread safety: the simulation's OS thread.
#pragma once

#include <cstdint>
#include <string>

namespace fiber::detail {

enum class SimEvent : uint8_t {
  // What a and b are; a number of -1: nobody.
  kThreadStart,  // thread
  kThreadEnd,    // thread
  kRun,          // thread, how many were ready
  kPreempt,      // thread
  kBlock,        // thread, deadline (0: none)
  kWake,         // thread, by which thread
  kTimeout,      // thread
  kTime,         // thread
  kFiberStart,   // fiber, its worker's thread
  kFiberEnd,     // fiber
  kFiber,        // fiber, how many were ready (at most the window of the choice)
  kFiberYield,   // thread
  kIoStart,      // number, delay
  kIoEnd,        // number, result
  kSpurious,     // thread
  kRandom,       // value
  kEnd,          // status
};

class SimTrace {
 public:
  explicit SimTrace(bool with_text) : with_text_(with_text) {}

  void add(SimEvent event, uint64_t step, uint64_t nanos, uint64_t a = 0, uint64_t b = 0) {
    mix((static_cast<uint64_t>(event) << 56) ^ nanos);
    mix(a);
    mix(b);
    if (with_text_) [[unlikely]] {
      write(event, step, nanos, a, b);
    }
  }

  uint64_t hash() const { return hash_ ^ (hash_ >> 31); }
  std::string take_text() { return std::move(text_); }

 private:
  // A multiply and a rotation for each word: fast, and every bit counts.
  void mix(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9fb21c651e98df25u;
    hash_ = (hash_ << 23) | (hash_ >> 41);
  }
  void write(SimEvent event, uint64_t step, uint64_t nanos, uint64_t a, uint64_t b);

  const bool with_text_;
  uint64_t hash_ = 0x6a09e667f3bcc909u;
  std::string text_;
};

}  // namespace fiber::detail
