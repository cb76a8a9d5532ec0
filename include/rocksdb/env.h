// Env: the operating system as a database sees it: a FileSystem, the time, and a logger. In Cairn
// it is a thin handle: files are reached through the FileSystem that it holds, so a test that wants
// to intercept them wraps a FileSystem and makes an Env of it with NewCompositeEnv(). Env's own
// functions are therefore not virtual, but for those that run functions in the background, or list
// the threads that do.
//
// Also here: Logger, which the LOG file and users' own logs implement, and the Log functions.
//
// Env and Logger are thread-safe.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/thread_status.h"

#if defined(__MINGW32__)
#define ROCKSDB_PRINTF_FORMAT_ATTR(at, dots) __attribute__((__format__(__gnu_printf__, at, dots)))
#elif defined(__GNUC__) || defined(__clang__)
#define ROCKSDB_PRINTF_FORMAT_ATTR(at, dots) __attribute__((__format__(__printf__, at, dots)))
#else
#define ROCKSDB_PRINTF_FORMAT_ATTR(at, dots)
#endif
// Where <windows.h> came first it has these as macros.
#undef DeleteFile
#undef GetCurrentTime
#undef GetFreeSpace
namespace ROCKSDB_NAMESPACE {

class FileLock;
class FileSystem;
class Logger;
class RateLimiter;
class SystemClock;  // rocksdb/system_clock.h
struct ConfigOptions;
struct DBOptions;

// Of background threads, lowest first.
enum class CpuPriority { kIdle = 0, kLow = 1, kNormal = 2, kHigh = 3 };

const size_t kDefaultPageSize = 4 * 1024;

// How files are opened and written; FileOptions (file_system.h) adds to it.
struct EnvOptions {
  EnvOptions() = default;
  // Takes over what DBOptions says about files.
  explicit EnvOptions(const DBOptions& options);

  bool use_mmap_reads = false;
  bool use_mmap_writes = false;
  bool use_direct_reads = false;
  bool use_direct_writes = false;
  bool allow_fallocate = true;
  bool set_fd_cloexec = true;
  // Start writing back after this many bytes; 0: leave it to the operating system.
  uint64_t bytes_per_sync = 0;
  bool strict_bytes_per_sync = false;
  bool fallocate_with_keep_size = true;
  // Bytes.
  size_t compaction_readahead_size = 0;
  size_t random_access_max_buffer_size = 1024 * 1024;
  size_t writable_file_max_buffer_size = 1024 * 1024;
  RateLimiter* rate_limiter = nullptr;
};

class Env : public Customizable {
 public:
  struct FileAttributes {
    std::string name;
    uint64_t size_bytes;
  };

  // Expected life time of a file's data; a hint.
  enum WriteLifeTimeHint {
    WLTH_NOT_SET = 0,
    WLTH_NONE,
    WLTH_SHORT,
    WLTH_MEDIUM,
    WLTH_LONG,
    WLTH_EXTREME,
  };

  // Pools of background threads.
  enum Priority { BOTTOM, LOW, HIGH, USER, TOTAL };

  // What reads and writes of files are for (RocksDB 8). From 0x80 to 0xFE: the user's own.
  enum class IOActivity : uint8_t {
    kFlush = 0,
    kCompaction = 1,
    kDBOpen = 2,
    kGet = 3,
    kMultiGet = 4,
    kDBIterator = 5,
    kVerifyDBChecksum = 6,
    kVerifyFileChecksums = 7,
    kGetEntity = 8,
    kMultiGetEntity = 9,
    kGetFileChecksumsFromCurrentManifest = 10,
    kFirstCustomIOActivity = 0x80,
    kLastCustomIOActivity = 0xFE,
    kUnknown = 0xFF,
  };

  // Priorities at a rate limiter; IO_TOTAL: not limited.
  enum IOPriority { IO_LOW = 0, IO_MID = 1, IO_HIGH = 2, IO_USER = 3, IO_TOTAL = 4 };

  explicit Env(const std::shared_ptr<FileSystem>& fs);
  Env(const Env&) = delete;
  void operator=(const Env&) = delete;
  ~Env() override;

  static const char* Type() { return "Environment"; }
  static const char* kDefaultName() { return "DefaultEnv"; }
  const char* Name() const override { return "CompositeEnv"; }

  // The operating system's files, through fiber I/O. Lives as long as the program; do not delete.
  static Env* Default();

  // The Env that `value` names: Default() for kDefaultName() and "", else made by a registered
  // factory (utilities/object_registry.h). *guard owns it; null: it lives for ever. Without `guard`
  // only such a one can be had. Errors as FileSystem::CreateFromString().
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 Env** result);
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 Env** result, std::shared_ptr<Env>* guard);
  // From at most one of the two: the Env that `env_uri` names, or one over the file system that
  // `fs_uri` names. With neither config_options.env. InvalidArgument if both are given; an unknown
  // file system is always NotSupported.
  static Status CreateFromUri(const ConfigOptions& config_options, const std::string& env_uri,
                              const std::string& fs_uri, Env** result, std::shared_ptr<Env>* guard);

  const std::shared_ptr<FileSystem>& GetFileSystem() const { return file_system_; }

  // --- Time ---
  // The functions below as an object: SystemClock::Default().
  const std::shared_ptr<SystemClock>& GetSystemClock() const;
  // Microseconds since 1970.
  uint64_t NowMicros();
  // Nanoseconds of a clock that never goes back, from an arbitrary start.
  uint64_t NowNanos();
  // Nanoseconds of CPU that the calling thread has used.
  uint64_t NowCPUNanos();
  // Parks the fiber, or blocks the thread outside a fiber. SUSPENDS.
  void SleepForMicroseconds(int micros);
  // Seconds since 1970.
  Status GetCurrentTime(int64_t* unix_time);
  // `time` in seconds since 1970 as local "2026/11/21-18:04:05".
  std::string TimeToString(uint64_t time);

  // --- Files: shorthands for the same functions of GetFileSystem(). SUSPEND. ---
  Status FileExists(const std::string& fname);
  Status GetChildren(const std::string& dir, std::vector<std::string>* result);
  Status GetChildrenFileAttributes(const std::string& dir, std::vector<FileAttributes>* result);
  Status DeleteFile(const std::string& fname);
  Status CreateDir(const std::string& dirname);
  Status CreateDirIfMissing(const std::string& dirname);
  Status DeleteDir(const std::string& dirname);
  Status GetFileSize(const std::string& fname, uint64_t* file_size);
  Status GetFileModificationTime(const std::string& fname, uint64_t* file_mtime);
  Status RenameFile(const std::string& src, const std::string& target);
  Status LinkFile(const std::string& src, const std::string& target);
  Status LockFile(const std::string& fname, FileLock** lock);
  Status UnlockFile(FileLock* lock);
  Status IsDirectory(const std::string& path, bool* is_dir);
  Status GetFreeSpace(const std::string& path, uint64_t* bytes);
  Status GetAbsolutePath(const std::string& db_path, std::string* output_path);
  // A directory for tests that exists and can be written: $TEST_TMPDIR, or one of the user's under
  // /tmp.
  Status GetTestDirectory(std::string* path);
  // A logger that writes text lines to a new file.
  Status NewLogger(const std::string& fname, std::shared_ptr<Logger>* result);

  // --- The rest ---
  Status GetHostName(char* name, uint64_t len);
  Status GetHostNameString(std::string* result);
  // A random UUID in text.
  std::string GenerateUniqueId();
  uint64_t GetThreadID() const;

  // --- Functions in the background. The pools are the process's: all Envs share them. A database
  // has threads of its own (DBOptions::max_background_jobs), unless its Env is of a class of the
  // user's (see EnvWrapper): then that one's Schedule runs its flushes (HIGH) and compactions
  // (LOW), as in RocksDB.
  // Runs function(arg) on a thread of the pool, in the order of coming. `tag`, `unschedFunction`:
  // see UnSchedule.
  virtual void Schedule(void (*function)(void* arg), void* arg, Priority pri = LOW,
                        void* tag = nullptr, void (*unschedFunction)(void* arg) = nullptr);
  // Drops what was scheduled with this tag and has not started, and calls its unschedFunction
  // instead, if it has one. Returns how many there were.
  virtual int UnSchedule(void* tag, Priority pri);
  // Runs function(arg) on a thread of its own, which WaitForJoin waits for.
  virtual void StartThread(void (*function)(void* arg), void* arg);
  // The same with any function and arguments, which are copied.
  template <typename Function, typename... Args>
  void StartThreadTyped(Function function, Args&&... args) {
    using Call = std::function<void()>;
    StartThread(
        [](void* arg) {
          const std::unique_ptr<Call> call(static_cast<Call*>(arg));
          (*call)();
        },
        new Call(std::bind(std::move(function), std::forward<Args>(args)...)));
  }
  // Returns when every thread that StartThread started has ended. SUSPENDS.
  virtual void WaitForJoin();
  // How many functions wait for a thread.
  virtual unsigned int GetThreadPoolQueueLen(Priority pri = LOW) const;
  // The number of threads of a pool. At first there are none: functions wait until somebody gives
  // it some, as each database that is opened does for HIGH and LOW.
  virtual void SetBackgroundThreads(int number, Priority pri = LOW);
  virtual int GetBackgroundThreads(Priority pri = LOW);
  virtual void IncBackgroundThreadsIfNeeded(int number, Priority pri);
  // The background threads of the process, and what those of databases that were opened with
  // DBOptions::enable_thread_tracking do: rocksdb/thread_status.h.
  virtual Status GetThreadList(std::vector<ThreadStatus>* thread_list);
  // Hints that an Env of one's own may take. Cairn's leaves its threads at the program's priority:
  // the first two have no effect, the last is NotSupported.
  virtual void LowerThreadPoolIOPriority(Priority /*pool*/ = LOW) {}
  virtual void LowerThreadPoolCPUPriority(Priority /*pool*/ = LOW) {}
  virtual Status LowerThreadPoolCPUPriority(Priority pool, CpuPriority pri);
  static std::string PriorityToString(Priority priority);

 private:
  const std::shared_ptr<FileSystem> file_system_;
};

// An Env over another one, to derive from: each virtual function calls the other's. Files are those
// of the other's FileSystem.
class EnvWrapper : public Env {
 public:
  // The target is borrowed, owned or shared.
  explicit EnvWrapper(Env* target);
  explicit EnvWrapper(std::unique_ptr<Env>&& target);
  explicit EnvWrapper(const std::shared_ptr<Env>& target);
  ~EnvWrapper() override;

  const char* Name() const override { return "EnvWrapper"; }
  Env* target() const { return target_; }

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

 private:
  const std::shared_ptr<Env> owned_;  // null: borrowed
  Env* const target_;
};

enum InfoLogLevel : unsigned char {
  DEBUG_LEVEL = 0,
  INFO_LEVEL,
  WARN_LEVEL,
  ERROR_LEVEL,
  FATAL_LEVEL,
  HEADER_LEVEL,
  NUM_INFO_LOG_LEVELS,
};

// Receives the lines of a database's log. Implementations must be thread-safe.
class Logger {
 public:
  // What GetLogFileSize() returns when there is no such size.
  static constexpr size_t kDoNotSupportGetLogFileSize = (std::numeric_limits<size_t>::max)();

  explicit Logger(const InfoLogLevel log_level = InfoLogLevel::INFO_LEVEL)
      : log_level_(log_level) {}
  Logger(const Logger&) = delete;
  void operator=(const Logger&) = delete;
  virtual ~Logger();

  // Ends the log; further lines are dropped. OK if closed before.
  virtual Status Close();

  // One line of the preamble that is repeated in every file of a rolling log.
  virtual void LogHeader(const char* format, va_list ap) {
    Logv(InfoLogLevel::INFO_LEVEL, format, ap);
  }

  // One line without a level, as vprintf takes it. Implement this one (or both).
  virtual void Logv(const char* /*format*/, va_list /*ap*/) {}

  // One line; dropped if the level is below GetInfoLogLevel(). Prefixes the level's name unless it
  // is INFO.
  virtual void Logv(const InfoLogLevel log_level, const char* format, va_list ap);

  virtual size_t GetLogFileSize() const { return kDoNotSupportGetLogFileSize; }
  virtual void Flush() {}
  virtual InfoLogLevel GetInfoLogLevel() const { return log_level_; }
  virtual void SetInfoLogLevel(const InfoLogLevel log_level) { log_level_ = log_level; }

 protected:
  virtual Status CloseImpl();
  bool closed_ = false;

 private:
  InfoLogLevel log_level_;
};

// A held LOCK file; made by LockFile(), given back by UnlockFile().
class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  void operator=(const FileLock&) = delete;
  virtual ~FileLock();
};

// printf-style logging; a null logger drops the line.
extern void Log(const InfoLogLevel log_level, const std::shared_ptr<Logger>& info_log,
                const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(3, 4);
extern void Log(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Header(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Debug(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Info(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Warn(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Error(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Fatal(const std::shared_ptr<Logger>& info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void LogFlush(const std::shared_ptr<Logger>& info_log);

extern void Log(const InfoLogLevel log_level, Logger* info_log, const char* format, ...)
    ROCKSDB_PRINTF_FORMAT_ATTR(3, 4);
extern void Log(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Header(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Debug(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Info(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Warn(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Error(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void Fatal(Logger* info_log, const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
extern void LogFlush(Logger* info_log);

// Replaces the file `fname` by `data` (with should_sync: durably).
extern Status WriteStringToFile(Env* env, const Slice& data, const std::string& fname,
                                bool should_sync = false);
// The whole file; *data is empty on error.
extern Status ReadFileToString(Env* env, const std::string& fname, std::string* data);

// An Env whose files live in memory. The caller owns it; `base_env` gives the time and may be null.
Env* NewMemEnv(Env* base_env);

// An Env over another one, which is borrowed, that adds to PerfContext's env_..._nanos what the
// operations on its files took (of a thread or fiber with PerfLevel::kEnableTime or more). The
// caller owns it.
Env* NewTimedEnv(Env* base_env);

// An Env over any FileSystem.
std::unique_ptr<Env> NewCompositeEnv(const std::shared_ptr<FileSystem>& fs);

// A logger to a new file of `env`.
Status NewEnvLogger(const std::string& fname, Env* env, std::shared_ptr<Logger>* result);

}  // namespace ROCKSDB_NAMESPACE
