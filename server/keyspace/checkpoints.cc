#include "server/keyspace/checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/io.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/checkpoint.h"
#include "server/host/log.h"
#include "server/host/machine.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

constexpr std::string_view kPrefix = "checkpoint-";
constexpr uint64_t kWaitNanos = 1'000'000;

// "checkpoint-20261123T010203.456789Z": in the order of time.
std::string NameOf(uint64_t micros) {
  const tm utc = ToUtc(micros / 1'000'000);
  char time[32];
  std::string name(kPrefix);
  name.append(time, std::strftime(time, sizeof(time), "%Y%m%dT%H%M%S.", &utc));
  std::string fraction = std::to_string(1'000'000 + micros % 1'000'000);
  return name + fraction.substr(1) + "Z";
}

}  // namespace

Status Checkpoints::Save(rocksdb::DB* db) {
  if (busy_.exchange(true)) return Status::Busy("another checkpoint is under way");
  Status s = Make(db);
  busy_.store(false);
  return s;
}

Status Checkpoints::SaveInBackground(rocksdb::DB* db, fiber::Runtime* runtime) {
  if (busy_.exchange(true)) return Status::Busy("another checkpoint is under way");
  runtime
      ->spawn([this, db] {
        Make(db).PermitUncheckedError();
        busy_.store(false);
      })
      .detach();
  return Status::OK();
}

void Checkpoints::Wait() {
  while (busy_.load()) fiber::sleep_for(kWaitNanos);
}

// Its name lasts before anything is in it. A parent that may not be opened is left to others.
int Checkpoints::MakeDirectory() const {
  // style: not for everybody's eyes, which the public API cannot say
  const int made = fiber::io::mkdir(directory_.c_str(), 0750);
  if (made < 0 && made != -EEXIST) return made;
  const int parent =
      fiber::io::open((directory_ + "/..").c_str(), fiber::io::kReadOnly | fiber::io::kDirectory);
  if (parent < 0) return parent == -EACCES ? 0 : parent;
  const int synced = fiber::io::fsync(parent);
  (void)fiber::io::close(parent);
  return synced == -EINVAL || synced == -EROFS ? 0 : synced;
}

Status Checkpoints::Make(rocksdb::DB* db) {
  const uint64_t micros = fiber::wall_micros();
  const std::string name = directory_ + "/" + NameOf(micros);
  const int made = MakeDirectory();
  Status s;
  if (made < 0) s = Status::IOError("cannot make " + directory_, std::strerror(-made));
  rocksdb::Checkpoint* checkpoint = nullptr;
  if (s.ok()) s = rocksdb::Checkpoint::Create(db, &checkpoint);
  const std::unique_ptr<rocksdb::Checkpoint> owned(checkpoint);
  if (s.ok()) s = checkpoint->CreateCheckpoint(name);
  last_ok_.store(s.ok());
  if (!s.ok()) {
    log_->Error("a checkpoint failed", {{"directory", name}, {"error", s.ToString()}});
    return s;
  }
  last_s_.store(micros / 1'000'000);
  log_->Info("checkpoint", {{"directory", name}});
  DeleteOld();
  return s;
}

void Checkpoints::DeleteOld() {
  std::vector<std::string> names;
  if (fiber::io::list_dir(directory_.c_str(), &names) < 0) return;
  std::erase_if(names, [](const std::string& name) {
    return name.rfind(kPrefix, 0) != 0 || name.back() != 'Z';
  });
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i + keep_ < names.size(); ++i) {
    const std::string name = directory_ + "/" + names[i];
    const Status s = rocksdb::DestroyDB(name, rocksdb::Options());
    if (!s.ok())
      log_->Warn("an old checkpoint stays", {{"directory", name}, {"error", s.ToString()}});
  }
}

}  // namespace cairn::server
