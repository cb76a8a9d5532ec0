// What the tests of backups share: the database of DbTest, and an engine whose backups are on a
// disk of their own, which can fail and lose power without the database. Test-only.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/utilities/backup_engine.h"

namespace cairn::testing {

inline const char kBackups[] = "/backups";
inline const char kRestored[] = "/restored";

class BackupFixture : public DbTest {
 protected:
  using Names = std::set<std::string>;

  BackupFixture() { options_.backup_env = backups_.env.get(); }
  void TearDown() override {
    engine_.reset();
    DbTest::TearDown();
  }

  IOStatus TryOpenEngine() { return OpenAnother(&engine_); }
  IOStatus OpenAnother(std::unique_ptr<BackupEngine>* engine) {
    engine->reset();
    BackupEngine* made = nullptr;
    IOStatus s = BackupEngine::Open(options_, disk_.env.get(), &made);
    engine->reset(made);
    return s;
  }
  void OpenEngine() {
    const IOStatus s = TryOpenEngine();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  IOStatus Create(bool flush = false) {
    CreateBackupOptions options;
    options.flush_before_backup = flush;
    return engine_->CreateNewBackup(options, db_.get());
  }
  void MustCreate(bool flush = false) {
    const IOStatus s = Create(flush);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::set<BackupID> Good() const {
    std::vector<BackupInfo> infos;
    engine_->GetBackupInfo(&infos);
    std::set<BackupID> ids;
    for (const BackupInfo& info : infos) ids.insert(info.backup_id);
    return ids;
  }
  std::set<BackupID> Corrupted() const {
    std::vector<BackupID> ids;
    engine_->GetCorruptedBackups(&ids);
    return {ids.begin(), ids.end()};
  }

  // The backup is whole, and restored is `expected`.
  void ExpectBackup(BackupID id, const Contents& expected) {
    IOStatus s = engine_->VerifyBackup(id, /*verify_with_checksum=*/true);
    ASSERT_TRUE(s.ok()) << s.ToString();
    s = engine_->RestoreDBFromBackup(id, kRestored, kRestored);
    ASSERT_TRUE(s.ok()) << s.ToString();
    ExpectDatabase(kRestored, expected);
  }
  void ExpectDatabase(const std::string& dir, const Contents& expected) {
    std::unique_ptr<DB> other;
    Options options = SmallOptions();
    options.create_if_missing = false;
    const Status opened = DB::Open(options, dir, &other);
    ASSERT_TRUE(opened.ok()) << opened.ToString();
    other.swap(db_);
    ExpectContents(expected);
    other.swap(db_);
  }

  static Names NamesIn(const Disk& disk, const std::string& dir) {
    std::vector<std::string> names;
    disk.memory->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    return {names.begin(), names.end()};
  }
  // "meta/1", "shared_checksum/..." and so on, of all that is in the backup directory.
  Names Everything() const {
    Names all;
    for (const char* dir : {"meta", "private", "shared", "shared_checksum"}) {
      for (const std::string& name : NamesIn(backups_, Path(dir))) {
        const std::string path = std::string(dir) + "/" + name;
        all.insert(path);
        for (const std::string& file : NamesIn(backups_, Path(path))) {
          all.insert(std::string(path).append("/").append(file));
        }
      }
    }
    return all;
  }
  static std::string Path(const std::string& relative) {
    return std::string(kBackups) + "/" + relative;
  }
  std::string Read(const std::string& relative) const {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(backups_.memory.get(), Path(relative), &bytes).ok()) << relative;
    return bytes;
  }
  void Write(const std::string& relative, const std::string& bytes) const {
    ASSERT_TRUE(WriteStringToFile(backups_.memory.get(), bytes, Path(relative), true).ok());
  }

  Disk backups_;
  BackupEngineOptions options_{kBackups};
  std::unique_ptr<BackupEngine> engine_;
};

}  // namespace cairn::testing
