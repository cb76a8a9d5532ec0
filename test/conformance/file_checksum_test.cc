// Checksums of whole table files.
#include "rocksdb/file_checksum.h"

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

std::string ChecksumOf(const std::string& data) {
  FileChecksumGenContext context;
  context.file_name = "any";
  auto generator = GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator(context);
  generator->Update(data.data(), data.size() / 2);
  generator->Update(data.data() + data.size() / 2, data.size() - data.size() / 2);
  generator->Finalize();
  return generator->GetChecksum();
}

class FileChecksumTest : public DBTest {
 protected:
  FileChecksumTest() {
    options_.disable_auto_compactions = true;
    options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  }
  std::vector<LiveFileMetaData> LiveFiles() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    return files;
  }
  void WriteTable(const std::string& value) {
    for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key(i), value));
    ASSERT_OK(Flush());
  }
};

TEST_F(FileChecksumTest, TheStandardOneIsABigEndianCrc32c) {
  EXPECT_EQ(std::string("\xe3\x06\x92\x83", 4), ChecksumOf("123456789"));
  FileChecksumGenContext context;
  auto generator = GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator(context);
  EXPECT_EQ(std::string("FileChecksumCrc32c"), generator->Name());
  context.requested_checksum_func_name = kStandardDbFileChecksumFuncName;
  EXPECT_NE(nullptr, GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator(context));
  context.requested_checksum_func_name = "Another";
  EXPECT_EQ(nullptr, GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator(context));
}

TEST_F(FileChecksumTest, LiveFilesShowThem) {
  Open();
  WriteTable("v");
  WriteTable("w");
  ASSERT_OK(Compact());
  WriteTable("x");
  for (int round = 0; round < 2; round++) {
    ASSERT_EQ(2u, LiveFiles().size());
    for (const LiveFileMetaData& file : LiveFiles()) {
      EXPECT_EQ("FileChecksumCrc32c", file.file_checksum_func_name);
      EXPECT_EQ(ChecksumOf(ReadFile(file.relative_filename)), file.file_checksum);
    }
    EXPECT_OK(db_->VerifyFileChecksums(ReadOptions()));
    Open();  // from the MANIFEST
  }
}

TEST_F(FileChecksumTest, ListsHoldThem) {
  Open();
  WriteTable("v");
  std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  ASSERT_OK(list->InsertOneFileChecksum(1000000, "x", "y"));
  ASSERT_OK(db_->GetLiveFilesChecksumInfo(list.get()));
  EXPECT_EQ(1u, list->size());
  const LiveFileMetaData file = LiveFiles()[0];
  std::string checksum, name;
  ASSERT_OK(list->SearchOneFileChecksum(file.file_number, &checksum, &name));
  EXPECT_EQ(file.file_checksum, checksum);
  EXPECT_EQ(file.file_checksum_func_name, name);
  EXPECT_CODE(NotFound, list->SearchOneFileChecksum(1000000, &checksum, &name));
  EXPECT_CODE(NotFound, list->RemoveOneFileChecksum(1000000));
  std::vector<uint64_t> numbers;
  std::vector<std::string> checksums, names;
  ASSERT_OK(list->GetAllFileChecksums(&numbers, &checksums, &names));
  EXPECT_EQ(std::vector<uint64_t>{file.file_number}, numbers);
  EXPECT_EQ(std::vector<std::string>{checksum}, checksums);
  EXPECT_EQ(std::vector<std::string>{name}, names);
  EXPECT_CODE(InvalidArgument, list->GetAllFileChecksums(nullptr, &checksums, &names));
  ASSERT_OK(list->RemoveOneFileChecksum(file.file_number));
  EXPECT_EQ(0u, list->size());
  EXPECT_CODE(InvalidArgument, db_->GetLiveFilesChecksumInfo(nullptr));
}

TEST_F(FileChecksumTest, StorageInfoShowsThem) {
  Open();
  WriteTable("v");
  LiveFilesStorageInfoOptions wanted;
  wanted.include_checksum_info = true;
  std::vector<LiveFileStorageInfo> files;
  ASSERT_OK(db_->GetLiveFilesStorageInfo(wanted, &files));
  for (const LiveFileStorageInfo& file : files) {
    if (file.file_type == kTableFile) {
      EXPECT_EQ(ChecksumOf(ReadFile(file.relative_filename)), file.file_checksum);
      EXPECT_EQ("FileChecksumCrc32c", file.file_checksum_func_name);
    } else {
      EXPECT_EQ("", file.file_checksum);
      EXPECT_EQ("Unknown", file.file_checksum_func_name);
    }
  }
  wanted.include_checksum_info = false;
  ASSERT_OK(db_->GetLiveFilesStorageInfo(wanted, &files));
  for (const LiveFileStorageInfo& file : files) EXPECT_EQ("", file.file_checksum_func_name);
}

TEST_F(FileChecksumTest, DamageIsFound) {
  Open();
  WriteTable("v");
  const LiveFileMetaData file = LiveFiles()[0];
  FlipByte(file.relative_filename, 10);
  EXPECT_CODE(Corruption, db_->VerifyFileChecksums(ReadOptions()));
  FlipByte(file.relative_filename, 10);
  EXPECT_OK(db_->VerifyFileChecksums(ReadOptions()));
  FlipByte(file.relative_filename, file.size - 1);
  EXPECT_CODE(Corruption, db_->VerifyFileChecksums(ReadOptions()));
}

TEST_F(FileChecksumTest, TablesWithoutOneArePassedOver) {
  options_.file_checksum_gen_factory = nullptr;
  Open();
  WriteTable("v");
  EXPECT_EQ("Unknown", LiveFiles()[0].file_checksum_func_name);
  EXPECT_EQ("", LiveFiles()[0].file_checksum);
  EXPECT_CODE(InvalidArgument, db_->VerifyFileChecksums(ReadOptions()));
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open();
  EXPECT_OK(db_->VerifyFileChecksums(ReadOptions()));
  FlipByte(LiveFiles()[0].relative_filename, 10);
  EXPECT_OK(db_->VerifyFileChecksums(ReadOptions()));
  FlipByte(LiveFiles()[0].relative_filename, 10);
  std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  ASSERT_OK(db_->GetLiveFilesChecksumInfo(list.get()));
  std::string checksum, name;
  ASSERT_OK(list->SearchOneFileChecksum(LiveFiles()[0].file_number, &checksum, &name));
  EXPECT_EQ("Unknown", name);
}

class Nothing : public FileChecksumGenFactory {
 public:
  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& /*context*/) override {
    return nullptr;
  }
  const char* Name() const override { return "Nothing"; }
};

TEST_F(FileChecksumTest, AFactoryMayHaveNone) {
  Open();
  WriteTable("v");
  options_.file_checksum_gen_factory = std::make_shared<Nothing>();
  Open();
  EXPECT_CODE(InvalidArgument, db_->VerifyFileChecksums(ReadOptions()));
  ASSERT_OK(Compact());
  WriteTable("w");
  std::set<std::string> names;
  for (const auto& file : LiveFiles()) names.insert(file.file_checksum_func_name);
  EXPECT_EQ(1u, names.count("Unknown"));
}

TEST_F(FileChecksumTest, ExternalFilesHaveThem) {
  const std::string path = root_ + "/external.sst";
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", "1"));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  std::string data;
  ASSERT_OK(ReadFileToString(TheEnv(), path, &data));
  EXPECT_EQ(ChecksumOf(data), info.file_checksum);
  EXPECT_EQ("FileChecksumCrc32c", info.file_checksum_func_name);
}

TEST_F(FileChecksumTest, TheFactoryCanBeNamed) {
  std::shared_ptr<FileChecksumGenFactory> factory;
  ASSERT_OK(FileChecksumGenFactory::CreateFromString(ConfigOptions(),
                                                     "FileChecksumGenCrc32cFactory", &factory));
  ASSERT_NE(nullptr, factory);
  EXPECT_EQ(std::string("FileChecksumGenCrc32cFactory"), factory->Name());
  DBOptions options, parsed;
  options.file_checksum_gen_factory = factory;
  std::string text;
  ASSERT_OK(GetStringFromDBOptions(&text, options));
  EXPECT_NE(std::string::npos, text.find("file_checksum_gen_factory=FileChecksumGenCrc32cFactory;"))
      << text;
  ASSERT_OK(GetDBOptionsFromString(DBOptions(), text, &parsed));
  EXPECT_NE(nullptr, parsed.file_checksum_gen_factory);
  ASSERT_OK(GetDBOptionsFromString(parsed, "file_checksum_gen_factory=nullptr", &parsed));
  EXPECT_EQ(nullptr, parsed.file_checksum_gen_factory);
}

}  // namespace
}  // namespace conformance
