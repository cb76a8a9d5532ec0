// What the conformance tests of backups share: an engine on a directory beside the database, and
// looks into that directory.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conformance.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/backup_engine.h"

namespace conformance {

class BackupTest : public DBTest {
 protected:
  using Names = std::set<std::string>;

  ~BackupTest() override { CloseEngine(); }

  void OpenEngine() {
    CloseEngine();
    BackupEngine* made = nullptr;
    ASSERT_OK(BackupEngine::Open(backup_options_, TheEnv(), &made));
    engine_.reset(made);
  }
  void ReopenEngine() { OpenEngine(); }
  void CloseEngine() { engine_.reset(); }
  Status Create() { return engine_->CreateNewBackup(CreateBackupOptions(), db_); }

  // A database of a table with "a", and a backup of it.
  void BackUpATable() {
    Open();
    ASSERT_OK(Put("a", "1"));
    ASSERT_OK(Flush());
    OpenEngine();
    ASSERT_OK(Create());
  }
  // What a directory holds as a database. The open database stays.
  std::string ContentsOf(const std::string& dir) {
    DB* db = nullptr;
    Options options = options_;
    options.create_if_missing = false;
    EXPECT_OK(DB::Open(options, dir, &db));
    std::string contents = "NO_DATABASE";
    if (db != nullptr) {
      std::swap(db, db_);
      contents = Contents();
      std::swap(db, db_);
    }
    delete db;
    return contents;
  }
  std::string RestoredContents(BackupID id) {
    RemoveTree(restored_);
    EXPECT_OK(engine_->VerifyBackup(id, /*verify_with_checksum=*/true));
    EXPECT_OK(engine_->RestoreDBFromBackup(id, restored_, restored_));
    return ContentsOf(restored_);
  }

  std::string Path(const std::string& relative) const { return backups_ + "/" + relative; }
  Names NamesIn(const std::string& relative) const {
    std::vector<std::string> names;
    TheEnv()->GetChildren(Path(relative), &names).PermitUncheckedError();
    Names all(names.begin(), names.end());
    all.erase(".");
    all.erase("..");
    return all;
  }
  std::string ReadBackupFile(const std::string& relative) const {
    std::string data;
    EXPECT_OK(ReadFileToString(TheEnv(), Path(relative), &data));
    return data;
  }
  void WriteBackupFile(const std::string& relative, const std::string& data) const {
    ASSERT_OK(WriteStringToFile(TheEnv(), data, Path(relative)));
  }
  static uint64_t SizeOf(const std::string& path) {
    uint64_t size = 0;
    EXPECT_OK(TheEnv()->GetFileSize(path, &size));
    return size;
  }
  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }
  std::vector<BackupID> Corrupted() const {
    std::vector<BackupID> ids;
    engine_->GetCorruptedBackups(&ids);
    return ids;
  }

  const std::string backups_ = root_ + "/backups";
  const std::string restored_ = root_ + "/restored";
  BackupEngineOptions backup_options_{backups_};
  std::unique_ptr<BackupEngine> engine_;
};

}  // namespace conformance
