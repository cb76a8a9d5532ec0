// See fiber/guest.h. On a plain thread: a Worker that the thread keeps for itself, run until no
// fiber is left on it.
#include "fiber/guest.h"

#include <cstddef>
#include <memory>

#include "fiber/runtime.h"
#include "fork.h"
#include "guest.h"
#include "sim_hooks.h"
#include "thread_owned.h"
#include "waiter.h"
#include "worker.h"

namespace fiber {

namespace {

using detail::Waiter;
using detail::Worker;

// Starts every function as a fiber of the worker; each runs at once until it first waits. `ended`
// runs after each.
template <class Ended>
void start_all(Worker* worker, std::span<Function> functions, Ended* ended) {
  for (Function& function : functions) {
    worker
        ->spawn_now([&function, ended] {
          function();
          (*ended)();
        })
        .detach();
  }
}

void gather_on_fiber(std::span<Function> functions) {
  // All on one worker: plain numbers do.
  size_t left = functions.size();
  Waiter* waiting = nullptr;
  auto ended = [&] {
    if (--left == 0 && waiting != nullptr) waiting->resume();
  };
  start_all(Worker::current(), functions, &ended);
  if (left == 0) return;
  Waiter waiter;
  waiting = &waiter;
  waiter.suspend();
}

std::unique_ptr<Worker> new_guest_worker() {
  return std::make_unique<Worker>(RuntimeOptions().stack_size, Engine::kAuto, nullptr);
}

void gather_on_worker(Worker* worker, std::span<Function> functions) {
  // Until nothing is left, not only the functions: what they spawned and detached could not go on
  // without us.
  worker->spawn([functions] { gather_on_fiber(functions); }).detach();
  worker->run_until([worker] { return worker->live() == 0; });
}

// The thread's own worker: made by its first gather(), ended with the thread.
struct GuestSlot {
  std::unique_ptr<Worker> worker;
  ~GuestSlot();
};
// Outlives it: destructors of other thread-locals and statics may still gather().
__thread bool t_guest_gone = false;

GuestSlot::~GuestSlot() { t_guest_gone = true; }

std::unique_ptr<Worker>& own_guest() { return detail::ThreadOwned<GuestSlot>::get().worker; }

}  // namespace

// (Not ended: that would talk to its ring.)
void detail::forget_guest_worker() { (void)own_guest().release(); }

detail::Worker* detail::existing_guest_worker() {
  if (simulator() != nullptr) [[unlikely]] {
    return simulated_locals()->guest.get();
  }
  return t_guest_gone ? nullptr : own_guest().get();
}

detail::Worker* detail::guest_worker() {
  if (simulator() != nullptr) [[unlikely]] {
    std::unique_ptr<Worker>& worker = simulated_locals()->guest;
    if (worker == nullptr) worker = new_guest_worker();
    return worker.get();
  }
  if (t_guest_gone) return nullptr;
  std::unique_ptr<Worker>& own = own_guest();
  if (own == nullptr) own = new_guest_worker();
  return own.get();
}

void gather(std::span<Function> functions) {
  if (functions.empty()) return;
  if (functions.size() == 1) {
    functions[0]();
    return;
  }
  if (Worker::current_fiber() != nullptr) {
    gather_on_fiber(functions);
    return;
  }
  if (Worker* const worker = detail::guest_worker()) {
    gather_on_worker(worker, functions);
  } else {
    gather_on_worker(new_guest_worker().get(), functions);
  }
}

}  // namespace fiber
