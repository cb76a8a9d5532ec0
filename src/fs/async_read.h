// The reads of FSRandomAccessFile::ReadAsync on the default file system, from their start to
// FileSystem::Poll or AbortIO. Private to fs/.
//
// A handle is a fiber::io::PendingRead with the caller's callback; any thread or fiber can poll it.
// (Not so in a simulation: a simulated thread's only itself, others get NotSupported.) Thread
// safety: one caller at a time for each handle.

#ifndef CAIRN_FS_ASYNC_READ_H_
#define CAIRN_FS_ASYNC_READ_H_

#include <functional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

// What a pread of req's range came to: sets its status and result from `got` (bytes or -errno),
// after reading what a short read left, if the file goes on.
void AnswerRead(int fd, const std::string& name, bool direct, ptrdiff_t got, FSReadRequest* req);

// Starts the read; *io_handle is freed by *del_fn. `fd` and `name` are borrowed until then.
IOStatus StartAsyncRead(int fd, const std::string& name, bool direct, const FSReadRequest& req,
                        std::function<void(FSReadRequest&, void*)> cb, void* cb_arg,
                        void** io_handle, IOHandleDeleter* del_fn);

// FileSystem's.
IOStatus PollAsyncReads(const std::vector<void*>& io_handles, size_t min_completions);
IOStatus AbortAsyncReads(const std::vector<void*>& io_handles);

}  // namespace cairn

#endif  // CAIRN_FS_ASYNC_READ_H_
