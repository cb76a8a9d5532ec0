#include <system_error>

#include "fiber/cpu.h"
#include "fiber/default_runtime.h"
#include "fiber/std/thread.h"

namespace fiber_std {

fiber::JoinHandle detail::start_thread(fiber::Function function) {
  if (!fiber::in_fiber()) return fiber::default_runtime().spawn(std::move(function));
  fiber::Runtime* const runtime = fiber::Runtime::current();
  return runtime != nullptr ? runtime->spawn(std::move(function))
                            : fiber::spawn(std::move(function));
}

void thread::join() {
  if (!joinable()) throw std::system_error(std::make_error_code(std::errc::invalid_argument));
  if (id_ == this_thread::get_id()) {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur));
  }
  handle_.join();
  id_ = id();
}

void thread::detach() {
  if (!joinable()) throw std::system_error(std::make_error_code(std::errc::invalid_argument));
  handle_.detach();
  id_ = id();
}

unsigned thread::hardware_concurrency() noexcept { return fiber::hardware_concurrency(); }

}  // namespace fiber_std
