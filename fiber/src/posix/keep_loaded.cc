#include "keep_loaded.h"

#include <dlfcn.h>

#include <atomic>

// Weak: a program without a dynamic loader (-static) has neither, and is never unloaded.
extern "C" {
extern decltype(dladdr) dladdr __attribute__((weak));
extern decltype(dlopen) dlopen __attribute__((weak));
}

namespace fiber::detail {

void keep_loaded() {
  static std::atomic<bool> done{false};
  if (done.load(std::memory_order_relaxed)) return;
  done.store(true, std::memory_order_relaxed);
  if (&dladdr == nullptr || &dlopen == nullptr) return;
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&keep_loaded), &self) == 0) return;
  // Of the program itself there is nothing to keep: this finds nothing, or changes nothing. (The
  // handle is dropped: the library is counted once more.)
  if (self.dli_fname != nullptr && self.dli_fname[0] != '\0') {
    (void)dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
}

}  // namespace fiber::detail
