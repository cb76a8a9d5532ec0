// Reads of the default file system that may take only so long (IOOptions::timeout). Private to fs/.
//
// Such a read is a fiber::io::PendingRead into memory of its own: whoever waits for it can leave
// when its time is over, also a plain thread, while the kernel, or a thread of the blocking pool,
// still reads. What was left keeps its memory and its descriptor until it has ended. Without a
// timeout nothing of this is used: a read costs what it costs.
//
// Thread safety: as for FSRandomAccessFile::Read, any number at once.

#ifndef CAIRN_FS_TIMED_READ_H_
#define CAIRN_FS_TIMED_READ_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"

namespace cairn {

// A descriptor, closed once neither its file object nor a read that was left uses it.
class OpenDescriptor {
 public:
  explicit OpenDescriptor(int fd) : fd_(fd) {}
  OpenDescriptor(const OpenDescriptor&) = delete;
  OpenDescriptor& operator=(const OpenDescriptor&) = delete;
  ~OpenDescriptor();
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// SUSPENDS, but no longer than until `deadline` (a now_nanos() value). All reads at once; each
// request has its own status: TimedOut if it was not done by then.
void ReadUntil(uint64_t deadline, const std::shared_ptr<const OpenDescriptor>& file,
               const std::string& name, bool direct, FSReadRequest* requests, size_t count);

}  // namespace cairn

#endif  // CAIRN_FS_TIMED_READ_H_
