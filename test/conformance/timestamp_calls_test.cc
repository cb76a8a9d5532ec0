// User-defined timestamps in the calls that timestamp_test.cc leaves out: what each of them makes
// of keys that have one.
#include "checkpoints.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/backup_engine.h"
#include "timestamp_fixture.h"

namespace conformance {
namespace {

class TimestampCallsTest : public TimestampTest {
 protected:
  // A copy of a database with "a" at 2 and at 5, and the mark at 3; it is open afterwards.
  void ExpectBothAndTheMark(const std::string& copy) {
    Shut();
    dir_ = copy;
    Open();
    EXPECT_EQ("a=2@2", ContentsAt(3));
    EXPECT_EQ("a=5@5", ContentsAt(9));
    std::string low;
    ASSERT_OK(db_->GetFullHistoryTsLow(Family(), &low));
    EXPECT_EQ(Ts(3), low);
  }
  // Of a read at `number`, whose bytes it has.
  struct Reading {
    explicit Reading(uint64_t number) : stamp(Ts(number)), at(stamp) { options.timestamp = &at; }
    const std::string stamp;
    const Slice at;
    ReadOptions options;
  };
  // "a=1@5,b=2@3" from where it stands.
  static std::string Forward(Iterator* it) {
    std::string text;
    for (; it->Valid(); it->Next()) text += (text.empty() ? "" : ",") + Entry(it);
    EXPECT_OK(it->status());
    return text;
  }
  static std::string Backward(Iterator* it) {
    std::string text;
    for (; it->Valid(); it->Prev()) text += (text.empty() ? "" : ",") + Entry(it);
    EXPECT_OK(it->status());
    return text;
  }
  static std::string Entry(Iterator* it) {
    return it->key().ToString() + "=" + it->value().ToString() + "@" +
           std::to_string(Number(it->timestamp()));
  }
  Status Collapse(uint64_t low) {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    const std::string stamp = Ts(low);
    const Slice mark(stamp);
    options.full_history_ts_low = &mark;
    return db_->CompactRange(options, nullptr, nullptr);
  }
};

TEST_F(TimestampCallsTest, BoundsAreBareKeys) {
  Open();
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    ASSERT_OK(PutAt(key, 2, "2"));
    ASSERT_OK(PutAt(key, 5, "5"));
  }
  for (int round = 0; round < 2; round++) {
    Reading read(4);
    const Slice lower("b"), upper("d");
    read.options.iterate_lower_bound = &lower;
    read.options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
    it->SeekToFirst();
    EXPECT_EQ("b=2@2,c=2@2", Forward(it.get()));
    it->SeekToLast();
    EXPECT_EQ("c=2@2,b=2@2", Backward(it.get()));
    it->Seek("a");
    EXPECT_EQ("b=2@2,c=2@2", Forward(it.get()));
    it->SeekForPrev("z");
    EXPECT_EQ("c=2@2,b=2@2", Backward(it.get()));
    it->Seek("d");
    EXPECT_FALSE(it->Valid());
    ASSERT_OK(Flush());
  }
}

TEST_F(TimestampCallsTest, DirectionsTurnAmongVersions) {
  Open();
  for (uint64_t ts = 1; ts <= 6; ts++) {
    for (const char* key : {"a", "b", "c"}) ASSERT_OK(PutAt(key, ts, std::to_string(ts)));
    if (ts == 3) {
      ASSERT_OK(Flush());
    }
  }
  ASSERT_OK(DeleteAt("b", 7));
  const Reading read(5), later(9);
  std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("b=5@5", Entry(it.get()));
  it->Prev();
  EXPECT_EQ("a=5@5", Entry(it.get()));
  it->Next();
  EXPECT_EQ("b=5@5", Entry(it.get()));
  it->Next();
  EXPECT_EQ("c=5@5", Entry(it.get()));
  it->Prev();
  EXPECT_EQ("b=5@5", Entry(it.get()));
  it.reset(db_->NewIterator(later.options));
  it->SeekForPrev("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("a=6@6", Entry(it.get())) << "b is deleted";
  it->Next();
  EXPECT_EQ("c=6@6", Entry(it.get()));
}

TEST_F(TimestampCallsTest, PrefixesAreThoseOfBareKeys) {
  options_.prefix_extractor.reset(NewFixedPrefixTransform(2));
  options_.memtable_prefix_bloom_size_ratio = 0.1;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  table.whole_key_filtering = false;
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  Open();
  for (const char* key : {"aa1", "aa2", "ab1", "ac1"}) ASSERT_OK(PutAt(key, 3, "3"));
  ASSERT_OK(PutAt("aa2", 6, "6"));
  for (int round = 0; round < 2; round++) {
    Reading read(5);
    read.options.prefix_same_as_start = true;
    const std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
    it->Seek("aa");
    EXPECT_EQ("aa1=3@3,aa2=3@3", Forward(it.get()));
    it->Seek("ab");
    EXPECT_EQ("ab1=3@3", Forward(it.get()));
    it->Seek("ad");
    EXPECT_FALSE(it->Valid());
    EXPECT_EQ("3@3", GetAt("ac1", 4));
    EXPECT_EQ("NOT_FOUND", GetAt("ad1", 4));
    ASSERT_OK(Flush());
  }
}

TEST_F(TimestampCallsTest, SingleDeletionsAreVersionsToo) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "a", Ts(4)));
  ASSERT_OK(PutAt("b", 2, "2"));
  for (int round = 0; round < 3; round++) {
    SCOPED_TRACE(round);
    EXPECT_EQ("2@2", GetAt("a", 3));
    EXPECT_EQ("NOT_FOUND@4", GetAt("a", 4));
    EXPECT_EQ("a=2@2,b=2@2", ContentsAt(3));
    EXPECT_EQ("b=2@2", ContentsAt(9));
    if (round == 0) {
      ASSERT_OK(Flush());
    } else {
      ASSERT_OK(Compact());
    }
  }
  ASSERT_OK(Collapse(5));
  EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
  EXPECT_EQ("b@0=2", VersionsAt(0, 99));
}

TEST_F(TimestampCallsTest, AKeyThatComesTwiceInABatchHasTheLaterOne) {
  Open();
  WriteBatch batch;
  ASSERT_OK(batch.Put(Family(), "a", Ts(3), "first"));
  ASSERT_OK(batch.Put(Family(), "a", Ts(3), "second"));
  ASSERT_OK(batch.Put(Family(), "b", Ts(3), "first"));
  ASSERT_OK(batch.Delete(Family(), "b", Ts(3)));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  for (int round = 0; round < 3; round++) {
    EXPECT_EQ("second@3", GetAt("a", 3));
    EXPECT_EQ("NOT_FOUND@3", GetAt("b", 3));
    EXPECT_EQ("a@3=second,b@3x", VersionsAt(0, 9));
    if (round == 0) {
      ASSERT_OK(Flush());
    } else {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(TimestampCallsTest, AFamilyWithAndOneWithoutThemInOneBatch) {
  options_.avoid_flush_during_shutdown = true;
  Open();
  ColumnFamilyOptions plain(options_);
  plain.comparator = BytewiseComparator();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(plain, "plain", &other));
  WriteBatch batch;
  ASSERT_OK(batch.Put(Family(), "a", Ts(3), "timed"));
  ASSERT_OK(batch.Put(other, "a", "plain"));
  EXPECT_CODE(InvalidArgument, batch.Put(other, "a", Ts(3), "plain"));
  EXPECT_EQ(2u, batch.Count());
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  delete other;
  Shut();
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_OK(DB::Open(options_, dir_, {{kDefaultColumnFamilyName, options_}, {"plain", plain}},
                     &handles, &db_));
  EXPECT_EQ("timed@3", GetAt("a", 5));
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), handles[1], "a", &value));
  EXPECT_EQ("plain", value);
  Reading read(5);
  EXPECT_CODE(InvalidArgument, db_->Get(read.options, handles[1], "a", &value));
  std::vector<std::string> values;
  const std::vector<Status> both =
      db_->MultiGet(read.options, {handles[0], handles[1]}, {"a", "a"}, &values);
  for (const Status& s : both) EXPECT_FALSE(s.ok());
  EXPECT_CODE(InvalidArgument, both[1]);
  for (ColumnFamilyHandle* handle : handles) delete handle;
}

// Of the keys that it is shown.
class Sizes : public CompactionFilter {
 public:
  const char* Name() const override { return "Sizes"; }
  bool Filter(int, const Slice& key, const Slice& value, std::string*, bool*) const override {
    EXPECT_EQ(1u + 8, key.size());
    return value == "drop";
  }
};

TEST_F(TimestampCallsTest, FiltersSeeKeysWithThem) {
  const Sizes filter;
  options_.compaction_filter = &filter;
  Open();
  ASSERT_OK(PutAt("a", 2, "drop"));
  ASSERT_OK(PutAt("b", 2, "older"));
  ASSERT_OK(PutAt("b", 4, "newer"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 9).substr(0, 9));
  EXPECT_EQ("b=newer@4", ContentsAt(9));
  EXPECT_EQ("b=older@2", ContentsAt(3));
}

TEST_F(TimestampCallsTest, MayExistAtAMoment) {
  Open();
  ASSERT_OK(PutAt("a", 3, "3"));
  const Reading early(2), late(4);
  std::string value, stamp;
  bool found = false;
  EXPECT_TRUE(db_->KeyMayExist(late.options, Family(), "a", &value, &stamp, &found));
  EXPECT_TRUE(found);
  EXPECT_EQ("3", value);
  EXPECT_EQ(3u, Number(stamp));
  EXPECT_FALSE(db_->KeyMayExist(early.options, Family(), "a", &value, &stamp, &found));
  EXPECT_FALSE(db_->KeyMayExist(late.options, Family(), "b", &value, &stamp, &found));
}

TEST_F(TimestampCallsTest, ADatabaseOpenForReading) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(PutAt("a", 4, "4"));
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(2)));
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
  EXPECT_EQ("2@2", GetAt("a", 3));
  EXPECT_EQ("a=4@4", ContentsAt(4));
  EXPECT_EQ("a@4=4,a@2=2", VersionsAt(1, 9));
  std::string value;
  EXPECT_CODE(InvalidArgument, db_->Get(ReadOptions(), "a", &value));
  EXPECT_CODE(NotSupported, PutAt("a", 5, "5"));
}

TEST_F(TimestampCallsTest, ASecondary) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(Flush());
  Options options = options_;
  options.max_open_files = -1;
  DB* secondary = nullptr;
  ASSERT_OK(DB::OpenAsSecondary(options, dir_, root_ + "/secondary", &secondary));
  ASSERT_OK(PutAt("a", 4, "4"));
  ASSERT_OK(secondary->TryCatchUpWithPrimary());
  std::swap(db_, secondary);
  EXPECT_EQ("2@2", GetAt("a", 3));
  EXPECT_EQ("4@4", GetAt("a", 4));
  EXPECT_EQ("a=4@4", ContentsAt(9));
  std::string value;
  EXPECT_CODE(InvalidArgument, db_->Get(ReadOptions(), "a", &value));
  std::swap(db_, secondary);
  delete secondary;
}

TEST_F(TimestampCallsTest, ACheckpointHasThemAndTheMark) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(PutAt("a", 5, "5"));
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(3)));
  ASSERT_OK(MakeCheckpoint(db_, root_ + "/copy"));
  ExpectBothAndTheMark(root_ + "/copy");
}

TEST_F(TimestampCallsTest, ABackupHasThemAndTheMark) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(PutAt("a", 5, "5"));
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(3)));
  BackupEngine* made = nullptr;
  ASSERT_OK(BackupEngine::Open(BackupEngineOptions(root_ + "/backups"), TheEnv(), &made));
  const std::unique_ptr<BackupEngine> engine(made);
  CreateBackupOptions how;
  how.flush_before_backup = true;
  ASSERT_OK(engine->CreateNewBackup(how, db_));
  ASSERT_OK(engine->VerifyBackup(1, /*verify_with_checksum=*/true));
  Shut();
  const std::string restored = root_ + "/restored";
  ASSERT_OK(engine->RestoreDBFromLatestBackup(restored, restored));
  ExpectBothAndTheMark(restored);
}

TEST_F(TimestampCallsTest, SnapshotsKeepVersionsBelowTheMark) {
  Open();
  for (uint64_t ts = 1; ts <= 3; ts++) ASSERT_OK(PutAt("a", ts, std::to_string(ts)));
  const Snapshot* const snapshot = db_->GetSnapshot();
  for (uint64_t ts = 4; ts <= 6; ts++) ASSERT_OK(PutAt("a", ts, std::to_string(ts)));
  ASSERT_OK(Flush());
  ASSERT_OK(Collapse(6));
  EXPECT_EQ("3", GetAt("a", 9, snapshot).substr(0, 1));
  EXPECT_EQ("6@6", GetAt("a", 9));
  db_->ReleaseSnapshot(snapshot);
  ASSERT_OK(PutAt("b", 7, "7"));
  ASSERT_OK(Flush());
  ASSERT_OK(Collapse(7));
  EXPECT_EQ("a@0=6,b@7=7", VersionsAt(0, 99));
}

TEST_F(TimestampCallsTest, AWriterAndAReaderOfTables) {
  SstFileWriter writer(EnvOptions(), options_);
  const std::string path = root_ + "/outside.sst";
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", Ts(5), "a5"));
  ASSERT_OK(writer.Put("a", Ts(3), "a3"));
  EXPECT_CODE(InvalidArgument, writer.Put("a", Ts(4), "a4"));  // versions fall
  EXPECT_CODE(InvalidArgument, writer.Delete("b"));
  EXPECT_CODE(InvalidArgument, writer.Merge("b", "operand"));
  EXPECT_CODE(InvalidArgument, writer.Delete("b", "short"));
  EXPECT_CODE(InvalidArgument, writer.DeleteRange("b", "c"));
  ASSERT_OK(writer.Delete("b", Ts(4)));
  ASSERT_OK(writer.Put("c", Ts(1), "c1"));
  ExternalSstFileInfo info;
  ASSERT_OK(writer.Finish(&info));
  EXPECT_EQ(4u, info.num_entries);
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path));
  for (const uint64_t ts : {9, 4, 2}) {
    const Reading read(ts);
    const std::unique_ptr<Iterator> it(reader.NewIterator(read.options));
    it->SeekToFirst();
    EXPECT_EQ(ts == 9 ? "a=a5@5,c=c1@1" : ts == 4 ? "a=a3@3,c=c1@1" : "c=c1@1", Forward(it.get()));
  }
}

TEST_F(TimestampCallsTest, AReaderOfTablesShowsAllVersions) {
  SstFileWriter writer(EnvOptions(), options_);
  const std::string path = root_ + "/outside.sst";
  ASSERT_OK(writer.Open(path));
  ASSERT_OK(writer.Put("a", Ts(5), "a5"));
  ASSERT_OK(writer.Put("a", Ts(3), "a3"));
  ASSERT_OK(writer.Delete("b", Ts(4)));
  ASSERT_OK(writer.Put("b", Ts(1), "b1"));
  ASSERT_OK(writer.Finish());
  SstFileReader reader(options_);
  ASSERT_OK(reader.Open(path));
  Reading read(9);
  const std::string from = Ts(2);
  const Slice start(from);
  read.options.iter_start_ts = &start;
  const std::unique_ptr<Iterator> it(reader.NewIterator(read.options));
  std::string text;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    text += it->key().ToString().substr(0, 1) + std::to_string(Number(it->timestamp())) + "=" +
            it->value().ToString() + " ";
  }
  EXPECT_OK(it->status());
  EXPECT_EQ("a5=a5 a3=a3 b4= ", text);
}

TEST_F(TimestampCallsTest, UpdatesMustKnowEveryFamily) {
  Open();
  WriteBatch batch(0, 0, 0, 8);
  ASSERT_OK(batch.Put("a", "1"));
  const auto unknown = [](uint32_t) { return std::numeric_limits<size_t>::max(); };
  EXPECT_CODE(NotFound, batch.UpdateTimestamps(Ts(3), unknown));
  EXPECT_CODE(InvalidArgument, db_->Write(WriteOptions(), &batch));
  ASSERT_OK(batch.UpdateTimestamps(Ts(3), [](uint32_t id) { return size_t{id == 0 ? 8u : 0u}; }));
  ASSERT_OK(batch.UpdateTimestamps(Ts(4), [](uint32_t id) { return size_t{id == 0 ? 8u : 0u}; }));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("1@4", GetAt("a", 9));
}

TEST_F(TimestampCallsTest, BatchedMultiGetTellsThem) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(PutAt("b", 3, "3"));
  ASSERT_OK(PutAt("b", 6, "6"));
  ASSERT_OK(DeleteAt("a", 7));
  const Slice keys[] = {"a", "b", "c"};
  for (int round = 0; round < 2; round++) {
    for (const uint64_t ts : {1, 5, 8}) {
      const Reading read(ts);
      PinnableSlice values[3];
      std::string stamps[3];
      Status statuses[3];
      db_->MultiGet(read.options, Family(), 3, keys, values, stamps, statuses,
                    /*sorted_input=*/true);
      std::string text;
      for (int i = 0; i < 3; i++) {
        text += statuses[i].ok() ? values[i].ToString() + "@" + std::to_string(Number(stamps[i]))
                : statuses[i].IsNotFound() ? "-"
                                           : statuses[i].ToString();
      }
      EXPECT_EQ(ts == 1 ? "---" : ts == 5 ? "2@23@3-" : "-6@6-", text);
    }
    ASSERT_OK(Flush());
  }
}

TEST_F(TimestampCallsTest, TheMarkNeverFallsInACompaction) {
  Open();
  ASSERT_OK(PutAt("a", 2, "2"));
  ASSERT_OK(PutAt("a", 5, "5"));
  ASSERT_OK(Flush());
  ASSERT_OK(Collapse(4));
  EXPECT_CODE(InvalidArgument, Collapse(3));
  ASSERT_OK(Collapse(4));
  std::string low;
  ASSERT_OK(db_->GetFullHistoryTsLow(Family(), &low));
  EXPECT_EQ(Ts(4), low);
  EXPECT_EQ("a=2@0", ContentsAt(4));
}

TEST_F(TimestampCallsTest, UniversalCompactionsKeepWhatMayBeRead) {
  options_.compaction_style = kCompactionStyleUniversal;
  Open();
  for (uint64_t ts = 1; ts <= 6; ts++) {
    ASSERT_OK(PutAt("a", ts, std::to_string(ts)));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(4)));
  ASSERT_OK(Compact());
  EXPECT_EQ("a@6=6,a@5=5,a@4=4,a@0=3", VersionsAt(0, 99));
}

TEST_F(TimestampCallsTest, AnIteratorOverAllVersionsGoesBothWays) {
  Open();
  for (uint64_t ts = 1; ts <= 6; ts++) {
    ASSERT_OK(PutAt("a", ts, std::to_string(ts)));
    if (ts % 2 == 0) {
      ASSERT_OK(PutAt("b", ts, std::to_string(ts)));
    }
    if (ts == 3) {
      ASSERT_OK(Flush());
    }
  }
  Reading read(5);
  const std::string stamp = Ts(1);
  const Slice start(stamp);
  read.options.iter_start_ts = &start;
  const std::unique_ptr<Iterator> it(db_->NewIterator(read.options));
  std::string forward, backward;
  for (it->SeekToFirst(); it->Valid(); it->Next()) forward += it->value().ToString();
  for (it->SeekToLast(); it->Valid(); it->Prev()) backward += it->value().ToString();
  EXPECT_EQ("5432142", forward);
  EXPECT_EQ("2412345", backward);
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("4", it->value());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("1", it->value());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("4", it->value());
}

TEST_F(TimestampCallsTest, AMergeWithoutOneIsRefused) {
  ASSERT_OK(
      MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options_.merge_operator));
  Open();
  EXPECT_CODE(InvalidArgument, db_->Merge(WriteOptions(), "a", "x"));
  WriteBatch batch;
  EXPECT_CODE(InvalidArgument, batch.Merge(Family(), "a", "x"));
  EXPECT_EQ(0u, batch.Count());
  EXPECT_EQ("NOT_FOUND", GetAt("a", 9));
}

}  // namespace
}  // namespace conformance
