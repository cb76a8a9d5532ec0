// For tests: a server in this process on a directory of its own, and clients that speak to it
// through sockets. Used from plain threads.

#ifndef CAIRN_SERVER_TESTING_TEST_SERVER_H_
#define CAIRN_SERVER_TESTING_TEST_SERVER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/host/log.h"
#include "server/net/server.h"
#include "server/state/options.h"

namespace cairn::server::testing {

class TestServer {
 public:
  // Listens on a Unix socket and on a port that is free. `adjust` changes the options.
  explicit TestServer(const std::function<void(ServerOptions&)>& adjust = {});
  // Stops it and removes the directory.
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }
  const ServerOptions& options() const { return options_; }
  // Stops it and starts another one on the same directory.
  void Restart();
  void Stop();

 private:
  void Start();

  std::string directory_;
  ServerOptions options_;
  int log_fd_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Server> server_;
};

class TestClient {
 public:
  explicit TestClient(TestServer& server);
  ~TestClient() { Close(); }
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  using Words = std::vector<std::string>;
  // Sends a command without waiting for its reply.
  void Send(const Words& words);
  void Send(std::string_view line) { Send(Split(line)); }
  // The next reply or push as text: +OK, :1, -ERR ..., "a string", nil, nil[] (the null array of
  // version 2), [1 "two"], {"key" :1} (a map), ~[...] (a set), >[...] (a push), ,1.5, #t, and
  // "closed" when the server has hung up.
  std::string Receive();
  std::string Do(const Words& words) {
    Send(words);
    return Receive();
  }
  // Words with spaces between.
  std::string Do(std::string_view line) { return Do(Split(line)); }
  // Whether nothing has come.
  bool Quiet();
  // Hangs up.
  void Close();
  int fd() const { return fd_; }

 private:
  static Words Split(std::string_view line);
  bool ReadLine(std::string* line);
  bool ReadBytes(size_t count, std::string* bytes);

  int fd_;
  std::string input_;
};

// Waits until `ready` says yes; a test that waits for half a minute has failed.
bool WaitFor(const std::function<bool()>& ready);

}  // namespace cairn::server::testing

#endif  // CAIRN_SERVER_TESTING_TEST_SERVER_H_
