// The functions of io.h: on a plain thread the blocking system call (io_blocking.h), on a fiber a
// request to the worker's engine (io_engine.h), unless the call cannot take long.
//
// What is not handed to the engine, because handing it over costs more than doing it:
//  - A read of a regular file is first tried with RWF_NOWAIT, which copies what the page cache
//    holds and never waits.
//  - A write of up to kInlineWrite bytes to a regular file through the page cache is made at once:
//    it copies, and the kernel's write-back does the rest later. (Most file systems cannot write
//    without waiting: the ring would hand each such write to a kernel thread, at some 10 to 50
//    times the cost. The price: while the kernel throttles writers because too many pages are
//    dirty, such a write holds up the worker.) Not where the file system is another process's or
//    machine's: the other fibers run while the write is on its way.
//  - fstat and the file locks look only into memory.
#include "fiber/io.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "descriptor.h"
#include "fiber/runtime.h"
#include "io_blocking.h"
#include "io_cached.h"
#include "io_engine.h"
#include "io_files.h"
#include "io_request.h"
#include "sim_hooks.h"
#include "worker.h"

namespace fiber::io {

using detail::IoEngine;
using detail::IoGroup;
using detail::IoRequest;

namespace {

constexpr size_t kInlineWrite = 64 << 10;

// The engine of the calling fiber's worker, null on a plain thread.
IoEngine* current_engine() {
  return detail::Worker::current_fiber() != nullptr ? detail::Worker::current()->engine() : nullptr;
}

// A blocking call of a plain thread; of a simulated one it takes time.
template <class Block>
auto on_thread(Block& block) -> decltype(block()) {
  if (detail::simulator() != nullptr) [[unlikely]] {
    detail::simulate_blocking_call();
  }
  return block();
}

// The same at a descriptor's own position, where it may have to wait for the other end.
template <class Block>
auto on_thread(int fd, short events, Block& block) -> decltype(block()) {
  if (detail::simulator() != nullptr && is_stream(fd)) [[unlikely]] {
    detail::simulate_blocking_stream(fd, events);
    return block();
  }
  return on_thread(block);
}

// Hands the request to the engine and waits. `block` is the operation as a blocking call.
template <class Block>
int64_t perform(IoEngine* engine, IoRequest* request, Block& block) {
  IoGroup group(1);
  request->group = &group;
  request->context = &block;
  request->block = [](IoRequest* r) -> int64_t { return (*static_cast<Block*>(r->context))(); };
  if (!engine->submit(request)) return block();
  group.waiter.suspend();
  return request->result;
}

// An operation that io_uring may have: `prepare` describes it.
template <class Prepare, class Block>
auto by_engine(Prepare prepare, Block block) -> decltype(block()) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr) return on_thread(block);
  IoRequest request;
  request.op.has_sqe = true;
  prepare(&request.op.ring.sqe);
  return static_cast<decltype(block())>(perform(engine, &request, block));
}

// An operation that always blocks some thread.
template <class Block>
auto by_pool(Block block) -> decltype(block()) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr) return on_thread(block);
  IoRequest request;
  return static_cast<decltype(block())>(perform(engine, &request, block));
}

// Whether RWF_NOWAIT tells the truth: Linux 5.9 and 5.10 returned 0 for what was merely not in the
// cache.
bool nowait_works() {
  static const bool works = [] {
    utsname name;
    int major = 0, minor = 0;
    return ::uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 12));
  }();
  return works;
}

// What happens to be in the page cache must not decide anything in a simulation.
bool may_write_at_once(int fd) {
  return detail::simulator() == nullptr && file_kind(fd) == FileKind::kBuffered;
}

// Whether a read that did not wait says nothing about how a waiting one would end.
bool must_wait(ptrdiff_t result) {
  return result == -EAGAIN || result == -EOPNOTSUPP || result == -ENOSYS;
}

}  // namespace

bool may_read_cached(int fd) {
  return detail::simulator() == nullptr && file_kind(fd) != FileKind::kOther && nowait_works();
}

// A fiber that finds everything in memory would otherwise keep the worker, and the completions of
// others, for itself.
void completed_inline() {
  constexpr uint32_t kEvery = 64;
  static thread_local uint32_t calls = 0;
  if (++calls % kEvery == 0) yield();
}

bool read_cached(int fd, void* data, size_t size, uint64_t offset, size_t* done,
                 ptrdiff_t* result) {
  for (;;) {
    const ptrdiff_t n =
        blocking::pread_cached(fd, static_cast<char*>(data) + *done, size - *done, offset + *done);
    if (n > 0) *done += static_cast<size_t>(n);
    if (n == 0 || *done == size) {
      *result = static_cast<ptrdiff_t>(*done);
      return true;
    }
    if (n > 0) continue;  // the end of the file, or of what is in the cache: the next try tells
    if (must_wait(n)) return false;
    *result = *done > 0 ? static_cast<ptrdiff_t>(*done) : n;
    return true;
  }
}

namespace {

// A pread on a fiber of which `done` bytes are there already.
ptrdiff_t read_rest(IoEngine* engine, int fd, void* data, size_t size, uint64_t offset, size_t done,
                    bool cached) {
  for (;;) {
    char* const at = static_cast<char*>(data) + done;
    auto block = [=] { return blocking::pread(fd, at, size - done, offset + done); };
    IoRequest request;
    request.op.has_sqe = true;
    io_uring_prep_read(&request.op.ring.sqe, fd, at, static_cast<unsigned>(size - done),
                       offset + done);
    ptrdiff_t n = perform(engine, &request, block);
    if (n <= 0) return done > 0 ? static_cast<ptrdiff_t>(done) : n;
    done += static_cast<size_t>(n);
    // A short read of a regular file is its end, usually: make sure as pread() would.
    if (done == size || !cached || read_cached(fd, data, size, offset, &done, &n)) {
      return done > 0 ? static_cast<ptrdiff_t>(done) : n;
    }
  }
}

}  // namespace

int open(const char* path, int flags, Mode mode) {
  const int fd = by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_openat(sqe, AT_FDCWD, path, flags | O_CLOEXEC, mode);
      },
      [=] { return blocking::open(path, flags, mode); });
  if (fd >= 0) remember_file(fd);
  return fd;
}

int close(int fd) {
  forget_file(fd);
  // A socket that somebody waits on is net::close()'s affair.
  if (const detail::Descriptor* d = detail::descriptor(fd);
      d != nullptr && d->waits.load(std::memory_order_relaxed) != 0) {
    return detail::close_descriptor(fd);
  }
  detail::descriptor_closing(fd);
  // Not by the ring: it would free the blocks of an unlinked file on the worker's own thread.
  return by_pool([=] { return blocking::close(fd); });
}

void keep_registered(int fd) {
  detail::Descriptor* const d = detail::descriptor(fd);
  if (d != nullptr) d->registrable.store(true, std::memory_order_relaxed);
}

ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr) {
    auto block = [=] { return blocking::pread(fd, data, size, offset); };
    return on_thread(block);
  }
  if (offset > kMaxOffset) return -EINVAL;
  size = clamp(size);
  size_t done = 0;
  const bool cached = may_read_cached(fd);
  if (cached) {
    ptrdiff_t result;
    if (read_cached(fd, data, size, offset, &done, &result)) {
      completed_inline();
      return result;
    }
  }
  return read_rest(engine, fd, data, size, offset, done, cached);
}

ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset) {
  if (current_engine() != nullptr) {
    if (offset > kMaxOffset) return -EINVAL;
    if (may_read_cached(fd)) {
      const ptrdiff_t n = blocking::preadv_cached(fd, parts, count, offset);
      size_t size = 0;
      for (int i = 0; i < count; ++i) size += parts[i].iov_len;
      // A part of it is read once more, by the engine.
      if (n == 0 || (n > 0 && static_cast<size_t>(n) == size) || (n < 0 && !must_wait(n))) {
        completed_inline();
        return n;
      }
    }
  }
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_readv(sqe, fd, parts, static_cast<unsigned>(count), offset);
      },
      [=] { return blocking::preadv(fd, parts, count, offset); });
}

ptrdiff_t read(int fd, void* data, size_t size) {
  if (current_engine() == nullptr) {
    auto block = [=] { return blocking::read(fd, data, size); };
    return on_thread(fd, POLLIN, block);
  }
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_read(sqe, fd, data, static_cast<unsigned>(clamp(size)), ~0ull);
      },
      [=] { return blocking::read(fd, data, size); });
}

ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  if (current_engine() != nullptr) {
    if (offset > kMaxOffset) return -EINVAL;
    if (size <= kInlineWrite && may_write_at_once(fd)) {
      const ptrdiff_t n = blocking::pwrite(fd, data, size, offset);
      completed_inline();
      return n;
    }
  }
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_write(sqe, fd, data, static_cast<unsigned>(clamp(size)), offset);
      },
      [=] { return blocking::pwrite(fd, data, size, offset); });
}

ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset) {
  if (current_engine() != nullptr) {
    if (offset > kMaxOffset) return -EINVAL;
    size_t size = 0;
    for (int i = 0; i < count && size <= kInlineWrite; ++i) size += parts[i].iov_len;
    if (size <= kInlineWrite && may_write_at_once(fd)) {
      const ptrdiff_t n = blocking::pwritev(fd, parts, count, offset);
      completed_inline();
      return n;
    }
  }
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_writev(sqe, fd, parts, static_cast<unsigned>(count), offset);
      },
      [=] { return blocking::pwritev(fd, parts, count, offset); });
}

ptrdiff_t write(int fd, const void* data, size_t size) {
  if (detail::simulator() != nullptr && is_stream(fd)) [[unlikely]] {
    // What is ready for writing takes so much without waiting.
    size = std::min(size, size_t{PIPE_BUF});
  }
  if (size <= kInlineWrite && current_engine() != nullptr && may_write_at_once(fd)) {
    const ptrdiff_t n = blocking::write(fd, data, size);
    completed_inline();
    return n;
  }
  if (current_engine() == nullptr) {
    auto block = [=] { return blocking::write(fd, data, size); };
    return on_thread(fd, POLLOUT, block);
  }
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_write(sqe, fd, data, static_cast<unsigned>(clamp(size)), ~0ull);
      },
      [=] { return blocking::write(fd, data, size); });
}

void pread_batch(std::span<ReadRequest> requests) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr) {
    for (ReadRequest& r : requests) r.result = pread(r.fd, r.data, r.size, r.offset);
    return;
  }

  // First what is in memory; the others get a slot each.
  struct Missing {
    IoRequest request;
    ReadRequest* read;
    size_t done;  // bytes that were in the page cache
    bool cached;
  };
  constexpr size_t kOnStack = 8;
  Missing on_stack[kOnStack];
  std::unique_ptr<Missing[]> on_heap;
  Missing* missing = on_stack;
  size_t count = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    ReadRequest& r = requests[i];
    if (r.offset > kMaxOffset) {
      r.result = -EINVAL;
      continue;
    }
    size_t done = 0;
    const bool cached = may_read_cached(r.fd);
    if (cached && read_cached(r.fd, r.data, clamp(r.size), r.offset, &done, &r.result)) continue;
    if (count == kOnStack && missing == on_stack) {
      on_heap = std::make_unique<Missing[]>(count + requests.size() - i);
      for (size_t k = 0; k < count; ++k) on_heap[k] = on_stack[k];
      missing = on_heap.get();
    }
    Missing& m = missing[count++];
    m.read = &r;
    m.done = done;
    m.cached = cached;
  }
  if (count == 0) {
    completed_inline();
    return;
  }

  IoGroup group(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) {
    Missing& m = missing[i];
    const ReadRequest& r = *m.read;
    IoRequest& request = m.request;
    request.op.has_sqe = true;
    io_uring_prep_read(&request.op.ring.sqe, r.fd, static_cast<char*>(r.data) + m.done,
                       static_cast<unsigned>(clamp(r.size) - m.done), r.offset + m.done);
    request.context = &m;
    request.block = [](IoRequest* self) -> int64_t {
      const Missing& it = *static_cast<Missing*>(self->context);
      return blocking::pread(it.read->fd, static_cast<char*>(it.read->data) + it.done,
                             clamp(it.read->size) - it.done, it.read->offset + it.done);
    };
    request.group = &group;
    request.next = i + 1 < count ? &missing[i + 1].request : nullptr;
  }
  if (engine->submit(&missing[0].request)) {
    group.waiter.suspend();
  } else {
    for (size_t i = 0; i < count; ++i)
      missing[i].request.result = missing[i].request.block(&missing[i].request);
  }

  for (size_t i = 0; i < count; ++i) {
    const Missing& m = missing[i];
    ReadRequest& r = *m.read;
    const ptrdiff_t n = m.request.result;
    if (n <= 0) {
      r.result = m.done > 0 ? static_cast<ptrdiff_t>(m.done) : n;
      continue;
    }
    size_t done = m.done + static_cast<size_t>(n);
    r.result = static_cast<ptrdiff_t>(done);
    const size_t size = clamp(r.size);
    if (done < size && m.cached && !read_cached(r.fd, r.data, size, r.offset, &done, &r.result)) {
      r.result = read_rest(engine, r.fd, r.data, size, r.offset, done, true);
    }
  }
}

int fsync(int fd) {
  return by_engine([=](io_uring_sqe* sqe) { io_uring_prep_fsync(sqe, fd, 0); },
                   [=] { return blocking::fsync(fd); });
}

int fdatasync(int fd) {
  return by_engine([=](io_uring_sqe* sqe) { io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC); },
                   [=] { return blocking::fdatasync(fd); });
}

int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags) {
  auto block = [=] { return blocking::sync_file_range(fd, offset, length, flags); };
  if (length > UINT32_MAX) return by_pool(block);  // the ring's length has 32 bits
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_sync_file_range(sqe, fd, static_cast<unsigned>(length), offset,
                                      static_cast<int>(flags));
      },
      block);
}

int fallocate(int fd, int mode, uint64_t offset, uint64_t length) {
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_fallocate(sqe, fd, mode, static_cast<off_t>(offset),
                                static_cast<off_t>(length));
      },
      [=] { return blocking::fallocate(fd, mode, offset, length); });
}

int set_size(int fd, uint64_t length) {
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_rw(detail::kOpFtruncate, sqe, fd, nullptr, 0, length);
      },
      [=] { return blocking::set_size(fd, length); });
}

int fadvise(int fd, uint64_t offset, uint64_t length, int advice) {
  auto block = [=] { return blocking::fadvise(fd, offset, length, advice); };
  if (length > UINT32_MAX) return by_pool(block);  // the ring's length has 32 bits
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_fadvise(sqe, fd, offset, static_cast<off_t>(length), advice);
      },
      block);
}

int statfs_free(const char* path, uint64_t* bytes) {
  return by_pool([=] { return blocking::statfs_free(path, bytes); });
}

int rename(const char* from, const char* to) {
  return by_engine(
      [=](io_uring_sqe* sqe) { io_uring_prep_renameat(sqe, AT_FDCWD, from, AT_FDCWD, to, 0); },
      [=] { return blocking::rename(from, to); });
}

int unlink(const char* path) {
  return by_engine([=](io_uring_sqe* sqe) { io_uring_prep_unlinkat(sqe, AT_FDCWD, path, 0); },
                   [=] { return blocking::unlink(path); });
}

int link(const char* existing, const char* created) {
  return by_engine(
      [=](io_uring_sqe* sqe) {
        io_uring_prep_linkat(sqe, AT_FDCWD, existing, AT_FDCWD, created, 0);
      },
      [=] { return blocking::link(existing, created); });
}

int mkdir(const char* path, Mode mode) {
  return by_engine([=](io_uring_sqe* sqe) { io_uring_prep_mkdirat(sqe, AT_FDCWD, path, mode); },
                   [=] { return blocking::mkdir(path, mode); });
}

int rmdir(const char* path) {
  return by_engine(
      [=](io_uring_sqe* sqe) { io_uring_prep_unlinkat(sqe, AT_FDCWD, path, AT_REMOVEDIR); },
      [=] { return blocking::rmdir(path); });
}

int status(const char* path, FileStatus* out) {
  return by_pool([=] { return blocking::status(path, out); });
}

int file_status(int fd, FileStatus* out) { return blocking::file_status(fd, out); }

int access(const char* path, int mode) {
  return by_pool([=] { return blocking::access(path, mode); });
}

int list_dir(const char* path, std::vector<std::string>* names) {
  const int result = by_pool([=] { return blocking::list_dir(path, names); });
  if (detail::simulator() != nullptr) std::sort(names->begin(), names->end());
  return result;
}

int lock_file(int fd) { return blocking::lock_file(fd); }

int unlock_file(int fd) { return blocking::unlock_file(fd); }

}  // namespace fiber::io
