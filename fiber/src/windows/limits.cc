#include "fiber/limits.h"

#include "os_descriptor.h"
#include "sim_hooks.h"

namespace fiber {

namespace {
constexpr uint64_t kSimulatedDescriptors = 1 << 20;
}  // namespace

// Windows itself has millions of handles; the table of descriptors is the limit.
uint64_t descriptor_limit() {
  return detail::simulator() != nullptr ? kSimulatedDescriptors : uint64_t{detail::kMaxDescriptors};
}

}  // namespace fiber
