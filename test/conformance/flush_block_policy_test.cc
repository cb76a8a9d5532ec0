// FlushBlockPolicy: where data blocks end for it, and its factory as text.
#include "rocksdb/flush_block_policy.h"

#include <atomic>
#include <utility>

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

// A block for each user key that ends in '0'; keys are remembered. (Before the first entry RocksDB
// must not be told to end a block.)
class OwnPolicy : public FlushBlockPolicy {
 public:
  explicit OwnPolicy(std::vector<std::string>* asked) : asked_(asked) {}
  bool Update(const Slice& key, const Slice& value) override {
    asked_->push_back(key.ToString() + "=" + value.ToString());
    if (std::exchange(first_, false)) return false;
    return key.size() > 8 && key[key.size() - 9] == '0';
  }

 private:
  std::vector<std::string>* const asked_;
  bool first_ = true;
};

class OwnPolicyFactory : public FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "conformance.OwnPolicyFactory"; }
  FlushBlockPolicy* NewFlushBlockPolicy(const BlockBasedTableOptions& options,
                                        const BlockBuilder& block) const override {
    block_size = options.block_size;
    made++;
    if (by_size) return FlushBlockBySizePolicyFactory::NewFlushBlockPolicy(500, 10, block);
    return new OwnPolicy(&asked);
  }
  // Read while no job runs.
  bool by_size = false;
  mutable std::atomic<int> made{0};
  mutable size_t block_size = 0;
  mutable std::vector<std::string> asked;
};

class FlushBlockPolicyTest : public DBTest {
 protected:
  // Opens with the factory, writes keys 0 to 99 of 3 digits, and flushes.
  void Fill() {
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < 100; i++) ASSERT_OK(Put(Key3(i), "v"));
    ASSERT_OK(Flush());
  }
  static std::string Key3(int i) {
    std::string digits = std::to_string(1000 + i);
    return digits.substr(1);
  }
  uint64_t DataBlocks() {
    TablePropertiesCollection all;
    EXPECT_OK(db_->GetPropertiesOfAllTables(&all));
    uint64_t blocks = 0;
    for (const auto& [name, properties] : all) blocks += properties->num_data_blocks;
    return blocks;
  }
  void ExpectAllThere() {
    for (int i = 0; i < 100; i++) EXPECT_EQ("v", Get(Key3(i)));
    const std::string contents = Contents();
    EXPECT_EQ(100, std::count(contents.begin(), contents.end(), '='));
  }

  BlockBasedTableOptions table_;
};

TEST_F(FlushBlockPolicyTest, BlocksEndWhereItSays) {
  const auto own = std::make_shared<OwnPolicyFactory>();
  table_.flush_block_policy_factory = own;
  table_.block_size = 64;  // says nothing
  Fill();
  EXPECT_EQ(10u, DataBlocks());
  EXPECT_EQ(1, own->made);
  EXPECT_EQ(64u, own->block_size);
  ASSERT_EQ(100u, own->asked.size());
  // An internal key.
  EXPECT_EQ(3u + 8 + 2, own->asked[0].size());
  EXPECT_EQ("000", own->asked[0].substr(0, 3));
  EXPECT_EQ("=v", own->asked[99].substr(11));
  ExpectAllThere();
  ASSERT_OK(Put("100", "v"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ(11u, DataBlocks());
  EXPECT_LE(2, own->made) << "files may be moved";
}

TEST_F(FlushBlockPolicyTest, OneForEachKeyComesByName) {
  ASSERT_OK(FlushBlockPolicyFactory::CreateFromString(
      ConfigOptions(), "FlushBlockEveryKeyPolicyFactory", &table_.flush_block_policy_factory));
  ASSERT_NE(nullptr, table_.flush_block_policy_factory);
  EXPECT_STREQ("FlushBlockEveryKeyPolicyFactory", table_.flush_block_policy_factory->Name());
  Fill();
  EXPECT_EQ(100u, DataBlocks());
  ExpectAllThere();
}

TEST_F(FlushBlockPolicyTest, OneOfOnesOwnMayAskTheOneBySize) {
  const auto own = std::make_shared<OwnPolicyFactory>();
  own->by_size = true;
  table_.flush_block_policy_factory = own;
  Fill();
  const uint64_t own_blocks = DataBlocks();
  EXPECT_LT(1u, own_blocks);
  Shut();
  RemoveTree(dir_);
  table_.flush_block_policy_factory = std::make_shared<FlushBlockBySizePolicyFactory>();
  table_.block_size = 500;
  Fill();
  EXPECT_EQ(own_blocks, DataBlocks());
  Shut();
  RemoveTree(dir_);
  table_.flush_block_policy_factory = nullptr;
  Fill();
  EXPECT_EQ(own_blocks, DataBlocks());
  ExpectAllThere();
}

TEST_F(FlushBlockPolicyTest, OptionsAsTextNameIt) {
  Options parsed;
  ASSERT_OK(GetOptionsFromString(
      Options(),
      "block_based_table_factory={flush_block_policy_factory=FlushBlockEveryKeyPolicyFactory}",
      &parsed));
  const auto* table = parsed.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table->flush_block_policy_factory);
  EXPECT_STREQ("FlushBlockEveryKeyPolicyFactory", table->flush_block_policy_factory->Name());
  options_ = parsed;
  options_.create_if_missing = true;
  Open();
  Shut();
  DBOptions db;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(ConfigOptions(), dir_, &db, &families));
  table = families[0].options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table->flush_block_policy_factory);
  EXPECT_STREQ("FlushBlockEveryKeyPolicyFactory", table->flush_block_policy_factory->Name());
}

TEST_F(FlushBlockPolicyTest, AnUnknownNameMakesNone) {
  std::shared_ptr<FlushBlockPolicyFactory> made;
  ConfigOptions strict;
  strict.ignore_unsupported_options = false;
  EXPECT_TRUE(FlushBlockPolicyFactory::CreateFromString(strict, "nobody", &made).IsNotSupported());
  EXPECT_EQ(nullptr, made);
}

}  // namespace
}  // namespace conformance
