// A directory for one test, removed with everything in it at the end. Test-only.

#ifndef CAIRN_FS_TESTING_TEMP_DIR_H_
#define CAIRN_FS_TESTING_TEMP_DIR_H_

#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/random.h"
#include "rocksdb/file_system.h"

namespace cairn::testing {

inline void RemoveTree(FileSystem* fs, const std::string& path) {
  std::vector<std::string> names;
  if (!fs->GetChildren(path, IOOptions(), &names, nullptr).ok()) return;
  for (const std::string& name : names) {
    const std::string child = std::string(path).append("/").append(name);
    bool is_dir = false;
    (void)fs->IsDirectory(child, IOOptions(), &is_dir, nullptr);
    if (is_dir) {
      RemoveTree(fs, child);
    } else {
      (void)fs->DeleteFile(child, IOOptions(), nullptr);
    }
  }
  (void)fs->DeleteDir(path, IOOptions(), nullptr);
}

class TempDir {
 public:
  explicit TempDir(FileSystem* fs, const std::string& name = "t") : fs_(fs) {
    (void)fs_->GetTestDirectory(IOOptions(), &path_, nullptr);
    path_ += "/" + name + "-" + std::to_string(fiber::random_u64());
    (void)fs_->CreateDirIfMissing(path_, IOOptions(), nullptr);
  }
  ~TempDir() { RemoveTree(fs_, path_); }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  FileSystem* const fs_;
  std::string path_;
};

}  // namespace cairn::testing

#endif  // CAIRN_FS_TESTING_TEMP_DIR_H_
