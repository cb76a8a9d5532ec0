// The functions of io.h: on a plain thread the blocking call (io_blocking.h), on a fiber a request
// to the worker's engine (io_engine.h): reads and writes as overlapped operations, the others on
// the blocking pool.
//
// There is no way to ask whether the cache holds what is to be read. An overlapped read of cached
// data completes at once, as a rule, and then costs no way through the port.
#include "fiber/io.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "descriptor.h"
#include "fiber/runtime.h"
#include "handles.h"
#include "io_blocking.h"
#include "io_cached.h"
#include "io_engine.h"
#include "io_request.h"
#include "sim_hooks.h"
#include "worker.h"

namespace fiber::io {

using detail::DescriptorUse;
using detail::HandleEntry;
using detail::IoEngine;
using detail::IoGroup;
using detail::IoOperation;
using detail::IoRequest;

namespace {

using Kind = IoOperation::Kind;

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

// The same on what may be a socket, and then may have to wait for the other end.
template <class Block>
auto on_thread(int fd, short events, Block& block) -> decltype(block()) {
  if (detail::simulator() != nullptr) [[unlikely]] {
    const HandleEntry* const entry = detail::handle_entry(fd);
    if (entry != nullptr && entry->kind == detail::HandleKind::kSocket) {
      detail::simulate_blocking_stream(fd, events);
      return block();
    }
  }
  return on_thread(block);
}

// Hands the request to the engine and waits. `block` is the operation as a blocking call; `pending`
// is called once it is under way.
template <class Block, class Pending>
int64_t perform(IoEngine* engine, IoRequest* request, Block& block, Pending pending) {
  IoGroup group(1);
  request->group = &group;
  request->context = &block;
  request->block = [](IoRequest* r) -> int64_t { return (*static_cast<Block*>(r->context))(); };
  if (!engine->submit(request)) return block();
  if (request->answered) {
    completed_inline();
    return request->result;
  }
  pending();
  group.waiter.suspend();
  return request->result;
}

// An operation that always blocks some thread.
template <class Block>
auto by_pool(Block block) -> decltype(block()) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr) return on_thread(block);
  IoRequest request;
  return static_cast<decltype(block())>(perform(engine, &request, block, [] {}));
}

// A read or write on a fiber, while the descriptor cannot be closed under it.
ptrdiff_t transfer(IoEngine* engine, Kind kind, int fd, void* data, size_t size, uint64_t offset) {
  if (offset > kMaxOffset) return -EINVAL;
  DescriptorUse use(detail::descriptor(fd));
  if (use.was_closing()) return -EBADF;
  const HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (entry->kind == detail::HandleKind::kDirectory) return -EISDIR;
  size = clamp(size);
  auto block = [=]() -> int64_t {
    return kind == Kind::kRead ? blocking::pread(fd, data, size, offset)
                               : blocking::pwrite(fd, data, size, offset);
  };
  IoRequest request;
  request.op.kind = kind;
  request.op.fd = fd;
  request.op.data = data;
  request.op.size = size;
  request.op.offset = entry->append && kind == Kind::kWrite ? IoOperation::kAppend : offset;
  const int64_t result = perform(engine, &request, block, [&] {
    // A close that came meanwhile has not seen the operation.
    if (use.closing()) engine->cancel(&request);
  });
  // A close ends what waits: what that looked like is not what happened.
  return result < 0 && use.closing() ? -ECANCELED : static_cast<ptrdiff_t>(result);
}

ptrdiff_t transfer_parts(IoEngine* engine, Kind kind, int fd, const IoVec* parts, int count,
                         uint64_t offset) {
  if (count < 0 || offset > kMaxOffset) return -EINVAL;
  size_t done = 0;
  for (int i = 0; i < count; i++) {
    if (parts[i].iov_len == 0) continue;
    const ptrdiff_t n =
        transfer(engine, kind, fd, parts[i].iov_base, parts[i].iov_len, offset + done);
    if (n < 0) return done > 0 ? static_cast<ptrdiff_t>(done) : n;
    done += static_cast<size_t>(n);
    if (static_cast<size_t>(n) < parts[i].iov_len) break;
  }
  return static_cast<ptrdiff_t>(done);
}

}  // namespace

bool may_read_cached(int /*fd*/) { return false; }

bool read_cached(int /*fd*/, void* /*data*/, size_t /*size*/, uint64_t /*offset*/, size_t* /*done*/,
                 ptrdiff_t* /*result*/) {
  return false;
}

// A fiber that finds everything in memory would otherwise keep the worker, and the completions of
// others, for itself.
void completed_inline() {
  constexpr uint32_t kEvery = 64;
  static thread_local uint32_t calls = 0;
  if (detail::Worker::current_fiber() != nullptr && ++calls % kEvery == 0) yield();
}

int open(const char* path, int flags, Mode mode) {
  return by_pool([=] { return blocking::open(path, flags, mode); });
}

int close(int fd) {
  const detail::HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  if (const detail::Descriptor* d = detail::descriptor(fd);
      d != nullptr && d->waits.load(std::memory_order_relaxed) != 0) {
    return detail::close_descriptor(fd);
  }
  detail::descriptor_closing(fd);
  return by_pool([=] { return blocking::close(fd); });
}

void keep_registered(int /*fd*/) {}  // there is no ring

ptrdiff_t pread(int fd, void* data, size_t size, uint64_t offset) {
  if (IoEngine* const engine = current_engine())
    return transfer(engine, Kind::kRead, fd, data, size, offset);
  auto block = [=] { return blocking::pread(fd, data, size, offset); };
  return on_thread(fd, detail::kPollIn, block);
}

ptrdiff_t preadv(int fd, const IoVec* parts, int count, uint64_t offset) {
  if (IoEngine* const engine = current_engine())
    return transfer_parts(engine, Kind::kRead, fd, parts, count, offset);
  auto block = [=] { return blocking::preadv(fd, parts, count, offset); };
  return on_thread(block);
}

ptrdiff_t pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  if (IoEngine* const engine = current_engine())
    return transfer(engine, Kind::kWrite, fd, const_cast<void*>(data), size, offset);
  auto block = [=] { return blocking::pwrite(fd, data, size, offset); };
  return on_thread(fd, detail::kPollOut, block);
}

ptrdiff_t pwritev(int fd, const IoVec* parts, int count, uint64_t offset) {
  if (IoEngine* const engine = current_engine())
    return transfer_parts(engine, Kind::kWrite, fd, parts, count, offset);
  auto block = [=] { return blocking::pwritev(fd, parts, count, offset); };
  return on_thread(block);
}

ptrdiff_t read(int fd, void* data, size_t size) {
  HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  const ptrdiff_t n = pread(fd, data, size, entry->position.load(std::memory_order_relaxed));
  if (n > 0) entry->position.fetch_add(static_cast<uint64_t>(n), std::memory_order_relaxed);
  return n;
}

ptrdiff_t write(int fd, const void* data, size_t size) {
  HandleEntry* const entry = detail::handle_entry(fd);
  if (entry == nullptr) return -EBADF;
  const ptrdiff_t n = pwrite(fd, data, size, entry->position.load(std::memory_order_relaxed));
  if (n > 0) entry->position.fetch_add(static_cast<uint64_t>(n), std::memory_order_relaxed);
  return n;
}

void pread_batch(std::span<ReadRequest> requests) {
  IoEngine* const engine = current_engine();
  if (engine == nullptr || requests.size() < 2) {
    for (ReadRequest& r : requests) r.result = pread(r.fd, r.data, r.size, r.offset);
    return;
  }
  struct Part {
    explicit Part(int fd) : use(detail::descriptor(fd)) {}
    DescriptorUse use;
    IoRequest request;
    ReadRequest* read = nullptr;
  };
  std::vector<std::unique_ptr<Part>> parts;
  for (ReadRequest& r : requests) {
    auto part = std::make_unique<Part>(r.fd);
    r.result = r.offset > kMaxOffset                                              ? -EINVAL
               : part->use.was_closing() || detail::handle_entry(r.fd) == nullptr ? -EBADF
                                                                                  : ptrdiff_t{0};
    if (r.result != 0) continue;
    part->read = &r;
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return;
  IoGroup group(static_cast<uint32_t>(parts.size()));
  for (size_t i = 0; i < parts.size(); i++) {
    Part& part = *parts[i];
    IoRequest& request = part.request;
    request.op.prepare_read(part.read->fd, part.read->data, clamp(part.read->size),
                            part.read->offset);
    request.context = part.read;
    request.block = [](IoRequest* self) -> int64_t {
      const ReadRequest& read = *static_cast<ReadRequest*>(self->context);
      return blocking::pread(read.fd, read.data, read.size, read.offset);
    };
    request.group = &group;
    request.next = i + 1 < parts.size() ? &parts[i + 1]->request : nullptr;
  }
  if (!engine->submit(&parts[0]->request)) {
    for (auto& part : parts) part->request.result = part->request.block(&part->request);
  } else {
    uint32_t answered = 0;
    for (auto& part : parts) {
      if (part->request.answered) {
        answered++;
      } else if (part->use.closing()) {
        engine->cancel(&part->request);
      }
    }
    // What was answered nobody takes off: the last of the others resumes us only if it finds that
    // we have.
    if (answered == 0 || group.pending.fetch_sub(answered, std::memory_order_acq_rel) != answered) {
      group.waiter.suspend();
    } else {
      completed_inline();
    }
  }
  for (auto& part : parts) part->read->result = static_cast<ptrdiff_t>(part->request.result);
}

int fsync(int fd) {
  return by_pool([=] { return blocking::fsync(fd); });
}
int fdatasync(int fd) { return fsync(fd); }
int sync_file_range(int fd, uint64_t offset, uint64_t length, unsigned flags) {
  return blocking::sync_file_range(fd, offset, length, flags);
}
int fallocate(int fd, int mode, uint64_t offset, uint64_t length) {
  return by_pool([=] { return blocking::fallocate(fd, mode, offset, length); });
}
int set_size(int fd, uint64_t length) {
  return by_pool([=] { return blocking::set_size(fd, length); });
}
int fadvise(int fd, uint64_t offset, uint64_t length, int advice) {
  return blocking::fadvise(fd, offset, length, advice);
}
int statfs_free(const char* path, uint64_t* bytes) {
  return by_pool([=] { return blocking::statfs_free(path, bytes); });
}
int rename(const char* from, const char* to) {
  return by_pool([=] { return blocking::rename(from, to); });
}
int unlink(const char* path) {
  return by_pool([=] { return blocking::unlink(path); });
}
int link(const char* existing, const char* created) {
  return by_pool([=] { return blocking::link(existing, created); });
}
int mkdir(const char* path, Mode mode) {
  return by_pool([=] { return blocking::mkdir(path, mode); });
}
int rmdir(const char* path) {
  return by_pool([=] { return blocking::rmdir(path); });
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
