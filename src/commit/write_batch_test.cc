#include "rocksdb/write_batch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "commit/batch_apply.h"
#include "fiber/random.h"
#include "rocksdb/db.h"

namespace cairn {
namespace {

class FakeFamily : public ColumnFamilyHandle {
 public:
  explicit FakeFamily(uint32_t id) : id_(id) {}
  const std::string& GetName() const override { return name_; }
  uint32_t GetID() const override { return id_; }
  Status GetDescriptor(ColumnFamilyDescriptor*) override { return Status::NotSupported(); }
  const Comparator* GetComparator() const override { return BytewiseComparator(); }

 private:
  const uint32_t id_;
  const std::string name_ = "fake";
};

class Printer : public WriteBatch::Handler {
 public:
  std::string out;
  int stop_after = -1;

  Status PutCF(uint32_t cf, const Slice& k, const Slice& v) override {
    return Print("Put", cf, k.ToString() + "=" + v.ToString());
  }
  Status DeleteCF(uint32_t cf, const Slice& k) override {
    return Print("Delete", cf, k.ToString());
  }
  Status SingleDeleteCF(uint32_t cf, const Slice& k) override {
    return Print("SingleDelete", cf, k.ToString());
  }
  Status DeleteRangeCF(uint32_t cf, const Slice& b, const Slice& e) override {
    return Print("DeleteRange", cf, b.ToString() + ".." + e.ToString());
  }
  Status MergeCF(uint32_t cf, const Slice& k, const Slice& v) override {
    return Print("Merge", cf, k.ToString() + "+" + v.ToString());
  }
  void LogData(const Slice& blob) override { (void)Print("LogData", 0, blob.ToString()); }
  bool Continue() override { return stop_after < 0 || stop_after-- > 0; }

 private:
  Status Print(const char* what, uint32_t cf, const std::string& text) {
    out += std::string(what) + (cf == 0 ? "" : "@" + std::to_string(cf)) + "(" + text + ")";
    return Status::OK();
  }
};

std::string Print(const WriteBatch& batch) {
  Printer printer;
  Status s = batch.Iterate(&printer);
  return s.ok() ? printer.out : printer.out + " " + s.ToString();
}

TEST(WriteBatchTest, HasTheWireFormat) {
  WriteBatch batch;
  EXPECT_EQ(batch.Data(), std::string(12, '\0'));
  ASSERT_TRUE(batch.Put("k", "vv").ok());
  FakeFamily family(300);
  ASSERT_TRUE(batch.Delete(&family, "d").ok());
  ASSERT_TRUE(batch.PutLogData("log").ok());
  WriteBatchInternal::SetSequence(&batch, 0x0102);
  EXPECT_EQ(batch.Data(), std::string("\x02\x01\0\0\0\0\0\0"
                                      "\x02\0\0\0"
                                      "\x01\x01k\x02vv"
                                      "\x04\xac\x02\x01"
                                      "d"
                                      "\x03\x03log",
                                      28));
  EXPECT_EQ(batch.Count(), 2u) << "log data does not count";
}

TEST(WriteBatchTest, IteratesInOrder) {
  WriteBatch batch;
  FakeFamily family(2);
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put(&family, "b", "2").ok());
  ASSERT_TRUE(batch.Delete("c").ok());
  ASSERT_TRUE(batch.SingleDelete("d").ok());
  ASSERT_TRUE(batch.SingleDelete(&family, "e").ok());
  ASSERT_TRUE(batch.Merge("f", "x").ok());
  ASSERT_TRUE(batch.Merge(&family, "g", "y").ok());
  ASSERT_TRUE(batch.DeleteRange("h", "i").ok());
  ASSERT_TRUE(batch.DeleteRange(&family, "j", "k").ok());
  ASSERT_TRUE(batch.PutLogData("blob").ok());
  EXPECT_EQ(Print(batch),
            "Put(a=1)Put@2(b=2)Delete(c)SingleDelete(d)SingleDelete@2(e)Merge(f+x)Merge@2(g+y)"
            "DeleteRange(h..i)DeleteRange@2(j..k)LogData(blob)");
  EXPECT_EQ(batch.Count(), 9u);
  EXPECT_TRUE(batch.HasPut() && batch.HasDelete() && batch.HasSingleDelete() && batch.HasMerge() &&
              batch.HasDeleteRange());
  EXPECT_FALSE(batch.HasCommit() || batch.HasPutEntity());
  // The same when it must be found out from the bytes.
  WriteBatch copy(batch.Data());
  EXPECT_TRUE(copy.HasPut() && copy.HasDelete() && copy.HasSingleDelete() && copy.HasMerge() &&
              copy.HasDeleteRange());
  EXPECT_FALSE(copy.HasCommit() || copy.HasRollback());
  Printer printer;
  printer.stop_after = 2;
  EXPECT_TRUE(batch.Iterate(&printer).ok());
  EXPECT_EQ(printer.out, "Put(a=1)Put@2(b=2)");
}

TEST(WriteBatchTest, JoinsParts) {
  WriteBatch batch;
  const Slice key[] = {"a", "", "bc"};
  const Slice value[] = {"1", "23"};
  ASSERT_TRUE(batch.Put(SliceParts(key, 3), SliceParts(value, 2)).ok());
  ASSERT_TRUE(batch.Delete(SliceParts(key, 3)).ok());
  EXPECT_EQ(Print(batch), "Put(abc=123)Delete(abc)");
}

TEST(WriteBatchTest, ReturnsToSavePoints) {
  WriteBatch batch;
  EXPECT_TRUE(batch.RollbackToSavePoint().IsNotFound());
  EXPECT_TRUE(batch.PopSavePoint().IsNotFound());
  ASSERT_TRUE(batch.Put("a", "1").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Delete("b").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Put("c", "3").ok());
  ASSERT_TRUE(batch.PopSavePoint().ok());
  ASSERT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_EQ(Print(batch), "Put(a=1)");
  EXPECT_FALSE(batch.HasDelete());
  batch.SetSavePoint();
  batch.Clear();
  EXPECT_EQ(batch.Count(), 0u);
  EXPECT_TRUE(batch.RollbackToSavePoint().IsNotFound());
}

TEST(WriteBatchTest, KeepsToItsLimit) {
  WriteBatch batch(0, 30);
  ASSERT_TRUE(batch.Put("a", "0123456789").ok());
  EXPECT_TRUE(batch.Put("b", "0123456789").IsMemoryLimit());
  EXPECT_EQ(Print(batch), "Put(a=0123456789)");
  EXPECT_EQ(batch.Count(), 1u);
}

TEST(WriteBatchTest, CopiesAndMoves) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  batch.SetSavePoint();
  ASSERT_TRUE(batch.Put("b", "2").ok());
  WriteBatch copy(batch);
  ASSERT_TRUE(copy.RollbackToSavePoint().ok());
  EXPECT_EQ(Print(copy), "Put(a=1)");
  EXPECT_EQ(Print(batch), "Put(a=1)Put(b=2)");
  WriteBatch moved(std::move(batch));
  EXPECT_EQ(Print(moved), "Put(a=1)Put(b=2)");
  // NOLINTNEXTLINE(bugprone-use-after-move): what is left behind is what this looks at
  EXPECT_EQ(Print(batch), "") << "empty and usable";
  copy = moved;
  EXPECT_EQ(Print(copy), "Put(a=1)Put(b=2)");
  copy = std::move(moved);
  EXPECT_EQ(Print(copy), "Put(a=1)Put(b=2)");
}

TEST(WriteBatchTest, AppendsAndCutsForTheLog) {
  WriteBatch a, b;
  ASSERT_TRUE(a.Put("a", "1").ok());
  ASSERT_TRUE(b.Put("b", "2").ok());
  b.MarkWalTerminationPoint();
  ASSERT_TRUE(b.Delete("c").ok());
  uint32_t logged = 0;
  EXPECT_EQ(WriteBatchInternal::LoggedRecords(&b, &logged).size(), 5u);
  EXPECT_EQ(logged, 1u);
  ASSERT_TRUE(WriteBatchInternal::Append(&a, &b).ok());
  EXPECT_EQ(Print(a), "Put(a=1)Put(b=2)Delete(c)");
  EXPECT_TRUE(a.HasDelete());
}

TEST(WriteBatchTest, SaysWhatCannotBeWritten) {
  const auto check = [](auto fill) {
    WriteBatch batch;
    fill(&batch);
    WriteBatch raw(batch.Data());
    const Status s = WriteBatchInternal::CheckWritable(&batch);
    EXPECT_EQ(s.ToString(), WriteBatchInternal::CheckWritable(&raw).ToString());
    return s;
  };
  EXPECT_TRUE(check([](WriteBatch* b) { EXPECT_TRUE(b->Put("a", "b").ok()); }).ok());
  EXPECT_TRUE(check([](WriteBatch* b) { EXPECT_TRUE(b->Merge("a", "b").ok()); }).ok());
  EXPECT_TRUE(check([](WriteBatch* b) { EXPECT_TRUE(b->DeleteRange("a", "b").ok()); }).ok());
  FakeFamily family(1);
  WriteBatch batch;
  EXPECT_FALSE(WriteBatchInternal::NeedsFamilies(&batch));
  EXPECT_TRUE(batch.Put(&family, "a", "b").ok());
  EXPECT_TRUE(WriteBatchInternal::NeedsFamilies(&batch));
}

// Any damage is an error or another valid batch, never a crash or a read beyond the end (run under
// asan).
TEST(WriteBatchTest, SurvivesDamage) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  WriteBatch good;
  FakeFamily family(5);
  ASSERT_TRUE(good.Put("key", std::string(200, 'v')).ok());
  ASSERT_TRUE(good.Delete(&family, "key").ok());
  ASSERT_TRUE(good.DeleteRange("a", "b").ok());
  for (size_t cut = 0; cut < good.GetDataSize(); ++cut) {
    WriteBatch batch(good.Data().substr(0, cut));
    Printer printer;
    EXPECT_TRUE(batch.Iterate(&printer).IsCorruption()) << cut;
    EXPECT_TRUE(WriteBatchInternal::CheckWritable(&batch).IsCorruption()) << cut;
  }
  for (int i = 0; i < 20000; ++i) {
    std::string bytes = good.Data();
    for (int flips = 0; flips < 3; ++flips) {
      bytes[random.Uniform(bytes.size())] ^= static_cast<char>(1 << random.Uniform(8));
    }
    // Exactly as much memory as bytes, so that asan sees any step beyond.
    std::vector<char> exact(bytes.begin(), bytes.end());
    BatchReader reader(Slice(exact.data(), exact.size()));
    BatchRecord record;
    size_t sum = 0;
    while (reader.Next(&record)) {
      for (size_t j = 0; j < record.value.size(); ++j) sum += record.value[j];
      for (size_t j = 0; j < record.key.size(); ++j) sum += record.key[j];
    }
    EXPECT_NE(sum, size_t{1} << 40);
  }
}

class BatchApplyTest : public ::testing::Test {
 protected:
  BatchApplyTest()
      : comparator_(BytewiseComparator()),
        table_(new MemTable(comparator_, {}, 0)),
        sink_(table_) {}
  ~BatchApplyTest() override { table_->Unref(); }

  std::string Get(const std::string& key, SequenceNumber snapshot) {
    Slice value;
    Status s;
    SequenceNumber seq = 0;
    if (!table_->Get(LookupKey(key, snapshot), &value, &s, &seq)) return "ABSENT";
    return (s.ok() ? value.ToString() : "DELETED") + "@" + std::to_string(seq);
  }

  const InternalKeyComparator comparator_;
  MemTable* table_;
  SingleMemTableSink sink_;
};

TEST_F(BatchApplyTest, NumbersTheRecords) {
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.PutLogData("no number").ok());
  ASSERT_TRUE(batch.Delete("b").ok());
  ASSERT_TRUE(batch.Put("a", "2").ok());
  SequenceNumber next = 0;
  ASSERT_TRUE(ApplyBatch(batch.Data(), 10, &sink_, false, false, &next).ok());
  EXPECT_EQ(next, 13u);
  EXPECT_EQ(Get("a", 10), "1@10");
  EXPECT_EQ(Get("a", 20), "2@12");
  EXPECT_EQ(Get("b", 20), "DELETED@11");
  EXPECT_EQ(table_->num_entries(), 3u);
  EXPECT_EQ(table_->num_deletes(), 1u);
}

TEST_F(BatchApplyTest, SkippedFamiliesKeepTheirNumbers) {
  FakeFamily family(7);
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put(&family, "x", "1").ok());
  ASSERT_TRUE(batch.Put("b", "1").ok());
  EXPECT_TRUE(ApplyBatch(batch.Data(), 1, &sink_, false).IsInvalidArgument());
  SequenceNumber next = 0;
  ASSERT_TRUE(ApplyBatch(batch.Data(), 10, &sink_, true, /*ignore=*/true, &next).ok());
  EXPECT_EQ(next, 13u);
  EXPECT_EQ(Get("b", 20), "1@12");
  // Recovery of what is flushed already: no table at all.
  SingleMemTableSink skip;
  WriteBatch merge;
  ASSERT_TRUE(merge.Merge("m", "1").ok());
  ASSERT_TRUE(ApplyBatch(merge.Data(), 20, &skip, false, false, &next).ok());
  EXPECT_EQ(next, 21u);
}

TEST_F(BatchApplyTest, RefusesWhatItCannotApply) {
  WriteBatch merge, blob;
  ASSERT_TRUE(merge.Merge("a", "1").ok());
  const Slice key("a"), value("b");
  const SliceParts value_parts(&value, 1);
  ASSERT_TRUE(
      WriteBatchInternal::AppendRecord(&blob, kTypeBlobIndex, 0, SliceParts(&key, 1), &value_parts)
          .ok());
  EXPECT_TRUE(ApplyBatch(blob.Data(), 1, &sink_, false).IsNotSupported());
  std::string wrong_count = merge.Data();
  wrong_count[8] = 2;
  SingleMemTableSink skip;
  EXPECT_TRUE(ApplyBatch(wrong_count, 1, &skip, false).IsCorruption());
  EXPECT_TRUE(ApplyBatch(Slice("short"), 1, &skip, false).IsCorruption());
}

}  // namespace
}  // namespace cairn
