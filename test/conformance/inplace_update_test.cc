// Puts that overwrite values of the memtable (inplace_update_support).
#include "conformance.h"
#include "rocksdb/statistics.h"

namespace conformance {
namespace {

// "=" leaves what is there, "-" takes its last byte away in place, all else is appended.
UpdateStatus Edit(char* existing, uint32_t* size, Slice delta, std::string* made) {
  if (delta == "=") return UPDATE_FAILED;
  if (delta == "-" && existing != nullptr) {
    --*size;
    return UPDATED_INPLACE;
  }
  *made = existing == nullptr ? "new" : std::string(existing, *size);
  made->append(delta.data(), delta.size());
  return UPDATED;
}

class InplaceUpdateTest : public DBTest {
 protected:
  InplaceUpdateTest() {
    options_.allow_concurrent_memtable_write = false;
    options_.inplace_update_support = true;
    options_.statistics = CreateDBStatistics();
  }
  uint64_t Entries() { return IntProperty("rocksdb.num-entries-active-mem-table"); }
  // (RocksDB's iterators do not go backwards here.)
  std::string Forward() {
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += it->key().ToString() + "=" + it->value().ToString() + " ";
    }
    EXPECT_OK(it->status());
    return text;
  }
  uint64_t Updated() { return options_.statistics->getTickerCount(NUMBER_KEYS_UPDATED); }
};

TEST_F(InplaceUpdateTest, IsRefusedWithConcurrentWriters) {
  options_.allow_concurrent_memtable_write = true;
  EXPECT_CODE(InvalidArgument, TryOpen());
}

TEST_F(InplaceUpdateTest, HasNoSnapshots) {
  Open();
  EXPECT_EQ(nullptr, db_->GetSnapshot());
  db_->ReleaseSnapshot(nullptr);
}

TEST_F(InplaceUpdateTest, WhatIsNotLongerIsOverwritten) {
  Open();
  ASSERT_OK(Put("a", "12345"));
  ASSERT_OK(Put("a", "54321"));
  ASSERT_OK(Put("a", "67"));
  EXPECT_EQ("67", Get("a"));
  EXPECT_EQ(1u, Entries());
  EXPECT_EQ(2u, Updated());
  ASSERT_OK(Put("a", "678"));
  EXPECT_EQ(2u, Entries()) << "longer than what is there now";
  ASSERT_OK(Put("a", ""));
  EXPECT_EQ("", Get("a"));
  EXPECT_EQ(2u, Entries());
  ASSERT_OK(Delete("a"));
  ASSERT_OK(Put("a", ""));
  EXPECT_EQ(4u, Entries()) << "over a tombstone";
  EXPECT_EQ(3u, Updated());
  ASSERT_OK(Flush());
  ASSERT_OK(Put("a", ""));
  EXPECT_EQ(1u, Entries()) << "the table's value is not the memtable's";
  EXPECT_EQ("", Get("a"));
}

TEST_F(InplaceUpdateTest, OneBatchOverwritesItsOwn) {
  Open();
  WriteBatch batch;
  for (const char* value : {"333", "22", "1"}) ASSERT_OK(batch.Put("a", value));
  ASSERT_OK(batch.Put("b", "4"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("1", Get("a"));
  EXPECT_EQ("4", Get("b"));
  EXPECT_EQ(2u, Entries());
}

TEST_F(InplaceUpdateTest, AnIteratorSeesWhatIsThereNow) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_OK(Put("b", "3"));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("3", it->value().ToString()) << "its number is the first one's";
}

TEST_F(InplaceUpdateTest, ComesBackFromTheLog) {
  Open();
  for (int i = 0; i < 300; ++i) {
    ASSERT_OK(Put(Key(i % 7), std::to_string(i) + std::string(300 - i, 'v')));
  }
  const std::string before = Forward();
  Open();
  EXPECT_EQ(before, Forward());
  ASSERT_OK(Flush());
  EXPECT_EQ(before, Forward());
}

TEST_F(InplaceUpdateTest, ACallbackSaysWhatAPutBecomes) {
  options_.inplace_callback = Edit;
  Open();
  const auto put = [this](const std::string& delta, const std::string& expected) {
    ASSERT_OK(Put("k", delta));
    EXPECT_EQ(expected, Get("k")) << delta;
  };
  put("=", "NOT_FOUND");
  EXPECT_EQ(0u, Entries());
  put("+1", "new+1");
  put("=", "new+1");
  put("-", "new+");
  EXPECT_EQ(1u, Entries());
  EXPECT_EQ(1u, Updated());
  put("2", "new+2");
  EXPECT_EQ(2u, Entries());
  ASSERT_OK(Flush());
  put("-", "new+");
  EXPECT_EQ(1u, Entries()) << "what is in a table is given, and added";
  put("=", "new+");
  ASSERT_OK(Delete("k"));
  put("=", "NOT_FOUND");
  put("3", "new3");
  ASSERT_OK(Flush());
  EXPECT_EQ("new3", Get("k"));
}

}  // namespace
}  // namespace conformance
