// A file that is appended to by way of a mapping (EnvOptions::use_mmap_writes).
//
// A region at the end of the file is mapped at a time. Its space is allocated first, which makes
// the file longer than what was appended: else a full disk would be found by a page fault, which
// ends the process. Sync() and Close() cut the file to its size. Where nothing can be allocated
// (the file system cannot; the disk is full, or almost), and on a fiber, whose worker a page fault
// would keep, appends are plain writes: a mapping and they see the same bytes.
//
// One user at a time, for Sync(), too: it ends the mapping.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "fiber/mapping.h"
#include "fs/fiber_files.h"

namespace cairn {

class MappedWritableFile final : public FiberWritableFile {
 public:
  // `fd` is open for reading and writing, and this object's from now on.
  MappedWritableFile(int fd, std::string name, const FileOptions& options, uint64_t size);
  ~MappedWritableFile() override;

  using FiberWritableFile::Append;
  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Truncate(uint64_t size, const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override;
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override;
  bool IsSyncThreadSafe() const override { return false; }

 private:
  static constexpr size_t kFirstRegion = size_t{64} << 10;
  static constexpr size_t kLargestRegion = size_t{1} << 20;

  // Bytes of the mapping from the end of what was appended on.
  size_t room() const;
  // Allocates and maps the region at the end. OK without a mapping: there is none to be had now.
  IOStatus MapRegion();
  // Ends the mapping, and cuts the file to its size. *cut: there was something to cut.
  IOStatus Settle(bool* cut);

  bool allocates_;  // false: the file system cannot
  size_t next_region_ = kFirstRegion;
  fiber::io::WritableMapping region_;
  uint64_t region_begin_ = 0;  // offset of region_ in the file
  uint64_t extended_to_ = 0;   // how long the allocations made the file
};

}  // namespace cairn
