#include "remote_file_system/remote_client.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "fiber/clock.h"
#include "fiber/thread.h"
#include "remote_file_system/protocol.h"

namespace remote {

using rocksdb::IOStatus;

namespace {

constexpr uint64_t kMillisecond = 1'000'000;  // nanoseconds
constexpr std::string_view kScheme = "remote://";
constexpr std::string_view kTimeout = "?timeout_ms=";

template <typename Number>
bool ParseAll(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

IOStatus FromErrno(const std::string& what, int error) {
  const char* const why = std::strerror(error);
  switch (error) {
    case ENOENT:
      return IOStatus::PathNotFound(what, why);
    case ETIMEDOUT:
      return IOStatus::TimedOut(what, why);
    default:
      return IOStatus::IOError(what, why);
  }
}

}  // namespace

// An open socket and the thread that receives from it.
class RemoteClient::Connection {
 public:
  Connection(RemoteClient* client, int fd)
      : fd_(fd), receiver_("remote", [client, this] { client->Receive(this, fd_); }) {}
  ~Connection() {
    fiber::net::close(fd_);  // the receiver's wait ends
    receiver_.join();
  }

  bool lost = false;  // guarded by the client's mutex_

  // False: part of it may be sent; the connection is then at its end.
  bool Send(const std::string& frame, uint64_t deadline) {
    if (sending_.try_lock_until(deadline)) {
      const ptrdiff_t sent = fiber::net::send_all(fd_, frame.data(), frame.size(), deadline);
      sending_.unlock();
      if (sent >= 0) return true;
    }
    fiber::net::shutdown(fd_, fiber::net::kShutBoth);
    return false;
  }

 private:
  const int fd_;
  fiber::Mutex sending_;
  fiber::Thread receiver_;  // last: it uses the rest
};

IOStatus RemoteClient::Connect(const std::string& uri, std::shared_ptr<RemoteClient>* result) {
  std::string_view rest = uri;
  uint64_t timeout_ms = 10'000;
  const size_t timeout_at = rest.find(kTimeout);
  if (timeout_at != std::string_view::npos) {
    if (!ParseAll(rest.substr(timeout_at + kTimeout.size()), &timeout_ms)) {
      return IOStatus::InvalidArgument("not a number of milliseconds", uri);
    }
    rest = rest.substr(0, timeout_at);
  }
  const size_t colon = rest.rfind(':');
  uint16_t port = 0;
  fiber::net::Address address;
  if (!rest.starts_with(kScheme) || colon < kScheme.size() ||
      !ParseAll(rest.substr(colon + 1), &port) ||
      fiber::net::Address::parse(rest.substr(kScheme.size(), colon - kScheme.size()), port,
                                 &address) != 0) {
    return IOStatus::InvalidArgument("not of the form remote://ADDRESS:PORT[?timeout_ms=N]", uri);
  }
  timeout_ms = std::min<uint64_t>(timeout_ms, 24 * 3600 * 1000);
  std::shared_ptr<RemoteClient> client(
      new RemoteClient(std::string(rest), address, timeout_ms * kMillisecond));
  IOStatus s;
  if (client->Connected(fiber::deadline_after(client->timeout_), &s) != nullptr) *result = client;
  return s;
}

RemoteClient::RemoteClient(std::string server, const fiber::net::Address& address, uint64_t timeout)
    : server_(std::move(server)), address_(address), timeout_(timeout) {}

RemoteClient::~RemoteClient() {
  std::shared_ptr<Connection> last;
  fiber::MutexLock lock(&mutex_);
  last.swap(connection_);
  lock.unlock();  // the receiver takes it before it ends
  last.reset();
  lock.lock();
}

std::shared_ptr<RemoteClient::Connection> RemoteClient::Connected(uint64_t deadline, IOStatus* s) {
  const auto present = [this] {
    fiber::MutexLock lock(&mutex_);
    return connection_ != nullptr && connection_->lost ? nullptr : connection_;
  };
  if (auto connection = present()) return connection;
  if (!connecting_.try_lock_until(deadline)) {
    *s = IOStatus::TimedOut("cannot connect", server_);
    return nullptr;
  }
  auto connection = present();
  if (connection == nullptr) {
    const int fd = fiber::net::connect_to(address_, deadline);
    if (fd < 0) {
      *s = FromErrno("cannot connect to " + server_, -fd);
    } else {
      fiber::net::set_nodelay(fd, true);
      connection = std::make_shared<Connection>(this, fd);
      std::shared_ptr<Connection> before = connection;
      fiber::MutexLock lock(&mutex_);
      connection_.swap(before);
      lock.unlock();  // the end of the one before waits for its receiver
      before.reset();
      lock.lock();
    }
  }
  connecting_.unlock();
  return connection;
}

void RemoteClient::Start(RemoteRead* read) {
  read->over = false;
  IOStatus s;
  const std::shared_ptr<Connection> connection = Connected(read->deadline, &s);
  RequestHeader header{0, read->offset, static_cast<uint32_t>(read->length),
                       static_cast<uint32_t>(read->name.size())};
  if (read->length > kMaxReadBytes || read->name.size() > kMaxNameBytes) {
    s = IOStatus::InvalidArgument("too long", read->name);
  }
  {
    fiber::MutexLock lock(&mutex_);
    if (s.ok() && connection->lost) s = IOStatus::IOError("connection lost", server_);
    header.id = read->id = ++last_id_;
    read->connection = connection.get();
    in_flight_[read->id] = read;
    if (!s.ok()) {
      Finish(read, s);
      return;
    }
  }
  std::string frame(reinterpret_cast<const char*>(&header), sizeof(header));
  frame += read->name;
  // After a failure the receiver ends, and all that is in flight with it.
  connection->Send(frame, read->deadline);
}

void RemoteClient::Finish(RemoteRead* read, IOStatus status) {
  in_flight_.erase(read->id);
  read->status = std::move(status);
  read->over = true;
  if (read->watcher != nullptr) read->watcher->release();
}

void RemoteClient::Wait(std::span<RemoteRead* const> reads, size_t wanted) {
  fiber::Semaphore ended(0);
  fiber::MutexLock lock(&mutex_);
  for (;;) {
    size_t over = 0;
    uint64_t deadline = fiber::kNoDeadline;
    for (RemoteRead* const read : reads) {
      if (read->over) {
        ++over;
        continue;
      }
      read->watcher = &ended;
      deadline = std::min(deadline, read->deadline);
    }
    if (over >= wanted) break;
    lock.unlock();
    const bool in_time = ended.acquire_until(deadline);
    lock.lock();
    if (in_time) continue;
    for (RemoteRead* const read : reads) {
      if (read->over || read->deadline > fiber::now_nanos()) continue;
      Finish(read, IOStatus::TimedOut("no answer from " + server_, read->name));
    }
  }
  for (RemoteRead* const read : reads) read->watcher = nullptr;
}

bool RemoteClient::IsOver(const RemoteRead& read) const {
  fiber::MutexLock lock(&mutex_);
  return read.over;
}

void RemoteClient::Abort(RemoteRead* read) {
  fiber::MutexLock lock(&mutex_);
  if (!read->over) Finish(read, IOStatus::Aborted("read", read->name));
}

void RemoteClient::Receive(Connection* connection, int fd) {
  std::string data;
  for (;;) {
    AnswerHeader header;
    if (fiber::net::recv_exactly(fd, &header, sizeof(header)) != sizeof(header)) break;
    if (header.length > kMaxReadBytes) break;  // no server of ours
    data.resize(header.length);
    if (fiber::net::recv_exactly(fd, data.data(), data.size()) !=
        static_cast<ptrdiff_t>(data.size())) {
      break;
    }
    fiber::MutexLock lock(&mutex_);
    const auto found = in_flight_.find(header.id);
    if (found == in_flight_.end()) continue;  // nobody waits for it any more
    RemoteRead* const read = found->second;
    const uint64_t left =
        header.file_size > read->offset ? header.file_size - read->offset : uint64_t{0};
    if (header.error != 0) {
      Finish(read, FromErrno(read->name, header.error));
    } else if (data.size() != std::min<uint64_t>(read->length, left)) {
      Finish(read, IOStatus::IOError("wrong number of bytes from " + server_, read->name));
    } else {
      if (!data.empty()) std::memcpy(read->scratch, data.data(), data.size());
      read->got = data.size();
      read->file_size = header.file_size;
      Finish(read, IOStatus::OK());
    }
  }
  fiber::MutexLock lock(&mutex_);
  connection->lost = true;
  for (auto next = in_flight_.begin(); next != in_flight_.end();) {
    RemoteRead* const read = (next++)->second;
    if (read->connection != connection) continue;
    Finish(read, IOStatus::IOError("connection lost to " + server_, read->name));
  }
}

}  // namespace remote
