// Iterators that follow new writes (tailing), that leave files out (table_filter), and that give up
// (max_skippable_internal_keys).
#include "conformance.h"

namespace conformance {
namespace {

class IteratorOptionsTest : public DBTest {
 protected:
  static std::string Rest(Iterator* it) {
    std::string text;
    for (; it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ",") + it->key().ToString() + "=" + it->value().ToString();
    }
    EXPECT_OK(it->status());
    return text;
  }
  std::string All(Iterator* it) {
    it->SeekToFirst();
    return Rest(it);
  }
  std::string From(Iterator* it, const std::string& key) {
    it->Seek(key);
    return Rest(it);
  }
};

TEST_F(IteratorOptionsTest, ATailingIteratorSeesWhatCameSince) {
  Open();
  ReadOptions options;
  options.tailing = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  EXPECT_EQ("", All(it.get()));
  ASSERT_OK(Put("a", "1"));
  EXPECT_EQ("a=1", All(it.get()));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  EXPECT_EQ("a=1,b=2", All(it.get()));
  EXPECT_EQ("b=2", From(it.get(), "b"));
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Delete("b"));
  EXPECT_EQ("c=3", From(it.get(), "b"));
  ASSERT_OK(Put("a", "4"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=4,c=3", All(it.get()));
}

TEST_F(IteratorOptionsTest, ATailingIteratorGoesOnFromItsOwnKey) {
  Open();
  ReadOptions options;
  options.tailing = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  for (int i = 0; i < 100; ++i) {
    ASSERT_OK(Put(Key(i), std::to_string(i)));
    if (i == 0) {
      it->SeekToFirst();
    } else {
      it->Seek(it->key());
      ASSERT_TRUE(it->Valid());
      EXPECT_EQ(Key(i - 1), it->key().ToString());
      it->Next();
    }
    ASSERT_TRUE(it->Valid()) << i;
    EXPECT_EQ(Key(i), it->key().ToString());
    if (i % 30 == 0) {
      ASSERT_OK(Flush());
    }
  }
}

TEST_F(IteratorOptionsTest, ATailingIteratorStepsOntoWhatCameSinceItStood) {
  Open();
  ReadOptions options;
  options.tailing = true;
  ASSERT_OK(Put("k1", "1"));
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->SeekToFirst();
  ASSERT_OK(Put("k2", "2"));
  ASSERT_OK(Put("k3", "3"));
  EXPECT_EQ("k1=1,k2=2,k3=3", Rest(it.get()));

  // ... through a flush and a compaction, and without what was deleted.
  it->SeekToFirst();
  ASSERT_OK(Flush());
  ASSERT_OK(Put("k4", "4"));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("k2", it->key().ToString());
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  ASSERT_OK(Delete("k3"));
  ASSERT_OK(Put("k5", "5"));
  EXPECT_EQ("k2=2,k4=4,k5=5", Rest(it.get()));
}

TEST_F(IteratorOptionsTest, ATailingIteratorKeepsItsBounds) {
  Open();
  const std::string upper_key = "c";
  const Slice upper(upper_key);
  ReadOptions options;
  options.tailing = true;
  options.iterate_upper_bound = &upper;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  for (const char* key : {"a", "b", "c", "d"}) {
    ASSERT_OK(Put(key, "1"));
    if (*key == 'b') {
      ASSERT_OK(Flush());
    }
  }
  EXPECT_EQ("a=1,b=1", All(it.get()));
  EXPECT_EQ("", From(it.get(), "c"));
}

TEST_F(IteratorOptionsTest, ATailingIteratorReadsThroughAllLevels) {
  options_.disable_auto_compactions = true;
  Open();
  ReadOptions options;
  options.tailing = true;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  std::string expected;
  for (int round = 0; round < 6; ++round) {
    for (int i = round; i < 60; i += 6) ASSERT_OK(Put(Key(i), "1"));
    if (round % 2 == 0) {
      ASSERT_OK(Flush());
    }
    if (round == 3) {
      ASSERT_OK(Compact());
    }
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_OK(it->status());
    EXPECT_EQ(10 * (round + 1), count);
  }
}

TEST_F(IteratorOptionsTest, KeysArePinnedWithoutDeltaEncodingOnly) {
  for (const bool delta : {false, true}) {
    BlockBasedTableOptions table;
    table.use_delta_encoding = delta;
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    ASSERT_OK(DestroyDB(dir_, options_));
    Open();
    for (int i = 0; i < 500; ++i) ASSERT_OK(Put(Key(i), std::string(50, 'v')));
    ASSERT_OK(Flush());
    ReadOptions options;
    options.pin_data = true;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::vector<Slice> keys;
    bool all_pinned = true;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      std::string pinned;
      ASSERT_OK(it->GetProperty("rocksdb.iterator.is-key-pinned", &pinned));
      all_pinned = all_pinned && pinned == "1";
      if (pinned == "1") keys.push_back(it->key());
    }
    ASSERT_OK(it->status());
    if (!delta) {
      EXPECT_TRUE(all_pinned);
      ASSERT_EQ(500u, keys.size());
      for (int i = 0; i < 500; ++i) {
        ASSERT_EQ(Key(i), keys[static_cast<size_t>(i)].ToString());
      }
    } else {
      EXPECT_FALSE(all_pinned);
    }
    it.reset();
    Shut();
  }
}

TEST_F(IteratorOptionsTest, FilesThatTheFilterRefusesAreLeftOut) {
  options_.disable_auto_compactions = true;
  Open();
  for (int file = 1; file <= 3; ++file) {
    for (int i = 0; i < file; ++i) ASSERT_OK(Put(Key(file * 10 + i), std::to_string(file)));
    ASSERT_OK(Flush());
  }
  ASSERT_OK(Put("memory", "4"));
  ReadOptions options;
  options.table_filter = [](const TableProperties& table) { return table.num_entries != 2; };
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  EXPECT_EQ("key000010=1,key000030=3,key000031=3,key000032=3,memory=4", All(it.get()));
  it->Seek(Key(20));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Key(30), it->key().ToString());
  CompactRangeOptions into_one;
  into_one.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(into_one, nullptr, nullptr));
  it.reset(db_->NewIterator(options));
  const std::string all = All(it.get());
  EXPECT_EQ(7, std::count(all.begin(), all.end(), '='));
}

TEST_F(IteratorOptionsTest, TooManyHiddenEntriesEndAnIterator) {
  Open();
  ASSERT_OK(Put("a", "1"));
  for (int i = 0; i < 10; ++i) {
    ASSERT_OK(Put(Key(i), "1"));
    ASSERT_OK(Delete(Key(i)));
  }
  ASSERT_OK(Put("z", "1"));
  ReadOptions options;
  options.max_skippable_internal_keys = 5;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(Incomplete, it->status());
  it->Seek("z");
  ASSERT_TRUE(it->Valid());
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_CODE(Incomplete, it->status());
  options.max_skippable_internal_keys = 1000;
  it.reset(db_->NewIterator(options));
  EXPECT_EQ("a=1,z=1", All(it.get()));
}

}  // namespace
}  // namespace conformance
