// checksum_handoff_file_types: which writes hand a checksum over, and what becomes of one that the
// file system finds wrong.
#include <optional>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;
using testing::Value;

using Kind = rocksdb::FileType;

// Of other files: kTempFile.
const std::map<FileType, Kind> kKinds = {{FileType::kWalFile, kWalFile},
                                         {FileType::kDescriptorFile, kDescriptorFile},
                                         {FileType::kTableFile, kTableFile},
                                         {FileType::kBlobFile, kBlobFile}};

// Counts the writes to files of each kind that come with a checksum and without, and flips a bit of
// one on its way to the file system below, which compares (cairn/fault_injection.h).
class Inspector final : public FileSystemWrapper {
 public:
  explicit Inspector(const std::shared_ptr<FileSystem>& target) : FileSystemWrapper(target) {}
  const char* Name() const override { return "Inspector"; }

  struct Count {
    int with = 0, without = 0;
  };
  Count Of(Kind type) {
    fiber::MutexLock lock(&mutex_);
    return counts_[type];
  }
  // The next write that comes with a checksum to such a file.
  void SpoilNext(Kind type) {
    fiber::MutexLock lock(&mutex_);
    spoiled_ = type;
  }

  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    EXPECT_EQ(options.handoff_checksum_type, kCRC32c);
    return Wrap(target()->NewWritableFile(path, options, file, dbg), path, file);
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const FileOptions& options, std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* dbg) override {
    return Wrap(target()->ReuseWritableFile(path, old_path, options, file, dbg), path, file);
  }

 private:
  class File final : public FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<FSWritableFile> file, Inspector* inspector, Kind type)
        : FSWritableFileOwnerWrapper(std::move(file)), inspector_(inspector), type_(type) {}
    IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* dbg) override {
      (void)inspector_->Note(type_, /*with=*/false);
      return target()->Append(data, options, dbg);
    }
    IOStatus Append(const Slice& data, const IOOptions& options, const DataVerificationInfo& info,
                    IODebugContext* dbg) override {
      std::string sent = data.ToString();
      if (inspector_->Note(type_, /*with=*/true)) sent[sent.size() / 2] ^= 4;
      return target()->Append(sent, options, info, dbg);
    }
    IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                              IODebugContext* dbg) override {
      (void)inspector_->Note(type_, /*with=*/false);
      return target()->PositionedAppend(data, offset, options, dbg);
    }
    IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                              const DataVerificationInfo& info, IODebugContext* dbg) override {
      std::string sent = data.ToString();
      if (inspector_->Note(type_, /*with=*/true)) sent[sent.size() / 2] ^= 4;
      return target()->PositionedAppend(sent, offset, options, info, dbg);
    }

   private:
    Inspector* const inspector_;
    const Kind type_;
  };

  IOStatus Wrap(IOStatus s, const std::string& path, std::unique_ptr<FSWritableFile>* file) {
    uint64_t number = 0;
    FileType type = FileType::kTempFile;
    const bool known = ParseFileName(path.substr(path.rfind('/') + 1), &number, &type);
    const auto kind = kKinds.find(type);
    if (s.ok() && known) {
      *file = std::make_unique<File>(std::move(*file), this,
                                     kind == kKinds.end() ? rocksdb::kTempFile : kind->second);
    }
    return s;
  }
  // True: it is to be spoiled.
  bool Note(Kind type, bool with) {
    fiber::MutexLock lock(&mutex_);
    ++(with ? counts_[type].with : counts_[type].without);
    if (!with || spoiled_ != type) return false;
    spoiled_.reset();
    return true;
  }

  fiber::Mutex mutex_;
  std::map<Kind, Count> counts_ FIBER_GUARDED_BY(mutex_);
  std::optional<Kind> spoiled_ FIBER_GUARDED_BY(mutex_);
};

class DbChecksumHandoffTest : public testing::DbTest {
 protected:
  void TearDown() override {
    db_.reset();
    env_.reset();
  }
  Options HandingOptions() {
    Options options = SmallOptions();
    inspector_ = std::make_shared<Inspector>(disk_.faults);
    db_.reset();
    env_ = NewCompositeEnv(inspector_);
    options.env = env_.get();
    options.enable_blob_files = true;
    options.min_blob_size = 200;
    options.disable_auto_compactions = true;
    return options;
  }
  Status TryPut(const std::string& key) { return db_->Put(WriteOptions(), key, "v"); }

  std::shared_ptr<Inspector> inspector_;
  std::unique_ptr<Env> env_;
};

TEST_F(DbChecksumHandoffTest, FilesOfTheseKindsAlone) {
  for (int kinds = 0; kinds < 16; ++kinds) {
    SCOPED_TRACE(kinds);
    FileTypeSet chosen;
    int bit = 1;
    for (const Kind type : {kWalFile, kDescriptorFile, kTableFile, kBlobFile}) {
      if ((kinds & bit) != 0) chosen.Add(type);
      bit *= 2;
    }
    disk_ = testing::Disk();
    model_.clear();
    Options options = HandingOptions();
    options.checksum_handoff_file_types = chosen;
    options.use_direct_io_for_flush_and_compaction = kinds % 3 == 0;
    options.recycle_log_file_num = kinds % 2;
    options.wal_compression = kinds % 4 == 0 ? kZSTD : kNoCompression;
    Open(options);
    for (int round = 0; round < 3; ++round) {
      PutRange(0, 50, 1 + round);
      PutRange(50, 80, 1 + round, 1000);
      Put("long", Value(round, 100'000));
      Flush();
    }
    Compact();
    PutRange(0, 20, 9);
    Kill();
    Open(options);
    Flush();
    ExpectModel();
    Close();
    for (const Kind type : {kWalFile, kDescriptorFile, kTableFile, kBlobFile}) {
      const Inspector::Count count = inspector_->Of(type);
      EXPECT_EQ(count.with > 0, chosen.Contains(type)) << type;
      EXPECT_EQ(count.without > 0, !chosen.Contains(type)) << type;
    }
    EXPECT_EQ(inspector_->Of(rocksdb::kTempFile).with, 0);
  }
}

TEST_F(DbChecksumHandoffTest, AWriteWhoseBytesAreOthersIsRefused) {
  Options options = HandingOptions();
  options.checksum_handoff_file_types = {kWalFile};
  Open(options);
  PutRange(0, 100, 1);
  inspector_->SpoilNext(kWalFile);
  const Status s = TryPut("refused");
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find(".log"), std::string::npos) << s.ToString();
  EXPECT_FALSE(TryPut("later").ok());
  EXPECT_FALSE(db_->Resume().ok());
  ExpectModel();
  Kill();
  Open(options);
  ExpectModel();
  EXPECT_EQ(Get("refused"), "NOT_FOUND");
  PutRange(100, 200, 2);
  ExpectModel();
}

TEST_F(DbChecksumHandoffTest, ATableOrAManifestWhoseBytesAreOthersIsNotUsed) {
  for (const Kind type : {kTableFile, kBlobFile, kDescriptorFile}) {
    SCOPED_TRACE(type);
    db_.reset();
    disk_ = testing::Disk();
    model_.clear();
    Options options = HandingOptions();
    options.checksum_handoff_file_types = {kTableFile, kBlobFile, kDescriptorFile};
    Open(options);
    PutRange(0, 100, 1);
    PutRange(100, 110, 1, 500);
    Flush();
    PutRange(50, 150, 2);
    PutRange(150, 160, 2, 500);
    inspector_->SpoilNext(type);
    const Status s = db_->Flush(FlushOptions());
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_FALSE(TryPut("later").ok());
    ExpectModel();
    Kill();
    Open(options);
    ExpectModel();
    Flush();
    Compact();
    ExpectModel();
  }
}

// So do tables that are made for others.
TEST_F(DbChecksumHandoffTest, SstFileWritersToo) {
  Options options = HandingOptions();
  options.checksum_handoff_file_types = {kTableFile};
  options.enable_blob_files = false;
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_TRUE(env_->CreateDirIfMissing(kDbName).ok());
  const std::string path = std::string(kDbName) + "/000007.sst";
  ASSERT_TRUE(writer.Open(path).ok());
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(writer.Put(Key(i), Value(i, 1000)).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_GT(inspector_->Of(kTableFile).with, 0);
  EXPECT_EQ(inspector_->Of(kTableFile).without, 0);
  ASSERT_TRUE(writer.Open(path).ok());
  inspector_->SpoilNext(kTableFile);
  ASSERT_TRUE(writer.Put(Key(1), "v").ok());
  const Status s = writer.Finish();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

}  // namespace
}  // namespace cairn
