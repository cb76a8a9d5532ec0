// RegisteredFiles: the files of which one ring holds a reference of its own, so that an operation
// names a slot of the ring and the kernel need not look the descriptor up (IOSQE_FIXED_FILE): a
// twentieth of the processor time of a socket's operation, a tenth of a cached read's.
//
// Only descriptors whose owner asked for it (io::keep_registered()): such a one is closed by this
// library alone, which lets the rings know. A close by the system call would go unnoticed, and the
// slot would go on to mean the old file when its number means another.
//
// The protocol: a descriptor takes a slot after kUses operations in this ring; its bit in
// Descriptor::rings says so. forget() comes before the close: it takes the slot back at once in the
// caller's own ring, and tells the others, which do it before their next operation or sleep (they
// are woken for that). Until then the file stays open, but no operation finds the slot any more:
// the descriptor's generation has changed.
//
// Thread safety: forget() from any thread, all else from the ring's.
#pragma once

#include <liburing.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "descriptor.h"

namespace fiber::detail {

class RegisteredFiles {
 public:
  static constexpr unsigned kSlots = 4096;  // at most
  static constexpr uint16_t kUses = 32;

  // Null: the kernel has no sparse tables (before 5.19), or 64 rings do this already.
  // `wake` makes the ring's thread look, should it sleep; from any thread.
  static std::unique_ptr<RegisteredFiles> create(io_uring* ring, void (*wake)(void*),
                                                 void* argument);
  ~RegisteredFiles();
  RegisteredFiles(const RegisteredFiles&) = delete;
  RegisteredFiles& operator=(const RegisteredFiles&) = delete;

  // Makes the operation name a slot, if its descriptor has or now gets one.
  void apply(io_uring_sqe* sqe) {
    if (closed_.load(std::memory_order_acquire)) [[unlikely]]
      drop_closed();
    const Descriptor* const d = takes_file(sqe->opcode) ? descriptor(sqe->fd) : nullptr;
    if (d == nullptr || !d->registrable.load(std::memory_order_relaxed)) return;
    const int slot = slot_of(sqe->fd, *d);
    if (slot < 0) return;
    sqe->fd = slot;
    sqe->flags |= IOSQE_FIXED_FILE;
  }

  // Takes back the slots of what was closed since.
  void drop_closed();
  bool must_drop() const { return closed_.load(std::memory_order_seq_cst); }

  // For descriptor_closing(): the generation has changed.
  static void forget(int fd);

 private:
  // What the ring knows of a descriptor. slot -1: none yet.
  struct Entry {
    int32_t slot = -1;
    uint16_t generation = 0;
    uint16_t uses = 0;
  };

  RegisteredFiles(io_uring* ring, void (*wake)(void*), void* argument)
      : ring_(ring), wake_(wake), argument_(argument) {}
  static bool takes_file(uint8_t opcode);
  int slot_of(int fd, const Descriptor& d);
  int take_slot(int fd);
  void release(Entry* entry);

  io_uring* const ring_;
  void (*const wake_)(void*);
  void* const argument_;
  unsigned number_ = 0;         // of the ring: the bit in Descriptor::rings
  std::vector<Entry> entries_;  // by descriptor
  std::vector<int32_t> free_;
  std::vector<int> holders_;  // descriptor by slot; -1: free
  // Set by others; seq_cst, because it is paired with the sleep of the ring's thread as a post is.
  std::atomic<bool> closed_{false};
};

}  // namespace fiber::detail
