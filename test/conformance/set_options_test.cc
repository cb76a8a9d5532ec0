// Options that change while a database is open, and the OPTIONS files that remember them.
#include "conformance.h"
#include "rocksdb/utilities/options_util.h"

namespace conformance {
namespace {

class SetOptionsTest : public DBTest {
 protected:
  // What the newest OPTIONS file says.
  Options Persistent() {
    DBOptions db_options;
    std::vector<ColumnFamilyDescriptor> families;
    EXPECT_OK(LoadLatestOptions(dir_, TheEnv(), &db_options, &families));
    EXPECT_FALSE(families.empty());
    return families.empty() ? Options() : Options(db_options, families[0].options);
  }
};

TEST_F(SetOptionsTest, OneBadOptionRefusesAll) {
  Open();
  const size_t before = db_->GetOptions().write_buffer_size;
  EXPECT_CODE(InvalidArgument, db_->SetOptions({{"write_buffer_size", "65536"}, {"no_such", "1"}}));
  EXPECT_CODE(InvalidArgument,
              db_->SetOptions({{"write_buffer_size", "65536"}, {"num_levels", "3"}}));
  EXPECT_CODE(InvalidArgument, db_->SetOptions({{"write_buffer_size", "many"}}));
  EXPECT_CODE(InvalidArgument, db_->SetOptions({}));
  EXPECT_EQ(before, db_->GetOptions().write_buffer_size);
  EXPECT_EQ(before, Persistent().write_buffer_size);
}

TEST_F(SetOptionsTest, OptionsOfTables) {
  Open();
  ASSERT_OK(db_->SetOptions({{"block_based_table_factory", "{block_size=16384;}"}}));
  const Options now = db_->GetOptions();
  const auto* table = now.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(nullptr, table);
  EXPECT_EQ(16384u, table->block_size);
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'v')));
  ASSERT_OK(Flush());
  TablePropertiesCollection all;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&all));
  ASSERT_EQ(1u, all.size());
  EXPECT_GE(9u, all.begin()->second->num_data_blocks);
}

TEST_F(SetOptionsTest, OneColumnFamilysAreNotTheOthers) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  ASSERT_OK(db_->SetOptions(other, {{"level0_slowdown_writes_trigger", "77"}}));
  EXPECT_EQ(77, db_->GetOptions(other).level0_slowdown_writes_trigger);
  EXPECT_NE(77, db_->GetOptions().level0_slowdown_writes_trigger);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(SetOptionsTest, OldFilesGo) {
  Open();
  for (int i = 0; i < 6; ++i) {
    ASSERT_OK(db_->SetOptions({{"max_write_buffer_number", std::to_string(3 + i)}}));
  }
  const std::vector<std::string> files = FilesStartingWith("OPTIONS-");
  EXPECT_GE(2u, files.size());
  std::string latest;
  ASSERT_OK(GetLatestOptionsFileName(dir_, TheEnv(), &latest));
  EXPECT_EQ(files.back(), latest);
  EXPECT_EQ(8, Persistent().max_write_buffer_number);
}

TEST_F(SetOptionsTest, AFileIsComparedWithOptions) {
  Open();
  Shut();
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ASSERT_OK(LoadLatestOptions(dir_, TheEnv(), &db_options, &families));
  EXPECT_OK(CheckOptionsCompatibility(ConfigOptions(), dir_, db_options, families));
  families[0].options.comparator = ReverseBytewiseComparator();
  EXPECT_CODE(InvalidArgument,
              CheckOptionsCompatibility(ConfigOptions(), dir_, db_options, families));
}

TEST_F(SetOptionsTest, FilesThatAreNoneOrDamaged) {
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  EXPECT_FALSE(
      LoadOptionsFromFile(dir_ + "/OPTIONS-000001", TheEnv(), &db_options, &families).ok());
  EXPECT_FALSE(LoadLatestOptions(dir_, TheEnv(), &db_options, &families).ok());
  Open();
  std::string name;
  ASSERT_OK(GetLatestOptionsFileName(dir_, TheEnv(), &name));
  std::string text = ReadFile(name);
  WriteFile("OPTIONS-cut", text.substr(0, text.find("[CFOptions")));
  EXPECT_FALSE(LoadOptionsFromFile(dir_ + "/OPTIONS-cut", TheEnv(), &db_options, &families).ok());
  WriteFile("OPTIONS-odd", "[Nonsense]\n  a=1\n");
  EXPECT_FALSE(LoadOptionsFromFile(dir_ + "/OPTIONS-odd", TheEnv(), &db_options, &families).ok());
}

}  // namespace
}  // namespace conformance
