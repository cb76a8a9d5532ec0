// What the rest of the library asks a simulation (simulation.h) at the places where it would
// otherwise turn to the operating system. simulator() is null outside of simulations, at the price
// of one load and a branch.
//
// Thread safety: all on the calling thread's own behalf.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "fiber/function.h"
#include "fiber/interleave.h"

namespace fiber {
class Runtime;
}

namespace fiber::detail {

class IoEngine;
class LocalTable;
class Simulator;
class Worker;
struct Fiber;

// The simulation that the calling OS thread runs, between the beginning and the end of run().
extern __thread Simulator* t_simulator __attribute__((tls_model("initial-exec")));
inline Simulator* simulator() { return simulating() ? t_simulator : nullptr; }

// What a simulated thread has in place of the library's thread-locals.
struct SimThreadLocals {
  std::unique_ptr<Worker> guest;  // guest.cc
  LocalTable* locals = nullptr;   // local.cc
};

// REQUIRES for all of these: simulator() is not null.
uint64_t simulated_now();
uint64_t simulated_wall_micros();
uint64_t simulated_random();
unsigned simulated_processors();
unsigned simulated_slot();
uint64_t simulated_thread_id();
SimThreadLocals* simulated_locals();
// Destroys them, as a thread's end does. They must not be used again.
void end_simulated_locals();
// False: no memory for its stack.
bool simulate_thread(std::string name, Function function);
void simulate_yield();
// The simulation's own (default_runtime.h): ends, with its fibers, behind the function of run().
Runtime& simulated_default_runtime();
// An even choice among 0 .. n-1. REQUIRES: n > 0.
uint32_t simulated_choice(uint32_t n);
// The delay of a blocking call on a simulated thread; waits until the descriptor is ready if `fd`
// is a stream. `events`: poll()'s.
void simulate_blocking_call();
void simulate_blocking_stream(int fd, short events);
// Waits until poll(2) reports something. False: the deadline passed.
bool simulate_stream_wait(int fd, short events, uint64_t deadline);
std::unique_ptr<IoEngine> create_sim_engine();

// Of a worker made inside: a fiber begins, ends, and is about to be picked from its ready ones.
void simulate_fiber_start(Simulator* simulator, Fiber* fiber);
void simulate_fiber_end(Simulator* simulator, Fiber* fiber);
void simulate_pick(Simulator* simulator, Worker* worker);

// futex.h. False: the calling thread is outside. A wake says how many it woke.
bool simulated_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline);
bool simulated_futex_wake(const std::atomic<uint32_t>* word, int count);

}  // namespace fiber::detail
