// The table behind the descriptors of io.h and net.h: small numbers, each with a HANDLE or SOCKET
// and what the library has to know of it.
//
// All handles are overlapped, so that one table serves fibers, whose operations complete in the
// process's completion port (completion_port.h), and plain threads, which wait for an event. 0, 1
// and 2 are the standard handles, which are not.
//
// Thread safety: all functions from any thread. An entry's fields are constant from make_handle()
// to take_handle(), but for the atomics; who uses a descriptor while another closes it gets -EBADF
// or, by the protocol of descriptor.h, -ECANCELED.
#pragma once

#include <atomic>
#include <cstdint>

namespace fiber::detail {

enum class HandleKind : uint8_t { kFile, kDirectory, kSocket, kOther };

struct HandleEntry {
  std::atomic<void*> handle{nullptr};  // null: none
  HandleKind kind = HandleKind::kOther;
  bool append = false;
  bool overlapped = false;
  int16_t family = 0;  // of a socket
  std::atomic<bool> bound{false};
  // Of a socket: which of its directions shutdown() has ended.
  static constexpr uint8_t kShutReceive = 1;
  static constexpr uint8_t kShutSend = 2;
  std::atomic<uint8_t> shut{0};
  // Where read() and write() go on.
  std::atomic<uint64_t> position{0};
  // Whether its operations may complete in the port.
  static constexpr uint8_t kNotInPort = 0;
  static constexpr uint8_t kEntering = 1;
  static constexpr uint8_t kInPort = 2;
  static constexpr uint8_t kRefused = 3;
  std::atomic<uint8_t> port{kNotInPort};
};

// The descriptor of a new entry, the smallest free one from 3 on; -EMFILE. The handle
// is then the table's.
int make_handle(void* handle, HandleKind kind, bool append, int family = 0);
// The entry of a descriptor in use; null: -EBADF.
HandleEntry* handle_entry(int fd);
// The handle, null if the descriptor is not in use.
void* handle_of(int fd);
// Frees the number and returns the handle, which the caller closes; null: -EBADF.
void* take_handle(int fd);

}  // namespace fiber::detail
