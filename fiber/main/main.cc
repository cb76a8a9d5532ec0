// libfiber_main: a program linked with -Wl,--wrap=main and this library runs its own main() on a
// fiber of the default runtime, unchanged. Static objects are made before and destroyed after, on
// the process's first thread, as always; exit() called by a fiber destroys them on its worker.
//
// The linker sends the C library's call of main to __wrap_main and __real_main to the program's
// main. Every fiber of such a program has a stack of FIBER_STACK_SIZE (fiber/default_runtime.h) or
// as large a one as a thread has on Linux: what was written for threads has large frames.
#include <cstddef>

#include "fiber/default_runtime.h"

namespace {

constexpr size_t kThreadStackSize = size_t{8} << 20;

// Before the program's own static objects are made: they may start threads.
struct LikeThreads {
  LikeThreads() { fiber::set_default_stack_size(kThreadStackSize); }
};
[[gnu::init_priority(101)]] LikeThreads like_threads;

}  // namespace

extern "C" {
int __real_main(int argc, char** argv, char** environment);
int __wrap_main(int argc, char** argv, char** environment);

int __wrap_main(int argc, char** argv, char** environment) {
  return fiber::default_runtime().run([=] { return __real_main(argc, argv, environment); });
}
}
