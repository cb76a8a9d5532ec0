// inplace_update_support: Puts that overwrite values of the memtable, and what a callback makes.
#include <atomic>

#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "fiber/thread.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/statistics.h"
#include "rocksdb/utilities/optimistic_transaction_db.h"

namespace cairn {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): all of it is for us

// A value is a list of numbers: "+n" appends n to what is there, "-" shortens it by its last byte
// in place, "=" leaves it, "!" throws.
UpdateStatus Edit(char* existing, uint32_t* size, Slice delta, std::string* made) {
  if (delta == "!") throw 1;
  if (delta == "=") return UPDATE_FAILED;
  if (delta == "-" && existing != nullptr) {
    *size = *size == 0 ? 0 : *size - 1;
    return UPDATED_INPLACE;
  }
  if (delta == "longer") {
    if (size != nullptr) *size += 1;
    return UPDATED_INPLACE;
  }
  *made = existing == nullptr ? "new" : std::string(existing, *size);
  made->append(delta.data(), delta.size());
  return UPDATED;
}

class DbInplaceUpdateTest : public DbTest {
 protected:
  Options InplaceOptions() {
    Options options = SmallOptions();
    options.allow_concurrent_memtable_write = false;
    options.inplace_update_support = true;
    options.inplace_update_num_locks = 10;
    options.statistics = statistics_;
    return options;
  }
  uint64_t Entries() { return std::stoull(Property("num-entries-active-mem-table")); }
  uint64_t Updated() { return statistics_->getTickerCount(NUMBER_KEYS_UPDATED); }

  const std::shared_ptr<Statistics> statistics_ = CreateDBStatistics();
};

TEST_F(DbInplaceUpdateTest, NeedsOneWriterAtATime) {
  Options options = InplaceOptions();
  options.allow_concurrent_memtable_write = true;
  const Status s = TryOpen(options);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_NE(s.ToString().find("inplace_update_support"), std::string::npos) << s.ToString();
}

TEST_F(DbInplaceUpdateTest, WhatIsNotLongerIsOverwritten) {
  Open(InplaceOptions());
  Put("a", "12345");
  EXPECT_EQ(Entries(), 1u);
  Put("a", "54321");
  Put("a", "67");
  EXPECT_EQ(Entries(), 1u);
  EXPECT_EQ(Updated(), 2u);
  ExpectModel();
  Put("a", "678");  // longer than what is there now
  EXPECT_EQ(Entries(), 2u);
  Put("a", "");
  EXPECT_EQ(Entries(), 2u);
  ExpectModel();
  Delete("a");
  Put("a", "");  // over a tombstone
  EXPECT_EQ(Entries(), 4u);
  ExpectModel();
  EXPECT_EQ(db_->GetSnapshot(), nullptr);
  Flush();
  ExpectModel();
  Put("a", "");  // the table's is not the memtable's
  EXPECT_EQ(Entries(), 1u);
  ExpectModel();
  Open(InplaceOptions());
  ExpectModel();
}

// A range tombstone lies between the two: the older entry stays hidden.
TEST_F(DbInplaceUpdateTest, WhatARangeTombstoneHidesComesBack) {
  Open(InplaceOptions());
  Put("b", "12345");
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "c").ok());
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  Put("b", "1");
  EXPECT_EQ(Get("b"), "1");
  EXPECT_EQ(Updated(), 0u);
  Put("b", "2");
  EXPECT_EQ(Get("b"), "2");
  EXPECT_EQ(Updated(), 1u);
  Flush();
  ExpectModel();
}

TEST_F(DbInplaceUpdateTest, HoldsAModelOverFlushesAndReopenings) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Options options = InplaceOptions();
  for (int kind = 0; kind < 3; ++kind) {
    if (kind == 1) options.memtable_factory = std::make_shared<VectorRepFactory>();
    if (kind == 2) options.memtable_factory = std::make_shared<SkipListFactory>();
    options.memtable_protection_bytes_per_key = kind == 2 ? 8 : 0;
    options.paranoid_memory_checks = kind == 2;
    Open(options);
    for (int i = 0; i < 1500; ++i) {
      const std::string key = Key(random.Uniform(60));
      if (random.OneIn(10)) {
        Delete(key);
      } else {
        Put(key, Value(static_cast<uint64_t>(i), 20 + random.Uniform(200)));
      }
      if (i % 400 == 399) ExpectModel();
      if (i == 700) Open(options);
      if (i == 1000) Flush();
    }
    ExpectModel();
  }
  EXPECT_GT(Updated(), 0u);
}

// Readers beside a writer see whole values: one byte repeated, so many times as it says.
TEST_F(DbInplaceUpdateTest, ReadersSeeWholeValues) {
  Open(InplaceOptions());
  const auto value_of = [](uint64_t n) {
    return std::string(100 + n % 100, static_cast<char>('a' + n % 26));
  };
  const auto is_whole = [](const std::string& value) {
    return value.size() >= 100 && value.find_first_not_of(value[0]) == std::string::npos;
  };
  for (uint64_t k = 0; k < 4; ++k) Put(Key(k), std::string(200, 'z'));
  std::atomic<bool> stop{false};
  std::vector<std::unique_ptr<fiber::Thread>> readers;
  for (int r = 0; r < 2; ++r) {
    readers.push_back(std::make_unique<fiber::Thread>("read", [&, r] {
      while (!stop.load(std::memory_order_relaxed)) {
        if (r == 0) {
          for (uint64_t k = 0; k < 4; ++k) {
            std::string value;
            ASSERT_TRUE(db_->Get(ReadOptions(), Key(k), &value).ok());
            ASSERT_TRUE(is_whole(value)) << value;
          }
          continue;
        }
        const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
        for (it->SeekToFirst(); it->Valid(); it->Next()) {
          ASSERT_TRUE(is_whole(it->value().ToString())) << it->value().ToString();
        }
        ASSERT_TRUE(it->status().ok());
      }
    }));
  }
  for (uint64_t i = 0; i < 3000; ++i) Put(Key(i % 4), value_of(i));
  stop.store(true, std::memory_order_relaxed);
  for (const auto& reader : readers) reader->join();
  EXPECT_GT(Updated(), 0u);
  ExpectModel();
}

TEST_F(DbInplaceUpdateTest, ACallbackSaysWhatAPutBecomes) {
  Options options = InplaceOptions();
  options.inplace_callback = Edit;
  Open(options);
  const auto put = [this](const std::string& delta, const std::string& expected) {
    ASSERT_TRUE(db_->Put(WriteOptions(), "k", delta).ok());
    EXPECT_EQ(Get("k"), expected) << delta;
  };
  put("=", "NOT_FOUND");
  EXPECT_EQ(Entries(), 0u);
  put("+1", "new+1");
  put("=", "new+1");
  put("-", "new+");
  EXPECT_EQ(Entries(), 1u);
  EXPECT_EQ(Updated(), 1u);
  put("2", "new+2");
  EXPECT_EQ(Entries(), 2u);
  // What is in a table is given, and never changed there.
  Flush();
  put("-", "new+");
  EXPECT_EQ(Entries(), 1u);
  put("=", "new+");
  ASSERT_TRUE(db_->Delete(WriteOptions(), "k").ok());
  put("=", "NOT_FOUND");
  put("3", "new3");
  // The log has what was put; all of it comes again.
  Open(options);
  EXPECT_EQ(Get("k"), "new3");
  Flush();
  put("4", "new34");
  Open(options);
  EXPECT_EQ(Get("k"), "new34") << "what lies in a table is asked when a log is replayed, too";
}

TEST_F(DbInplaceUpdateTest, ReplaysAMemtableThatIsFull) {
  Options options = InplaceOptions();
  options.inplace_callback = Edit;
  options.write_buffer_size = 1 << 20;
  Open(options);
  Contents expected;
  for (int i = 0; i < 2000; ++i) {
    const std::string key = Key(static_cast<uint64_t>(i % 400));
    const std::string delta = std::to_string(i) + std::string(60, '.');
    ASSERT_TRUE(db_->Put(WriteOptions(), key, delta).ok());
    expected[key] = (expected.count(key) != 0 ? expected[key] : "new") + delta;
  }
  ExpectContents(expected);
  options.write_buffer_size = 64 << 10;  // recovery would flush several times
  Open(options);
  ExpectContents(expected);
}

TEST_F(DbInplaceUpdateTest, ACallbackThatMisbehavesIsAnError) {
  Options options = InplaceOptions();
  options.inplace_callback = Edit;
  for (const char* delta : {"!", "longer"}) {
    for (const bool exists : {false, true}) {
      ASSERT_TRUE(DestroyDB(kDbName, options).ok());
      Open(options);
      if (exists) {
        ASSERT_TRUE(db_->Put(WriteOptions(), "k", "1").ok());
      }
      const Status s = db_->Put(WriteOptions(), "k", delta);
      EXPECT_TRUE(s.IsAborted()) << s.ToString();
      EXPECT_NE(s.ToString().find("inplace_callback"), std::string::npos) << s.ToString();
      EXPECT_EQ(Get("k"), exists ? "new1" : "NOT_FOUND");
      db_.reset();
    }
  }
}

TEST_F(DbInplaceUpdateTest, NotWithAMemtableOfOnesOwn) {
  class Own final : public SkipListFactory {};
  Options options = InplaceOptions();
  options.memtable_factory = std::make_shared<Own>();
  const Status s = TryOpen(options);
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("inplace_update_support"), std::string::npos) << s.ToString();
}

}  // namespace
}  // namespace cairn
