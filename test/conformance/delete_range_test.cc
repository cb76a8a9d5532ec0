// DeleteRange: what it hides, in memory and in files, from reads of all kinds, at snapshots, and
// after flushes, compactions and restarts.
#include "conformance.h"

namespace conformance {
namespace {

class DeleteRangeTest : public DBTest {
 protected:
  DeleteRangeTest() { options_.disable_auto_compactions = true; }
  Status DeleteRange(const std::string& begin, const std::string& end) {
    return db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), begin, end);
  }
  void Fill(const std::string& keys, const std::string& value) {
    for (const char key : keys) ASSERT_OK(Put(std::string(1, key), value));
  }
  std::string Backwards(const ReadOptions& options = ReadOptions()) {
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string text;
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      text += (text.empty() ? "" : ",") + it->key().ToString() + "=" + it->value().ToString();
    }
    EXPECT_OK(it->status());
    return text;
  }
  std::string ContentsAt(const Snapshot* snapshot) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::unique_ptr<Iterator> it(db_->NewIterator(options));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ",") + it->key().ToString() + "=" + it->value().ToString();
    }
    EXPECT_OK(it->status());
    return text;
  }
};

TEST_F(DeleteRangeTest, TakesNoFamilyForTheDefaultOne) {
  Open();
  Fill("abc", "1");
  ASSERT_OK(db_->DeleteRange(WriteOptions(), nullptr, "a", "c"));
  EXPECT_EQ("c=1", Contents());
}

TEST_F(DeleteRangeTest, HidesWhatIsOlderWhereverItLies) {
  Open();
  Fill("abcdef", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(DeleteRange("b", "e"));
  ASSERT_OK(Put("c", "2"));
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("a=1,c=2,e=1,f=1", Contents());
    EXPECT_EQ("f=1,e=1,c=2,a=1", Backwards());
    EXPECT_EQ("NOT_FOUND", Get("b"));
    EXPECT_EQ("2", Get("c"));
    EXPECT_EQ("NOT_FOUND", Get("d"));
    EXPECT_EQ("1", Get("e"));
    std::vector<std::string> values;
    const std::vector<Status> statuses =
        db_->MultiGet(ReadOptions(), {"a", "b", "c", "d"}, &values);
    EXPECT_TRUE(statuses[0].ok() && statuses[1].IsNotFound() && statuses[2].ok() &&
                statuses[3].IsNotFound());
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Flush());
    }
    if (round == 2) {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(DeleteRangeTest, EmptyAndReversedRangesDeleteNothing) {
  Open();
  Fill("abc", "1");
  ASSERT_OK(DeleteRange("b", "b"));
  EXPECT_EQ("a=1,b=1,c=1", Contents());
  ASSERT_OK(Flush());
  // (RocksDB takes no more writes afterwards.)
  EXPECT_TRUE(DeleteRange("c", "a").IsInvalidArgument());
  EXPECT_EQ("a=1,b=1,c=1", Contents());
}

TEST_F(DeleteRangeTest, ASnapshotBeforeItSeesEverything) {
  Open();
  Fill("abcd", "1");
  const Snapshot* before = db_->GetSnapshot();
  ASSERT_OK(DeleteRange("a", "c"));
  const Snapshot* between = db_->GetSnapshot();
  ASSERT_OK(Put("a", "2"));
  ASSERT_OK(DeleteRange("c", "z"));
  for (int round = 0; round < 3; ++round) {
    SCOPED_TRACE(round);
    EXPECT_EQ("a=1,b=1,c=1,d=1", ContentsAt(before));
    EXPECT_EQ("c=1,d=1", ContentsAt(between));
    EXPECT_EQ("a=2", Contents());
    if (round == 0) {
      ASSERT_OK(Flush());
    } else {
      ASSERT_OK(Compact());
    }
  }
  db_->ReleaseSnapshot(before);
  ASSERT_OK(Compact());
  EXPECT_EQ("c=1,d=1", ContentsAt(between));
  db_->ReleaseSnapshot(between);
  ASSERT_OK(Compact());
  EXPECT_EQ("a=2", Contents());
}

TEST_F(DeleteRangeTest, OverlappingRangesAndBatches) {
  Open();
  Fill("abcdefgh", "1");
  WriteBatch batch;
  ASSERT_OK(batch.DeleteRange("b", "d"));
  ASSERT_OK(batch.Put("c", "2"));
  ASSERT_OK(batch.DeleteRange("c", "f"));
  ASSERT_OK(batch.Put("d", "3"));
  ASSERT_OK(batch.DeleteRange("g", "gg"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ("a=1,d=3,f=1,h=1", Contents());
    EXPECT_EQ("h=1,f=1,d=3,a=1", Backwards());
    EXPECT_EQ("NOT_FOUND", Get("c"));
    ASSERT_OK(round == 0 ? Flush() : Compact());
  }
  EXPECT_TRUE(batch.HasDeleteRange());
}

TEST_F(DeleteRangeTest, ManyKeysInManyFilesAreCutWithTheirTombstones) {
  options_.target_file_size_base = 4 << 10;
  options_.write_buffer_size = 64 << 10;
  options_.compression = kNoCompression;
  Open();
  const auto key = [](int i) {
    char text[16];
    std::snprintf(text, sizeof(text), "k%05d", i);
    return std::string(text);
  };
  for (int i = 0; i < 2000; ++i) ASSERT_OK(Put(key(i), std::string(50, 'v')));
  ASSERT_OK(Compact());
  const Snapshot* snapshot = db_->GetSnapshot();
  ASSERT_OK(DeleteRange(key(100), key(1900)));
  for (int i = 0; i < 2000; i += 100) ASSERT_OK(Put(key(i), "new"));
  const auto check = [&] {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int seen = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    ASSERT_OK(it->status());
    EXPECT_EQ(200 + 18, seen);
    seen = 0;
    for (it->SeekToLast(); it->Valid(); it->Prev()) ++seen;
    ASSERT_OK(it->status());
    EXPECT_EQ(200 + 18, seen);
    it->Seek(key(501));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(key(600), it->key().ToString());
    it->SeekForPrev(key(599));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(key(500), it->key().ToString());
    EXPECT_EQ("NOT_FOUND", Get(key(1899)));
    EXPECT_EQ("new", Get(key(1800)));
  };
  check();
  ASSERT_OK(Flush());
  check();
  ASSERT_OK(Compact());  // the snapshot keeps what is deleted
  check();
  ReadOptions old;
  old.snapshot = snapshot;
  std::string value;
  EXPECT_OK(db_->Get(old, key(1500), &value));
  Shut();
}

TEST_F(DeleteRangeTest, ReadsMayIgnoreIt) {
  Open();
  Fill("abc", "1");
  ASSERT_OK(DeleteRange("a", "c"));
  ReadOptions options;
  options.ignore_range_deletions = true;
  std::string value;
  EXPECT_OK(db_->Get(options, "a", &value));
  ASSERT_OK(Put("c", "2"));
  EXPECT_EQ("c=2,b=1,a=1", Backwards(options));
}

}  // namespace
}  // namespace conformance
