// The default file system: POSIX files through fiber::io, so that a fiber parks where a thread
// would block. Thread-safe. Errors never pass through errno; every status names the file.
//
// Direct I/O flags are honoured (files then ask for aligned requests), and so are mmap flags, but
// on fibers, whose worker a page fault would keep.

#ifndef CAIRN_FS_POSIX_FILE_SYSTEM_H_
#define CAIRN_FS_POSIX_FILE_SYSTEM_H_

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

// A new instance; all instances share the table of locks held by this process.
std::unique_ptr<FileSystem> NewFiberFileSystem();

// The IOStatus for a positive errno value: PathNotFound for ENOENT, NoSpace for ENOSPC and EDQUOT,
// IOFenced for ESTALE, IOError otherwise; retryable for what passes (base/shortage.h);
// "<context>: <file>: <strerror>".
IOStatus IOErrorFromErrno(const std::string& context, const std::string& file, int err);

// `s` is such a status, and says that the system does not do this here, or not for this user
// (EACCES, EPERM, EROFS, EINVAL): not that it went wrong.
bool IsRefusal(const IOStatus& s);

}  // namespace cairn

#endif  // CAIRN_FS_POSIX_FILE_SYSTEM_H_
