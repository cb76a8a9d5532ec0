// Timestamps that are in memtables and logs alone: persist_user_defined_timestamps = false.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "db/testing/db_fixture.h"
#include "db/testing/timestamps.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn::testing {
namespace {

class DbBareKeysTest : public DbTest {
 protected:
  Options BareOptions(const Comparator* comparator = BytewiseComparatorWithU64Ts()) {
    Options options = SmallOptions();
    options.comparator = comparator;
    options.persist_user_defined_timestamps = false;
    options.allow_concurrent_memtable_write = false;
    return options;
  }
  Options PlainOptions() {
    Options options = SmallOptions();
    options.allow_concurrent_memtable_write = false;
    return options;
  }
  void PutAt(const std::string& key, uint64_t ts, const std::string& value) {
    const Status s = db_->Put(WriteOptions(), key, Ts(ts), value);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void DeleteAt(const std::string& key, uint64_t ts) {
    const Status s = db_->Delete(WriteOptions(), key, Ts(ts));
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // The value and its timestamp, "NOT_FOUND", or "TOO_OLD" for one below the mark.
  std::string GetAt(const std::string& key, uint64_t ts, const Snapshot* snapshot = nullptr) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    options.snapshot = snapshot;
    std::string value, found;
    const Status s = db_->Get(options, key, &value, &found);
    if (s.IsNotFound()) return "NOT_FOUND";
    if (s.IsInvalidArgument()) return "TOO_OLD";
    uint64_t number = 0;
    EXPECT_EQ(s.ok(), DecodeU64Ts(found, &number).ok());
    return s.ok() ? value + "@" + std::to_string(number) : s.ToString();
  }
  // "a=1,b=2" as a scan at `ts` shows it, and the same backwards.
  std::string ScanAt(uint64_t ts) {
    const std::string stamp = Ts(ts);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    options.total_order_seek = true;
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string forward, backward;
    const auto text = [&] { return it->key().ToString() + "=" + it->value().ToString() + ","; };
    for (it->SeekToFirst(); it->Valid(); it->Next()) forward += text();
    for (it->SeekToLast(); it->Valid(); it->Prev()) backward = text() + backward;
    EXPECT_EQ(forward, backward);
    return it->status().ok() ? forward : it->status().ToString();
  }
  Status RaiseLow(uint64_t ts) {
    return db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Ts(ts));
  }
  // The mark below which nobody reads; "" where there is none.
  std::string Low() {
    std::string low;
    const Status s = db_->GetFullHistoryTsLow(db_->DefaultColumnFamily(), &low);
    EXPECT_TRUE(s.ok()) << s.ToString();
    uint64_t number = 0;
    if (low.empty()) return "";
    EXPECT_TRUE(DecodeU64Ts(low, &number).ok());
    return std::to_string(number);
  }
  std::string Newest() {
    std::string newest;
    const Status s = db_->GetNewestUserDefinedTimestamp(db_->DefaultColumnFamily(), &newest);
    uint64_t number = 0;
    if (!s.ok()) return s.ToString();
    if (newest.empty()) return "";
    EXPECT_TRUE(DecodeU64Ts(newest, &number).ok());
    return std::to_string(number);
  }
};

TEST_F(DbBareKeysTest, AFlushKeepsTheNewestOfEachKeyAndRaisesTheMark) {
  Open(BareOptions());
  PutAt("a", 1, "a1");
  PutAt("b", 2, "b2");
  PutAt("a", 3, "a3");
  EXPECT_EQ("", Low());
  EXPECT_EQ("a1@1", GetAt("a", 1));
  EXPECT_EQ("a1@1", GetAt("a", 2));
  EXPECT_EQ("a3@3", GetAt("a", 3));
  Flush();
  EXPECT_EQ("4", Low());
  EXPECT_EQ("TOO_OLD", GetAt("a", 3));
  EXPECT_EQ("a3@0", GetAt("a", 4));
  EXPECT_EQ("b2@0", GetAt("b", 4));
  EXPECT_EQ("a=a3,b=b2,", ScanAt(4));
  TablePropertiesCollection tables;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&tables).ok());
  ASSERT_EQ(1u, tables.size());
  EXPECT_EQ(0u, tables.begin()->second->user_defined_timestamps_persisted);
  EXPECT_EQ(2u, tables.begin()->second->num_entries);
  // What is written now has its timestamps.
  PutAt("a", 5, "a5");
  EXPECT_EQ("a3@0", GetAt("a", 4));
  EXPECT_EQ("a5@5", GetAt("a", 5));
  EXPECT_EQ("a=a5,b=b2,", ScanAt(9));
  Flush();
  EXPECT_EQ("6", Low());
  Compact();
  EXPECT_EQ("6", Low());
  EXPECT_EQ("a=a5,b=b2,", ScanAt(6));
  Open(BareOptions());
  EXPECT_EQ("6", Low());
  EXPECT_EQ("TOO_OLD", GetAt("a", 5));
  EXPECT_EQ("a5@0", GetAt("a", 6));
  EXPECT_EQ("a=a5,b=b2,", ScanAt(6));
}

TEST_F(DbBareKeysTest, TheMarkStaysAboveWhatIsWrittenBelowIt) {
  Open(BareOptions());
  ASSERT_TRUE(RaiseLow(100).ok());
  PutAt("a", 7, "a7");
  Flush();
  EXPECT_EQ("100", Low());
  EXPECT_EQ("a7@0", GetAt("a", 100));
  PutAt("a", 99, "a99");
  PutAt("b", 100, "b100");
  Flush();
  EXPECT_EQ("101", Low());
  EXPECT_EQ("a=a99,b=b100,", ScanAt(101));
}

TEST_F(DbBareKeysTest, TheLastTimestampOfAllCanBeReadAfterAFlush) {
  Open(BareOptions());
  PutAt("a", 5, "a5");
  PutAt("a", UINT64_MAX, "last");
  Flush();
  EXPECT_EQ("18446744073709551615", Low());
  EXPECT_EQ("last@0", GetAt("a", UINT64_MAX));
}

// What a timestamp that goes back comes to is the newest one, as before the flush; and the table is
// in order.
TEST_F(DbBareKeysTest, ATimestampThatGoesBackHidesNothing) {
  Open(BareOptions());
  PutAt("a", 5, "a5");
  const Snapshot* const snapshot = db_->GetSnapshot();
  PutAt("a", 3, "a3");
  PutAt("b", 1, "b1");
  EXPECT_EQ("a5@5", GetAt("a", 9));
  Flush();
  EXPECT_EQ("a5@0", GetAt("a", 9));
  EXPECT_EQ("a5@0", GetAt("a", 9, snapshot));
  EXPECT_EQ("a=a5,b=b1,", ScanAt(9));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(DbBareKeysTest, SnapshotsKeepTheirVersions) {
  Open(BareOptions());
  PutAt("a", 1, "a1");
  PutAt("b", 1, "b1");
  const Snapshot* const first = db_->GetSnapshot();
  PutAt("a", 2, "a2");
  DeleteAt("b", 2);
  const Snapshot* const second = db_->GetSnapshot();
  PutAt("a", 3, "a3");
  for (const bool compact : {false, true}) {
    if (compact) {
      Compact();
    } else {
      Flush();
    }
    EXPECT_EQ("a1@0", GetAt("a", 9, first));
    EXPECT_EQ("b1@0", GetAt("b", 9, first));
    EXPECT_EQ("a2@0", GetAt("a", 9, second));
    EXPECT_EQ("NOT_FOUND", GetAt("b", 9, second));
    EXPECT_EQ("a3@0", GetAt("a", 9));
  }
  db_->ReleaseSnapshot(first);
  db_->ReleaseSnapshot(second);
}

TEST_F(DbBareKeysTest, DeletionsHideWhatIsBelowThem) {
  Open(BareOptions());
  for (const char* key : {"w", "x", "y", "z"}) PutAt(key, 1, "old");
  Flush();
  DeleteAt("x", 5);
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "y", "z", Ts(6)).ok());
  EXPECT_EQ("w=old,x=old,y=old,z=old,", ScanAt(4));
  EXPECT_EQ("w=old,z=old,", ScanAt(6));
  Flush();
  EXPECT_EQ("7", Low());
  EXPECT_EQ("w=old,z=old,", ScanAt(7));
  EXPECT_EQ("NOT_FOUND", GetAt("y", 7));
  PutAt("y", 8, "new");
  Open(BareOptions());
  EXPECT_EQ("w=old,y=new,z=old,", ScanAt(9));
  Compact();
  EXPECT_EQ("w=old,y=new,z=old,", ScanAt(9));
  EXPECT_EQ("NOT_FOUND", GetAt("x", 9));
}

TEST_F(DbBareKeysTest, ALogHasTheTimestampsAndARecoveryFlushesIt) {
  Options options = BareOptions();
  Open(options);
  PutAt("a", 3, "a3");
  Flush();
  PutAt("a", 8, "a8");
  PutAt("b", 9, "b9");
  Kill();
  // Who only reads makes no table.
  ASSERT_TRUE(TryOpenReadOnly(options).ok());
  EXPECT_EQ("4", Low());
  EXPECT_EQ("a3@0", GetAt("a", 7));
  EXPECT_EQ("a8@8", GetAt("a", 8));
  EXPECT_EQ("9", Newest());
  Open(options);
  EXPECT_EQ("10", Low());
  EXPECT_EQ("TOO_OLD", GetAt("a", 9));
  EXPECT_EQ("a=a8,b=b9,", ScanAt(10));
  Open(options);
  EXPECT_EQ("10", Low());
  EXPECT_EQ("a=a8,b=b9,", ScanAt(10));
}

TEST_F(DbBareKeysTest, AFlushThatFailsRaisesNothing) {
  Open(BareOptions());
  PutAt("a", 1, "a1");
  PutAt("a", 2, "a2");
  disk_.faults->SetFilesystemActive(false);
  EXPECT_FALSE(db_->Flush(FlushOptions()).ok());
  disk_.faults->Heal();
  EXPECT_EQ("", Low());
  EXPECT_EQ("a1@1", GetAt("a", 1));
}

TEST_F(DbBareKeysTest, TheNewestTimestampIsTold) {
  Open(BareOptions());
  EXPECT_EQ("", Newest());
  PutAt("a", 7, "a");
  PutAt("b", 5, "b");
  EXPECT_EQ("7", Newest());
  Flush();
  EXPECT_EQ("7", Newest());
  Open(BareOptions());
  EXPECT_EQ("7", Newest());
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "c", "d", Ts(11)).ok());
  EXPECT_EQ("11", Newest());
  EXPECT_TRUE(
      db_->GetNewestUserDefinedTimestamp(db_->DefaultColumnFamily(), nullptr).IsInvalidArgument());
  ColumnFamilyOptions other;
  ColumnFamilyHandle* handle = nullptr;
  std::string newest;
  ASSERT_TRUE(db_->CreateColumnFamily(other, "plain", &handle).ok());
  EXPECT_TRUE(db_->GetNewestUserDefinedTimestamp(handle, &newest).IsInvalidArgument());
  delete handle;
  other.comparator = BytewiseComparatorWithU64Ts();
  ASSERT_TRUE(db_->CreateColumnFamily(other, "stamped", &handle).ok());
  EXPECT_TRUE(db_->GetNewestUserDefinedTimestamp(handle, &newest).IsNotSupported());
  delete handle;
}

// --- What a family may become

TEST_F(DbBareKeysTest, ThePersistenceOfAFamilyWithTimestampsStays) {
  Options options = BareOptions();
  Open(options);
  PutAt("a", 1, "a1");
  Flush();
  options.persist_user_defined_timestamps = true;
  Status s = TryOpen(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(std::string::npos, s.ToString().find("persist_user_defined_timestamps"));
  Open(BareOptions());
  EXPECT_EQ("a1@0", GetAt("a", 2));
  db_.reset();
  ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  Open(options);
  PutAt("a", 1, "a1");
  s = TryOpen(BareOptions());
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  Open(options);
  EXPECT_EQ("a1@1", GetAt("a", 1));
}

TEST_F(DbBareKeysTest, KeysGetTimestampsAndLoseThem) {
  Open(PlainOptions());
  Put("a", "a");
  Put("b", "b");
  Put("c", "c");
  Flush();
  Compact();
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "c", "d").ok());
  Delete("b");
  Put("d", "d");  // in the log
  Open(BareOptions());
  EXPECT_EQ("a@0", GetAt("a", 1));
  EXPECT_EQ("a=a,d=d,", ScanAt(1));
  PutAt("a", 5, "a5");
  PutAt("e", 6, "e6");
  EXPECT_EQ("a=a,d=d,", ScanAt(4));
  EXPECT_EQ("a=a5,d=d,e=e6,", ScanAt(6));
  Flush();
  EXPECT_EQ("a=a5,d=d,e=e6,", ScanAt(7));
  Open(BareOptions());
  EXPECT_EQ("7", Low());
  Compact();
  EXPECT_EQ("a=a5,d=d,e=e6,", ScanAt(7));
  PutAt("f", 9, "f9");
  DeleteAt("d", 9);
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b", Ts(10)).ok());
  Open(PlainOptions());
  ExpectContents({{"e", "e6"}, {"f", "f9"}});
  Put("a", "again");
  Flush();
  Compact();
  ExpectContents({{"a", "again"}, {"e", "e6"}, {"f", "f9"}});
  // (The mark of that time is gone with it.)
  Open(BareOptions());
  EXPECT_EQ("", Low());
  EXPECT_EQ("a=again,e=e6,f=f9,", ScanAt(1));
}

TEST_F(DbBareKeysTest, KeysGetTimestampsOnlyWhereTablesHaveNone) {
  Open(PlainOptions());
  Put("a", "a");
  Flush();
  Options options = BareOptions();
  options.persist_user_defined_timestamps = true;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
  EXPECT_TRUE(TryOpen(BareOptions(ReverseBytewiseComparatorWithU64Ts())).IsInvalidArgument());
  Open(PlainOptions());
  EXPECT_EQ("a", Get("a"));
  db_.reset();
  ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  Open(options);
  PutAt("a", 1, "a1");
  EXPECT_TRUE(TryOpen(PlainOptions()).IsInvalidArgument());
}

TEST_F(DbBareKeysTest, BlobsHaveTheirKeysWithThem) {
  Options options = PlainOptions();
  options.enable_blob_files = true;
  Open(options);
  Put("a", "a");
  Flush();
  const Status s = TryOpen(BareOptions());
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  Open(options);
  EXPECT_EQ("a", Get("a"));
}

TEST_F(DbBareKeysTest, ASecondaryHasTheComparatorOfItsPrimary) {
  Open(PlainOptions());
  Put("a", "a");
  Flush();
  std::unique_ptr<DB> secondary;
  Status s = DB::OpenAsSecondary(BareOptions(), kDbName, "/secondary", &secondary);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  Open(BareOptions());
  s = DB::OpenAsSecondary(BareOptions(), kDbName, "/secondary", &secondary);
  ASSERT_TRUE(s.ok()) << s.ToString();
  PutAt("a", 4, "a4");
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  db_.swap(secondary);
  EXPECT_EQ("a@0", GetAt("a", 3));
  EXPECT_EQ("a4@4", GetAt("a", 4));
  db_.swap(secondary);
  Flush();
  ASSERT_TRUE(secondary->TryCatchUpWithPrimary().ok());
  db_.swap(secondary);
  EXPECT_EQ("TOO_OLD", GetAt("a", 4));
  EXPECT_EQ("a4@0", GetAt("a", 5));
  db_.swap(secondary);
  secondary.reset();
}

// --- What is refused

TEST_F(DbBareKeysTest, OptionsThatDoNotGoTogetherAreNamed) {
  const auto refused = [this](const char* name, const auto& change) {
    Options options = BareOptions();
    change(&options);
    const Status s = TryOpen(options);
    EXPECT_TRUE(s.IsNotSupported()) << name << ": " << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find(name)) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("persist_user_defined_timestamps"));
  };
  refused("atomic_flush", [](Options* options) { options->atomic_flush = true; });
  refused("allow_concurrent_memtable_write",
          [](Options* options) { options->allow_concurrent_memtable_write = true; });
  refused("enable_blob_files", [](Options* options) { options->enable_blob_files = true; });
  // Without timestamps the option says nothing.
  Options plain = SmallOptions();
  plain.persist_user_defined_timestamps = false;
  Open(plain);
  ColumnFamilyOptions family;
  family.comparator = BytewiseComparatorWithU64Ts();
  family.persist_user_defined_timestamps = false;
  ColumnFamilyHandle* handle = nullptr;
  EXPECT_TRUE(db_->CreateColumnFamily(family, "bare", &handle).IsNotSupported());
  EXPECT_EQ(nullptr, handle);
  Open(BareOptions());
  EXPECT_TRUE(db_->SetOptions({{"persist_user_defined_timestamps", "true"}}).IsInvalidArgument());
  EXPECT_FALSE(db_->SetOptions({{"enable_blob_files", "true"}}).ok());
}

TEST_F(DbBareKeysTest, TimestampsOfAnotherSizeAreRefused) {
  Open(BareOptions());
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "four", "value").IsInvalidArgument());
  EXPECT_TRUE(db_->Put(WriteOptions(), "a", "value").IsInvalidArgument());
  PutAt("a", 1, "a1");
  const Slice four("four");
  ReadOptions options;
  options.timestamp = &four;
  std::string value;
  EXPECT_TRUE(db_->Get(options, "a", &value).IsInvalidArgument());
  EXPECT_TRUE(
      db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), "four").IsInvalidArgument());
  Flush();
  EXPECT_EQ("a1@0", GetAt("a", 2));
}

TEST_F(DbBareKeysTest, AHistoryThatTablesDoNotHaveIsNotTrimmed) {
  const Options options = BareOptions();
  Open(options);
  PutAt("a", 1, "a1");
  Flush();
  db_.reset();
  std::vector<ColumnFamilyHandle*> handles;
  std::unique_ptr<DB> db;
  const std::vector<ColumnFamilyDescriptor> families = {{kDefaultColumnFamilyName, options}};
  EXPECT_TRUE(
      DB::OpenAndTrimHistory(options, kDbName, families, &handles, &db, Ts(1)).IsNotSupported());
  EXPECT_TRUE(handles.empty());
  Open(options);
  EXPECT_EQ("a1@0", GetAt("a", 2));
}

TEST_F(DbBareKeysTest, FilesFromOutsideHaveNoTimestampsEither) {
  Options options = BareOptions();
  Open(options);
  const auto make = [&](const Options& how, const std::string& path, uint64_t ts) {
    SstFileWriter writer(EnvOptions(), how);
    Status s = writer.Open(path);
    if (s.ok()) s = writer.Put("m", Ts(ts), "outside");
    if (s.ok()) s = writer.Finish();
    return s;
  };
  EXPECT_TRUE(make(options, "/refused.sst", 5).IsInvalidArgument());
  ASSERT_TRUE(make(options, "/bare.sst", 0).ok());
  options.persist_user_defined_timestamps = true;
  ASSERT_TRUE(make(options, "/stamped.sst", 5).ok());
  const IngestExternalFileOptions ingest;
  {
    SstFileWriter plain(EnvOptions(), PlainOptions());
    ASSERT_TRUE(plain.Open("/plain.sst").ok());
    ASSERT_TRUE(plain.Put("n", "plain").ok());
    ASSERT_TRUE(plain.Finish().ok());
  }
  Status s = db_->IngestExternalFile({"/stamped.sst"}, ingest);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  s = db_->IngestExternalFile({"/bare.sst"}, ingest);
  ASSERT_TRUE(s.ok()) << s.ToString();
  s = db_->IngestExternalFile({"/plain.sst"}, ingest);
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("outside@0", GetAt("m", 1));
  EXPECT_EQ("plain@0", GetAt("n", 1));
  Open(BareOptions());
  EXPECT_EQ("plain@0", GetAt("n", 1));
  EXPECT_EQ("outside@0", GetAt("m", 1));
  db_.reset();
  ASSERT_TRUE(DestroyDB(kDbName, options).ok());
  Open(options);
  s = db_->IngestExternalFile({"/bare.sst"}, ingest);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  ASSERT_TRUE(db_->IngestExternalFile({"/stamped.sst"}, ingest).ok());
  EXPECT_EQ("outside@5", GetAt("m", 5));
}

TEST_F(DbBareKeysTest, TheOptionIsWrittenWhereItSaysSomething) {
  std::string text;
  ColumnFamilyOptions options;
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(&text, options).ok());
  EXPECT_EQ(std::string::npos, text.find("persist_user_defined_timestamps"));
  options.persist_user_defined_timestamps = false;
  ASSERT_TRUE(GetStringFromColumnFamilyOptions(&text, options).ok());
  EXPECT_NE(std::string::npos, text.find("persist_user_defined_timestamps=false"));
  ColumnFamilyOptions read;
  ASSERT_TRUE(GetColumnFamilyOptionsFromString(ConfigOptions(), ColumnFamilyOptions(),
                                               "persist_user_defined_timestamps=false", &read)
                  .ok());
  EXPECT_FALSE(read.persist_user_defined_timestamps);
}

// --- Flushes that are put off

TEST_F(DbBareKeysTest, AFlushWaitsForTheMarkAsLongAsNoWriteWaitsForIt) {
  Options options = BareOptions();
  options.max_write_buffer_number = 4;
  Open(options);
  ASSERT_TRUE(RaiseLow(5).ok());
  // Until another memtable has begun.
  const auto fill = [this](const std::string& key, uint64_t ts, int memtables) {
    for (int i = 0; i < 10'000; ++i) {
      PutAt(key, ts, std::string(1000, 'x'));
      if (Property("num-immutable-mem-table") == std::to_string(memtables)) return;
    }
    FAIL() << "no memtable was full";
  };
  fill("a", 10, 1);
  ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
  EXPECT_EQ(0, FilesAtLevel(0));
  EXPECT_EQ("5", Low());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
  // The mark passes it.
  ASSERT_TRUE(RaiseLow(11).ok());
  ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
  EXPECT_EQ("0", Property("num-immutable-mem-table"));
  EXPECT_EQ(1, FilesAtLevel(0) + FilesAtLevel(1));
  EXPECT_EQ("11", Low());
  // Who asks for it does not wait.
  PutAt("a", 20, "a20");
  Flush();
  EXPECT_EQ("21", Low());
}

TEST_F(DbBareKeysTest, AFlushDoesNotLetWritersWaitForTheMark) {
  Options options = BareOptions();
  options.max_write_buffer_number = 3;
  Open(options);
  ASSERT_TRUE(RaiseLow(5).ok());
  for (int i = 0; i < 1000; ++i) PutAt(Key(static_cast<uint64_t>(i)), 10, std::string(1000, 'x'));
  ASSERT_TRUE(db_->WaitForCompact(WaitForCompactOptions()).ok());
  EXPECT_EQ("11", Low());
  EXPECT_GE(FilesAtLevel(0) + FilesAtLevel(1) + FilesAtLevel(2), 1);
}

// --- A random history

class DbBareKeysModelTest : public DbBareKeysTest, public ::testing::WithParamInterface<int> {
 protected:
  static constexpr uint64_t kKeys = 20;

  Options RandomOptions(Random64* random) {
    Options options = BareOptions(random->Uniform(4) == 0 ? ReverseBytewiseComparatorWithU64Ts()
                                                          : BytewiseComparatorWithU64Ts());
    BlockBasedTableOptions table;
    table.block_size = 1 + random->Uniform(3) * 200;
    if (random->Uniform(2) == 0) table.filter_policy.reset(NewBloomFilterPolicy(10));
    if (random->Uniform(2) == 0) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = table.filter_policy != nullptr;
      table.metadata_block_size = 1;
    }
    table.cache_index_and_filter_blocks = random->Uniform(2) == 0;
    table.format_version = random->Uniform(2) == 0 ? 5 : 2;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    if (random->Uniform(2) == 0) options.prefix_extractor.reset(NewFixedPrefixTransform(4));
    options.target_file_size_base = 2 << 10;
    options.paranoid_file_checks = true;
    if (random->Uniform(3) == 0) options.compaction_style = kCompactionStyleUniversal;
    return options;
  }
  // The newest of each key that is not newer than `ts`, or "TOO_OLD".
  std::string Expected(uint64_t ts, bool reverse) {
    const std::string low = Low();
    if (!low.empty() && ts < std::stoull(low)) return "TOO_OLD";
    std::string text;
    for (const auto& [key, versions] : history_) {
      const auto newer = versions.upper_bound(ts);
      if (newer == versions.begin() || std::prev(newer)->second.empty()) continue;
      const std::string entry = key + "=" + std::prev(newer)->second + ",";
      text = reverse ? entry + text : text + entry;
    }
    return text;
  }
  void Check(uint64_t ts, bool reverse) {
    const std::string expected = Expected(ts, reverse);
    const std::string found = ScanAt(ts);
    if (expected == "TOO_OLD") {
      EXPECT_NE(std::string::npos, found.find("smaller than full_history_ts_low")) << found;
      EXPECT_EQ("TOO_OLD", GetAt(Key(0), ts));
      return;
    }
    EXPECT_EQ(expected, found) << "at " << ts;
    for (uint64_t i = 0; i < kKeys; ++i) {
      const std::string value = GetAt(Key(i), ts);
      const size_t at = expected.find(Key(i) + "=");
      if (at == std::string::npos) {
        ASSERT_EQ("NOT_FOUND", value) << Key(i) << " at " << ts;
      } else {
        ASSERT_EQ(0u, expected.compare(at + Key(i).size() + 1, value.find('@'), value, 0,
                                       value.find('@')))
            << Key(i) << " at " << ts << ": " << value;
      }
    }
  }

  std::map<std::string, std::map<uint64_t, std::string>> history_;  // empty: deleted
};

TEST_P(DbBareKeysModelTest, ReadsAreWhatTheHistorySays) {
  const auto seed = static_cast<uint64_t>(GetParam());
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  const Options options = RandomOptions(&random);
  const bool reverse = options.comparator == ReverseBytewiseComparatorWithU64Ts();
  Open(options);
  uint64_t now = 1;
  for (int step = 0; step < 400; ++step) {
    now += random.Uniform(3);
    const std::string key = Key(random.Uniform(kKeys));
    switch (random.Uniform(24)) {
      case 0:
        Flush();
        break;
      case 1:
        if (random.Uniform(3) == 0) Compact();
        break;
      case 2:
        if (random.Uniform(3) == 0) {
          Kill();
          Open(options);
        }
        break;
      case 3: {
        // A range; of these keys the timestamp must not go back either.
        now += 1;
        std::string begin = key, end = Key(random.Uniform(kKeys));
        if (options.comparator->CompareWithoutTimestamp(begin, false, end, false) > 0) {
          begin.swap(end);
        }
        ASSERT_TRUE(
            db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), begin, end, Ts(now)).ok());
        for (auto& [name, versions] : history_) {
          if (options.comparator->CompareWithoutTimestamp(name, false, begin, false) >= 0 &&
              options.comparator->CompareWithoutTimestamp(name, false, end, false) < 0) {
            versions[now] = "";
          }
        }
        now += 1;
        break;
      }
      case 4:
      case 5:
        DeleteAt(key, now);
        history_[key][now] = "";
        break;
      default: {
        const std::string value = "v" + std::to_string(step);
        PutAt(key, now, value);
        history_[key][now] = value;
        break;
      }
    }
    if (step % 20 == 0) {
      Check(now, reverse);
      Check(now + 1, reverse);
      Check(random.Uniform(now) + 1, reverse);
    }
  }
  Flush();
  Check(now + 1, reverse);
  Compact();
  Check(now + 1, reverse);
  for (int i = 0; i < 5; ++i) {
    DeleteAt(Key(random.Uniform(kKeys)), now + 1);  // whose tombstones tables have below
  }
  Flush();
  const std::string after = ScanAt(now + 2);
  // The same tables without timestamps.
  Options plain = options;
  plain.comparator = reverse ? ReverseBytewiseComparator() : BytewiseComparator();
  Open(plain);
  std::string found;
  const Contents contents = Scan();
  for (const auto& [key, value] : contents) {
    const std::string entry = std::string(key).append("=").append(value).append(",");
    found = reverse ? entry + found : found + entry;
  }
  EXPECT_EQ(after, found);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DbBareKeysModelTest, ::testing::Range(0, 12));

}  // namespace
}  // namespace cairn::testing
