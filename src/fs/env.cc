// Env: the default one, the one in memory, and the functions that pass on to its FileSystem.

#include "rocksdb/env.h"

#include <cstdio>
#include <utility>

#include "base/per_process.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/env_file_system.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/memory_file_system.h"
#include "fs/platform.h"
#include "fs/thread_list.h"
#include "fs/thread_pool.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"

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

Env::Env(const std::shared_ptr<FileSystem>& fs) : Env(fs, SystemClock::Default()) {}

Env::Env(const std::shared_ptr<FileSystem>& fs, const std::shared_ptr<SystemClock>& clock)
    : file_system_(fs), system_clock_(clock), own_files_(fs.get()) {}

Env::Env() : Env(static_cast<const Env*>(nullptr)) {}

Env::Env(const Env* target)
    : file_system_(std::make_shared<cairn::EnvFileSystem>(
          this, target == nullptr ? nullptr : target->GetFileSystem())),
      system_clock_(std::make_shared<cairn::EnvClock>(this)),
      own_files_(nullptr) {}

Env::~Env() = default;
DynamicLibrary::~DynamicLibrary() = default;

const std::shared_ptr<SystemClock>& Env::GetSystemClock() const { return system_clock_; }

Env* Env::Default() {
  static Env* const instance = new Env(FileSystem::Default());  // lives as long as the program
  return instance;
}

// ------------------------------------------------------------------------------------------------
// Time

// Of an Env over a FileSystem its clock's; else, where they are not overridden, the default one's.
SystemClock& Env::OwnClock() const {
  return own_files_ == nullptr ? *SystemClock::Default() : *system_clock_;
}

uint64_t Env::NowMicros() { return OwnClock().NowMicros(); }

uint64_t Env::NowNanos() { return OwnClock().NowNanos(); }

uint64_t Env::NowCPUNanos() { return OwnClock().CPUNanos(); }

void Env::SleepForMicroseconds(int micros) { OwnClock().SleepForMicroseconds(micros); }

Status Env::GetCurrentTime(int64_t* unix_time) { return OwnClock().GetCurrentTime(unix_time); }

std::string Env::TimeToString(uint64_t time) { return OwnClock().TimeToString(time); }

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

Status Env::LoadLibrary(const std::string& lib_name, const std::string& /*search_path*/,
                        std::shared_ptr<DynamicLibrary>* /*result*/) {
  return Status::NotSupported("LoadLibrary is not implemented in this Env", lib_name);
}

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
  static constinit cairn::PerProcess<BackgroundThreads> threads;
  return threads.Get();
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

std::string Env::IOActivityToString(IOActivity activity) {
  switch (activity) {
    case IOActivity::kFlush:
      return "Flush";
    case IOActivity::kCompaction:
      return "Compaction";
    case IOActivity::kDBOpen:
      return "DBOpen";
    case IOActivity::kGet:
      return "Get";
    case IOActivity::kMultiGet:
      return "MultiGet";
    case IOActivity::kDBIterator:
      return "DBIterator";
    case IOActivity::kVerifyDBChecksum:
      return "VerifyDBChecksum";
    case IOActivity::kVerifyFileChecksums:
      return "VerifyFileChecksums";
    case IOActivity::kGetEntity:
      return "GetEntity";
    case IOActivity::kMultiGetEntity:
      return "MultiGetEntity";
    case IOActivity::kGetFileChecksumsFromCurrentManifest:
      return "GetFileChecksumsFromCurrentManifest";
    default:
      break;
  }
  if (activity < IOActivity::kFirstCustomIOActivity ||
      activity > IOActivity::kLastCustomIOActivity) {
    return "Unknown";
  }
  char text[32];
  std::snprintf(text, sizeof(text), "CustomIOActivity%02X", static_cast<unsigned>(activity));
  return text;
}

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
