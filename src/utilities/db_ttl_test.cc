// DBWithTTL under a simulated clock, and what the conformance tests (ttl_test.cc) cannot ask of
// RocksDB: all ways to read, filters of other kinds, and what is refused.
#include "rocksdb/utilities/db_ttl.h"

#include <memory>

#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/sync.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/write_batch.h"
#include "utilities/ttl_values.h"

namespace cairn {
namespace {

using testing::kDbName;

// Of another one: the last operand is the value.
class Last : public MergeOperator {
 public:
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    out->existing_operand = in.operand_list.back();
    return true;
  }
  const char* Name() const override { return "Last"; }
};

// Drops operands and values that say so, in compactions and, if asked to, in flushes.
class DropFactory : public CompactionFilterFactory {
 public:
  explicit DropFactory(bool in_flushes) : in_flushes_(in_flushes) {}
  bool ShouldFilterTableFileCreation(TableFileCreationReason reason) const override {
    return reason == TableFileCreationReason::kFlush ? in_flushes_ : !in_flushes_;
  }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& /*context*/) override {
    class Filter : public CompactionFilter {
     public:
      Decision FilterV2(int /*level*/, const Slice& /*key*/, ValueType /*type*/, const Slice& value,
                        std::string* /*new_value*/, std::string* /*skip_until*/) const override {
        return value == "drop" ? Decision::kRemove : Decision::kKeep;
      }
      const char* Name() const override { return "Drop"; }
    };
    return std::make_unique<Filter>();
  }
  const char* Name() const override { return "DropFactory"; }

 private:
  const bool in_flushes_;
};

class DbTtlTest : public testing::DbTest {
 protected:
  void OpenTtl(int32_t ttl) { OpenTtl(SmallOptions(), ttl); }
  void OpenTtl(const Options& options, int32_t ttl) {
    db_.reset();
    const Status s = DBWithTTL::Open(options, kDbName, &ttl_, ttl);
    ASSERT_TRUE(s.ok()) << s.ToString();
    db_.reset(ttl_);
  }
  void CompactAll() {
    CompactRangeOptions all;
    all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
  }

  DBWithTTL* ttl_ = nullptr;  // db_
};

TEST_F(DbTtlTest, ValuesGoOnceTheirTimeIsOver) {
  Simulate([&] {
    OpenTtl(100);
    Put("a", "1");
    Sleep(60);
    Put("b", "2");
    CompactAll();
    EXPECT_EQ(Get("a"), "1");
    Sleep(40);
    CompactAll();
    EXPECT_EQ(Get("a"), "1") << "a hundred seconds are not more than a hundred";
    Sleep(1);
    EXPECT_EQ(Get("a"), "1") << "until a compaction comes along";
    CompactAll();
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    EXPECT_EQ(Get("b"), "2");
    ttl_->SetTtl(10);
    CompactAll();
    EXPECT_EQ(Get("b"), "NOT_FOUND");
  });
}

TEST_F(DbTtlTest, AnIdleDatabaseForgetsWithinAMonth) {
  Simulate([&] {
    OpenTtl(100);
    Put("a", "1");
    CompactAll();
    Sleep(29 * 86400);
    EXPECT_EQ(Get("a"), "1");
    Sleep(2 * 86400);
    WaitForCompactions();
    EXPECT_EQ(Get("a"), "NOT_FOUND");
  });
}

TEST_F(DbTtlTest, TheMergedHaveTheTimeOfTheirMerge) {
  Simulate([&] {
    Options options = SmallOptions();
    options.merge_operator = std::make_shared<Last>();
    OpenTtl(options, 100);
    Put("k", "1");
    Sleep(200);
    ASSERT_TRUE(db_->Merge(WriteOptions(), "k", "2").ok());
    CompactAll();
    EXPECT_EQ(Get("k"), "2");
    Sleep(200);
    CompactAll();
    EXPECT_EQ(Get("k"), "NOT_FOUND");
  });
}

TEST_F(DbTtlTest, EveryWayToReadTakesTheTimeOff) {
  Options options = SmallOptions();
  options.merge_operator = std::make_shared<Last>();
  OpenTtl(options, 100);
  Put("a", "1");
  ASSERT_TRUE(db_->Merge(WriteOptions(), "a", "22").ok());
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();

  Slice keys[] = {"a", "none"};
  PinnableSlice values[2];
  Status statuses[2];
  db_->MultiGet(ReadOptions(), family, 2, keys, values, statuses);
  EXPECT_EQ(values[0].ToString(), "22");
  EXPECT_TRUE(statuses[1].IsNotFound());
  values[0].Reset();
  ColumnFamilyHandle* families[] = {family, family};
  db_->MultiGet(ReadOptions(), 2, families, keys, values, statuses);
  EXPECT_EQ(values[0].ToString(), "22");

  MultiScanArgs ranges(BytewiseComparator());
  ranges.insert("a", "b");
  const auto scans = db_->NewMultiScan(ReadOptions(), family, ranges);
  for (auto scan : *scans) {
    for (const auto& [key, value] : scan) EXPECT_EQ(value, "22") << key.ToString();
  }

  PinnableSlice operands[4];
  GetMergeOperandsOptions room;
  room.expected_max_number_of_operands = 4;
  int count = 0;
  ASSERT_TRUE(db_->GetMergeOperands(ReadOptions(), family, "a", operands, &room, &count).ok());
  ASSERT_EQ(count, 2);
  EXPECT_EQ(operands[0].ToString(), "1");
  EXPECT_EQ(operands[1].ToString(), "22");

  std::vector<Iterator*> iterators;
  ASSERT_TRUE(db_->NewIterators(ReadOptions(), {family, family}, &iterators).ok());
  for (Iterator* const raw : iterators) {
    const std::unique_ptr<Iterator> it(raw);
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value().ToString(), "22");
    EXPECT_EQ(testing::Text(it->columns()), ":22");
    ASSERT_TRUE(it->Refresh().ok());
  }

  struct Done : DB::AsyncCallback {
    void OnComplete(const PerfContext* /*perf*/, const IOStatsContext* /*io*/) override {
      event.set();
    }
    fiber::Event event;
  };
  Done first, second, third;
  std::string value;
  PinnableSlice pinned;
  Status s;
  db_->GetAsync(ReadOptions(), family, "a", &value, s, first);
  first.event.wait();
  EXPECT_EQ(value, "22");
  db_->GetAsync(ReadOptions(), family, "a", &pinned, s, second);
  second.event.wait();
  EXPECT_EQ(pinned.ToString(), "22");
  db_->MultiGetAsync(ReadOptions(), 2, families, keys, values, statuses, third);
  third.event.wait();
  EXPECT_EQ(values[0].ToString(), "22");
  EXPECT_TRUE(statuses[1].IsNotFound());
}

TEST_F(DbTtlTest, TheUsersFactoryFiltersTheJobsThatItWants) {
  for (const bool in_flushes : {false, true}) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    options.merge_operator = std::make_shared<Last>();
    options.compaction_filter_factory = std::make_shared<DropFactory>(in_flushes);
    OpenTtl(options, 100);
    Put("a", "drop");
    ASSERT_TRUE(db_->Merge(WriteOptions(), "b", "drop").ok());
    Put("c", "keep");
    Flush();
    EXPECT_EQ(Get("a"), in_flushes ? "NOT_FOUND" : "drop");
    EXPECT_EQ(Get("b"), in_flushes ? "NOT_FOUND" : "drop");
    CompactAll();
    EXPECT_EQ(Get("a"), "NOT_FOUND");
    EXPECT_EQ(Get("b"), "NOT_FOUND");
    EXPECT_EQ(Get("c"), "keep");
  }
}

TEST_F(DbTtlTest, RangesGoAndEntitiesAreRefused) {
  OpenTtl(100);
  Put("a", "1");
  Put("b", "2");
  WriteBatch batch;
  ASSERT_TRUE(batch.DeleteRange("b", "c").ok());
  ASSERT_TRUE(batch.SingleDelete("a").ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  EXPECT_EQ(Get("b"), "NOT_FOUND");

  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  const WideColumns columns{{"", "x"}, {"name", "y"}};
  EXPECT_TRUE(db_->PutEntity(WriteOptions(), family, "e", columns).IsNotSupported());
  WriteBatch entity;
  ASSERT_TRUE(entity.PutEntity(family, "e", columns).ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &entity).IsNotSupported());
  PinnableWideColumns result;
  EXPECT_TRUE(db_->GetEntity(ReadOptions(), family, "e", &result).IsNotSupported());
  EXPECT_TRUE(db_->NewCoalescingIterator(ReadOptions(), {family})->status().IsNotSupported());
  EXPECT_TRUE(db_->NewAttributeGroupIterator(ReadOptions(), {family})->status().IsNotSupported());
  EXPECT_FALSE(db_->Write(WriteOptions(), nullptr).ok());
}

TEST_F(DbTtlTest, IteratorsStopAtAValueWithoutATime) {
  OpenTtl(100);
  Put("a", "1");
  ASSERT_TRUE(ttl_->GetBaseDB()->Put(WriteOptions(), "b", "2").ok());
  Put("c", "3");
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
  it->Seek("c");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value().ToString(), "3");
  EXPECT_TRUE(it->status().ok());
  CompactAll();
  EXPECT_EQ(Get("c"), "3") << "a compaction leaves it to the reads";
}

TEST_F(DbTtlTest, FamiliesMadeTogetherAreWrapped) {
  OpenTtl(100);
  std::vector<ColumnFamilyHandle*> handles;
  ASSERT_TRUE(db_->CreateColumnFamilies(SmallOptions(), {"x", "y"}, &handles).ok());
  ASSERT_EQ(handles.size(), 2u);
  for (ColumnFamilyHandle* const handle : handles) {
    EXPECT_STREQ(db_->GetOptions(handle).compaction_filter_factory->Name(),
                 "TtlCompactionFilterFactory");
    delete handle;
  }
}

TEST(TtlValuesTest, ExpireAfterTheLastSecond) {
  std::string stored = "v";
  AppendTtlTime(2000000000, &stored);
  EXPECT_FALSE(IsExpired(stored, 10, 2000000010));
  EXPECT_TRUE(IsExpired(stored, 10, 2000000011));
  EXPECT_FALSE(IsExpired(stored, 10, 1000000000)) << "the clock went back";
  EXPECT_FALSE(IsExpired(stored, 0, UINT32_MAX));
  EXPECT_FALSE(IsExpired(stored, INT32_MAX, 4100000000)) << "no sum wraps around";
  EXPECT_FALSE(IsExpired("abc", 10, UINT32_MAX));
}

}  // namespace
}  // namespace cairn
