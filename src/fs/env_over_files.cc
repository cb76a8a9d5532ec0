// Env's functions for files: those of its FileSystem. An Env of the user's own has none; what it
// does not override either says so, or is made of what it does.
#include <utility>

#include "fs/env_files.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

namespace {

// Makes a file by `create` (IOStatus(std::unique_ptr<File>*)).
template <typename EnvFile, typename File, typename OpenFn>
Status OpenAs(const FileSystem* fs, const char* function, std::unique_ptr<EnvFile>* result,
              const OpenFn& create) {
  if (fs == nullptr) return Status::NotSupported(function, "is not implemented in this Env");
  std::unique_ptr<File> file;
  Status s = create(&file);
  if (s.ok()) *result = cairn::ToEnvFile(std::move(file), fs);
  return s;
}

template <typename Call>
Status CallOn(FileSystem* fs, const char* function, const Call& call) {
  if (fs == nullptr) return Status::NotSupported(function, "is not implemented in this Env");
  return call(*fs);
}

}  // namespace

Status Env::NewSequentialFile(const std::string& fname, std::unique_ptr<SequentialFile>* result,
                              const EnvOptions& options) {
  return OpenAs<SequentialFile, FSSequentialFile>(
      own_files_, "NewSequentialFile", result, [&](std::unique_ptr<FSSequentialFile>* file) {
        return own_files_->NewSequentialFile(fname, options, file, nullptr);
      });
}

Status Env::NewRandomAccessFile(const std::string& fname, std::unique_ptr<RandomAccessFile>* result,
                                const EnvOptions& options) {
  return OpenAs<RandomAccessFile, FSRandomAccessFile>(
      own_files_, "NewRandomAccessFile", result, [&](std::unique_ptr<FSRandomAccessFile>* file) {
        return own_files_->NewRandomAccessFile(fname, options, file, nullptr);
      });
}

Status Env::NewWritableFile(const std::string& fname, std::unique_ptr<WritableFile>* result,
                            const EnvOptions& options) {
  return OpenAs<WritableFile, FSWritableFile>(
      own_files_, "NewWritableFile", result, [&](std::unique_ptr<FSWritableFile>* file) {
        return own_files_->NewWritableFile(fname, options, file, nullptr);
      });
}

Status Env::ReopenWritableFile(const std::string& fname, std::unique_ptr<WritableFile>* result,
                               const EnvOptions& options) {
  return OpenAs<WritableFile, FSWritableFile>(
      own_files_, "ReopenWritableFile", result, [&](std::unique_ptr<FSWritableFile>* file) {
        return own_files_->ReopenWritableFile(fname, options, file, nullptr);
      });
}

Status Env::ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                              std::unique_ptr<WritableFile>* result, const EnvOptions& options) {
  if (own_files_ == nullptr) {
    Status s = RenameFile(old_fname, fname);
    return s.ok() ? NewWritableFile(fname, result, options) : s;
  }
  return OpenAs<WritableFile, FSWritableFile>(
      own_files_, "ReuseWritableFile", result, [&](std::unique_ptr<FSWritableFile>* file) {
        return own_files_->ReuseWritableFile(fname, old_fname, options, file, nullptr);
      });
}

Status Env::NewRandomRWFile(const std::string& fname, std::unique_ptr<RandomRWFile>* result,
                            const EnvOptions& options) {
  return OpenAs<RandomRWFile, FSRandomRWFile>(
      own_files_, "NewRandomRWFile", result, [&](std::unique_ptr<FSRandomRWFile>* file) {
        return own_files_->NewRandomRWFile(fname, options, file, nullptr);
      });
}

Status Env::NewMemoryMappedFileBuffer(const std::string& fname,
                                      std::unique_ptr<MemoryMappedFileBuffer>* result) {
  return CallOn(own_files_, "NewMemoryMappedFileBuffer",
                [&](FileSystem& fs) { return fs.NewMemoryMappedFileBuffer(fname, result); });
}

Status Env::NewDirectory(const std::string& name, std::unique_ptr<Directory>* result) {
  return OpenAs<Directory, FSDirectory>(
      own_files_, "NewDirectory", result, [&](std::unique_ptr<FSDirectory>* directory) {
        return own_files_->NewDirectory(name, IOOptions(), directory, nullptr);
      });
}

Status Env::FileExists(const std::string& fname) {
  return CallOn(own_files_, "FileExists",
                [&](FileSystem& fs) { return fs.FileExists(fname, IOOptions(), nullptr); });
}

Status Env::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  return CallOn(own_files_, "GetChildren",
                [&](FileSystem& fs) { return fs.GetChildren(dir, IOOptions(), result, nullptr); });
}

Status Env::GetChildrenFileAttributes(const std::string& dir, std::vector<FileAttributes>* result) {
  if (own_files_ != nullptr) {
    return own_files_->GetChildrenFileAttributes(dir, IOOptions(), result, nullptr);
  }
  // Out of the names and sizes that this Env gives.
  return file_system_->FileSystem::GetChildrenFileAttributes(dir, IOOptions(), result, nullptr);
}

Status Env::DeleteFile(const std::string& fname) {
  return CallOn(own_files_, "DeleteFile",
                [&](FileSystem& fs) { return fs.DeleteFile(fname, IOOptions(), nullptr); });
}

Status Env::Truncate(const std::string& fname, size_t size) {
  return CallOn(own_files_, "Truncate",
                [&](FileSystem& fs) { return fs.Truncate(fname, size, IOOptions(), nullptr); });
}

Status Env::CreateDir(const std::string& dirname) {
  return CallOn(own_files_, "CreateDir", [&](FileSystem& fs) {
    // style: the user's call
    return fs.CreateDir(dirname, IOOptions(), nullptr);
  });
}

Status Env::CreateDirIfMissing(const std::string& dirname) {
  return CallOn(own_files_, "CreateDirIfMissing", [&](FileSystem& fs) {
    // style: the user's call
    return fs.CreateDirIfMissing(dirname, IOOptions(), nullptr);
  });
}

Status Env::DeleteDir(const std::string& dirname) {
  return CallOn(own_files_, "DeleteDir",
                [&](FileSystem& fs) { return fs.DeleteDir(dirname, IOOptions(), nullptr); });
}

Status Env::GetFileSize(const std::string& fname, uint64_t* file_size) {
  return CallOn(own_files_, "GetFileSize", [&](FileSystem& fs) {
    return fs.GetFileSize(fname, IOOptions(), file_size, nullptr);
  });
}

Status Env::GetFileModificationTime(const std::string& fname, uint64_t* file_mtime) {
  return CallOn(own_files_, "GetFileModificationTime", [&](FileSystem& fs) {
    return fs.GetFileModificationTime(fname, IOOptions(), file_mtime, nullptr);
  });
}

Status Env::RenameFile(const std::string& src, const std::string& target) {
  return CallOn(own_files_, "RenameFile",
                [&](FileSystem& fs) { return fs.RenameFile(src, target, IOOptions(), nullptr); });
}

Status Env::LinkFile(const std::string& src, const std::string& target) {
  return CallOn(own_files_, "LinkFile",
                [&](FileSystem& fs) { return fs.LinkFile(src, target, IOOptions(), nullptr); });
}

Status Env::NumFileLinks(const std::string& fname, uint64_t* count) {
  return CallOn(own_files_, "NumFileLinks", [&](FileSystem& fs) {
    return fs.NumFileLinks(fname, IOOptions(), count, nullptr);
  });
}

Status Env::AreFilesSame(const std::string& first, const std::string& second, bool* result) {
  return CallOn(own_files_, "AreFilesSame", [&](FileSystem& fs) {
    return fs.AreFilesSame(first, second, IOOptions(), result, nullptr);
  });
}

Status Env::LockFile(const std::string& fname, FileLock** lock) {
  return CallOn(own_files_, "LockFile",
                [&](FileSystem& fs) { return fs.LockFile(fname, IOOptions(), lock, nullptr); });
}

Status Env::UnlockFile(FileLock* lock) {
  return CallOn(own_files_, "UnlockFile",
                [&](FileSystem& fs) { return fs.UnlockFile(lock, IOOptions(), nullptr); });
}

Status Env::IsDirectory(const std::string& path, bool* is_dir) {
  return CallOn(own_files_, "IsDirectory",
                [&](FileSystem& fs) { return fs.IsDirectory(path, IOOptions(), is_dir, nullptr); });
}

Status Env::GetFreeSpace(const std::string& path, uint64_t* bytes) {
  return CallOn(own_files_, "GetFreeSpace",
                [&](FileSystem& fs) { return fs.GetFreeSpace(path, IOOptions(), bytes, nullptr); });
}

Status Env::GetAbsolutePath(const std::string& db_path, std::string* output_path) {
  return CallOn(own_files_, "GetAbsolutePath", [&](FileSystem& fs) {
    return fs.GetAbsolutePath(db_path, IOOptions(), output_path, nullptr);
  });
}

Status Env::GetTestDirectory(std::string* path) {
  return CallOn(own_files_, "GetTestDirectory",
                [&](FileSystem& fs) { return fs.GetTestDirectory(IOOptions(), path, nullptr); });
}

Status Env::NewLogger(const std::string& fname, std::shared_ptr<Logger>* result) {
  if (own_files_ == nullptr) return NewEnvLogger(fname, this, result);
  return own_files_->NewLogger(fname, IOOptions(), result, nullptr);
}

}  // namespace ROCKSDB_NAMESPACE
