// Values in blob files as all of a database's calls see them, and what each call does to the files.
#include "blob_fixture.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/db_ttl.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"

namespace conformance {
namespace {

class BlobReadsTest : public BlobTest {
 protected:
  BlobReadsTest() {
    EXPECT_OK(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  }
  static std::string Value(char c) { return std::string(100, c); }
  // Of each blob file: where it lies.
  std::vector<std::string> Places() {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::vector<std::string> places;
    for (const BlobMetaData& file : metadata.blob_files) places.push_back(file.blob_file_path);
    return places;
  }
};

TEST_F(BlobReadsTest, OperandsAreListedWithTheirBase) {
  Open();
  Fill(0, 2, 'a', 20);
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Merge(WriteOptions(), Key(0), "x"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Merge(WriteOptions(), Key(0), std::string(30, 'y')));
  GetMergeOperandsOptions options;
  options.expected_max_number_of_operands = 3;
  for (int round = 0; round < 2; round++) {
    std::vector<PinnableSlice> operands(3);
    int count = 0;
    ASSERT_OK(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), Key(0),
                                    operands.data(), &options, &count));
    ASSERT_EQ(3, count);
    EXPECT_EQ(std::string(20, 'a'), operands[0].ToString());
    EXPECT_EQ("x", operands[1].ToString());
    EXPECT_EQ(std::string(30, 'y'), operands[2].ToString());
    ASSERT_OK(Flush());
  }
  EXPECT_EQ("2/0", Accounts()) << "operands go to no blob file";
}

TEST_F(BlobReadsTest, AnOpenIteratorReadsWhatWasCollectedSince) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  Fill(0, 5, 'b');
  ASSERT_OK(Flush());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ("5/0", Accounts());
  for (int i = 0; i < 5; i++, it->Next()) {
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(Value('a'), it->value());
  }
  it->SeekForPrev(Key(3));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Value('a'), it->value());
  ASSERT_OK(it->Refresh());
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Value('b'), it->value());
}

TEST_F(BlobReadsTest, WhatAnIteratorHoldsIsInTheTotalAlone) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  const uint64_t one = IntProperty("rocksdb.live-blob-file-size");
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ(one, IntProperty("rocksdb.live-blob-file-size"));
  EXPECT_EQ(2 * one, IntProperty("rocksdb.total-blob-file-size"));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Value('a'), it->value());
  it.reset();
  Open();
  EXPECT_EQ(one, IntProperty("rocksdb.total-blob-file-size"));
}

TEST_F(BlobReadsTest, LiveDataIsTheirsToo) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  const uint64_t record = 32 + 9 + 100;
  EXPECT_EQ(IntProperty("rocksdb.live-sst-files-size") + 5 * record,
            IntProperty("rocksdb.estimate-live-data-size"));
  for (int i = 0; i < 3; i++) ASSERT_OK(Delete(Key(i)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("5/3", Accounts());
  EXPECT_EQ(IntProperty("rocksdb.live-sst-files-size") + 2 * record,
            IntProperty("rocksdb.estimate-live-data-size"));
}

TEST_F(BlobReadsTest, TheCachesPropertiesTellOfIt) {
  LRUCacheOptions cache;
  cache.capacity = 1 << 20;
  cache.num_shard_bits = 0;
  options_.blob_cache = NewLRUCache(cache);
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  EXPECT_EQ(uint64_t{1} << 20, IntProperty("rocksdb.blob-cache-capacity"));
  EXPECT_EQ(0u, IntProperty("rocksdb.blob-cache-usage"));
  PinnableSlice value;
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), Key(0), &value));
  EXPECT_GE(IntProperty("rocksdb.blob-cache-usage"), 100u);
  EXPECT_EQ(IntProperty("rocksdb.blob-cache-usage"),
            IntProperty("rocksdb.blob-cache-pinned-usage"));
  value.Reset();
  EXPECT_EQ(0u, IntProperty("rocksdb.blob-cache-pinned-usage"));
  ReadOptions aside;
  aside.fill_cache = false;
  std::string bytes;
  ASSERT_OK(db_->Get(aside, Key(1), &bytes));
  EXPECT_EQ(1u, Ticks(BLOB_DB_CACHE_ADD));
  ASSERT_OK(db_->Get(ReadOptions(), Key(1), &bytes));
  EXPECT_EQ(2u, Ticks(BLOB_DB_CACHE_ADD));
  EXPECT_EQ(3u, Ticks(BLOB_DB_CACHE_MISS));
}

TEST_F(BlobReadsTest, BytesAreCounted) {
  Open();
  Fill(0, 4, 'a');
  ASSERT_OK(Flush());
  uint64_t size = 0;
  ASSERT_OK(TheEnv()->GetFileSize(dir_ + "/" + Blobs()[0], &size));
  EXPECT_EQ(size, Ticks(BLOB_DB_BLOB_FILE_BYTES_WRITTEN));
  EXPECT_EQ(1u, Ticks(BLOB_DB_BLOB_FILE_SYNCED));
  SetPerfLevel(PerfLevel::kEnableTimeExceptForMutex);
  get_perf_context()->Reset();
  EXPECT_EQ(Value('a'), Get(Key(1)));
  EXPECT_EQ(1u, get_perf_context()->blob_read_count);
  EXPECT_EQ(100u + 32 + 9, get_perf_context()->blob_read_byte);
  std::string value;
  ReadOptions blind;
  blind.verify_checksums = false;
  ASSERT_OK(db_->Get(blind, Key(1), &value));
  EXPECT_EQ(2u, get_perf_context()->blob_read_count);
  EXPECT_EQ(200u + 32 + 9, get_perf_context()->blob_read_byte);
  SetPerfLevel(PerfLevel::kDisable);
}

TEST_F(BlobReadsTest, OptionsChangeWhatTheNextFlushDoes) {
  Open();
  Fill(0, 4, 'a');
  ASSERT_OK(db_->SetOptions({{"min_blob_size", "101"}}));
  ASSERT_OK(Flush());
  EXPECT_EQ("", Accounts());
  Fill(0, 4, 'b');
  ASSERT_OK(db_->SetOptions({{"min_blob_size", "100"}, {"blob_file_size", "300"}}));
  ASSERT_OK(Flush());
  EXPECT_EQ("2/0 2/0", Accounts());
  Fill(0, 4, 'c');
  ASSERT_OK(db_->SetOptions(
      {{"blob_file_size", "1000000"}, {"blob_compression_type", "kZlibCompression"}}));
  const uint64_t before = IntProperty("rocksdb.live-blob-file-size");
  ASSERT_OK(Flush());
  EXPECT_LT(IntProperty("rocksdb.live-blob-file-size") - before, 4 * 90u);
  EXPECT_EQ(Value('c'), Get(Key(3)));
  Fill(0, 4, 'd');
  ASSERT_OK(db_->SetOptions({{"enable_blob_files", "false"}}));
  ASSERT_OK(Flush());
  EXPECT_EQ("2/0 2/0 4/0", Accounts());
  EXPECT_EQ(Value('d'), Get(Key(3)));
  EXPECT_CODE(InvalidArgument, db_->SetOptions({{"min_blob_size", "few"}}));
}

TEST_F(BlobReadsTest, StorageInfoNamesThem) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open();
  Fill(0, 4, 'a');
  ASSERT_OK(Flush());
  LiveFilesStorageInfoOptions options;
  options.include_checksum_info = true;
  std::vector<LiveFileStorageInfo> files;
  ASSERT_OK(db_->GetLiveFilesStorageInfo(options, &files));
  int blobs = 0;
  for (const LiveFileStorageInfo& file : files) {
    if (file.file_type != kBlobFile) continue;
    blobs++;
    EXPECT_EQ(Blobs()[0], file.relative_filename);
    EXPECT_EQ(dir_, file.directory);
    EXPECT_EQ(62u + 4 * (32 + 9 + 100), file.size);
    EXPECT_EQ("FileChecksumCrc32c", file.file_checksum_func_name);
    EXPECT_EQ(4u, file.file_checksum.size());
  }
  EXPECT_EQ(1, blobs);
}

TEST_F(BlobReadsTest, ChecksumsOfFilesAreThoseOfBlobFilesToo) {
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Open();
  Fill(0, 4, 'a');
  ASSERT_OK(Flush());
  std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  ASSERT_OK(db_->GetLiveFilesChecksumInfo(list.get()));
  EXPECT_EQ(2u, list->size());
  ASSERT_OK(db_->VerifyFileChecksums(ReadOptions()));
  FlipByte(Blobs()[0], 70);
  EXPECT_CODE(Corruption, db_->VerifyFileChecksums(ReadOptions()));
}

TEST_F(BlobReadsTest, ADatabaseOpenForReadingHasThem) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  Fill(5, 7, 'b');
  const std::string contents = Contents();
  Shut();
  options_.enable_blob_files = false;
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ(contents, Contents());
  EXPECT_EQ(Value('a'), Get(Key(2)));
  EXPECT_EQ("5/0", Accounts());
  EXPECT_CODE(NotSupported, Put(Key(9), Value('c')));
}

TEST_F(BlobReadsTest, IngestedValuesStayInTheirTableUntilACompaction) {
  Open();
  Fill(0, 3, 'a');
  ASSERT_OK(Flush());
  SstFileWriter writer(EnvOptions(), options_);
  const std::string path = root_ + "/outside.sst";
  ASSERT_OK(writer.Open(path));
  for (int i = 1; i < 5; i++) ASSERT_OK(writer.Put(Key(i), Value('b')));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({path}, IngestExternalFileOptions()));
  EXPECT_EQ("3/0", Accounts());
  EXPECT_EQ(Value('a'), Get(Key(0)));
  EXPECT_EQ(Value('b'), Get(Key(2)));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kDisable));
  EXPECT_EQ("3/2 4/0", Accounts());
  EXPECT_EQ(Value('b'), Get(Key(2)));
}

// Removes from key 1 up to key 3 at once, by the values that lie in blob files.
class SkippingFilter : public CompactionFilter {
 public:
  const char* Name() const override { return "SkippingFilter"; }
  Decision FilterV2(int, const Slice& key, ValueType, const Slice& value, std::string*,
                    std::string* skip_until) const override {
    EXPECT_EQ(100u, value.size());
    if (key != Key(1)) return Decision::kKeep;
    *skip_until = Key(3);
    return Decision::kRemoveAndSkipUntil;
  }
};

TEST_F(BlobReadsTest, WhatAFilterSkipsIsGarbage) {
  const SkippingFilter filter;
  options_.compaction_filter = &filter;
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("5/2", Accounts());
  EXPECT_EQ(
      Key(0) + "=" + Value('a') + "," + Key(3) + "=" + Value('a') + "," + Key(4) + "=" + Value('a'),
      Contents());
}

TEST_F(BlobReadsTest, DeletedRangesAndSingleDeletionsLeaveGarbage) {
  Open();
  Fill(0, 10, 'a');
  ASSERT_OK(Flush());
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(2), Key(5)));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), Key(7)));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("10/0", Accounts()) << "a snapshot has them";
  EXPECT_EQ(Value('a'), Get(Key(3), snapshot));
  EXPECT_EQ("NOT_FOUND", Get(Key(3)));
  db_->ReleaseSnapshot(snapshot);
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kDisable));
  EXPECT_EQ("10/4", Accounts());
  EXPECT_EQ("NOT_FOUND", Get(Key(7)));
  EXPECT_EQ(Value('a'), Get(Key(8)));
}

TEST_F(BlobReadsTest, FilesOfADroppedRangeGoWithItsTables) {
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  Fill(10, 15, 'b');
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ(2u, Blobs().size());
  const std::string begin = Key(0), end = Key(7);
  const Slice first(begin), last(end);
  ASSERT_OK(DeleteFilesInRange(db_, db_->DefaultColumnFamily(), &first, &last));
  EXPECT_EQ("5/0", Accounts());
  EXPECT_EQ(1u, Blobs().size());
  EXPECT_EQ("NOT_FOUND", Get(Key(2)));
  EXPECT_EQ(Value('b'), Get(Key(12)));
}

TEST_F(BlobReadsTest, ADroppedFamilyTakesThemWithIt) {
  Open();
  ColumnFamilyHandle* family = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(ColumnFamilyOptions(options_), "other", &family));
  Fill(0, 3, 'a');
  for (int i = 0; i < 4; i++) {
    ASSERT_OK(db_->Put(WriteOptions(), family, Key(i), Value('b')));
  }
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Flush(FlushOptions(), family));
  EXPECT_EQ("3/0", Accounts()) << "each family has its own";
  EXPECT_EQ(2u, Blobs().size());
  ASSERT_OK(db_->DropColumnFamily(family));
  std::string value;
  EXPECT_OK(db_->Get(ReadOptions(), family, Key(1), &value));
  EXPECT_EQ(Value('b'), value);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(family));
  EXPECT_EQ(1u, Blobs().size());
  EXPECT_EQ(Value('a'), Get(Key(1)));
}

TEST_F(BlobReadsTest, ARecoveryWritesThemToo) {
  options_.avoid_flush_during_shutdown = true;
  Open();
  Fill(0, 5, 'a');
  Open();
  EXPECT_EQ("5/0", Accounts());
  EXPECT_EQ(1, FilesAtLevel(0));
  EXPECT_EQ(Value('a'), Get(Key(2)));
}

TEST_F(BlobReadsTest, EntitiesStayInTables) {
  Open();
  ASSERT_OK(db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), "e",
                           {{"", Value('a')}, {"column", Value('b')}}));
  Fill(0, 1, 'c');
  ASSERT_OK(Flush());
  EXPECT_EQ("1/0", Accounts());
  PinnableWideColumns columns;
  ASSERT_OK(db_->GetEntity(ReadOptions(), db_->DefaultColumnFamily(), "e", &columns));
  EXPECT_EQ((WideColumns{{"", Value('a')}, {"column", Value('b')}}), columns.columns());
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(0));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ((WideColumns{{"", Value('c')}}), it->columns()) << "as an entity of one column";
}

TEST_F(BlobReadsTest, TheyLieInTheFirstPath) {
  ASSERT_OK(TheEnv()->CreateDirIfMissing(root_ + "/first"));
  ASSERT_OK(TheEnv()->CreateDirIfMissing(root_ + "/second"));
  options_.cf_paths = {{root_ + "/first", 1}, {root_ + "/second", uint64_t{1} << 30}};
  Open();
  Fill(0, 5, 'a');
  ASSERT_OK(Flush());
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ((std::vector<std::string>{root_ + "/first"}), Places());
  EXPECT_EQ(1u, FilesEndingIn(".blob", root_ + "/first").size());
  EXPECT_TRUE(Blobs().empty());
  Open();
  EXPECT_EQ(Value('a'), Get(Key(3)));
}

TEST_F(BlobReadsTest, TransactionsReadAndLockThem) {
  TransactionDB* db = nullptr;
  ASSERT_OK(TransactionDB::Open(options_, TransactionDBOptions(), dir_, &db));
  db_ = db;
  Fill(0, 3, 'a');
  ASSERT_OK(Flush());
  const std::unique_ptr<Transaction> transaction(db->BeginTransaction(WriteOptions()));
  std::string value;
  ASSERT_OK(transaction->GetForUpdate(ReadOptions(), Key(1), &value));
  EXPECT_EQ(Value('a'), value);
  ASSERT_OK(transaction->Put(Key(1), Value('b')));
  ASSERT_OK(transaction->Merge(Key(2), "x"));
  ASSERT_OK(transaction->Get(ReadOptions(), Key(2), &value));
  EXPECT_EQ(Value('a') + ",x", value);
  const std::unique_ptr<Iterator> it(transaction->GetIterator(ReadOptions()));
  EXPECT_EQ(Key(0) + "=" + Value('a') + "," + Key(1) + "=" + Value('b') + "," + Key(2) + "=" +
                Value('a') + ",x",
            BothWays(it.get()));
  ASSERT_OK(transaction->Commit());
  ASSERT_OK(Flush());
  EXPECT_EQ(Value('b'), Get(Key(1)));
}

TEST_F(BlobReadsTest, UniversalCompactionsCollectThem) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.enable_blob_garbage_collection = true;
  options_.blob_garbage_collection_age_cutoff = 0.5;
  Open();
  for (int i = 0; i < 4; i++) {
    Fill(0, 5, static_cast<char>('a' + i));
    ASSERT_OK(Flush());
  }
  EXPECT_EQ("5/0 5/0 5/0 5/0", Accounts());
  ASSERT_OK(Compact());
  EXPECT_EQ("5/0", Accounts());
  EXPECT_EQ(Value('d'), Get(Key(2)));
}

TEST_F(BlobReadsTest, SmallerValuesReturnToTablesWhenTheyAreCollected) {
  Open();
  Fill(0, 4, 'a', 50);
  Fill(4, 8, 'b', 200);
  ASSERT_OK(Flush());
  EXPECT_EQ("8/0", Accounts());
  ASSERT_OK(db_->SetOptions({{"min_blob_size", "60"}}));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kForce, 1.0));
  EXPECT_EQ("4/0", Accounts());
  EXPECT_EQ(std::string(50, 'a'), Get(Key(1)));
  EXPECT_EQ(std::string(200, 'b'), Get(Key(5)));
}

TEST_F(BlobReadsTest, ValuesThatExpireGoWithTheirTime) {
  DBWithTTL* db = nullptr;
  ASSERT_OK(DBWithTTL::Open(options_, dir_, &db, 100));
  db_ = db;
  Fill(0, 3, 'a');
  // Of 2014.
  const std::string old = Value('b') + std::string("\x00\x4e\x72\x53", 4);
  ASSERT_OK(db->GetBaseDB()->Put(WriteOptions(), Key(1), old));
  ASSERT_OK(Flush());
  EXPECT_EQ("3/0", Accounts());
  EXPECT_EQ(Value('b'), Get(Key(1)));
  ASSERT_OK(CompactWith(BlobGarbageCollectionPolicy::kDisable));
  EXPECT_EQ("3/1", Accounts());
  EXPECT_EQ("NOT_FOUND", Get(Key(1)));
  EXPECT_EQ(Value('a'), Get(Key(2)));
}

}  // namespace
}  // namespace conformance
