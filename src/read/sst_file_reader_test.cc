// SstFileReader over files of SstFileWriter: iterators, properties, damage.
#include "rocksdb/sst_file_reader.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/namespace.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

class SstFileReaderTest : public ::testing::Test {
 protected:
  SstFileReaderTest() {
    options_.env = env_.get();
    options_.compression = kNoCompression;
  }

  static std::string Key(int i) {
    char key[16];
    snprintf(key, sizeof(key), "key%05d", i);
    return key;
  }

  // Every third key is deleted.
  void Write(int n) {
    SstFileWriter writer(EnvOptions(), options_);
    ASSERT_TRUE(writer.Open("/t.sst").ok());
    for (int i = 0; i < n; ++i) {
      ASSERT_TRUE((i % 3 == 1 ? writer.Delete(Key(i)) : writer.Put(Key(i), "v" + Key(i))).ok());
    }
    ASSERT_TRUE(writer.Finish().ok());
  }

  std::shared_ptr<FileSystem> fs_ = std::make_shared<MemoryFileSystem>();
  std::unique_ptr<Env> env_ = NewCompositeEnv(fs_);
  Options options_;
};

TEST_F(SstFileReaderTest, IteratesOverWhatIsNotDeleted) {
  Write(3000);
  SstFileReader reader(options_);
  ASSERT_TRUE(reader.Open("/t.sst").ok());
  EXPECT_TRUE(reader.VerifyChecksum().ok());
  EXPECT_EQ(reader.GetTableProperties()->num_entries, 3000u);
  std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  int i = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), i += i % 3 == 0 ? 2 : 1) {
    ASSERT_EQ(it->key().ToString(), Key(i));
    ASSERT_EQ(it->value().ToString(), "v" + Key(i));
  }
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(i, 3000);
  it->Seek(Key(1000));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Key(1001)) << "1000 is deleted";
  it->Prev();
  EXPECT_EQ(it->key(), Key(999));
  it->SeekForPrev("x");
  EXPECT_EQ(it->key(), Key(2999));

  ReadOptions bounded;
  const std::string lower = Key(9), upper = Key(12);
  const Slice lower_slice(lower), upper_slice(upper);
  bounded.iterate_lower_bound = &lower_slice;
  bounded.iterate_upper_bound = &upper_slice;
  it.reset(reader.NewIterator(bounded));
  std::string seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) seen += it->key().ToString() + " ";
  EXPECT_EQ(seen, "key00009 key00011 ");

  ReadOptions tailing;
  tailing.tailing = true;
  it.reset(reader.NewIterator(tailing));
  EXPECT_TRUE(it->status().IsNotSupported());
}

TEST_F(SstFileReaderTest, SaysWhatIsWrongWithAFile) {
  SstFileReader missing(options_);
  EXPECT_TRUE(missing.Open("/t.sst").IsPathNotFound());
  ASSERT_TRUE(WriteStringToFile(fs_.get(), std::string(5000, 'x'), "/t.sst").ok());
  SstFileReader no_table(options_);
  EXPECT_TRUE(no_table.Open("/t.sst").IsCorruption());
  Write(3000);
  options_.comparator = ReverseBytewiseComparator();
  SstFileReader other_order(options_);
  EXPECT_TRUE(other_order.Open("/t.sst").IsInvalidArgument());
  options_.comparator = BytewiseComparator();

  std::string bytes;
  ASSERT_TRUE(ReadFileToString(fs_.get(), "/t.sst", &bytes).ok());
  bytes[bytes.size() / 3] ^= 1;
  ASSERT_TRUE(WriteStringToFile(fs_.get(), bytes, "/t.sst").ok());
  SstFileReader damaged(options_);
  ASSERT_TRUE(damaged.Open("/t.sst").ok()) << "a data block is damaged";
  EXPECT_TRUE(damaged.VerifyChecksum().IsCorruption());
  std::unique_ptr<Iterator> it(damaged.NewIterator(ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
  }
  EXPECT_TRUE(it->status().IsCorruption());
}

}  // namespace
}  // namespace cairn
