// SstFileWriter: what it accepts, what it says of the file, and what the file's bytes hold.
// (SstFileReader's test is in read/: it reads these files.)
#include "rocksdb/sst_file_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/coding.h"
#include "fs/memory_file_system.h"
#include "rocksdb/comparator.h"
#include "table/properties.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

class SstFileWriterTest : public ::testing::Test {
 protected:
  SstFileWriterTest() {
    // One file system for the writer and the harness, which reads the file back.
    fs_ = std::shared_ptr<FileSystem>(&h_.fs, [](FileSystem*) {});
    env_ = NewCompositeEnv(fs_);
    options_.env = env_.get();
    options_.compression = kNoCompression;
  }

  Harness h_;
  std::shared_ptr<FileSystem> fs_;
  std::unique_ptr<Env> env_;
  Options options_;
};

TEST_F(SstFileWriterTest, WritesATableOfSequenceNumberZero) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_TRUE(writer.Open("/t.sst").ok());
  for (int i = 0; i < 5000; ++i) {
    char key[16];
    snprintf(key, sizeof(key), "key%05d", i);
    if (i % 7 == 3) {
      ASSERT_TRUE(writer.Delete(key).ok());
      h_.Put(key, 0, "", kTypeDeletion);
    } else {
      ASSERT_TRUE(writer.Put(key, "value" + std::to_string(i)).ok());
      h_.Put(key, 0, "value" + std::to_string(i));
    }
  }
  EXPECT_GT(writer.FileSize(), 50000u);
  ExternalSstFileInfo info;
  ASSERT_TRUE(writer.Finish(&info).ok());
  EXPECT_EQ(info.file_path, "/t.sst");
  EXPECT_EQ(info.smallest_key, "key00000");
  EXPECT_EQ(info.largest_key, "key04999");
  EXPECT_EQ(info.num_entries, 5000u);
  EXPECT_EQ(info.sequence_number, 0u);
  EXPECT_EQ(info.version, 2);
  uint64_t size = 0;
  ASSERT_TRUE(h_.fs.GetFileSize("/t.sst", IOOptions(), &size, nullptr).ok());
  EXPECT_EQ(info.file_size, size);
  EXPECT_EQ(writer.FileSize(), size);

  ASSERT_TRUE(h_.Open().ok());
  h_.CheckAll(1);
  const auto properties = h_.table->GetTableProperties();
  EXPECT_EQ(properties->num_entries, 5000u);
  EXPECT_EQ(properties->num_deletions, 714u);
  EXPECT_EQ(properties->db_id, "SST Writer");
  EXPECT_EQ(properties->db_session_id.size(), 20u);
  EXPECT_EQ(properties->orig_file_number, 1u);
  EXPECT_EQ(properties->column_family_id, TableProperties::kUnknownColumnFamily);
  EXPECT_EQ(properties->column_family_name, "");
  const auto& extra = properties->user_collected_properties;
  EXPECT_EQ(extra.at(kExternalVersionProperty), std::string("\2\0\0\0", 4));
  EXPECT_EQ(extra.at(kExternalGlobalSeqnoProperty), std::string(8, '\0'));
}

TEST_F(SstFileWriterTest, RefusesKeysThatDoNotAscend) {
  options_.comparator = ReverseBytewiseComparator();
  SstFileWriter writer(EnvOptions(), options_);
  EXPECT_TRUE(writer.Put("a", "b").IsInvalidArgument());
  EXPECT_TRUE(writer.Finish().IsInvalidArgument());
  ASSERT_TRUE(writer.Open("/t.sst").ok());
  ASSERT_TRUE(writer.Put("m", "1").ok());
  EXPECT_TRUE(writer.Put("m", "2").IsInvalidArgument());
  EXPECT_TRUE(writer.Delete("n").IsInvalidArgument());
  EXPECT_TRUE(writer.Merge("mm", "2").IsInvalidArgument());
  ASSERT_TRUE(writer.Merge("l", "3").ok());
  EXPECT_TRUE(writer.DeleteRange("a", "k").IsInvalidArgument());
  EXPECT_TRUE(writer.Put("k", "ts", "v").IsInvalidArgument());
  ExternalSstFileInfo info;
  ASSERT_TRUE(writer.Finish(&info).ok());
  EXPECT_EQ(info.num_entries, 2u);
  EXPECT_EQ(info.smallest_key, "m");
  EXPECT_TRUE(writer.Put("a", "b").IsInvalidArgument()) << "the file is finished";
}

TEST_F(SstFileWriterTest, AfterAnErrorTheFileIsGoneAndOneThatIsGivenUpStays) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_TRUE(writer.Open("/t.sst").ok());
  EXPECT_TRUE(writer.Finish().IsInvalidArgument()) << "no entries";
  EXPECT_TRUE(h_.fs.FileExists("/t.sst", IOOptions(), nullptr).IsNotFound());
  {
    SstFileWriter given_up(EnvOptions(), options_);
    ASSERT_TRUE(given_up.Open("/u.sst").ok());
    ASSERT_TRUE(given_up.Put("a", "b").ok());
  }
  uint64_t size = 100;
  EXPECT_TRUE(h_.fs.GetFileSize("/u.sst", IOOptions(), &size, nullptr).ok());
  EXPECT_LT(size, kFooterSize) << "it is no table";
  EXPECT_TRUE(writer.Open("/no/such/folder/t.sst").IsPathNotFound());
  // The same writer goes on with the next file, which has an identity of its own.
  ASSERT_TRUE(writer.Open("/t.sst").ok());
  ASSERT_TRUE(writer.Put("a", "b").ok());
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(h_.Open().ok());
  EXPECT_EQ(h_.table->GetTableProperties()->orig_file_number, 2u);
}

TEST_F(SstFileWriterTest, TakesTheCompressionOfTheLastLevel) {
  const auto compression_of_file = [&] {
    SstFileWriter writer(EnvOptions(), options_);
    EXPECT_TRUE(writer.Open("/t.sst").ok());
    EXPECT_TRUE(writer.Put("a", std::string(1000, 'v')).ok());
    EXPECT_TRUE(writer.Finish().ok());
    EXPECT_TRUE(h_.Open().ok());
    return h_.table->GetTableProperties()->compression_name;
  };
  options_.compression = kSnappyCompression;
  EXPECT_EQ(compression_of_file(), "Snappy");
  options_.compression_per_level = {kNoCompression, kLZ4Compression};
  EXPECT_EQ(compression_of_file(), "LZ4");
  options_.bottommost_compression = kZSTD;
  EXPECT_EQ(compression_of_file(), "ZSTD");
}

}  // namespace
}  // namespace cairn
