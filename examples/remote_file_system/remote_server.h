// Serves reads of the files under one directory over TCP (protocol.h): a fiber for each connection
// and one for each request, so that a slow read holds no other one up.
//
// It counts what it does, in a way that no clock takes part in: how many requests were in flight
// (received and not yet answered) at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "fiber/mutex.h"
#include "fiber/runtime.h"

namespace remote {

class RemoteServer {
 public:
  struct Request {
    std::string name;
    uint64_t offset = 0;
    uint32_t length = 0;
  };
  struct Answer {
    int error = 0;  // errno
    uint64_t file_size = 0;
    std::string data;
    bool drop_connection = false;  // instead of the answer
  };
  // Called on the request's fiber before its answer is sent. It may change the answer, and it may
  // wait, through fiber/ only; the server's end waits for it.
  using Hook = std::function<void(const Request&, Answer*)>;

  // Listens on 127.0.0.1 (port 0: any free one) and serves files under `directory`, an absolute
  // path without "/" at its end. Null on failure, with *error filled.
  static std::unique_ptr<RemoteServer> Start(const std::string& directory, uint16_t port,
                                             std::string* error);
  // SUSPENDS. Drops all connections.
  ~RemoteServer();

  uint16_t port() const { return port_; }
  // Requests that were received, and the most that were in flight at once since the last
  // set_hook().
  int64_t requests() const;
  int most_in_flight() const;
  // For the requests from now on; null: none. Also begins to count anew.
  void set_hook(Hook hook);

 private:
  struct Connection;

  RemoteServer(std::string directory, int listener, uint16_t port);
  void Accept();
  void Serve(const std::shared_ptr<Connection>& connection);
  void Handle(Connection* connection, uint64_t id, const Request& request, const Hook& hook);
  Answer Read(const Request& request) const;

  const std::string directory_;
  const int listener_;
  const uint16_t port_;

  mutable fiber::Mutex mutex_;
  Hook hook_ FIBER_GUARDED_BY(mutex_);
  int64_t requests_ FIBER_GUARDED_BY(mutex_) = 0;
  int in_flight_ FIBER_GUARDED_BY(mutex_) = 0;
  int most_in_flight_ FIBER_GUARDED_BY(mutex_) = 0;
  bool stopping_ FIBER_GUARDED_BY(mutex_) = false;
  std::set<int> open_ FIBER_GUARDED_BY(mutex_);  // descriptors of connections

  fiber::Runtime runtime_;  // last: its end waits for the fibers, which use the rest
};

}  // namespace remote
