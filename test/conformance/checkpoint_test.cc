// Checkpoints and the lists of files that they are made from.

#include "checkpoints.h"
#include "conformance.h"
#include "rocksdb/file_system.h"
#include "rocksdb/transaction_log.h"

namespace conformance {
namespace {

constexpr uint64_t kNeverFlush = UINT64_MAX;

class CheckpointTest : public DBTest {
 protected:
  Status Create(const std::string& dir, uint64_t log_size_for_flush = 0,
                uint64_t* sequence = nullptr) {
    return MakeCheckpoint(db_, dir, log_size_for_flush, sequence);
  }
  // What `dir` holds as a database; the open one is closed.
  std::string ContentsOf(const std::string& dir) {
    Shut();
    Options options = options_;
    options.create_if_missing = false;
    EXPECT_OK(DB::Open(options, dir, &db_));
    const std::string contents = db_ == nullptr ? "" : Contents();
    Shut();
    return contents;
  }
  std::vector<LiveFileStorageInfo> StorageInfo(uint64_t wal_size_for_flush,
                                               bool checksums = false) {
    LiveFilesStorageInfoOptions options;
    options.wal_size_for_flush = wal_size_for_flush;
    options.include_checksum_info = checksums;
    std::vector<LiveFileStorageInfo> files;
    EXPECT_OK(db_->GetLiveFilesStorageInfo(options, &files));
    return files;
  }
  // Of one type, which there is at least one of.
  static std::vector<LiveFileStorageInfo> Of(FileType type,
                                             const std::vector<LiveFileStorageInfo>& files) {
    std::vector<LiveFileStorageInfo> found;
    for (const LiveFileStorageInfo& file : files) {
      if (file.file_type == type) found.push_back(file);
    }
    return found;
  }
  uint64_t Links(const std::string& path) {
    uint64_t links = 0;
    EXPECT_OK(FileSystem::Default()->NumFileLinks(path, IOOptions(), &links, nullptr));
    return links;
  }

  const std::string to_ = root_ + "/checkpoint";
};

TEST_F(CheckpointTest, HoldsWhatTheDatabaseHeld) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Delete("a"));
  uint64_t sequence = 0;
  ASSERT_OK(Create(to_, 0, &sequence));
  EXPECT_EQ(3u, sequence);
  ASSERT_OK(Put("c", "3"));
  EXPECT_EQ("b=2,c=3", Contents());
  EXPECT_EQ("b=2", ContentsOf(to_));
  EXPECT_EQ("b=2,c=3", ContentsOf(dir_));
}

TEST_F(CheckpointTest, LinksTablesAndCopiesTheRest) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Create(to_));
  EXPECT_EQ(1u, FilesEndingIn(".sst", to_).size());
  EXPECT_EQ(2u, Links(to_ + "/" + FilesEndingIn(".sst", to_)[0]));
  EXPECT_EQ(1u, Links(to_ + "/CURRENT"));
  EXPECT_TRUE(FilesEndingIn(".log", to_).empty());
  std::vector<std::string> names;
  ASSERT_OK(TheEnv()->GetChildren(to_, &names));
  int manifests = 0, options = 0;
  for (const std::string& name : names) {
    manifests += Slice(name).starts_with("MANIFEST-");
    options += Slice(name).starts_with("OPTIONS-");
    if (!Slice(name).starts_with("MANIFEST-")) continue;
    EXPECT_EQ(1u, Links(to_ + "/" + name));
  }
  EXPECT_EQ(1, manifests);
  EXPECT_EQ(1, options);
  EXPECT_TRUE(TheEnv()->FileExists(to_ + ".tmp").IsNotFound());
}

TEST_F(CheckpointTest, UnflushedWritesComeWithTheLogs) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Create(to_, kNeverFlush));
  EXPECT_EQ(1, FilesAtLevel(0)) << "nothing was flushed";
  EXPECT_EQ(1u, FilesEndingIn(".log", to_).size());
  ASSERT_OK(Create(to_ + "2", 1 << 20));
  EXPECT_EQ(1, FilesAtLevel(0));
  ASSERT_OK(Create(to_ + "3", 10));
  EXPECT_EQ(2, FilesAtLevel(0));
  ASSERT_OK(Put("b", "3"));
  for (const char* suffix : {"", "2", "3"}) EXPECT_EQ("a=1,b=2", ContentsOf(to_ + suffix));
}

TEST_F(CheckpointTest, WritesWithoutALogComeByAFlush) {
  Open();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_OK(db_->Put(unlogged, "a", "1"));
  ASSERT_OK(Create(to_, kNeverFlush));
  ASSERT_OK(Create(to_ + "2"));
  EXPECT_EQ("", ContentsOf(to_));
  EXPECT_EQ("a=1", ContentsOf(to_ + "2"));
}

TEST_F(CheckpointTest, ExistingAndImpossibleDirectoriesAreRefused) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(TheEnv()->CreateDir(to_));
  EXPECT_TRUE(Create(to_).IsInvalidArgument());
  EXPECT_TRUE(Create(dir_).IsInvalidArgument());
  EXPECT_TRUE(Create("").IsInvalidArgument());
  EXPECT_TRUE(Create("///").IsInvalidArgument());
  EXPECT_TRUE(Create(root_ + "/missing/checkpoint").IsIOError());
  ASSERT_OK(Create(to_ + "2//"));
  EXPECT_TRUE(Create(to_ + "2").IsInvalidArgument());
}

TEST_F(CheckpointTest, AnOldAttemptIsRemoved) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(TheEnv()->CreateDir(to_ + ".tmp"));
  ASSERT_OK(WriteStringToFile(TheEnv(), "x", to_ + ".tmp/000099.sst"));
  ASSERT_OK(Create(to_));
  EXPECT_TRUE(TheEnv()->FileExists(to_ + ".tmp").IsNotFound());
  EXPECT_TRUE(TheEnv()->FileExists(to_ + "/000099.sst").IsNotFound());
  EXPECT_EQ("a=1", ContentsOf(to_));
}

TEST_F(CheckpointTest, AReadOnlyDatabaseHasCheckpointsToo) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_TRUE(db_->DisableFileDeletions().IsNotSupported());
  EXPECT_TRUE(db_->EnableFileDeletions(false).IsNotSupported());
  uint64_t sequence = 0;
  ASSERT_OK(Create(to_, 0, &sequence));
  EXPECT_EQ(2u, sequence);
  EXPECT_EQ("a=1,b=2", ContentsOf(to_));
}

TEST_F(CheckpointTest, ACheckpointOutlivesItsDatabase) {
  Open();
  for (int i = 0; i < 200; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(Create(to_));
  const std::string contents = Contents();
  for (int i = 0; i < 200; i++) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Compact());
  EXPECT_EQ("", Contents());
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_));
  EXPECT_EQ(contents, ContentsOf(to_));
}

TEST_F(CheckpointTest, StorageInfoNamesEveryFileWithItsSize) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  const auto files = StorageInfo(kNeverFlush, true);
  for (const LiveFileStorageInfo& file : files) {
    SCOPED_TRACE(file.relative_filename);
    EXPECT_EQ(dir_, file.directory);
    EXPECT_EQ("Unknown", file.file_checksum_func_name);
    EXPECT_EQ("", file.file_checksum);
    uint64_t size = 0;
    ASSERT_OK(TheEnv()->GetFileSize(dir_ + "/" + file.relative_filename, &size));
    EXPECT_LE(file.size, size);
    if (file.trim_to_size) continue;
    EXPECT_EQ(file.size, size);
  }
  const auto tables = Of(kTableFile, files);
  ASSERT_EQ(1u, tables.size());
  EXPECT_EQ(FilesEndingIn(".sst")[0], tables[0].relative_filename);
  EXPECT_GT(tables[0].file_number, 0u);
  EXPECT_FALSE(tables[0].trim_to_size);
  const auto manifests = Of(kDescriptorFile, files);
  ASSERT_EQ(1u, manifests.size());
  EXPECT_EQ(FilesStartingWith("MANIFEST-")[0], manifests[0].relative_filename);
  EXPECT_TRUE(manifests[0].trim_to_size);
  const auto current = Of(kCurrentFile, files);
  ASSERT_EQ(1u, current.size());
  EXPECT_EQ(manifests[0].relative_filename + "\n", current[0].replacement_contents);
  EXPECT_EQ(current[0].replacement_contents.size(), current[0].size);
  EXPECT_EQ(0u, current[0].file_number);
  EXPECT_EQ(1u, Of(kOptionsFile, files).size());
  const auto logs = Of(kWalFile, files);
  ASSERT_EQ(1u, logs.size());
  EXPECT_TRUE(logs[0].trim_to_size);
  EXPECT_GT(logs[0].size, 0u);
  EXPECT_EQ(files.size(), 5u);

  EXPECT_TRUE(Of(kWalFile, StorageInfo(0)).empty()) << "flushed";
  EXPECT_EQ(2, FilesAtLevel(0));
}

TEST_F(CheckpointTest, WhatStorageInfoNamesIsADatabase) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->DisableFileDeletions());
  const auto files = StorageInfo(kNeverFlush);
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Compact());
  ASSERT_OK(TheEnv()->CreateDir(to_));
  for (const LiveFileStorageInfo& file : files) {
    std::string bytes = file.replacement_contents;
    if (bytes.empty()) bytes = ReadFile(file.relative_filename);
    ASSERT_GE(bytes.size(), file.size);
    if (file.trim_to_size) bytes.resize(file.size);
    ASSERT_OK(WriteStringToFile(TheEnv(), bytes, to_ + "/" + file.relative_filename));
  }
  ASSERT_OK(db_->EnableFileDeletions(false));
  EXPECT_EQ("a=1", ContentsOf(to_));
}

TEST_F(CheckpointTest, ItsOptionsDoNotLeadToTheOriginalsLogs) {
  options_.wal_dir = dir_;
  Open();
  EXPECT_EQ("", db_->GetDBOptions().wal_dir);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Create(to_));
  EXPECT_EQ(std::string::npos, ReadFile(FilesStartingWith("OPTIONS-").back()).find(dir_));
  ASSERT_OK(db_->SetDBOptions({{"max_total_wal_size", "1000000"}}));
  EXPECT_EQ("", db_->GetDBOptions().wal_dir);
  EXPECT_EQ(std::string::npos, ReadFile(FilesStartingWith("OPTIONS-").back()).find(dir_));
  options_.wal_dir.clear();
  EXPECT_EQ("a=1", ContentsOf(to_));
}

TEST_F(CheckpointTest, ItHasAnIdentityOfItsOwn) {
  const auto identity = [this](const std::string& dir) {
    Shut();
    EXPECT_OK(DB::Open(options_, dir, &db_));
    std::string id;
    EXPECT_OK(db_->GetDbIdentity(id));
    EXPECT_FALSE(id.empty());
    return id;
  };
  options_.write_dbid_to_manifest = false;  // with it RocksDB's have their source's
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Create(to_));
  ASSERT_OK(Create(to_ + "2"));
  const std::string source = identity(dir_), first = identity(to_), second = identity(to_ + "2");
  EXPECT_NE(source, first);
  EXPECT_NE(source, second);
  EXPECT_NE(first, second);
  EXPECT_EQ(source, identity(dir_));
  EXPECT_EQ(first, identity(to_));
}

TEST_F(CheckpointTest, ACopyOfTheFilesHasTheIdentityOfTheDatabase) {
  for (const bool in_manifest : {false, true}) {
    options_.write_dbid_to_manifest = in_manifest;
    Open();
    ASSERT_OK(Put("a", "1"));
    std::string id, copied;
    ASSERT_OK(db_->GetDbIdentity(id));
    Shut();
    CopyFiles(dir_, to_);
    // Where the MANIFEST has it the file may be lost.
    if (in_manifest) {
      ASSERT_OK(TheEnv()->DeleteFile(to_ + "/IDENTITY"));
    }
    ASSERT_OK(DB::Open(options_, to_, &db_));
    ASSERT_OK(db_->GetDbIdentity(copied));
    EXPECT_EQ(id, copied);
    Shut();
  }
}

TEST_F(CheckpointTest, LogsAreListedOldestFirst) {
  Open();
  VectorLogPtr logs;
  ASSERT_OK(db_->GetSortedWalFiles(logs));
  EXPECT_TRUE(logs.empty()) << "nothing was written";
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(db_->DisableFileDeletions());
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(db_->GetSortedWalFiles(logs));
  ASSERT_EQ(2u, logs.size());
  EXPECT_LT(logs[0]->LogNumber(), logs[1]->LogNumber());
  EXPECT_EQ(1u, logs[0]->StartSequence());
  EXPECT_EQ(3u, logs[1]->StartSequence());
  for (const auto& log : logs) {
    EXPECT_EQ(kAliveLogFile, log->Type());
    EXPECT_EQ(0u, log->PathName().find('/'));
    uint64_t size = 0;
    ASSERT_OK(TheEnv()->GetFileSize(dir_ + log->PathName(), &size));
    EXPECT_GT(log->SizeFileBytes(), 0u);
    EXPECT_LE(log->SizeFileBytes(), size);
  }
  std::unique_ptr<LogFile> current;
  ASSERT_OK(db_->GetCurrentWalFile(&current));
  EXPECT_EQ(logs[1]->LogNumber(), current->LogNumber());
  EXPECT_EQ(logs[1]->PathName(), current->PathName());
  EXPECT_EQ(0u, current->StartSequence());
  ASSERT_OK(db_->EnableFileDeletions());
  ASSERT_OK(db_->GetSortedWalFiles(logs));
  EXPECT_EQ(1u, logs.size());
}

}  // namespace
}  // namespace conformance
