// The server: I/O threads, each with an epoll loop, and a pool of threads that call the engine.
//
//   an I/O thread      reads what a connection has sent, finds the complete requests in it and puts
//                      the connection into the queue: all of them are one job
//   a pool thread      executes the job, request by request, and sends the replies with one call;
//                      if the socket is full, an I/O thread sees when it has room again, and the
//                      connection comes back into the queue
//
// A connection is in the queue or with a pool thread at most once, so its replies keep their order.
// What comes in meanwhile waits in the socket, and its edge (epoll is edge-triggered, so that no
// system call is needed to watch a connection again) is noted in the connection: the pool thread
// finds it when it is done, reads it, and queues the connection again.
//
// Lock order: none is taken while another is held, but a connection's mutex before epoll's.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "pool_server/connection.h"
#include "pool_server/job_queue.h"
#include "pool_server/store.h"

namespace pool_server {

struct ServerOptions {
  std::string bind = "127.0.0.1";  // numeric
  int port = 6379;                 // 0: any that is free; -1: none
  std::string unix_socket;         // empty: none
  int io_threads = 1;
  int pool_threads = 64;
};

struct IoThread {
  int epoll = -1;
  std::thread thread;
  std::mutex mutex;
  // Under the mutex. Closed connections, of which an event may still be on its way to the thread:
  // it deletes them when it has seen all events.
  std::vector<Connection*> closed;
};

class Server {
 public:
  // `store` is borrowed.
  Server(const ServerOptions& options, Store* store);
  ~Server();

  // Listens and starts the threads. False: *error says why not.
  bool Start(std::string* error);
  // Blocks until Stop().
  void Join();
  // Also from a signal handler.
  void Stop();

  int port() const { return port_; }
  uint64_t clients() const { return clients_.load(std::memory_order_relaxed); }
  uint64_t commands() const { return commands_.load(std::memory_order_relaxed); }
  const ServerOptions& options() const { return options_; }

 private:
  bool Listen(std::string* error);
  bool AddListener(int fd, std::string* error);
  void RunIo(IoThread* io);
  void Accept(int listener);
  void Adopt(int fd);
  // An event of a connection; whether the connection is to be queued.
  bool OnEvent(Connection* connection, uint32_t events);
  // Of the owner. Whether the connection is to be queued; if not, it has been let go of.
  bool Read(Connection* connection);
  void RunPool();
  void Work(Connection* connection);
  // Of the owner, who must not use it afterwards. False: there is more to read, it is still owned.
  bool Release(Connection* connection);
  void WaitForRoom(Connection* connection);
  void Close(Connection* connection);

  const ServerOptions options_;
  Store* const store_;
  JobQueue<Connection*> queue_;
  std::vector<std::unique_ptr<IoThread>> io_;
  std::vector<std::thread> pool_;
  std::vector<int> listeners_;
  int stop_event_ = -1;
  int port_ = 0;
  size_t next_io_ = 0;  // of the I/O thread that accepts

  std::mutex connections_mutex_;
  std::unordered_set<Connection*> connections_;  // under connections_mutex_
  // Relaxed: jobs may end a moment later. Then no connection goes on after its job.
  std::atomic<bool> stopping_{false};
  // Relaxed: counts for INFO.
  std::atomic<uint64_t> clients_{0};
  std::atomic<uint64_t> commands_{0};
};

}  // namespace pool_server
