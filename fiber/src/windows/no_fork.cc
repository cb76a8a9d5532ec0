// fiber/fork.h where no process is made by fork().
#include "fiber/fork.h"

#include <cstdlib>

#include "fork.h"
#include "safe_writer.h"

namespace fiber {
namespace detail {

constinit std::atomic<uint32_t> g_process_generation{0};

void refuse_after_fork(const char* what) {
  SafeWriter(2) << "fiber: " << what << " outside of a worker\n";
  abort();
}

}  // namespace detail

// Handles are not inherited: there is nothing to close.
void close_on_fork(int /*fd*/) {}
void forget_on_fork(int /*fd*/) {}

}  // namespace fiber
