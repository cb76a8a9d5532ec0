// What an IoRequest (io_request.h) carries for the engines of this system: an operation of
// io_uring. (windows/io_operation.h is the other one.)
#pragma once

#include <liburing.h>

#include <cstdint>

#include "engine_ring.h"
#include "io_files.h"
#include "os_poll.h"

namespace fiber::detail {

struct IoRequest;

// What a cancellation needs in a ring.
struct CancelOp {
  RingOp op;  // first: found by its address
  IoRequest* request = nullptr;
};

struct IoOperation {
  // Whether io_uring has this operation at all; then `ring.sqe` describes it. (This kernel may
  // still not have it.)
  bool has_sqe = false;
  // The engine's, but for `ring.sqe`.
  RingOp ring;

  void prepare_read(int fd, void* data, size_t size, uint64_t offset) {
    has_sqe = true;
    io_uring_prep_read(&ring.sqe, fd, data, static_cast<unsigned>(size), offset);
  }

  // For the simulated engine (engine_sim.cc).

  bool moves_bytes() const {
    if (!has_sqe) return false;
    switch (ring.sqe.opcode) {
      case IORING_OP_READ:
      case IORING_OP_READV:
      case IORING_OP_WRITE:
      case IORING_OP_WRITEV:
        return true;
      default:
        return false;
    }
  }
  // The stream that must be ready, and what for, before the operation would not block. `events` is
  // 0 where there is none.
  PollEntry stream() const {
    if (!moves_bytes() || !io::is_stream(ring.sqe.fd)) return {};
    const bool reads = ring.sqe.opcode == IORING_OP_READ || ring.sqe.opcode == IORING_OP_READV;
    return {.fd = ring.sqe.fd, .events = reads ? kPollIn : kPollOut, .revents = 0};
  }
};

}  // namespace fiber::detail
