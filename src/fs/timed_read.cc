#include "fs/timed_read.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/shortage.h"
#include "fiber/flight.h"
#include "fiber/io.h"
#include "fs/aligned_buffer.h"
#include "fs/fiber_file_system.h"
#include "fs/full_read.h"

namespace cairn {

namespace {

// What the kernel may use for as long as the read goes on.
struct Held {
  Held(std::shared_ptr<const OpenDescriptor> f, size_t alignment, size_t n)
      : file(std::move(f)), buffer(alignment, n) {}
  const std::shared_ptr<const OpenDescriptor> file;
  const AlignedBuffer buffer;
};

struct TimedRead {
  std::unique_ptr<Held> held;
  fiber::io::PendingRead read;
  FullRead progress;

  void Start(bool more) {
    // One that is done, or new, is not busy.
    (void)read.start(held->file->fd(), held->buffer.data() + progress.done(), progress.left(),
                     progress.offset(), {.more = more});
  }
  void Leave() {
    fiber::io::PendingRead left = std::move(read);
    left.abandon([keep = std::move(held)] {});
  }
};

}  // namespace

OpenDescriptor::~OpenDescriptor() { (void)fiber::io::close(fd_); }

void ReadUntil(uint64_t deadline, const std::shared_ptr<const OpenDescriptor>& file,
               const std::string& name, bool direct, FSReadRequest* requests, size_t count) {
  std::vector<TimedRead> reads;
  reads.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t size = requests[i].len;
    reads.push_back(
        {.held = std::make_unique<Held>(file, direct ? kDefaultPageSize : sizeof(void*) * 8, size),
         .read = {},
         .progress = FullRead(file->fd(), name, direct, requests[i].offset, size)});
    if (reads[i].held->buffer.data() != nullptr) reads[i].Start(i + 1 < count);
  }
  for (size_t i = 0; i < count; ++i) {
    FSReadRequest& req = requests[i];
    TimedRead& it = reads[i];
    req.result = Slice(req.scratch, 0);
    if (it.held->buffer.data() == nullptr) {
      req.status = NoMemory(name);
      continue;
    }
    for (;;) {
      if (it.read.wait_until(deadline) != 0) {
        it.Leave();
        req.status = IOStatus::TimedOut(
            "While pread offset " + std::to_string(req.offset) + " len " + std::to_string(req.len),
            name);
        break;
      }
      it.progress.Add(it.read.wait());
      if (it.progress.over()) {
        std::memcpy(req.scratch, it.held->buffer.data(), it.progress.done());
        req.result = Slice(req.scratch, it.progress.done());
        req.status = it.progress.status();
        break;
      }
      it.Start(false);
    }
  }
}

}  // namespace cairn
