// EnvWrapper: an Env over another one, to derive from: each function calls the other's. Included by
// env.h.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class EnvWrapper : public Env {
 public:
  // The other Env, which may be owned.
  struct Target {
    Env* env;
    std::shared_ptr<Env> guard;  // null: borrowed

    explicit Target(Env* t) : env(t) {}
    explicit Target(std::unique_ptr<Env>&& t) : Target(std::shared_ptr<Env>(std::move(t))) {}
    explicit Target(const std::shared_ptr<Env>& t) : env(t.get()), guard(t) {}

    // What was read from text is used; without any Env it is Env::Default().
    void Prepare();
    Env* operator->() const { return env; }
  };

  // The target is borrowed, owned or shared.
  explicit EnvWrapper(Env* target);
  explicit EnvWrapper(std::unique_ptr<Env>&& target);
  explicit EnvWrapper(const std::shared_ptr<Env>& target);
  ~EnvWrapper() override;

  const char* Name() const override { return "EnvWrapper"; }
  Env* target() const { return target_.env; }
  const Customizable* Inner() const override { return target_.env; }
  // Its options: "target", the other one.
  Status PrepareOptions(const ConfigOptions& options) override;

  uint64_t NowMicros() override { return target_->NowMicros(); }
  uint64_t NowNanos() override { return target_->NowNanos(); }
  uint64_t NowCPUNanos() override { return target_->NowCPUNanos(); }
  void SleepForMicroseconds(int micros) override { target_->SleepForMicroseconds(micros); }
  Status GetCurrentTime(int64_t* unix_time) override { return target_->GetCurrentTime(unix_time); }
  std::string TimeToString(uint64_t time) override { return target_->TimeToString(time); }

  Status NewSequentialFile(const std::string& f, std::unique_ptr<SequentialFile>* r,
                           const EnvOptions& options) override {
    return target_->NewSequentialFile(f, r, options);
  }
  Status NewRandomAccessFile(const std::string& f, std::unique_ptr<RandomAccessFile>* r,
                             const EnvOptions& options) override {
    return target_->NewRandomAccessFile(f, r, options);
  }
  Status NewWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                         const EnvOptions& options) override {
    return target_->NewWritableFile(f, r, options);
  }
  Status ReopenWritableFile(const std::string& f, std::unique_ptr<WritableFile>* r,
                            const EnvOptions& options) override {
    return target_->ReopenWritableFile(f, r, options);
  }
  Status ReuseWritableFile(const std::string& f, const std::string& old,
                           std::unique_ptr<WritableFile>* r, const EnvOptions& options) override {
    return target_->ReuseWritableFile(f, old, r, options);
  }
  Status NewRandomRWFile(const std::string& f, std::unique_ptr<RandomRWFile>* r,
                         const EnvOptions& options) override {
    return target_->NewRandomRWFile(f, r, options);
  }
  Status NewMemoryMappedFileBuffer(const std::string& f,
                                   std::unique_ptr<MemoryMappedFileBuffer>* r) override {
    return target_->NewMemoryMappedFileBuffer(f, r);
  }
  Status NewDirectory(const std::string& n, std::unique_ptr<Directory>* r) override {
    return target_->NewDirectory(n, r);
  }
  Status FileExists(const std::string& f) override { return target_->FileExists(f); }
  Status GetChildren(const std::string& d, std::vector<std::string>* r) override {
    return target_->GetChildren(d, r);
  }
  Status GetChildrenFileAttributes(const std::string& d, std::vector<FileAttributes>* r) override {
    return target_->GetChildrenFileAttributes(d, r);
  }
  Status DeleteFile(const std::string& f) override { return target_->DeleteFile(f); }
  Status Truncate(const std::string& f, size_t size) override { return target_->Truncate(f, size); }
  Status CreateDir(const std::string& d) override { return target_->CreateDir(d); }
  Status CreateDirIfMissing(const std::string& d) override {
    return target_->CreateDirIfMissing(d);
  }
  Status DeleteDir(const std::string& d) override { return target_->DeleteDir(d); }
  Status GetFileSize(const std::string& f, uint64_t* size) override {
    return target_->GetFileSize(f, size);
  }
  Status GetFileModificationTime(const std::string& f, uint64_t* time) override {
    return target_->GetFileModificationTime(f, time);
  }
  Status RenameFile(const std::string& s, const std::string& t) override {
    return target_->RenameFile(s, t);
  }
  Status LinkFile(const std::string& s, const std::string& t) override {
    return target_->LinkFile(s, t);
  }
  Status NumFileLinks(const std::string& f, uint64_t* count) override {
    return target_->NumFileLinks(f, count);
  }
  Status AreFilesSame(const std::string& a, const std::string& b, bool* r) override {
    return target_->AreFilesSame(a, b, r);
  }
  Status LockFile(const std::string& f, FileLock** lock) override {
    return target_->LockFile(f, lock);
  }
  Status UnlockFile(FileLock* lock) override { return target_->UnlockFile(lock); }
  Status IsDirectory(const std::string& path, bool* is_dir) override {
    return target_->IsDirectory(path, is_dir);
  }
  Status GetFreeSpace(const std::string& path, uint64_t* bytes) override {
    return target_->GetFreeSpace(path, bytes);
  }
  Status GetAbsolutePath(const std::string& path, std::string* out) override {
    return target_->GetAbsolutePath(path, out);
  }
  Status GetTestDirectory(std::string* path) override { return target_->GetTestDirectory(path); }
  Status NewLogger(const std::string& f, std::shared_ptr<Logger>* r) override {
    return target_->NewLogger(f, r);
  }
  Status RegisterDbPaths(const std::vector<std::string>& paths) override {
    return target_->RegisterDbPaths(paths);
  }
  Status UnregisterDbPaths(const std::vector<std::string>& paths) override {
    return target_->UnregisterDbPaths(paths);
  }

  EnvOptions OptimizeForLogRead(const EnvOptions& o) const override {
    return target_->OptimizeForLogRead(o);
  }
  EnvOptions OptimizeForManifestRead(const EnvOptions& o) const override {
    return target_->OptimizeForManifestRead(o);
  }
  EnvOptions OptimizeForLogWrite(const EnvOptions& o, const DBOptions& db) const override {
    return target_->OptimizeForLogWrite(o, db);
  }
  EnvOptions OptimizeForManifestWrite(const EnvOptions& o) const override {
    return target_->OptimizeForManifestWrite(o);
  }
  EnvOptions OptimizeForCompactionTableWrite(const EnvOptions& o,
                                             const ImmutableDBOptions& db) const override {
    return target_->OptimizeForCompactionTableWrite(o, db);
  }
  EnvOptions OptimizeForCompactionTableRead(const EnvOptions& o,
                                            const ImmutableDBOptions& db) const override {
    return target_->OptimizeForCompactionTableRead(o, db);
  }
  EnvOptions OptimizeForBlobFileRead(const EnvOptions& o,
                                     const ImmutableDBOptions& db) const override {
    return target_->OptimizeForBlobFileRead(o, db);
  }
  void SanitizeEnvOptions(EnvOptions* options) const override {
    target_->SanitizeEnvOptions(options);
  }

  Status GetHostName(char* name, uint64_t len) override { return target_->GetHostName(name, len); }
  Status GetHostNameString(std::string* result) override {
    return target_->GetHostNameString(result);
  }
  std::string GenerateUniqueId() override { return target_->GenerateUniqueId(); }
  uint64_t GetThreadID() const override { return target_->GetThreadID(); }
  Status LoadLibrary(const std::string& name, const std::string& search_path,
                     std::shared_ptr<DynamicLibrary>* result) override {
    return target_->LoadLibrary(name, search_path, result);
  }
  void SetAllowNonOwnerAccess(bool allow) override { target_->SetAllowNonOwnerAccess(allow); }
  ThreadStatusUpdater* GetThreadStatusUpdater() const override {
    return target_->GetThreadStatusUpdater();
  }

  void Schedule(void (*function)(void* arg), void* arg, Priority pri = LOW, void* tag = nullptr,
                void (*unschedFunction)(void* arg) = nullptr) override {
    target_->Schedule(function, arg, pri, tag, unschedFunction);
  }
  int UnSchedule(void* tag, Priority pri) override { return target_->UnSchedule(tag, pri); }
  void StartThread(void (*function)(void* arg), void* arg) override {
    target_->StartThread(function, arg);
  }
  void WaitForJoin() override { target_->WaitForJoin(); }
  unsigned int GetThreadPoolQueueLen(Priority pri = LOW) const override {
    return target_->GetThreadPoolQueueLen(pri);
  }
  void SetBackgroundThreads(int number, Priority pri = LOW) override {
    target_->SetBackgroundThreads(number, pri);
  }
  int GetBackgroundThreads(Priority pri = LOW) override {
    return target_->GetBackgroundThreads(pri);
  }
  void IncBackgroundThreadsIfNeeded(int number, Priority pri) override {
    target_->IncBackgroundThreadsIfNeeded(number, pri);
  }
  int ReserveThreads(int number, Priority pri) override {
    return target_->ReserveThreads(number, pri);
  }
  int ReleaseThreads(int number, Priority pri) override {
    return target_->ReleaseThreads(number, pri);
  }
  void LowerThreadPoolIOPriority(Priority pool = LOW) override {
    target_->LowerThreadPoolIOPriority(pool);
  }
  void LowerThreadPoolCPUPriority(Priority pool = LOW) override {
    target_->LowerThreadPoolCPUPriority(pool);
  }
  Status LowerThreadPoolCPUPriority(Priority pool, CpuPriority pri) override {
    return target_->LowerThreadPoolCPUPriority(pool, pri);
  }
  Status GetThreadList(std::vector<ThreadStatus>* thread_list) override {
    return target_->GetThreadList(thread_list);
  }

 protected:
  std::string SerializeOptions(const ConfigOptions& config_options,
                               const std::string& header) const override;

 private:
  Target target_;
  const Env* files_of_;  // the target whose files file_system_ passes on
};

}  // namespace ROCKSDB_NAMESPACE
