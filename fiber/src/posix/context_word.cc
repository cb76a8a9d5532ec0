// See local.h.
#include "fiber/local.h"

namespace fiber::detail {

__thread void* t_context_word __attribute__((tls_model("initial-exec"))) = nullptr;

}  // namespace fiber::detail
