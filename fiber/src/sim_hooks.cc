// The functions of sim_hooks.h and interleave.h: from the calling OS thread to its Simulator.
#include "sim_hooks.h"

#include <vector>

#include "engine_sim.h"
#include "futex.h"
#include "local_table.h"
#include "simulator.h"
#include "worker.h"

namespace fiber::detail {

constinit std::atomic<uint32_t> g_simulations{0};
__thread Simulator* t_simulator __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

RawLock g_live_lock;
Simulator* g_live FIBER_GUARDED_BY(g_live_lock) = nullptr;

}  // namespace

void register_simulator(Simulator* simulator) {
  RawLockGuard guard(&g_live_lock);
  simulator->next_live = g_live;
  g_live = simulator;
  g_simulations.fetch_add(1, std::memory_order_relaxed);
}

void unregister_simulator(Simulator* simulator) {
  RawLockGuard guard(&g_live_lock);
  Simulator** at = &g_live;
  while (*at != simulator) at = &(*at)->next_live;
  *at = simulator->next_live;
  g_simulations.fetch_sub(1, std::memory_order_relaxed);
}

void simulate_interleave(uint32_t line) {
  if (t_simulator != nullptr) t_simulator->interleave(line);
}
void simulate_before_wait() {
  if (t_simulator != nullptr) t_simulator->point(true);
}
void simulate_spin() {
  if (t_simulator != nullptr) t_simulator->yield_thread();
}
bool simulate_spurious() { return t_simulator != nullptr && t_simulator->spurious(); }

uint64_t simulated_now() { return t_simulator->clock(); }
uint64_t simulated_wall_micros() { return t_simulator->wall_micros(); }
uint64_t simulated_random() { return t_simulator->random(); }
unsigned simulated_processors() { return t_simulator->processors(); }
unsigned simulated_slot() { return t_simulator->assign_slot(); }
uint32_t simulated_choice(uint32_t n) { return t_simulator->choose(n); }

uint64_t simulated_thread_id() {
  // Beyond the kernel's, whose limit is 2^22.
  constexpr uint64_t kFirst = uint64_t{1} << 23;
  return kFirst + t_simulator->running()->number;
}

SimThreadLocals* simulated_locals() { return &t_simulator->running()->locals; }

void end_simulated_locals() {
  SimThreadLocals* const locals = simulated_locals();
  locals->guest.reset();
  if (locals->locals != nullptr) LocalTable::destroy(&locals->locals);
}

bool simulate_thread(std::string name, Function function) {
  return t_simulator->start_thread(std::move(name), std::move(function));
}

Runtime& simulated_default_runtime() { return t_simulator->default_runtime(); }

void simulate_yield() { t_simulator->yield_thread(); }

void simulate_blocking_call() {
  Simulator* const simulator = t_simulator;
  const uint64_t delay = simulator->io_delay();
  simulator->io_started(delay);
  (void)simulator->wait(nullptr, 0, simulator->now() + delay);
}

void simulate_blocking_stream(int fd, short events) {
  simulate_blocking_call();
  (void)simulate_stream_wait(fd, events, kNoDeadline);
}

bool simulate_stream_wait(int fd, short events, uint64_t deadline) {
  std::vector<PollEntry> streams{{.fd = fd, .events = events, .revents = 0}};
  while (os_poll(streams.data(), streams.size()) == 0) {
    if (t_simulator->clock() >= deadline) return false;
    (void)t_simulator->wait(nullptr, 0, deadline, &streams);
  }
  return true;
}

std::unique_ptr<IoEngine> create_sim_engine() { return std::make_unique<SimEngine>(t_simulator); }

void simulate_fiber_start(Simulator* simulator, Fiber* fiber) {
  fiber->sim_number = 0;
  if (simulator == t_simulator) simulator->fiber_started(fiber);
}
void simulate_fiber_end(Simulator* simulator, Fiber* fiber) {
  if (fiber->sim_number != 0) simulator->fiber_ended(fiber);
}
void simulate_pick(Simulator* simulator, Worker* worker) { simulator->pick_fiber(worker); }

bool simulated_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline) {
  Simulator* const simulator = t_simulator;
  if (simulator == nullptr || simulator->running() == nullptr) return false;
  // A futex may wake for no reason, and whoever uses one knows.
  if (simulator->spurious()) {
    simulator->yield_thread();
  } else {
    (void)simulator->wait(word, expected, deadline);
  }
  return true;
}

bool simulated_futex_wake(const std::atomic<uint32_t>* word, int count) {
  Simulator* const simulator = t_simulator;
  if (simulator != nullptr) {
    if (simulator->wake(word, count) > 0) {
      simulator->point(false);
      return true;
    }
    return false;  // perhaps for a thread outside
  }
  RawLockGuard guard(&g_live_lock);
  for (Simulator* s = g_live; s != nullptr; s = s->next_live) s->wake_from_outside(word);
  return false;
}

}  // namespace fiber::detail
