// DB::CompactFiles: which files go along, what comes out, what is refused, and that nothing is lost
// beside writers, automatic compactions, failures and a killed process.
#include <atomic>

#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "rocksdb/listener.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

class DbCompactFilesTest : public testing::DbTest {
 protected:
  Options Manual() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.num_levels = 5;
    return options;
  }
  // Names of a level's files; level 0: newest first.
  std::vector<std::string> Names(int level) {
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    std::vector<std::string> names;
    for (const SstFileMetaData& file : meta.levels[level].files) names.push_back(file.name);
    return names;
  }
  // The number of files of each level: "2 0 1 0 0".
  std::string Shape() {
    std::string shape;
    for (int level = 0; level < db_->NumberLevels(); ++level) {
      shape += (level == 0 ? "" : " ") + std::to_string(FilesAtLevel(level));
    }
    return shape;
  }
  Status CompactFiles(const std::vector<std::string>& names, int level,
                      std::vector<std::string>* outputs = nullptr,
                      CompactionJobInfo* info = nullptr) {
    CompactionOptions options;
    options.compression = kNoCompression;
    options.output_file_size_limit = 16 << 10;
    return db_->CompactFiles(options, names, level, -1, outputs, info);
  }
};

TEST_F(DbCompactFilesTest, TheNewestAndTheOldestNameARunOfLevelZero) {
  Open(Manual());
  for (uint64_t run = 0; run < 4; ++run) {
    PutRange(0, 200, run);
    Delete(Key(run));
    Flush();
  }
  const std::vector<std::string> names = Names(0);
  ASSERT_EQ(names.size(), 4u);
  std::vector<std::string> outputs;
  CompactionJobInfo info;
  const Status s = CompactFiles({names.front(), names.back()}, 3, &outputs, &info);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(FilesAtLevel(0), 0);
  EXPECT_EQ(static_cast<size_t>(FilesAtLevel(3)), outputs.size());
  EXPECT_GT(outputs.size(), 1u);  // about 20 KiB, in files of 16 KiB
  for (const std::string& path : outputs) {
    const uint64_t size = disk_.Size(path);
    EXPECT_LT(size, 20u << 10);
  }
  EXPECT_TRUE(info.status.ok());
  EXPECT_EQ(info.input_files.size(), 4u);
  EXPECT_EQ(info.output_files, outputs);
  EXPECT_EQ(info.num_l0_files, 4);
  EXPECT_EQ(info.output_level, 3);
  EXPECT_EQ(info.table_properties.size(), 4 + outputs.size());
  EXPECT_EQ(info.stats.num_input_records, 4u * 200);
  EXPECT_EQ(info.stats.num_output_records, 199u);  // no deletion: below is nothing
  EXPECT_TRUE(info.stats.is_manual_compaction);
  ExpectModel();
  // The inputs are gone from the directory.
  for (const std::string& name : names) EXPECT_FALSE(disk_.Names().contains(name.substr(1)));
  Close();
  Open(Manual());
  ExpectModel();
}

TEST_F(DbCompactFilesTest, WhatOverlapsComesAlong) {
  Open(Manual());
  PutRange(0, 300, 1);
  Flush();
  ASSERT_TRUE(CompactFiles(Names(0), 3).ok());
  PutRange(200, 250, 2);
  Flush();
  ASSERT_TRUE(CompactFiles(Names(0), 2).ok());
  PutRange(220, 230, 3);
  Flush();
  PutRange(290, 310, 4);
  Flush();
  PutRange(225, 227, 5);
  Flush();
  const std::vector<std::string> below = Names(3);
  ASSERT_GE(below.size(), 2u);
  // Of level 0 the older ones, of level 2 and 3 what they overlap: so nothing stays above.
  ASSERT_TRUE(CompactFiles({Names(0).front()}, 3).ok());
  EXPECT_EQ(FilesAtLevel(0), 0);
  EXPECT_EQ(FilesAtLevel(2), 0);
  EXPECT_EQ(Names(3).front(), below.front()) << "a file that nothing overlapped was rewritten";
  ExpectModel();
}

TEST_F(DbCompactFilesTest, WithinLevelZeroAndWithinALevel) {
  Open(Manual());
  for (uint64_t run = 0; run < 5; ++run) {
    PutRange(run * 10, run * 10 + 50, run);
    for (uint64_t i = 0; i < 5; ++i) Delete(Key(run * 7 + i));
    Flush();
  }
  std::vector<std::string> names = Names(0);
  // The middle three become one file, in their place.
  ASSERT_TRUE(CompactFiles({names[1], names[3]}, 0).ok());
  EXPECT_EQ(Shape(), "3 0 0 0 0");
  EXPECT_EQ(Names(0).front(), names.front());
  EXPECT_EQ(Names(0).back(), names.back());
  ExpectModel();
  Close();
  Open(Manual());
  EXPECT_EQ(Names(0).back(), names.back());
  ExpectModel();
  ASSERT_TRUE(CompactFiles(Names(0), 4).ok());
  names = Names(4);
  ASSERT_TRUE(CompactFiles({names[0]}, 4).ok());  // written anew where it is
  EXPECT_NE(Names(4)[0], names[0]);
  ExpectModel();
}

TEST_F(DbCompactFilesTest, SnapshotsSeeWhatTheySaw) {
  Open(Manual());
  PutRange(0, 100, 1);
  Flush();
  const Contents then = model_;
  const Snapshot* snapshot = db_->GetSnapshot();
  for (uint64_t i = 0; i < 100; i += 2) Delete(Key(i));
  PutRange(50, 120, 2);
  Flush();
  ASSERT_TRUE(CompactFiles(Names(0), 4).ok());
  ExpectModel();
  ExpectContents(then, snapshot);
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(DbCompactFilesTest, RefusesWhatMakesNoSense) {
  Open(Manual());
  PutRange(0, 50, 1);
  Flush();
  const std::vector<std::string> names = Names(0);
  const auto refused = [&](const std::vector<std::string>& files, int level,
                           const std::string& because) {
    const Status s = CompactFiles(files, level);
    EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
    EXPECT_NE(s.ToString().find(because), std::string::npos) << s.ToString();
  };
  refused({}, 1, "at least one file");
  refused({"/nonsense"}, 1, "nonsense");
  refused({"MANIFEST-000001"}, 1, "MANIFEST-000001");
  refused({"/777777.sst"}, 1, "777777.sst");
  refused({names[0], "/777777.sst"}, 1, "777777.sst");
  refused(names, 5, "[0, 4]");
  refused(names, -1, "negative");
  EXPECT_TRUE(
      db_->CompactFiles(CompactionOptions(), names, 1, /*output_path_id=*/1).IsInvalidArgument());
  CompactionOptions options;
  options.compression = kXpressCompression;
  EXPECT_TRUE(db_->CompactFiles(options, names, 1).IsInvalidArgument());
  EXPECT_EQ(Shape(), "1 0 0 0 0");
  ASSERT_TRUE(CompactFiles(names, 2).ok());
  refused(Names(2), 1, "up level");
  refused(names, 2, "does not exist");  // it was compacted away
  // Any directory before the name is as good as none.
  ASSERT_TRUE(CompactFiles({"some/where" + Names(2)[0]}, 3).ok());
  ExpectModel();
  ASSERT_TRUE(TryOpenReadOnly(Manual()).ok());
  EXPECT_TRUE(CompactFiles(names, 1).IsNotSupported());
}

TEST_F(DbCompactFilesTest, TheUsersCompressionAndTheLevelsOwn) {
  Options options = Manual();
  options.compression = kLZ4Compression;
  Open(options);
  for (const CompressionType type : {kSnappyCompression, kDisableCompressionOption}) {
    PutRange(0, 100, 1);
    Flush();
    CompactionOptions compact;
    compact.compression = type;
    CompactionJobInfo info;
    ASSERT_TRUE(db_->CompactFiles(compact, Names(0), 2, 0, nullptr, &info).ok());
    ASSERT_EQ(info.output_files.size(), 1u);
    EXPECT_EQ(info.table_properties[info.output_files[0]]->compression_name,
              type == kSnappyCompression ? "Snappy" : "LZ4");
  }
}

TEST_F(DbCompactFilesTest, ManyThreadsShareOneCompaction) {
  Options options = Manual();
  options.target_file_size_base = 8 << 10;
  Open(options);
  for (uint64_t run = 0; run < 3; ++run) {
    PutRange(0, 600, run);
    Flush();
  }
  CompactionOptions compact;
  compact.compression = kNoCompression;
  compact.max_subcompactions = 4;  // the size limit is the default: none
  std::vector<std::string> outputs;
  ASSERT_TRUE(db_->CompactFiles(compact, Names(0), 1, -1, &outputs).ok());
  EXPECT_EQ(outputs.size(), 4u);
  ExpectModel();
}

TEST_F(DbCompactFilesTest, WaitsWhilePausedAndEndsWhenDisabled) {
  Open(Manual());
  PutRange(0, 100, 1);
  Flush();
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  std::atomic<bool> done{false};
  Status s;
  fiber::Thread caller("compact", [&] {
    s = CompactFiles(Names(0), 1);
    done.store(true);
  });
  EXPECT_EQ(FilesAtLevel(1), 0);
  EXPECT_FALSE(done.load());
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  caller.join();
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(FilesAtLevel(0), 0);
  PutRange(0, 100, 2);
  Flush();
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  fiber::Thread range("range", [&] { s = db_->CompactRange({}, nullptr, nullptr); });
  EXPECT_EQ(FilesAtLevel(0), 1);
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  range.join();
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ(FilesAtLevel(0), 0);
  db_->DisableManualCompaction();
  s = CompactFiles(Names(1), 2);
  EXPECT_TRUE(s.IsIncomplete() && s.subcode() == Status::SubCode::kManualCompactionPaused)
      << s.ToString();
  db_->EnableManualCompaction();
  EXPECT_TRUE(CompactFiles(Names(1), 2).ok());
}

// Holds up a compaction, once it is armed.
class HoldUp final : public EventListener {
 public:
  void OnCompactionBegin(DB* /*db*/, const CompactionJobInfo& /*info*/) override {
    if (!armed.exchange(false)) return;
    held.set();
    go_on.wait();
  }
  std::atomic<bool> armed = false;
  fiber::Event held, go_on;
};

// The rewrite of all that there is does not miss what a job, for which it waited, has put below all
// levels that there were when it began.
TEST_F(DbCompactFilesTest, AForcedRewriteFindsWhatWentDeeperMeanwhile) {
  Simulate([&] {
    Options options = Manual();
    const auto hold_up = std::make_shared<HoldUp>();
    options.listeners = {hold_up};
    Open(options);
    PutRange(0, 100, 1);
    Flush();
    ASSERT_TRUE(CompactFiles(Names(0), 1).ok());
    hold_up->armed = true;
    std::vector<std::string> moved;
    fiber::Thread mover("mover", [&] { EXPECT_TRUE(CompactFiles(Names(1), 3, &moved).ok()); });
    hold_up->held.wait();
    fiber::Thread forcer("forcer", [&] {
      CompactRangeOptions force;
      force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
      EXPECT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
    });
    fiber::sleep_for(1'000'000'000);  // it waits now
    hold_up->go_on.set();
    mover.join();
    forcer.join();
    EXPECT_EQ(Shape(), "0 0 0 1 0");
    ASSERT_EQ(moved.size(), 1u);
    EXPECT_EQ(moved[0].find(Names(3)[0]), std::string::npos) << "it was not rewritten";
    ExpectModel();
  });
}

TEST_F(DbCompactFilesTest, AFailureKeepsTheInputs) {
  Open(Manual());
  PutRange(0, 300, 1);
  Flush();
  PutRange(100, 200, 2);
  Flush();
  const std::vector<std::string> before = Names(0);
  disk_.faults->SetFilesystemActive(false, IOStatus::IOError("disk full"));
  const Status s = CompactFiles(before, 2);
  EXPECT_TRUE(s.IsIOError()) << s.ToString();
  disk_.faults->Heal();
  EXPECT_EQ(Names(0), before);
  ExpectModel();
  Open(Manual());
  EXPECT_EQ(Names(0), before);
  ExpectModel();
  ASSERT_TRUE(CompactFiles(before, 2).ok());
  ExpectModel();
}

// Writers, automatic compactions, CompactRange and CompactFiles of files at random, in several
// lives that end by a kill.
TEST_F(DbCompactFilesTest, RandomFilesBesideEverythingElse) {
  const uint64_t seed = fiber::wall_micros() % 1000000;
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Options options = SmallOptions();
  options.num_levels = 5;
  options.max_background_jobs = 3;
  options.max_bytes_for_level_base = 64 << 10;
  options.max_bytes_for_level_multiplier = 2;
  constexpr int kPerLife = 5;
  std::atomic<int> compacted{0};
  for (int life = 0; life < 4; ++life) {
    options.level_compaction_dynamic_level_bytes = random.OneIn(2);
    Open(options);
    ExpectModel();
    std::atomic<bool> stop{false};
    fiber::Thread writer("writer", [this, seed, life, &stop, &compacted] {
      Random64 mine(seed + 100 + static_cast<uint64_t>(life));
      // So long that some compactions run beside it, be the machine as busy as it may.
      const auto enough = [&](int i) {
        return i >= 100000 || (i >= 3000 && compacted.load() >= (life + 1) * kPerLife);
      };
      for (int i = 0; !enough(i) && !HasFatalFailure(); ++i) {
        const std::string key = Key(mine.Uniform(700));
        if (mine.OneIn(4)) {
          Delete(key);
        } else {
          Put(key, Value(mine.Next() >> 40, mine.Uniform(300)));
        }
        if (mine.OneIn(300)) Flush();
      }
      stop.store(true);
    });
    while (!stop.load()) {
      std::vector<LiveFileMetaData> files;
      db_->GetLiveFilesMetaData(&files);
      if (files.empty()) continue;
      std::vector<std::string> names;
      int deepest = 0;
      for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) {
        const LiveFileMetaData& file = files[random.Uniform(files.size())];
        names.push_back(file.name);
        deepest = std::max(deepest, file.level);
      }
      const int level =
          deepest + static_cast<int>(random.Uniform(static_cast<uint64_t>(5 - deepest)));
      const Status s = random.OneIn(10) ? db_->CompactRange(CompactRangeOptions(), nullptr, nullptr)
                                        : CompactFiles(names, level);
      // A file that another compaction has, or has finished with.
      EXPECT_TRUE(s.ok() || s.IsAborted() || s.IsInvalidArgument()) << s.ToString();
      if (s.ok()) compacted.fetch_add(1);
    }
    writer.join();
    ExpectModel();
    if (random.OneIn(2)) {
      Kill();
    } else {
      Close();
    }
  }
  Open(options);
  ExpectModel();
  EXPECT_GE(compacted.load(), 4 * kPerLife);
}

}  // namespace
}  // namespace cairn
