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

TEST_F(SetOptionsTest, TheyAreInForceAtOnceAndRemembered) {
  Open();
  ASSERT_OK(db_->SetOptions({{"write_buffer_size", "4194304"},
                             {"max_bytes_for_level_multiplier", "7"},
                             {"compression", "kSnappyCompression"}}));
  EXPECT_EQ(4194304u, db_->GetOptions().write_buffer_size);
  EXPECT_EQ(7, db_->GetOptions().max_bytes_for_level_multiplier);
  EXPECT_EQ(kSnappyCompression, db_->GetOptions().compression);
  const Options persistent = Persistent();
  EXPECT_EQ(4194304u, persistent.write_buffer_size);
  EXPECT_EQ(7, persistent.max_bytes_for_level_multiplier);
  EXPECT_EQ(kSnappyCompression, persistent.compression);
  for (int i = 0; i < 600; ++i) ASSERT_OK(Put(Key(i), std::string(10'000, 'v')));
  for (int i = 0; i < 5000 && FilesEndingIn(".sst").empty(); ++i) {
    TheEnv()->SleepForMicroseconds(1000);
  }
  EXPECT_FALSE(FilesEndingIn(".sst").empty()) << "smaller memtables are flushed sooner";
}

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

TEST_F(SetOptionsTest, OptionsOfTheDatabase) {
  Open();
  ASSERT_OK(db_->SetDBOptions({{"max_background_jobs", "5"}, {"bytes_per_sync", "262144"}}));
  EXPECT_EQ(5, db_->GetDBOptions().max_background_jobs);
  EXPECT_EQ(262144u, db_->GetDBOptions().bytes_per_sync);
  EXPECT_EQ(5, Persistent().max_background_jobs);
  ASSERT_OK(db_->SetDBOptions({{"max_open_files", "8"}}));
  EXPECT_EQ(8, db_->GetDBOptions().max_open_files) << "what was asked, however many are kept open";
  EXPECT_CODE(NotFound, db_->SetDBOptions({{"max_background_jobs", "6"}, {"no_such", "1"}}));
  EXPECT_CODE(NotFound, db_->SetDBOptions({{"create_if_missing", "false"}}));
  EXPECT_CODE(InvalidArgument, db_->SetDBOptions({{"max_background_jobs", "many"}}));
  EXPECT_CODE(InvalidArgument, db_->SetDBOptions({}));
  EXPECT_EQ(5, db_->GetDBOptions().max_background_jobs);
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

// Of a later release: what it adds is nothing that this one must know.
TEST_F(SetOptionsTest, UnknownOptionsAreAnErrorUnlessTheyAreIgnored) {
  Open();
  Shut();
  std::string name;
  ASSERT_OK(GetLatestOptionsFileName(dir_, TheEnv(), &name));
  std::string text = ReadFile(name);
  const size_t at = text.find("[DBOptions]\n");
  ASSERT_NE(std::string::npos, at);
  text.insert(at + 12, "  option_of_the_future=1\n");
  const size_t family = text.find("[CFOptions \"default\"]\n");
  ASSERT_NE(std::string::npos, family);
  text.insert(family + 22, "  another_of_the_future={a=1;b={c=2;}}\n");
  WriteFile(name, text);
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions config;
  config.ignore_unknown_options = false;
  EXPECT_CODE(InvalidArgument, LoadLatestOptions(config, dir_, &db_options, &families));
  // Only a file of a later release may have them.
  config.ignore_unknown_options = true;
  EXPECT_CODE(InvalidArgument, LoadLatestOptions(config, dir_, &db_options, &families));
  const size_t version = text.find("rocksdb_version=");
  ASSERT_NE(std::string::npos, version);
  text.replace(version, text.find('\n', version) - version, "rocksdb_version=99.1.0");
  WriteFile(name, text);
  families.clear();
  EXPECT_OK(LoadLatestOptions(config, dir_, &db_options, &families));
  ASSERT_EQ(1u, families.size());
  EXPECT_EQ(options_.write_buffer_size, families[0].options.write_buffer_size);
  families.clear();
  config.ignore_unknown_options = false;
  EXPECT_CODE(InvalidArgument, LoadLatestOptions(config, dir_, &db_options, &families));
  // The database does not read it.
  EXPECT_OK(TryOpen());
}

}  // namespace
}  // namespace conformance
