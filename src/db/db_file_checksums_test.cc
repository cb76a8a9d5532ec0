// Databases whose tables have checksums of the whole file.
#include <algorithm>

#include "db/testing/db_fixture.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/listener.h"

namespace cairn {
namespace {

using testing::Key;

// The number of bytes, as a "checksum"; and the standard one, if it is asked for.
class SizeFactory final : public FileChecksumGenFactory {
 public:
  class Generator final : public FileChecksumGenerator {
   public:
    void Update(const char* /*data*/, size_t n) override { size_ += n; }
    void Finalize() override { finalized_ = true; }
    std::string GetChecksum() const override {
      EXPECT_TRUE(finalized_);
      return std::to_string(size_);
    }
    const char* Name() const override { return "Size"; }

   private:
    size_t size_ = 0;
    bool finalized_ = false;
  };
  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) override {
    EXPECT_EQ(context.file_name.find("/db/"), 0u) << context.file_name;
    if (context.requested_checksum_func_name == kStandardDbFileChecksumFuncName && knows_standard) {
      return GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator(context);
    }
    return std::make_unique<Generator>();
  }
  const char* Name() const override { return "SizeFactory"; }

  bool knows_standard = true;
};

class DbFileChecksumsTest : public testing::DbTest {
 protected:
  DbFileChecksumsTest() {
    options_ = SmallOptions();
    options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  }
  Status Verify() { return db_->VerifyFileChecksums(ReadOptions()); }
  // By name of the function.
  std::map<std::string, int> Functions() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::map<std::string, int> functions;
    for (const LiveFileMetaData& file : files) {
      functions[file.file_checksum_func_name]++;
      EXPECT_EQ(file.file_checksum.empty(), file.file_checksum_func_name == "Unknown");
    }
    return functions;
  }
  Options options_;
};

TEST_F(DbFileChecksumsTest, EveryTableHasOneAndItHolds) {
  Open(options_);
  FillAllLevels();
  ASSERT_TRUE(Verify().ok()) << Verify().ToString();
  EXPECT_EQ(Functions().size(), 1u);
  EXPECT_GE(Functions()["FileChecksumCrc32c"], 2);
  Kill();  // the recovery writes a table, too
  Open(options_);
  Flush();
  WaitForCompactions();
  ASSERT_TRUE(Verify().ok());
  EXPECT_EQ(Functions().size(), 1u);
  ExpectModel();

  std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  ASSERT_TRUE(list->InsertOneFileChecksum(999999, "gone", "x").ok());
  ASSERT_TRUE(db_->GetLiveFilesChecksumInfo(list.get()).ok());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  EXPECT_EQ(list->size(), files.size());
  for (const LiveFileMetaData& file : files) {
    std::string checksum, name;
    ASSERT_TRUE(list->SearchOneFileChecksum(file.file_number, &checksum, &name).ok());
    EXPECT_EQ(checksum, file.file_checksum);
    EXPECT_EQ(name, file.file_checksum_func_name);
  }
  EXPECT_TRUE(db_->GetLiveFilesChecksumInfo(nullptr).IsInvalidArgument());
}

TEST_F(DbFileChecksumsTest, AChangedByteAnywhereIsFound) {
  options_.disable_auto_compactions = true;
  Open(options_);
  PutRange(0, 100, 1);
  Flush();
  const std::string path = disk_.Files(FileType::kTableFile).at(0);
  std::string data;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &data).ok());
  for (const size_t at : {size_t{0}, data.size() / 2, data.size() - 1}) {
    std::string damaged = data;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), damaged, path, false).ok());
    const Status s = Verify();
    EXPECT_TRUE(s.IsCorruption()) << at << s.ToString();
    EXPECT_NE(s.ToString().find(path), std::string::npos) << s.ToString();
  }
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data + "x", path, false).ok());
  EXPECT_TRUE(Verify().IsCorruption());
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, path, false).ok());
  EXPECT_TRUE(Verify().ok());
}

TEST_F(DbFileChecksumsTest, TablesKeepTheirFunctionWhenTheDatabaseChangesIts) {
  options_.disable_auto_compactions = true;
  options_.file_checksum_gen_factory = nullptr;
  Open(options_);
  PutRange(0, 50, 1);
  Flush();
  EXPECT_TRUE(Verify().IsInvalidArgument());
  EXPECT_EQ(Functions(), (std::map<std::string, int>{{"Unknown", 1}}));

  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open(options_);
  PutRange(0, 50, 2);
  Flush();
  EXPECT_TRUE(Verify().ok());

  auto sizes = std::make_shared<SizeFactory>();
  options_.file_checksum_gen_factory = sizes;
  Open(options_);
  PutRange(0, 50, 3);
  Flush();
  EXPECT_TRUE(Verify().ok());
  EXPECT_EQ(Functions(),
            (std::map<std::string, int>{{"Unknown", 1}, {"FileChecksumCrc32c", 1}, {"Size", 1}}));
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) {
    if (file.file_checksum_func_name == "Size") {
      EXPECT_EQ(file.file_checksum, std::to_string(file.size));
    }
  }
  sizes->knows_standard = false;
  EXPECT_TRUE(Verify().IsInvalidArgument());
  ExpectModel();
}

TEST_F(DbFileChecksumsTest, ListenersAreTold) {
  class Created final : public EventListener {
   public:
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      size_is_right = info.file_checksum == std::to_string(info.file_size);
      name = info.file_checksum_func_name;
    }
    bool size_is_right = false;
    std::string name;
  };
  auto created = std::make_shared<Created>();
  options_.listeners.push_back(created);
  options_.file_checksum_gen_factory = std::make_shared<SizeFactory>();
  Open(options_);
  PutRange(0, 50, 1);
  Flush();
  EXPECT_TRUE(created->size_is_right);
  EXPECT_EQ(created->name, "Size");
}

TEST_F(DbFileChecksumsTest, DeadlinesHold) {
  Open(options_);
  PutRange(0, 50, 1);
  Flush();
  ReadOptions read;
  read.deadline = std::chrono::microseconds(fiber::wall_micros() - 1);
  EXPECT_TRUE(db_->VerifyFileChecksums(read).IsTimedOut());
}

}  // namespace
}  // namespace cairn
