// What the process knows of each descriptor: who waits on it, which descriptor of that number it
// is, whether its socket had more to read.
//
// Used by net.cc and io.cc around every wait on a descriptor, so that close() can send the waiting
// ones away and keeps the number until they are gone, and by the epoll engine, which must notice
// when a number it has registered means another file.
//
// The protocol: a wait holds a DescriptorUse. close_descriptor() forbids new ones, makes those
// there end (by shutting the socket down), waits until the last has gone, and only then gives the
// number back. So an operation that is queued somewhere never hits a later file of the same number.
// While the number is being given back nobody can tell whether a call means the old file or the
// next: calls wait until the kernel has it, and then ask the kernel. So a call that comes too late
// never finds the old file (where it would wait for good).
//
// Thread safety: all of it from any thread. Descriptors from kMaxDescriptors on are not followed:
// a wait on one is not ended by its close.
#pragma once

#include <atomic>
#include <cstdint>

#include "os_descriptor.h"

namespace fiber::detail {

struct Descriptor {
  static constexpr uint32_t kClosing = uint32_t{1} << 31;
  // With kClosing: all have left, the number is being given back to the kernel.
  static constexpr uint32_t kReleasing = uint32_t{1} << 30;
  static constexpr uint8_t kTcp = 1;
  static constexpr uint8_t kOther = 2;

  // Low bits: how many wait.
  std::atomic<uint32_t> waits{0};
  // Changes whenever the number comes to mean another file. Relaxed: whoever uses the new file
  // learned its number from its maker.
  std::atomic<uint16_t> generation{0};
  // A hint only: the last receive left something in the socket.
  std::atomic<bool> readable{false};
  // Asked for by io::keep_registered(); ends when the number comes to mean another file.
  std::atomic<bool> registrable{false};
  // The rings that hold a reference (registered_files.h), a bit each. Relaxed: who closes the
  // descriptor comes after all that use it.
  std::atomic<uint64_t> rings{0};
  // For is_tcp(): 0 until somebody asks, then kTcp or kOther.
  std::atomic<uint8_t> kind{0};
};

// Null: not followed.
Descriptor* descriptor(int fd);

// The number means a new file now.
void descriptor_made(int fd);
// The number is about to be given back: nobody, and no ring, takes it for the present file any
// more.
void descriptor_closing(int fd);

// Whether a receive that filled less than its buffer has emptied the socket: with TCP it has (but
// for urgent data), a Unix socket also stops at passed descriptors, a datagram at its end.
bool is_tcp(int fd);

// SUSPENDS. -errno of close(), -EBADF also if another close is under way.
int close_descriptor(int fd);

// One wait on a descriptor. The constructor SUSPENDS while the number is being given back.
class DescriptorUse {
 public:
  explicit DescriptorUse(Descriptor* d) : descriptor_(d) {
    if (d != nullptr && (d->waits.fetch_add(1, std::memory_order_acquire) & Descriptor::kClosing))
        [[unlikely]]
      came_late();
  }
  ~DescriptorUse() {
    if (descriptor_ == nullptr) return;
    // Release: what the wait did with the descriptor comes before its close.
    const uint32_t before = descriptor_->waits.fetch_sub(1, std::memory_order_release);
    if (before == (Descriptor::kClosing | 1)) [[unlikely]]
      last_left();
  }
  DescriptorUse(const DescriptorUse&) = delete;
  DescriptorUse& operator=(const DescriptorUse&) = delete;

  // Was being closed when we came: do not begin.
  bool was_closing() const { return was_closing_; }
  // Is being closed by now: a result may be the close's doing.
  bool closing() const {
    return descriptor_ != nullptr &&
           (descriptor_->waits.load(std::memory_order_acquire) & Descriptor::kClosing) != 0;
  }

 private:
  void came_late();
  void last_left();

  Descriptor* const descriptor_;
  bool was_closing_ = false;
};

}  // namespace fiber::detail
