#include "crash/backups.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

#include "fiber/io.h"

namespace cairn::crash {
namespace {

// What is in it, without directories' own names; nothing where it is missing.
std::vector<std::string> Names(const std::string& dir) {
  std::vector<std::string> names;
  if (fiber::io::list_dir(dir.c_str(), &names) < 0) names.clear();
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  return names;
}

template <typename T>
void ReadAll(std::istream* words, std::vector<T>* values) {
  for (T& value : *values) *words >> value;
}

}  // namespace

Backups::Backups(const std::string& dir, const std::string& list, uint64_t seed)
    : dir_(dir), restored_(dir + "-restored"), list_(list), random_(seed) {
  ReadList();
  BackupEngineOptions options(dir);
  options.share_table_files = seed % 8 != 7;
  options.max_background_operations = static_cast<int>(1 + random_.Uniform(3));
  // Slow ones are met by more kills.
  if (random_.OneIn(2)) options.backup_rate_limit = (100 << 10) << random_.Uniform(5);
  if (random_.OneIn(2)) options.restore_rate_limit = (200 << 10) << random_.Uniform(5);
  options.schema_version = static_cast<int>(1 + random_.Uniform(2));
  BackupEngine* engine = nullptr;
  const IOStatus s = BackupEngine::Open(options, Env::Default(), &engine);
  if (!s.ok()) Violation("the backups do not open: " + s.ToString());
  engine_.reset(engine);
  journal_ = std::make_unique<Journal>(list, /*append=*/true);
}

Backups::~Backups() = default;

void Backups::ReadList() {
  std::string text;
  if (!ReadFile(list_, &text)) return;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    if (lines.eof()) break;  // cut short: no newline
    std::istringstream words(line);
    std::string what;
    Promised backup;
    words >> what >> backup.id;
    if (what == "made") {
      size_t writers = 0;
      words >> writers;
      CopyPromise& promise = backup.promise;
      promise.least.resize(writers);
      promise.most.resize(writers);
      promise.starts.resize(writers);
      ReadAll(&words, &promise.least);
      ReadAll(&words, &promise.most);
      for (auto& starts : promise.starts) {
        size_t count = 0;
        words >> count;
        starts.resize(count);
        for (LifeStart& start : starts) words >> start.life >> start.first;
      }
      if (!words) Fail(list_ + ": damaged: " + line);
      promised_.push_back(std::move(backup));
    } else if (what == "deleting") {
      Forget(backup.id);
    } else if (what == "restoring") {
      restoring_ = backup.id;
    } else if (what == "restored") {
      restoring_ = 0;
      in_place_ = backup.id;
    } else {
      Fail(list_ + ": a line that says nothing: " + line);
    }
  }
}

const Backups::Promised* Backups::Find(BackupID id) const {
  for (const Promised& each : promised_) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

void Backups::Verify(const VerifyCopy& verify) {
  std::vector<BackupID> corrupt;
  engine_->GetCorruptedBackups(&corrupt);
  if (!corrupt.empty()) Violation("the backup " + std::to_string(corrupt[0]) + " is corrupt");
  std::vector<BackupInfo> infos;
  engine_->GetBackupInfo(&infos);
  std::set<BackupID> there;
  for (const BackupInfo& info : infos) {
    there.insert(info.backup_id);
    const IOStatus s = engine_->VerifyBackup(info.backup_id, /*verify_with_checksum=*/true);
    if (!s.ok()) {
      Violation("the backup " + std::to_string(info.backup_id) + " is not sound: " + s.ToString());
    }
  }
  for (const Promised& each : promised_) {
    if (!there.contains(each.id)) {
      Violation("the backup " + std::to_string(each.id) + " is gone");
    }
  }
  // What a killed restore left opens only if it is whole, or if nothing had been changed yet.
  const Promised* const half = Find(restoring_);
  const Promised* const old = Find(in_place_);
  if (half != nullptr && (old != nullptr || in_place_ == 0)) {
    std::vector<const CopyPromise*> either = {&half->promise};
    if (old != nullptr) either.push_back(&old->promise);
    Say(verify(restored_, either) ? "a killed restore left a database"
                                  : "a killed restore left none");
  }
  CheckFiles();
  if (!promised_.empty()) {
    const Promised& latest = promised_.back();
    const Status s = Restore(latest.id, &random_);
    if (!s.ok()) Violation("a backup does not restore: " + s.ToString());
    if (!verify(restored_, {&latest.promise})) Violation("a restored database does not open");
  }
  Say("backups verified " + std::to_string(infos.size()));
}

// After the garbage of killed calls was collected there is nothing but what backups have.
void Backups::CheckFiles() {
  const IOStatus s = engine_->GarbageCollect();
  if (!s.ok()) Violation("the backups' garbage is not collected: " + s.ToString());
  std::vector<BackupInfo> infos;
  engine_->GetBackupInfo(&infos, /*include_file_details=*/true);
  std::set<std::string> expected;
  for (const BackupInfo& info : infos) {
    expected.insert("meta/" + std::to_string(info.backup_id));
    for (const BackupFileInfo& file : info.file_details) expected.insert(file.relative_filename);
  }
  std::vector<std::string> folders = {"meta", "shared", "shared_checksum"};
  for (const std::string& name : Names(dir_ + "/private")) {
    folders.push_back("private/" + name);
    if (Names(dir_ + "/private/" + name).empty()) {
      Violation("an empty directory is left: private/" + name);
    }
  }
  for (const std::string& folder : folders) {
    for (const std::string& name : Names(dir_ + "/" + folder)) {
      const std::string path = std::string(folder).append("/").append(name);
      if (!expected.contains(path)) Violation("a file that no backup has is left: " + path);
    }
  }
}

void Backups::Begin(std::vector<std::vector<LifeStart>> starts, bool flush_always) {
  starts_ = std::move(starts);
  flush_always_ = flush_always;
}

Status Backups::Step(DB* db, Random64* random, const Numbers& acknowledged, const Numbers& issued) {
  switch (random->Uniform(6)) {
    case 0:
      return Delete(random);
    case 1:
      return engine_->GarbageCollect();
    case 2:
      if (promised_.empty()) return Status::OK();
      return Restore(promised_[random->Uniform(promised_.size())].id, random);
    default:
      return Make(db, random, acknowledged, issued);
  }
}

Status Backups::Make(DB* db, Random64* random, const Numbers& acknowledged, const Numbers& issued) {
  CreateBackupOptions options;
  options.flush_before_backup = flush_always_ || random->OneIn(3);
  Promised backup{0, {acknowledged(), {}, starts_}};
  Status s = engine_->CreateNewBackup(options, db, &backup.id);
  if (!s.ok()) return s;
  backup.promise.most = issued();
  std::string line =
      "made " + std::to_string(backup.id) + " " + std::to_string(backup.promise.least.size());
  for (const uint64_t n : backup.promise.least) line += " " + std::to_string(n);
  for (const uint64_t n : backup.promise.most) line += " " + std::to_string(n);
  for (const auto& starts : starts_) {
    line += " " + std::to_string(starts.size());
    for (const LifeStart& start : starts) {
      line += " " + std::to_string(start.life) + " " + std::to_string(start.first);
    }
  }
  journal_->Line(line);
  promised_.push_back(std::move(backup));
  ++made_;
  Say("backup made");
  return s;
}

void Backups::TakeBack(BackupID id) {
  journal_->Line("deleting " + std::to_string(id));
  Forget(id);
}

void Backups::Forget(BackupID id) {
  std::erase_if(promised_, [id](const Promised& each) { return each.id == id; });
}

Status Backups::Delete(Random64* random) {
  if (promised_.empty()) return Status::OK();
  Status s;
  if (random->OneIn(2)) {
    const BackupID id = promised_[random->Uniform(promised_.size())].id;
    TakeBack(id);
    s = engine_->DeleteBackup(id);
  } else {
    // (Also those that were made, but not written down before a kill.)
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos);
    constexpr size_t kKept = 2;
    for (size_t i = 0; i + kKept < infos.size(); ++i) {
      TakeBack(infos[i].backup_id);
    }
    s = engine_->PurgeOldBackups(kKept);
  }
  if (s.ok()) Say("backups deleted");
  return s;
}

Status Backups::Restore(BackupID id, Random64* random) {
  journal_->Line("restoring " + std::to_string(id));
  RestoreOptions options;
  const RestoreOptions::Mode modes[] = {RestoreOptions::kPurgeAllFiles,
                                        RestoreOptions::kKeepLatestDbSessionIdFiles,
                                        RestoreOptions::kVerifyChecksum};
  options.mode = modes[random->Uniform(3)];
  Status s = engine_->RestoreDBFromBackup(options, id, restored_, restored_);
  if (!s.ok()) return s;
  journal_->Line("restored " + std::to_string(id));
  Say("restored");
  return s;
}

}  // namespace cairn::crash
