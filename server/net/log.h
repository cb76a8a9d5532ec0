// The server's log: a line for each event, on standard error or in a file, as key=value pairs that
// both people and programs read:
//
//   ts=2026-11-23T01:02:03.456789Z level=info msg="listening" address="127.0.0.1:6379"
//
// Thread safe.

#ifndef CAIRN_SERVER_NET_LOG_H_
#define CAIRN_SERVER_NET_LOG_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace cairn::server {

class Log {
 public:
  using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

  // To a descriptor that outlives it.
  explicit Log(int fd) : fd_(fd) {}

  void Info(std::string_view message, Fields fields = {}) { Write("info", message, fields); }
  void Warn(std::string_view message, Fields fields = {}) { Write("warn", message, fields); }
  void Error(std::string_view message, Fields fields = {}) { Write("error", message, fields); }

 private:
  void Write(std::string_view level, std::string_view message, const Fields& fields);

  const int fd_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_NET_LOG_H_
