// The admin port: a page for people and /metrics for Prometheus, over HTTP/1.1. It only reads.
//
//   GET /             the page (page.html), which asks for
//   GET /state.json   what it shows
//   GET /metrics      Prometheus's text format 0.0.4
//   GET /healthz      "ok" while the server takes writes, else status 503
//
// On an address that other machines reach it asks for the server's password (HTTP Basic, user
// "default"). Thread safe, but for Start() and the destructor.

#ifndef CAIRN_SERVER_ADMIN_ADMIN_SERVER_H_
#define CAIRN_SERVER_ADMIN_ADMIN_SERVER_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "fiber/runtime.h"
#include "rocksdb/status.h"

namespace cairn::server {

class ServerState;

class AdminServer {
 public:
  // On a fiber of the server's runtime for each visitor; the server is borrowed. `port` 0: any.
  static rocksdb::Status Start(ServerState* server, const std::string& bind, int port,
                               std::unique_ptr<AdminServer>* admin);
  // SUSPENDS until all visitors have left, which are sent away.
  ~AdminServer();
  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  int port() const { return port_; }

 private:
  static constexpr size_t kMaxVisitors = 64;
  static constexpr size_t kMaxHeadBytes = 8 << 10;

  explicit AdminServer(ServerState* server) : server_(server) {}
  void Accept();
  void Serve(int fd);
  // The whole answer to a request's head.
  std::string Answer(std::string_view head, bool* keep_alive);
  bool MayEnter(std::string_view head) const;
  // Whether this is a user who may see how the server is doing.
  bool MayWatch(std::string_view user, std::string_view password) const;

  ServerState* const server_;
  int listener_ = -1;
  int port_ = 0;
  bool needs_password_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> visitors_{0};
  fiber::JoinHandle acceptor_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_ADMIN_ADMIN_SERVER_H_
