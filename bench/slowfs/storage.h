// Storage: what a Passthrough does its operations through. One that delays them (slowfs, device.h),
// one that fails them and forgets what was not synced (test/crash/faultfs).
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slowfs {

// What a program asks of the file system.
struct Operation {
  enum class Kind : uint8_t {
    kRead,
    kWrite,
    kFsync,
    kFdatasync,
    kSyncDir,
    kTruncate,  // or an opening that truncates: size 0
    kFallocate,
    kOpen,
    kCreate,
    kMkdir,
    kUnlink,
    kRmdir,
    kRename,
    kLink,
    kStat,  // a lookup, too
    kList,
    kStatfs,
  };

  Kind kind = Kind::kStat;
  // The file, or the directory of the name: a descriptor that may be one of O_PATH.
  int at = -1;
  const char* name = nullptr;  // where the operation is of a name
  int to = -1;                 // rename, link: the directory and the name that come to be
  const char* to_name = nullptr;
  int mode = 0;         // of a fallocate
  uint64_t offset = 0;  // of what is read, written, allocated
  uint64_t size = 0;    // of it, or what a truncation leaves
};

class Storage {
 public:
  // Does the operation on the backing directory: -errno or what came of it. `size`: of a read or
  // write, how much of it; the whole in all other cases.
  using Act = std::function<int64_t(size_t size)>;
  // Sends the answer; does not block.
  using Answer = std::function<void(int64_t result)>;

  virtual ~Storage() = default;

  // Before the first operation, and after the last one.
  virtual void Start() {}
  virtual void Stop() {}

  // Calls `act`, or does not, and `answer` once: for what is read, written and synced perhaps later
  // and on another thread, else before the return. Any thread.
  virtual void Run(const Operation& operation, const Act& act, Answer answer) = 0;
  // No space is left, as statfs is to tell.
  virtual bool Full() { return false; }

  // What the control file says; a line that was written to it: 0, or -errno without effect.
  virtual std::string Text() = 0;
  virtual int Command(std::string_view line) = 0;
};

}  // namespace slowfs
