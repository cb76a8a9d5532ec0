// Says which fiber overflowed its stack (fiber/debug.h has the contract).
#pragma once

#include <cstddef>
#include <memory>

namespace fiber::detail {

// Installs the SIGSEGV and SIGBUS handler, once for the process. Thread safe.
void install_overflow_report();

// The stack on which the calling thread handles signals while a fiber's is exhausted; none is made
// if the thread has one already. Belongs to the thread that created it.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::unique_ptr<char[]> memory_;
};

}  // namespace fiber::detail
