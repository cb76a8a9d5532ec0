#include "fs/reopening_file_system.h"

#include "base/shortage.h"

namespace cairn {

namespace {
// What is let go of somebody else may take: not for ever.
constexpr int kTries = 8;
}  // namespace

template <typename Attempt>
IOStatus ReopeningFileSystem::Try(const Attempt& attempt) {
  IOStatus s = attempt();
  for (int i = 1; i < kTries && IsShortage(s) && !s.IsNoSpace() && let_go_(); ++i) s = attempt();
  return s;
}

IOStatus ReopeningFileSystem::NewSequentialFile(const std::string& path, const FileOptions& options,
                                                std::unique_ptr<FSSequentialFile>* file,
                                                IODebugContext* dbg) {
  return Try([&] { return target()->NewSequentialFile(path, options, file, dbg); });
}

IOStatus ReopeningFileSystem::NewRandomAccessFile(const std::string& path,
                                                  const FileOptions& options,
                                                  std::unique_ptr<FSRandomAccessFile>* file,
                                                  IODebugContext* dbg) {
  return Try([&] { return target()->NewRandomAccessFile(path, options, file, dbg); });
}

IOStatus ReopeningFileSystem::NewWritableFile(const std::string& path, const FileOptions& options,
                                              std::unique_ptr<FSWritableFile>* file,
                                              IODebugContext* dbg) {
  return Try([&] { return target()->NewWritableFile(path, options, file, dbg); });
}

IOStatus ReopeningFileSystem::ReopenWritableFile(const std::string& path,
                                                 const FileOptions& options,
                                                 std::unique_ptr<FSWritableFile>* file,
                                                 IODebugContext* dbg) {
  return Try([&] { return target()->ReopenWritableFile(path, options, file, dbg); });
}

IOStatus ReopeningFileSystem::NewDirectory(const std::string& path, const IOOptions& options,
                                           std::unique_ptr<FSDirectory>* directory,
                                           IODebugContext* dbg) {
  return Try([&] { return target()->NewDirectory(path, options, directory, dbg); });
}

IOStatus ReopeningFileSystem::GetChildren(const std::string& path, const IOOptions& options,
                                          std::vector<std::string>* names, IODebugContext* dbg) {
  return Try([&] { return target()->GetChildren(path, options, names, dbg); });
}

IOStatus ReopeningFileSystem::LockFile(const std::string& path, const IOOptions& options,
                                       FileLock** lock, IODebugContext* dbg) {
  return Try([&] { return target()->LockFile(path, options, lock, dbg); });
}

IOStatus ReopeningFileSystem::Truncate(const std::string& path, size_t size,
                                       const IOOptions& options, IODebugContext* dbg) {
  return Try([&] { return target()->Truncate(path, size, options, dbg); });
}

}  // namespace cairn
