// See descriptor.h.
#include "descriptor.h"

#include <cerrno>

#include "fiber/wait.h"
#include "io_blocking.h"

namespace fiber::detail {

namespace {

// Untouched pages of it cost nothing.
Descriptor descriptors[kMaxDescriptors];

bool releasing(uint32_t waits) { return (waits & Descriptor::kReleasing) != 0; }

// SUSPENDS until the kernel has the number back.
void await_release(const Descriptor* d) {
  for (;;) {
    const uint32_t waits = d->waits.load(std::memory_order_acquire);
    if (!releasing(waits)) return;
    (void)wait(&d->waits, waits);
  }
}

// SUSPENDS until nobody uses the descriptor, which is closing. Nobody stays from then on.
void await_last(Descriptor* d) {
  for (;;) {
    uint32_t waits = Descriptor::kClosing;
    if (d->waits.compare_exchange_strong(waits, Descriptor::kClosing | Descriptor::kReleasing,
                                         std::memory_order_acq_rel))
      return;
    (void)wait(&d->waits, waits);
  }
}

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

void DescriptorUse::came_late() {
  await_release(descriptor_);
  was_closing_ = closing();
}

void DescriptorUse::last_left() { wake(&descriptor_->waits, SIZE_MAX); }

int close_descriptor(int fd) {
  Descriptor* const d = descriptor(fd);
  if (d == nullptr) return io::blocking::close(fd);
  for (;;) {
    const uint32_t before = d->waits.fetch_or(Descriptor::kClosing, std::memory_order_acq_rel);
    if ((before & Descriptor::kClosing) == 0) {
      // Ends every wait in the kernel and in poll(2), whichever engine or thread it is in.
      if (before != 0) os_end_waits(fd);
      break;
    }
    if (!releasing(before)) return -EBADF;
    await_release(d);  // of the file that had the number before
  }
  await_last(d);
  descriptor_closing(fd);
  const int result = io::blocking::close(fd);
  d->waits.fetch_and(~(Descriptor::kClosing | Descriptor::kReleasing), std::memory_order_release);
  wake(&d->waits, SIZE_MAX);
  return result;
}

}  // namespace fiber::detail
