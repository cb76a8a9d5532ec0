// The commands of interop_driver that back up and restore. The public API alone.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/backup_engine.h"

namespace interop {

// How a backup directory is written: "old-names", "schema-2", "by-number", or nothing.
inline rocksdb::BackupEngineOptions BackupOptionsOf(const std::string& dir,
                                                    const std::string& style) {
  using rocksdb::BackupEngineOptions;
  BackupEngineOptions options(dir);
  options.max_background_operations = 3;
  if (style == "old-names") {
    options.share_files_with_checksum_naming = BackupEngineOptions::kLegacyCrc32cAndFileSize;
  } else if (style == "schema-2") {
    options.schema_version = 2;
  } else if (style == "by-number") {
    options.share_files_with_checksum = false;
  }
  return options;
}

// Calls `step` with an engine on the directory, and the status of what it did.
template <class Step>
rocksdb::Status WithEngine(const std::string& dir, const std::string& style, Step step) {
  rocksdb::BackupEngine* made = nullptr;
  rocksdb::Status s =
      rocksdb::BackupEngine::Open(BackupOptionsOf(dir, style), rocksdb::Env::Default(), &made);
  if (!s.ok()) return s;
  const std::unique_ptr<rocksdb::BackupEngine> engine(made);
  std::vector<rocksdb::BackupID> corrupt;
  engine->GetCorruptedBackups(&corrupt);
  if (!corrupt.empty()) {
    return rocksdb::Status::Corruption("there are corrupt backups", std::to_string(corrupt[0]));
  }
  return step(engine.get());
}

// Of the closed database, which stays as it is, logs and all. Its metadata says who made it.
inline rocksdb::Status Backup(const rocksdb::Options& options, const std::string& path,
                              const std::string& dir, const std::string& style) {
  // All families: of others RocksDB would not know the tables.
  std::vector<std::string> names;
  rocksdb::Status s = rocksdb::DB::ListColumnFamilies(options, path, &names);
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  if (s.ok()) s = rocksdb::DB::OpenForReadOnly(options, path, families, &handles, &opened);
  if (!s.ok()) return s;
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (rocksdb::ColumnFamilyHandle* handle : handles) delete handle;
  return WithEngine(dir, style, [&](rocksdb::BackupEngine* engine) {
    rocksdb::BackupID id = 0;
    rocksdb::Status made = engine->CreateNewBackupWithMetadata(rocksdb::CreateBackupOptions(),
                                                               db.get(), "by the driver", &id);
    std::printf("made backup %u\n", id);
    return made;
  });
}

inline rocksdb::Status Restore(const std::string& path, const std::string& dir,
                               rocksdb::BackupID id) {
  return WithEngine(dir, "", [&](rocksdb::BackupEngine* engine) {
    rocksdb::BackupInfo info;
    rocksdb::Status s = engine->GetBackupInfo(id, &info);
    if (s.ok() && info.app_metadata != "by the driver") {
      s = rocksdb::Status::Corruption("other metadata", info.app_metadata);
    }
    if (s.ok()) s = engine->VerifyBackup(id, /*verify_with_checksum=*/true);
    if (s.ok()) s = engine->RestoreDBFromBackup(id, path, path);
    return s;
  });
}

inline rocksdb::Status DeleteBackup(const std::string& dir, rocksdb::BackupID id) {
  return WithEngine(dir, "",
                    [&](rocksdb::BackupEngine* engine) { return engine->DeleteBackup(id); });
}

}  // namespace interop
