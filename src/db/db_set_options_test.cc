// SetOptions and SetDBOptions: what they change takes effect at once, what they refuse changes
// nothing, and both are safe beside everything else.
#include "db/testing/db_fixture.h"

#include <atomic>

#include "fiber/clock.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fs/file_util.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/utilities/options_util.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;
using testing::Value;

using Map = std::unordered_map<std::string, std::string>;

class DbSetOptionsTest : public testing::DbTest {
 protected:
  void Set(const Map& map) {
    const Status s = db_->SetOptions(map);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void SetDB(const Map& map) {
    const Status s = db_->SetDBOptions(map);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  Status LoadOptions(DBOptions* db_options, ColumnFamilyOptions* cf_options) {
    ConfigOptions config;
    config.env = disk_.env.get();
    std::vector<ColumnFamilyDescriptor> families;
    const Status s = LoadLatestOptions(config, kDbName, db_options, &families);
    if (s.ok()) *cf_options = families[0].options;
    return s;
  }
};

TEST_F(DbSetOptionsTest, AutomaticCompactionsStopAndGoOn) {
  Open();
  Set({{"disable_auto_compactions", "true"}});
  EXPECT_TRUE(db_->GetOptions().disable_auto_compactions);
  for (uint64_t run = 0; run < 5; ++run) {
    PutRange(0, 50, run);
    Flush();
  }
  EXPECT_EQ(FilesAtLevel(0), 5);
  EXPECT_EQ(Property("compaction-pending"), "0");
  Set({{"disable_auto_compactions", "false"}});
  WaitForCompactions();
  EXPECT_LT(FilesAtLevel(0), 2);
  Set({{"disable_auto_compactions", "true"}});
  ASSERT_TRUE(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}).ok());
  EXPECT_FALSE(db_->GetOptions().disable_auto_compactions);
  ExpectModel();
}

TEST_F(DbSetOptionsTest, TriggersAndTargetsTakeEffectOnWhatIsThere) {
  Options options = SmallOptions();
  options.level0_file_num_compaction_trigger = 100;
  options.level0_slowdown_writes_trigger = 200;
  options.level0_stop_writes_trigger = 300;
  options.max_bytes_for_level_base = 4 << 20;
  Open(options);
  for (uint64_t run = 0; run < 6; ++run) {
    PutRange(0, 300, run);
    Flush();
  }
  EXPECT_EQ(FilesAtLevel(0), 6);
  Set({{"level0_file_num_compaction_trigger", "3"}});
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 0);
  const int level1 = FilesAtLevel(1);
  EXPECT_GT(level1, 0);
  // Level 1 is too large now.
  Set({{"max_bytes_for_level_base", "4096"}, {"max_bytes_for_level_multiplier", "4"}});
  WaitForCompactions();
  EXPECT_LT(FilesAtLevel(1), level1);
  EXPECT_GT(FilesAtLevel(2) + FilesAtLevel(3), 0);
  ExpectModel();
}

TEST_F(DbSetOptionsTest, AStallEndsWhenItsLimitRises) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.level0_file_num_compaction_trigger = 2;
  options.level0_slowdown_writes_trigger = 3;
  options.level0_stop_writes_trigger = 3;
  Open(options);
  for (uint64_t run = 0; run < 4; ++run) {
    PutRange(0, 10, run);
    Flush();
  }
  EXPECT_EQ(Property("is-write-stopped"), "0") << "without compactions nothing stalls";
  // With them it would, but for a limit that rises at the same time.
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  Set({{"disable_auto_compactions", "false"}});
  EXPECT_EQ(Property("is-write-stopped"), "1");
  Set({{"level0_stop_writes_trigger", "50"}, {"level0_slowdown_writes_trigger", "40"}});
  EXPECT_EQ(Property("is-write-stopped"), "0");
  Put("after", "the stall");
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  ExpectModel();
}

TEST_F(DbSetOptionsTest, TheMemtableInUseObeysANewSize) {
  Options options = SmallOptions();
  options.write_buffer_size = 4 << 20;
  options.arena_block_size = 4096;
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 1000, 1, 200);
  EXPECT_EQ(FilesAtLevel(0), 0);
  Set({{"write_buffer_size", "64K"}});
  EXPECT_EQ(db_->GetOptions().write_buffer_size, 64u << 10);
  PutRange(1000, 1003, 1, 200);
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 1);
  ExpectModel();
}

TEST_F(DbSetOptionsTest, NewTablesAreMadeByTheNewOptions) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 300, 1);
  Flush();
  Set({{"compression", "kLZ4Compression"},
       {"target_file_size_base", "8192"},
       {"block_based_table_factory", "{block_size=4096;block_restart_interval=4}"}});
  PutRange(0, 300, 2);
  Flush();
  TablePropertiesCollection all;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
  ASSERT_EQ(all.size(), 2u);
  std::map<std::string, uint64_t> blocks;
  for (const auto& [path, properties] : all) {
    blocks[properties->compression_name] = properties->num_data_blocks;
  }
  EXPECT_GT(blocks["NoCompression"], 2 * blocks["LZ4"]);  // blocks of 1 KiB, and of 4
  Compact();
  EXPECT_GT(FilesAtLevel(1), 2);
  ExpectModel();
  Close();
  Open(options);
  ExpectModel();
}

TEST_F(DbSetOptionsTest, ARibbonPolicyBeginsAtAnotherLevel) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewRibbonFilterPolicy(10, 0));
  const std::shared_ptr<const FilterPolicy> policy = table.filter_policy;
  Options options = SmallOptions();
  options.write_buffer_size = 4 << 20;
  options.disable_auto_compactions = true;
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  const auto filter_of_newest = [this] {
    PutRange(0, 3000, 1);
    Flush();
    TablePropertiesCollection all;
    EXPECT_TRUE(db_->GetPropertiesOfAllTables(&all).ok());
    uint64_t size = UINT64_MAX;
    for (const auto& [name, of_table] : all) size = std::min(size, of_table->filter_size);
    return size;
  };
  const char* const name = "table_factory.filter_policy.bloom_before_level";
  const uint64_t bloom = filter_of_newest();
  Set({{name, "-1"}});
  EXPECT_LT(filter_of_newest(), bloom * 4 / 5) << "flushes have ribbon filters, too";
  const Options present = db_->GetOptions();
  EXPECT_EQ(present.table_factory->GetOptions<BlockBasedTableOptions>()->filter_policy->GetId(),
            "ribbonfilter:10:-1");
  EXPECT_EQ(policy->GetId(), "ribbonfilter:10:0") << "it may be shared with others";
  EXPECT_TRUE(db_->SetOptions({{name, "low"}}).IsInvalidArgument());
  EXPECT_TRUE(db_->SetOptions({{"table_factory.filter_policy", "nullptr"}}).IsInvalidArgument());
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  EXPECT_TRUE(db_->SetOptions({{name, "1"}}).IsInvalidArgument()) << "no Ribbon policy";
}

TEST_F(DbSetOptionsTest, WrittenToANewOptionsFile) {
  Open();
  Set({{"level0_file_num_compaction_trigger", "7"},
       {"compaction_options_universal", "{size_ratio=33;min_merge_width=4}"}});
  Set({{"compaction_options_universal.max_merge_width", "9"}});
  SetDB({{"max_background_jobs", "5"}, {"delayed_write_rate", "4M"}});
  DBOptions db_options;
  ColumnFamilyOptions cf_options;
  ASSERT_TRUE(LoadOptions(&db_options, &cf_options).ok());
  for (const ColumnFamilyOptions& seen :
       {cf_options, static_cast<const ColumnFamilyOptions&>(db_->GetOptions())}) {
    EXPECT_EQ(seen.level0_file_num_compaction_trigger, 7);
    EXPECT_EQ(seen.compaction_options_universal.size_ratio, 33u);
    EXPECT_EQ(seen.compaction_options_universal.min_merge_width, 4u);
    EXPECT_EQ(seen.compaction_options_universal.max_merge_width, 9u);
    EXPECT_EQ(seen.compaction_options_universal.max_size_amplification_percent, 200u);
  }
  for (const DBOptions& seen : {db_options, db_->GetDBOptions()}) {
    EXPECT_EQ(seen.max_background_jobs, 5);
    EXPECT_EQ(seen.delayed_write_rate, 4u << 20);
  }
  ColumnFamilyDescriptor descriptor;
  ASSERT_TRUE(db_->DefaultColumnFamily()->GetDescriptor(&descriptor).ok());
  EXPECT_EQ(descriptor.options.level0_file_num_compaction_trigger, 7);
  EXPECT_EQ(disk_.Files(FileType::kOptionsFile).size(), 2u);  // the newest two
  // What is live is named, and stays while a copy is made.
  ASSERT_TRUE(db_->DisableFileDeletions().ok());
  std::vector<std::string> live;
  uint64_t manifest_size = 0;
  ASSERT_TRUE(db_->GetLiveFiles(live, &manifest_size, false).ok());
  for (int i = 0; i < 4; ++i) Set({{"level0_file_num_compaction_trigger", "8"}});
  for (const std::string& name : live) EXPECT_TRUE(disk_.Names().contains(name.substr(1))) << name;
  ASSERT_TRUE(db_->EnableFileDeletions(false).ok());
}

// (Seed 565050125.)
TEST_F(DbSetOptionsTest, WhoDisablesDeletionsWaitsForThatOfOldFiles) {
  Simulate([&] {
    Open();
    Set({{"level0_file_num_compaction_trigger", "7"}});
    fiber::Event deletes, go_on;
    std::atomic<bool> disabled{false};
    fault::Rule hold_up;
    hold_up.operations = fault::kDelete;
    hold_up.files = fault::kOptionsFiles;
    hold_up.where = [&](const std::string& /*path*/) {
      deletes.set();
      go_on.wait();
      return false;
    };
    const fault::RuleId rule = disk_.faults->AddRule(hold_up);
    fiber::Thread setter("setter", [&] { Set({{"level0_file_num_compaction_trigger", "8"}}); });
    deletes.wait();
    fiber::Thread copier("copier", [&] {
      EXPECT_TRUE(db_->DisableFileDeletions().ok());
      disabled = true;
    });
    fiber::sleep_for(1'000'000'000);  // it waits now
    EXPECT_FALSE(disabled);
    go_on.set();
    setter.join();
    copier.join();
    disk_.faults->RemoveRule(rule);
    ASSERT_TRUE(db_->EnableFileDeletions(false).ok());
  });
}

// As after a power cut that took the MANIFEST's last edits and left the OPTIONS files that were
// written after them. (Seed 421302651.)
TEST_F(DbSetOptionsTest, ANewFileIsNewerThanAllThatAreThere) {
  Open();
  Set({{"level0_file_num_compaction_trigger", "7"}});
  Close();
  FileSystem* const fs = disk_.env->GetFileSystem().get();
  std::string contents;
  ASSERT_TRUE(ReadFileToString(fs, disk_.Files(FileType::kOptionsFile).back(), &contents).ok());
  for (const char* const name : {"/OPTIONS-000900", "/OPTIONS-000950"}) {
    ASSERT_TRUE(WriteStringToFile(fs, contents, kDbName + std::string(name)).ok());
  }
  Open();
  Set({{"level0_file_num_compaction_trigger", "8"}});
  DBOptions db_options;
  ColumnFamilyOptions cf_options;
  ASSERT_TRUE(LoadOptions(&db_options, &cf_options).ok());
  EXPECT_EQ(cf_options.level0_file_num_compaction_trigger, 8);
  std::vector<std::string> live;
  uint64_t manifest_size = 0;
  ASSERT_TRUE(db_->GetLiveFiles(live, &manifest_size, false).ok());
  for (const std::string& name : live) EXPECT_TRUE(disk_.Names().contains(name.substr(1))) << name;
}

TEST_F(DbSetOptionsTest, ARefusalNamesTheOptionAndChangesNothing) {
  Open();
  const auto before = db_->GetOptions();
  const size_t files = disk_.Files(FileType::kOptionsFile).size();
  const auto refused = [&](const Status& s, const std::string& name) {
    EXPECT_TRUE(s.IsInvalidArgument() || s.IsNotSupported() || s.IsNotFound()) << s.ToString();
    EXPECT_NE(s.ToString().find(name), std::string::npos) << s.ToString();
  };
  const std::pair<std::string, std::string> fine = {"write_buffer_size", "1000000"};
  for (const auto& [name, value] : Map{{"num_levels", "3"},
                                       {"comparator", "leveldb.BytewiseComparator"},
                                       {"min_write_buffer_number_to_merge", "1"},
                                       {"compaction_style", "kCompactionStyleFIFO"},
                                       {"prefix_extractor", "rocksdb.FixedPrefix.4"},
                                       {"max_background_jobs", "3"},
                                       {"no_such_option", "3"},
                                       {"max_write_buffer_number", "many"},
                                       {"max_write_buffer_numbers.x", "2"},
                                       {"compaction_options_universal", "{nonsense=1}"},
                                       {"block_based_table_factory", "{no_block_cache=true}"},
                                       {"blob_compression_type", "kXpressCompression"},
                                       {"compression", "kXpressCompression"},
                                       {"max_bytes_for_level_multiplier", "-1"}}) {
    refused(db_->SetOptions({fine, {name, value}}),
            name == "block_based_table_factory" ? "no_block_cache" : name.substr(0, 20));
  }
  refused(db_->SetOptions({}), "empty");
  for (const auto& [name, value] : Map{{"create_if_missing", "false"},
                                       {"write_buffer_size", "100000"},
                                       {"max_background_jobs", "x"},
                                       {"no_such_option", "3"}}) {
    refused(db_->SetDBOptions({{"max_subcompactions", "9"}, {name, value}}), name);
  }
  const auto after = db_->GetOptions();
  EXPECT_EQ(after.write_buffer_size, before.write_buffer_size);
  EXPECT_EQ(after.max_subcompactions, before.max_subcompactions);
  EXPECT_EQ(disk_.Files(FileType::kOptionsFile).size(), files);
  Set({{"enable_blob_files", "true"}, {"ttl", "0"}});

  Options merging = SmallOptions();
  merging.max_write_buffer_number = 6;
  merging.min_write_buffer_number_to_merge = 4;
  Open(merging);
  refused(db_->SetOptions({{"max_write_buffer_number", "3"}}), "max_write_buffer_number");
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  EXPECT_TRUE(db_->SetOptions({fine}).IsNotSupported());
  EXPECT_TRUE(db_->SetDBOptions({{"max_subcompactions", "9"}}).IsNotSupported());
}

TEST_F(DbSetOptionsTest, DatabaseOptionsTakeEffect) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.max_open_files = 30;
  Open(options);
  for (uint64_t run = 0; run < 3; ++run) {
    PutRange(0, 800, run, 100);
    Flush();
  }
  // A manual compaction takes the database's number of threads.
  SetDB({{"max_subcompactions", "3"},
         {"compaction_readahead_size", "65536"},
         {"bytes_per_sync", "32768"},
         {"wal_bytes_per_sync", "16384"},
         {"max_open_files", "-1"}});
  Set({{"target_file_size_base", "16384"}});
  std::vector<std::string> names;
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  for (const LiveFileMetaData& file : files) names.push_back(file.name);
  std::vector<std::string> outputs;
  ASSERT_TRUE(db_->CompactFiles(CompactionOptions(), names, 3, -1, &outputs).ok());
  EXPECT_EQ(outputs.size(), 3u);
  SetDB({{"max_open_files", "20"}, {"max_background_jobs", "6"}});
  ExpectModel();
  // The limit on logs: the memtable is flushed to let them go.
  PutRange(0, 50, 9);
  SetDB({{"max_total_wal_size", "1024"}});
  const int before = FilesAtLevel(0);
  PutRange(50, 55, 9);
  WaitForCompactions();
  EXPECT_GT(FilesAtLevel(0), before);
  ExpectModel();
  // Not flushed at the end: what had no log is lost, as asked for.
  SetDB({{"avoid_flush_during_shutdown", "true"}});
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, "gone", "with the wind").ok());
  Close();
  Open(options);
  EXPECT_EQ(Get("gone"), "NOT_FOUND");
}

TEST_F(DbSetOptionsTest, AFileThatCannotBeWrittenIsAWarningOrAnError) {
  for (const bool fails : {false, true}) {
    Options options = SmallOptions();
    options.fail_if_options_file_error = fails;
    Open(options);
    disk_.faults->SetFilesystemActive(false, IOStatus::IOError("disk full"));
    const Status s = db_->SetOptions({{"level0_file_num_compaction_trigger", "9"}});
    disk_.faults->Heal();
    EXPECT_EQ(s.IsIOError(), fails) << s.ToString();
    EXPECT_EQ(db_->GetOptions().level0_file_num_compaction_trigger, 9);
    Put("a", "b");
    Close();
  }
}

TEST_F(DbSetOptionsTest, BesideWritersReadersAndCompactions) {
  Options options = SmallOptions();
  options.max_background_jobs = 4;
  Open(options);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> round{0};
  fiber::Thread writer("writer", [&] {
    // So long that options change beside it, be the machine as busy as it may.
    const auto enough = [&](uint64_t i) { return i >= 100000 || (i >= 5000 && round >= 20); };
    for (uint64_t i = 0; !enough(i) && !HasFatalFailure(); ++i) Put(Key(i % 900), Value(i, 100));
    stop.store(true);
  });
  fiber::Thread reader("reader", [&] {
    while (!stop.load()) {
      std::string value;
      const Status s = db_->Get(ReadOptions(), Key(17), &value);
      EXPECT_TRUE(s.ok() || s.IsNotFound()) << s.ToString();
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      int seen = 0;
      for (it->SeekToFirst(); it->Valid() && seen < 50; it->Next()) ++seen;
      EXPECT_TRUE(it->status().ok());
    }
  });
  for (; !stop.load(); ++round) {
    const auto pick = [&](std::initializer_list<const char*> values) {
      return std::string(values.begin()[round.load() % values.size()]);
    };
    Set({{"write_buffer_size", pick({"64K", "128K", "256K"})},
         {"level0_file_num_compaction_trigger", pick({"2", "4"})},
         {"compression", pick({"kNoCompression", "kSnappyCompression", "kLZ4Compression"})},
         {"disable_auto_compactions", pick({"false", "false", "true"})},
         {"target_file_size_base", pick({"16K", "64K"})},
         {"max_bytes_for_level_base", pick({"64K", "128K", "256K"})},
         {"max_write_buffer_number", pick({"2", "5"})},
         {"block_based_table_factory",
          pick({"{block_size=512;format_version=6;prepopulate_block_cache=kFlushAndCompaction}",
                "{block_size=2048;index_type=kTwoLevelIndexSearch;metadata_block_size=256}",
                "{checksum=kCRC32c;data_block_index_type=kDataBlockBinaryAndHash;"
                "index_type=kBinarySearch}"})},
         {"max_sequential_skip_in_iterations", pick({"1", "8"})}});
    SetDB({{"max_background_jobs", pick({"1", "2", "8"})},
           {"max_open_files", pick({"-1", "20"})},
           {"max_subcompactions", pick({"1", "3"})},
           {"delayed_write_rate", pick({"1M", "16M"})},
           {"max_total_wal_size", pick({"0", "1M"})},
           {"compaction_readahead_size", pick({"0", "32K"})}});
    (void)db_->GetOptions();
  }
  writer.join();
  reader.join();
  EXPECT_GE(round.load(), 20u);
  ExpectModel();
  Close();
  Open(options);
  ExpectModel();
}

}  // namespace
}  // namespace cairn
