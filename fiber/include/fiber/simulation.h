// Simulation: runs a program on one OS thread, with a virtual clock, and with every choice that the
// system makes otherwise (who runs next, who is interrupted where, how long the disk takes) taken
// from a seed. The same seed gives the same run, step by step; another seed another one. What
// breaks once in a thousand runs breaks again with the seed that is printed.
//
//   fiber::Simulation simulation{seed};
//   const fiber::SimulationResult result = simulation.run([] { the same program text });
//   if (!result.ok()) puts(result.report.c_str());
//
// Inside run() everything that this library offers is simulated, as code outside of fibers and on
// them finds it: fiber::Thread is a simulated thread (a stack on the one real thread), Runtime has
// its workers on such threads, guest mode too; locks, waits, timers and joins block simulated
// threads; clocks are virtual and move on only by a few nanoseconds at each step, or to the next
// timer or I/O completion when nobody is ready; random_u64() follows from the seed; file I/O is
// made really, but after a delay drawn from the seed, so that completions come in any order.
// Simulated threads are interrupted at locks, waits, wakes and interleave() (interleave.h).
//
// What a simulation cannot see: threads that are not of this library (std::thread) run outside of
// it, and wake-ups between them and the simulation are reported (foreign_wakes), for no seed can
// repeat them; thread_local variables are one for all simulated threads (use fiber::local); a
// static local whose initialisation waits can hang; a loop that calls nothing of this library never
// ends; memory reordering does not happen (a simulated program is sequentially consistent).
// Sequences that depend on addresses (hash tables by pointer) are as random as the addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include "fiber/clock.h"
#include "fiber/function.h"
#include "fiber/interleave.h"

namespace fiber {

struct SimulationOptions {
  // The value of preempt_every and spurious_one_in that is drawn from the seed: never for some
  // seeds, often for others.
  static constexpr uint32_t kBySeed = UINT32_MAX;

  uint64_t seed = 1;

  // A simulated thread is interrupted about once in so many places where it may be. 0: never, it
  // runs until it waits.
  uint32_t preempt_every = kBySeed;
  // Where a contract allows it (Mutex::try_lock fails, CondVar::wait returns) it happens for no
  // reason once in so many times. 0: never.
  uint32_t spurious_one_in = kBySeed;
  // One in so many interruptions keeps its thread away for up to stall_max_nanos, as a busy system
  // does, while all others get on. 0: none, whoever is ready runs before any timer.
  uint32_t stall_one_in = 0;
  uint64_t stall_max_nanos = 5'000'000;
  // One in so many calls of interleave() keeps its thread away for up to
  // interleave_stall_max_nanos: long enough that whole protocols of others fit between two steps of
  // one. 0: none.
  uint32_t interleave_stall_one_in = 0;
  uint64_t interleave_stall_max_nanos = 50'000'000;
  // Of the places that call interleave() the seed chooses one in so many, and threads are kept away
  // at those alone: may then be often, because all others hurry by. 0: all places.
  uint32_t interleave_stall_place_one_in = 0;

  // The shortest and longest usual delay of a file operation; one in 64 takes up to 50 times as
  // long.
  uint64_t io_min_nanos = 2'000;
  uint64_t io_max_nanos = 200'000;

  // The run is given up after so many steps (0: no limit) or so much virtual time: a livelock.
  uint64_t max_steps = 0;
  uint64_t max_nanos = kNoDeadline;

  // What hardware_concurrency() says inside.
  unsigned processors = 4;
  // Usable bytes of a simulated thread's stack; unoptimised and sanitizer builds take four times as
  // much.
  size_t thread_stack_size = size_t{1} << 20;
  // wall_micros() at the start. Default: 2026-01-01 00:00 UTC.
  uint64_t wall_start_micros = 1'767'225'600'000'000;

  // Whether the result has the trace as text.
  bool trace = false;
};

struct SimulationResult {
  enum class Status {
    kFinished,   // the function returned and all simulated threads ended
    kException,  // the same, but the function threw
    kDeadlock,   // nobody is ready, no timer or I/O runs, and the function has not returned
    kLeftover,   // the same after the function returned: threads were left behind for ever
    kStepLimit,
    kTimeLimit,
    kRefused,  // run() inside of a simulation, or no memory for the first stack
  };

  Status status = Status::kFinished;
  uint64_t seed = 0;
  // Of every decision and event. Equal for equal runs, in any process.
  uint64_t hash = 0;
  // Turns of simulated threads and of fibers.
  uint64_t steps = 0;
  // Virtual time that passed.
  uint64_t nanos = 0;
  // Wake-ups from threads outside, or of such: the run depended on what no seed repeats.
  uint64_t foreign_wakes = 0;
  // For people: what happened and, unless it finished, who waits where. One fact a line.
  std::string report;
  // With SimulationOptions::trace: a line for each event: "<step> <virtual ns> <event>". Compare
  // those of two runs to find where they part.
  std::string trace;
  // What the function threw.
  std::exception_ptr exception;

  bool ok() const { return status == Status::kFinished; }
};

const char* to_string(SimulationResult::Status status);

// Thread safety: run() from any OS thread that is not inside of a simulation; several at once on
// several threads do not disturb one another.
class Simulation {
 public:
  explicit Simulation(uint64_t seed) { options_.seed = seed; }
  explicit Simulation(SimulationOptions options) : options_(options) {}

  // Runs `function` as the first simulated thread, named "main", on the calling OS thread, and
  // returns when all simulated threads have ended or none can go on. In the latter case their
  // stacks, and what they own, are abandoned: no destructor runs, the memory is never freed, and
  // whatever they locked stays locked. Each call starts from the seed anew.
  [[nodiscard]] SimulationResult run(Function function);

  // Whether the caller runs in a simulation.
  static bool inside();

 private:
  SimulationOptions options_;
};

}  // namespace fiber
