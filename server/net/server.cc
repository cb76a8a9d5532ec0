#include "server/net/server.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "fiber/net.h"
#include "rocksdb/cache.h"
#include "rocksdb/table.h"
#include "server/commands/command.h"
#include "server/net/connection.h"
#include "server/net/descriptors.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// After an accept that failed for want of descriptors or memory: twice as long each time.
constexpr uint64_t kAcceptPauseNanos = 10'000'000;
constexpr uint64_t kMaxAcceptPauseNanos = 1'000'000'000;
// Stacks for the deepest command over the deepest read of the engine.
constexpr size_t kStackBytes = 128 << 10;
// Short beside those of compactions, which do not care when they run.
constexpr uint64_t kSliceNanos = 200'000;

int Workers(const ServerOptions& options) {
  if (options.workers > 0) return options.workers;
  return 0;
}

// It is kept as its hash alone.
ServerOptions WithoutPassword(ServerOptions options) {
  options.password.clear();
  return options;
}

std::string CheckpointDirectory(const ServerOptions& options) {
  if (!options.checkpoint_directory.empty()) return options.checkpoint_directory;
  std::string directory = options.directory;
  while (directory.size() > 1 && directory.back() == '/') directory.pop_back();
  if (!directory.empty() && directory[0] != '/') {
    char current[4096];
    if (getcwd(current, sizeof(current)) != nullptr) {
      directory = std::string(current) + "/" + directory;
    }
  }
  return directory + "-checkpoints";
}

}  // namespace

Server::Server(const ServerOptions& options, Log* log)
    : options_(WithoutPassword(options)),
      log_(log),
      acl_(options.password, options.acl_file),
      checkpoints_(CheckpointDirectory(options), options.checkpoints_kept, log),
      disk_(options.directory, options.disk_reserve_bytes, log),
      stats_(fiber::RuntimeOptions::kMaxWorkers < 64 ? fiber::RuntimeOptions::kMaxWorkers : 64),
      slow_log_(options.slow_log_micros, options.slow_log_length),
      durability_(options.durability),
      idle_timeout_s_(options.idle_timeout_s),
      max_clients_(options.max_clients) {}

Status Server::Start(const ServerOptions& options, Log* log, std::unique_ptr<Server>* server) {
  std::unique_ptr<Server> started(new Server(options, log));
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = Workers(options);
  runtime_options.stack_size = kStackBytes;
  runtime_options.name = "server";
  runtime_options.slice_nanos = kSliceNanos;
  std::string error;
  if (fiber::Runtime::create(runtime_options, &started->runtime_, &error) != 0) {
    return Status::InvalidArgument("the workers cannot be started", error);
  }
  started->outboxes_ = std::vector<Outbox>(static_cast<size_t>(started->runtime_->workers()));
  if (!options.acl_file.empty()) {
    const bool named = !options.password.empty();
    const Acl::UserPtr before = started->acl_.Find(Acl::kDefault);
    AclChanges none;
    const Status s = started->acl_.Load(&none);
    if (!s.ok()) {
      started->Stop();
      started->Join().PermitUncheckedError();
      return s;
    }
    if (named && started->acl_.Find(Acl::kDefault) != before) {
      log->Warn("the default user is what the ACL file says, whatever the password option is");
    }
  }
  KeyspaceOptions keyspace_options;
  keyspace_options.directory = options.directory;
  keyspace_options.engine = options.engine;
  keyspace_options.databases = options.databases;
  keyspace_options.memory_limit = options.max_client_memory;
  if (options.max_client_memory == 0) {
    uint64_t needed = 4 * options.engine.write_buffer_size;
    const auto* const table =
        options.engine.table_factory == nullptr
            ? nullptr
            : options.engine.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (table != nullptr && table->block_cache != nullptr) {
      needed += table->block_cache->GetCapacity();
    }
    keyspace_options.memory_limit = DefaultMemoryLimit(needed);
  }
  const auto open = [&] { return Keyspace::Open(keyspace_options, &started->keyspace_); };
  Status s = started->runtime_->run(open);
  if (s.IsNoSpace() && started->disk_.GiveUpFile()) {
    log->Error("the disk is full: the store is opened with the reserve", {{"error", s.ToString()}});
    s = started->runtime_->run(open);
  }
  if (s.ok()) {
    started->started_at_ms_ = started->keyspace_->NowMillis();
    started->disk_.Start(started->keyspace_.get());
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
  log_->Info("listening", {{tls == nullptr ? "address" : "tls", bound.to_string()}});
  return Status::OK();
}

Status Server::ListenOnPort(int port, TlsContext* tls) {
  fiber::net::Address address;
  if (port > 65535 ||
      fiber::net::Address::parse(options_.bind, static_cast<uint16_t>(port), &address) != 0) {
    return Status::InvalidArgument("bind takes a numeric address, port and tls_port 0 to 65535",
                                   options_.bind + ":" + std::to_string(port));
  }
  const bool certified = tls != nullptr && options_.tls.auth_clients == TlsClients::kYes;
  if (!IsLoopback(address) && acl_.open() && !certified) {
    return Status::InvalidArgument(
        "an address that other machines reach needs a password (or an ACL file that closes the "
        "default user or, with TLS, tls_auth_clients): "
        "give one, or bind 127.0.0.1",
        address.to_string());
  }
  return ListenOn(address, tls);
}

Status Server::Listen() {
  if (options_.port >= 0) {
    Status s = ListenOnPort(options_.port, nullptr);
    if (!s.ok()) return s;
  }
  if (options_.tls_port >= 0) {
    Status s = TlsContext::Create(options_.tls, &tls_);
    if (s.ok()) s = ListenOnPort(options_.tls_port, tls_.get());
    if (!s.ok()) return s;
  }
  if (!options_.unix_socket.empty()) {
    fiber::net::Address address;
    if (fiber::net::Address::unix_path(options_.unix_socket, &address) != 0) {
      return Status::InvalidArgument("the path of the Unix socket is too long",
                                     options_.unix_socket);
    }
    // What a server that was killed left behind; a living one answers.
    const int fd = fiber::net::connect_to(address);
    if (fd >= 0) {
      fiber::net::close(fd);
      return Status::IOError("another server has the Unix socket", options_.unix_socket);
    }
    if (fd == -ECONNREFUSED) fiber::io::unlink(options_.unix_socket.c_str());
    Status s = ListenOn(address, nullptr);
    if (!s.ok()) return s;
  }
  if (listeners_.empty()) {
    return Status::InvalidArgument("neither a port nor a Unix socket is given");
  }
  for (const auto& listener : listeners_) {
    acceptors_.push_back(
        runtime_->spawn([this, listener] { Accept(listener.first, listener.second); }));
  }
  return Status::OK();
}

bool Server::IsLoopback(const fiber::net::Address& address) {
  const std::string text = address.to_string();
  return text.rfind("127.", 0) == 0 || text.rfind("[::1]", 0) == 0;
}

void Server::Accept(int listener, TlsContext* tls) {
  int next_worker = 0;
  uint64_t pause = 0;
  while (!stopping()) {
    const int fd = fiber::net::accept(listener);
    if (fd < 0) {
      if (fd == -ECONNABORTED || fd == -EPROTO || fd == -EPERM || stopping()) continue;
      if (pause == 0) log_->Warn("connections wait", {{"error", std::strerror(-fd)}});
      pause = std::clamp(2 * pause, kAcceptPauseNanos, kMaxAcceptPauseNanos);
      static_cast<void>(stop_.wait_until(fiber::deadline_after(pause)));
      continue;
    }
    if (pause != 0) log_->Info("connections are accepted again");
    pause = 0;
    fiber::net::set_nodelay(fd, true);  // a Unix socket refuses, which is as well
    stats_.AddConnection();
    if (!Admit()) {
      stats_.AddRejected();
      static constexpr std::string_view kFull = "-ERR max number of clients reached\r\n";
      if (tls == nullptr) fiber::net::send(fd, kFull.data(), kFull.size(), MSG_DONTWAIT);
      fiber::net::close(fd);
      continue;
    }
    const uint64_t id = next_client_.fetch_add(1);
    fiber::SpawnOptions spawn_options;
    spawn_options.name = "client";
    spawn_options.worker = next_worker;
    next_worker = (next_worker + 1) % runtime_->workers();
    runtime_->spawn(spawn_options, [this, fd, id, tls] { ServeConnection(fd, id, tls); }).detach();
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
  stats_.AddFailedHandshake();
  // Who sends garbage does not fill the log.
  constexpr uint64_t kPauseMs = 1000;
  const uint64_t now = keyspace_->NowMillis();
  uint64_t noted = handshake_noted_ms_.load(std::memory_order_relaxed);
  if (now - noted < kPauseMs || !handshake_noted_ms_.compare_exchange_strong(noted, now)) return;
  log_->Warn("a TLS handshake failed", {{"address", address}, {"error", error}});
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

void Server::ForEachConnection(const std::function<void(Connection&)>& use) {
  const fiber::MutexLock lock(&mutex_);
  for (const auto& [id, connection] : connections_) use(*connection);
}

bool Server::SetMaxClients(size_t count, std::string* error) {
  if (options_.descriptor_limit != 0) {
    DescriptorPlan plan;
    Status s = PlanDescriptors(options_.descriptor_limit, count, &plan);
    if (s.ok() && plan.clients < count) {
      *error =
          "The operating system is not able to handle the specified number of clients, try with " +
          std::to_string(plan.clients);
      return false;
    }
    if (s.ok()) {
      s = keyspace_->db()->SetDBOptions({{"max_open_files", std::to_string(plan.max_open_files)}});
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
  log_->Info("what can change is read again");
  Status s = log_->Reopen();
  if (!s.ok()) {
    log_->Error("the log goes on in the old file", {{"error", s.ToString()}});
  } else if (!log_->file().empty()) {
    log_->Info("the log was opened again", {{"file", log_->file()}});
  }
  if (tls_ != nullptr) {
    s = tls_->Reload(options_.tls);
    if (s.ok()) {
      log_->Info("the certificates were read again", {{"file", options_.tls.cert_file}});
    } else {
      log_->Error("the certificates stay as they were", {{"error", s.ToString()}});
    }
  }
  if (!acl_.file().empty()) {
    AclChanges changes;
    s = acl_.Load(&changes);
    if (s.ok()) {
      DropUsers(changes, nullptr);
      log_->Info("the users were read again",
                 {{"file", acl_.file()}, {"users", std::to_string(acl_.Users().size())}});
    } else {
      log_->Error("the users stay as they were", {{"error", s.ToString()}});
    }
  }
}

bool Server::MayWatch(std::string_view user, std::string_view password) {
  const Acl::UserPtr found = acl_.LogIn(user, password);
  static constexpr std::string_view kInfo[] = {"info"};
  size_t position;
  return found != nullptr &&
         found->Check(*FindCommand(kInfo[0]), kInfo, &position) == AclUser::Denied::kNothing;
}

void Server::DropUsers(const AclChanges& changes, Session* self) {
  if (changes.deleted.empty() && changes.fewer_channels.empty()) return;
  const auto among = [](const std::vector<uint64_t>& ids, uint64_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  ForEachConnection([&](Connection& connection) {
    Session& session = connection.session();
    const uint64_t id = session.user_id.load();
    const bool listens = session.subscriptions.load() != 0;
    if (!among(changes.deleted, id) && !(listens && among(changes.fewer_channels, id))) return;
    if (&session == self) {
      session.close_after_reply = true;
    } else {
      connection.Kill();
    }
  });
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
  if (!options_.unix_socket.empty() && !listeners_.empty()) {
    fiber::io::unlink(options_.unix_socket.c_str());
  }
  // Whoever has sent nothing that is under way goes at once, the others when they are done.
  const uint64_t deadline = fiber::deadline_after(options_.drain_timeout_s * 1'000'000'000);
  bool patient = true;
  for (;;) {
    ForEachConnection([&](Connection& connection) {
      if (!patient || connection.idle()) connection.Kill();
      connection.Wake();
    });
    const fiber::MutexLock lock(&mutex_);
    if (clients_ == 0) break;
    if (patient && fiber::now_nanos() >= deadline) {
      log_->Warn("clients that are not done are dropped", {{"clients", std::to_string(clients_)}});
      patient = false;
    }
    (void)all_left_.wait_until(&mutex_, fiber::deadline_after(20'000'000));
  }
  Status s;
  checkpoints_.Wait();
  disk_.Stop();
  if (keyspace_ != nullptr) s = runtime_->run([this] { return keyspace_->Close(); });
  runtime_.reset();
  log_->Info("stopped", {{"status", s.ToString()}});
  return s;
}

Server::~Server() {
  Stop();
  Join().PermitUncheckedError();
}

}  // namespace cairn::server
