// A server in a temporary directory and clients of it without sockets, for tests of commands: a
// line of words goes through an Executor, and the reply comes back as text. Test-only.

#ifndef CAIRN_SERVER_TESTING_LOCAL_SERVER_H_
#define CAIRN_SERVER_TESTING_LOCAL_SERVER_H_

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/io.h"
#include "fiber/random.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "server/commands/executor.h"
#include "server/commands/pubsub_commands.h"
#include "server/net/server.h"
#include "server/resp/request_parser.h"

namespace cairn::server::testing {

// The error of a command whose key holds a value of another type.
inline constexpr char kWrongTypeReply[] =
    "WRONGTYPE Operation against a key holding the wrong kind of value";

// Seeded choices (SplitMix64, by Steele, Lea and Flood).
class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed) {}
  uint64_t operator()() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  uint64_t Below(uint64_t bound) { return (*this)() % bound; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

// Of one fiber or thread at a time.
class LocalClient {
 public:
  explicit LocalClient(Server* server, int version = 2);
  // (Without subscriptions the server may have gone before.)
  ~LocalClient() {
    if (session_.subscriptions != 0) UnsubscribeFromAll(server_->state(), session_);
  }
  LocalClient(const LocalClient&) = delete;
  LocalClient& operator=(const LocalClient&) = delete;

  // Words are separated by spaces, as redis-cli has them: quotes and \x41 escapes.
  std::string operator()(std::string_view line) { return Pipeline({std::string(line)}); }
  std::string Run(const std::vector<std::string>& words);
  // All lines as one pipeline; the replies one behind the other.
  std::string Pipeline(const std::vector<std::string>& lines);
  std::string RunAll(const std::vector<std::vector<std::string>>& requests);
  // As redis-cli prints them, in one line: (integer) as its digits, "text" in quotes, [a, b] of an
  // array, ~[..] of a set, %[..] of a map, ERR ... of an error, nil, +OK.
  static std::string Describe(std::string_view replies);

  Session& session() { return session_; }
  // What the client would be asked by a command that waits: whether it has hung up.
  void HangUp() { gone_.store(true); }

 private:
  Server* const server_;
  Session session_;
  Subscriber subscriber_{64 << 10, [] {}};
  ReplyWriter reply_;
  std::atomic<bool> gone_{false};
  Executor executor_;
};

class LocalServer {
 public:
  LocalServer();
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  Server* get() { return server_.get(); }
  // Closes the keyspace and opens it again. REQUIRES: no clients.
  void Reopen();

 private:
  void Start();

  std::string directory_;
  std::unique_ptr<Log> log_;
  int log_fd_ = -1;
  std::unique_ptr<Server> server_;
};

// The line behind the kind, without its end.
inline std::string_view TakeLine(std::string_view* rest) {
  const size_t end = rest->find("\r\n");
  const std::string_view line = rest->substr(1, end - 1);
  rest->remove_prefix(end + 2);
  return line;
}

inline std::string DescribeOne(std::string_view* rest) {
  const char kind = (*rest)[0];
  const std::string line(TakeLine(rest));
  switch (kind) {
    case '+':
      return "+" + line;
    case '-':
    case ':':
    case ',':
    case '#':
      return line;
    case '_':
      return "nil";
    case '$': {
      if (line == "-1") return "nil";
      const size_t size = std::stoul(line);
      std::string text = "\"" + std::string(rest->substr(0, size)) + "\"";
      rest->remove_prefix(size + 2);
      return text;
    }
    default: {
      if (line == "-1") return "nil";
      size_t count = std::stoul(line);
      std::string text = kind == '*' ? "" : std::string(1, kind);
      if (kind == '%') count *= 2;
      text += "[";
      for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + DescribeOne(rest);
      return text + "]";
    }
  }
}

inline LocalClient::LocalClient(Server* server, int version)
    : server_(server),
      executor_(&server->state(), &session_, &reply_,
                {[] { return true; }, [] {}, [this] { return gone_.load(); }}) {
  session_.subscriber = &subscriber_;
  reply_.set_version(version);
}

inline std::string LocalClient::Describe(std::string_view replies) {
  std::string text;
  while (!replies.empty()) text += (text.empty() ? "" : " ") + DescribeOne(&replies);
  return text;
}

inline std::string LocalClient::RunAll(const std::vector<std::vector<std::string>>& requests) {
  std::vector<std::vector<std::string_view>> words;
  std::vector<Arguments> arguments;
  words.reserve(requests.size());
  for (const auto& request : requests) {
    arguments.emplace_back(words.emplace_back(request.begin(), request.end()));
  }
  reply_.Clear();
  executor_.Run(arguments);
  return Describe(reply_.ToString());
}

inline std::string LocalClient::Run(const std::vector<std::string>& words) {
  return RunAll({words});
}

inline std::string LocalClient::Pipeline(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> requests;
  for (const std::string& line : lines) {
    EXPECT_TRUE(SplitWords(line, &requests.emplace_back())) << line;
  }
  return RunAll(requests);
}

inline LocalServer::LocalServer() {
  std::string base;
  EXPECT_TRUE(rocksdb::Env::Default()->GetTestDirectory(&base).ok());
  directory_ = base + "/server-" + std::to_string(fiber::random_u64());
  EXPECT_TRUE(rocksdb::Env::Default()->CreateDirIfMissing(directory_).ok());
  log_fd_ =
      fiber::io::open((directory_ + "/log").c_str(), fiber::io::kWriteOnly | fiber::io::kCreate);
  EXPECT_GE(log_fd_, 0);
  log_ = std::make_unique<Log>(log_fd_);
  Start();
}

inline LocalServer::~LocalServer() {
  server_.reset();
  EXPECT_TRUE(rocksdb::DestroyDB(directory_ + "/data", rocksdb::Options()).ok());
  fiber::io::close(log_fd_);
  EXPECT_TRUE(rocksdb::Env::Default()->DeleteFile(directory_ + "/log").ok());
  (void)rocksdb::Env::Default()->DeleteDir(directory_);
}

inline void LocalServer::Start() {
  ServerOptions options;
  options.port = 0;  // nobody connects; Wine has no Unix sockets
  options.workers = 1;
  options.directory = directory_ + "/data";
  options.engine.create_if_missing = true;
  // Small enough that tests see tables, too.
  options.engine.write_buffer_size = 256 << 10;
  const rocksdb::Status s = Server::Start(options, log_.get(), &server_);
  ASSERT_TRUE(s.ok()) << s.ToString();
}

inline void LocalServer::Reopen() {
  server_->Stop();
  const rocksdb::Status s = server_->Join();
  EXPECT_TRUE(s.ok()) << s.ToString();
  server_.reset();
  Start();
}

}  // namespace cairn::server::testing

#endif  // CAIRN_SERVER_TESTING_LOCAL_SERVER_H_
