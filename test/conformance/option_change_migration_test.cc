// OptionChangeMigration: from each shape of a tree to each other one. What was there is there
// afterwards, with the new options.
#include "rocksdb/utilities/option_change_migration.h"

#include <tuple>

#include "conformance.h"

namespace conformance {
namespace {

struct Shape {
  const char* name;
  CompactionStyle style;
  int num_levels;
  bool dynamic;
};

constexpr Shape kShapes[] = {
    {"Leveled7", kCompactionStyleLevel, 7, false},
    {"Leveled4", kCompactionStyleLevel, 4, false},
    {"Dynamic7", kCompactionStyleLevel, 7, true},
    {"Dynamic4", kCompactionStyleLevel, 4, true},
    {"Universal1", kCompactionStyleUniversal, 1, false},
    {"Universal4", kCompactionStyleUniversal, 4, false},
    {"Universal7", kCompactionStyleUniversal, 7, false},
    {"Fifo", kCompactionStyleFIFO, 1, false},
};

class OptionChangeMigrationTest : public DBTest,
                                  public testing::WithParamInterface<std::tuple<Shape, Shape>> {
 protected:
  Options OptionsOf(const Shape& shape) {
    Options options = options_;
    options.compaction_style = shape.style;
    options.num_levels = shape.num_levels;
    options.level_compaction_dynamic_level_bytes = shape.dynamic;
    options.write_buffer_size = 64 << 10;
    options.target_file_size_base = 64 << 10;
    options.max_bytes_for_level_base = 256 << 10;
    options.level0_file_num_compaction_trigger = 3;
    options.compaction_options_fifo.max_table_files_size = uint64_t{1} << 40;
    return options;
  }
  // Several files on every level that the shape makes use of.
  void Fill(int count, size_t value_size) {
    Numbers numbers(17);
    for (int i = 0; i < count; ++i) {
      const std::string key = Key(static_cast<int>(numbers.Below(count)));
      if (numbers.Below(10) == 0) {
        ASSERT_OK(Delete(key));
        expected_.erase(key);
      } else {
        expected_[key] = numbers.Bytes(value_size);
        ASSERT_OK(Put(key, expected_[key]));
      }
    }
  }
  void ExpectAll() {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    std::map<std::string, std::string> found;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      found[it->key().ToString()] = it->value().ToString();
    }
    EXPECT_OK(it->status());
    EXPECT_TRUE(expected_ == found) << found.size() << " of " << expected_.size();
  }

  std::map<std::string, std::string> expected_;
};

TEST_P(OptionChangeMigrationTest, NothingIsLost) {
  const auto& [from, to] = GetParam();
  const Options old_options = OptionsOf(from), new_options = OptionsOf(to);
  ASSERT_OK(DB::Open(old_options, dir_, &db_));
  Fill(400, 700);
  if (from.style == kCompactionStyleLevel) {
    ASSERT_OK(Compact());
    Fill(100, 300);
  }
  Shut();
  ASSERT_OK(OptionChangeMigration(dir_, old_options, new_options));
  ASSERT_OK(DB::Open(new_options, dir_, &db_));
  ExpectAll();
  Fill(100, 100);
  ExpectAll();
  Shut();
  ASSERT_OK(DB::Open(new_options, dir_, &db_));
  ExpectAll();
}

INSTANTIATE_TEST_SUITE_P(Shapes, OptionChangeMigrationTest,
                         testing::Combine(testing::ValuesIn(kShapes), testing::ValuesIn(kShapes)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "To" +
                                  std::get<1>(info.param).name;
                         });

class OptionChangeMigrationErrorsTest : public DBTest {};

TEST_F(OptionChangeMigrationErrorsTest, FifoDoesNotDropItAllAtOnce) {
  options_.target_file_size_base = 1 << 20;
  Open();
  for (int i = 0; i < 400; ++i) ASSERT_OK(Put(Key(i), std::string(1000, 'x')));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  Shut();
  Options fifo = options_;
  fifo.compaction_style = kCompactionStyleFIFO;
  fifo.num_levels = 1;
  fifo.compaction_options_fifo.max_table_files_size = 300000;
  ASSERT_OK(OptionChangeMigration(dir_, options_, fifo));
  ASSERT_OK(DB::Open(fifo, dir_, &db_));
  EXPECT_LT(4, FilesAtLevel(0));
  ASSERT_OK(Put("z", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
  EXPECT_OK(it->status());
  EXPECT_LT(100, count);
  EXPECT_GT(350, count);
}

TEST_F(OptionChangeMigrationErrorsTest, SeveralFamiliesAreRefused) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &family));
  ASSERT_OK(Put("a", "1"));
  delete family;
  Shut();
  Options universal = options_;
  universal.compaction_style = kCompactionStyleUniversal;
  universal.num_levels = 1;
  EXPECT_CODE(InvalidArgument, OptionChangeMigration(dir_, options_, universal));
}

TEST_F(OptionChangeMigrationErrorsTest, StylesThatNobodyKnows) {
  Open();
  Shut();
  Options none = options_;
  none.compaction_style = kCompactionStyleNone;
  EXPECT_CODE(NotSupported, OptionChangeMigration(dir_, options_, none));
}

TEST_F(OptionChangeMigrationErrorsTest, NoDatabase) {
  options_.create_if_missing = false;
  Options universal = options_;
  universal.compaction_style = kCompactionStyleUniversal;
  universal.num_levels = 1;
  EXPECT_FALSE(OptionChangeMigration(root_ + "/none", options_, universal).ok());
}

TEST_F(OptionChangeMigrationErrorsTest, AnEmptyDatabase) {
  Open();
  Shut();
  Options universal = options_;
  universal.compaction_style = kCompactionStyleUniversal;
  universal.num_levels = 1;
  ASSERT_OK(OptionChangeMigration(dir_, options_, universal));
  ASSERT_OK(DB::Open(universal, dir_, &db_));
  EXPECT_EQ("", Contents());
}

}  // namespace
}  // namespace conformance
