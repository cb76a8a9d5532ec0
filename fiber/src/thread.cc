#include "fiber/thread.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "fiber/fork.h"
#include "fiber/wait.h"
#include "fork.h"
#include "os_thread.h"
#include "sim_hooks.h"

namespace fiber {

struct Thread::State {
  std::string name;
  Function function;
  int nice = 0;
  bool simulated = false;
  detail::OsThread thread{};
  std::atomic<uint32_t> ended{0};
  const uint32_t generation = process_generation();

  static void main(void* argument);
  void run();
};

void Thread::State::main(void* argument) {
  State* self = static_cast<State*>(argument);
  detail::os_name_thread(self->name.c_str());
  if (self->nice != 0) detail::os_renice_thread(self->nice);
  self->run();
}

void Thread::State::run() {
  function();
  function = Function();
  // On a real thread join() waits for the thread itself, too. (In a simulation the thread keeps its
  // State until it has woken who waits: else another's, at the same address, might be meant.)
  if (simulated) detail::end_simulated_locals();
  ended.store(1, std::memory_order_release);
  wake(&ended, SIZE_MAX);
}

Thread::Thread() = default;
Thread::Thread(Thread&& other) noexcept = default;

Thread& Thread::operator=(Thread&& other) noexcept {
  if (this != &other) {
    if (joinable()) join();
    state_ = std::move(other.state_);
  }
  return *this;
}

int Thread::create(std::string name, Function function, int nice, Thread* out) {
  auto state = std::make_shared<State>();
  name.resize(name.size() > 15 ? 15 : name.size());
  state->name = std::move(name);
  state->function = std::move(function);
  state->nice = nice;
  if (detail::simulator() != nullptr) {
    state->simulated = true;
    if (!detail::simulate_thread(state->name, [state] { state->run(); })) return -EAGAIN;
  } else {
    const int error = detail::os_start_thread(State::main, state.get(), &state->thread);
    if (error != 0) return error;
  }
  Thread started;
  started.state_ = std::move(state);
  *out = std::move(started);
  return 0;
}

Thread::Thread(std::string name, Function function, int nice) {
  const int result = create(std::move(name), std::move(function), nice, this);
  if (result != 0) {
    fprintf(stderr, "fiber::Thread: the system refuses a thread: %s\n", strerror(-result));
    abort();
  }
}

Thread::~Thread() {
  if (joinable()) join();
}

void Thread::join() {
  if (state_->generation != process_generation()) {
    // Its thread is the parent process's. What it was given may be in use there, to all appearance.
    (void)new std::shared_ptr<State>(std::move(state_));
    return;
  }
  // A fiber must not block its worker: park until the function is done, what is left of the thread
  // is short.
  while (state_->ended.load(std::memory_order_acquire) == 0) {
    if (state_->simulated && detail::simulator() == nullptr) {
      fprintf(stderr, "fiber::Thread: '%s' was left behind by a simulation that could not go on\n",
              state_->name.c_str());
      // Its stack may still be looked at.
      (void)new std::shared_ptr<State>(std::move(state_));
      return;
    }
    wait(&state_->ended, 0);
  }
  if (!state_->simulated) detail::os_join_thread(state_->thread);
  state_.reset();
}

namespace {
__thread uint64_t t_id = 0;
}  // namespace

void detail::forget_thread_id() { t_id = 0; }

uint64_t current_thread_id() {
  if (detail::simulator() != nullptr) return detail::simulated_thread_id();
  if (t_id == 0) t_id = detail::os_thread_id();
  return t_id;
}

}  // namespace fiber
