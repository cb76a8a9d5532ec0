// What an IoRequest (io_request.h) carries for the engines of this system: an overlapped operation.
// (posix/io_operation.h is the other one.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber/windows/io_types.h"
#include "os_poll.h"

namespace fiber::detail {

struct IoRequest;

// Cancelling needs no operation of its own here.
struct CancelOp {};

// As Windows' OVERLAPPED.
struct OsOverlapped {
  uintptr_t internal = 0;
  uintptr_t internal_high = 0;
  uint32_t offset_low = 0;
  uint32_t offset_high = 0;
  void* event = nullptr;
};

struct IoOperation {
  enum class Kind : uint8_t { kNone, kRead, kWrite, kReceive, kSend, kAccept, kConnect };
  static constexpr uint64_t kAppend = UINT64_MAX;
  static constexpr size_t kMaxParts = 16;

  Kind kind = Kind::kNone;
  int fd = -1;
  // kRead, kWrite, and kReceive, kSend without `parts`.
  void* data = nullptr;
  size_t size = 0;
  uint64_t offset = 0;
  // kReceive, kSend: the first kMaxParts of them.
  const io::IoVec* parts = nullptr;
  size_t part_count = 0;
  int flags = 0;
  // kAccept: the socket that becomes the connection (a descriptor), and where the addresses go
  // (kAddressBytes). kConnect: the address.
  int accepted = -1;
  const void* address = nullptr;
  int address_size = 0;
  static constexpr size_t kAddressBytes = 288;

  // The system's, from start_operation() until the completion is taken.
  OsOverlapped overlapped;

  void prepare_read(int from, void* to, size_t bytes, uint64_t at) {
    kind = Kind::kRead;
    fd = from;
    data = to;
    size = bytes;
    offset = at;
  }

  // For the simulated engine (engine_sim.cc).

  bool moves_bytes() const { return kind == Kind::kRead || kind == Kind::kWrite; }
  // The socket that must be ready, and what for, before the read or write would not block. `events`
  // is 0 where there is none.
  PollEntry stream() const;
};

// Begins an operation. >= 0 or -errno: it is over. -EINPROGRESS: pending; its end comes to the
// completion port, or, with `event` (a HANDLE), to that alone.
int64_t start_operation(IoOperation* operation, void* event);
// The result of one that was pending and has completed.
int64_t result_of(IoOperation* operation);
// Asks the system to end one that is pending. It still completes.
void cancel_operation(IoOperation* operation);

// Performs an operation on a plain thread: waits until it is over, or until `deadline`, when it is
// cancelled and waited for. `closing` is asked once it is pending: true cancels it.
int64_t perform_on_thread(IoOperation* operation, uint64_t deadline, bool (*closing)(void*),
                          void* argument);

}  // namespace fiber::detail
