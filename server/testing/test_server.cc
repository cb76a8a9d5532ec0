#include "server/testing/test_server.h"

#include <gtest/gtest.h>

#include <utility>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/runtime.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "server/resp/request_parser.h"
#include "server/testing/files.h"

namespace cairn::server::testing {

namespace {

// (Wine has none.)
bool HasUnixSockets() {
  const int fd = fiber::net::socket(fiber::net::kUnix);
  if (fd >= 0) fiber::net::close(fd);
  return fd >= 0;
}

}  // namespace

TestServer::TestServer(const std::function<void(ServerOptions&)>& adjust) {
  directory_ = MakeScratchDirectory("server");
  options_.directory = directory_ + "/data";
  options_.port = 0;
  options_.workers = 2;
  options_.engine.create_if_missing = true;
  options_.engine.write_buffer_size = 64 << 10;  // so that tables are made, too
  if (HasUnixSockets()) options_.unix_socket = directory_ + "/socket";
  if (adjust) adjust(options_);
  log_fd_ = fiber::io::open((directory_ + "/log").c_str(),
                            fiber::io::kWriteOnly | fiber::io::kCreate | fiber::io::kAppend, 0600);
  log_ = std::make_unique<Log>(log_fd_);
  Start();
}

TestServer::~TestServer() {
  Stop();
  if (::testing::Test::HasFailure()) {
    std::string text;
    rocksdb::ReadFileToString(rocksdb::Env::Default(), directory_ + "/log", &text)
        .PermitUncheckedError();
    ADD_FAILURE() << "the server's log:\n" << text;
  }
  fiber::io::close(log_fd_);
  rocksdb::DestroyDB(options_.directory, options_.engine).PermitUncheckedError();
  rocksdb::Env* const env = rocksdb::Env::Default();
  env->DeleteFile(directory_ + "/log").PermitUncheckedError();
  env->DeleteFile(options_.directory + "/RESERVE").PermitUncheckedError();
  env->DeleteDir(options_.directory).PermitUncheckedError();
  env->DeleteDir(directory_).PermitUncheckedError();
}

void TestServer::Start() {
  const rocksdb::Status s = Server::Start(options_, log_.get(), &server_);
  ASSERT_TRUE(s.ok()) << s.ToString();
}

void TestServer::Stop() {
  if (server_ == nullptr) return;
  server_->Stop();
  const rocksdb::Status s = server_->Join();
  EXPECT_TRUE(s.ok()) << s.ToString();
  server_.reset();
}

void TestServer::Restart() {
  Stop();
  Start();
}

TestClient::TestClient(TestServer& server) {
  const std::string& socket = server->state().options().unix_socket;
  fiber::net::Address address =
      fiber::net::Address::loopback_v4(static_cast<uint16_t>(server->port()));
  if (!socket.empty()) {
    EXPECT_EQ(fiber::net::Address::unix_path(socket, &address), 0);
  }
  fd_ = fiber::net::connect_to(address);
  EXPECT_GE(fd_, 0);
}

void TestClient::Close() {
  if (fd_ >= 0) fiber::net::close(fd_);
  fd_ = -1;
}

TestClient::Words TestClient::Split(std::string_view line) {
  Words words;
  EXPECT_TRUE(SplitWords(line, &words)) << line;
  return words;
}

void TestClient::Send(const Words& words) {
  std::string request = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    request += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  EXPECT_EQ(fiber::net::send_all(fd_, request.data(), request.size()),
            static_cast<ptrdiff_t>(request.size()));
}

bool TestClient::ReadBytes(size_t count, std::string* bytes) {
  const uint64_t deadline = fiber::deadline_after(60'000'000'000);
  while (input_.size() < count) {
    char buffer[16 << 10];
    const ptrdiff_t n = fiber::net::recv(fd_, buffer, sizeof(buffer), 0, deadline);
    EXPECT_NE(n, -ETIMEDOUT) << "no reply";
    if (n <= 0) return false;
    input_.append(buffer, static_cast<size_t>(n));
  }
  *bytes = input_.substr(0, count);
  input_.erase(0, count);
  return true;
}

bool TestClient::ReadLine(std::string* line) {
  std::string bytes;
  for (line->clear(); line->size() < 2 || line->substr(line->size() - 2) != "\r\n";) {
    const size_t end = input_.find('\n');
    if (!ReadBytes(end == std::string::npos ? input_.size() + 1 : end + 1, &bytes)) return false;
    *line += bytes;
  }
  line->resize(line->size() - 2);
  return true;
}

std::string TestClient::Receive() {
  std::string line;
  if (!ReadLine(&line)) return "closed";
  const char kind = line.empty() ? '?' : line[0];
  if (line == "$-1" || line == "_") return "nil";
  if (line == "*-1") return "nil[]";
  if (kind == '$' || kind == '=') {
    std::string bytes;
    const size_t size = std::stoul(line.substr(1));
    if (!ReadBytes(size + 2, &bytes)) return "closed";
    return "\"" + bytes.substr(0, size) + "\"";
  }
  if (kind != '*' && kind != '%' && kind != '~' && kind != '>') return line;
  std::string text = kind == '%' ? "{" : kind == '*' ? "[" : std::string(1, kind) + "[";
  const size_t count = std::stoul(line.substr(1)) * (kind == '%' ? 2 : 1);
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + Receive();
  return text + (kind == '%' ? "}" : "]");
}

bool TestClient::Quiet() {
  char byte;
  return input_.empty() &&
         fiber::net::recv(fd_, &byte, 1, fiber::net::kPeek | fiber::net::kDontWait) == -EAGAIN;
}

bool WaitFor(const std::function<bool()>& ready) {
  const uint64_t deadline = fiber::deadline_after(30'000'000'000);
  while (!ready()) {
    if (fiber::now_nanos() >= deadline) return false;
    fiber::sleep_for(500'000);  // sleeps: between two looks, where nothing can be waited for
  }
  return true;
}

}  // namespace cairn::server::testing
