#include "fs/info_log.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#include "base/perf.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/platform.h"
#include "rocksdb/env_encryption.h"

namespace cairn {

namespace {

constexpr size_t kStackLine = 512;  // a fiber's stack is small
constexpr size_t kMaxLine = 64 << 10;

// "2026/11/21-21:43:11.123456 7f81c2a4e6c0 " and the message, with one newline at the end.
std::string FormatLine(uint64_t micros, const char* format, va_list ap) {
  struct tm local;
  ToLocalTime(static_cast<int64_t>(micros / 1000000), &local);
  char head[80];
  std::snprintf(head, sizeof(head), "%04d/%02d/%02d-%02d:%02d:%02d.%06d %llx ",
                local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min,
                local.tm_sec, static_cast<int>(micros % 1000000),
                static_cast<unsigned long long>(fiber::current_thread_id()));
  std::string line = head;
  const size_t prefix = line.size();
  line.resize(prefix + kStackLine);
  va_list again;
  va_copy(again, ap);
  const int n = std::vsnprintf(line.data() + prefix, kStackLine, format, ap);
  const size_t length = n < 0 ? 0 : std::min(static_cast<size_t>(n), kMaxLine);
  if (length >= kStackLine) {
    line.resize(prefix + length + 1);
    std::vsnprintf(line.data() + prefix, length + 1, format, again);
  }
  va_end(again);
  line.resize(prefix + length);
  if (line.back() != '\n') line.push_back('\n');
  return line;
}

// How the file is replaced while it grows. Without it the log never rolls.
struct Rolling {
  std::string dbname;
  InfoLogOptions options;
};

// Moves LOG aside and removes the oldest of those moved before, keeping `keep_files` in all.
Status SetAside(FileSystem* fs, const std::string& dbname, const InfoLogOptions& options) {
  const std::string current = InfoLogFileName(dbname, options.log_dir);
  const size_t slash = current.rfind('/');
  const std::string dir = current.substr(0, slash);
  const std::string base = current.substr(slash + 1);
  if (fs->FileExists(current, IOOptions(), nullptr).ok()) {
    // Two opens in one microsecond must not lose a log.
    uint64_t micros = fiber::wall_micros();
    std::string old = OldInfoLogFileName(dbname, micros, options.log_dir);
    while (fs->FileExists(old, IOOptions(), nullptr).ok()) {
      old = OldInfoLogFileName(dbname, ++micros, options.log_dir);
    }
    IOStatus s = fs->RenameFile(current, old, IOOptions(), nullptr);
    if (!s.ok()) return s;
  }
  std::vector<std::string> names;
  IOStatus s = fs->GetChildren(dir, IOOptions(), &names, nullptr);
  if (!s.ok()) return s;
  std::vector<uint64_t> old_logs;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (ParseFileName(name, &number, &type, base) && type == FileType::kInfoLogFile && number > 0) {
      old_logs.push_back(number);
    }
  }
  const size_t keep_old = std::max<size_t>(options.keep_files, 1) - 1;  // one is the current
  if (old_logs.size() > keep_old) {
    std::sort(old_logs.begin(), old_logs.end());
    for (size_t i = 0; i < old_logs.size() - keep_old; ++i) {
      fs->DeleteFile(OldInfoLogFileName(dbname, old_logs[i], options.log_dir), IOOptions(), nullptr)
          .PermitUncheckedError();  // it will be tried again
    }
  }
  return Status::OK();
}

class InfoLog : public Logger {
 public:
  InfoLog(FileSystem* fs, std::unique_ptr<FileWriter> file, InfoLogLevel level,
          std::unique_ptr<Rolling> rolling)
      : Logger(level),
        fs_(fs),
        rolling_(std::move(rolling)),
        opened_micros_(fiber::wall_micros()),
        file_(std::move(file)) {}

  ~InfoLog() override {
    if (!closed_) {
      closed_ = true;
      InfoLog::CloseImpl().PermitUncheckedError();
    }
  }

  using Logger::Logv;

  void Logv(const char* format, va_list ap) override {
    const uint64_t now = fiber::wall_micros();
    const std::string line = FormatLine(now, format, ap);
    fiber::MutexLock lock(&mu_);
    Write(now, line);
  }

  void LogHeader(const char* format, va_list ap) override {
    const uint64_t now = fiber::wall_micros();
    const std::string line = FormatLine(now, format, ap);
    fiber::MutexLock lock(&mu_);
    Write(now, line);
    if (rolling_ != nullptr) headers_.push_back(line);
  }

  size_t GetLogFileSize() const override {
    fiber::MutexLock lock(&mu_);
    return file_ == nullptr ? 0 : file_->file_size();
  }

  void Flush() override {}  // every line went out when it was written

 protected:
  Status CloseImpl() override {
    fiber::MutexLock lock(&mu_);
    if (file_ == nullptr) return Status::OK();
    const IOStatus s = file_->Close();
    file_.reset();
    return s;
  }

 private:
  void Write(uint64_t now, const std::string& line) FIBER_REQUIRES(mu_) {
    const PerfTimer timer(Perf(), &IOStatsContext::logger_nanos);
    bool& uncounted = Perf::State()->io.disable_iostats;
    const bool before = std::exchange(uncounted, true);  // no bytes of the database's
    WriteLine(now, line);
    uncounted = before;
  }
  void WriteLine(uint64_t now, const std::string& line) FIBER_REQUIRES(mu_) {
    if (rolling_ != nullptr && ShouldRoll(now)) Roll(now);
    if (file_ == nullptr) return;
    // A log that cannot be written must not stop the database.
    IOStatus s = file_->Append(line);
    if (s.ok()) s = file_->Flush();
    s.PermitUncheckedError();
  }

  bool ShouldRoll(uint64_t now) const FIBER_REQUIRES(mu_) {
    if (file_ == nullptr) return false;
    const InfoLogOptions& o = rolling_->options;
    return (o.max_file_size > 0 && file_->file_size() >= o.max_file_size) ||
           (o.time_to_roll_seconds > 0 && now >= opened_micros_ + o.time_to_roll_seconds * 1000000);
  }

  void Roll(uint64_t now) FIBER_REQUIRES(mu_) {
    opened_micros_ = now;
    if (!SetAside(fs_, rolling_->dbname, rolling_->options).ok()) return;  // go on in the old one
    std::unique_ptr<FileWriter> next;
    const std::string name = InfoLogFileName(rolling_->dbname, rolling_->options.log_dir);
    if (!FileWriter::Open(fs_, name, FileOptions(), &next).ok()) return;
    file_->Close().PermitUncheckedError();
    file_ = std::move(next);
    for (const std::string& header : headers_) file_->Append(header).PermitUncheckedError();
  }

  FileSystem* const fs_;
  const std::unique_ptr<Rolling> rolling_;

  mutable fiber::Mutex mu_;
  uint64_t opened_micros_ FIBER_GUARDED_BY(mu_);
  std::unique_ptr<FileWriter> file_ FIBER_GUARDED_BY(mu_);  // null once closed
  std::vector<std::string> headers_ FIBER_GUARDED_BY(mu_);
};

Status Make(FileSystem* fs, const std::string& fname, InfoLogLevel level,
            std::unique_ptr<Rolling> rolling, std::shared_ptr<Logger>* logger) {
  logger->reset();
  std::unique_ptr<FileWriter> file;
  IOStatus s = FileWriter::Open(fs, fname, FileOptions(), &file);
  if (s.ok()) {
    *logger = std::make_shared<InfoLog>(fs, std::move(file), level, std::move(rolling));
  }
  return s;
}

}  // namespace

Status NewFileLogger(FileSystem* fs, const std::string& fname, std::shared_ptr<Logger>* logger) {
  return Make(fs, fname, InfoLogLevel::INFO_LEVEL, nullptr, logger);
}

Status CreateInfoLog(FileSystem* fs, const std::string& dbname, const InfoLogOptions& options,
                     std::shared_ptr<Logger>* logger) {
  logger->reset();
  // People read it, and their tools, also where the database is encrypted.
  if (auto* const encrypted = dynamic_cast<EncryptedFileSystem*>(fs)) fs = encrypted->target();
  InfoLogOptions resolved = options;
  std::string absolute = dbname;
  IOStatus s = CreateDirDurably(fs, dbname);
  if (s.ok() && !options.log_dir.empty()) {
    s = CreateDirDurably(fs, options.log_dir);
    if (s.ok()) s = fs->GetAbsolutePath(dbname, IOOptions(), &absolute, nullptr);
    // The database's own directory given as the log directory means the plain name.
    std::string log_dir;
    if (s.ok()) s = fs->GetAbsolutePath(options.log_dir, IOOptions(), &log_dir, nullptr);
    if (s.ok() && log_dir == absolute) resolved.log_dir.clear();
  }
  if (!s.ok()) return s;
  Status aside = SetAside(fs, absolute, resolved);
  if (!aside.ok()) return aside;
  auto rolling = std::make_unique<Rolling>();
  rolling->dbname = absolute;
  rolling->options = resolved;
  return Make(fs, InfoLogFileName(absolute, resolved.log_dir), options.level, std::move(rolling),
              logger);
}

}  // namespace cairn
