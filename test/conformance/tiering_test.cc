// preclude_last_level_data_seconds and preserve_internal_time_seconds, with the real clock: what
// was just written is young, whatever the machine does meanwhile.
#include "conformance.h"
#include "rocksdb/metadata.h"
#include "rocksdb/table_properties.h"

namespace conformance {
namespace {

constexpr uint64_t kLong = 1'000'000;  // seconds

class TieringTest : public DBTest {
 protected:
  TieringTest() {
    options_.num_levels = 4;
    options_.disable_auto_compactions = true;
    options_.write_buffer_size = 4 << 20;
  }
  Status CompactAnew() {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    return db_->CompactRange(options, nullptr, nullptr);
  }
  std::vector<LiveFileMetaData> Tables() {
    std::vector<LiveFileMetaData> tables;
    db_->GetLiveFilesMetaData(&tables);
    return tables;
  }
};

TEST_F(TieringTest, YoungDataStayAboveTheLastLevel) {
  for (const CompactionStyle style : {kCompactionStyleUniversal, kCompactionStyleLevel}) {
    Shut();
    RemoveTree(dir_);
    options_.compaction_style = style;
    options_.preclude_last_level_data_seconds = kLong;
    Open();
    for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), "1"));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactAnew());
    ASSERT_OK(Put(Key(7), "2"));
    ASSERT_OK(Delete(Key(8)));
    ASSERT_OK(Flush());
    ASSERT_OK(CompactAnew());
    EXPECT_EQ(0, FilesAtLevel(3));
    EXPECT_EQ(style == kCompactionStyleUniversal ? 1 : FilesAtLevel(2), FilesAtLevel(2));
    EXPECT_EQ("2", Get(Key(7)));
    EXPECT_EQ("NOT_FOUND", Get(Key(8)));
    EXPECT_EQ("1", Get(Key(99)));
    // Without the option they go down.
    options_.preclude_last_level_data_seconds = 0;
    Open();
    ASSERT_OK(CompactAnew());
    if (style == kCompactionStyleUniversal) {
      EXPECT_EQ(1, FilesAtLevel(3));
      EXPECT_EQ(0, FilesAtLevel(2));
    }
    EXPECT_EQ("2", Get(Key(7)));
    EXPECT_EQ("NOT_FOUND", Get(Key(8)));
  }
}

TEST_F(TieringTest, YoungEntriesKeepTheirSequenceNumbers) {
  options_.preserve_internal_time_seconds = kLong;
  Open();
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactAnew());
  ASSERT_EQ(1u, Tables().size());
  EXPECT_LT(0u, Tables()[0].smallest_seqno);
  options_.preserve_internal_time_seconds = 0;
  Open();
  ASSERT_OK(CompactAnew());
  ASSERT_EQ(1u, Tables().size());
  EXPECT_EQ(0u, Tables()[0].largest_seqno);
}

TEST_F(TieringTest, TheLastLevelHasATemperatureOfItsOwn) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.preclude_last_level_data_seconds = kLong;
  options_.last_level_temperature = Temperature::kCold;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(CompactAnew());
  ASSERT_EQ(1u, Tables().size());
  EXPECT_EQ(2, Tables()[0].level);
  EXPECT_EQ(Temperature::kUnknown, Tables()[0].temperature);
  options_.preclude_last_level_data_seconds = 0;
  Open();
  ASSERT_OK(CompactAnew());
  ASSERT_EQ(1u, Tables().size());
  EXPECT_EQ(3, Tables()[0].level);
  EXPECT_EQ(Temperature::kCold, Tables()[0].temperature);
}

// Whatever goes up and down, and is written over and deleted above and below.
TEST_F(TieringTest, RandomHistories) {
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    SCOPED_TRACE(seed);
    Shut();
    RemoveTree(dir_);
    Numbers numbers(seed);
    std::map<std::string, std::string> model;
    options_.compaction_style = seed % 2 == 0 ? kCompactionStyleUniversal : kCompactionStyleLevel;
    options_.target_file_size_base = 16 << 10;
    for (int life = 0; life < 4; ++life) {
      static constexpr uint64_t kSeconds[] = {0, 1, kLong};
      options_.preclude_last_level_data_seconds = kSeconds[numbers.Below(3)];
      options_.preserve_internal_time_seconds = kSeconds[numbers.Below(3)];
      Open();
      std::map<std::string, std::string> seen;
      const Snapshot* snapshot = nullptr;
      for (int step = 0; step < 200; ++step) {
        const std::string key = Key(static_cast<int>(numbers.Below(400)));
        const uint64_t what = numbers.Below(40);
        if (what < 28) {
          model[key] = std::to_string(step) + std::string(numbers.Below(500), 'v');
          ASSERT_OK(Put(key, model[key]));
        } else if (what < 34) {
          model.erase(key);
          ASSERT_OK(Delete(key));
        } else if (what < 35) {
          const std::string end = key + "~";
          model.erase(model.lower_bound(key), model.lower_bound(end));
          ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), key, end));
        } else if (what < 37) {
          ASSERT_OK(Flush());
        } else if (what < 38) {
          ASSERT_OK(CompactAnew());
        } else if (snapshot == nullptr) {
          snapshot = db_->GetSnapshot();
          seen = model;
        }
      }
      ASSERT_OK(CompactAnew());
      const auto text = [](const std::map<std::string, std::string>& contents) {
        std::string all;
        for (const auto& entry : contents) {
          all += (all.empty() ? "" : ",") + entry.first + "=" + entry.second;
        }
        return all;
      };
      EXPECT_TRUE(text(model) == Contents());
      if (snapshot != nullptr) {
        ReadOptions options;
        options.snapshot = snapshot;
        EXPECT_TRUE(text(seen) == Contents(options));
        db_->ReleaseSnapshot(snapshot);
      }
    }
  }
}

}  // namespace
}  // namespace conformance
