// The parts of FileSystem's public interface that have one implementation for all file systems.

#include "rocksdb/file_system.h"

#include "fs/fiber_file_system.h"
#include "fs/info_log.h"

namespace ROCKSDB_NAMESPACE {

FileSystem::~FileSystem() = default;
FSMemoryMappedFileBuffer::~FSMemoryMappedFileBuffer() = default;

std::string IODebugContext::ToString() const {
  std::string text;
  const auto add = [&text](const std::string& what, const std::string& value) {
    if (!text.empty()) text += ", ";
    text += what + ": " + value;
  };
  if (!file_path.empty()) add("file_path", file_path);
  for (const auto& [name, value] : counters) add(name, std::to_string(value));
  if (!msg.empty()) add("msg", msg);
  if ((trace_data & uint64_t{1} << kRequestID) != 0) add("request_id", request_id);
  return text;
}

std::shared_ptr<FileSystem> FileSystem::Default() {
  // Never destroyed: static databases and loggers may use it until the very end.
  static const auto& instance = *new std::shared_ptr<FileSystem>(cairn::NewFiberFileSystem());
  return instance;
}

IOStatus FileSystem::ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                                       const FileOptions& file_opts,
                                       std::unique_ptr<FSWritableFile>* result,
                                       IODebugContext* dbg) {
  IOStatus s = RenameFile(old_fname, fname, file_opts.io_options, dbg);
  return s.ok() ? NewWritableFile(fname, file_opts, result, dbg) : s;
}

IOStatus FileSystem::GetChildrenFileAttributes(const std::string& dir, const IOOptions& options,
                                               std::vector<FileAttributes>* result,
                                               IODebugContext* dbg) {
  result->clear();
  std::vector<std::string> names;
  IOStatus s = GetChildren(dir, options, &names, dbg);
  if (!s.ok()) return s;
  for (std::string& name : names) {
    const std::string path = dir + "/" + name;
    uint64_t size = 0;
    s = GetFileSize(path, options, &size, dbg);
    if (!s.ok()) {
      if (FileExists(path, options, dbg).IsNotFound()) continue;  // vanished meanwhile
      result->clear();
      return s;
    }
    result->push_back({std::move(name), size});
  }
  return IOStatus::OK();
}

IOStatus FileSystem::NewLogger(const std::string& fname, const IOOptions& /*io_opts*/,
                               std::shared_ptr<Logger>* result, IODebugContext* /*dbg*/) {
  return status_to_io_status(cairn::NewFileLogger(this, fname, result));
}

}  // namespace ROCKSDB_NAMESPACE
