// A file system whose calls, and those of its files, a trace is told of while it runs
// (DB::StartIOTrace). A database puts it around its Env's own. Of what is called RocksDB tells the
// same, and Sync, Fsync and RangeSync beyond that; renames, links and locks are not told.
//
// Thread safety: as the file system below. What is told is told by whoever makes the call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "trace/io_trace.h"

namespace cairn {

class TracedFileSystem final : public FileSystemWrapper {
 public:
  // The files share the trace, too, and may outlive this.
  TracedFileSystem(const std::shared_ptr<FileSystem>& target, std::shared_ptr<IOTrace> trace);

  const char* Name() const override { return "TracedFileSystem"; }
  IOStatus NewSequentialFile(const std::string& path, const FileOptions& options,
                             std::unique_ptr<FSSequentialFile>* file, IODebugContext* dbg) override;
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override;
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus ReopenWritableFile(const std::string& path, const FileOptions& options,
                              std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override;
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* dbg) override;
  IOStatus NewRandomRWFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSRandomRWFile>* file, IODebugContext* dbg) override;
  IOStatus NewDirectory(const std::string& path, const IOOptions& options,
                        std::unique_ptr<FSDirectory>* directory, IODebugContext* dbg) override;
  IOStatus GetChildren(const std::string& path, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* dbg) override;
  IOStatus DeleteFile(const std::string& path, const IOOptions& options,
                      IODebugContext* dbg) override;
  IOStatus CreateDir(const std::string& path, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus CreateDirIfMissing(const std::string& path, const IOOptions& options,
                              IODebugContext* dbg) override;
  IOStatus DeleteDir(const std::string& path, const IOOptions& options,
                     IODebugContext* dbg) override;
  IOStatus GetFileSize(const std::string& path, const IOOptions& options, uint64_t* size,
                       IODebugContext* dbg) override;
  IOStatus Truncate(const std::string& path, size_t size, const IOOptions& options,
                    IODebugContext* dbg) override;

 private:
  const std::shared_ptr<IOTrace> trace_;
};

}  // namespace cairn
