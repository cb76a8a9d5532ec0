// Simulator: one run of a Simulation. Plays the operating system for the library: its threads are
// contexts on the one real thread, its futex, clock, random source and disk are here. All above
// (parking lot, workers, runtimes) is the same code as ever.
//
// The scheduler runs on the stack of the caller of Simulation::run(). A simulated thread, whatever
// it is inside of (its own stack, a worker, a fiber on that), goes back to it as a whole when it
// blocks, spins or is interrupted; the scheduler picks one of the ready by the seed. A worker on a
// simulated thread runs as it always does, but asks pick_fiber() who of its ready fibers is next.
//
// Interruptions come only from point() and its like, which no code reaches that holds a RawLock: so
// a RawLock is never waited for within a simulation.
//
// Thread safety: one OS thread, but for wake_from_outside().
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "context.h"
#include "context_words.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "os_poll.h"
#include "raw_lock.h"
#include "sim_hooks.h"
#include "sim_trace.h"
#include "stack.h"

namespace fiber::detail {

// SplitMix64 (Steele, Lea, Flood 2014). One stream for each kind of choice, so that a program that
// draws one number more is not dealt another schedule at once.
struct SimRandom {
  uint64_t state;

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 .. n-1. REQUIRES: n > 0. (The bias is below n / 2^32.)
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
};

struct SimThread {
  enum class State : uint8_t { kReady, kRunning, kBlocked, kEnded };

  uint32_t number = 0;
  std::string name;
  Function function;
  State state = State::kReady;
  Stack* stack = nullptr;
  Context context;
  uint64_t priority = 0;

  // kBlocked: on this word (null: only on streams), until this time.
  const void* word = nullptr;
  SimThread* next_on_word = nullptr;
  uint64_t deadline = 0;
  uint64_t deadline_sequence = 0;
  bool timed_out = false;
  std::vector<PollEntry>* streams = nullptr;

  // The library's thread-locals while another thread runs.
  Worker* worker = nullptr;
  void* runtime = nullptr;
  uint32_t slot_plus_one = 0;
  ContextWords context_words;
  SimThreadLocals locals;
};

class Simulator {
 public:
  explicit Simulator(const SimulationOptions& options);
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  SimulationResult run(Function function);

  // ---- For simulated threads (sim_hooks.h says more)

  SimThread* running() { return running_; }
  uint64_t clock() { return now_ += kClockNanos; }
  uint64_t now() const { return now_; }
  uint64_t wall_micros() { return options_.wall_start_micros + (clock() - kStartNanos) / 1000; }
  uint64_t random();
  unsigned processors() const { return options_.processors; }
  unsigned assign_slot();

  Runtime& default_runtime();
  bool start_thread(std::string name, Function function);
  void point(bool may_yield_fiber);
  // What interleave() is in a simulation: a point, and now and then a long absence.
  void interleave(uint32_t line);
  void stall(uint64_t max_nanos);
  void yield_thread();
  bool spurious();
  uint32_t choose(uint32_t n) { return choices_.below(n); }

  // False: the deadline passed.
  bool wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline,
            std::vector<PollEntry>* streams = nullptr);
  int wake(const void* word, int count);
  // Somebody outside sleeps on a word of ours, or woke there.
  void count_foreign() { foreign_wakes_++; }

  uint64_t io_delay();
  uint64_t io_started(uint64_t delay);
  void io_ended(uint64_t number, int64_t result);

  void fiber_started(Fiber* fiber);
  void fiber_ended(Fiber* fiber);
  void pick_fiber(Worker* worker);

  // Any thread: a wake that may be for one of ours.
  void wake_from_outside(const void* word);

  Simulator* next_live = nullptr;  // in the list of sim_hooks.cc

 private:
  friend class SimReport;

  // Whether the place with this line is one of those where threads are kept away for long.
  bool stalls_at(uint32_t line) const;

  static constexpr uint64_t kNobody = UINT64_MAX;  // in the trace, for a thread's number
  static constexpr uint64_t kStartNanos = 1'000'000'000'000;
  static constexpr uint64_t kClockNanos = 15;  // what a look at the clock costs
  static constexpr uint32_t kPickWindow = 32;  // a fiber is picked from so many at most
  static constexpr uint32_t kMaxFiberTurns = 64;
  static constexpr unsigned kMaxSlots = 64;
  // A thread that takes and leaves locks in a circle, waiting for another one, is interrupted after
  // so many in any case.
  static constexpr uint64_t kLongestTurn = 10'000;
  // After so many steps without any event but yields, each costs more time, up to 2^kSpinShift
  // times: what spins until a time gets there.
  static constexpr uint32_t kSpinSteps = 256;
  static constexpr uint32_t kSpinShift = 7;
  static constexpr int kStreamCheckSteps = 64;

  struct EarlierDeadline {
    bool operator()(const SimThread* a, const SimThread* b) const {
      return a->deadline != b->deadline ? a->deadline < b->deadline
                                        : a->deadline_sequence < b->deadline_sequence;
    }
  };

  static void thread_main(void* thread) noexcept;
  void add(SimEvent event, uint64_t a = 0, uint64_t b = 0) {
    trace_.add(event, steps_, now_ - kStartNanos, a, b);
  }
  bool new_thread(std::string name, Function function);
  SimulationResult::Status schedule();
  bool limit_reached(SimulationResult::Status* status) const;
  void step();
  uint64_t gap();
  SimThread* choose_thread();
  void run_thread(SimThread* thread);
  __attribute__((always_inline)) void to_scheduler(SimThread* thread);
  void end_thread(SimThread* thread);
  void make_ready(SimThread* thread);
  void take_from_word(SimThread* thread);
  void expire();
  bool check_streams();
  bool take_foreign();
  void abandon();

  const SimulationOptions options_;
  SimTrace trace_;
  SimRandom schedule_;
  SimRandom choices_;
  SimRandom io_;
  SimRandom program_;
  uint32_t preempt_every_;
  uint32_t spurious_one_in_;
  bool by_priority_;

  uint64_t now_ = kStartNanos;
  uint64_t steps_ = 0;
  uint32_t spins_ = 0;
  uint64_t preempt_in_ = 0;
  uint32_t fiber_turns_ = 0;
  uint64_t deadline_sequence_ = 0;
  uint64_t lowest_priority_ = uint64_t{1} << 62;
  uint32_t next_thread_ = 0;
  uint32_t next_fiber_ = 1;
  uint64_t next_io_ = 0;
  uint64_t foreign_wakes_ = 0;
  uint64_t slots_taken_ = 0;

  StackPool* pool_;
  ExceptionGlobals* globals_;
  Context scheduler_context_;
  SimThread* running_ = nullptr;
  bool main_ended_ = false;
  std::unique_ptr<Runtime> default_runtime_;
  std::exception_ptr exception_;
  std::map<uint32_t, std::unique_ptr<SimThread>> threads_;
  std::vector<SimThread*> ready_;
  std::set<SimThread*, EarlierDeadline> deadlines_;
  // Looked up, never walked: its order is that of addresses.
  std::unordered_map<const void*, SimThread*> on_word_;
  uint32_t stream_waiters_ = 0;
  int stream_check_in_ = kStreamCheckSteps;
  std::map<uint32_t, Fiber*> fibers_;

  RawLock foreign_lock_;
  std::vector<const void*> foreign_words_ FIBER_GUARDED_BY(foreign_lock_);
  std::atomic<bool> foreign_any_{false};
};

// The list of simulations that run, for wakes from outside (sim_hooks.cc).
void register_simulator(Simulator* simulator);
void unregister_simulator(Simulator* simulator);

}  // namespace fiber::detail
