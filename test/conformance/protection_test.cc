// Checksums of entries: WriteBatch(..., protection_bytes_per_key),
// WriteOptions::protection_bytes_per_key, and memtable_protection_bytes_per_key.
#include "conformance.h"
#include "rocksdb/merge_operator.h"

namespace conformance {
namespace {

class ProtectionTest : public DBTest {
 protected:
  ProtectionTest() { Open(); }
};

class JoinedByComma : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& operand, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? operand.ToString() : existing->ToString() + "," + operand.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.JoinedByComma"; }
};

void Add(WriteBatch* batch) {
  ASSERT_OK(batch->Put("key", "value"));
  ASSERT_OK(batch->Delete("gone"));
  ASSERT_OK(batch->DeleteRange("r", "s"));
}

// As memory does that forgets a bit.
void FlipBit(const WriteBatch& batch, const std::string& where) {
  const_cast<char*>(batch.Data().data())[batch.Data().find(where)] ^= 1;
}

TEST_F(ProtectionTest, ABatchKnowsItsEntries) {
  WriteBatch batch(0, 0, 8, 0);
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), 8u);
  Add(&batch);
  EXPECT_OK(batch.VerifyChecksum());
  FlipBit(batch, "value");
  EXPECT_TRUE(batch.VerifyChecksum().IsCorruption());
  FlipBit(batch, "walue");
  EXPECT_OK(batch.VerifyChecksum());
}

TEST_F(ProtectionTest, CopiesClearsAndSavePoints) {
  WriteBatch batch(0, 0, 8, 0);
  Add(&batch);
  batch.SetSavePoint();
  Add(&batch);
  ASSERT_OK(batch.RollbackToSavePoint());
  EXPECT_OK(batch.VerifyChecksum());
  EXPECT_EQ(batch.Count(), 3u);
  WriteBatch copy(batch);
  EXPECT_OK(copy.VerifyChecksum());
  EXPECT_EQ(copy.GetProtectionBytesPerKey(), 8u);
  WriteBatch moved(std::move(copy));
  EXPECT_OK(moved.VerifyChecksum());
  batch.Clear();
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), 8u);
  Add(&batch);
  EXPECT_OK(batch.VerifyChecksum());
  EXPECT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ(Get("key"), "value");
}

TEST_F(ProtectionTest, ADamagedBatchIsNotWritten) {
  WriteBatch batch(0, 0, 8, 0);
  Add(&batch);
  FlipBit(batch, "value");
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsCorruption());
  EXPECT_EQ(Get("key"), "NOT_FOUND");
}

TEST_F(ProtectionTest, EachCallTakesTheOption) {
  WriteOptions options;
  options.protection_bytes_per_key = 8;
  ASSERT_OK(db_->Put(options, "a", "1"));
  ASSERT_OK(db_->Put(options, "b", "2"));
  ASSERT_OK(db_->Put(options, "c", "3"));
  ASSERT_OK(db_->Delete(options, "a"));
  ASSERT_OK(db_->SingleDelete(options, "b"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("d", "4"));
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), 0u);
  ASSERT_OK(db_->Write(options, &batch));
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), 8u);
  EXPECT_OK(batch.VerifyChecksum());
  ASSERT_OK(db_->DeleteRange(options, db_->DefaultColumnFamily(), "c", "d"));
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  EXPECT_EQ(Get("c"), "NOT_FOUND");
  EXPECT_EQ(Get("d"), "4");
}

TEST_F(ProtectionTest, ThereAreEightBytesOrNone) {
  WriteBatch batch;
  ASSERT_OK(batch.Put("d", "4"));
  for (const size_t bytes : {1u, 4u, 7u, 16u}) {
    WriteOptions options;
    options.protection_bytes_per_key = bytes;
    EXPECT_TRUE(db_->Write(options, &batch).IsNotSupported()) << bytes;
  }
  EXPECT_EQ(Get("d"), "NOT_FOUND");
}

TEST_F(ProtectionTest, MemtablesOfAnyNumberOfBytesReadAsEver) {
  for (const uint32_t bytes : {1u, 2u, 4u, 8u}) {
    options_.memtable_protection_bytes_per_key = bytes;
    options_.merge_operator = std::make_shared<JoinedByComma>();
    Open();
    std::map<std::string, std::string> model;
    Numbers random(bytes);
    for (int i = 0; i < 3000; ++i) {
      const std::string key = Key(static_cast<int>(random.Below(200)));
      const std::string value = std::to_string(i);
      switch (random.Below(5)) {
        case 0:
          model.erase(key);
          ASSERT_OK(db_->Delete(WriteOptions(), key));
          break;
        case 1:
          model[key] = model.count(key) != 0 ? model[key] + "," + value : value;
          ASSERT_OK(db_->Merge(WriteOptions(), key, value));
          break;
        default:
          model[key] = value;
          ASSERT_OK(Put(key, value));
      }
      if (i % 1000 == 999) {
        ASSERT_OK(Flush());
      }
    }
    ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(50), Key(60)));
    model.erase(model.lower_bound(Key(50)), model.lower_bound(Key(60)));
    for (int round = 0; round < 2; ++round) {
      std::unique_ptr<Iterator> iter(db_->NewIterator(ReadOptions()));
      auto expected = model.begin();
      for (iter->SeekToFirst(); iter->Valid(); iter->Next(), ++expected) {
        ASSERT_NE(expected, model.end());
        EXPECT_EQ(iter->key().ToString(), expected->first);
        EXPECT_EQ(iter->value().ToString(), expected->second);
      }
      EXPECT_EQ(expected, model.end());
      EXPECT_OK(iter->status());
      for (const auto& [key, value] : model) EXPECT_EQ(Get(key), value);
      iter.reset();
      if (round == 0) {
        ASSERT_OK(Flush());
      }
    }
    ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "", "\xff"));
  }
}

TEST_F(ProtectionTest, MemtablesHaveOneTwoFourOrEight) {
  for (const uint32_t bytes : {3u, 5u, 16u}) {
    options_.memtable_protection_bytes_per_key = bytes;
    EXPECT_CODE(NotSupported, TryOpen());
  }
}

}  // namespace
}  // namespace conformance
