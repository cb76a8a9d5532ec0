// ReadOptions: kPersistedTier, and MultiGet's value_size_soft_limit.
#include "conformance.h"

namespace conformance {
namespace {

class ReadTierTest : public DBTest {
 protected:
  void SetUp() override { persisted_.read_tier = kPersistedTier; }

  Status PutUnlogged(const std::string& key, const std::string& value) {
    WriteOptions options;
    options.disableWAL = true;
    return db_->Put(options, key, value);
  }
  std::string GetPersisted(const std::string& key) {
    std::string value;
    const Status s = db_->Get(persisted_, key, &value);
    return s.ok() ? value : s.IsNotFound() ? "NOT_FOUND" : s.ToString();
  }
  // "value", "-" (not found) or "ABORTED" of each.
  std::vector<std::string> MultiGet(const ReadOptions& options,
                                    const std::vector<std::string>& keys) {
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(), slices.data(), values.data(),
                  statuses.data());
    std::vector<std::string> texts;
    for (size_t i = 0; i < keys.size(); ++i) {
      texts.push_back(statuses[i].ok()           ? values[i].ToString()
                      : statuses[i].IsNotFound() ? "-"
                      : statuses[i].IsAborted()  ? "ABORTED"
                                                 : statuses[i].ToString());
    }
    return texts;
  }
  using Texts = std::vector<std::string>;

  ReadOptions persisted_;
};

TEST_F(ReadTierTest, WhatIsInTheLogIsPersisted) {
  Open();
  ASSERT_OK(Put("a", "logged"));
  EXPECT_EQ("logged", GetPersisted("a"));
  EXPECT_EQ("NOT_FOUND", GetPersisted("b"));
}

TEST_F(ReadTierTest, WhatIsInNoLogIsNot) {
  Open();
  ASSERT_OK(Put("flushed", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(PutUnlogged("a", "unlogged"));
  EXPECT_EQ("NOT_FOUND", GetPersisted("a"));
  EXPECT_EQ("unlogged", Get("a"));
  EXPECT_EQ("1", GetPersisted("flushed"));
  ASSERT_OK(Flush());
  EXPECT_EQ("unlogged", GetPersisted("a"));
}

// Once anything was written without a log, no memtable counts.
TEST_F(ReadTierTest, AfterAnUnloggedWriteMemtablesAreLeftOut) {
  Open();
  ASSERT_OK(PutUnlogged("a", "1"));
  ASSERT_OK(Put("b", "2"));
  EXPECT_EQ("NOT_FOUND", GetPersisted("b"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "3"));
  EXPECT_EQ("2", GetPersisted("b"));
  ASSERT_OK(Delete("a"));
  EXPECT_EQ("1", GetPersisted("a"));
  Open();  // and what was flushed and logged is there
  EXPECT_EQ("3", GetPersisted("b"));
}

TEST_F(ReadTierTest, ManyKeysOfThePersistedTier) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  EXPECT_EQ((Texts{"1", "-"}), MultiGet(persisted_, {"a", "b"}));
  ASSERT_OK(Put("b", "2"));
  EXPECT_EQ((Texts{"1", "2"}), MultiGet(persisted_, {"a", "b"}));
}

TEST_F(ReadTierTest, IteratorsHaveNoPersistedTier) {
  Open();
  std::unique_ptr<Iterator> it(db_->NewIterator(persisted_));
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(NotSupported, it->status());
}

TEST_F(ReadTierTest, ALimitOfTheValuesAbortsTheRest) {
  for (const bool flushed : {false, true}) {
    Open();
    for (const char* key : {"a", "b", "c", "d"}) ASSERT_OK(Put(key, std::string(10, *key)));
    if (flushed) {
      ASSERT_OK(Flush());
    }
    const std::string a(10, 'a'), b(10, 'b'), c(10, 'c'), d(10, 'd');
    ReadOptions options;
    options.value_size_soft_limit = 40;
    EXPECT_EQ((Texts{a, b, c, d}), MultiGet(options, {"a", "b", "c", "d"}));
    options.value_size_soft_limit = 20;
    EXPECT_EQ((Texts{a, b, c, "ABORTED"}), MultiGet(options, {"a", "b", "c", "d"}));
    options.value_size_soft_limit = 19;
    EXPECT_EQ((Texts{a, b, "ABORTED", "ABORTED"}), MultiGet(options, {"a", "b", "c", "d"}));
    options.value_size_soft_limit = 0;
    EXPECT_EQ((Texts{a, "ABORTED", "ABORTED"}), MultiGet(options, {"a", "b", "c"}));
  }
}

TEST_F(ReadTierTest, ALimitGoesByTheOrderOfKeys) {
  Open();
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_OK(Put(key, std::string(10, *key)));
  ASSERT_OK(Flush());
  ReadOptions options;
  options.value_size_soft_limit = 15;
  EXPECT_EQ((Texts{"ABORTED", std::string(10, 'a'), "ABORTED", std::string(10, 'b')}),
            MultiGet(options, {"d", "a", "c", "b"}));
}

TEST_F(ReadTierTest, WhatIsNotThereTakesNothing) {
  Open();
  for (const char* key : {"b", "d"}) ASSERT_OK(Put(key, std::string(10, *key)));
  ASSERT_OK(Flush());
  ReadOptions options;
  options.value_size_soft_limit = 10;
  Texts texts = MultiGet(options, {"a", "b", "c", "d"});  // (7.8 says Aborted of "a" and "c")
  EXPECT_EQ(std::string(10, 'b'), texts[1]);
  EXPECT_EQ(std::string(10, 'd'), texts[3]);
  options.value_size_soft_limit = 9;
  texts = MultiGet(options, {"a", "b", "c", "d"});
  EXPECT_EQ(std::string(10, 'b'), texts[1]);
  EXPECT_EQ("ABORTED", texts[2]);
  EXPECT_EQ("ABORTED", texts[3]);
}

TEST_F(ReadTierTest, ALimitOverMoreKeysThanABatch) {
  Open();
  Texts keys;
  for (int i = 0; i < 100; ++i) {
    keys.push_back(Key(i));
    ASSERT_OK(Put(Key(i), std::string(10, 'v')));
  }
  ASSERT_OK(Flush());
  ReadOptions options;
  options.value_size_soft_limit = 500;
  const Texts texts = MultiGet(options, keys);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(i < 51 ? std::string(10, 'v') : "ABORTED", texts[i]) << i;
  }
}

// Each family counts anew; where one comes to more, all that follow are given up.
TEST_F(ReadTierTest, ALimitOverColumnFamilies) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(ColumnFamilyOptions(options_), "other", &other));
  ColumnFamilyHandle* const first = db_->DefaultColumnFamily();
  for (ColumnFamilyHandle* family : {first, other}) {
    ASSERT_OK(db_->Put(WriteOptions(), family, "a", std::string(10, 'a')));
    ASSERT_OK(db_->Put(WriteOptions(), family, "b", std::string(10, 'b')));
    ASSERT_OK(db_->Flush(FlushOptions(), family));
  }
  ColumnFamilyHandle* families[] = {first, first, other, other};
  const Slice keys[] = {"a", "b", "a", "b"};
  PinnableSlice values[4];
  Status statuses[4];
  ReadOptions options;
  options.value_size_soft_limit = 25;
  db_->MultiGet(options, 4, families, keys, values, statuses);
  EXPECT_OK(statuses[0]);
  EXPECT_OK(statuses[1]);
  EXPECT_OK(statuses[2]);
  EXPECT_OK(statuses[3]);
  options.value_size_soft_limit = 15;
  db_->MultiGet(options, 4, families, keys, values, statuses);
  EXPECT_OK(statuses[0]);
  EXPECT_OK(statuses[1]);
  EXPECT_CODE(Aborted, statuses[2]);
  EXPECT_CODE(Aborted, statuses[3]);
  ColumnFamilyHandle* reversed[] = {other, other, first, first};
  options.value_size_soft_limit = 5;
  db_->MultiGet(options, 4, reversed, keys, values, statuses);
  EXPECT_CODE(Aborted, statuses[0]);
  EXPECT_CODE(Aborted, statuses[1]);
  EXPECT_OK(statuses[2]);
  EXPECT_CODE(Aborted, statuses[3]);
  delete other;
}

}  // namespace
}  // namespace conformance
