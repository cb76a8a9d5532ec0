// WriteBatchWithIndex where RocksDB 7, which the conformance tests run on, has no such thing or
// does otherwise: entities, figures, bounds on both sides, memory that is short, iterators over a
// batch that grows, and many readers at once.
#include "rocksdb/utilities/write_batch_with_index.h"

#include <atomic>
#include <memory>

#include "base/allocation.h"
#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/merge_operator.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;
using testing::Text;

// Operands behind the value, and behind an entity's default column.
class Append final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
             Logger*) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "+" + value.ToString();
    return true;
  }
  const char* Name() const override { return "Append"; }
};

class WriteBatchWithIndexTest : public testing::DbTest {
 protected:
  void SetUp() override {
    Options options = SmallOptions();
    options.merge_operator = std::make_shared<Append>();
    const Status s = TryOpen(options);
    ASSERT_TRUE(s.ok()) << s.ToString();
    family_ = db_->DefaultColumnFamily();
  }

  std::string Entity(const std::string& key) {
    PinnableWideColumns columns;
    const Status s =
        batch_.GetEntityFromBatchAndDB(db_.get(), ReadOptions(), family_, key, &columns);
    return s.ok() ? Text(columns.columns()) : s.ToString();
  }
  std::string Value(const std::string& key) {
    std::string value;
    const Status s = batch_.GetFromBatchAndDB(db_.get(), ReadOptions(), key, &value);
    return s.ok() ? value : s.ToString();
  }
  std::unique_ptr<Iterator> Scan(const ReadOptions& options = ReadOptions()) {
    return std::unique_ptr<Iterator>(
        batch_.NewIteratorWithBase(family_, db_->NewIterator(options), &options));
  }
  void PutDb(const std::string& key, const std::string& value) {
    ASSERT_TRUE(db_->Put(WriteOptions(), key, value).ok());
  }

  ColumnFamilyHandle* family_ = nullptr;
  WriteBatchWithIndex batch_{BytewiseComparator(), 0, /*overwrite_key=*/true};
};

TEST_F(WriteBatchWithIndexTest, EntitiesAreReadAsColumnsAndAsValues) {
  ASSERT_TRUE(batch_.PutEntity(family_, "e", {{"", "default"}, {"x", "1"}}).ok());
  ASSERT_TRUE(batch_.PutEntity(family_, "n", {{"y", "2"}}).ok());
  ASSERT_TRUE(batch_.Put("p", "plain").ok());
  EXPECT_EQ(":default,x:1", Entity("e"));
  EXPECT_EQ("default", Value("e"));
  EXPECT_EQ("y:2", Entity("n"));
  EXPECT_EQ("", Value("n"));
  EXPECT_EQ(":plain", Entity("p"));
  PinnableWideColumns columns;
  ASSERT_TRUE(batch_.GetEntityFromBatch(family_, "e", &columns).ok());
  EXPECT_EQ(":default,x:1", Text(columns.columns()));
  EXPECT_TRUE(batch_.GetEntityFromBatch(family_, "none", &columns).IsNotFound());
  EXPECT_TRUE(columns.columns().empty());
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->SeekToFirst();
  EXPECT_EQ(kPutEntityRecord, it->Entry().type);
}

TEST_F(WriteBatchWithIndexTest, EntitiesOfTheDatabaseShowThrough) {
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family_, "e", {{"", "d"}, {"x", "1"}}).ok());
  EXPECT_EQ(":d,x:1", Entity("e"));
  ASSERT_TRUE(batch_.Merge(family_, "e", "m").ok());
  EXPECT_EQ(":d+m,x:1", Entity("e"));
  EXPECT_EQ("d+m", Value("e"));
  ASSERT_TRUE(batch_.PutEntity(family_, "f", {{"y", "2"}}).ok());
  ASSERT_TRUE(batch_.Merge(family_, "f", "m").ok());
  // (Operands over an entity stand on its default column, an empty one if it has none.)
  EXPECT_EQ(":+m,y:2", Entity("f"));
  const std::unique_ptr<Iterator> it = Scan();
  it->SeekToFirst();
  EXPECT_EQ(":d+m,x:1", Text(it->columns()));
  EXPECT_EQ("d+m", it->value());
  it->Next();
  EXPECT_EQ(":+m,y:2", Text(it->columns()));
  EXPECT_EQ("+m", it->value());
}

TEST_F(WriteBatchWithIndexTest, ManyEntitiesAtOnce) {
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family_, "a", {{"x", "1"}}).ok());
  PutDb("b", "db");
  ASSERT_TRUE(batch_.Merge(family_, "b", "m").ok());
  ASSERT_TRUE(batch_.PutEntity(family_, "c", {{"y", "2"}}).ok());
  ASSERT_TRUE(batch_.Delete("d").ok());
  const Slice keys[] = {"a", "b", "c", "d", "e"};
  PinnableWideColumns results[5];
  Status statuses[5];
  batch_.MultiGetEntityFromBatchAndDB(db_.get(), ReadOptions(), family_, 5, keys, results, statuses,
                                      false);
  EXPECT_EQ("x:1", Text(results[0].columns()));
  EXPECT_EQ(":db+m", Text(results[1].columns()));
  EXPECT_EQ("y:2", Text(results[2].columns()));
  EXPECT_TRUE(statuses[3].IsNotFound());
  EXPECT_TRUE(statuses[4].IsNotFound());
}

TEST_F(WriteBatchWithIndexTest, MultiGetWithOperandsReadsEntitiesAsValues) {
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family_, "a", {{"", "d"}, {"x", "1"}}).ok());
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), family_, "b", {{"x", "1"}}).ok());
  ASSERT_TRUE(batch_.Merge(family_, "c", "m").ok());
  const Slice keys[] = {"a", "b", "c"};
  PinnableSlice values[3];
  Status statuses[3];
  batch_.MultiGetFromBatchAndDB(db_.get(), ReadOptions(), family_, 3, keys, values, statuses, true);
  for (const Status& s : statuses) EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("d", values[0]);
  EXPECT_EQ("", values[1]);
  EXPECT_EQ("m", values[2]);
}

TEST_F(WriteBatchWithIndexTest, BadArgumentsOfEntities) {
  PinnableWideColumns columns;
  EXPECT_TRUE(batch_.PutEntity(nullptr, "k", {{"x", "1"}}).IsInvalidArgument());
  EXPECT_TRUE(batch_.PutEntity("k", AttributeGroups()).IsInvalidArgument());
  EXPECT_TRUE(batch_.PutEntity("k", AttributeGroups{AttributeGroup(family_, {})}).IsNotSupported());
  EXPECT_TRUE(batch_.PutEntity(family_, "k", {{"x", "1"}, {"x", "2"}}).IsCorruption());
  EXPECT_TRUE(batch_.GetEntityFromBatch(nullptr, "k", &columns).IsInvalidArgument());
  EXPECT_TRUE(batch_.GetEntityFromBatch(family_, "k", nullptr).IsInvalidArgument());
  const ReadOptions options;
  EXPECT_TRUE(
      batch_.GetEntityFromBatchAndDB(nullptr, options, family_, "k", &columns).IsInvalidArgument());
  EXPECT_TRUE(batch_.GetEntityFromBatchAndDB(db_.get(), options, nullptr, "k", &columns)
                  .IsInvalidArgument());
  EXPECT_TRUE(batch_.GetEntityFromBatchAndDB(db_.get(), options, family_, "k", nullptr)
                  .IsInvalidArgument());
  const Slice key = "k";
  Status status;
  batch_.MultiGetEntityFromBatchAndDB(db_.get(), options, nullptr, 1, &key, &columns, &status,
                                      false);
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_EQ(0u, batch_.GetWBWIOpCount());
}

TEST_F(WriteBatchWithIndexTest, CountsWhatItHas) {
  ASSERT_TRUE(batch_.Put("a", "1").ok());
  ASSERT_TRUE(batch_.Put("a", "2").ok());
  ASSERT_TRUE(batch_.PutLogData("blob").ok());
  batch_.SetSavePoint();
  ASSERT_TRUE(batch_.Put("b", "1").ok());
  EXPECT_EQ(3u, batch_.GetWBWIOpCount());
  EXPECT_EQ(2u, batch_.GetCFStats().at(0).entry_count);
  EXPECT_TRUE(batch_.GetOverwriteKey());
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->SeekToFirst();
  EXPECT_EQ(2u, it->GetUpdateCount());
  EXPECT_FALSE(it->HasOverWrittenSingleDel());
  ASSERT_TRUE(batch_.RollbackToSavePoint().ok());
  EXPECT_EQ(2u, batch_.GetWBWIOpCount());
  EXPECT_EQ(1u, batch_.GetCFStats().at(0).entry_count);
  batch_.Clear();
  EXPECT_EQ(0u, batch_.GetWBWIOpCount());
  EXPECT_TRUE(batch_.GetCFStats().empty());
}

TEST_F(WriteBatchWithIndexTest, WhatThereIsNoMemoryForIsRefusedWhole) {
  const std::string large(1 << 20, 'x');
  ASSERT_TRUE(batch_.Put("a", "1").ok());
  FailAllocationsFrom(1 << 20);
  EXPECT_TRUE(batch_.Put("b", large).IsMemoryLimit());
  FailAllocationsFrom(0);
  EXPECT_EQ("NotFound: ", Value("b"));
  EXPECT_EQ("1", Value("a"));
  // The index's own: the batch is as before, too.
  for (int i = 0; batch_.GetWBWIOpCount() < 8; ++i) ASSERT_TRUE(batch_.Put(Key(i), "v").ok());
  batch_.SetMaxBytes(0);
  const size_t size = batch_.GetDataSize();
  FailAllocationsFrom(1);
  Status s;
  for (int i = 100; s.ok() && i < 200; ++i) s = batch_.Put(Key(i), "v");
  FailAllocationsFrom(0);
  EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
  EXPECT_EQ(size, batch_.GetDataSize());
}

TEST_F(WriteBatchWithIndexTest, ScansKeepWithinTheirBounds) {
  for (int i = 0; i < 20; i += 2) PutDb(Key(i), "db");
  for (int i = 1; i < 20; i += 2) ASSERT_TRUE(batch_.Put(Key(i), "batch").ok());
  const std::string low = Key(5), high = Key(15);
  const Slice lower(low), upper(high);
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it = Scan(options);
  int i = 5;
  for (it->SeekToFirst(); it->Valid(); it->Next()) EXPECT_EQ(Key(i++), it->key());
  EXPECT_EQ(15, i);
  for (it->SeekToLast(); it->Valid(); it->Prev()) EXPECT_EQ(Key(--i), it->key());
  EXPECT_EQ(5, i);
  it->Seek(Key(1));
  EXPECT_EQ(Key(5), it->key());
  it->SeekForPrev(Key(19));
  EXPECT_EQ(Key(14), it->key());
  it->Seek(Key(16));
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(Key(4));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(WriteBatchWithIndexTest, ScansSeeWhatIsAddedBeyondTheBatchsNextEntry) {
  PutDb(Key(10), "db");
  PutDb(Key(30), "db");
  const std::unique_ptr<Iterator> it = Scan();
  it->SeekToFirst();
  ASSERT_EQ(Key(10), it->key());
  ASSERT_TRUE(batch_.Put(Key(20), "batch").ok());
  it->Next();
  EXPECT_EQ(Key(30), it->key());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Key(20), it->key());
  it->Seek(Key(20));
  ASSERT_TRUE(batch_.Put(Key(15), "behind").ok());
  ASSERT_TRUE(batch_.Put(Key(25), "ahead").ok());
  it->Next();
  EXPECT_EQ(Key(25), it->key());
  it->Next();
  EXPECT_EQ(Key(30), it->key());
  ASSERT_TRUE(batch_.Put(Key(28), "behind").ok());
  it->Prev();
  EXPECT_EQ(Key(28), it->key());
}

TEST_F(WriteBatchWithIndexTest, ScansGoOnAfterARollbackOfWhatIsAhead) {
  for (const int i : {10, 20, 40}) PutDb(Key(i), "db");
  ASSERT_TRUE(batch_.Put(Key(30), "batch").ok());
  batch_.SetSavePoint();
  ASSERT_TRUE(batch_.Put(Key(15), "taken back").ok());
  const std::unique_ptr<Iterator> it = Scan();
  it->SeekToFirst();
  ASSERT_TRUE(batch_.RollbackToSavePoint().ok());
  std::string seen;
  for (it->Next(); it->Valid(); it->Next()) seen += it->key().ToString() + " ";
  EXPECT_EQ(Key(20) + " " + Key(30) + " " + Key(40) + " ", seen);
}

// The current entry's slices are asked for anew after the batch grew, and perhaps moved.
TEST_F(WriteBatchWithIndexTest, ScansShowTheirEntryAfterTheBatchMoved) {
  ASSERT_TRUE(batch_.Put("a", "value").ok());
  const std::unique_ptr<Iterator> it = Scan();
  it->SeekToFirst();
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(batch_.Put(Key(i), std::string(100, 'x')).ok());
  EXPECT_EQ("a", it->key());
  EXPECT_EQ("value", it->value());
  EXPECT_EQ(":value", Text(it->columns()));
}

// A whole random history, scanned in all directions while it goes on.
TEST_F(WriteBatchWithIndexTest, RandomScansBehaveLikeTheModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Contents model;
  for (int i = 0; i < 200; ++i) {
    const std::string key = Key(random.Uniform(400));
    PutDb(key, "db");
    model[key] = "db";
  }
  const std::unique_ptr<Iterator> it = Scan();
  for (int i = 0; i < 5000; ++i) {
    const std::string key = Key(random.Uniform(400));
    const bool is_current = it->Valid() && it->key() == key;
    const uint64_t operation = is_current ? 9 : random.Uniform(14);
    switch (operation) {
      case 0:
        ASSERT_TRUE(batch_.Delete(key).ok());
        model.erase(key);
        break;
      case 1:
        ASSERT_TRUE(batch_.Put(key, std::to_string(i)).ok());
        model[key] = std::to_string(i);
        break;
      case 2:
        ASSERT_TRUE(batch_.Merge(family_, key, "m").ok());
        model[key] = model.contains(key) ? model[key] + "+m" : "m";
        break;
      case 3:
        it->Seek(key);
        ASSERT_EQ(model.lower_bound(key) != model.end(), it->Valid());
        break;
      case 4:
        it->SeekForPrev(key);
        ASSERT_EQ(model.upper_bound(key) != model.begin(), it->Valid());
        break;
      default: {
        if (!it->Valid()) break;
        const std::string at = it->key().ToString();
        if (random.Uniform(2) == 0) {
          it->Next();
          const auto next = model.upper_bound(at);
          ASSERT_EQ(next != model.end(), it->Valid());
          if (it->Valid()) {
            ASSERT_EQ(next->first, it->key());
          }
        } else {
          it->Prev();
          const auto at_or_behind = model.lower_bound(at);
          ASSERT_EQ(at_or_behind != model.begin(), it->Valid());
          if (it->Valid()) {
            ASSERT_EQ(std::prev(at_or_behind)->first, it->key());
          }
        }
        if (it->Valid()) {
          ASSERT_EQ(model[it->key().ToString()], it->value()) << it->key().ToString();
        }
      }
    }
    // Only a seek is sure to show what was added.
    if (operation < 3 && it->Valid()) {
      const std::string at = it->key().ToString();
      random.Uniform(2) == 0 ? it->Seek(at) : it->SeekForPrev(at);
      ASSERT_EQ(at, it->key());
    }
    ASSERT_TRUE(it->status().ok());
  }
}

TEST_F(WriteBatchWithIndexTest, IteratorsWithoutADatabasesHandle) {
  class Handle final : public ColumnFamilyHandle {
   public:
    const std::string& GetName() const override { return name_; }
    uint32_t GetID() const override { return 7; }
    Status GetDescriptor(ColumnFamilyDescriptor*) override { return Status::NotSupported(); }
    const Comparator* GetComparator() const override { return ReverseBytewiseComparator(); }

   private:
    const std::string name_ = "made up";
  };
  Handle handle;
  ASSERT_TRUE(batch_.Put(&handle, "a", "1").ok());
  ASSERT_TRUE(batch_.Put(&handle, "b", "2").ok());
  std::unique_ptr<Iterator> it(batch_.NewIteratorWithBase(&handle, NewEmptyIterator()));
  it->SeekToFirst();
  EXPECT_EQ("b", it->key());
  ASSERT_TRUE(batch_.Merge(&handle, "a", "m").ok());
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsInvalidArgument());
}

TEST_F(WriteBatchWithIndexTest, AnErrorOfTheBaseEndsTheScan) {
  ASSERT_TRUE(batch_.Put("a", "1").ok());
  std::unique_ptr<Iterator> it(
      batch_.NewIteratorWithBase(family_, NewErrorIterator(Status::Corruption("on purpose"))));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption());
}

// Nobody changes it, so many may read it: threads and fibers at once.
TEST_F(WriteBatchWithIndexTest, ManyReadersAtOnce) {
  for (int i = 0; i < 2000; ++i) {
    PutDb(Key(i), "db");
    if (i % 3 == 0) {
      ASSERT_TRUE(batch_.Put(Key(i), "batch").ok());
    }
  }
  std::atomic<int> wrong{0};
  const auto look = [&](uint64_t seed) {
    Random64 random(seed);
    for (int i = 0; i < 500; ++i) {
      const uint64_t k = random.Uniform(2000);
      std::string value;
      const Status s = batch_.GetFromBatchAndDB(db_.get(), ReadOptions(), Key(k), &value);
      if (!s.ok() || value != (k % 3 == 0 ? "batch" : "db")) ++wrong;
    }
    const std::unique_ptr<Iterator> it = Scan();
    int seen = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    if (seen != 2000) ++wrong;
  };
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  fiber::Thread thread("reader", [&] { look(1); });
  runtime.run([&] {
    std::vector<fiber::JoinHandle> fibers;
    for (uint64_t i = 2; i < 6; ++i) fibers.push_back(runtime.spawn([&, i] { look(i); }));
    for (fiber::JoinHandle& f : fibers) f.join();
  });
  thread.join();
  EXPECT_EQ(0, wrong.load());
}

}  // namespace
}  // namespace cairn
