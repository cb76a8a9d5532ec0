#include "keep_loaded.h"

#include <atomic>

#include "system.h"

namespace fiber::detail {

void keep_loaded() {
  static std::atomic<bool> done{false};
  if (done.exchange(true, std::memory_order_relaxed)) return;
  HMODULE self;
  (void)GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                           reinterpret_cast<LPCWSTR>(reinterpret_cast<const void*>(&keep_loaded)),
                           &self);
}

}  // namespace fiber::detail
