// Env: the operating system as a database sees it: files, the time, background threads, a logger.
//
// A database reaches files through the FileSystem that its Env has. One that is made over a
// FileSystem passes its own functions on to it; whoever wants to intercept files does best to wrap
// a FileSystem (file_system.h) and make an Env of it with NewCompositeEnv(). An Env of one's own,
// derived from Env or EnvWrapper, may instead have functions for files: its FileSystem then is one
// that calls these. Files that it hands on from an Env over a FileSystem, as EnvWrapper does, are
// that one's, with all that they can.
//
// Also here: Logger, which the LOG file and users' own logs implement, and the Log functions. The
// files of an Env: env_files.h.
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
#undef LoadLibrary
namespace ROCKSDB_NAMESPACE {

class Directory;
class DynamicLibrary;
class FileLock;
class FileSystem;
class Logger;
class MemoryMappedFileBuffer;
class RandomAccessFile;
class RandomRWFile;
class RateLimiter;
class SequentialFile;
class SystemClock;          // rocksdb/system_clock.h
class ThreadStatusUpdater;  // RocksDB's own; there is none here
class WritableFile;
struct ConfigOptions;
struct DBOptions;
struct ImmutableDBOptions;  // what an open database has of DBOptions; not for programs

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

  // For an Env of one's own: what it does not override of files is NotSupported. (In RocksDB most
  // of those are pure virtual.)
  Env();
  explicit Env(const std::shared_ptr<FileSystem>& fs);
  Env(const std::shared_ptr<FileSystem>& fs, const std::shared_ptr<SystemClock>& clock);
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

  // RocksDB's older name of CreateFromString().
  static Status LoadEnv(const std::string& value, Env** env);
  static Status LoadEnv(const std::string& value, Env** env, std::shared_ptr<Env>* guard);

  const std::shared_ptr<FileSystem>& GetFileSystem() const { return file_system_; }

  // --- Time. (Databases take it from the operating system, or from a simulation, in any case.) ---
  // The functions below as an object.
  const std::shared_ptr<SystemClock>& GetSystemClock() const;
  // Microseconds since 1970.
  virtual uint64_t NowMicros();
  // Nanoseconds of a clock that never goes back, from an arbitrary start.
  virtual uint64_t NowNanos();
  // Nanoseconds of CPU that the calling thread has used.
  virtual uint64_t NowCPUNanos();
  // Parks the fiber, or blocks the thread outside a fiber. SUSPENDS.
  virtual void SleepForMicroseconds(int micros);
  // Seconds since 1970.
  virtual Status GetCurrentTime(int64_t* unix_time);
  // `time` in seconds since 1970 as local "2026/11/21-18:04:05".
  virtual std::string TimeToString(uint64_t time);

  // --- Files: as the same functions of FileSystem, which say more. SUSPEND. ---
  virtual Status NewSequentialFile(const std::string& fname,
                                   std::unique_ptr<SequentialFile>* result,
                                   const EnvOptions& options);
  virtual Status NewRandomAccessFile(const std::string& fname,
                                     std::unique_ptr<RandomAccessFile>* result,
                                     const EnvOptions& options);
  virtual Status NewWritableFile(const std::string& fname, std::unique_ptr<WritableFile>* result,
                                 const EnvOptions& options);
  virtual Status ReopenWritableFile(const std::string& fname, std::unique_ptr<WritableFile>* result,
                                    const EnvOptions& options);
  virtual Status ReuseWritableFile(const std::string& fname, const std::string& old_fname,
                                   std::unique_ptr<WritableFile>* result,
                                   const EnvOptions& options);
  // For reading and writing a file that exists.
  virtual Status NewRandomRWFile(const std::string& fname, std::unique_ptr<RandomRWFile>* result,
                                 const EnvOptions& options);
  // NotSupported, unless the FileSystem has it.
  virtual Status NewMemoryMappedFileBuffer(const std::string& fname,
                                           std::unique_ptr<MemoryMappedFileBuffer>* result);
  virtual Status NewDirectory(const std::string& name, std::unique_ptr<Directory>* result);
  virtual Status FileExists(const std::string& fname);
  virtual Status GetChildren(const std::string& dir, std::vector<std::string>* result);
  virtual Status GetChildrenFileAttributes(const std::string& dir,
                                           std::vector<FileAttributes>* result);
  virtual Status DeleteFile(const std::string& fname);
  virtual Status Truncate(const std::string& fname, size_t size);
  virtual Status CreateDir(const std::string& dirname);
  virtual Status CreateDirIfMissing(const std::string& dirname);
  virtual Status DeleteDir(const std::string& dirname);
  virtual Status GetFileSize(const std::string& fname, uint64_t* file_size);
  virtual Status GetFileModificationTime(const std::string& fname, uint64_t* file_mtime);
  virtual Status RenameFile(const std::string& src, const std::string& target);
  virtual Status LinkFile(const std::string& src, const std::string& target);
  virtual Status NumFileLinks(const std::string& fname, uint64_t* count);
  virtual Status AreFilesSame(const std::string& first, const std::string& second, bool* result);
  virtual Status LockFile(const std::string& fname, FileLock** lock);
  virtual Status UnlockFile(FileLock* lock);
  virtual Status IsDirectory(const std::string& path, bool* is_dir);
  virtual Status GetFreeSpace(const std::string& path, uint64_t* bytes);
  virtual Status GetAbsolutePath(const std::string& db_path, std::string* output_path);
  // A directory for tests that exists and can be written: $TEST_TMPDIR, or one of the user's under
  // /tmp.
  virtual Status GetTestDirectory(std::string* path);
  // A logger that writes text lines to a new file.
  virtual Status NewLogger(const std::string& fname, std::shared_ptr<Logger>* result);
  // Of directories where a database has, or no longer has, files. No effect unless overridden.
  virtual Status RegisterDbPaths(const std::vector<std::string>& /*paths*/) { return Status::OK(); }
  virtual Status UnregisterDbPaths(const std::vector<std::string>& /*paths*/) {
    return Status::OK();
  }

  // How a database opens its files of each kind, from how it would open any: FileSystem's
  // functions of these names.
  virtual EnvOptions OptimizeForLogRead(const EnvOptions& env_options) const;
  virtual EnvOptions OptimizeForManifestRead(const EnvOptions& env_options) const;
  virtual EnvOptions OptimizeForLogWrite(const EnvOptions& env_options,
                                         const DBOptions& db_options) const;
  virtual EnvOptions OptimizeForManifestWrite(const EnvOptions& env_options) const;
  virtual EnvOptions OptimizeForCompactionTableWrite(const EnvOptions& env_options,
                                                     const ImmutableDBOptions& db_options) const;
  virtual EnvOptions OptimizeForCompactionTableRead(const EnvOptions& env_options,
                                                    const ImmutableDBOptions& db_options) const;
  virtual EnvOptions OptimizeForBlobFileRead(const EnvOptions& env_options,
                                             const ImmutableDBOptions& db_options) const;
  // No effect unless overridden.
  virtual void SanitizeEnvOptions(EnvOptions* /*env_options*/) const {}

  // --- The rest ---
  virtual Status GetHostName(char* name, uint64_t len);
  virtual Status GetHostNameString(std::string* result);
  // A random UUID in text.
  virtual std::string GenerateUniqueId();
  virtual uint64_t GetThreadID() const;
  // NotSupported unless overridden: link what is needed into the program.
  virtual Status LoadLibrary(const std::string& lib_name, const std::string& search_path,
                             std::shared_ptr<DynamicLibrary>* result);
  // Whether others than the owner may use files that are made from now on. No effect unless
  // overridden: they get the permissions that the process' umask leaves.
  virtual void SetAllowNonOwnerAccess(bool /*allow_non_owner_access*/) {}
  // Null: databases of Cairn tell of their threads by themselves, see GetThreadList().
  virtual ThreadStatusUpdater* GetThreadStatusUpdater() const { return nullptr; }

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
  // Keeps threads of a pool free for the caller, and gives them back: how many there were. None
  // unless overridden.
  virtual int ReserveThreads(int /*threads_to_be_reserved*/, Priority /*pri*/) { return 0; }
  virtual int ReleaseThreads(int /*threads_to_be_released*/, Priority /*pri*/) { return 0; }
  // The background threads of the process, and what those of databases that were opened with
  // DBOptions::enable_thread_tracking do: rocksdb/thread_status.h.
  virtual Status GetThreadList(std::vector<ThreadStatus>* thread_list);
  // Hints that an Env of one's own may take. Cairn's leaves its threads at the program's priority:
  // the first two have no effect, the last is NotSupported.
  virtual void LowerThreadPoolIOPriority(Priority /*pool*/ = LOW) {}
  virtual void LowerThreadPoolCPUPriority(Priority /*pool*/ = LOW) {}
  virtual Status LowerThreadPoolCPUPriority(Priority pool, CpuPriority pri);
  static std::string PriorityToString(Priority priority);
  static std::string IOActivityToString(IOActivity activity);

 protected:
  // What GetFileSystem() and GetSystemClock() say.
  std::shared_ptr<FileSystem> file_system_;
  std::shared_ptr<SystemClock> system_clock_;

 private:
  friend class EnvWrapper;
  // Over `target`, whose files are passed on.
  explicit Env(const Env* target);
  SystemClock& OwnClock() const;

  FileSystem* const own_files_;  // what the functions for files do; null: each is NotSupported
};

// Functions of a library that was loaded.
class DynamicLibrary {
 public:
  virtual ~DynamicLibrary();

  virtual const char* Name() const = 0;
  template <typename T>
  Status LoadFunction(const std::string& sym_name, std::function<T>* function) {
    *function = nullptr;
    void* address = nullptr;
    Status s = LoadSymbol(sym_name, &address);
    if (s.ok()) *function = reinterpret_cast<T*>(address);
    return s;
  }
  virtual Status LoadSymbol(const std::string& sym_name, void** func) = 0;
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

  static constexpr InfoLogLevel kDefaultLogLevel = InfoLogLevel::INFO_LEVEL;

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

// Passes everything on to another log, which it borrows.
class LoggerWrapper : public Logger {
 public:
  explicit LoggerWrapper(Logger* target) : target_(target) {}

  Status Close() override { return target_->Close(); }
  void LogHeader(const char* format, va_list ap) override { target_->LogHeader(format, ap); }
  void Logv(const char* format, va_list ap) override { target_->Logv(format, ap); }
  void Logv(const InfoLogLevel log_level, const char* format, va_list ap) override {
    target_->Logv(log_level, format, ap);
  }
  size_t GetLogFileSize() const override { return target_->GetLogFileSize(); }
  void Flush() override { target_->Flush(); }
  InfoLogLevel GetInfoLogLevel() const override { return target_->GetInfoLogLevel(); }
  void SetInfoLogLevel(const InfoLogLevel log_level) override {
    target_->SetInfoLogLevel(log_level);
  }

 private:
  Logger* target_;
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

#include "rocksdb/env_files.h"
#include "rocksdb/env_wrapper.h"
