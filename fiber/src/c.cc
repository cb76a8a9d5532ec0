// See fiber/c.h.
#include "fiber/c.h"

#include "fiber/runtime.h"

struct fiber_runtime_t {
  explicit fiber_runtime_t(const fiber::RuntimeOptions& options) : runtime(options) {}
  fiber::Runtime runtime;
};
struct fiber_handle_t {
  fiber::JoinHandle handle;
};

extern "C" {

fiber_runtime_t* fiber_runtime_create(int workers, size_t stack_size) {
  if (workers < 1 || workers > 1024) return nullptr;
  fiber::RuntimeOptions options;
  options.workers = workers;
  if (stack_size != 0) options.stack_size = stack_size;
  return new fiber_runtime_t(options);
}

void fiber_runtime_destroy(fiber_runtime_t* runtime) { delete runtime; }

fiber_handle_t* fiber_spawn(fiber_runtime_t* runtime, void (*function)(void*), void* argument) {
  return new fiber_handle_t{runtime->runtime.spawn([function, argument] { function(argument); })};
}

void fiber_join(fiber_handle_t* handle) {
  handle->handle.join();
  delete handle;
}

void fiber_yield() { fiber::yield(); }

}  // extern "C"
