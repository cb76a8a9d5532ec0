// The server's log: a line for each event, on standard error or in a file, as key=value pairs that
// both people and programs read:
//
//   ts=2026-11-23T01:02:03.456789Z level=info msg="listening" address="127.0.0.1:6379"
//
// Nobody waits for it or dies of it: a line that a full pipe does not take is dropped, and a later
// one tells how many were; who reads no more (a closed pipe) gets none. The program ignores
// SIGPIPE.
//
// Thread safe.

#ifndef CAIRN_SERVER_HOST_LOG_H_
#define CAIRN_SERVER_HOST_LOG_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fiber/mutex.h"
#include "rocksdb/status.h"

namespace cairn::server {

class Log {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

  // To a descriptor that outlives it.
  explicit Log(int fd) : fd_(fd) {}
  // To the end of a file, which is made if it is missing.
  static rocksdb::Status Open(const std::string& file, std::unique_ptr<Log>* log);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // "" of a descriptor's.
  const std::string& file() const { return file_; }
  // Goes on in the file that has the name now: the old one was renamed, perhaps. If it cannot be
  // opened the old one stays. Of a descriptor's log: nothing. SUSPENDS.
  rocksdb::Status Reopen();

  void Info(std::string_view message, Fields fields = {}) { Write("info", message, fields); }
  void Warn(std::string_view message, Fields fields = {}) { Write("warn", message, fields); }
  void Error(std::string_view message, Fields fields = {}) { Write("error", message, fields); }

 private:
  Log(int fd, std::string file) : file_(std::move(file)), fd_(fd) {}
  void Write(std::string_view level, std::string_view message, const Fields& fields);
  // Whether all of it was written.
  bool WriteLine(std::string_view line) FIBER_REQUIRES(mutex_);

  const std::string file_;
  // Held while a line is written: it goes out whole.
  fiber::Mutex mutex_;
  int fd_ FIBER_GUARDED_BY(mutex_);
  uint64_t lost_ FIBER_GUARDED_BY(mutex_) = 0;  // lines
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_LOG_H_
