// Values in blob files, in a whole database: where they go, how they are read, what of them is
// garbage, and when their files may go.
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "blob/blob_format.h"
#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "rocksdb/cache.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/statistics.h"

namespace cairn::testing {
namespace {

class DbBlobTest : public DbTest {
 protected:
  Options BlobOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.enable_blob_files = true;
    options.min_blob_size = 50;
    options.statistics = CreateDBStatistics();
    return options;
  }
  Options CollectingOptions() {
    Options options = BlobOptions();
    options.enable_blob_garbage_collection = true;
    options.blob_garbage_collection_age_cutoff = 1.0;
    return options;
  }
  std::vector<std::string> BlobFiles() { return disk_.Files(FileType::kBlobFile); }
  uint64_t Number(const std::string& property) {
    uint64_t value = 0;
    EXPECT_TRUE(db_->GetIntProperty("rocksdb." + property, &value)) << property;
    return value;
  }
  uint64_t Ticks(const Options& options, uint32_t ticker) {
    return options.statistics->getTickerCount(ticker);
  }
  void CompactWith(BlobGarbageCollectionPolicy policy, double cutoff) {
    CompactRangeOptions range;
    range.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
    range.blob_garbage_collection_policy = policy;
    range.blob_garbage_collection_age_cutoff = cutoff;
    const Status s = db_->CompactRange(range, nullptr, nullptr);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void CompactAll() { CompactWith(BlobGarbageCollectionPolicy::kUseDefault, -1); }
  // The garbage that the MANIFEST has is what no table refers to: a full compaction of everything,
  // without collecting, leaves as much as keys are there.
  void ExpectAccounts(uint64_t live) {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    uint64_t blobs = 0, garbage = 0;
    for (const BlobMetaData& file : metadata.blob_files) {
      blobs += file.total_blob_count;
      garbage += file.garbage_blob_count;
      EXPECT_LT(file.garbage_blob_count, file.total_blob_count) << file.blob_file_number;
      EXPECT_EQ(disk_.Size(std::string(kDbName) + file.blob_file_name), file.blob_file_size);
    }
    EXPECT_EQ(blobs - garbage, live);
    EXPECT_EQ(metadata.blob_files.size(), BlobFiles().size());
  }
  std::string ReadAll(const std::string& path) {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok());
    return bytes;
  }
  void WriteAll(const std::string& path, const std::string& bytes) {
    EXPECT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, /*sync=*/true).ok());
  }
};

TEST_F(DbBlobTest, LargeValuesGoToBlobFilesAndAreRead) {
  Options options = BlobOptions();
  Open(options);
  PutRange(0, 20, 1, 200);
  PutRange(20, 40, 1, 30);
  Flush();
  EXPECT_EQ(BlobFiles().size(), 1u);
  EXPECT_EQ(Number("num-blob-files"), 1u);
  EXPECT_EQ(Number("live-blob-file-size"), disk_.Size(BlobFiles()[0]));
  EXPECT_EQ(Number("total-blob-file-size"), disk_.Size(BlobFiles()[0]));
  EXPECT_EQ(Number("live-blob-file-garbage-size"), 0u);
  ExpectModel();
  ExpectAccounts(20);
  Open(options);
  ExpectModel();
  options.enable_blob_files = false;  // they stay readable
  Open(options);
  ExpectModel();
  ASSERT_TRUE(TryOpenReadOnly(options).ok());
  ExpectModel();
}

TEST_F(DbBlobTest, ValuesOfExactlyTheLeastSizeGoThereAndEmptyOnesNever) {
  Options options = BlobOptions();
  options.min_blob_size = 10;
  Open(options);
  Put("a", std::string(9, 'x'));
  Put("b", std::string(10, 'x'));
  Put("c", "");
  Flush();
  ExpectAccounts(1);
  ExpectModel();
  ASSERT_TRUE(db_->SetOptions({{"min_blob_size", "0"}}).ok());
  Put("d", "");
  Put("e", "x");
  Flush();
  ExpectAccounts(2);
  ExpectModel();
}

TEST_F(DbBlobTest, FilesEndAtTheirSize) {
  Options options = BlobOptions();
  options.blob_file_size = 1000;
  Open(options);
  PutRange(0, 20, 1, 200);
  Flush();
  EXPECT_EQ(BlobFiles().size(), 4u);  // five records of 241 bytes and the header reach it
  ExpectAccounts(20);
  ExpectModel();
}

TEST_F(DbBlobTest, EachCompressionIsRead) {
  for (const CompressionType type : {kSnappyCompression, kZlibCompression, kLZ4Compression,
                                     kLZ4HCCompression, kZSTD, kNoCompression}) {
    Options options = BlobOptions();
    options.blob_compression_type = type;
    Open(options);
    for (int i = 0; i < 10; ++i) Put(Key(i), std::string(1000 + i, static_cast<char>('a' + i)));
    PutRange(10, 20, type, 60);  // does not become smaller
    Flush();
    ExpectModel();
  }
  EXPECT_EQ(BlobFiles().size(), 6u);
  ExpectModel();
  CompactAll();
  ExpectAccounts(20);
  ExpectModel();
}

TEST_F(DbBlobTest, CompactionsCountGarbageAndFilesGoWithTheirLastBlob) {
  Options options = BlobOptions();
  Open(options);
  PutRange(0, 10, 1, 100);
  Flush();
  PutRange(0, 4, 2, 100);
  Delete(Key(4));
  Flush();
  CompactAll();
  ExpectAccounts(9);
  EXPECT_EQ(Number("live-blob-file-garbage-size"), 5 * BlobRecordSize(9, 100));
  EXPECT_EQ(Ticks(options, BLOB_DB_GC_NUM_KEYS_RELOCATED), 0u);
  for (int i = 5; i < 10; ++i) Delete(Key(i));
  CompactAll();
  ExpectAccounts(4);
  EXPECT_EQ(BlobFiles().size(), 1u);
  ExpectModel();
  Open(options);
  ExpectAccounts(4);
  ExpectModel();
}

TEST_F(DbBlobTest, CollectionWritesTheOldestFilesBlobsAnew) {
  Options options = BlobOptions();
  options.enable_blob_garbage_collection = true;
  options.blob_garbage_collection_age_cutoff = 0.5;
  Open(options);
  for (int file = 0; file < 4; ++file) {
    PutRange(file * 10, file * 10 + 10, 1, 100);
    Flush();
  }
  const std::vector<std::string> before = BlobFiles();
  ASSERT_EQ(before.size(), 4u);
  CompactAll();
  const std::vector<std::string> after = BlobFiles();
  ASSERT_EQ(after.size(), 3u);  // two stay, one has the two others' blobs
  EXPECT_EQ(after[0], before[2]);
  EXPECT_EQ(after[1], before[3]);
  EXPECT_EQ(Ticks(options, BLOB_DB_GC_NUM_KEYS_RELOCATED), 20u);
  ExpectAccounts(40);
  ExpectModel();
  CompactWith(BlobGarbageCollectionPolicy::kDisable, 1.0);
  EXPECT_EQ(BlobFiles(), after);
  CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0);
  EXPECT_EQ(BlobFiles().size(), 1u);
  ExpectAccounts(40);
  ExpectModel();
}

TEST_F(DbBlobTest, CollectionWithoutBlobFilesBringsValuesBackIntoTables) {
  Open(BlobOptions());
  PutRange(0, 20, 1, 100);
  Flush();
  Options options = CollectingOptions();
  options.enable_blob_files = false;
  options.blob_compaction_readahead_size = 1 << 20;
  Open(options);
  CompactAll();
  EXPECT_TRUE(BlobFiles().empty());
  EXPECT_EQ(Number("num-blob-files"), 0u);
  ExpectModel();
}

TEST_F(DbBlobTest, TheStartingLevelSaysWhoWritesBlobFiles) {
  Options options = BlobOptions();
  options.blob_file_starting_level = 1;
  Open(options);
  PutRange(0, 20, 1, 100);
  Flush();
  EXPECT_TRUE(BlobFiles().empty());
  CompactAll();
  EXPECT_EQ(BlobFiles().size(), 1u);
  ExpectAccounts(20);
  ExpectModel();
}

TEST_F(DbBlobTest, GarbageEnoughForcesACompaction) {
  Options options = BlobOptions();
  options.enable_blob_garbage_collection = true;
  // (Both files are kept by one table, so that both must be among the oldest.)
  options.blob_garbage_collection_age_cutoff = 1.0;
  options.blob_garbage_collection_force_threshold = 0.3;
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 100;
  Open(options);
  PutRange(0, 10, 1, 100);
  Flush();
  const std::string oldest = BlobFiles()[0];
  PutRange(0, 6, 2, 100);
  Flush();
  CompactWith(BlobGarbageCollectionPolicy::kDisable, -1);
  WaitForCompactions();
  ASSERT_TRUE(Await([&] { return BlobFiles()[0] != oldest; }))
      << "6 of 16 are garbage, and nobody came";
  WaitForCompactions();
  ExpectAccounts(10);
  ExpectModel();
}

TEST_F(DbBlobTest, SnapshotsAndIteratorsKeepTheirFiles) {
  Options options = CollectingOptions();
  Open(options);
  PutRange(0, 20, 1, 100);
  Flush();
  const std::string first = BlobFiles()[0];
  const Contents then = model_;
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(3));
  const Snapshot* const snapshot = db_->GetSnapshot();
  PutRange(0, 20, 2, 100);
  Flush();
  CompactAll();
  EXPECT_EQ(disk_.memory->FileExists(first, IOOptions(), nullptr).ok(), true);
  ExpectContents(then, snapshot);
  ExpectModel();
  Contents seen;
  for (; it->Valid(); it->Next()) seen[it->key().ToString()] = it->value().ToString();
  ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_EQ(seen.size(), 17u);
  for (const auto& [key, value] : seen) EXPECT_EQ(then.at(key), value);
  it.reset();
  db_->ReleaseSnapshot(snapshot);
  CompactAll();
  EXPECT_TRUE(Await([&] { return !disk_.memory->FileExists(first, IOOptions(), nullptr).ok(); }));
  ExpectAccounts(20);
  ExpectModel();
}

TEST_F(DbBlobTest, MergesStandOnBlobs) {
  Options options = BlobOptions();
  ASSERT_TRUE(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
          .ok());
  Open(options);
  PutRange(0, 3, 1, 100);
  Flush();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), Key(i), "more").ok());
    model_[Key(i)] += ",more";
  }
  ExpectModel();
  Flush();
  ExpectModel();
  ReadOptions together;
  together.async_io = true;
  std::vector<std::string> names = {Key(0), Key(1), Key(2)};
  std::vector<Slice> keys(names.begin(), names.end());
  std::vector<PinnableSlice> values(3);
  std::vector<Status> statuses(3);
  db_->MultiGet(together, db_->DefaultColumnFamily(), 3, keys.data(), values.data(),
                statuses.data());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values[i].ToString(), model_[Key(i)]);
  CompactAll();
  ExpectAccounts(3);
  ExpectModel();
}

TEST_F(DbBlobTest, MultiGetReadsThemAll) {
  for (const bool async_io : {false, true}) {
    Options options = BlobOptions();
    options.blob_file_size = 2000;
    Open(options);
    PutRange(0, 50, 1, 200);
    PutRange(50, 60, 1, 20);
    Flush();
    std::vector<std::string> names;
    for (int i = 70; i-- > 0;) names.push_back(Key(i));
    std::vector<Slice> keys(names.begin(), names.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    ReadOptions read;
    read.async_io = async_io;
    db_->MultiGet(read, db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                  statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      const auto expected = model_.find(names[i]);
      if (expected == model_.end()) {
        EXPECT_TRUE(statuses[i].IsNotFound()) << names[i];
      } else {
        ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
        EXPECT_EQ(values[i].ToString(), expected->second);
      }
    }
  }
}

TEST_F(DbBlobTest, TheBlobCacheAnswersWithoutAFile) {
  Options options = BlobOptions();
  options.blob_cache = NewLRUCache(1 << 20);
  Open(options);
  PutRange(0, 10, 1, 100);
  Flush();
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  std::string value;
  ASSERT_EQ(Get(Key(0)), model_[Key(0)]);
  EXPECT_EQ(Ticks(options, BLOB_DB_CACHE_MISS), 1u);
  EXPECT_EQ(Ticks(options, BLOB_DB_CACHE_ADD), 1u);
  EXPECT_GT(Number("blob-cache-usage"), 100u);
  EXPECT_EQ(Number("blob-cache-capacity"), 1u << 20);
  EXPECT_TRUE(db_->Get(cached, Key(0), &value).ok());
  EXPECT_EQ(value, model_[Key(0)]);
  EXPECT_EQ(Ticks(options, BLOB_DB_CACHE_HIT), 1u);
  EXPECT_TRUE(db_->Get(cached, Key(1), &value).IsIncomplete());
  bool found = true;
  EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), Key(1), &value, &found));
  EXPECT_FALSE(found);
  std::unique_ptr<Iterator> it(db_->NewIterator(cached));
  it->Seek(Key(1));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status().ToString();
}

TEST_F(DbBlobTest, FlushesFillTheCacheWhereTheyAreToldTo) {
  Options options = BlobOptions();
  options.blob_cache = NewLRUCache(1 << 20);
  options.prepopulate_blob_cache = PrepopulateBlobCache::kFlushOnly;
  options.blob_compression_type = kLZ4Compression;
  Open(options);
  PutRange(0, 10, 1, 100);
  Flush();
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  for (int i = 0; i < 10; ++i) {
    std::string value;
    ASSERT_EQ(Get(Key(i)), model_[Key(i)]);  // (has its data block read)
    const Status s = db_->Get(cached, Key(i), &value);
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_EQ(value, model_[Key(i)]);
  }
  EXPECT_EQ(Ticks(options, BLOB_DB_CACHE_MISS), 0u);
}

TEST_F(DbBlobTest, AnIteratorReadsWhatItIsAskedFor) {
  Options options = BlobOptions();
  Open(options);
  PutRange(0, 10, 1, 100);
  Flush();
  Put(Key(3), "short");
  const auto reads = [] { return get_perf_context()->blob_read_count; };
  SetPerfLevel(kEnableCount);
  get_perf_context()->Reset();
  ReadOptions lazy;
  lazy.allow_unprepared_value = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(lazy));
  int keys = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++keys) {
    if (keys != 3 && keys != 7) continue;
    ASSERT_TRUE(it->PrepareValue());
    EXPECT_EQ(it->value().ToString(), model_[Key(keys)]);
  }
  EXPECT_EQ(keys, 10);
  EXPECT_EQ(reads(), 1u);
  it->SeekToLast();
  it->Prev();
  ASSERT_TRUE(it->Valid() && it->PrepareValue());
  EXPECT_EQ(it->value().ToString(), model_[Key(8)]);
  EXPECT_EQ(reads(), 2u);
  it.reset(db_->NewIterator(ReadOptions()));
  it->Seek(Key(5));
  ASSERT_TRUE(it->Valid() && it->PrepareValue());
  EXPECT_EQ(it->value().ToString(), model_[Key(5)]);
  EXPECT_EQ(reads(), 3u);
  SetPerfLevel(kEnableCount);
}

// Removes keys that end with 1, changes the values of those that end with 2, and says so by the key
// alone for those that end with 3 (removes) and 4 (changes); leaves out all from 30 to 39.
class BlobFilter final : public CompactionFilter {
 public:
  const char* Name() const override { return "BlobFilter"; }
  Decision FilterV2(int, const Slice& key, ValueType, const Slice& value, std::string* changed,
                    std::string* skip_until) const override {
    const char last = key[key.size() - 1];
    if (key[key.size() - 2] == '3') {
      *skip_until = Key(40);
      return Decision::kRemoveAndSkipUntil;
    }
    if (last == '1') return Decision::kRemove;
    if (last != '2') return Decision::kKeep;
    *changed = value.ToString() + "!";
    return Decision::kChangeValue;
  }
  Decision FilterBlobByKey(int, const Slice& key, std::string* changed,
                           std::string*) const override {
    const char last = key[key.size() - 1];
    if (key[key.size() - 2] == '3') return Decision::kUndetermined;
    if (last == '3') return Decision::kRemove;
    if (last != '4') return last == '5' ? Decision::kKeep : Decision::kUndetermined;
    *changed = "by its key";
    return Decision::kChangeValue;
  }
};

TEST_F(DbBlobTest, FiltersSeeTheValuesAndGarbageIsCounted) {
  const BlobFilter filter;
  Options options = BlobOptions();
  options.compaction_filter = &filter;
  Open(options);
  PutRange(0, 50, 1, 100);
  Flush();
  CompactAll();
  uint64_t blobs = 0;
  for (auto it = model_.begin(); it != model_.end();) {
    const std::string& key = it->first;
    const char last = key.back();
    if (key[key.size() - 2] == '3' || last == '1' || last == '3') {
      it = model_.erase(it);
      continue;
    }
    if (last == '2') it->second += "!";
    if (last == '4') it->second = "by its key";
    blobs += last != '4';
    ++it;
  }
  ExpectModel();
  ExpectAccounts(blobs);
}

TEST_F(DbBlobTest, SubcompactionsCountTogether) {
  Options options = CollectingOptions();
  options.max_subcompactions = 4;
  options.target_file_size_base = 8 << 10;
  Open(options);
  PutRange(0, 600, 1, 100);
  Flush();
  PutRange(100, 300, 2, 100);
  PutRange(300, 400, 2, 20);
  Flush();
  CompactAll();
  ExpectAccounts(500);
  ExpectModel();
  PutRange(0, 100, 3, 20);
  CompactWith(BlobGarbageCollectionPolicy::kDisable, -1);
  ExpectAccounts(400);
  ExpectModel();
}

TEST_F(DbBlobTest, DamagedFilesAreToldOfAndOthersAreRead) {
  Options options = BlobOptions();
  options.blob_file_size = 1;
  options.blob_compression_type = kNoCompression;
  Open(options);
  PutRange(0, 8, 1, 100);
  Flush();
  Close();
  const std::vector<std::string> files = BlobFiles();
  ASSERT_EQ(files.size(), 8u);
  const auto change = [&](size_t file, const std::function<void(std::string*)>& f) {
    std::string bytes = ReadAll(files[file]);
    f(&bytes);
    WriteAll(files[file], bytes);
  };
  change(0, [](std::string* b) { (*b)[b->size() - 40] ^= 1; });       // the value
  change(1, [](std::string* b) { b->resize(b->size() - 1); });        // cut
  change(2, [](std::string* b) { (*b)[13] = kLZ4Compression; });      // another compression
  change(3, [](std::string* b) { (*b)[8] = 9; });                     // another family
  change(4, [](std::string* b) { (*b)[kBlobHeaderSize + 2] ^= 1; });  // a record's header
  change(5, [](std::string* b) { b->resize(10); });
  ASSERT_TRUE(disk_.memory->DeleteFile(files[6], IOOptions(), nullptr).ok());
  Open(options);
  for (size_t i = 0; i < 8; ++i) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), Key(i), &value);
    if (i == 7) {
      EXPECT_TRUE(s.ok()) << s.ToString();
      EXPECT_EQ(value, model_[Key(i)]);
    } else if (i == 6) {
      EXPECT_TRUE(s.IsIOError()) << s.ToString();
    } else {
      EXPECT_TRUE(s.IsCorruption()) << i << ": " << s.ToString();
    }
    if (i < 7) {
      EXPECT_NE(s.ToString().find(files[i].substr(files[i].rfind('/'))), std::string::npos)
          << s.ToString();
    }
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(i));
    EXPECT_EQ(it->Valid(), i == 7);
    EXPECT_EQ(it->status().code(), s.code()) << i << ": " << it->status().ToString();
  }
  EXPECT_TRUE(db_->VerifyChecksum().IsCorruption());
  // A compaction that must read them fails, and changes nothing.
  CompactRangeOptions range;
  range.blob_garbage_collection_policy = BlobGarbageCollectionPolicy::kForce;
  range.blob_garbage_collection_age_cutoff = 1.0;
  range.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
  EXPECT_FALSE(db_->CompactRange(range, nullptr, nullptr).ok());
  EXPECT_EQ(BlobFiles().size(), 7u);
}

TEST_F(DbBlobTest, AFailedJobLeavesNoBlobFile) {
  Open(BlobOptions());
  PutRange(0, 20, 1, 100);
  Flush();
  PutRange(0, 20, 2, 100);
  const size_t before = disk_.Names().size();
  disk_.faults->SetFilesystemActive(false);
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  db_.reset();
  disk_.faults->Heal();
  Open(BlobOptions());
  ExpectModel();
  EXPECT_EQ(BlobFiles().size(), Number("num-blob-files"));
  EXPECT_GT(before, 0u);
}

TEST_F(DbBlobTest, AFailedManifestWhichMayNameABlobFileLeavesIt) {
  Open(BlobOptions());
  PutRange(0, 20, 1, 100);
  fault::Rule failure;
  failure.operations = fault::kSync;
  failure.files = fault::kManifests;
  failure.times = 1;
  disk_.faults->AddRule(failure);
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  EXPECT_EQ(BlobFiles().size(), 1u);
  Kill();
  Open(BlobOptions());
  ExpectModel();
  ExpectAccounts(20);
}

TEST_F(DbBlobTest, WhatACrashLeftIsDeleted) {
  Open(BlobOptions());
  PutRange(0, 20, 1, 100);
  Flush();
  Close();
  WriteAll(std::string(kDbName) + "/000777.blob", "half");
  Open(BlobOptions());
  EXPECT_EQ(BlobFiles().size(), 1u);
  ExpectModel();
  PutRange(0, 5, 2, 100);
  Kill();
  Open(BlobOptions());  // the log's values become blobs
  ExpectModel();
  ExpectAccounts(25);
}

TEST_F(DbBlobTest, ListenersHearOfFiles) {
  class Listener final : public EventListener {
   public:
    void OnBlobFileCreationStarted(const BlobFileCreationBriefInfo& info) override {
      Note("start " + info.file_path);
    }
    void OnBlobFileCreated(const BlobFileCreationInfo& info) override {
      Note("made " + info.file_path + " " + std::to_string(info.total_blob_count) + " " +
           info.status.ToString());
    }
    void OnBlobFileDeleted(const BlobFileDeletionInfo& info) override {
      Note("gone " + info.file_path);
    }
    void OnFlushCompleted(DB*, const FlushJobInfo& info) override {
      Note("flushed " + std::to_string(info.blob_file_addition_infos.size()) + " " +
           std::to_string(info.oldest_blob_file_number));
    }
    void OnCompactionCompleted(DB*, const CompactionJobInfo& info) override {
      Note("compacted +" + std::to_string(info.blob_file_addition_infos.size()) + " -" +
           std::to_string(info.blob_file_garbage_infos.size()));
    }
    // In no order: they come from several threads.
    std::set<std::string> told() {
      fiber::MutexLock lock(&mutex_);
      return told_;
    }

   private:
    void Note(const std::string& text) {
      fiber::MutexLock lock(&mutex_);
      EXPECT_TRUE(told_.insert(text).second) << text << " again";
    }

    fiber::Mutex mutex_;
    std::set<std::string> told_ FIBER_GUARDED_BY(mutex_);
  };
  const auto listener = std::make_shared<Listener>();
  Options options = CollectingOptions();
  options.listeners.push_back(listener);
  Open(options);
  PutRange(0, 5, 1, 100);
  Flush();
  const std::string first = BlobFiles()[0];
  const int number = std::atoi(first.c_str() + first.rfind('/') + 1);
  CompactAll();
  db_.reset();
  const std::string second = BlobFiles()[0];
  EXPECT_EQ(listener->told(), (std::set<std::string>{"start " + first, "made " + first + " 5 OK",
                                                     "flushed 1 " + std::to_string(number),
                                                     "start " + second, "made " + second + " 5 OK",
                                                     "compacted +1 -1", "gone " + first}));
}

TEST_F(DbBlobTest, BadOptionsAreRefused) {
  Options options = BlobOptions();
  options.enable_blob_garbage_collection = true;
  options.blob_garbage_collection_age_cutoff = 1.5;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
  options.blob_garbage_collection_age_cutoff = 0.5;
  options.blob_garbage_collection_force_threshold = -0.1;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
  options.blob_garbage_collection_force_threshold = 0.5;
  options.blob_compression_type = kXpressCompression;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
  options.blob_compression_type = kNoCompression;
  Open(options);
  EXPECT_TRUE(db_->SetOptions({{"blob_garbage_collection_age_cutoff", "2"}}).IsInvalidArgument());
}

TEST_F(DbBlobTest, DestroyTakesThemToo) {
  Open(BlobOptions());
  PutRange(0, 20, 1, 100);
  Flush();
  Close();
  ASSERT_TRUE(DestroyDB(kDbName, BlobOptions()).ok());
  EXPECT_TRUE(disk_.Names().empty());
}

// Random histories, with everything that moves blobs, against a map.
TEST_F(DbBlobTest, RandomHistoriesAgreeWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Options options = CollectingOptions();
  options.disable_auto_compactions = false;
  options.min_blob_size = 20;
  options.blob_file_size = 4 << 10;
  options.blob_garbage_collection_age_cutoff = 0.1 * static_cast<double>(random.Uniform(11));
  options.blob_garbage_collection_force_threshold = 0.1 * static_cast<double>(random.Uniform(11));
  options.blob_compression_type = random.Uniform(2) == 0 ? kNoCompression : kLZ4Compression;
  options.blob_file_starting_level = static_cast<int>(random.Uniform(3));
  options.max_subcompactions = 1 + static_cast<uint32_t>(random.Uniform(3));
  if (random.Uniform(2) == 0) options.blob_cache = NewLRUCache(16 << 10);
  ASSERT_TRUE(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
          .ok());
  Open(options);
  struct Kept {
    const Snapshot* snapshot;
    Contents contents;
  };
  std::vector<Kept> kept;
  for (int step = 0; step < 2000; ++step) {
    const std::string key = Key(random.Uniform(200));
    const uint64_t what = random.Uniform(100);
    if (what < 60) {
      Put(key, Value(random.Next(), random.Uniform(120)));
    } else if (what < 75) {
      Delete(key);
    } else if (what < 85) {
      const std::string operand = Value(random.Next(), 5);
      ASSERT_TRUE(db_->Merge(WriteOptions(), key, operand).ok());
      std::string& value = model_[key];
      value += (value.empty() ? "" : ",") + operand;
    } else if (what < 87) {
      const std::string end = Key(random.Uniform(200));
      if (key < end) {
        ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), key, end).ok());
        model_.erase(model_.lower_bound(key), model_.lower_bound(end));
      }
    } else if (what < 93) {
      Flush();
    } else if (what < 95) {
      Compact();
    } else if (what < 97 && kept.size() < 3) {
      kept.push_back({db_->GetSnapshot(), model_});
    } else if (what < 98 && !kept.empty()) {
      ExpectContents(kept.front().contents, kept.front().snapshot);
      db_->ReleaseSnapshot(kept.front().snapshot);
      kept.erase(kept.begin());
    } else if (what < 99) {
      const auto found = model_.find(key);
      ASSERT_EQ(Get(key), found == model_.end() ? "NOT_FOUND" : found->second) << key;
    } else if (kept.empty()) {
      if (random.Uniform(2) == 0) {
        Kill();
      }
      options.enable_blob_files = random.Uniform(4) != 0;
      Open(options);
    }
  }
  ExpectModel();
  for (const Kept& one : kept) {
    ExpectContents(one.contents, one.snapshot);
    db_->ReleaseSnapshot(one.snapshot);
  }
  ASSERT_TRUE(db_->VerifyChecksum().ok());
  // What is garbage has been counted so well that collecting all leaves just what is there.
  ASSERT_TRUE(db_->SetOptions({{"enable_blob_files", "true"}, {"min_blob_size", "1"}}).ok());
  WaitForCompactions();
  CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0);
  WaitForCompactions();
  ExpectModel();
  uint64_t live = 0;
  for (const auto& [k, value] : model_) live += !value.empty();
  if (options.blob_file_starting_level <= 1) ExpectAccounts(live);
}

}  // namespace
}  // namespace cairn::testing
