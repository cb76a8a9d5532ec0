#include "wal/wal_link.h"

#include <gtest/gtest.h>

#include "batch/write_batch_internal.h"

namespace cairn {
namespace {

TEST(WalLinkTest, SaysWhereTheLogBeforeEnded) {
  const std::string record = WalLink{7, 1234}.Encode(1300);
  WalLink link;
  ASSERT_TRUE(WalLink::Decode(record, &link));
  EXPECT_EQ(link.predecessor, 7u);
  EXPECT_EQ(link.last_sequence, 1234u);
  EXPECT_TRUE(link.named);
  EXPECT_EQ(WalLink::LastSequenceOf(record), 1299u) << "it consumes none";
  ASSERT_TRUE(WalLink::Decode(WalLink{7, 1234, false}.Encode(1300), &link));
  EXPECT_FALSE(link.named);
}

TEST(WalLinkTest, SaysWhereItsLastRecordEndedIfThatIsKnown) {
  WalLink link;
  ASSERT_TRUE(WalLink::Decode(WalLink{7, 1234, true, 5678}.Encode(1300), &link));
  EXPECT_EQ(link.end, 5678u);
  EXPECT_EQ(link.last_sequence, 1234u);
  // As links were before.
  ASSERT_TRUE(WalLink::Decode(WalLink{7, 1234}.Encode(1300), &link));
  EXPECT_EQ(link.end, 0u);
}

TEST(WalLinkTest, OtherRecordsAreNone) {
  WalLink link;
  WriteBatch batch;
  EXPECT_FALSE(WalLink::Decode(batch.Data(), &link));
  ASSERT_TRUE(batch.PutLogData("cairn.wal-link").ok());
  EXPECT_FALSE(WalLink::Decode(batch.Data(), &link)) << "too short";
  ASSERT_TRUE(batch.Put("k", "v").ok());
  EXPECT_FALSE(WalLink::Decode(batch.Data(), &link));
  const std::string record = WalLink{7, 1234}.Encode(1300);
  for (size_t size = 0; size < record.size(); ++size) {
    EXPECT_FALSE(WalLink::Decode(Slice(record.data(), size), &link)) << size;
  }
}

TEST(WalLinkTest, ANumberThatNoEntryCanHaveIsNone) {
  WalLink link;
  EXPECT_TRUE(WalLink::Decode(WalLink{7, kMaxSequenceNumber}.Encode(1300), &link));
  EXPECT_FALSE(WalLink::Decode(WalLink{7, kMaxSequenceNumber + 1}.Encode(1300), &link));
  WriteBatch empty;
  EXPECT_EQ(WalLink::LastSequenceOf(empty.Data()), 0u);
}

TEST(WalLinkTest, TheLastSequenceCountsTheEntries) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Delete("b").ok());
  WriteBatchInternal::SetSequence(&batch, 10);
  EXPECT_EQ(WalLink::LastSequenceOf(batch.Data()), 11u);
}

}  // namespace
}  // namespace cairn
