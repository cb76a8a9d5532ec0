#include "os_random.h"

#include "system.h"
// After Windows' own header.
#include <bcrypt.h>

namespace fiber::detail {

bool os_random(void* data, size_t size) {
  return BCryptGenRandom(nullptr, static_cast<PUCHAR>(data), static_cast<ULONG>(size),
                         BCRYPT_USE_SYSTEM_PREFERRED_RNG) >= 0;
}

}  // namespace fiber::detail
