// Options that RocksDB has since release 8: what each of them changes, and what is refused by name.
#include <atomic>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/options_util.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;
using testing::Value;

// Notes the temperature of each file that is made, by the end of its name.
class Thermometer final : public FileSystemWrapper {
 public:
  explicit Thermometer(const std::shared_ptr<FileSystem>& target) : FileSystemWrapper(target) {}
  const char* Name() const override { return "Thermometer"; }
  IOStatus NewWritableFile(const std::string& path, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    {
      fiber::MutexLock lock(&mutex_);
      seen_[path.substr(path.rfind('/') + 1)] = options.temperature;
    }
    return target()->NewWritableFile(path, options, file, dbg);
  }
  // Of the files whose name has this in it.
  std::set<Temperature> Of(const std::string& part) {
    fiber::MutexLock lock(&mutex_);
    std::set<Temperature> found;
    for (const auto& [name, temperature] : seen_) {
      if (name.find(part) != std::string::npos) found.insert(temperature);
    }
    return found;
  }
  void Forget() {
    fiber::MutexLock lock(&mutex_);
    seen_.clear();
  }

 private:
  fiber::Mutex mutex_;
  std::map<std::string, Temperature> seen_ FIBER_GUARDED_BY(mutex_);
};

class DbLaterOptionsTest : public testing::DbTest {
 protected:
  ColumnFamilyHandle* Create(const ColumnFamilyOptions& options, const std::string& name) {
    ColumnFamilyHandle* handle = nullptr;
    const Status s = db_->CreateColumnFamily(options, name, &handle);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return handle;
  }
  std::string TableWith(const std::string& key, const std::string& value) {
    const std::string path = "/db.external";
    SstFileWriter writer(EnvOptions(), SmallOptions());
    EXPECT_TRUE(writer.Open(path).ok());
    EXPECT_TRUE(writer.Put(key, value).ok());
    EXPECT_TRUE(writer.Finish().ok());
    return path;
  }
  int Tables() {
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData(&meta);
    return static_cast<int>(meta.file_count);
  }
};

TEST_F(DbLaterOptionsTest, ManyRangeDeletionsFlushAMemtable) {
  Options options = SmallOptions();
  options.memtable_max_range_deletions = 3;
  options.disable_auto_compactions = true;
  Open(options);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(i), Key(i + 1)).ok());
  }
  Put("after", "v");  // it is a write that finds the memtable full
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 1);
  for (int i = 0; i < 100; ++i) Put(Key(i), "v");
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 1);
  ASSERT_TRUE(db_->SetOptions({{"memtable_max_range_deletions", "1"}}).ok());
  Flush();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "x", "y").ok());
  }
  WaitForCompactions();
  EXPECT_EQ(FilesAtLevel(0), 3);
}

TEST_F(DbLaterOptionsTest, AFamilyWithoutMemtableWritesTakesFilesAlone) {
  Options options = SmallOptions();
  Open(options);
  ColumnFamilyOptions files_only(options);
  files_only.disallow_memtable_writes = true;
  std::unique_ptr<ColumnFamilyHandle> family(Create(files_only, "files"));
  EXPECT_TRUE(db_->Put(WriteOptions(), family.get(), "a", "1").IsInvalidArgument());
  EXPECT_TRUE(db_->DeleteRange(WriteOptions(), family.get(), "a", "b").IsInvalidArgument());
  WriteBatch both;
  ASSERT_TRUE(both.Put("default", "1").ok());
  ASSERT_TRUE(both.Put(family.get(), "a", "1").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &both).IsInvalidArgument());
  EXPECT_EQ(Get("default"), "NOT_FOUND");
  ASSERT_TRUE(
      db_->IngestExternalFile(family.get(), {TableWith("a", "2")}, IngestExternalFileOptions())
          .ok());
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), family.get(), "a", &value).ok());
  EXPECT_EQ(value, "2");
  // Not the default family.
  family.reset();
  options.disallow_memtable_writes = true;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
}

TEST_F(DbLaterOptionsTest, LogsWithWritesToSuchAFamilyAreNotForgotten) {
  const Options options = SmallOptions();
  Open(options);
  std::unique_ptr<ColumnFamilyHandle> family(Create(options, "other"));
  ASSERT_TRUE(db_->Put(WriteOptions(), family.get(), "a", "1").ok());
  family.reset();
  Kill();
  ColumnFamilyOptions files_only(options);
  const auto reopen = [&](bool disallows) {
    files_only.disallow_memtable_writes = disallows;
    std::vector<ColumnFamilyHandle*> handles;
    const Status s =
        DB::Open(options, kDbName, {{kDefaultColumnFamilyName, options}, {"other", files_only}},
                 &handles, &db_);
    std::string value;
    if (s.ok()) {
      EXPECT_TRUE(db_->Get(ReadOptions(), handles[1], "a", &value).ok());
    }
    for (ColumnFamilyHandle* handle : handles) delete handle;
    db_.reset();
    return s;
  };
  const Status refused = reopen(true);
  EXPECT_TRUE(refused.IsInvalidArgument()) << refused.ToString();
  EXPECT_NE(refused.ToString().find("other"), std::string::npos) << refused.ToString();
  ASSERT_TRUE(reopen(false).ok());
  ASSERT_TRUE(reopen(true).ok());
}

TEST_F(DbLaterOptionsTest, OneFamilyAloneMayBeIngestedBehind) {
  Options options = SmallOptions();
  options.compaction_style = kCompactionStyleUniversal;
  Open(options);
  ColumnFamilyOptions behind(options);
  behind.cf_allow_ingest_behind = true;
  std::unique_ptr<ColumnFamilyHandle> family(Create(behind, "behind"));
  for (int run = 0; run < 6; ++run) {
    ASSERT_TRUE(db_->Put(WriteOptions(), family.get(), "a", "new").ok());
    ASSERT_TRUE(db_->Flush(FlushOptions(), family.get()).ok());
  }
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), family.get(), nullptr, nullptr).ok());
  std::string last;
  ASSERT_TRUE(db_->GetProperty(family.get(), "rocksdb.num-files-at-level6", &last));
  EXPECT_EQ(last, "0") << "the last level is for what is ingested";
  IngestExternalFileOptions how;
  how.ingest_behind = true;
  ASSERT_TRUE(db_->IngestExternalFile(family.get(), {TableWith("b", "old")}, how).ok());
  std::string value;
  ASSERT_TRUE(db_->Get(ReadOptions(), family.get(), "b", &value).ok());
  EXPECT_EQ(value, "old");
  EXPECT_TRUE(db_->IngestExternalFile({TableWith("b", "old")}, how).IsInvalidArgument());
  family.reset();
  ColumnFamilyHandle* none = nullptr;
  behind.compaction_style = kCompactionStyleLevel;
  EXPECT_TRUE(db_->CreateColumnFamily(behind, "leveled", &none).IsInvalidArgument());
}

TEST_F(DbLaterOptionsTest, PrefixSeeksMayBeLeftToThoseWhoAskForThem) {
  Options options = SmallOptions();
  options.prefix_extractor.reset(NewFixedPrefixTransform(1));
  options.memtable_factory.reset(NewHashSkipListRepFactory());
  options.allow_concurrent_memtable_write = false;
  options.prefix_seek_opt_in_only = true;
  Open(options);
  Put("a1", "v");
  Put("b1", "v");
  Put("c1", "v");
  const auto keys_from = [this](const ReadOptions& how, const std::string& from) {
    std::string keys;
    std::unique_ptr<Iterator> it(db_->NewIterator(how));
    for (it->Seek(from); it->Valid(); it->Next()) keys += it->key().ToString() + " ";
    EXPECT_TRUE(it->status().ok());
    return keys;
  };
  ReadOptions same;
  same.prefix_same_as_start = true;
  EXPECT_EQ(keys_from(ReadOptions(), "a"), "a1 b1 c1 ");
  EXPECT_EQ(keys_from(same, "b"), "b1 ");
  options.prefix_seek_opt_in_only = false;
  Open(options);
  Put("a1", "v");
  EXPECT_EQ(keys_from(ReadOptions(), "a").substr(0, 3), "a1 ");
}

TEST_F(DbLaterOptionsTest, FilesAreMadeWithTheirTemperatures) {
  auto thermometer = std::make_shared<Thermometer>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(thermometer);
  Options options = SmallOptions();
  options.env = env.get();
  options.wal_write_temperature = Temperature::kHot;
  options.metadata_write_temperature = Temperature::kWarm;
  options.default_write_temperature = Temperature::kWarm;
  options.last_level_temperature = Temperature::kCold;
  options.num_levels = 3;
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 100, 1);
  Flush();
  using Temperatures = std::set<Temperature>;
  EXPECT_EQ(thermometer->Of(".log"), Temperatures{Temperature::kHot});
  EXPECT_EQ(thermometer->Of("MANIFEST"), Temperatures{Temperature::kWarm});
  EXPECT_EQ(thermometer->Of(".sst"), Temperatures{Temperature::kWarm});
  const auto of_tables = [this] {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    Temperatures found;
    for (const LiveFileMetaData& file : files) found.insert(file.temperature);
    return found;
  };
  thermometer->Forget();
  CompactRangeOptions down;
  down.change_level = true;
  down.target_level = 2;
  down.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(down, nullptr, nullptr).ok());
  PutRange(0, 100, 2);
  Flush();
  ASSERT_TRUE(db_->CompactRange(down, nullptr, nullptr).ok());
  EXPECT_TRUE(thermometer->Of(".sst").contains(Temperature::kCold));
  EXPECT_EQ(of_tables(), Temperatures{Temperature::kCold});
  Open(options);
  EXPECT_EQ(of_tables(), Temperatures{Temperature::kCold}) << "the MANIFEST keeps it";
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  std::vector<std::string> names;
  for (const LiveFileMetaData& file : files) names.push_back(file.name);
  CompactionOptions hot;
  hot.output_temperature_override = Temperature::kHot;
  ASSERT_TRUE(db_->CompactFiles(hot, names, 2).ok());
  EXPECT_EQ(of_tables(), Temperatures{Temperature::kHot});
  ExpectModel();
}

TEST_F(DbLaterOptionsTest, AReadTellsOfManyMergeOperands) {
  Options options = SmallOptions();
  ASSERT_TRUE(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
          .ok());
  options.disable_auto_compactions = true;
  Open(options);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), "k", std::to_string(i)).ok());
    if (i == 1) Flush();
  }
  Put("plain", "v");
  ReadOptions read;
  std::string value;
  EXPECT_FALSE(db_->Get(read, "k", &value).IsOkMergeOperandThresholdExceeded());
  for (const bool flushed : {false, true}) {
    if (flushed) Flush();
    read.merge_operand_count_threshold = 1;  // the flush has made one of two
    Status s = db_->Get(read, "k", &value);
    EXPECT_TRUE(s.ok());
    EXPECT_TRUE(s.IsOkMergeOperandThresholdExceeded());
    EXPECT_EQ(value, "0,1,2");
    std::vector<std::string> values;
    std::vector<Status> statuses = db_->MultiGet(read, {"k", "plain"}, &values);
    EXPECT_TRUE(statuses[0].IsOkMergeOperandThresholdExceeded());
    EXPECT_EQ(values[0], "0,1,2");
    EXPECT_TRUE(statuses[1].ok());
    EXPECT_FALSE(statuses[1].IsOkMergeOperandThresholdExceeded());
    read.merge_operand_count_threshold = 2;
    s = db_->Get(read, "k", &value);
    EXPECT_TRUE(s.ok());
    EXPECT_FALSE(s.IsOkMergeOperandThresholdExceeded());
  }
}

// What is not in a table is lost with the process: no log has it.
TEST_F(DbLaterOptionsTest, AFlushMayBeOfAllFamilies) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  std::unique_ptr<ColumnFamilyHandle> other(Create(options, "other"));
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, "a", "1").ok());
  ASSERT_TRUE(db_->Put(unlogged, other.get(), "a", "1").ok());
  FlushOptions together;
  together.force_atomic_flush = true;
  together.wait = false;
  EXPECT_TRUE(db_->Flush(together).IsNotSupported());
  together.wait = true;
  ASSERT_TRUE(db_->Flush(together).ok());
  std::string files;
  ASSERT_TRUE(db_->GetProperty(other.get(), "rocksdb.num-files-at-level0", &files));
  EXPECT_EQ(files, "1");
  EXPECT_EQ(FilesAtLevel(0), 1);
  // One after the other again.
  ASSERT_TRUE(db_->Put(unlogged, "b", "1").ok());
  ASSERT_TRUE(db_->Put(unlogged, other.get(), "b", "1").ok());
  Flush();
  ASSERT_TRUE(db_->GetProperty(other.get(), "rocksdb.num-files-at-level0", &files));
  EXPECT_EQ(files, "1");
  LiveFilesStorageInfoOptions copied;
  copied.atomic_flush = true;
  std::vector<LiveFileStorageInfo> live;
  ASSERT_TRUE(db_->GetLiveFilesStorageInfo(copied, &live).ok());
  ASSERT_TRUE(db_->GetProperty(other.get(), "rocksdb.num-files-at-level0", &files));
  EXPECT_EQ(files, "2");
}

TEST_F(DbLaterOptionsTest, FlushesOfAllFamiliesGoBesideOthers) {
  Open();
  std::unique_ptr<ColumnFamilyHandle> other(Create(SmallOptions(), "other"));
  std::atomic<bool> failed{false};
  const auto flush = [&](bool together, ColumnFamilyHandle* family) {
    FlushOptions options;
    options.force_atomic_flush = together;
    for (int i = 0; i < 40; ++i) {
      Status s = db_->Put(WriteOptions(), family, Key(i), Value(i, 100));
      if (s.ok()) s = db_->Flush(options, family);
      if (!s.ok()) failed = true;
    }
  };
  fiber::Thread one("one", [&] { flush(true, other.get()); });
  fiber::Thread two("two", [&] { flush(false, other.get()); });
  flush(false, db_->DefaultColumnFamily());
  one.join();
  two.join();
  EXPECT_FALSE(failed);
  for (int i = 0; i < 40; ++i) {
    std::string value;
    ASSERT_TRUE(db_->Get(ReadOptions(), other.get(), Key(i), &value).ok());
    EXPECT_EQ(value, Value(i, 100));
    EXPECT_EQ(Get(Key(i)), Value(i, 100));
  }
}

TEST_F(DbLaterOptionsTest, AFlushMayWaitForListeners) {
  struct Listener : EventListener {
    void OnFlushCompleted(DB*, const FlushJobInfo&) override { ++told; }
    std::atomic<int> told{0};
  };
  const auto listener = std::make_shared<Listener>();
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.listeners = {listener};
  Open(options);
  FlushOptions flush;
  flush.listener_wait = true;
  for (int i = 1; i <= 20; ++i) {
    Put(Key(i), "v");
    ASSERT_TRUE(db_->Flush(flush).ok());
    EXPECT_EQ(listener->told.load(), i);
  }
}

TEST_F(DbLaterOptionsTest, TheLogIsHandedOverByOptions) {
  Options options = SmallOptions();
  options.manual_wal_flush = true;
  Open(options);
  Put("a", "1");
  FlushWALOptions how;
  ASSERT_TRUE(db_->FlushWAL(how).ok());
  Kill();
  Open(options);
  ExpectModel();
  how.rate_limiter_priority = Env::IO_USER;
  EXPECT_TRUE(db_->FlushWAL(how).ok()) << "without a limiter there is nobody to ask";
  Close();
  options.rate_limiter.reset(NewGenericRateLimiter(int64_t{1} << 30));
  Open(options);
  Put("b", std::string(5000, 'v'));
  how.rate_limiter_priority = Env::IO_TOTAL;
  ASSERT_TRUE(db_->FlushWAL(how).ok());
  EXPECT_EQ(options.rate_limiter->GetTotalBytesThrough(Env::IO_USER), 0);
  Put("c", std::string(6000, 'v'));
  how.rate_limiter_priority = Env::IO_USER;
  how.sync = true;
  ASSERT_TRUE(db_->FlushWAL(how).ok());
  const int64_t asked = options.rate_limiter->GetTotalBytesThrough(Env::IO_USER);
  EXPECT_GT(asked, 6000);
  EXPECT_LT(asked, 7000) << "what had been written before does not ask again";
  ASSERT_TRUE(db_->FlushWAL(how).ok());
  EXPECT_EQ(options.rate_limiter->GetTotalBytesThrough(Env::IO_USER), asked);
  Kill();
  Open(options);
  ExpectModel();
}

TEST_F(DbLaterOptionsTest, SizesMayCountBlobFiles) {
  Options options = SmallOptions();
  options.enable_blob_files = true;
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 100, 1, 1000);
  Flush();
  const auto size = [this](bool files, bool blobs, const std::string& from, const std::string& to) {
    SizeApproximationOptions what;
    what.include_files = files;
    what.include_blob_files = blobs;
    const Range range(from, to);
    uint64_t bytes = 0;
    const Status s = db_->GetApproximateSizes(what, db_->DefaultColumnFamily(), &range, 1, &bytes);
    EXPECT_TRUE(s.ok()) << s.ToString();
    return bytes;
  };
  const std::string first = Key(0), end = "z";
  const uint64_t tables = size(true, false, first, end);
  const uint64_t blobs = size(false, true, first, end);
  EXPECT_GT(tables, 0u);
  EXPECT_GT(blobs, 80'000u);
  EXPECT_LT(blobs, 120'000u);
  EXPECT_EQ(size(true, true, first, end), tables + blobs);
  EXPECT_EQ(size(false, true, "x", "y"), 0u);
}

TEST_F(DbLaterOptionsTest, MetadataMayBeOfSomeKeysAndOneLevel) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 10, 1);
  Flush();
  Compact();
  PutRange(20, 30, 1);
  Flush();
  PutRange(40, 50, 1);
  Flush();
  const auto files = [this](const OptSlice& start, const OptSlice& end, int level) {
    ColumnFamilyMetaData meta;
    db_->GetColumnFamilyMetaData({start, end, level}, &meta);
    size_t in_levels = 0;
    uint64_t bytes = 0;
    for (const LevelMetaData& one : meta.levels) {
      EXPECT_FALSE(one.files.empty());
      in_levels += one.files.size();
      bytes += one.size;
    }
    EXPECT_EQ(in_levels, meta.file_count);
    EXPECT_EQ(bytes, meta.size);
    EXPECT_EQ(meta.name, "default");
    return meta.file_count;
  };
  const std::string key5 = Key(5), key9 = Key(9), key10 = Key(10), key20 = Key(20), key25 = Key(25);
  EXPECT_EQ(files(nullptr, nullptr, -1), 3u);
  EXPECT_EQ(files(nullptr, nullptr, 0), 2u);
  EXPECT_EQ(files(key5, key25, -1), 2u);
  EXPECT_EQ(files(key10, key20, -1), 1u) << "the end is in the range";
  EXPECT_EQ(files(key10, nullptr, 1), 0u);
  EXPECT_EQ(files(nullptr, key9, -1), 1u);
  EXPECT_EQ(files(nullptr, nullptr, 99), 0u);
}

TEST_F(DbLaterOptionsTest, AChosenCompactionMayMoveFilesOrBeCancelled) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  PutRange(0, 50, 1);
  Flush();
  std::vector<LiveFileMetaData> before, after;
  db_->GetLiveFilesMetaData(&before);
  ASSERT_EQ(before.size(), 1u);
  CompactionOptions how;
  how.compression = kNoCompression;
  std::atomic<bool> canceled{true};
  how.canceled = &canceled;
  const Status s = db_->CompactFiles(how, {before[0].name}, 1);
  EXPECT_TRUE(s.IsManualCompactionPaused()) << s.ToString();
  EXPECT_EQ(FilesAtLevel(0), 1);
  canceled = false;
  how.allow_trivial_move = true;
  CompactionJobInfo info;
  ASSERT_TRUE(db_->CompactFiles(how, {before[0].name}, 1, -1, nullptr, &info).ok());
  after.clear();
  db_->GetLiveFilesMetaData(&after);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].name, before[0].name) << "moved";
  EXPECT_EQ(after[0].level, 1);
  EXPECT_EQ(info.stats.num_input_files_trivially_moved, 1u);
  how.allow_trivial_move = false;
  ASSERT_TRUE(db_->CompactFiles(how, {after[0].name}, 2).ok());
  after.clear();
  db_->GetLiveFilesMetaData(&after);
  EXPECT_NE(after[0].name, before[0].name);
  ExpectModel();
}

TEST_F(DbLaterOptionsTest, UniversalCompactionMayLeaveMoreRuns) {
  Options options = SmallOptions();
  options.compaction_style = kCompactionStyleUniversal;
  options.level0_file_num_compaction_trigger = 2;
  options.compaction_options_universal.max_read_amp = 6;
  options.compaction_options_universal.max_size_amplification_percent = 1'000'000;
  Open(options);
  // Each run is larger than all newer ones, so that sizes ask for nothing.
  for (int run = 0; run < 6; ++run) {
    PutRange(0, 200u >> run, static_cast<uint64_t>(run));
    Flush();
  }
  WaitForCompactions();
  EXPECT_EQ(Tables(), 6);
  PutRange(0, 3, 7);
  Flush();
  WaitForCompactions();
  EXPECT_LE(Tables(), 6);
  ExpectModel();
  for (const int bad : {-2, 0, 1}) {
    options.compaction_options_universal.max_read_amp = bad;
    EXPECT_TRUE(TryOpen(options).IsNotSupported()) << bad;
  }
}

TEST_F(DbLaterOptionsTest, AManifestGrowsByAPartOfItself) {
  for (const int percent : {0, 10'000}) {
    Options options = SmallOptions();
    options.max_manifest_file_size = 1;
    options.max_manifest_space_amp_pct = percent;
    options.disable_auto_compactions = true;
    options.level0_slowdown_writes_trigger = options.level0_stop_writes_trigger = 1'000'000;
    Open(options);
    // Some thousand bytes each.
    const std::string long_key(9'000, 'k');
    for (int i = 0; i < 12; ++i) {
      Put(long_key + Key(i), "v");
      Flush();
    }
    const std::set<std::string> before = disk_.Names();
    Put(long_key + Key(99), "v");
    Flush();
    bool new_one = false;
    for (const std::string& name : disk_.Names()) {
      new_one |= name.starts_with("MANIFEST") && !before.contains(name);
    }
    EXPECT_EQ(new_one, percent == 0);
    ExpectModel();
    Close();
    ASSERT_TRUE(DestroyDB(kDbName, options).ok());
    model_.clear();
  }
}

TEST_F(DbLaterOptionsTest, ADamagedManifestIsWrittenAnewAtTheEnd) {
  const auto damage = [this](bool cut) {
    const std::string path = disk_.Files(FileType::kDescriptorFile).back();
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok());
    if (cut) {
      bytes.resize(bytes.size() - 5);
    } else {
      bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    }
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path).ok());
  };
  for (const bool cut : {false, true}) {
    SCOPED_TRACE(cut);
    Options options = SmallOptions();
    Open(options);
    FillAllLevels();
    // As it was told later.
    ASSERT_TRUE(db_->SetDBOptions({{"verify_manifest_content_on_close", "true"}}).ok());
    WaitUntilIdle();
    const std::string before = disk_.Files(FileType::kDescriptorFile).back();
    damage(cut);
    Close();
    EXPECT_LT(before, disk_.Files(FileType::kDescriptorFile).back());
    options.verify_manifest_content_on_close = true;
    Open(options);
    ExpectModel();
    WaitUntilIdle();
    // What is sound stays.
    const std::vector<std::string> sound = disk_.Files(FileType::kDescriptorFile);
    Close();
    EXPECT_EQ(sound, disk_.Files(FileType::kDescriptorFile));
    // A new one that cannot be written is an error of the end.
    Open(options);
    Put("a", "1");
    Flush();
    WaitUntilIdle();
    damage(cut);
    fault::Rule full;
    full.files = fault::kManifests;
    full.operations = fault::kCreate;
    full.error = IOStatus::NoSpace("full");
    const auto rule = disk_.faults->AddRule(full);
    const Status s = db_->Close();
    EXPECT_TRUE(s.IsNoSpace()) << s.ToString();
    disk_.faults->RemoveRule(rule);
    db_.reset();
    disk_ = testing::Disk();
    model_.clear();
  }
  // Nobody looks without it.
  Open();
  PutRange(0, 100, 1);
  Flush();
  damage(false);
  Close();
  EXPECT_TRUE(TryOpen(SmallOptions()).IsCorruption());
}

TEST_F(DbLaterOptionsTest, WhatIsNotThereIsRefusedByName) {
  const auto refuses = [this](const std::string& name, const std::function<void(Options*)>& set) {
    Options options = SmallOptions();
    set(&options);
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsNotSupported()) << name << ": " << s.ToString();
    EXPECT_NE(s.ToString().find(name), std::string::npos) << s.ToString();
  };
  refuses("read_triggered_compaction_threshold",
          [](Options* o) { o->read_triggered_compaction_threshold = 0.1; });
  refuses("min_tombstones_for_range_conversion",
          [](Options* o) { o->min_tombstones_for_range_conversion = 8; });
  refuses("enable_blob_direct_write", [](Options* o) { o->enable_blob_direct_write = true; });
  for (const char* hours : {"", "00:00-23:59", "23:30-04:00"}) {
    Options options = SmallOptions();
    options.daily_offpeak_time_utc = hours;
    EXPECT_TRUE(TryOpen(options).ok()) << hours;
  }
  for (const char* hours : {"-", "1:00-2:00", "24:00-01:00", "00:60-01:00", "00:00-01:00 ", "a"}) {
    Options options = SmallOptions();
    options.daily_offpeak_time_utc = hours;
    EXPECT_TRUE(TryOpen(options).IsInvalidArgument()) << hours;
  }
}

// RocksDB 7.8.3 refuses an OPTIONS file with names that it does not know: they are in it only where
// they say something.
TEST_F(DbLaterOptionsTest, TheOptionsFileHasThemWhereTheyAreSet) {
  Options options = SmallOptions();
  const auto text = [this] {
    std::string latest, content;
    EXPECT_TRUE(GetLatestOptionsFileName(kDbName, disk_.env.get(), &latest).ok());
    EXPECT_TRUE(
        ReadFileToString(disk_.env.get(), std::string(kDbName) + "/" + latest, &content).ok());
    return content;
  };
  Open(options);
  EXPECT_EQ(text().find("memtable_max_range_deletions"), std::string::npos);
  EXPECT_EQ(text().find("max_read_amp"), std::string::npos);
  options.memtable_max_range_deletions = 7;
  options.prefix_seek_opt_in_only = true;
  options.verify_output_flags =
      VerifyOutputFlags::kVerifyIteration | VerifyOutputFlags::kEnableForLocalCompaction;
  options.wal_write_temperature = Temperature::kCold;
  options.compaction_options_universal.max_read_amp = 9;
  EXPECT_EQ(text().find("use_delta_encoding"), std::string::npos);
  BlockBasedTableOptions table;
  ASSERT_TRUE(GetBlockBasedTableOptionsFromString(ConfigOptions(), table,
                                                  "use_delta_encoding=false", &table)
                  .ok());
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Open(options);
  DBOptions db_options;
  std::vector<ColumnFamilyDescriptor> families;
  ConfigOptions config;
  config.env = disk_.env.get();
  db_options.env = disk_.env.get();
  ASSERT_TRUE(LoadLatestOptions(config, kDbName, &db_options, &families).ok());
  EXPECT_TRUE(db_options.prefix_seek_opt_in_only);
  EXPECT_EQ(db_options.wal_write_temperature, Temperature::kCold);
  EXPECT_EQ(families[0].options.memtable_max_range_deletions, 7u);
  EXPECT_EQ(families[0].options.verify_output_flags, options.verify_output_flags);
  EXPECT_EQ(families[0].options.compaction_options_universal.max_read_amp, 9);
  const auto* loaded = families[0].options.table_factory->GetOptions<BlockBasedTableOptions>();
  ASSERT_NE(loaded, nullptr);
  EXPECT_FALSE(loaded->use_delta_encoding);
}

}  // namespace
}  // namespace cairn
