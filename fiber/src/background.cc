// See fiber/background.h.
#include "fiber/background.h"

#include <utility>

#include "engine_blocking_pool.h"
#include "fiber/fork.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "sim_hooks.h"

namespace fiber {

struct BackgroundCall::State {
  struct Job : detail::PoolJob {
    State* state = nullptr;
  };

  Function function;
  Event ended;
  Job job;
  Thread thread;  // in a simulation
  const uint32_t generation = process_generation();

  // This may be gone afterwards.
  void run() {
    function();
    function = Function();
    ended.set();
  }
};

BackgroundCall::BackgroundCall() noexcept = default;
BackgroundCall::~BackgroundCall() { wait(); }
BackgroundCall::BackgroundCall(BackgroundCall&& other) noexcept = default;
BackgroundCall& BackgroundCall::operator=(BackgroundCall&& other) noexcept {
  if (this != &other) {
    wait();
    state_ = std::move(other.state_);
  }
  return *this;
}

void BackgroundCall::start(Function function) {
  state_ = std::make_unique<State>();
  State* const state = state_.get();
  state->function = std::move(function);
  const auto run = [state] { state->run(); };
  if (Runtime::current() != nullptr) {
    spawn(run).detach();
  } else if (detail::simulator() != nullptr) {
    if (Thread::create("background", run, 0, &state->thread) != 0) run();
  } else {
    state->job.state = state;
    state->job.run = [](detail::PoolJob* job) { static_cast<State::Job*>(job)->state->run(); };
    detail::BlockingPool::instance().submit(&state->job);
  }
}

bool BackgroundCall::done() const { return state_ == nullptr || state_->ended.is_set(); }

void BackgroundCall::wait() {
  if (state_ == nullptr) return;
  if (state_->generation != process_generation()) {
    (void)state_.release();  // it runs in the parent process, or nowhere
    return;
  }
  state_->ended.wait();
  state_.reset();
}

}  // namespace fiber
