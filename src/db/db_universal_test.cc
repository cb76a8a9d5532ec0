// A database in universal style: it agrees with the model through compactions, restarts, kills and
// changes of style, and its space and number of runs stay within the limits.
#include <algorithm>
#include <atomic>

#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "rocksdb/listener.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;
using testing::Value;

class DbUniversalTest : public testing::DbTest {
 protected:
  Options Universal() {
    Options options = SmallOptions();
    options.compaction_style = kCompactionStyleUniversal;
    options.level0_file_num_compaction_trigger = 3;
    options.level0_slowdown_writes_trigger = 20;
    options.level0_stop_writes_trigger = 30;
    options.num_levels = 5;
    options.max_background_jobs = 4;
    return options;
  }
  // The newest table's name.
  std::string LastTable() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    uint64_t newest = 0;
    for (const LiveFileMetaData& file : files) newest = std::max(newest, file.file_number);
    return TableFileBaseName(newest);
  }
  int Runs() {
    int runs = FilesAtLevel(0);
    for (int level = 1; level < db_->NumberLevels(); ++level) runs += FilesAtLevel(level) > 0;
    return runs;
  }
};

TEST_F(DbUniversalTest, RunsAndSpaceStayWithinTheLimits) {
  Options options = Universal();
  options.compaction_options_universal.max_size_amplification_percent = 50;
  Open(options);
  for (uint64_t round = 0; round < 30; ++round) {
    PutRange(0, 300, round, 100);
    for (uint64_t i = round; i < 300; i += 30) Delete(Key(i));
    Flush();
  }
  WaitForCompactions();
  EXPECT_LE(Runs(), 4);
  // (Of the version that is current: who still has an older one has its files.)
  uint64_t bytes = 0;
  ASSERT_TRUE(db_->GetIntProperty("rocksdb.live-sst-files-size", &bytes));
  EXPECT_LT(bytes, 4u * 300 * 150);
  ExpectModel();
  Compact();
  EXPECT_EQ(Runs(), 1);
  EXPECT_EQ(FilesAtLevel(0), 0);
  EXPECT_GT(FilesAtLevel(4), 0);
  ExpectModel();
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  uint64_t deletions = 0;
  for (const LiveFileMetaData& file : files) deletions += file.num_deletions;
  EXPECT_EQ(deletions, 0u);
}

TEST_F(DbUniversalTest, RandomHistoriesAgreeWithTheModel) {
  const uint64_t seed = fiber::wall_micros() % 1000000;
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  for (int life = 0; life < 12; ++life) {
    Options options = Universal();
    options.num_levels = 7;
    // Leveled in between: either style finds the other's levels.
    if (life % 4 == 3) options.compaction_style = kCompactionStyleLevel;
    CompactionOptionsUniversal& universal = options.compaction_options_universal;
    universal.size_ratio = static_cast<unsigned>(random.Uniform(100));
    universal.max_size_amplification_percent = 20 + static_cast<unsigned>(random.Uniform(200));
    universal.stop_style =
        random.OneIn(2) ? kCompactionStopStyleTotalSize : kCompactionStopStyleSimilarSize;
    universal.allow_trivial_move = random.OneIn(2);
    universal.incremental = random.OneIn(2);
    if (universal.incremental) options.max_compaction_bytes = 20000 + random.Uniform(200000);
    universal.compression_size_percent = random.OneIn(2) ? -1 : 60;
    if (random.OneIn(2)) universal.max_merge_width = 3;
    options.compression = random.OneIn(2) ? kLZ4Compression : kNoCompression;
    options.max_subcompactions = 1 + static_cast<uint32_t>(random.Uniform(3));
    Open(options);
    ExpectModel();
    const Snapshot* snapshot = nullptr;
    Contents then;
    const uint64_t base = random.Uniform(400);
    for (int i = 0; i < 1500; ++i) {
      // At times in a narrow range, so that runs do not overlap.
      const std::string key =
          Key(random.OneIn(3) ? base + random.Uniform(30) : random.Uniform(800));
      if (random.OneIn(4)) {
        Delete(key);
      } else {
        Put(key, Value(random.Next() >> 40, random.Uniform(250)));
      }
      if (random.OneIn(150)) Flush();
      if (random.OneIn(700)) Compact();
      if (random.OneIn(400) && snapshot == nullptr) {
        snapshot = db_->GetSnapshot();
        then = model_;
      }
    }
    ExpectModel();
    if (snapshot != nullptr) {
      ExpectContents(then, snapshot);
      db_->ReleaseSnapshot(snapshot);
    }
    if (random.OneIn(2)) {
      Kill();
    } else {
      Close();
    }
  }
  Options options = Universal();
  options.num_levels = 7;
  Open(options);
  ExpectModel();
}

// What the compactions for space amplification read.
class AmplificationJobs : public EventListener {
 public:
  void OnCompactionCompleted(DB* /*db*/, const CompactionJobInfo& info) override {
    if (info.compaction_reason != CompactionReason::kUniversalSizeAmplification) return;
    jobs_.fetch_add(1);
    uint64_t largest = largest_.load();
    while (info.stats.total_input_bytes > largest &&
           !largest_.compare_exchange_weak(largest, info.stats.total_input_bytes)) {
    }
  }
  uint64_t jobs() const { return jobs_.load(); }
  uint64_t largest() const { return largest_.load(); }
  void Forget() {
    jobs_ = 0;
    largest_ = 0;
  }

 private:
  std::atomic<uint64_t> jobs_{0};
  std::atomic<uint64_t> largest_{0};  // bytes
};

TEST_F(DbUniversalTest, IncrementalJobsAreSmallAndTheSpaceIsBounded) {
  uint64_t largest[2] = {};
  for (const bool incremental : {false, true}) {
    Options options = Universal();
    options.create_if_missing = true;
    options.compression = kNoCompression;
    options.num_levels = 7;
    options.target_file_size_base = 8 << 10;
    options.max_compaction_bytes = 80 << 10;
    options.compaction_options_universal.max_size_amplification_percent = 80;
    options.compaction_options_universal.incremental = incremental;
    const auto jobs = std::make_shared<AmplificationJobs>();
    options.listeners.push_back(jobs);
    Open(options);
    PutRange(0, 3000, 1000, 100);
    Compact();
    jobs->Forget();
    for (uint64_t round = 0; round < 60; ++round) {
      // Every tenth key, each time another one.
      for (uint64_t i = round % 10; i < 3000; i += 10) Put(Key(i), Value(round, 100));
      Flush();
      WaitForCompactions();
    }
    EXPECT_GT(jobs->jobs(), 0u);
    largest[incremental ? 1 : 0] = jobs->largest();
    uint64_t bytes = 0;
    ASSERT_TRUE(db_->GetIntProperty("rocksdb.live-sst-files-size", &bytes));
    EXPECT_LT(bytes, 3000u * 150 * 5 / 2) << incremental;
    ExpectModel();
    Compact();
    EXPECT_EQ(Runs(), 1);
    ExpectModel();
    Close();
  }
  EXPECT_LT(largest[1] * 2, largest[0]);
}

TEST_F(DbUniversalTest, OneLevelIsEnough) {
  Options options = Universal();
  options.num_levels = 1;
  Open(options);
  EXPECT_EQ(db_->NumberLevels(), 1);
  for (uint64_t round = 0; round < 12; ++round) {
    PutRange(0, 200, round);
    Delete(Key(round));
    Flush();
  }
  WaitForCompactions();
  EXPECT_LE(FilesAtLevel(0), 4);
  ExpectModel();
  Compact();
  EXPECT_EQ(FilesAtLevel(0), 1);
  ExpectModel();
  Close();
  Open(options);
  ExpectModel();
}

// RocksDB before 7.10 knows no epochs: it goes by the sequence numbers, and takes a database for
// corrupt in which those of a table of level 0 enclose those of an older one.
TEST_F(DbUniversalTest, SequenceNumbersTellTheOrderOfLevelZero) {
  Options options = Universal();
  options.level0_file_num_compaction_trigger = 2;
  options.compaction_options_universal.max_size_amplification_percent = 100000;
  options.write_buffer_size = 1 << 20;
  Open(options);
  PutRange(0, 300, 1, 1000);
  Flush();  // a large table of level 0: what is above it is merged above it
  const auto expect_order = [&] {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    std::erase_if(files, [](const LiveFileMetaData& file) { return file.level != 0; });
    std::sort(files.begin(), files.end(),
              [](const auto& a, const auto& b) { return a.largest_seqno > b.largest_seqno; });
    for (size_t i = 1; i < files.size(); ++i) {
      const LiveFileMetaData &newer = files[i - 1], &older = files[i];
      EXPECT_GT(newer.smallest_seqno, older.smallest_seqno)
          << newer.name << " " << newer.largest_seqno << ", " << older.name << " "
          << older.largest_seqno;
    }
  };
  const Snapshot* const snapshot = db_->GetSnapshot();  // files come to level 0 for it
  for (uint64_t round = 0; round < 24; ++round) {
    Put(Key(1000 + round), Value(round, 100));
    const std::string path = "/outside-" + std::to_string(round) + ".sst";
    SstFileWriter writer(EnvOptions(), options);
    ASSERT_TRUE(writer.Open(path).ok());
    ASSERT_TRUE(writer.Put(Key(2000 + round), Value(round, 100)).ok());
    ASSERT_TRUE(writer.Finish().ok());
    ASSERT_TRUE(db_->IngestExternalFile({path}, IngestExternalFileOptions()).ok());
    model_[Key(2000 + round)] = Value(round, 100);
    WaitForCompactions();
    if (round % 3 == 0) continue;
    ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "true"}}).ok());
    Flush();
    expect_order();
    ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"}}).ok());
  }
  db_->ReleaseSnapshot(snapshot);
  ExpectModel();
}

TEST_F(DbUniversalTest, CompactFilesOfRuns) {
  Options options = Universal();
  options.disable_auto_compactions = true;
  Open(options);
  for (uint64_t round = 0; round < 5; ++round) {
    PutRange(round * 20, 300, round);
    Flush();
  }
  ColumnFamilyMetaData meta;
  db_->GetColumnFamilyMetaData(&meta);
  const auto& files = meta.levels[0].files;
  ASSERT_EQ(files.size(), 5u);
  // The two oldest below, the next two as one run above them.
  ASSERT_TRUE(db_->CompactFiles(CompactionOptions(), {files[4].name, files[3].name}, 4).ok());
  ASSERT_TRUE(db_->CompactFiles(CompactionOptions(), {files[2].name, files[1].name}, 3).ok());
  EXPECT_EQ(FilesAtLevel(0), 1);
  EXPECT_EQ(Runs(), 3);
  ExpectModel();
}

TEST_F(DbUniversalTest, TheTriggersCountRuns) {
  Options options = Universal();
  options.disable_auto_compactions = true;
  Open(options);
  for (uint64_t round = 0; round < 3; ++round) {
    PutRange(0, 30, round);
    Flush();
    ASSERT_TRUE(
        db_->CompactFiles(CompactionOptions(), {"/" + LastTable()}, 4 - static_cast<int>(round))
            .ok());
  }
  EXPECT_EQ(FilesAtLevel(0), 0);
  EXPECT_EQ(Runs(), 3);
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(db_->SetOptions({{"disable_auto_compactions", "false"},
                               {"level0_file_num_compaction_trigger", "2"},
                               {"level0_slowdown_writes_trigger", "2"},
                               {"level0_stop_writes_trigger", "3"}})
                  .ok());
  EXPECT_EQ(Property("is-write-stopped"), "1");
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  WaitForCompactions();
  EXPECT_EQ(Property("is-write-stopped"), "0");
  EXPECT_LT(Runs(), 3);
  // Options of the style change while it runs.
  ASSERT_TRUE(
      db_->SetOptions({{"compaction_options_universal.max_size_amplification_percent", "1"}}).ok());
  EXPECT_EQ(db_->GetOptions().compaction_options_universal.max_size_amplification_percent, 1u);
  ExpectModel();
}

}  // namespace
}  // namespace cairn
