// The load generator of echo_bench.cc: one thread, an epoll loop, many connections to one echo
// server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fiber::bench {

class EchoLoad {
 public:
  // Connects to 127.0.0.1:port. `message`: bytes of a request. `streaming`: requests are sent
  // without waiting for the answers, as fast as they go.
  EchoLoad(uint16_t port, int connections, size_t message, bool streaming);
  ~EchoLoad();
  EchoLoad(const EchoLoad&) = delete;
  EchoLoad& operator=(const EchoLoad&) = delete;

  // False: a connection could not be made.
  bool connected() const { return connected_; }
  // Drives the server for so long. Returns the bytes that came back, -1 if a connection broke.
  int64_t run(uint64_t nanos);

 private:
  struct Connection {
    int fd = -1;
    size_t unsent = 0;  // of the current message
    size_t unread = 0;
    bool wants_out = false;
  };
  bool send_some(Connection* c);
  void watch(Connection* c, bool out);

  const size_t message_;
  const bool streaming_;
  bool connected_ = false;
  int epoll_ = -1;
  std::vector<Connection> connections_;
  std::vector<char> out_, in_;
};

}  // namespace fiber::bench
