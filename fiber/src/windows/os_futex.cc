#include "os_futex.h"

#include "os_clock.h"
#include "system.h"

namespace fiber::detail {

void os_futex_wait(const std::atomic<uint32_t>* word, uint32_t expected, uint64_t deadline) {
  const DWORD millis = os_millis_until(deadline);
  if (millis == 0) return;
  WaitOnAddress(const_cast<std::atomic<uint32_t>*>(word), &expected, sizeof(expected), millis);
}

void os_futex_wake(const std::atomic<uint32_t>* word, int count) {
  void* const address = const_cast<std::atomic<uint32_t>*>(word);
  if (count == 1) {
    WakeByAddressSingle(address);
  } else {
    WakeByAddressAll(address);
  }
}

}  // namespace fiber::detail
