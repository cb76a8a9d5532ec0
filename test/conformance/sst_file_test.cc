// SstFileWriter and SstFileReader by themselves.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

class SstFileTest : public DBTest {
 protected:
  SstFileTest() { path_ = root_ + "/file.sst"; }
  std::string Entries(const ReadOptions& read = ReadOptions()) {
    SstFileReader reader(options_);
    EXPECT_OK(reader.Open(path_));
    std::unique_ptr<Iterator> it(reader.NewIterator(read));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += it->key().ToString() + "=" + it->value().ToString() + ",";
    }
    EXPECT_OK(it->status());
    return text;
  }

  std::string path_;
};

TEST_F(SstFileTest, AFileThatIsNotFinishedStaysAndIsNoTable) {
  {
    SstFileWriter writer(EnvOptions(), options_);
    ASSERT_OK(writer.Open(path_));
  }
  uint64_t size = 1;
  ASSERT_OK(TheEnv()->GetFileSize(path_, &size));
  EXPECT_EQ(0u, size);
  EXPECT_FALSE(SstFileReader(options_).Open(path_).ok());
}

TEST_F(SstFileTest, WhatWasWrittenIsRead) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path_));
  for (int i = 0; i < 1000; ++i) ASSERT_OK(writer.Put(Key(i), std::to_string(i)));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  EXPECT_EQ(path_, info.file_path);
  EXPECT_EQ(Key(0), info.smallest_key);
  EXPECT_EQ(Key(999), info.largest_key);
  EXPECT_EQ(1000u, info.num_entries);
  EXPECT_EQ(0u, info.num_range_del_entries);
  uint64_t size = 0;
  ASSERT_OK(TheEnv()->GetFileSize(path_, &size));
  EXPECT_EQ(size, info.file_size);
  EXPECT_EQ(size, writer.FileSize());

  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path_));
  EXPECT_OK(reader.VerifyChecksum());
  EXPECT_EQ(1000u, reader.GetTableProperties()->num_entries);
  std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  it->Seek(Key(500));
  for (int i = 500; i < 1000; ++i, it->Next()) {
    ASSERT_TRUE(it->Valid());
    ASSERT_EQ(Key(i), it->key().ToString());
    ASSERT_EQ(std::to_string(i), it->value().ToString());
  }
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("key000123x");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Key(123), it->key().ToString());
  it->Prev();
  EXPECT_EQ(Key(122), it->key().ToString());
}

TEST_F(SstFileTest, KeysMustAscend) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path_));
  ASSERT_OK(writer.Put("b", "1"));
  EXPECT_CODE(InvalidArgument, writer.Put("b", "2"));
  EXPECT_CODE(InvalidArgument, writer.Put("a", "2"));
  ASSERT_OK(writer.Put("c", "3"));
  ASSERT_OK(writer.Finish());
  EXPECT_EQ("b=1,c=3,", Entries());
}

TEST_F(SstFileTest, WithoutEntriesThereIsNoFile) {
  SstFileWriter writer(EnvOptions(), options_);
  EXPECT_CODE(InvalidArgument, writer.Put("a", "1"));
  EXPECT_CODE(InvalidArgument, writer.Finish());
  ASSERT_OK(writer.Open(path_));
  EXPECT_CODE(InvalidArgument, writer.Finish());
}

TEST_F(SstFileTest, DeletionsAndOperands) {
  ASSERT_OK(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path_));
  ASSERT_OK(writer.Put("a", "1"));
  ASSERT_OK(writer.Delete("b"));
  ASSERT_OK(writer.Merge("c", "2"));
  ASSERT_OK(writer.DeleteRange("d", "f"));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  EXPECT_EQ(3u, info.num_entries);
  EXPECT_EQ(1u, info.num_range_del_entries);
  EXPECT_EQ("d", info.smallest_range_del_key);
  EXPECT_EQ("f", info.largest_range_del_key);
  EXPECT_EQ("a=1,c=2,", Entries());
}

TEST_F(SstFileTest, BoundsHold) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path_));
  for (const char* const key : {"a", "b", "c", "d"}) ASSERT_OK(writer.Put(key, key));
  ASSERT_OK(writer.Finish());
  const Slice lower("b"), upper("d");
  ReadOptions read;
  read.iterate_lower_bound = &lower;
  read.iterate_upper_bound = &upper;
  EXPECT_EQ("b=b,c=c,", Entries(read));
}

TEST_F(SstFileTest, WhatIsNoTableIsNotOpened) {
  SstFileReader reader(options_);
  EXPECT_FALSE(reader.Open(path_).ok());
  ASSERT_OK(WriteStringToFile(TheEnv(), std::string(1000, 'x'), path_));
  SstFileReader another(options_);
  EXPECT_CODE(Corruption, another.Open(path_));
}

TEST_F(SstFileTest, DamageIsFound) {
  SstFileWriter writer(EnvOptions(), options_);
  ASSERT_OK(writer.Open(path_));
  for (int i = 0; i < 1000; ++i) ASSERT_OK(writer.Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(writer.Finish());
  std::string data;
  ASSERT_OK(ReadFileToString(TheEnv(), path_, &data));
  data[data.size() / 3] ^= 1;
  ASSERT_OK(WriteStringToFile(TheEnv(), data, path_));
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path_));
  EXPECT_CODE(Corruption, reader.VerifyChecksum());
}

TEST_F(SstFileTest, CompressionsAndFormats) {
  for (const CompressionType type : {kNoCompression, kSnappyCompression, kZlibCompression,
                                     kBZip2Compression, kLZ4Compression, kZSTD}) {
    for (const uint32_t version : {2u, 3u, 4u, 5u}) {
      BlockBasedTableOptions table;
      table.format_version = version;
      options_.table_factory.reset(NewBlockBasedTableFactory(table));
      options_.compression = type;
      SstFileWriter writer(EnvOptions(), options_);
      ASSERT_OK(writer.Open(path_));
      std::string expected;
      for (int i = 0; i < 300; ++i) {
        ASSERT_OK(writer.Put(Key(i), std::string(100, 'v')));
        expected += Key(i) + "=" + std::string(100, 'v') + ",";
      }
      ASSERT_OK(writer.Finish());
      EXPECT_EQ(expected, Entries());
    }
  }
}

}  // namespace
}  // namespace conformance
