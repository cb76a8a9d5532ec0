#include "fs/async_read.h"

#include <errno.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "fiber/flight.h"

namespace cairn {

namespace {

struct AsyncRead {
  int fd = -1;
  const std::string* name = nullptr;
  bool direct = false;
  uint64_t offset = 0;
  size_t len = 0;
  char* scratch = nullptr;
  std::function<void(FSReadRequest&, void*)> callback;
  void* callback_arg = nullptr;
  bool over = false;  // the callback was called, or will not be
  fiber::io::PendingRead read;

  // REQUIRES: the read is done.
  void Report() {
    FSReadRequest req;
    req.offset = offset;
    req.len = len;
    req.scratch = scratch;
    AnswerRead(fd, *name, direct, read.wait(), &req);
    over = true;
    callback(req, callback_arg);
  }
};

}  // namespace

IOStatus StartAsyncRead(int fd, const std::string& name, bool direct, const FSReadRequest& req,
                        std::function<void(FSReadRequest&, void*)> cb, void* cb_arg,
                        void** io_handle, IOHandleDeleter* del_fn) {
  auto handle = std::make_unique<AsyncRead>();
  handle->fd = fd;
  handle->name = &name;
  handle->direct = direct;
  handle->offset = req.offset;
  handle->len = req.len;
  handle->scratch = req.scratch;
  handle->callback = std::move(cb);
  handle->callback_arg = cb_arg;
  // A new one is not busy.
  (void)handle->read.start(fd, req.scratch, req.len, req.offset, {.any_thread = true});
  *io_handle = handle.release();
  *del_fn = [](void* h) { delete static_cast<AsyncRead*>(h); };
  return IOStatus::OK();
}

IOStatus PollAsyncReads(const std::vector<void*>& io_handles, size_t min_completions) {
  std::vector<fiber::io::PendingRead*> reads(io_handles.size(), nullptr);
  size_t over = 0;
  for (size_t i = 0; i < io_handles.size(); ++i) {
    auto* const handle = static_cast<AsyncRead*>(io_handles[i]);
    if (handle == nullptr || handle->over) {
      ++over;
    } else {
      reads[i] = &handle->read;
    }
  }
  const size_t wanted = std::min(min_completions, io_handles.size());
  for (;;) {
    for (size_t i = 0; i < reads.size(); ++i) {
      if (reads[i] == nullptr || !reads[i]->done()) continue;
      reads[i] = nullptr;
      ++over;
      static_cast<AsyncRead*>(io_handles[i])->Report();
    }
    if (over >= wanted) return IOStatus::OK();
    if (fiber::io::wait_any(reads) == -EXDEV) {
      return IOStatus::NotSupported("Poll: another simulated thread has started the read");
    }
  }
}

IOStatus AbortAsyncReads(const std::vector<void*>& io_handles) {
  for (void* const h : io_handles) {
    auto* const handle = static_cast<AsyncRead*>(h);
    if (handle == nullptr) continue;
    handle->over = true;
    handle->read.cancel();
  }
  return IOStatus::OK();
}

}  // namespace cairn
