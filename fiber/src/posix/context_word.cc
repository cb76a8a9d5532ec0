// See local.h.
#include "fiber/local.h"

namespace fiber::detail {

__thread void* t_context_word __attribute__((tls_model("initial-exec"))) = nullptr;

#if defined(__x86_64__)
__thread LocalValues* t_local_values __attribute__((tls_model("initial-exec"))) = nullptr;
#else
namespace {

__thread LocalValues* t_local_values = nullptr;

}  // namespace

__attribute__((noinline)) LocalValues* local_values() {
  asm volatile("");  // not pure: calls cannot be merged
  return t_local_values;
}

__attribute__((noinline)) void set_local_values(LocalValues* values) {
  asm volatile("");
  t_local_values = values;
}
#endif

}  // namespace fiber::detail
