// BlockBasedTableOptions::block_align.
#include "conformance.h"
#include "rocksdb/table_properties.h"

namespace conformance {
namespace {

class BlockAlignTest : public DBTest {
 protected:
  BlockAlignTest() { Align(4096); }
  void Align(size_t block_size) {
    BlockBasedTableOptions table;
    table.block_align = true;
    table.block_size = block_size;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
  }
};

TEST_F(BlockAlignTest, DataBlocksTakeWholePages) {
  Open();
  for (int i = 0; i < 2000; ++i)
    ASSERT_OK(Put(Key(i), Numbers(static_cast<uint64_t>(i)).Bytes(100)));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(all.size(), 1u);
  const TableProperties& p = *all.begin()->second;
  EXPECT_EQ(p.data_size, p.num_data_blocks * 4096);
  EXPECT_EQ(p.index_value_is_delta_encoded, 0u);
  for (int i = 0; i < 2000; ++i) {
    EXPECT_EQ(Get(Key(i)), Numbers(static_cast<uint64_t>(i)).Bytes(100));
  }
  ASSERT_OK(Compact());
  TryOpen().PermitUncheckedError();
  EXPECT_EQ(Get(Key(1999)), Numbers(1999).Bytes(100));
}

TEST_F(BlockAlignTest, NotWithACompression) {
  options_.compression = kSnappyCompression;
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(BlockAlignTest, NotWithASizeThatIsNoPowerOfTwo) {
  Align(5000);
  EXPECT_CODE(InvalidArgument, TryOpen());
}

}  // namespace
}  // namespace conformance
