// Merge: operands over values, in memory and in files, at snapshots, in both directions, and what a
// failing operator does.
#include "rocksdb/merge_operator.h"

#include <memory>

#include "conformance.h"
#include "rocksdb/convenience.h"

namespace conformance {
namespace {

// Appends "+operand"; fails on values or operands that contain "bad".
class Append : public AssociativeMergeOperator {
 public:
  const char* Name() const override { return "ConformanceAppend"; }
  bool Merge(const Slice&, const Slice* existing, const Slice& value, std::string* result,
             Logger*) const override {
    if (value == Slice("bad")) return false;
    *result = (existing == nullptr ? "" : existing->ToString()) + "+" + value.ToString();
    return true;
  }
};

// The same, but operands must be applied to the value all at once.
class AppendFull : public MergeOperator {
 public:
  const char* Name() const override { return "ConformanceAppendFull"; }
  bool FullMergeV2(const MergeOperationInput& in, MergeOperationOutput* out) const override {
    out->new_value = in.existing_value == nullptr ? "" : in.existing_value->ToString();
    for (const Slice& operand : in.operand_list) out->new_value += "+" + operand.ToString();
    return true;
  }
};

class MergeTest : public DBTest {
 protected:
  MergeTest() {
    options_.merge_operator = std::make_shared<AppendFull>();
    options_.disable_auto_compactions = true;
  }
  Status Merge(const std::string& key, const std::string& operand) {
    return db_->Merge(WriteOptions(), key, operand);
  }
  void Use(const std::string& name) {
    ASSERT_OK(MergeOperator::CreateFromString(ConfigOptions(), name, &options_.merge_operator));
    ASSERT_NE(nullptr, options_.merge_operator) << name;
  }
};

TEST_F(MergeTest, OperandsAreAppliedInOrderWhereverTheyLie) {
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Merge("a", "1"));
  ASSERT_OK(Merge("b", "1"));
  EXPECT_EQ("v+1", Get("a"));
  EXPECT_EQ("+1", Get("b"));
  ASSERT_OK(Flush());
  ASSERT_OK(Merge("a", "2"));
  ASSERT_OK(Merge("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Merge("a", "3"));
  EXPECT_EQ("v+1+2+3", Get("a"));
  EXPECT_EQ("a=v+1+2+3,b=+1+2", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=v+1+2+3,b=+1+2", Contents());
  Open();
  ASSERT_OK(Merge("c", "1"));
  EXPECT_EQ("a=v+1+2+3,b=+1+2,c=+1", Contents());
}

TEST_F(MergeTest, ADeletionIsTheEndOfWhatIsMerged) {
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Merge("a", "1"));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Merge("a", "2"));
  ASSERT_OK(Put("b", "v"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->SingleDelete(WriteOptions(), "b"));
  ASSERT_OK(Merge("b", "2"));
  ASSERT_OK(Merge("c", "1"));
  ASSERT_OK(Delete("c"));
  EXPECT_EQ("a=+2,b=+2", Contents());
  EXPECT_EQ("+2", Get("a"));
  EXPECT_EQ("NOT_FOUND", Get("c"));
  ASSERT_OK(Flush());
  EXPECT_EQ("a=+2,b=+2", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=+2,b=+2", Contents());
}

TEST_F(MergeTest, ASnapshotKeepsItsOperands) {
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Merge("a", "1"));
  const Snapshot* first = db_->GetSnapshot();
  ASSERT_OK(Merge("a", "2"));
  ASSERT_OK(Flush());
  const Snapshot* second = db_->GetSnapshot();
  ASSERT_OK(Merge("a", "3"));
  ASSERT_OK(Merge("a", "4"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ("v+1", Get("a", first));
    EXPECT_EQ("v+1+2", Get("a", second));
    EXPECT_EQ("v+1+2+3+4", Get("a"));
    ReadOptions at;
    at.snapshot = second;
    EXPECT_EQ("a=v+1+2", Contents(at));
    ASSERT_OK(Compact());
  }
  db_->ReleaseSnapshot(first);
  db_->ReleaseSnapshot(second);
  ASSERT_OK(Compact());
  EXPECT_EQ("v+1+2+3+4", Get("a"));
}

TEST_F(MergeTest, ManyOperandsAndOneDirectionAfterTheOther) {
  Open();
  std::string wanted;
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK(Merge("m", std::to_string(i)));
    wanted += "+" + std::to_string(i);
    if (i % 20 == 0) {
      ASSERT_OK(Flush());
    }
  }
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("z", "2"));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek("m");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(wanted, it->value().ToString());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("a", it->key().ToString());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(wanted, it->value().ToString());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("z", it->key().ToString());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("m", it->key().ToString());
  EXPECT_EQ(wanted, it->value().ToString());
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("z", it->key().ToString());
  it->SeekForPrev("n");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(wanted, it->value().ToString());
}

TEST_F(MergeTest, MultiGetMerges) {
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Put("b", "w"));
  ASSERT_OK(Flush());
  ASSERT_OK(Merge("a", "1"));
  ASSERT_OK(Merge("c", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Merge("a", "2"));
  std::vector<std::string> values;
  const std::vector<Status> s = db_->MultiGet(ReadOptions(), {"a", "b", "c", "d"}, &values);
  ASSERT_OK(s[0]);
  ASSERT_OK(s[1]);
  ASSERT_OK(s[2]);
  EXPECT_TRUE(s[3].IsNotFound());
  EXPECT_EQ("v+1+2", values[0]);
  EXPECT_EQ("w", values[1]);
  EXPECT_EQ("+1", values[2]);
}

TEST_F(MergeTest, GetMergeOperandsGivesThemOldestFirst) {
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Flush());
  ASSERT_OK(Merge("a", "1"));
  ASSERT_OK(Merge("a", "2"));
  PinnableSlice operands[3];
  GetMergeOperandsOptions wanted;
  wanted.expected_max_number_of_operands = 3;
  int count = 0;
  ASSERT_OK(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), "a", operands, &wanted,
                                  &count));
  ASSERT_EQ(3, count);
  EXPECT_EQ("v", operands[0].ToString());
  EXPECT_EQ("1", operands[1].ToString());
  EXPECT_EQ("2", operands[2].ToString());
  wanted.expected_max_number_of_operands = 2;
  EXPECT_TRUE(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), "a", operands,
                                    &wanted, &count)
                  .IsIncomplete());
  EXPECT_EQ(3, count);
  EXPECT_TRUE(db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), "b", operands,
                                    &wanted, &count)
                  .IsNotFound());
}

TEST_F(MergeTest, BatchesAndTheLogHoldOperands) {
  Open();
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "v"));
  ASSERT_OK(batch.Merge("a", "1"));
  ASSERT_OK(batch.Merge("a", "2"));
  ASSERT_OK(batch.Delete("b"));
  ASSERT_OK(batch.Merge("b", "3"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=v+1+2,b=+3", Contents());
  Open();
  EXPECT_EQ("a=v+1+2,b=+3", Contents());
}

TEST_F(MergeTest, AFailureIsCorruptionOfThatKeyOnly) {
  options_.merge_operator = std::make_shared<Append>();
  Open();
  ASSERT_OK(Put("a", "v"));
  ASSERT_OK(Merge("a", "bad"));
  ASSERT_OK(Put("b", "w"));
  EXPECT_EQ("CORRUPTION", Get("a"));
  EXPECT_EQ("w", Get("b"));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  ASSERT_OK(it->status());
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
  ASSERT_OK(Delete("a"));
  EXPECT_EQ("b=w", Contents());
}

TEST_F(MergeTest, WithoutAnOperatorThereIsNoMerge) {
  options_.merge_operator = nullptr;
  Open();
  EXPECT_TRUE(Merge("a", "1").IsNotSupported());
}

// (But sortlist: RocksDB's reads on to the next zero byte, which may be beyond its operand.)
TEST_F(MergeTest, TheOperatorsThatHaveNames) {
  const auto fixed = [](uint64_t n) { return std::string(reinterpret_cast<char*>(&n), sizeof(n)); };
  const struct {
    const char* name;
    std::string value, first, second, result;
  } cases[] = {
      {"put", "v", "1", "2", "2"},
      {"uint64add", fixed(5), fixed(7), fixed(1000), fixed(1012)},
      {"stringappend", "v", "1", "2", "v,1,2"},
      {"stringappendtest", "v", "1", "2", "v,1,2"},
      {"max", "b", "d", "c", "d"},
      {"bytesxor", "\x01\x02", "\x03", "\x01\x01\x04", "\x03\x03\x04"},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.name);
    Use(test.name);
    Open();
    const std::string key = test.name;
    ASSERT_OK(Put(key, test.value));
    ASSERT_OK(Flush());
    ASSERT_OK(Merge(key, test.first));
    ASSERT_OK(Merge(key, test.second));
    EXPECT_EQ(test.result, Get(key));
    ASSERT_OK(Flush());
    EXPECT_EQ(test.result, Get(key));
    ASSERT_OK(Compact());
    EXPECT_EQ(test.result, Get(key));
  }
}

}  // namespace
}  // namespace conformance
