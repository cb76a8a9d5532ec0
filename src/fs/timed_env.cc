// NewTimedEnv: a FileSystem whose operations are timed for PerfContext, in an Env.
#include "base/perf.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using cairn::Perf;
using cairn::PerfTimer;

class TimedFileSystem final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "TimedFS"; }

  IOStatus NewSequentialFile(const std::string& f, const FileOptions& o,
                             std::unique_ptr<FSSequentialFile>* r, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_new_sequential_file_nanos);
    return target_->NewSequentialFile(f, o, r, dbg);
  }
  IOStatus NewRandomAccessFile(const std::string& f, const FileOptions& o,
                               std::unique_ptr<FSRandomAccessFile>* r,
                               IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_new_random_access_file_nanos);
    return target_->NewRandomAccessFile(f, o, r, dbg);
  }
  IOStatus NewWritableFile(const std::string& f, const FileOptions& o,
                           std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_new_writable_file_nanos);
    return target_->NewWritableFile(f, o, r, dbg);
  }
  IOStatus ReuseWritableFile(const std::string& f, const std::string& old, const FileOptions& o,
                             std::unique_ptr<FSWritableFile>* r, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_reuse_writable_file_nanos);
    return target_->ReuseWritableFile(f, old, o, r, dbg);
  }
  IOStatus NewDirectory(const std::string& n, const IOOptions& o, std::unique_ptr<FSDirectory>* r,
                        IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_new_directory_nanos);
    return target_->NewDirectory(n, o, r, dbg);
  }
  IOStatus FileExists(const std::string& f, const IOOptions& o, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_file_exists_nanos);
    return target_->FileExists(f, o, dbg);
  }
  IOStatus GetChildren(const std::string& d, const IOOptions& o, std::vector<std::string>* r,
                       IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_get_children_nanos);
    return target_->GetChildren(d, o, r, dbg);
  }
  IOStatus GetChildrenFileAttributes(const std::string& d, const IOOptions& o,
                                     std::vector<FileAttributes>* r, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_get_children_file_attributes_nanos);
    return target_->GetChildrenFileAttributes(d, o, r, dbg);
  }
  IOStatus DeleteFile(const std::string& f, const IOOptions& o, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_delete_file_nanos);
    return target_->DeleteFile(f, o, dbg);
  }
  IOStatus CreateDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_create_dir_nanos);
    return target_->CreateDir(d, o, dbg);  // style: the caller sees to it
  }
  IOStatus CreateDirIfMissing(const std::string& d, const IOOptions& o,
                              IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_create_dir_if_missing_nanos);
    return target_->CreateDirIfMissing(d, o, dbg);  // style: the caller sees to it
  }
  IOStatus DeleteDir(const std::string& d, const IOOptions& o, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_delete_dir_nanos);
    return target_->DeleteDir(d, o, dbg);
  }
  IOStatus GetFileSize(const std::string& f, const IOOptions& o, uint64_t* s,
                       IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_get_file_size_nanos);
    return target_->GetFileSize(f, o, s, dbg);
  }
  IOStatus GetFileModificationTime(const std::string& f, const IOOptions& o, uint64_t* t,
                                   IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_get_file_modification_time_nanos);
    return target_->GetFileModificationTime(f, o, t, dbg);
  }
  IOStatus RenameFile(const std::string& s, const std::string& t, const IOOptions& o,
                      IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_rename_file_nanos);
    return target_->RenameFile(s, t, o, dbg);
  }
  IOStatus LinkFile(const std::string& s, const std::string& t, const IOOptions& o,
                    IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_link_file_nanos);
    return target_->LinkFile(s, t, o, dbg);
  }
  IOStatus LockFile(const std::string& f, const IOOptions& o, FileLock** l,
                    IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_lock_file_nanos);
    return target_->LockFile(f, o, l, dbg);
  }
  IOStatus UnlockFile(FileLock* l, const IOOptions& o, IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_unlock_file_nanos);
    return target_->UnlockFile(l, o, dbg);
  }
  IOStatus NewLogger(const std::string& f, const IOOptions& o, std::shared_ptr<Logger>* r,
                     IODebugContext* dbg) override {
    const PerfTimer timer(Perf(), &PerfContext::env_new_logger_nanos);
    return target_->NewLogger(f, o, r, dbg);
  }
};

}  // namespace

Env* NewTimedEnv(Env* base_env) {
  return NewCompositeEnv(std::make_shared<TimedFileSystem>(base_env->GetFileSystem())).release();
}

}  // namespace ROCKSDB_NAMESPACE
