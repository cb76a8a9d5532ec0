#include "server/state/server_state.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/table.h"
#include "server/host/machine.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// Stacks for the deepest command over the deepest read of the engine.
constexpr size_t kStackBytes = 128 << 10;
// Short beside those of compactions, which do not care when they run.
constexpr uint64_t kSliceNanos = 200'000;

// It is kept as its hash alone.
ServerOptions WithoutPassword(ServerOptions options) {
  options.password.clear();
  return options;
}

std::string CheckpointDirectory(const ServerOptions& options) {
  if (!options.checkpoint_directory.empty()) return options.checkpoint_directory;
  std::string directory = options.directory;
  while (directory.size() > 1 && FolderLength(directory) == directory.size()) directory.pop_back();
  std::string absolute;
  if (!directory.empty() && rocksdb::Env::Default()->GetAbsolutePath(directory, &absolute).ok()) {
    directory = absolute;
  }
  return directory + "-checkpoints";
}

uint64_t MemoryLimit(const ServerOptions& options) {
  if (options.max_client_memory != 0) return options.max_client_memory;
  uint64_t needed = 4 * options.engine.write_buffer_size;
  const auto* const table =
      options.engine.table_factory == nullptr
          ? nullptr
          : options.engine.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr && table->block_cache != nullptr) {
    needed += table->block_cache->GetCapacity();
  }
  return DefaultMemoryLimit(needed);
}

}  // namespace

ServerState::ServerState(const ServerOptions& options, const Permissions& permissions,
                         Frontend* frontend, Log* log)
    : options_(WithoutPassword(options)),
      frontend_(*frontend),
      log_(log),
      acl_(permissions, options.password, options.acl_file),
      checkpoints_(CheckpointDirectory(options), options.checkpoints_kept, log),
      disk_(options.directory, options.disk_reserve_bytes, log),
      stats_(std::min(fiber::RuntimeOptions::kMaxWorkers, 64)),
      slow_log_(options.slow_log_micros, options.slow_log_length),
      durability_(options.durability),
      idle_timeout_s_(options.idle_timeout_s) {}

Status ServerState::Open() {
  Status s = StartWorkers();
  if (s.ok() && !options_.acl_file.empty()) s = LoadUsers();
  if (s.ok()) s = OpenKeyspace();
  return s;
}

Status ServerState::StartWorkers() {
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = std::max(options_.workers, 0);
  runtime_options.stack_size = kStackBytes;
  runtime_options.name = "server";
  runtime_options.slice_nanos = kSliceNanos;
  std::string error;
  if (fiber::Runtime::create(runtime_options, &runtime_, &error) != 0) {
    return Status::InvalidArgument("the workers cannot be started", error);
  }
  return Status::OK();
}

Status ServerState::LoadUsers() {
  const Acl::UserPtr before = acl_.Find(Acl::kDefault);
  const bool had_password = acl_.default_has_password();
  AclChanges none;
  Status s = acl_.Load(&none);
  if (s.ok() && had_password && acl_.Find(Acl::kDefault) != before) {
    log_->Warn("the default user is what the ACL file says, whatever the password option is");
  }
  return s;
}

Status ServerState::OpenKeyspace() {
  KeyspaceOptions keyspace_options;
  keyspace_options.directory = options_.directory;
  keyspace_options.engine = options_.engine;
  keyspace_options.databases = options_.databases;
  keyspace_options.memory_limit = MemoryLimit(options_);
  const auto open = [&] { return Keyspace::Open(keyspace_options, &keyspace_); };
  Status s = runtime_->run(open);
  if (s.IsNoSpace() && disk_.GiveUpFile()) {
    log_->Error("the disk is full: the store is opened with the reserve",
                {{"error", s.ToString()}});
    s = runtime_->run(open);
  }
  if (!s.ok()) return s;
  started_at_ms_ = keyspace_->NowMillis();
  disk_.Start(keyspace_.get());
  return s;
}

Status ServerState::Close() {
  Status s;
  checkpoints_.Wait();
  disk_.Stop();
  if (keyspace_ != nullptr) s = runtime_->run([this] { return keyspace_->Close(); });
  runtime_.reset();
  return s;
}

void ServerState::DropUsers(const AclChanges& changes, Session* self) {
  if (changes.deleted.empty() && changes.fewer_channels.empty()) return;
  const auto among = [](const std::vector<uint64_t>& ids, uint64_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  frontend_.ForEachClient([&](ConnectedClient& client) {
    Session& session = client.session();
    const uint64_t id = session.user_id.load();
    const bool listens = session.subscriptions.load() != 0;
    if (!among(changes.deleted, id) && !(listens && among(changes.fewer_channels, id))) return;
    if (&session == self) {
      session.close_after_reply = true;
    } else {
      client.Kill();
    }
  });
}

}  // namespace cairn::server
