#include "pool_server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "pool_server/commands.h"

namespace pool_server {
namespace {

constexpr int kEvents = 256;
constexpr int kBacklog = 1024;
constexpr size_t kLargeReply = size_t{1} << 20;  // is sent before the job goes on
constexpr uint32_t kWatch = EPOLLIN | EPOLLRDHUP | EPOLLET;

std::string Because(const std::string& what) { return what + ": " + std::strerror(errno); }

}  // namespace

Server::Server(const ServerOptions& options, Store* store) : options_(options), store_(store) {}

Server::~Server() {
  for (const int fd : listeners_) close(fd);
  for (const auto& io : io_) {
    if (io->epoll >= 0) close(io->epoll);
  }
  if (stop_event_ >= 0) close(stop_event_);
}

bool Server::AddListener(int fd, std::string* error) {
  if (fd < 0) {
    *error = Because("socket");
    return false;
  }
  listeners_.push_back(fd);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.ptr = &listeners_;
  if (listen(fd, kBacklog) == 0 && epoll_ctl(io_[0]->epoll, EPOLL_CTL_ADD, fd, &event) == 0) {
    return true;
  }
  *error = Because("listen");
  return false;
}

bool Server::Listen(std::string* error) {
  constexpr int kType = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  if (options_.port >= 0) {
    sockaddr_in v4 = {};
    sockaddr_in6 v6 = {};
    const bool is_v6 = options_.bind.find(':') != std::string::npos;
    v4.sin_family = AF_INET;
    v6.sin6_family = AF_INET6;
    v4.sin_port = v6.sin6_port = htons(static_cast<uint16_t>(options_.port));
    if (inet_pton(is_v6 ? AF_INET6 : AF_INET, options_.bind.c_str(),
                  is_v6 ? static_cast<void*>(&v6.sin6_addr) : &v4.sin_addr) != 1) {
      *error = "--bind=" + options_.bind + " is no numeric address";
      return false;
    }
    const int fd = socket(is_v6 ? AF_INET6 : AF_INET, kType, 0);
    const int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    auto* const address =
        is_v6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
    if (fd >= 0 && bind(fd, address, size) != 0) {
      *error = Because(options_.bind + ":" + std::to_string(options_.port));
      close(fd);
      return false;
    }
    if (!AddListener(fd, error)) return false;
    getsockname(fd, address, &size);
    port_ = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
  }
  if (!options_.unix_socket.empty()) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (options_.unix_socket.size() >= sizeof(address.sun_path)) {
      *error = "--unix_socket: the path is too long";
      return false;
    }
    std::memcpy(address.sun_path, options_.unix_socket.data(), options_.unix_socket.size());
    unlink(options_.unix_socket.c_str());  // an earlier run's
    const int fd = socket(AF_UNIX, kType, 0);
    if (fd >= 0 && bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      *error = Because(options_.unix_socket);
      close(fd);
      return false;
    }
    if (!AddListener(fd, error)) return false;
  }
  return true;
}

bool Server::Start(std::string* error) {
  rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  stop_event_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (int i = 0; i < options_.io_threads; ++i) {
    auto io = std::make_unique<IoThread>();
    io->epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.ptr = &stop_event_;
    if (io->epoll < 0 || epoll_ctl(io->epoll, EPOLL_CTL_ADD, stop_event_, &event) != 0) {
      *error = Because("epoll");
      return false;
    }
    io_.push_back(std::move(io));
  }
  if (!Listen(error)) return false;
  try {
    for (const auto& io : io_) io->thread = std::thread([this, &io] { RunIo(io.get()); });
    for (int i = 0; i < options_.pool_threads; ++i) pool_.emplace_back([this] { RunPool(); });
    return true;
  } catch (const std::system_error& refusal) {
    *error = std::string("the system refuses so many threads: ") + refusal.what();
    Stop();
    Join();
    return false;
  }
}

void Server::Stop() {
  // Never read, so every I/O thread sees it.
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = write(stop_event_, &one, sizeof(one));
}

void Server::Join() {
  for (const auto& io : io_) {
    if (io->thread.joinable()) io->thread.join();
  }
  stopping_.store(true, std::memory_order_relaxed);
  queue_.Close();
  for (std::thread& thread : pool_) thread.join();
  // Nobody else is left.
  for (const auto& io : io_) {
    for (Connection* connection : io->closed) delete connection;
  }
  for (Connection* connection : connections_) delete connection;
  if (!options_.unix_socket.empty()) unlink(options_.unix_socket.c_str());
}

void Server::RunIo(IoThread* io) {
  epoll_event events[kEvents];
  std::vector<Connection*> ready;
  std::vector<Connection*> closed;
  for (bool stopping = false; !stopping;) {
    // Closed before this wait, so that it tells nothing of them any more.
    {
      const std::lock_guard lock(io->mutex);
      closed.swap(io->closed);
    }
    for (Connection* connection : closed) delete connection;
    closed.clear();
    const int n = epoll_wait(io->epoll, events, kEvents, -1);
    for (int i = 0; i < n; ++i) {
      void* const who = events[i].data.ptr;
      if (who == &stop_event_) {
        stopping = true;
      } else if (who == &listeners_) {
        for (const int listener : listeners_) Accept(listener);
      } else if (OnEvent(static_cast<Connection*>(who), events[i].events)) {
        ready.push_back(static_cast<Connection*>(who));
      }
    }
    queue_.PushAll(ready);
    ready.clear();
  }
}

void Server::Accept(int listener) {
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
      Adopt(fd);
    } else if (errno == EMFILE || errno == ENFILE) {
      std::fprintf(stderr, "pool_server: no descriptors are left: raise the limit (ulimit -n)\n");
      // The listener stays readable: not to spin.
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return;
    }
  }
}

void Server::Adopt(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));  // fails for Unix sockets
  IoThread* const io = io_[next_io_].get();
  next_io_ = (next_io_ + 1) % io_.size();
  auto* const connection = new Connection(fd, io);
  {
    const std::lock_guard lock(connections_mutex_);
    connections_.insert(connection);
  }
  clients_.fetch_add(1, std::memory_order_relaxed);
  epoll_event event = {};
  event.events = kWatch;
  event.data.ptr = connection;
  if (epoll_ctl(io->epoll, EPOLL_CTL_ADD, fd, &event) != 0) Close(connection);
}

bool Server::OnEvent(Connection* connection, uint32_t events) {
  {
    const std::lock_guard lock(connection->mutex);
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
      connection->hung_up.store(true, std::memory_order_relaxed);
    }
    if (connection->blocked && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0) {
      connection->blocked = false;
      connection->readable = true;  // looking once too often does no harm
      epoll_event event = {};
      event.events = kWatch;
      event.data.ptr = connection;
      epoll_ctl(connection->home->epoll, EPOLL_CTL_MOD, connection->fd(), &event);
      return true;  // owned still; a pool thread goes on
    }
    if (connection->owned) {
      connection->readable = true;
      return false;
    }
    connection->owned = true;
  }
  return Read(connection);
}

bool Server::Read(Connection* connection) {
  for (;;) {
    const Connection::Reading reading = connection->Receive();
    connection->input_drained = reading == Connection::Reading::kDrained;
    connection->input_ended = reading == Connection::Reading::kClosed;
    connection->Parse();
    if (connection->has_requests() || connection->failed()) return true;
    if (connection->input_ended) {
      Close(connection);
      return false;
    }
    if (connection->input_drained && Release(connection)) return false;
  }
}

bool Server::Release(Connection* connection) {
  const std::lock_guard lock(connection->mutex);
  if (connection->readable) {
    connection->readable = false;
    return false;
  }
  connection->owned = false;
  return true;
}

void Server::RunPool() {
  for (Connection* connection; queue_.Pop(&connection);) Work(connection);
}

void Server::Work(Connection* connection) {
  do {
    if (!connection->sending()) {
      uint64_t executed = 0;
      while (connection->has_requests() && !connection->closing &&
             connection->reply.size() < kLargeReply) {
        Execute(connection->NextRequest(), this, store_, connection);
        ++executed;
      }
      commands_.fetch_add(executed, std::memory_order_relaxed);
      if (!connection->has_requests() && connection->failed() && !connection->closing) {
        connection->reply.Error("ERR " + connection->protocol_error());
        connection->closing = true;
      }
    }
    switch (connection->Send()) {
      case Connection::Sending::kDone:
        break;
      case Connection::Sending::kBlocked:
        WaitForRoom(connection);
        return;
      case Connection::Sending::kBroken:
        Close(connection);
        return;
    }
    if (connection->closing || stopping_.load(std::memory_order_relaxed)) {
      Close(connection);
      return;
    }
  } while (connection->has_requests());
  // What was received may have more requests than one job takes.
  connection->Parse();
  if (connection->has_requests() || connection->failed()) {
    queue_.Push(connection);
  } else if (connection->input_ended) {
    Close(connection);
  } else if (!connection->input_drained || !Release(connection)) {
    if (Read(connection)) queue_.Push(connection);
  }
}

void Server::WaitForRoom(Connection* connection) {
  const std::lock_guard lock(connection->mutex);
  connection->blocked = true;
  epoll_event event = {};
  event.events = kWatch | EPOLLOUT;
  event.data.ptr = connection;
  epoll_ctl(connection->home->epoll, EPOLL_CTL_MOD, connection->fd(), &event);
}

void Server::Close(Connection* connection) {
  {
    const std::lock_guard lock(connections_mutex_);
    connections_.erase(connection);
  }
  clients_.fetch_sub(1, std::memory_order_relaxed);
  // It stays owned, so that events which are on their way find nothing to do.
  connection->CloseSocket();
  const std::lock_guard lock(connection->home->mutex);
  connection->home->closed.push_back(connection);
}

}  // namespace pool_server
