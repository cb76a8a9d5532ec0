// Reads in flight: a read that is started, goes on while its owner does other things, and is waited
// for later. What double-buffered readahead and RocksDB's ReadAsync, Poll and AbortIO stand on.
//
//   fiber::io::PendingRead ahead;
//   ahead.start(fd, buffer, 256 << 10, offset);
//   ... use what was read before ...
//   const ptrdiff_t n = ahead.wait();
//
// On a fiber the read goes to the engine of the fiber's worker; on a plain thread to the engine
// that the thread keeps for gather() (guest.h), without waiting for it. What the page cache holds
// is read at once, and costs no way through the kernel's ring. Where the engine is no ring, a
// thread of the blocking pool reads. In a simulation the read takes a time drawn from the seed.
//
// The place where a read was started is its *home*: the fiber's worker, or the plain thread. A
// runtime's worker serves its reads by itself, whoever waits for them and from where: a fiber may
// migrate, or hand the read to another fiber or thread. A plain thread serves its reads only while
// it waits, asks done(), gathers, or ends (its end waits for all that it has in flight, so that
// none is lost). So another thread cannot wait for such a read: wait() refuses with -EXDEV, unless
// the read is done or a thread of the pool makes it (StartOptions::any_thread). It can abandon() it
// and read by itself.
//
// The buffer and the descriptor are borrowed until the read is done: until wait() has returned
// another result than -EXDEV, done() has been true, cancel() or the destructor has returned, or the
// function given to abandon() is called. The kernel may write into the buffer until then, and never
// afterwards.
//
// Results are those of io::pread(): bytes, 0 at the end of the file, -errno; -ECANCELED if cancel()
// came in time. Only for files with positions (not pipes or sockets, which may never end a read).
//
// Thread safety: one caller at a time for each object; different objects are independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fiber/clock.h"
#include "fiber/function.h"

namespace fiber::detail {
struct Flight;
}

namespace fiber::io {

class PendingRead {
 public:
  PendingRead() noexcept;
  // SUSPENDS. cancel(), if it is still in flight.
  ~PendingRead();
  PendingRead(PendingRead&& other) noexcept;
  // SUSPENDS, as the destructor.
  PendingRead& operator=(PendingRead&& other) noexcept;

  // Starts a read of `size` bytes at `offset`. Does not wait for the disk. An object can be used
  // for one read after the other. 0, or -EBUSY: the one before is still in flight. All other errors
  // are wait()'s.
  //
  struct StartOptions {
    // Another start() follows at once, so the kernel may be told of both together. Without a later
    // start() or wait() the read may not begin.
    bool more = false;
    // The read of a plain thread, or of a fiber in its gather(), may be waited for by any thread:
    // what is not in the page cache is read by a thread of the pool, which costs a switch to it.
    // (In a simulation of no effect.)
    bool any_thread = false;
  };
  int start(int fd, void* data, size_t size, uint64_t offset, StartOptions options);
  int start(int fd, void* data, size_t size, uint64_t offset) {
    return start(fd, data, size, offset, StartOptions());
  }

  // Whether a read was started and is not done yet, as far as is known.
  bool in_flight() const;

  // Whether there is nothing to wait for. On a plain thread looks for what the kernel has done (one
  // quick system call, at most every 20 us); on a fiber that asks again and again others must get
  // their turn (yield()).
  bool done();

  // SUSPENDS until the read is done. Its result, again with each call; -EINVAL if none was started,
  // -EXDEV if it is another thread's (above), which leaves it in flight.
  ptrdiff_t wait();

  // SUSPENDS until the read is done (0: wait() has its result at once), or until `deadline`, a
  // now_nanos() value (-ETIMEDOUT: it stays in flight; its buffer is the kernel's until cancel() or
  // abandon()). -EINVAL and -EXDEV as wait().
  int wait_until(uint64_t deadline);

  // SUSPENDS until the kernel has let go of the buffer; asks it to do so soon. A read that the disk
  // works on already cannot be taken back, and one of another home is not asked to end: then it
  // takes as long as the read. (Of another plain thread: until that thread serves it.) Afterwards
  // wait() has the result.
  void cancel();

  // Lets go of the read without waiting; where cancel() could, asks the kernel to end it soon.
  // `released` is called once, when the kernel has let go of
  // the buffer: before the return, or later on the home's thread or a thread of the pool. It must
  // not suspend and must not use PendingReads; it may own the buffer. May not be empty.
  void abandon(Function released);

 private:
  friend ptrdiff_t wait_any(std::span<PendingRead* const> reads);
  std::unique_ptr<detail::Flight> flight_;  // null: never started
};

// SUSPENDS until one of the reads is done. Its place in the span, the first if there are several.
// -EINVAL: none of them was ever started. -EXDEV: none is done, and one is another thread's.
ptrdiff_t wait_any(std::span<PendingRead* const> reads);

// SUSPENDS until all are done. Their results are wait()'s. 0, or -EXDEV: it stopped at one that is
// another thread's.
int wait_all(std::span<PendingRead* const> reads);

}  // namespace fiber::io
