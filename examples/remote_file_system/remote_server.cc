#include "remote_file_system/remote_server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fiber/io.h"
#include "fiber/net.h"
#include "fiber/sync.h"
#include "remote_file_system/protocol.h"

namespace remote {

namespace {
constexpr uint32_t kMaxInFlight = 256;  // of one connection; then it is not read from
}

struct RemoteServer::Connection {
  explicit Connection(int fd) : fd(fd) {}

  const int fd;
  fiber::Semaphore places{kMaxInFlight};
  fiber::Mutex sending;
};

std::unique_ptr<RemoteServer> RemoteServer::Start(const std::string& directory, uint16_t port,
                                                  std::string* error) {
  const int listener = fiber::net::listen_on(fiber::net::Address::loopback_v4(port));
  fiber::net::Address address;
  const int result = listener < 0 ? listener : fiber::net::local_address(listener, &address);
  if (result < 0) {
    *error = "cannot listen: " + std::string(std::strerror(-result));
    if (listener >= 0) fiber::net::close(listener);
    return nullptr;
  }
  return std::unique_ptr<RemoteServer>(new RemoteServer(directory, listener, address.port()));
}

RemoteServer::RemoteServer(std::string directory, int listener, uint16_t port)
    : directory_(std::move(directory)),
      listener_(listener),
      port_(port),
      runtime_({.workers = 1, .name = "remote_server"}) {
  runtime_.spawn([this] { Accept(); }).detach();
}

RemoteServer::~RemoteServer() {
  {
    fiber::MutexLock lock(&mutex_);
    stopping_ = true;
    for (const int fd : open_) fiber::net::shutdown(fd, fiber::net::kShutBoth);
  }
  fiber::net::close(listener_);
}

int64_t RemoteServer::requests() const {
  fiber::MutexLock lock(&mutex_);
  return requests_;
}

int RemoteServer::most_in_flight() const {
  fiber::MutexLock lock(&mutex_);
  return most_in_flight_;
}

void RemoteServer::set_hook(Hook hook) {
  fiber::MutexLock lock(&mutex_);
  hook_ = std::move(hook);
  requests_ = 0;
  most_in_flight_ = in_flight_;
}

void RemoteServer::Accept() {
  for (;;) {
    const int fd = fiber::net::accept(listener_);
    fiber::MutexLock lock(&mutex_);
    if (stopping_) {
      if (fd >= 0) fiber::net::close(fd);
      return;
    }
    if (fd < 0) {  // out of descriptors, say: the connection waits until there are some
      lock.unlock();
      fiber::sleep_for(10'000'000);
      lock.lock();
      continue;
    }
    open_.insert(fd);
    fiber::net::set_nodelay(fd, true);
    runtime_.spawn([this, connection = std::make_shared<Connection>(fd)] { Serve(connection); })
        .detach();
  }
}

void RemoteServer::Serve(const std::shared_ptr<Connection>& connection) {
  const int fd = connection->fd;
  for (;;) {
    RequestHeader header;
    if (fiber::net::recv_exactly(fd, &header, sizeof(header)) != sizeof(header)) break;
    if (header.name_size > kMaxNameBytes) break;
    Request request{std::string(header.name_size, '\0'), header.offset, header.length};
    if (fiber::net::recv_exactly(fd, request.name.data(), request.name.size()) !=
        static_cast<ptrdiff_t>(request.name.size())) {
      break;
    }
    connection->places.acquire();
    Hook hook;
    {
      fiber::MutexLock lock(&mutex_);
      hook = hook_;
      ++requests_;
      most_in_flight_ = std::max(most_in_flight_, ++in_flight_);
    }
    runtime_
        .spawn([this, connection, id = header.id, request = std::move(request),
                hook = std::move(hook)] { Handle(connection.get(), id, request, hook); })
        .detach();
  }
  connection->places.acquire(kMaxInFlight);  // all are answered
  {
    fiber::MutexLock lock(&mutex_);
    open_.erase(fd);
  }
  fiber::net::close(fd);
}

void RemoteServer::Handle(Connection* connection, uint64_t id, const Request& request,
                          const Hook& hook) {
  Answer answer = Read(request);
  if (hook != nullptr) hook(request, &answer);
  {
    fiber::MutexLock lock(&mutex_);
    --in_flight_;
  }
  const AnswerHeader header{id, answer.file_size, static_cast<uint32_t>(answer.data.size()),
                            answer.error};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof(header));
  frame += answer.data;
  {
    fiber::MutexLock lock(&connection->sending);
    if (answer.drop_connection ||
        fiber::net::send_all(connection->fd, frame.data(), frame.size()) < 0) {
      fiber::net::shutdown(connection->fd, fiber::net::kShutBoth);
    }
  }
  connection->places.release();
}

RemoteServer::Answer RemoteServer::Read(const Request& request) const {
  Answer answer;
  const auto failed = [&answer](int error) {
    answer.error = error;
    answer.data.clear();
    return answer;
  };
  // What is asked for is not to be trusted.
  if (!request.name.starts_with(directory_ + "/") ||
      (request.name + "/").find("/../") != std::string::npos ||
      request.name.find_first_of(std::string_view("\0\\", 2)) != std::string::npos) {
    return failed(EACCES);
  }
  if (request.length > kMaxReadBytes) return failed(EINVAL);
  const int fd = fiber::io::open(request.name.c_str(), fiber::io::kReadOnly);
  if (fd < 0) return failed(-fd);
  fiber::io::FileStatus info;
  ptrdiff_t result = fiber::io::file_status(fd, &info);
  if (result == 0) {
    answer.file_size = static_cast<uint64_t>(info.st_size);
    answer.data.resize(request.length);
    size_t got = 0;
    do {
      result = fiber::io::pread(fd, answer.data.data() + got, answer.data.size() - got,
                                request.offset + got);
      got += result > 0 ? static_cast<size_t>(result) : 0;
    } while (result > 0 && got < answer.data.size());
    answer.data.resize(got);
  }
  fiber::io::close(fd);
  return result < 0 ? failed(static_cast<int>(-result)) : answer;
}

}  // namespace remote
