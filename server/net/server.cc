#include "server/net/server.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "server/commands/registry.h"
#include "server/host/address.h"
#include "server/host/descriptors.h"
#include "server/net/connection.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// After an accept that failed for want of descriptors or memory: twice as long each time.
constexpr uint64_t kAcceptPauseNanos = 10'000'000;
constexpr uint64_t kMaxAcceptPauseNanos = 1'000'000'000;

}  // namespace

Server::Server(const ServerOptions& options, Log* log)
    : state_(options, CommandPermissions(), this, log), max_clients_(options.max_clients) {}

Status Server::Start(const ServerOptions& options, Log* log, std::unique_ptr<Server>* server) {
  std::unique_ptr<Server> started(new Server(options, log));
  Status s = started->state_.Open();
  if (s.ok()) {
    started->outboxes_ =
        std::vector<Outbox>(static_cast<size_t>(started->state_.runtime().workers()));
    s = started->Listen();
  }
  if (!s.ok()) {
    started->Stop();
    started->Join().PermitUncheckedError();
    return s;
  }
  *server = std::move(started);
  return s;
}

RequestParser::Limits Server::request_limits() const {
  const ServerOptions& options = state_.options();
  return {options.max_arguments, options.max_argument_bytes, options.max_request_bytes, 64 << 10};
}

Status Server::ListenOn(const fiber::net::Address& address, TlsContext* tls) {
  const int fd = fiber::net::listen_on(address, 4096);
  if (fd < 0) {
    std::string text = "cannot listen on " + address.to_string();
    if (fd == -EADDRINUSE) text += ": another server has the address; choose another port";
    return Status::IOError(text, std::strerror(-fd));
  }
  listeners_.emplace_back(fd, tls);
  fiber::net::Address bound;
  if (fiber::net::local_address(fd, &bound) == 0 && bound.port() != 0) {
    (tls == nullptr ? port_ : tls_port_) = bound.port();
  }
  state_.log().Info("listening", {{tls == nullptr ? "address" : "tls", bound.to_string()}});
  return Status::OK();
}

Status Server::ListenOnPort(int port, TlsContext* tls) {
  fiber::net::Address address;
  if (port > 65535 || fiber::net::Address::parse(state_.options().bind, static_cast<uint16_t>(port),
                                                 &address) != 0) {
    return Status::InvalidArgument("bind takes a numeric address, port and tls_port 0 to 65535",
                                   state_.options().bind + ":" + std::to_string(port));
  }
  const bool certified = tls != nullptr && state_.options().tls.auth_clients == TlsClients::kYes;
  if (!IsLoopback(address) && state_.acl().open() && !certified) {
    return Status::InvalidArgument(
        "an address that other machines reach needs a password (or an ACL file that closes the "
        "default user or, with TLS, tls_auth_clients): "
        "give one, or bind 127.0.0.1",
        address.to_string());
  }
  return ListenOn(address, tls);
}

Status Server::Listen() {
  if (state_.options().port >= 0) {
    Status s = ListenOnPort(state_.options().port, nullptr);
    if (!s.ok()) return s;
  }
  if (state_.options().tls_port >= 0) {
    Status s = TlsContext::Create(state_.options().tls, &tls_);
    if (s.ok()) s = ListenOnPort(state_.options().tls_port, tls_.get());
    if (!s.ok()) return s;
  }
  if (!state_.options().unix_socket.empty()) {
    fiber::net::Address address;
    if (fiber::net::Address::unix_path(state_.options().unix_socket, &address) != 0) {
      return Status::InvalidArgument("the path of the Unix socket is too long",
                                     state_.options().unix_socket);
    }
    // What a server that was killed left behind; a living one answers.
    const int fd = fiber::net::connect_to(address);
    if (fd >= 0) {
      fiber::net::close(fd);
      return Status::IOError("another server has the Unix socket", state_.options().unix_socket);
    }
    if (fd == -ECONNREFUSED) fiber::io::unlink(state_.options().unix_socket.c_str());
    Status s = ListenOn(address, nullptr);
    if (!s.ok()) return s;
  }
  if (listeners_.empty()) {
    return Status::InvalidArgument("neither a port nor a Unix socket is given");
  }
  for (const auto& listener : listeners_) {
    acceptors_.push_back(
        state_.runtime().spawn([this, listener] { Accept(listener.first, listener.second); }));
  }
  return Status::OK();
}

void Server::Accept(int listener, TlsContext* tls) {
  int next_worker = 0;
  uint64_t pause = 0;
  while (!stopping()) {
    const int fd = fiber::net::accept(listener);
    if (fd < 0) {
      if (fd == -ECONNABORTED || fd == -EPROTO || fd == -EPERM || stopping()) continue;
      if (pause == 0) state_.log().Warn("connections wait", {{"error", std::strerror(-fd)}});
      pause = std::clamp(2 * pause, kAcceptPauseNanos, kMaxAcceptPauseNanos);
      static_cast<void>(stop_.wait_until(fiber::deadline_after(pause)));
      continue;
    }
    if (pause != 0) state_.log().Info("connections are accepted again");
    pause = 0;
    fiber::net::set_nodelay(fd, true);  // a Unix socket refuses, which is as well
    state_.stats().AddConnection();
    if (!Admit()) {
      state_.stats().AddRejected();
      static constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";
      if (tls == nullptr) fiber::net::send(fd, kFull.data(), kFull.size(), fiber::net::kDontWait);
      fiber::net::close(fd);
      continue;
    }
    const uint64_t id = next_client_.fetch_add(1);
    fiber::SpawnOptions spawn_options;
    spawn_options.name = "client";
    spawn_options.worker = next_worker;
    next_worker = (next_worker + 1) % state_.runtime().workers();
    state_.runtime()
        .spawn(spawn_options, [this, fd, id, tls] { ServeConnection(fd, id, tls); })
        .detach();
  }
}

void Server::ServeConnection(int fd, uint64_t id, TlsContext* tls) {
  const auto connection = std::make_unique<Connection>(this, fd, id, tls);
  {
    const fiber::MutexLock lock(&mutex_);
    connections_.emplace(id, connection.get());
  }
  connection->Serve();
}

void Server::NoteFailedHandshake(const std::string& address, const std::string& error) {
  state_.stats().AddFailedHandshake();
  // Who sends garbage does not fill the log.
  constexpr uint64_t kPauseMs = 1000;
  const uint64_t now = state_.keyspace().NowMillis();
  uint64_t noted = handshake_noted_ms_.load(std::memory_order_relaxed);
  if (now - noted < kPauseMs || !handshake_noted_ms_.compare_exchange_strong(noted, now)) return;
  state_.log().Warn("a TLS handshake failed", {{"address", address}, {"error", error}});
}

void Server::RemoveConnection(Connection* connection) {
  const fiber::MutexLock lock(&mutex_);
  connections_.erase(connection->session().id);
  if (--clients_ == 0) all_left_.notify_all();
}

bool Server::Admit() {
  const fiber::MutexLock lock(&mutex_);
  if (clients_ >= max_clients()) return false;
  ++clients_;
  return true;
}

size_t Server::clients() {
  const fiber::MutexLock lock(&mutex_);
  return clients_;
}

void Server::ForEachClient(const std::function<void(ConnectedClient&)>& use) {
  const fiber::MutexLock lock(&mutex_);
  for (const auto& [id, connection] : connections_) use(*connection);
}

bool Server::SetMaxClients(size_t count, std::string* error) {
  if (state_.options().descriptor_limit != 0) {
    DescriptorPlan plan;
    Status s = PlanDescriptors(state_.options().descriptor_limit, count, &plan);
    if (s.ok() && plan.clients < count) {
      *error =
          "The operating system is not able to handle the specified number of clients, try with " +
          std::to_string(plan.clients);
      return false;
    }
    if (s.ok()) {
      s = state_.keyspace().db()->SetDBOptions(
          {{"max_open_files", std::to_string(plan.max_open_files)}});
    }
    if (!s.ok()) {
      *error = s.ToString();
      return false;
    }
  }
  max_clients_.store(count);
  return true;
}

void Server::Reload() {
  if (stopping()) return;
  state_.log().Info("what can change is read again");
  Status s = state_.log().Reopen();
  if (!s.ok()) {
    state_.log().Error("the log goes on in the old file", {{"error", s.ToString()}});
  } else if (!state_.log().file().empty()) {
    state_.log().Info("the log was opened again", {{"file", state_.log().file()}});
  }
  if (tls_ != nullptr) {
    s = tls_->Reload(state_.options().tls);
    if (s.ok()) {
      state_.log().Info("the certificates were read again",
                        {{"file", state_.options().tls.cert_file}});
    } else {
      state_.log().Error("the certificates stay as they were", {{"error", s.ToString()}});
    }
  }
  if (!state_.acl().file().empty()) {
    AclChanges changes;
    s = state_.acl().Load(&changes);
    if (s.ok()) {
      state_.DropUsers(changes, nullptr);
      state_.log().Info(
          "the users were read again",
          {{"file", state_.acl().file()}, {"users", std::to_string(state_.acl().Users().size())}});
    } else {
      state_.log().Error("the users stay as they were", {{"error", s.ToString()}});
    }
  }
}

void Server::Stop() {
  stopping_.store(true, std::memory_order_seq_cst);
  stop_.set();
}

Status Server::Join() {
  if (joined_) return Status::OK();
  stop_.wait();
  joined_ = true;
  for (const auto& listener : listeners_) fiber::net::close(listener.first);
  for (fiber::JoinHandle& acceptor : acceptors_) acceptor.join();
  if (!state_.options().unix_socket.empty() && !listeners_.empty()) {
    fiber::io::unlink(state_.options().unix_socket.c_str());
  }
  // Whoever has sent nothing that is under way goes at once, the others when they are done.
  const uint64_t deadline = fiber::deadline_after(state_.options().drain_timeout_s * 1'000'000'000);
  bool patient = true;
  for (;;) {
    const fiber::MutexLock lock(&mutex_);
    for (const auto& [id, connection] : connections_) {
      if (!patient || connection->idle()) connection->Kill();
      connection->Wake();
    }
    if (clients_ == 0) break;
    if (patient && fiber::now_nanos() >= deadline) {
      state_.log().Warn("clients that are not done are dropped",
                        {{"clients", std::to_string(clients_)}});
      patient = false;
    }
    (void)all_left_.wait_until(&mutex_, fiber::deadline_after(20'000'000));
  }
  const Status s = state_.Close();
  state_.log().Info("stopped", {{"status", s.ToString()}});
  return s;
}

Server::~Server() {
  Stop();
  Join().PermitUncheckedError();
}

}  // namespace cairn::server
