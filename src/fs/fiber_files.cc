#include "fs/fiber_files.h"

#include <errno.h>

#include <algorithm>
#include <span>
#include <utility>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fs/async_read.h"
#include "fs/fiber_file_system.h"
#include "fs/full_read.h"
#include "fs/platform.h"

namespace cairn {

namespace {

// How often a write that gets no further is tried again.
constexpr int kTries = 1000;
constexpr char kAppending[] = "While appending to file";

// Reads what is left.
void Finish(int fd, FullRead* read, Slice* result, char* scratch) {
  while (!read->over()) {
    read->Add(fiber::io::pread(fd, scratch + read->done(), read->left(), read->offset()));
  }
  *result = Slice(scratch, read->done());
}

// Reads until `n` bytes are there or the file ends.
IOStatus ReadFully(int fd, const std::string& name, uint64_t offset, size_t n, bool direct,
                   Slice* result, char* scratch) {
  FullRead read(fd, name, direct, offset, n);
  Finish(fd, &read, result, scratch);
  return read.status();
}

// When a read that begins now must have ended. REQUIRES: options.timeout > 0
uint64_t Deadline(const IOOptions& options) {
  const auto micros = static_cast<uint64_t>(options.timeout.count());
  return micros > fiber::kNoDeadline / 1000 ? fiber::kNoDeadline
                                            : fiber::deadline_after(micros * 1000);
}

// `doing`: for a message.
IOStatus WriteFully(int fd, const std::string& name, const char* doing, const Slice& data,
                    uint64_t offset) {
  const char* src = data.data();
  size_t left = data.size();
  int tries = 0;
  while (left > 0) {
    const ptrdiff_t w = fiber::io::pwrite(fd, src, left, offset);
    if (w < 0) return IOErrorFromErrno(doing, name, static_cast<int>(-w));
    // As a read's 0 (full_read.h). One that takes nothing and reports nothing would keep us here
    // for ever.
    if (w == 0 && ++tries == kTries) return IOErrorFromErrno(doing, name, EIO);
    src += w;
    left -= static_cast<size_t>(w);
    offset += static_cast<uint64_t>(w);
  }
  return IOStatus::OK();
}

IOStatus SyncData(int fd, const std::string& name) {
  const int r = fiber::io::fdatasync(fd);
  return r < 0 ? IOErrorFromErrno("While fdatasync", name, -r) : IOStatus::OK();
}

IOStatus SyncAll(int fd, const std::string& name) {
  const int r = fiber::io::fsync(fd);
  return r < 0 ? IOErrorFromErrno("While fsync", name, -r) : IOStatus::OK();
}

IOStatus DropCache(int fd, const std::string& name, bool direct, size_t offset, size_t length) {
  if (direct) return IOStatus::OK();
  const int r = fiber::io::fadvise(fd, offset, length, fiber::io::kAdviseDontNeed);
  return r < 0 ? IOErrorFromErrno("While fadvise NotNeeded", name, -r) : IOStatus::OK();
}

}  // namespace

void AnswerRead(int fd, const std::string& name, bool direct, ptrdiff_t got, FSReadRequest* req) {
  FullRead read(fd, name, direct, req->offset, req->len);
  read.Add(got);
  Finish(fd, &read, &req->result, req->scratch);
  req->status = read.status();
}

// ------------------------------------------------------------------------------------------------
// Sequential

FiberSequentialFile::FiberSequentialFile(int fd, std::string name, bool direct)
    : fd_(fd), name_(std::move(name)), direct_(direct) {}

FiberSequentialFile::~FiberSequentialFile() { (void)fiber::io::close(fd_); }

IOStatus FiberSequentialFile::Read(size_t n, const IOOptions& /*options*/, Slice* result,
                                   char* scratch, IODebugContext* /*dbg*/) {
  IOStatus s = ReadFully(fd_, name_, offset_, n, direct_, result, scratch);
  if (s.ok()) offset_ += result->size();
  return s;
}

IOStatus FiberSequentialFile::Skip(uint64_t n) {
  offset_ += n;
  return IOStatus::OK();
}

IOStatus FiberSequentialFile::PositionedRead(uint64_t offset, size_t n,
                                             const IOOptions& /*options*/, Slice* result,
                                             char* scratch, IODebugContext* /*dbg*/) {
  return ReadFully(fd_, name_, offset, n, direct_, result, scratch);
}

IOStatus FiberSequentialFile::InvalidateCache(size_t offset, size_t length) {
  return DropCache(fd_, name_, direct_, offset, length);
}

// ------------------------------------------------------------------------------------------------
// Random access

FiberRandomAccessFile::FiberRandomAccessFile(int fd, std::string name, bool direct)
    : fd_(fd),
      descriptor_(std::make_shared<const OpenDescriptor>(fd)),
      name_(std::move(name)),
      direct_(direct) {}

IOStatus FiberRandomAccessFile::Read(uint64_t offset, size_t n, const IOOptions& options,
                                     Slice* result, char* scratch, IODebugContext* /*dbg*/) const {
  if (options.timeout.count() > 0) [[unlikely]] {
    FSReadRequest req;
    req.offset = offset;
    req.len = n;
    req.scratch = scratch;
    ReadUntil(Deadline(options), descriptor_, name_, direct_, &req, 1);
    *result = req.result;
    return std::move(req.status);
  }
  return ReadFully(fd_, name_, offset, n, direct_, result, scratch);
}

IOStatus FiberRandomAccessFile::MultiRead(FSReadRequest* reqs, size_t num_reqs,
                                          const IOOptions& options, IODebugContext* /*dbg*/) {
  if (options.timeout.count() > 0) [[unlikely]] {
    ReadUntil(Deadline(options), descriptor_, name_, direct_, reqs, num_reqs);
    return IOStatus::OK();
  }
  constexpr size_t kBatch = 32;  // on the stack: a fiber's is small
  fiber::io::ReadRequest batch[kBatch];
  for (size_t begin = 0; begin < num_reqs; begin += kBatch) {
    const size_t n = std::min(kBatch, num_reqs - begin);
    for (size_t i = 0; i < n; ++i) {
      const FSReadRequest& r = reqs[begin + i];
      batch[i] = {fd_, r.scratch, r.len, r.offset, 0};
    }
    fiber::io::pread_batch(std::span(batch, n));
    for (size_t i = 0; i < n; ++i) {
      AnswerRead(fd_, name_, direct_, batch[i].result, &reqs[begin + i]);
    }
  }
  return IOStatus::OK();
}

IOStatus FiberRandomAccessFile::ReadAsync(FSReadRequest& req, const IOOptions& /*options*/,
                                          std::function<void(FSReadRequest&, void*)> cb,
                                          void* cb_arg, void** io_handle, IOHandleDeleter* del_fn,
                                          IODebugContext* /*dbg*/) {
  return StartAsyncRead(fd_, name_, direct_, req, std::move(cb), cb_arg, io_handle, del_fn);
}

IOStatus FiberRandomAccessFile::Prefetch(uint64_t offset, size_t n, const IOOptions& /*options*/,
                                         IODebugContext* /*dbg*/) {
  if (direct_) return IOStatus::NotSupported("Prefetch with direct I/O");
  const int r = fiber::io::fadvise(fd_, offset, n, fiber::io::kAdviseWillNeed);
  return r < 0 ? IOErrorFromErrno("While prefetching offset " + std::to_string(offset) + " len " +
                                      std::to_string(n),
                                  name_, -r)
               : IOStatus::OK();
}

void FiberRandomAccessFile::Hint(AccessPattern pattern) {
  if (direct_) return;
  int advice = fiber::io::kAdviseNormal;
  switch (pattern) {
    case kNormal:
      advice = fiber::io::kAdviseNormal;
      break;
    case kRandom:
      advice = fiber::io::kAdviseRandom;
      break;
    case kSequential:
      advice = fiber::io::kAdviseSequential;
      break;
    case kWillNeed:
      advice = fiber::io::kAdviseWillNeed;
      break;
    case kWontNeed:
      advice = fiber::io::kAdviseDontNeed;
      break;
  }
  (void)fiber::io::fadvise(fd_, 0, 0, advice);  // a hint cannot fail
}

IOStatus FiberRandomAccessFile::InvalidateCache(size_t offset, size_t length) {
  return DropCache(fd_, name_, direct_, offset, length);
}

MappedRandomAccessFile::MappedRandomAccessFile(int fd, std::string name, fiber::io::Mapping mapping)
    : FiberRandomAccessFile(fd, std::move(name), /*direct=*/false),
      mapping_(std::move(mapping)),
      seen_(new(std::nothrow) std::atomic<uint64_t>[mapping_.size() / kStretch + 1]()) {}

bool MappedRandomAccessFile::IsReadable(uint64_t offset, size_t n, const IOOptions& options) const {
  if (offset > mapping_.size() || n > mapping_.size() - offset) return false;
  if (options.timeout.count() != 0) return mapping_.resident(static_cast<size_t>(offset), n);
  return !fiber::in_fiber() || IsResident(static_cast<size_t>(offset), n);
}

bool MappedRandomAccessFile::IsStretchResident(size_t stretch, uint64_t now) const {
  if (seen_ == nullptr) return false;
  const uint64_t seen = seen_[stretch].load(std::memory_order_relaxed);
  if (seen != 0 && now - seen < kTrustNanos) return true;
  const size_t from = stretch * kStretch;
  if (!mapping_.resident(from, std::min(kStretch, mapping_.size() - from))) return false;
  seen_[stretch].store(now, std::memory_order_relaxed);
  return true;
}

bool MappedRandomAccessFile::IsResident(size_t offset, size_t n) const {
  if (n == 0) return true;
  const uint64_t now = fiber::now_nanos();
  const size_t last = (offset + n - 1) / kStretch;
  for (size_t stretch = offset / kStretch; stretch <= last; ++stretch) {
    if (!IsStretchResident(stretch, now)) return mapping_.resident(offset, n);
  }
  return true;
}

IOStatus MappedRandomAccessFile::Read(uint64_t offset, size_t n, const IOOptions& options,
                                      Slice* result, char* scratch, IODebugContext* dbg) const {
  if (!IsReadable(offset, n, options)) {
    return FiberRandomAccessFile::Read(offset, n, options, result, scratch, dbg);
  }
  *result = Slice(mapping_.data() + offset, n);
  return IOStatus::OK();
}

// ------------------------------------------------------------------------------------------------
// Writable

FiberWritableFile::FiberWritableFile(int fd, std::string name, const FileOptions& options,
                                     uint64_t size)
    : FSWritableFile(options),
      fd_(fd),
      name_(std::move(name)),
      direct_(options.use_direct_writes && !options.use_mmap_writes),
      keep_size_(options.fallocate_with_keep_size),
      allow_fallocate_(options.allow_fallocate),
      size_(size) {}

FiberWritableFile::~FiberWritableFile() {
  if (fd_ >= 0) Close(IOOptions(), nullptr).PermitUncheckedError();
}

IOStatus FiberWritableFile::Append(const Slice& data, const IOOptions& /*options*/,
                                   IODebugContext* /*dbg*/) {
  IOStatus s = WriteFully(fd_, name_, kAppending, data, size_);
  if (s.ok()) size_ += data.size();
  return s;
}

IOStatus FiberWritableFile::PositionedAppend(const Slice& data, uint64_t offset,
                                             const IOOptions& /*options*/,
                                             IODebugContext* /*dbg*/) {
  IOStatus s = WriteFully(fd_, name_, kAppending, data, offset);
  if (s.ok()) size_ = std::max(size_, offset + data.size());
  return s;
}

IOStatus FiberWritableFile::Truncate(uint64_t size, const IOOptions& /*options*/,
                                     IODebugContext* /*dbg*/) {
  const int r = fiber::io::set_size(fd_, size);
  if (r < 0) {
    return IOErrorFromErrno("While ftruncate file to size " + std::to_string(size), name_, -r);
  }
  size_ = size;
  allocated_end_ = 0;
  return IOStatus::OK();
}

IOStatus FiberWritableFile::Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  if (fd_ < 0) return IOStatus::OK();
  if (allocated_end_ > size_) {
    // Gives the unused space back. A failure wastes space and nothing else.
    (void)fiber::io::set_size(fd_, size_);
  }
  const int r = fiber::io::close(fd_);
  fd_ = -1;
  return r < 0 ? IOErrorFromErrno("While closing file after writing", name_, -r) : IOStatus::OK();
}

IOStatus FiberWritableFile::Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  return IOStatus::OK();  // nothing is buffered here
}

IOStatus FiberWritableFile::Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  return SyncData(fd_, name_);
}

IOStatus FiberWritableFile::Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  return SyncAll(fd_, name_);
}

uint64_t FiberWritableFile::GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  return size_;
}

IOStatus FiberWritableFile::InvalidateCache(size_t offset, size_t length) {
  return DropCache(fd_, name_, direct_, offset, length);
}

IOStatus FiberWritableFile::RangeSync(uint64_t offset, uint64_t nbytes,
                                      const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  int r;
  if (strict_bytes_per_sync_) {
    // Waits for all write-back before the end of the range, so that it never piles up.
    r = fiber::io::sync_file_range(fd_, 0, offset + nbytes, kSyncRangeWaitBefore | kSyncRangeWrite);
  } else {
    r = fiber::io::sync_file_range(fd_, offset, nbytes, kSyncRangeWrite);
  }
  // A file system without it loses only the smoothing; Sync() is what promises durability.
  if (r == -ENOSYS || r == -EOPNOTSUPP || r == -ESPIPE || r == -EINVAL) return IOStatus::OK();
  return r < 0 ? IOErrorFromErrno("While sync_file_range", name_, -r) : IOStatus::OK();
}

IOStatus FiberWritableFile::Allocate(uint64_t offset, uint64_t len, const IOOptions& /*options*/,
                                     IODebugContext* /*dbg*/) {
  if (!allow_fallocate_) return IOStatus::OK();
  const int r = fiber::io::fallocate(fd_, keep_size_ ? fiber::io::kKeepSize : 0, offset, len);
  if (r == -EOPNOTSUPP || r == -ENOSYS) {
    allow_fallocate_ = false;  // do not ask again for every block
    return IOStatus::OK();
  }
  if (r < 0) {
    return IOErrorFromErrno(
        "While fallocate offset " + std::to_string(offset) + " len " + std::to_string(len), name_,
        -r);
  }
  allocated_end_ = std::max(allocated_end_, offset + len);
  return IOStatus::OK();
}

// ------------------------------------------------------------------------------------------------
// Both

FiberRandomRWFile::FiberRandomRWFile(int fd, std::string name, bool direct)
    : fd_(fd), name_(std::move(name)), direct_(direct) {}

FiberRandomRWFile::~FiberRandomRWFile() {
  if (fd_ >= 0) (void)fiber::io::close(fd_);
}

IOStatus FiberRandomRWFile::CheckOpen() const {
  return fd_ < 0 ? IOStatus::IOError("use of a closed file", name_) : IOStatus::OK();
}

IOStatus FiberRandomRWFile::Write(uint64_t offset, const Slice& data, const IOOptions& /*options*/,
                                  IODebugContext* /*dbg*/) {
  IOStatus s = CheckOpen();
  return s.ok() ? WriteFully(fd_, name_, "While writing into a file", data, offset) : s;
}

IOStatus FiberRandomRWFile::Read(uint64_t offset, size_t n, const IOOptions& /*options*/,
                                 Slice* result, char* scratch, IODebugContext* /*dbg*/) const {
  *result = Slice(scratch, 0);
  IOStatus s = CheckOpen();
  return s.ok() ? ReadFully(fd_, name_, offset, n, direct_, result, scratch) : s;
}

IOStatus FiberRandomRWFile::Flush(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  return CheckOpen();  // nothing is buffered here
}

IOStatus FiberRandomRWFile::Sync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  IOStatus s = CheckOpen();
  return s.ok() ? SyncData(fd_, name_) : s;
}

IOStatus FiberRandomRWFile::Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  IOStatus s = CheckOpen();
  return s.ok() ? SyncAll(fd_, name_) : s;
}

IOStatus FiberRandomRWFile::Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  if (fd_ < 0) return IOStatus::OK();
  const int r = fiber::io::close(fd_);
  fd_ = -1;
  return r < 0 ? IOErrorFromErrno("While closing file", name_, -r) : IOStatus::OK();
}

// ------------------------------------------------------------------------------------------------
// Directory

FiberDirectory::FiberDirectory(int fd, std::string name) : fd_(fd), name_(std::move(name)) {}

FiberDirectory::~FiberDirectory() {
  if (fd_ >= 0) (void)fiber::io::close(fd_);
}

IOStatus FiberDirectory::Fsync(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  if (fd_ < 0) return IOStatus::IOError("fsync of a closed directory", name_);
  const int r = fiber::io::fsync(fd_);
  return r < 0 ? IOErrorFromErrno("While fsync", "a directory " + name_, -r) : IOStatus::OK();
}

IOStatus FiberDirectory::Close(const IOOptions& /*options*/, IODebugContext* /*dbg*/) {
  if (fd_ < 0) return IOStatus::OK();
  const int r = fiber::io::close(fd_);
  fd_ = -1;
  return r < 0 ? IOErrorFromErrno("While closing directory", name_, -r) : IOStatus::OK();
}

}  // namespace cairn
