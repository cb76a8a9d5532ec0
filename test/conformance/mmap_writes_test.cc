// DBOptions::allow_mmap_writes.
#include "conformance.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

class MmapWritesTest : public DBTest {
 protected:
  MmapWritesTest() {
    options_.allow_mmap_writes = true;
    options_.paranoid_file_checks = true;
    options_.enable_blob_files = true;
    options_.min_blob_size = 1000;
  }
  ~MmapWritesTest() override { Shut(); }
  void Fill(int round) {
    for (int i = 0; i < 2000; ++i) {
      const size_t size = i % 50 == 0 ? 5000 : 80;
      ASSERT_OK(Put(Key(i), std::to_string(round) + Numbers(static_cast<uint64_t>(i)).Bytes(size)));
    }
    ASSERT_OK(Flush());
  }
  void Check(int round) {
    for (int i = 0; i < 2000; i++) {
      const size_t size = i % 50 == 0 ? 5000 : 80;
      EXPECT_EQ(Get(Key(i)), std::to_string(round) + Numbers(static_cast<uint64_t>(i)).Bytes(size));
    }
    ASSERT_OK(db_->VerifyChecksum());
  }
  // What the database says of its tables' sizes is what the files have.
  void CheckSizes() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    EXPECT_FALSE(files.empty());
    for (const LiveFileMetaData& file : files) {
      uint64_t size = 0;
      ASSERT_OK(TheEnv()->GetFileSize(file.db_path + file.name, &size));
      EXPECT_EQ(file.size, size) << file.name;
    }
  }
};

TEST_F(MmapWritesTest, WritesAllLevels) {
  Open();
  Fill(1);
  Fill(2);
  Check(2);
  CheckSizes();
  ASSERT_OK(Compact());
  Check(2);
  CheckSizes();
  ASSERT_OK(Put("logged", "1"));
  Open();
  Check(2);
  EXPECT_EQ("1", Get("logged"));
}

TEST_F(MmapWritesTest, FilesForOthers) {
  EnvOptions mapped;
  mapped.use_mmap_writes = true;
  options_.enable_blob_files = false;
  SstFileWriter writer(mapped, options_);
  const std::string path = root_ + "/external.sst";
  ASSERT_OK(writer.Open(path));
  for (int i = 0; i < 3000; ++i) ASSERT_OK(writer.Put(Key(i), std::string(100, 'v')));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  uint64_t size = 0;
  ASSERT_OK(TheEnv()->GetFileSize(path, &size));
  EXPECT_EQ(info.file_size, size);
  Open();
  ASSERT_OK(db_->IngestExternalFile({path}, IngestExternalFileOptions()));
  EXPECT_EQ(std::string(100, 'v'), Get(Key(2999)));
}

TEST_F(MmapWritesTest, NotWithDirectIO) {
  options_.use_direct_io_for_flush_and_compaction = true;
  const Status s = TryOpen();
  EXPECT_CODE(NotSupported, s);
  EXPECT_NE(
      s.ToString().find("If memory mapped writes (allow_mmap_writes) are enabled then direct "
                        "I/O writes (use_direct_io_for_flush_and_compaction) must be disabled"),
      std::string::npos)
      << s.ToString();
}

}  // namespace
}  // namespace conformance
