// Values in blob files: where they go, what reads show, what is counted and collected.
#include <mutex>

#include "blob_fixture.h"
#include "checkpoints.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/metadata.h"

namespace conformance {
namespace {

TEST_F(BlobTest, LargeValuesGoToBlobFiles) {
  Open();
  Fill(0, 5, 'a');
  Fill(5, 10, 'b', 9);
  Fill(10, 11, 'c', 10);
  ASSERT_OK(Put("empty", ""));
  const std::string before = Contents();
  ASSERT_OK(Flush());
  EXPECT_EQ(1u, Blobs().size());
  EXPECT_EQ("6/0", Accounts());
  EXPECT_EQ(before, Contents());
  EXPECT_EQ(std::string(100, 'a'), Get(Key(3)));
  Open();
  EXPECT_EQ(before, Contents());
  options_.enable_blob_files = false;
  Open();
  EXPECT_EQ(before, Contents());
}

TEST_F(BlobTest, MetadataAndPropertiesSayWhatIsThere) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  Fill(0, 3, 'b');
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(&metadata);
  ASSERT_EQ(2u, metadata.blob_files.size());
  EXPECT_EQ(2u, metadata.blob_file_count);
  const BlobMetaData& file = metadata.blob_files[0];
  const uint64_t record = 32 + 9 + 100;
  EXPECT_EQ(5u, file.total_blob_count);
  EXPECT_EQ(5 * record, file.total_blob_bytes);
  EXPECT_EQ(3u, file.garbage_blob_count);
  EXPECT_EQ(3 * record, file.garbage_blob_bytes);
  EXPECT_EQ(62 + 5 * record, file.blob_file_size);
  EXPECT_EQ("/" + Blobs()[0], file.blob_file_name);
  EXPECT_EQ(dir_, file.blob_file_path);
  uint64_t size = 0;
  ASSERT_OK(TheEnv()->GetFileSize(dir_ + file.blob_file_name, &size));
  EXPECT_EQ(size, file.blob_file_size);
  EXPECT_EQ(124 + 8 * record, metadata.blob_file_size);
  EXPECT_EQ(2u, IntProperty("rocksdb.num-blob-files"));
  EXPECT_EQ(metadata.blob_file_size, IntProperty("rocksdb.live-blob-file-size"));
  EXPECT_EQ(metadata.blob_file_size, IntProperty("rocksdb.total-blob-file-size"));
  EXPECT_EQ(3 * record, IntProperty("rocksdb.live-blob-file-garbage-size"));
  EXPECT_EQ(
      "Number of blob files: 2\nTotal size of blob files: 1252\nTotal size of garbage in blob "
      "files: 423\nBlob file space amplification: 1.51025\n",
      Property("rocksdb.blob-stats"));
  EXPECT_EQ("UNKNOWN", Property("rocksdb.blob-cache-usage"));
  std::vector<LiveFileMetaData> tables;
  db_->GetLiveFilesMetaData(&tables);
  ASSERT_EQ(1u, tables.size());
  EXPECT_EQ(file.blob_file_number, tables[0].oldest_blob_file_number);
}

TEST_F(BlobTest, FilesEndAtTheirSize) {
  options_.blob_file_size = 300;
  Open();
  Fill(0, 7, 'a');
  ASSERT_OK(Flush());
  EXPECT_EQ("2/0 2/0 2/0 1/0", Accounts());
}

TEST_F(BlobTest, CompressedValuesAreStoredWhateverTheirSize) {
  options_.blob_compression_type = kLZ4Compression;
  Open();
  Numbers numbers(7);
  std::map<std::string, std::string> model;
  for (int i = 0; i < 20; i++) {
    const std::string value = i % 2 == 0 ? numbers.Bytes(50) : std::string(500, 'x');
    model[Key(i)] = value;
    ASSERT_OK(Put(Key(i), value));
  }
  ASSERT_OK(Flush());
  EXPECT_EQ("20/0", Accounts());
  options_.blob_compression_type = kSnappyCompression;
  Open();
  for (const auto& [key, value] : model) EXPECT_EQ(value, Get(key));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ("20/0", Accounts());
  for (const auto& [key, value] : model) EXPECT_EQ(value, Get(key));
}

TEST_F(BlobTest, GarbageIsCountedAndAnEmptyFileGoes) {
  Open();
  Fill(0, 10, 'a');
  ASSERT_OK(Flush());
  Fill(0, 4, 'b');
  ASSERT_OK(Delete(Key(4)));
  ASSERT_OK(Flush());
  EXPECT_EQ("10/0 4/0", Accounts());
  ASSERT_OK(Compact());
  EXPECT_EQ("10/5 4/0", Accounts());
  for (int i = 5; i < 10; i++) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Compact());
  EXPECT_EQ("4/0", Accounts());
  EXPECT_EQ(1u, Blobs().size());
  Open();
  EXPECT_EQ("4/0", Accounts());
}

TEST_F(BlobTest, TheCutoffSaysHowManyFilesAreCollected) {
  options_.enable_blob_garbage_collection = true;
  options_.blob_garbage_collection_age_cutoff = 0.5;
  Open();
  for (int i = 0; i < 4; i++) {
    Fill(i * 5, i * 5 + 5, static_cast<char>('a' + i));
    ASSERT_OK(Flush());
  }
  const std::vector<std::string> before = Blobs();
  const std::string contents = Contents();
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kUseDefault));
  EXPECT_EQ("5/0 5/0 10/0", Accounts());
  EXPECT_EQ(10u, Ticks(BLOB_DB_GC_NUM_KEYS_RELOCATED));
  EXPECT_EQ(10u * 100, Ticks(BLOB_DB_GC_BYTES_RELOCATED));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kDisable, 1.0));
  EXPECT_EQ("5/0 5/0 10/0", Accounts());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ("20/0", Accounts());
  EXPECT_EQ(contents, Contents());
}

TEST_F(BlobTest, CollectedValuesReturnToTablesWithoutBlobFiles) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(db_->SetOptions({{"enable_blob_files", "false"}}));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ("", Accounts());
  EXPECT_EQ(0u, Blobs().size());
  EXPECT_EQ(std::string(100, 'a'), Get(Key(3)));
}

TEST_F(BlobTest, TheStartingLevelHoldsFlushesBack) {
  options_.blob_file_starting_level = 1;
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  EXPECT_EQ("", Accounts());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kUseDefault));
  // (A single table is moved.)
  Fill(0, 5, 'b');
  ASSERT_OK(Flush());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kUseDefault));
  EXPECT_EQ("5/0", Accounts());
  EXPECT_EQ(std::string(100, 'b'), Get(Key(3)));
}

TEST_F(BlobTest, SnapshotsKeepWhatTheySee) {
  options_.enable_blob_garbage_collection = true;
  options_.blob_garbage_collection_age_cutoff = 1.0;
  Open();
  Fill(0, 5, 'a');
  const Snapshot* const snapshot = db_->GetSnapshot();
  Fill(0, 5, 'b');
  ASSERT_OK(Flush());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kUseDefault));
  EXPECT_EQ(std::string(100, 'a'), Get(Key(2), snapshot));
  EXPECT_EQ(std::string(100, 'b'), Get(Key(2)));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(BlobTest, MergesStandOnBlobs) {
  ASSERT_OK(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  Open();
  Fill(0, 3, 'a', 20);
  ASSERT_OK(Flush());
  for (int i = 0; i < 3; i++) ASSERT_OK(db_->Merge(WriteOptions(), Key(i), "x"));
  const std::string expected = std::string(20, 'a') + ",x";
  EXPECT_EQ(expected, Get(Key(1)));
  const std::string contents = Contents();
  ASSERT_OK(Flush());
  EXPECT_EQ(expected, Get(Key(1)));
  EXPECT_EQ(contents, Contents());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kUseDefault));
  EXPECT_EQ(expected, Get(Key(1)));
  EXPECT_EQ(contents, Contents());
  EXPECT_EQ("3/0", Accounts());
}

TEST_F(BlobTest, WhatMayNotBeReadIsIncomplete) {
  options_.blob_cache = NewLRUCache(1 << 20);
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  EXPECT_EQ(std::string(100, 'a'), Get(Key(1)));
  EXPECT_EQ(1u, Ticks(BLOB_DB_CACHE_ADD));
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  std::string value;
  EXPECT_OK(db_->Get(cached, Key(1), &value));
  EXPECT_EQ(1u, Ticks(BLOB_DB_CACHE_HIT));
  EXPECT_CODE(Incomplete, db_->Get(cached, Key(2), &value));
  const std::unique_ptr<Iterator> it(db_->NewIterator(cached));
  it->Seek(Key(1));
  EXPECT_TRUE(it->Valid());
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(Incomplete, it->status());
}

TEST_F(BlobTest, FlushesFillTheCache) {
  options_.blob_cache = NewLRUCache(1 << 20);
  options_.prepopulate_blob_cache = PrepopulateBlobCache::kFlushOnly;
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  EXPECT_EQ(5u, Ticks(BLOB_DB_CACHE_ADD));
  for (int i = 0; i < 5; i++) EXPECT_EQ(std::string(100, 'a'), Get(Key(i)));
  EXPECT_EQ(5u, Ticks(BLOB_DB_CACHE_HIT));
  EXPECT_EQ(0u, Ticks(BLOB_DB_CACHE_MISS));
}

TEST_F(BlobTest, MultiGetMixesTablesAndBlobs) {
  Open();
  Fill(0, 5, 'a');
  Fill(5, 8, 'b', 3);
  ASSERT_OK(Flush());
  Fill(8, 9, 'c');
  std::vector<std::string> names;
  for (int i = 0; i < 10; i++) names.push_back(Key(i));
  std::vector<Slice> keys(names.begin(), names.end());
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), keys, &values);
  for (int i = 0; i < 9; i++) {
    EXPECT_OK(statuses[i]);
    EXPECT_EQ(Get(Key(i)), values[i]);
  }
  EXPECT_TRUE(statuses[9].IsNotFound());
}

class KeyFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "KeyFilter"; }
  Decision FilterV2(int, const Slice& key, ValueType type, const Slice& value,
                    std::string* new_value, std::string*) const override {
    EXPECT_EQ(ValueType::kValue, type);
    EXPECT_EQ(100u, value.size());
    const char last = key[key.size() - 1];
    if (last == '1') return Decision::kRemove;
    if (last != '2') return Decision::kKeep;
    *new_value = value.ToString() + "!";
    return Decision::kChangeValue;
  }
  Decision FilterBlobByKey(int, const Slice& key, std::string* new_value,
                           std::string*) const override {
    const char last = key[key.size() - 1];
    if (last == '3') return Decision::kRemove;
    if (last != '4') return Decision::kUndetermined;
    *new_value = "new";
    return Decision::kChangeValue;
  }
};

TEST_F(BlobTest, FiltersDecideByKeyOrByValue) {
  const KeyFilter filter;
  options_.compaction_filter = &filter;
  Open();
  Fill(0, 6, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  const std::string a(100, 'a');
  EXPECT_EQ(Key(0) + "=" + a + "," + Key(2) + "=" + a + "!," + Key(4) + "=new," + Key(5) + "=" + a,
            Contents());
  EXPECT_EQ("6/4 1/0", Accounts());
}

TEST_F(BlobTest, DamageIsToldOf) {
  Open();
  Fill(0, 1, 'a');
  ASSERT_OK(Flush());
  Shut();
  const std::string path = dir_ + "/" + Blobs()[0];
  std::string good;
  ASSERT_OK(ReadFileToString(TheEnv(), path, &good));
  const auto with = [&](const std::string& bytes) {
    Shut();
    EXPECT_OK(WriteStringToFile(TheEnv(), bytes, path));
    Open();
    return Get(Key(0));
  };
  std::string flipped = good;
  flipped[90] ^= 1;
  EXPECT_EQ("CORRUPTION", with(flipped));
  EXPECT_EQ("CORRUPTION", with(good.substr(0, good.size() - 1)));
  EXPECT_EQ("CORRUPTION", with(good.substr(0, 20)));
  std::string other = good;
  other[13] = kZSTD;
  EXPECT_EQ("CORRUPTION", with(other));
  other = good;
  other[8] = 5;
  EXPECT_EQ("CORRUPTION", with(other));
  EXPECT_EQ(std::string(100, 'a'), with(good));
  Shut();
  ASSERT_OK(TheEnv()->DeleteFile(path));
  Open();
  std::string value;
  EXPECT_CODE(IOError, db_->Get(ReadOptions(), Key(0), &value));
}

TEST_F(BlobTest, CheckpointsHaveThem) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  Fill(5, 7, 'b');
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/copy"));
  const std::string contents = Contents();
  std::vector<std::string> files;
  uint64_t manifest_size = 0;
  ASSERT_OK(db_->GetLiveFiles(files, &manifest_size));
  for (const std::string& blob : Blobs()) {
    EXPECT_EQ(1, std::count(files.begin(), files.end(), "/" + blob)) << blob;
  }
  Shut();
  dir_ = root_ + "/copy";
  Open();
  EXPECT_EQ(contents, Contents());
}

TEST_F(BlobTest, OptionsThatMakeNoSenseAreRefused) {
  options_.enable_blob_garbage_collection = true;
  options_.blob_garbage_collection_age_cutoff = 1.1;
  EXPECT_CODE(InvalidArgument, TryOpen());
  options_.blob_garbage_collection_age_cutoff = 0.5;
  options_.blob_garbage_collection_force_threshold = -1;
  EXPECT_CODE(InvalidArgument, TryOpen());
  options_.blob_garbage_collection_force_threshold = 1;
  Open();
  ASSERT_OK(db_->SetOptions({{"min_blob_size", "5"},
                             {"blob_file_size", "1000"},
                             {"blob_compression_type", "kLZ4Compression"},
                             {"blob_garbage_collection_age_cutoff", "0.3"},
                             {"blob_garbage_collection_force_threshold", "0.4"},
                             {"blob_compaction_readahead_size", "4096"},
                             {"blob_file_starting_level", "2"},
                             {"prepopulate_blob_cache", "kFlushOnly"}}));
  const Options now = db_->GetOptions();
  EXPECT_EQ(5u, now.min_blob_size);
  EXPECT_EQ(kLZ4Compression, now.blob_compression_type);
  EXPECT_EQ(2, now.blob_file_starting_level);
  EXPECT_EQ(PrepopulateBlobCache::kFlushOnly, now.prepopulate_blob_cache);
}

using Mutex = std::mutex;  // style: RocksDB runs here, too

class Listener : public EventListener {
 public:
  void OnBlobFileCreated(const BlobFileCreationInfo& info) override {
    Note("created " + std::to_string(info.total_blob_count) + " " +
         std::to_string(static_cast<int>(info.reason)) + " " + info.status.ToString());
  }
  void OnBlobFileDeleted(const BlobFileDeletionInfo& info) override {
    Note("deleted " + info.status.ToString());
  }
  void OnFlushCompleted(DB*, const FlushJobInfo& info) override {
    Note("flushed " + std::to_string(info.blob_file_addition_infos.size()) + " " +
         std::to_string(info.oldest_blob_file_number != 0));
  }
  // In no order: they come from several threads.
  std::multiset<std::string> told() {
    const std::lock_guard<Mutex> lock(mutex_);
    return told_;
  }

 private:
  void Note(const std::string& text) {
    const std::lock_guard<Mutex> lock(mutex_);
    told_.insert(text);
  }

  Mutex mutex_;
  std::multiset<std::string> told_;
};

TEST_F(BlobTest, ListenersHearOfThem) {
  const auto listener = std::make_shared<Listener>();
  options_.listeners.push_back(listener);
  options_.enable_blob_garbage_collection = true;
  options_.blob_garbage_collection_age_cutoff = 1.0;
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce));
  Shut();
  const std::multiset<std::string> expected = {"created 5 0 OK", "flushed 1 1", "created 5 1 OK",
                                               "deleted OK"};
  EXPECT_EQ(expected, listener->told());
}

}  // namespace
}  // namespace conformance
