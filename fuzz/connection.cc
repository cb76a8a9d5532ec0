// A client that sends anything: real connections of a real server. It answers each request with
// one well-formed reply, closes when the client does, and neither crashes nor hangs.
//
// The database and the settings are reset between inputs, so that each can be repeated alone.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/random.h"
#include "fuzz/fuzz.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "server/auth/acl.h"
#include "server/auth/password.h"
#include "server/commands/command.h"
#include "server/commands/executor.h"
#include "server/host/log.h"
#include "server/net/server.h"
#include "server/resp/request_parser.h"

namespace cairn::fuzz {

namespace {

using server::RequestParser;

constexpr uint64_t kPatienceNanos = 100'000'000'000;  // a hang is longer, on a busy machine too
constexpr uint64_t kLookNanos = 20'000'000;
constexpr size_t kInputsPerServer = 5000;  // then its database begins anew

class LoneServer {
 public:
  LoneServer() {
    FUZZ_CHECK(rocksdb::Env::Default()->GetTestDirectory(&directory_).ok());
    directory_ += "/fuzz-" + std::to_string(fiber::random_u64());
    FUZZ_CHECK(rocksdb::Env::Default()->CreateDirIfMissing(directory_).ok());
    log_fd_ = fiber::io::open("/dev/null", O_WRONLY);
    log_ = std::make_unique<server::Log>(log_fd_);
    Start();
  }
  ~LoneServer() {
    End();
    (void)rocksdb::Env::Default()->DeleteDir(directory_);
    fiber::io::close(log_fd_);
  }
  LoneServer(const LoneServer&) = delete;
  LoneServer& operator=(const LoneServer&) = delete;

  const std::string& socket() const { return options_.unix_socket; }
  const server::ServerOptions& options() const { return options_; }
  server::Server* get() { return server_.get(); }

  // As it was before the last client.
  void Reset() {
    if (server_->stopping() || ++inputs_ == kInputsPerServer) {
      End();
      Start();
      return;
    }
    if (server_->state().acl().generation() != generation_) ResetUsers();
    server_->state().set_default_durability(server::Durability::kSystem);
    server_->state().set_idle_timeout_s(options_.idle_timeout_s);
    std::string error;
    if (!server_->SetMaxClients(options_.max_clients, &error)) std::abort();
    server_->state().slow_log().set_threshold_micros(options_.slow_log_micros);
    server_->state().slow_log().set_length(options_.slow_log_length);
    server_->state().slow_log().Reset();
    const std::vector<std::string_view> words = {"flushall"};
    const std::vector<server::Arguments> requests = {words};
    server::Session session;
    server::ReplyWriter reply;
    server::Executor executor(&server_->state(), &session, &reply,
                              {[] { return true; }, [] {}, [] { return false; }});
    executor.Run(requests);
    FUZZ_CHECK(reply.ToString() == "+OK\r\n");
  }

 private:
  void Start() {
    inputs_ = 0;
    generation_ = 0;
    options_.port = -1;
    options_.unix_socket = directory_ + "/socket";
    options_.workers = 1;
    options_.directory = directory_ + "/data";
    options_.engine.create_if_missing = true;
    options_.engine.write_buffer_size = 256 << 10;
    options_.engine.max_background_jobs = 2;
    options_.max_argument_bytes = 1 << 20;
    options_.max_request_bytes = 4 << 20;
    options_.checkpoints_kept = 1;
    const rocksdb::Status s = server::Server::Start(options_, log_.get(), &server_);
    FUZZ_CHECK(s.ok());
  }
  void ResetUsers() {
    server::Acl& acl = server_->state().acl();
    server::AclChanges changes;
    for (const auto& user : acl.Users()) {
      if (user->name() != server::Acl::kDefault) acl.Delete(user->name(), &changes);
    }
    const std::string_view rules[] = {"reset", "on", "nopass", "~*", "&*", "+@all"};
    std::string error;
    FUZZ_CHECK(acl.SetUser(server::Acl::kDefault, rules, &changes, &error));
    generation_ = acl.generation();
  }
  void End() {
    server_->Stop();
    FUZZ_CHECK(server_->Join().ok());
    server_.reset();
    FUZZ_CHECK(rocksdb::DestroyDB(options_.directory, rocksdb::Options()).ok());
    RemoveCheckpoints();
  }
  void RemoveCheckpoints() {
    const std::string parent = options_.directory + "-checkpoints";
    std::vector<std::string> names;
    if (!rocksdb::Env::Default()->GetChildren(parent, &names).ok()) return;
    for (const std::string& name : names) {
      const std::string path = std::string(parent).append("/").append(name);
      FUZZ_CHECK(rocksdb::DestroyDB(path, rocksdb::Options()).ok());
    }
    (void)rocksdb::Env::Default()->DeleteDir(parent);
  }

  std::string directory_;
  server::ServerOptions options_;
  int log_fd_;
  std::unique_ptr<server::Log> log_;
  std::unique_ptr<server::Server> server_;
  size_t inputs_ = 0;
  uint64_t generation_ = 0;
};

// Reads replies; what is not one fails.
class ReplyReader {
 public:
  ReplyReader(std::string_view bytes, bool version_3) : rest_(bytes), version_3_(version_3) {}

  bool done() const { return rest_.empty(); }
  void One(int depth = 0) {
    FUZZ_CHECK(depth < 16 && !rest_.empty());
    const char kind = rest_[0];
    const std::string_view line = Line();
    FUZZ_CHECK(version_3_ || std::string_view("+-:$*").find(kind) != std::string_view::npos);
    switch (kind) {
      case '+':
      case '-':
      case ',':
        return;
      case ':':
        Number(line);
        return;
      case '_':
        FUZZ_CHECK(line.empty());
        return;
      case '#':
        FUZZ_CHECK(line == "t" || line == "f");
        return;
      case '$':
      case '=': {
        const int64_t size = Number(line);
        if (kind == '$' && size == -1) return;
        FUZZ_CHECK(size >= (kind == '=' ? 4 : 0));
        FUZZ_CHECK(rest_.size() >= static_cast<uint64_t>(size) + 2);
        FUZZ_CHECK(rest_.substr(static_cast<size_t>(size), 2) == "\r\n");
        rest_.remove_prefix(static_cast<size_t>(size) + 2);
        return;
      }
      case '*':
      case '~':
      case '>':
      case '%': {
        const int64_t count = Number(line) * (kind == '%' ? 2 : 1);
        if (kind == '*' && count == -1) return;
        FUZZ_CHECK(count >= 0);
        for (int64_t i = 0; i < count; ++i) One(depth + 1);
        return;
      }
      default:
        FUZZ_CHECK(!"a reply that there is not");
    }
  }

 private:
  // What stands behind the kind.
  std::string_view Line() {
    const size_t end = rest_.find('\r');
    FUZZ_CHECK(end != std::string_view::npos && end + 1 < rest_.size() && rest_[end + 1] == '\n');
    const std::string_view line = rest_.substr(1, end - 1);
    FUZZ_CHECK(line.find('\n') == std::string_view::npos);
    rest_.remove_prefix(end + 2);
    return line;
  }
  static int64_t Number(std::string_view text) {
    FUZZ_CHECK(!text.empty() && text.size() <= 20);
    char* end = nullptr;
    const std::string copy(text);
    const long long number = strtoll(copy.c_str(), &end, 10);
    FUZZ_CHECK(*end == '\0');
    return number;
  }

  std::string_view rest_;
  const bool version_3_;
};

struct Expected {
  size_t replies = 0;
  bool exactly = true;     // else at most so many
  bool any_count = false;  // pushes may come between
  bool version_3 = false;  // it may be chosen
  bool waits = false;      // longer than one wants to
};

bool Is(std::string_view word, std::string_view name) {
  return std::equal(word.begin(), word.end(), name.begin(), name.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

Expected Expect(std::string_view text, const server::ServerOptions& options) {
  RequestParser parser(RequestParser::Limits{options.max_arguments, options.max_argument_bytes,
                                             options.max_request_bytes, 64 << 10});
  Expected expected;
  std::vector<std::string_view> words;
  size_t consumed = 0;
  int log_ins = 0;
  for (;;) {
    words.clear();
    const auto outcome = parser.Next(text, &consumed, &words);
    text.remove_prefix(consumed);
    if (outcome == RequestParser::Outcome::kNeedMore) return expected;
    ++expected.replies;
    if (outcome == RequestParser::Outcome::kError) return expected;
    const std::string_view name = words[0];
    // These may end the connection, silence it or change its limits. Who waits when the client
    // leaves, leaves, too.
    for (const char* const other :
         {"acl", "client", "config", "quit", "shutdown", "auth", "hello", "monitor"}) {
      if (Is(name, other)) expected.exactly = false;
    }
    const server::Command* const command = server::FindCommand(name);
    if (command != nullptr && command->Is(server::kBlocks)) expected.exactly = false;
    // Who guesses passwords is made to wait.
    if ((Is(name, "auth") || Is(name, "hello")) &&
        ++log_ins > server::Session::kPromptFailedLogins) {
      expected.waits = true;
    }
    if (Is(name, "hello")) expected.version_3 = true;
    if (Is(name, "debug")) expected.waits = true;
    if (name.size() >= 9 && Is(name.substr(name.size() - 9), "subscribe")) {
      expected.any_count = true;
    }
  }
}

// All that came until the server closed the connection.
std::string Talk(const std::string& socket, std::string_view text, std::string_view pieces) {
  const uint64_t deadline = fiber::deadline_after(kPatienceNanos);
  fiber::net::Address address;
  FUZZ_CHECK(fiber::net::Address::unix_path(socket, &address) == 0);
  const int fd = fiber::net::connect_to(address);
  FUZZ_CHECK(fd >= 0);
  std::string replies;
  std::vector<char> buffer(64 << 10);
  bool open = true;
  const auto receive = [&](int flags, uint64_t until) {
    const ssize_t n = fiber::net::recv(fd, buffer.data(), buffer.size(), flags, until);
    if (n > 0) replies.append(buffer.data(), static_cast<size_t>(n));
    if (n != -EAGAIN && n != -ETIMEDOUT && n <= 0) open = false;
    FUZZ_CHECK(fiber::now_nanos() < deadline);
  };
  size_t i = 0;
  while (open && !text.empty()) {
    const size_t most = pieces.empty() ? text.size() : static_cast<uint8_t>(pieces[i]) + 1;
    const ssize_t n = fiber::net::send(fd, text.data(), std::min(most, text.size()), MSG_DONTWAIT);
    if (n > 0) {
      text.remove_prefix(static_cast<size_t>(n));
      if (++i >= pieces.size()) i = 0;
    } else if (n == -EAGAIN) {  // it wants to send, first; or it is slow
      receive(0, fiber::deadline_after(kLookNanos));
    } else {
      break;
    }
  }
  fiber::net::shutdown(fd, fiber::net::kShutSend);
  while (open) receive(0, deadline);
  fiber::net::close(fd);
  return replies;
}

}  // namespace

}  // namespace cairn::fuzz

// The sizes of the pieces, and what the client sends.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  // OpenSSL cleans up at exit, after the server only if its first use was before: the server's
  // threads, which end with it, have state of OpenSSL's to give back.
  [[maybe_unused]] static const cairn::server::PasswordHash first_use =
      cairn::server::HashPassword("");
  static LoneServer server;
  Input input(data, size);
  const std::string_view pieces = input.Take(input.Byte() % 4);
  const std::string_view text = input.Rest();
  const Expected expected = Expect(text, server.options());
  if (expected.waits) return -1;
  const std::string replies = Talk(server.socket(), text, pieces);
  ReplyReader reader(replies, expected.version_3);
  size_t count = 0;
  for (; !reader.done(); ++count) reader.One();
  if (!expected.any_count) {
    FUZZ_CHECK(expected.exactly ? count == expected.replies : count <= expected.replies);
  }
  server.Reset();
  return 0;
}
