// User-defined timestamps: what each call answers with them, without them and with wrong ones.
#include "rocksdb/sst_file_writer.h"
#include "timestamp_fixture.h"

namespace conformance {
namespace {

TEST_F(TimestampTest, AReaderSeesWhatWasThereAtItsTimestamp) {
  Open();
  ASSERT_OK(PutAt("a", 2, "a2"));
  ASSERT_OK(PutAt("a", 5, "a5"));
  ASSERT_OK(PutAt("b", 3, "b3"));
  ASSERT_OK(DeleteAt("b", 6));
  ASSERT_OK(PutAt("b", 8, "b8"));
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("NOT_FOUND", GetAt("a", 1));
    EXPECT_EQ("a2@2", GetAt("a", 2));
    EXPECT_EQ("a2@2", GetAt("a", 4));
    EXPECT_EQ("a5@5", GetAt("a", 9));
    EXPECT_EQ("b3@3", GetAt("b", 5));
    EXPECT_EQ("NOT_FOUND@6", GetAt("b", 7));
    EXPECT_EQ("b8@8", GetAt("b", 8));
    EXPECT_EQ("", ContentsAt(1));
    EXPECT_EQ("a=a2@2,b=b3@3", ContentsAt(4));
    EXPECT_EQ("a=a5@5", ContentsAt(7));
    EXPECT_EQ("a=a5@5,b=b8@8", ContentsAt(100));
    EXPECT_EQ("a@5=a5,a@2=a2,b@8=b8,b@6x,b@3=b3", VersionsAt(0, 9));
    EXPECT_EQ("a@5=a5,b@6x,b@3=b3", VersionsAt(3, 7));
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Flush());
    }
    if (round == 2) {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(TimestampTest, TimestampsAreNeededAndOfTheRightSize) {
  Open();
  EXPECT_CODE(InvalidArgument, Put("a", "1"));
  EXPECT_CODE(InvalidArgument, Delete("a"));
  EXPECT_CODE(InvalidArgument, db_->SingleDelete(WriteOptions(), "a"));
  EXPECT_CODE(InvalidArgument, db_->DeleteRange(WriteOptions(), Family(), "a", "b"));
  EXPECT_CODE(InvalidArgument, db_->Put(WriteOptions(), "a", "short", "1"));
  EXPECT_CODE(InvalidArgument, db_->Delete(WriteOptions(), "a", "short"));
  EXPECT_CODE(InvalidArgument, db_->SingleDelete(WriteOptions(), "a", "much too long"));
  EXPECT_CODE(InvalidArgument, db_->DeleteRange(WriteOptions(), Family(), "a", "b", "short"));
  std::string value;
  EXPECT_CODE(InvalidArgument, db_->Get(ReadOptions(), "a", &value));
  const Slice bad("bad");
  ReadOptions options;
  options.timestamp = &bad;
  EXPECT_CODE(InvalidArgument, db_->Get(options, "a", &value));
  std::vector<std::string> values;
  for (const Status& s : db_->MultiGet(options, {"a", "b"}, &values)) {
    EXPECT_CODE(InvalidArgument, s);
  }
  for (const ReadOptions& wrong : {ReadOptions(), options}) {
    const std::unique_ptr<Iterator> it(db_->NewIterator(wrong));
    EXPECT_FALSE(it->Valid());
    EXPECT_CODE(InvalidArgument, it->status());
  }
}

TEST_F(TimestampTest, AFamilyWithoutThemHasNone) {
  options_.comparator = BytewiseComparator();
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_CODE(InvalidArgument, db_->Put(WriteOptions(), "a", Ts(1), "1"));
  EXPECT_CODE(InvalidArgument, db_->Delete(WriteOptions(), "a", Ts(1)));
  const std::string stamp = Ts(1);
  const Slice at(stamp);
  ReadOptions options;
  options.timestamp = &at;
  std::string value;
  EXPECT_CODE(InvalidArgument, db_->Get(options, "a", &value));
  const std::unique_ptr<Iterator> it(db_->NewIterator(options));
  EXPECT_CODE(InvalidArgument, it->status());
  EXPECT_CODE(InvalidArgument, db_->IncreaseFullHistoryTsLow(Family(), Ts(1)));
  std::string low;
  EXPECT_CODE(InvalidArgument, db_->GetFullHistoryTsLow(Family(), &low));
}

TEST_F(TimestampTest, ABatchCanGetItsTimestampsLater) {
  Open();
  WriteBatch wrong;
  EXPECT_CODE(InvalidArgument, wrong.Put(Family(), "a", "1"));  // made without their size
  EXPECT_CODE(InvalidArgument, wrong.Put(nullptr, "a", Ts(1), "1"));
  EXPECT_CODE(InvalidArgument, wrong.Put(Family(), "a", "short", "1"));
  ASSERT_OK(wrong.Put(Family(), "now", Ts(1), "1"));
  ASSERT_OK(db_->Write(WriteOptions(), &wrong));

  WriteBatch batch(0, 0, 0, 8);
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put(Family(), "b", "2"));
  ASSERT_OK(batch.Put(Family(), "c", Ts(3), "3"));
  ASSERT_OK(batch.Delete("d"));
  ASSERT_OK(batch.SingleDelete("e"));
  ASSERT_OK(batch.DeleteRange("x", "z"));
  EXPECT_CODE(InvalidArgument, db_->Write(WriteOptions(), &batch));
  const auto eight = [](uint32_t) { return size_t{8}; };
  EXPECT_CODE(InvalidArgument, batch.UpdateTimestamps("short", eight));
  ASSERT_OK(batch.UpdateTimestamps(Ts(7), eight));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("1@7", GetAt("a", 9));
  EXPECT_EQ("NOT_FOUND", GetAt("a", 6));
  EXPECT_EQ("2@7", GetAt("b", 9));
  EXPECT_EQ("3@7", GetAt("c", 9));  // it is given to all
  EXPECT_EQ("NOT_FOUND@7", GetAt("d", 9));
  EXPECT_EQ("NOT_FOUND@7", GetAt("e", 9));
}

TEST_F(TimestampTest, TheMarkOnlyRisesAndIsKept) {
  Open();
  std::string low;
  EXPECT_CODE(InvalidArgument, db_->GetFullHistoryTsLow(Family(), nullptr));
  EXPECT_CODE(InvalidArgument, db_->IncreaseFullHistoryTsLow(Family(), "short"));
  ASSERT_OK(PutAt("a", 3, "3"));
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(5)));
  ASSERT_OK(db_->IncreaseFullHistoryTsLow(Family(), Ts(5)));
  EXPECT_CODE(InvalidArgument, db_->IncreaseFullHistoryTsLow(Family(), Ts(4)));
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK(db_->GetFullHistoryTsLow(Family(), &low));
    EXPECT_EQ(5u, Number(low));
    EXPECT_EQ("3@3", GetAt("a", 5));
    const std::string stamp = Ts(4);
    const Slice at(stamp);
    ReadOptions options;
    options.timestamp = &at;
    std::string value;
    EXPECT_CODE(InvalidArgument, db_->Get(options, "a", &value));
    std::vector<std::string> values;
    EXPECT_CODE(InvalidArgument, db_->MultiGet(options, {"a"}, &values)[0]);
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    EXPECT_CODE(InvalidArgument, it->status());
    it.reset();
    Open();
  }
}

TEST_F(TimestampTest, CompactionDropsWhatNobodyMayRead) {
  Open();
  for (uint64_t ts = 1; ts <= 9; ++ts) ASSERT_OK(PutAt("k", ts, std::to_string(ts)));
  ASSERT_OK(PutAt("d", 1, "1"));
  ASSERT_OK(DeleteAt("d", 2));
  ASSERT_OK(Compact());
  EXPECT_EQ("d@2x,d@1=1,k@9=9,k@8=8,k@7=7,k@6=6,k@5=5,k@4=4,k@3=3,k@2=2,k@1=1", VersionsAt(0, 99));
  CompactRangeOptions collapse;
  collapse.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  const std::string stamp = Ts(6);
  const Slice low(stamp);
  collapse.full_history_ts_low = &low;
  const Slice begin("a");
  EXPECT_CODE(InvalidArgument, db_->CompactRange(collapse, &begin, nullptr));
  ASSERT_OK(db_->CompactRange(collapse, nullptr, nullptr));
  EXPECT_EQ("k@9=9,k@8=8,k@7=7,k@6=6,k@0=5", VersionsAt(0, 99));
  EXPECT_EQ("NOT_FOUND", GetAt("d", 9));
  EXPECT_EQ("6@6", GetAt("k", 6));
}

TEST_F(TimestampTest, RangesAreDeletedAtATimestamp) {
  Open();
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_OK(PutAt(key, 2, key));
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Family(), "b", "d", Ts(5)));
  ASSERT_OK(PutAt("c", 7, "again"));
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("a=a@2,b=b@2,c=c@2,d=d@2", ContentsAt(4));
    EXPECT_EQ("a=a@2,d=d@2", ContentsAt(5));
    EXPECT_EQ("a=a@2,c=again@7,d=d@2", ContentsAt(8));
    EXPECT_EQ("NOT_FOUND@5", GetAt("b", 9));
    EXPECT_EQ("b@2", GetAt("b", 4));
    EXPECT_EQ("again@7", GetAt("c", 9));
    EXPECT_EQ("d@2", GetAt("d", 9));
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Flush());
    }
    if (round == 2) {
      ASSERT_OK(Compact());
    }
  }
  CompactRangeOptions collapse;
  collapse.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  const std::string stamp = Ts(6);
  const Slice low(stamp);
  collapse.full_history_ts_low = &low;
  ASSERT_OK(db_->CompactRange(collapse, nullptr, nullptr));
  EXPECT_EQ("NOT_FOUND", GetAt("b", 9));
  EXPECT_EQ("a=a@0,c=again@7,d=d@0", ContentsAt(9));
}

TEST_F(TimestampTest, SnapshotsAndTimestampsTogether) {
  Open();
  ASSERT_OK(PutAt("a", 1, "1"));
  const Snapshot* const snapshot = db_->GetSnapshot();
  ASSERT_OK(PutAt("a", 2, "2"));
  EXPECT_EQ("1@1", GetAt("a", 1, snapshot));
  EXPECT_EQ("2@2", GetAt("a", 9));
  ASSERT_OK(Flush());
  EXPECT_EQ("1@1", GetAt("a", 1, snapshot));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(TimestampTest, MultiGetHasThemToo) {
  Open();
  ASSERT_OK(PutAt("a", 1, "a1"));
  ASSERT_OK(PutAt("c", 2, "c2"));
  ASSERT_OK(DeleteAt("c", 4));
  const std::string stamp = Ts(3);
  const Slice at(stamp);
  ReadOptions options;
  options.timestamp = &at;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::string> values, stamps;
    const std::vector<Status> statuses =
        db_->MultiGet(options, {Family(), Family(), Family()}, {"a", "b", "c"}, &values, &stamps);
    ASSERT_EQ(3u, statuses.size());
    EXPECT_OK(statuses[0]);
    EXPECT_CODE(NotFound, statuses[1]);
    EXPECT_OK(statuses[2]);
    EXPECT_EQ("a1", values[0]);
    EXPECT_EQ("c2", values[2]);
    EXPECT_EQ(1u, Number(stamps[0]));
    EXPECT_EQ(2u, Number(stamps[2]));
    ASSERT_OK(Flush());
  }
}

TEST_F(TimestampTest, FiltersAndPrefixesLeaveThemOut) {
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewBloomFilterPolicy(10));
  options_.table_factory.reset(NewBlockBasedTableFactory(table));
  options_.statistics = CreateDBStatistics();
  Open();
  for (int i = 0; i < 100; ++i) ASSERT_OK(PutAt(Key(i), 5, "v"));
  ASSERT_OK(Flush());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ("v@5", GetAt(Key(i), 7));
    EXPECT_EQ("NOT_FOUND", GetAt(Key(i) + "x", 7));
  }
  EXPECT_GT(options_.statistics->getTickerCount(BLOOM_FILTER_USEFUL), 80u);
}

TEST_F(TimestampTest, TablesOfOthersAreIngested) {
  Open();
  SstFileWriter writer(EnvOptions(), options_);
  const std::string path = root_ + "/outside.sst";
  ASSERT_OK(writer.Open(path));
  EXPECT_CODE(InvalidArgument, writer.Put("a", "v"));
  EXPECT_CODE(InvalidArgument, writer.Put("a", "short", "v"));
  ASSERT_OK(writer.Put("a", Ts(5), "a5"));
  ASSERT_OK(writer.Put("a", Ts(3), "a3"));
  ASSERT_OK(writer.Delete("b", Ts(4)));
  ASSERT_OK(writer.Finish());
  ASSERT_OK(db_->IngestExternalFile({path}, IngestExternalFileOptions()));
  EXPECT_EQ("a5@5", GetAt("a", 9));
  EXPECT_EQ("a3@3", GetAt("a", 4));
  EXPECT_EQ("NOT_FOUND@4", GetAt("b", 9));
}

TEST_F(TimestampTest, TablesSayWhichTheyHave) {
  Open();
  ASSERT_OK(PutAt("a", 9, "v"));
  ASSERT_OK(PutAt("b", 4, "v"));
  ASSERT_OK(PutAt("c", 6, "v"));
  ASSERT_OK(Flush());
  TablePropertiesCollection tables;
  ASSERT_OK(db_->GetPropertiesOfAllTables(&tables));
  ASSERT_EQ(1u, tables.size());
  const auto& extra = tables.begin()->second->user_collected_properties;
  EXPECT_EQ(Ts(4), extra.at("rocksdb.timestamp_min"));
  EXPECT_EQ(Ts(9), extra.at("rocksdb.timestamp_max"));
}

// --- OpenAndTrimHistory

class TrimHistoryTest : public TimestampTest {
 protected:
  Status Trim(uint64_t newest) {
    Shut();
    std::vector<ColumnFamilyHandle*> handles;
    const Status s = DB::OpenAndTrimHistory(options_, dir_, {{kDefaultColumnFamilyName, options_}},
                                            &handles, &db_, Ts(newest));
    for (ColumnFamilyHandle* handle : handles) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(handle));
    }
    EXPECT_EQ(s.ok(), db_ != nullptr);
    return s;
  }
  // In tables of two levels and in the log.
  void Fill() {
    ASSERT_OK(PutAt("a", 1, "a1"));
    ASSERT_OK(PutAt("b", 1, "b1"));
    ASSERT_OK(PutAt("c", 5, "c5"));
    ASSERT_OK(Flush());
    ASSERT_OK(Compact());
    ASSERT_OK(PutAt("a", 3, "a3"));
    ASSERT_OK(DeleteAt("b", 4));
    ASSERT_OK(Flush());
    ASSERT_OK(PutAt("a", 6, "a6"));
    ASSERT_OK(PutAt("d", 2, "d2"));
  }
};

TEST_F(TrimHistoryTest, WhatIsNewerIsAsIfItHadNeverBeen) {
  Open();
  Fill();
  ASSERT_OK(Trim(3));
  EXPECT_EQ("a=a3@3,b=b1@1,d=d2@2", ContentsAt(9));
  EXPECT_EQ("a=a1@1,b=b1@1", ContentsAt(1));
  EXPECT_EQ("NOT_FOUND", GetAt("c", 9));
  ASSERT_OK(PutAt("c", 4, "c4"));
  Open();
  EXPECT_EQ("a=a3@3,b=b1@1,c=c4@4,d=d2@2", ContentsAt(9));
}

TEST_F(TrimHistoryTest, TheMarkItselfStays) {
  Open();
  Fill();
  ASSERT_OK(Trim(6));
  EXPECT_EQ("a=a6@6,c=c5@5,d=d2@2", ContentsAt(9));
  ASSERT_OK(Trim(5));
  EXPECT_EQ("a=a3@3,c=c5@5,d=d2@2", ContentsAt(9));
  ASSERT_OK(Trim(0));
  EXPECT_EQ("", ContentsAt(9));
}

TEST_F(TrimHistoryTest, DeletionsOfRangesGo) {
  Open();
  Fill();
  ASSERT_OK(db_->DeleteRange(WriteOptions(), Family(), "a", "z", Ts(7)));
  EXPECT_EQ("", ContentsAt(9));
  ASSERT_OK(Trim(6));
  EXPECT_EQ("a=a6@6,c=c5@5,d=d2@2", ContentsAt(9));
}

TEST_F(TrimHistoryTest, UniversalStyle) {
  options_.compaction_style = kCompactionStyleUniversal;
  Open();
  Fill();
  ASSERT_OK(Trim(3));
  EXPECT_EQ("a=a3@3,b=b1@1,d=d2@2", ContentsAt(9));
}

TEST_F(TrimHistoryTest, FamiliesWithoutTimestampsStayAsTheyAre) {
  options_.comparator = BytewiseComparator();
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Trim(3));
  EXPECT_EQ("a=1", Contents());
}

TEST_F(TrimHistoryTest, WithoutFlushesAtRecoveryItIsRefused) {
  Open();
  Fill();
  options_.avoid_flush_during_recovery = true;
  EXPECT_CODE(InvalidArgument, Trim(3));
  Open();
  EXPECT_EQ("a=a6@6,c=c5@5,d=d2@2", ContentsAt(9));
}

}  // namespace
}  // namespace conformance
