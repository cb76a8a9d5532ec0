// DBOptions::allow_mmap_reads.
#include "conformance.h"

namespace conformance {
namespace {

class MmapReadsTest : public DBTest, public ::testing::WithParamInterface<CompressionType> {
 protected:
  MmapReadsTest() {
    options_.allow_mmap_reads = true;
    options_.compression = GetParam();
  }
  void Fill(int round) {
    for (int i = 0; i < 3000; ++i) {
      ASSERT_OK(Put(Key(i), std::to_string(round) + Numbers(static_cast<uint64_t>(i)).Bytes(80)));
    }
    ASSERT_OK(Flush());
  }
  void Check(int round) {
    for (int i = 0; i < 3000; i += 7) {
      EXPECT_EQ(Get(Key(i)), std::to_string(round) + Numbers(static_cast<uint64_t>(i)).Bytes(80));
    }
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int entries = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
    ASSERT_OK(it->status());
    EXPECT_EQ(entries, 3000);
    for (it->SeekToLast(); it->Valid(); it->Prev()) --entries;
    ASSERT_OK(it->status());
    EXPECT_EQ(entries, 0);
  }
};

INSTANTIATE_TEST_SUITE_P(Compressions, MmapReadsTest,
                         ::testing::Values(kNoCompression, kSnappyCompression));

TEST_P(MmapReadsTest, ReadsAllLevels) {
  Open();
  Fill(1);
  Fill(2);
  Check(2);
  ASSERT_OK(Compact());
  Check(2);
  Open();
  Check(2);
}

// What was read stays where it was when the table is compacted away.
TEST_P(MmapReadsTest, PinnedValuesOutliveTheTable) {
  Open();
  Fill(1);
  PinnableSlice value;
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), Key(5), &value));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(6));
  ASSERT_TRUE(it->Valid());
  Fill(2);
  ASSERT_OK(Compact());
  EXPECT_EQ(value, "1" + Numbers(5).Bytes(80));
  EXPECT_EQ(it->value(), "1" + Numbers(6).Bytes(80));
  it->Next();
  EXPECT_EQ(it->value(), "1" + Numbers(7).Bytes(80));
  it.reset();
  Check(2);
}

TEST_P(MmapReadsTest, NotWithDirectReads) {
  options_.use_direct_reads = true;
  EXPECT_CODE(NotSupported, TryOpen());
}

}  // namespace
}  // namespace conformance
