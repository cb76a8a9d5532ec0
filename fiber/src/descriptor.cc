// See descriptor.h.
#include "descriptor.h"

#include <cerrno>

#include "fiber/wait.h"
#include "io_blocking.h"

namespace fiber::detail {

namespace {

// Untouched pages of it cost nothing.
Descriptor descriptors[kMaxDescriptors];

}  // namespace

Descriptor* descriptor(int fd) {
  return fd >= 0 && fd < kMaxDescriptors ? &descriptors[fd] : nullptr;
}

void descriptor_made(int fd) {
  Descriptor* const d = descriptor(fd);
  if (d == nullptr) return;
  d->generation.fetch_add(1, std::memory_order_relaxed);
  d->readable.store(false, std::memory_order_relaxed);
  d->registrable.store(false, std::memory_order_relaxed);
  d->kind.store(0, std::memory_order_relaxed);
}

void descriptor_closing(int fd) {
  descriptor_made(fd);
  os_descriptor_closing(fd);
}

bool is_tcp(int fd) {
  Descriptor* const d = descriptor(fd);
  uint8_t kind = d != nullptr ? d->kind.load(std::memory_order_relaxed) : uint8_t{0};
  if (kind == 0) {
    kind = os_is_tcp(fd) ? Descriptor::kTcp : Descriptor::kOther;
    if (d != nullptr) d->kind.store(kind, std::memory_order_relaxed);
  }
  return kind == Descriptor::kTcp;
}

void DescriptorUse::last_left() { wake(&descriptor_->waits, SIZE_MAX); }

int close_descriptor(int fd) {
  Descriptor* const d = descriptor(fd);
  if (d == nullptr) return io::blocking::close(fd);
  const uint32_t before = d->waits.fetch_or(Descriptor::kClosing, std::memory_order_acq_rel);
  if ((before & Descriptor::kClosing) != 0) return -EBADF;
  if (before != 0) {
    // Ends every wait in the kernel and in poll(2), whichever engine or thread it is in.
    os_end_waits(fd);
    for (;;) {
      const uint32_t waits = d->waits.load(std::memory_order_acquire);
      if (waits == Descriptor::kClosing) break;
      (void)wait(&d->waits, waits);
    }
  }
  descriptor_closing(fd);
  // From here on a call that comes too late uses a descriptor that is about to be gone.
  d->waits.fetch_and(~Descriptor::kClosing, std::memory_order_release);
  return io::blocking::close(fd);
}

}  // namespace fiber::detail
