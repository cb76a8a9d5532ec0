// Env: the default one, the one in memory, and the shorthands that pass on to its FileSystem.

#include "rocksdb/env.h"

#include <cstdio>
#include <utility>

#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/memory_file_system.h"
#include "fs/platform.h"
#include "fs/thread_list.h"
#include "fs/thread_pool.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

EnvOptions::EnvOptions(const DBOptions& options)
    : use_mmap_reads(options.allow_mmap_reads),
      use_mmap_writes(options.allow_mmap_writes),
      use_direct_reads(options.use_direct_reads),
      allow_fallocate(options.allow_fallocate),
      set_fd_cloexec(options.is_fd_close_on_exec),
      bytes_per_sync(options.bytes_per_sync),
      strict_bytes_per_sync(options.strict_bytes_per_sync),
      compaction_readahead_size(options.compaction_readahead_size),
      random_access_max_buffer_size(options.random_access_max_buffer_size),
      writable_file_max_buffer_size(options.writable_file_max_buffer_size),
      rate_limiter(options.rate_limiter.get()) {}

Env::Env(const std::shared_ptr<FileSystem>& fs) : file_system_(fs) {}

Env::~Env() = default;

Env* Env::Default() {
  static Env* const instance = new Env(FileSystem::Default());  // lives as long as the program
  return instance;
}

// ------------------------------------------------------------------------------------------------
// Time

uint64_t Env::NowMicros() { return fiber::wall_micros(); }

uint64_t Env::NowNanos() { return fiber::now_nanos(); }

uint64_t Env::NowCPUNanos() { return fiber::thread_cpu_nanos(); }

void Env::SleepForMicroseconds(int micros) {
  if (micros > 0) fiber::sleep_for(static_cast<uint64_t>(micros) * 1000);
}

Status Env::GetCurrentTime(int64_t* unix_time) {
  *unix_time = static_cast<int64_t>(fiber::wall_micros() / 1000000);
  return Status::OK();
}

std::string Env::TimeToString(uint64_t time) {
  struct tm local;
  char buf[64] = "";
  if (cairn::ToLocalTime(static_cast<int64_t>(time), &local)) {
    std::snprintf(buf, sizeof(buf), "%04d/%02d/%02d-%02d:%02d:%02d", local.tm_year + 1900,
                  local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
  }
  return buf;
}

// ------------------------------------------------------------------------------------------------
// Files

Status Env::FileExists(const std::string& fname) {
  return file_system_->FileExists(fname, IOOptions(), nullptr);
}

Status Env::GetChildren(const std::string& dir, std::vector<std::string>* result) {
  return file_system_->GetChildren(dir, IOOptions(), result, nullptr);
}

Status Env::GetChildrenFileAttributes(const std::string& dir, std::vector<FileAttributes>* result) {
  return file_system_->GetChildrenFileAttributes(dir, IOOptions(), result, nullptr);
}

Status Env::DeleteFile(const std::string& fname) {
  return file_system_->DeleteFile(fname, IOOptions(), nullptr);
}

Status Env::CreateDir(const std::string& dirname) {
  // style: the user's call
  return file_system_->CreateDir(dirname, IOOptions(), nullptr);
}

Status Env::CreateDirIfMissing(const std::string& dirname) {
  // style: the user's call
  return file_system_->CreateDirIfMissing(dirname, IOOptions(), nullptr);
}

Status Env::DeleteDir(const std::string& dirname) {
  return file_system_->DeleteDir(dirname, IOOptions(), nullptr);
}

Status Env::GetFileSize(const std::string& fname, uint64_t* file_size) {
  return file_system_->GetFileSize(fname, IOOptions(), file_size, nullptr);
}

Status Env::GetFileModificationTime(const std::string& fname, uint64_t* file_mtime) {
  return file_system_->GetFileModificationTime(fname, IOOptions(), file_mtime, nullptr);
}

Status Env::RenameFile(const std::string& src, const std::string& target) {
  return file_system_->RenameFile(src, target, IOOptions(), nullptr);
}

Status Env::LinkFile(const std::string& src, const std::string& target) {
  return file_system_->LinkFile(src, target, IOOptions(), nullptr);
}

Status Env::LockFile(const std::string& fname, FileLock** lock) {
  return file_system_->LockFile(fname, IOOptions(), lock, nullptr);
}

Status Env::UnlockFile(FileLock* lock) {
  return file_system_->UnlockFile(lock, IOOptions(), nullptr);
}

Status Env::IsDirectory(const std::string& path, bool* is_dir) {
  return file_system_->IsDirectory(path, IOOptions(), is_dir, nullptr);
}

Status Env::GetFreeSpace(const std::string& path, uint64_t* bytes) {
  return file_system_->GetFreeSpace(path, IOOptions(), bytes, nullptr);
}

Status Env::GetAbsolutePath(const std::string& db_path, std::string* output_path) {
  return file_system_->GetAbsolutePath(db_path, IOOptions(), output_path, nullptr);
}

Status Env::GetTestDirectory(std::string* path) {
  return file_system_->GetTestDirectory(IOOptions(), path, nullptr);
}

Status Env::NewLogger(const std::string& fname, std::shared_ptr<Logger>* result) {
  return file_system_->NewLogger(fname, IOOptions(), result, nullptr);
}

// ------------------------------------------------------------------------------------------------
// The rest

Status Env::GetHostName(char* name, uint64_t len) {
  if (!cairn::HostName(name, static_cast<size_t>(len))) {
    return Status::IOError("gethostname", "the name does not fit or cannot be had");
  }
  return Status::OK();
}

Status Env::GetHostNameString(std::string* result) {
  char name[256];
  Status s = GetHostName(name, sizeof(name));
  if (s.ok()) *result = name;
  return s;
}

std::string Env::GenerateUniqueId() { return cairn::GenerateDbId(); }

uint64_t Env::GetThreadID() const { return fiber::current_thread_id(); }

Status Env::GetThreadList(std::vector<ThreadStatus>* thread_list) {
  *thread_list = cairn::ListThreads();
  return Status::OK();
}

// ------------------------------------------------------------------------------------------------
// Functions in the background

namespace {

// Of all Envs of the process.
struct BackgroundThreads {
  cairn::ThreadPool pools[Env::TOTAL] = {{"env:bottom", Env::BOTTOM, 0},
                                         {"env:low", Env::LOW, 0},
                                         {"env:high", Env::HIGH, 0},
                                         {"env:user", Env::USER, 0}};
  fiber::Mutex mutex;
  std::vector<fiber::Thread> started FIBER_GUARDED_BY(mutex);  // by StartThread
};

BackgroundThreads& Threads() {
  static auto& instance = *new BackgroundThreads;  // lives as long as the program
  return instance;
}

// Null: there is no such pool.
cairn::ThreadPool* PoolOf(Env::Priority pri) {
  return pri >= Env::BOTTOM && pri < Env::TOTAL ? &Threads().pools[pri] : nullptr;
}

}  // namespace

void Env::Schedule(void (*function)(void* arg), void* arg, Priority pri, void* tag,
                   void (*unschedFunction)(void* arg)) {
  cairn::ThreadPool* const pool = PoolOf(pri);
  if (pool == nullptr) return;
  fiber::Function instead;
  if (unschedFunction != nullptr) instead = [unschedFunction, arg] { unschedFunction(arg); };
  pool->Schedule([function, arg] { function(arg); }, tag, std::move(instead));
}

int Env::UnSchedule(void* tag, Priority pri) {
  cairn::ThreadPool* const pool = PoolOf(pri);
  return pool == nullptr ? 0 : pool->Unschedule(tag);
}

void Env::StartThread(void (*function)(void* arg), void* arg) {
  BackgroundThreads& threads = Threads();
  fiber::MutexLock lock(&threads.mutex);
  threads.started.emplace_back("env:started", [function, arg] { function(arg); });
}

void Env::WaitForJoin() {
  BackgroundThreads& threads = Threads();
  std::vector<fiber::Thread> started;
  {
    fiber::MutexLock lock(&threads.mutex);
    started.swap(threads.started);
  }
  for (fiber::Thread& thread : started) thread.join();
}

unsigned int Env::GetThreadPoolQueueLen(Priority pri) const {
  const cairn::ThreadPool* const pool = PoolOf(pri);
  return pool == nullptr ? 0 : static_cast<unsigned int>(pool->queue_length());
}

void Env::SetBackgroundThreads(int number, Priority pri) {
  if (cairn::ThreadPool* const pool = PoolOf(pri)) pool->SetLimit(number);
}

Status Env::LowerThreadPoolCPUPriority(Priority /*pool*/, CpuPriority /*pri*/) {
  return Status::NotSupported(
      "Env::LowerThreadPoolCPUPriority(Priority, CpuPriority) not supported");
}

int Env::GetBackgroundThreads(Priority pri) {
  const cairn::ThreadPool* const pool = PoolOf(pri);
  return pool == nullptr ? 0 : pool->limit();
}

void Env::IncBackgroundThreadsIfNeeded(int number, Priority pri) {
  if (cairn::ThreadPool* const pool = PoolOf(pri)) pool->RaiseLimit(number);
}

std::string Env::PriorityToString(Priority priority) {
  switch (priority) {
    case BOTTOM:
      return "Bottom";
    case LOW:
      return "Low";
    case HIGH:
      return "High";
    case USER:
      return "User";
    case TOTAL:
      break;
  }
  return "Invalid";
}

EnvWrapper::EnvWrapper(Env* target) : Env(target->GetFileSystem()), target_(target) {}

EnvWrapper::EnvWrapper(std::unique_ptr<Env>&& target)
    : EnvWrapper(std::shared_ptr<Env>(std::move(target))) {}

EnvWrapper::EnvWrapper(const std::shared_ptr<Env>& target)
    : Env(target->GetFileSystem()), owned_(target), target_(target.get()) {}

EnvWrapper::~EnvWrapper() = default;

FileLock::~FileLock() = default;

Status WriteStringToFile(Env* env, const Slice& data, const std::string& fname, bool should_sync) {
  return cairn::WriteStringToFile(env->GetFileSystem().get(), data, fname, should_sync);
}

Status ReadFileToString(Env* env, const std::string& fname, std::string* data) {
  return cairn::ReadFileToString(env->GetFileSystem().get(), fname, data);
}

Env* NewMemEnv(Env* /*base_env*/) {
  return new Env(
      std::make_shared<cairn::MemoryFileSystem>(cairn::MemoryFileSystem::Durability::kUntracked));
}

std::unique_ptr<Env> NewCompositeEnv(const std::shared_ptr<FileSystem>& fs) {
  return std::make_unique<Env>(fs);
}

Status NewEnvLogger(const std::string& fname, Env* env, std::shared_ptr<Logger>* result) {
  return cairn::NewFileLogger(env->GetFileSystem().get(), fname, result);
}

}  // namespace ROCKSDB_NAMESPACE
