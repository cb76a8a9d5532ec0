// See registered_files.h.
#include "registered_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <bit>

#include "fork.h"
#include "raw_lock.h"

namespace fiber::detail {
namespace {

constexpr unsigned kMaxRings = 64;

RawLock g_lock;
RegisteredFiles* g_rings[kMaxRings] FIBER_GUARDED_BY(g_lock) = {};
__thread uint64_t t_own_rings = 0;  // bits of the calling thread's

}  // namespace

RawLock* rings_lock() { return &g_lock; }

std::unique_ptr<RegisteredFiles> RegisteredFiles::create(io_uring* ring, void (*wake)(void*),
                                                         void* argument) {
  // A table may not have more slots than the process may have descriptors.
  rlimit limit;
  unsigned slots = kSlots;
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < slots)
    slots = static_cast<unsigned>(limit.rlim_cur);
  if (io_uring_register_files_sparse(ring, slots) != 0) return nullptr;
  std::unique_ptr<RegisteredFiles> made(new RegisteredFiles(ring, wake, argument));
  made->holders_.assign(slots, -1);
  for (unsigned slot = slots; slot > 0; slot--)
    made->free_.push_back(static_cast<int32_t>(slot - 1));
  RawLockGuard guard(&g_lock);
  for (unsigned i = 0; i < kMaxRings; i++) {
    if (g_rings[i] != nullptr) continue;
    g_rings[i] = made.get();
    made->number_ = i;
    t_own_rings |= uint64_t{1} << i;
    return made;
  }
  made->number_ = kMaxRings;
  return nullptr;
}

RegisteredFiles::~RegisteredFiles() {
  if (number_ == kMaxRings) return;
  const uint64_t others = ~(uint64_t{1} << number_);
  // While the number is still ours: the bit must not mean the next ring that gets it.
  for (int fd : holders_) {
    if (fd >= 0) descriptor(fd)->rings.fetch_and(others, std::memory_order_relaxed);
  }
  RawLockGuard guard(&g_lock);
  g_rings[number_] = nullptr;
  t_own_rings &= others;
}

bool RegisteredFiles::takes_file(uint8_t opcode) {
  switch (opcode) {
    case IORING_OP_READ:
    case IORING_OP_WRITE:
    case IORING_OP_READV:
    case IORING_OP_WRITEV:
    case IORING_OP_FSYNC:
    case IORING_OP_SEND:
    case IORING_OP_RECV:
    case IORING_OP_SENDMSG:
    case IORING_OP_RECVMSG:
    case IORING_OP_ACCEPT:
    case IORING_OP_POLL_ADD:
      return true;
    default:
      return false;
  }
}

int RegisteredFiles::slot_of(int fd, const Descriptor& d) {
  const auto index = static_cast<size_t>(fd);
  if (index >= entries_.size()) entries_.resize(std::max(index + 1, entries_.size() * 2));
  Entry& entry = entries_[index];
  const uint16_t generation = d.generation.load(std::memory_order_relaxed);
  if (entry.generation != generation) [[unlikely]] {
    release(&entry);
    entry = {-1, generation, 0};
  }
  if (entry.slot >= 0) [[likely]]
    return entry.slot;
  if (entry.uses > kUses) return -1;  // there was no slot
  if (++entry.uses > kUses) entry.slot = take_slot(fd);
  return entry.slot;
}

int RegisteredFiles::take_slot(int fd) {
  if (free_.empty()) return -1;
  const int32_t slot = free_.back();
  if (io_uring_register_files_update(ring_, static_cast<unsigned>(slot), &fd, 1) != 1) return -1;
  free_.pop_back();
  holders_[static_cast<size_t>(slot)] = fd;
  descriptor(fd)->rings.fetch_or(uint64_t{1} << number_, std::memory_order_relaxed);
  return slot;
}

void RegisteredFiles::release(Entry* entry) {
  if (entry->slot < 0) return;
  int none = -1;
  (void)io_uring_register_files_update(ring_, static_cast<unsigned>(entry->slot), &none, 1);
  holders_[static_cast<size_t>(entry->slot)] = -1;
  free_.push_back(entry->slot);
  entry->slot = -1;
}

void RegisteredFiles::drop_closed() {
  // An exchange: what the one before us stored is seen.
  (void)closed_.exchange(false, std::memory_order_seq_cst);
  for (int fd : holders_) {
    if (fd < 0) continue;
    Entry& entry = entries_[static_cast<size_t>(fd)];
    if (entry.generation != descriptor(fd)->generation.load(std::memory_order_seq_cst))
      release(&entry);
  }
}

void RegisteredFiles::forget(int fd) {
  Descriptor* const d = descriptor(fd);
  if (d == nullptr || d->rings.load(std::memory_order_relaxed) == 0) return;
  uint64_t rings = d->rings.exchange(0, std::memory_order_relaxed);
  RawLockGuard guard(&g_lock);
  for (; rings != 0; rings &= rings - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(rings));
    RegisteredFiles* const files = g_rings[i];
    if (files == nullptr) continue;
    if ((t_own_rings & (uint64_t{1} << i)) != 0) {
      files->release(&files->entries_[static_cast<size_t>(fd)]);
    } else {
      files->closed_.store(true, std::memory_order_seq_cst);
      files->wake_(files->argument_);
    }
  }
}

}  // namespace fiber::detail
