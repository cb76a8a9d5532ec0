// Backups: one directory of a world, which lives through all its lives and power cuts. Who makes
// one restores it, or an older one, beside the database, and finds there what it had then.
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/utilities/backup_engine.h"
#include "sim/client.h"
#include "sim/world.h"

namespace cairn::sim {

using rocksdb::Status;

namespace {

constexpr char kBackups[] = "/backups";
constexpr size_t kMostBackups = 3;

}  // namespace

void Client::BackUp() {
  // (A directory is one engine's at a time.)
  if (world_->backups_in_use().exchange(true)) return GetOne();
  const struct Use {
    std::atomic<bool>& in_use;
    ~Use() { in_use = false; }
  } use{world_->backups_in_use()};
  rocksdb::BackupEngineOptions options(kBackups);
  options.max_background_operations = static_cast<int>(1 + random_.Uniform(3));
  rocksdb::BackupEngine* opened = nullptr;
  rocksdb::Env* const env = world_->db()->GetEnv();
  if (!Ok("open backups", "", rocksdb::BackupEngine::Open(options, env, &opened))) return;
  const std::unique_ptr<rocksdb::BackupEngine> engine(opened);
  std::map<uint32_t, World::Backup>& backups = world_->backups();
  for (const auto& [id, backup] : backups) {
    if (!Ok("backup is there", std::to_string(id), engine->VerifyBackup(id))) return;
  }

  rocksdb::CreateBackupOptions how;
  how.flush_before_backup = random_.OneIn(2) || plan_.without_log;
  uint32_t id = 0;
  Status s = engine->CreateNewBackup(how, world_->db(), &id);
  if (s.ok()) backups[id] = {id_, ledger_.state()};
  if (!Ok("make a backup", std::to_string(id), s)) return;
  if (backups.size() > kMostBackups) {
    const uint32_t oldest = backups.begin()->first;
    // (One that fails has deleted it, or not.)
    backups.erase(oldest);
    if (!Ok("delete a backup", std::to_string(oldest), engine->DeleteBackup(oldest))) return;
  }

  // Its own, mostly: of another's keys it knows nothing.
  auto which = backups.find(id);
  if (random_.OneIn(3)) which = std::next(backups.begin(), random_.Uniform(backups.size()));
  const std::string path = "/restored of " + prefix_.substr(0, 3) + "-" + std::to_string(number_);
  s = engine->RestoreDBFromBackup(which->first, path, path);
  if (!Ok("restore a backup", std::to_string(which->first), s)) return;
  LookAtCopy(path, /*own_logs=*/true, which->second.client == id_ ? &which->second.state : nullptr,
             "a backup");
}

}  // namespace cairn::sim
