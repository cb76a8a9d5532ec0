#include "fs/mapped_writable_file.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fs/fiber_file_system.h"

namespace cairn {

MappedWritableFile::MappedWritableFile(int fd, std::string name, const FileOptions& options,
                                       uint64_t size)
    : FiberWritableFile(fd, std::move(name), options, size), allocates_(options.allow_fallocate) {}

MappedWritableFile::~MappedWritableFile() { Close(IOOptions(), nullptr).PermitUncheckedError(); }

size_t MappedWritableFile::room() const {
  const uint64_t end = region_.size() == 0 ? 0 : region_begin_ + region_.size();
  return size() >= end ? 0 : static_cast<size_t>(end - size());
}

IOStatus MappedWritableFile::MapRegion() {
  region_ = {};
  if (!allocates_ || fiber::in_fiber()) return IOStatus::OK();
  const uint64_t begin = size() / fiber::io::WritableMapping::granularity() *
                         fiber::io::WritableMapping::granularity();
  const size_t length = std::max(next_region_, 2 * fiber::io::WritableMapping::granularity());
  int r = fiber::io::fallocate(fd(), /*mode=*/0, begin, length);
  if (r == -EOPNOTSUPP || r == -ENOSYS) {
    allocates_ = false;
    return IOStatus::OK();
  }
  if (r < 0) {
    IOStatus s = IOErrorFromErrno("While allocating space of a mapped file, offset " +
                                      std::to_string(begin) + " len " + std::to_string(length),
                                  name(), -r);
    return s.IsNoSpace() ? IOStatus::OK() : s;  // there may be room for less
  }
  extended_to_ = std::max(extended_to_, begin + length);
  r = fiber::io::WritableMapping::of(fd(), begin, length, &region_);
  if (r == -EOPNOTSUPP || r == -ENODEV) {
    allocates_ = false;
    return IOStatus::OK();
  }
  if (r < 0) return IOErrorFromErrno("While mapping a file for writing", name(), -r);
  region_begin_ = begin;
  next_region_ = std::min(2 * next_region_, kLargestRegion);
  return IOStatus::OK();
}

IOStatus MappedWritableFile::Append(const Slice& data, const IOOptions& options,
                                    IODebugContext* dbg) {
  if (fiber::in_fiber()) return FiberWritableFile::Append(data, options, dbg);
  const char* from = data.data();
  size_t left = data.size();
  while (left > 0) {
    if (room() == 0) {
      if (IOStatus s = MapRegion(); !s.ok()) return s;
      if (room() == 0) return FiberWritableFile::Append(Slice(from, left), options, dbg);
    }
    const size_t n = std::min(left, room());
    std::memcpy(region_.data() + (size() - region_begin_), from, n);
    set_size(size() + n);
    from += n;
    left -= n;
  }
  return IOStatus::OK();
}

IOStatus MappedWritableFile::Settle(bool* cut) {
  region_ = {};
  *cut = extended_to_ > size();
  if (!*cut) return IOStatus::OK();
  const int r = fiber::io::set_size(fd(), size());
  if (r < 0) return IOErrorFromErrno("While ftruncating a mapped file", name(), -r);
  extended_to_ = 0;
  return IOStatus::OK();
}

IOStatus MappedWritableFile::Truncate(uint64_t size, const IOOptions& options,
                                      IODebugContext* dbg) {
  region_ = {};
  IOStatus s = FiberWritableFile::Truncate(size, options, dbg);
  if (s.ok()) extended_to_ = 0;
  return s;
}

IOStatus MappedWritableFile::Close(const IOOptions& options, IODebugContext* dbg) {
  if (fd() < 0) return IOStatus::OK();
  bool cut = false;
  IOStatus s = Settle(&cut);
  IOStatus closed = FiberWritableFile::Close(options, dbg);
  return s.ok() ? closed : s;
}

// (The pages of a mapping are those of the file: a sync writes them. A file that was cut would be
// longer again after a power cut, and is then another one than the MANIFEST says: that is
// metadata.)
IOStatus MappedWritableFile::Sync(const IOOptions& options, IODebugContext* dbg) {
  bool cut = false;
  IOStatus s = Settle(&cut);
  if (!s.ok()) return s;
  return cut ? FiberWritableFile::Fsync(options, dbg) : FiberWritableFile::Sync(options, dbg);
}

IOStatus MappedWritableFile::Fsync(const IOOptions& options, IODebugContext* dbg) {
  bool cut = false;
  IOStatus s = Settle(&cut);
  return s.ok() ? FiberWritableFile::Fsync(options, dbg) : s;
}

}  // namespace cairn
