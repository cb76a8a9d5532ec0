// BackgroundCall: a function that is started, runs while its owner does other things, and is waited
// for later. For what may block or suspend and is needed soon: a file that is opened, a write.
//
//   fiber::BackgroundCall open;
//   open.start([&] { next = Open("next"); });
//   ... use the current one ...
//   open.wait();
//
// On a runtime's fiber the function runs as a fiber of the same worker; on a plain thread, also in
// its gather(), on a thread of the blocking pool (which are few: 32 in all), in a simulation on a
// thread of its own. What the owner did before start() happens before the function, and the
// function before the end of wait().
//
// Thread safety: one caller at a time for each object, which may be waited for and destroyed by
// another fiber or thread than the one that started it.
#pragma once

#include <memory>

#include "fiber/function.h"

namespace fiber {

class BackgroundCall {
 public:
  BackgroundCall() noexcept;
  // SUSPENDS. wait().
  ~BackgroundCall();
  BackgroundCall(BackgroundCall&& other) noexcept;
  // SUSPENDS: waits for the one that it held.
  BackgroundCall& operator=(BackgroundCall&& other) noexcept;

  // REQUIRES: nothing is under way. `function` is not empty and must not end with an exception.
  void start(Function function);

  // Whether start() was called and wait() was not, since.
  bool started() const { return state_ != nullptr; }
  // Whether there is nothing to wait for.
  bool done() const;
  // SUSPENDS until the function has ended, if one was started.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fiber
