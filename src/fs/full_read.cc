#include "fs/full_read.h"

#include <errno.h>

#include "fiber/io.h"
#include "fs/fiber_file_system.h"

namespace cairn {

namespace {

constexpr int kTries = 1000;  // at a place where the file does not end and nothing comes

}  // namespace

void FullRead::Fail(const char* what, int error) {
  status_ = IOErrorFromErrno(
      std::string(what) + " offset " + std::to_string(offset()) + " len " + std::to_string(left()),
      *name_, error);
  done_ = 0;
  over_ = true;
}

void FullRead::AddPart(ptrdiff_t result) {
  if (result < 0) return Fail("While pread", static_cast<int>(-result));
  done_ += static_cast<size_t>(result);
  // Of a direct one a count that is not aligned can only be the end, too.
  const size_t unaligned = direct_ ? done_ % kDefaultPageSize : 0;
  if (result > 0 && unaligned == 0) return;
  fiber::io::FileStatus file;
  if (const int r = fiber::io::file_status(fd_, &file); r < 0) {
    return Fail("While fstat behind a short pread", -r);
  }
  if (offset() >= static_cast<uint64_t>(file.st_size)) {
    over_ = true;
    return;
  }
  if (++tries_ == kTries) return Fail("Nothing comes, though the file is longer: pread", EIO);
  done_ -= unaligned;  // where it goes on must be aligned
}

}  // namespace cairn
