// How the engine counts into the performance contexts (rocksdb/perf_context.h).
//
// Each context of execution (fiber, plain thread) that counts has one PerfState, found through one
// thread-local word that fiber's switches keep with the context (fiber/local.h). A function takes a
// Perf once and uses it throughout: the state is the context's wherever that runs on.
//
// Not thread-safe: a context counts for itself. Helper fibers that take turns on the thread of
// their caller count for it (PerfScope).
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/namespace.h"
#include "fiber/clock.h"
#include "fiber/local.h"
#include "rocksdb/iostats_context.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

namespace cairn {

struct PerfState {
  PerfLevel level = kEnableCount;
  PerfContext context;
  IOStatsContext io;
};

using PerfMetric = uint64_t PerfContextBase::*;
using PerfLevelMetric = uint64_t PerfContextByLevelBase::*;
using IOMetric = uint64_t IOStatsContext::*;

// Where the current context counts; nowhere at kDisable.
class Perf {
 public:
  Perf() : state_(static_cast<PerfState*>(fiber::detail::context_word())) {
    if (Word(state_) <= kDisabled) [[unlikely]]
      state_ = Word(state_) == kDisabled ? nullptr : MakeState();
  }
  explicit Perf(PerfState* state) : state_(state) {}

  // Null at kDisable.
  PerfContext* counters() const { return state_ != nullptr ? &state_->context : nullptr; }
  bool AtLevel(PerfLevel level) const { return state_ != nullptr && state_->level >= level; }
  // Whether anything is timed, waits apart.
  bool timed() const { return AtLevel(kEnableTimeExceptForMutex); }

  void Count(PerfMetric metric, uint64_t n = 1) const {
    if (state_ != nullptr) [[likely]]
      state_->context.*metric += n;
  }
  // `level`: of the file; negative if it is not known.
  void CountAt(int level, PerfLevelMetric metric, uint64_t n = 1) const {
    if (state_ != nullptr && state_->context.per_level_perf_context_enabled) [[unlikely]]
      AddAt(level, metric, n);
  }
  bool counts_levels() const {
    return state_ != nullptr && state_->context.per_level_perf_context_enabled;
  }
  PerfState* state() const { return state_; }

  // The current context's state, also at kDisable.
  static PerfState* State();
  // `level` for the current context.
  static void SetLevel(PerfLevel level);

 private:
  friend class PerfScope;
  // The values of the word that are no PerfState: none was made yet; the level is kDisable.
  static constexpr uintptr_t kNone = 0;
  static constexpr uintptr_t kDisabled = 1;
  static uintptr_t Word(const void* word) { return reinterpret_cast<uintptr_t>(word); }
  static void* WordOf(PerfState* state) {
    return state == nullptr || state->level <= kDisable ? reinterpret_cast<void*>(kDisabled)
                                                        : state;
  }
  static PerfState* MakeState();
  void AddAt(int level, PerfLevelMetric metric, uint64_t n) const;

  PerfState* state_;
};

// Bytes of files count at every level.
inline void CountIO(IOMetric metric, uint64_t n) {
  IOStatsContext& io = Perf::State()->io;
  if (!io.disable_iostats) io.*metric += n;
}

// While it lives, the current context counts elsewhere: into a state of its creator's, or into that
// of another context that waits for it on the same thread.
class PerfScope {
 public:
  explicit PerfScope(Perf perf) : own_(fiber::detail::context_word()) {
    fiber::detail::set_context_word(Perf::WordOf(perf.state()));
  }
  PerfScope(const PerfScope&) = delete;
  PerfScope& operator=(const PerfScope&) = delete;
  ~PerfScope() { fiber::detail::set_context_word(own_); }

 private:
  void* const own_;
};

// Adds the time from its start to its end, or to Stop(), to a metric.
class PerfTimer {
 public:
  PerfTimer(Perf perf, PerfMetric metric, PerfLevel from = kEnableTimeExceptForMutex) {
    if (perf.AtLevel(from)) [[unlikely]]
      Begin(&(perf.state()->context.*metric), &fiber::now_nanos);
  }
  PerfTimer(Perf perf, IOMetric metric) {
    if (perf.timed()) [[unlikely]]
      Begin(&(perf.state()->io.*metric), &fiber::now_nanos);
  }
  // REQUIRES: Perf().timed()
  explicit PerfTimer(PerfMetric metric) {
    Begin(&(Perf().state()->context.*metric), &fiber::now_nanos);
  }
  PerfTimer(const PerfTimer&) = delete;
  PerfTimer& operator=(const PerfTimer&) = delete;
  ~PerfTimer() { Stop(); }

  void Stop() {
    if (into_ != nullptr) [[unlikely]]
      End();
  }

 protected:
  PerfTimer() = default;
  void Begin(uint64_t* into, uint64_t (*now)());

 private:
  void End();

  uint64_t* into_ = nullptr;  // null: does not run
  uint64_t start_;
  uint64_t (*clock_)();
};

// The same with the processor time of the thread.
class PerfCpuTimer final : public PerfTimer {
 public:
  explicit PerfCpuTimer(PerfMetric metric) : PerfCpuTimer(Perf(), metric) {}
  PerfCpuTimer(Perf perf, PerfMetric metric) {
    if (perf.AtLevel(kEnableTimeAndCPUTimeExceptForMutex)) [[unlikely]]
      Begin(&(perf.state()->context.*metric), &fiber::thread_cpu_nanos);
  }
  PerfCpuTimer(Perf perf, IOMetric metric) {
    if (perf.AtLevel(kEnableTimeAndCPUTimeExceptForMutex)) [[unlikely]]
      Begin(&(perf.state()->io.*metric), &fiber::thread_cpu_nanos);
  }
};

// For functions that come twice: with kTimed, which they have where Perf().timed(), a timer, else
// nothing.
struct NoTimer {
  explicit NoTimer(PerfMetric /*metric*/) {}
  void Stop() {}
};
template <bool kTimed>
using PerfTimerIf = std::conditional_t<kTimed, PerfTimer, NoTimer>;
template <bool kTimed>
using PerfCpuTimerIf = std::conditional_t<kTimed, PerfCpuTimer, NoTimer>;

}  // namespace cairn
