#include "context.h"

#include <pthread.h>

#include <cstring>

namespace fiber::detail {

void* prepare_stack(void* /*bottom*/, void* top, void (*entry)(void*), void* argument) {
  uintptr_t address = reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15};
#if defined(__x86_64__)
  address -= 16 + 128;  // the red zone that the jump steps over
  void** frame = reinterpret_cast<void**>(address) - 7;
  memset(frame, 0, 7 * sizeof(void*));
  frame[3] = reinterpret_cast<void*>(entry);  // r12
  frame[4] = argument;                        // rbx
  frame[6] =
      reinterpret_cast<void*>(&fiber_context_entry);  // rcx; the stack pointer is 16-aligned there
  return frame;
#elif defined(__aarch64__)
  void** frame = reinterpret_cast<void**>(address) - 20;
  memset(frame, 0, 20 * sizeof(void*));
  frame[8] = argument;                                        // x19
  frame[9] = reinterpret_cast<void*>(entry);                  // x20
  frame[19] = reinterpret_cast<void*>(&fiber_context_entry);  // x30
  return frame;
#else
#error "no context switch for this processor"
#endif
}

void describe_thread_context([[maybe_unused]] Context* context) {
#if defined(FIBER_TSAN)
  context->tsan_fiber = __tsan_get_current_fiber();
#endif
#if defined(FIBER_ASAN)
  static thread_local void* t_bottom = nullptr;
  static thread_local size_t t_size = 0;
  if (t_bottom == nullptr) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &t_bottom, &t_size);
      pthread_attr_destroy(&attributes);
    }
  }
  context->stack_bottom = t_bottom;
  context->stack_size = t_size;
#endif
}

}  // namespace fiber::detail
