// DBWithTTL: what is stored, what expires, and what its users see of it. Values of any age are
// written through the database below, so that nobody waits for the clock.
#include <limits>

#include "conformance.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/utilities/db_ttl.h"

namespace conformance {
namespace {

constexpr uint32_t kLongAgo = 1400000000;  // May 2014
constexpr uint32_t kBeforeItWasInvented = 1300000000;

std::string Time(uint32_t seconds) {
  std::string bytes;
  for (int i = 0; i < 4; i++) bytes.push_back(static_cast<char>(seconds >> (8 * i)));
  return bytes;
}
uint32_t TimeIn(const std::string& stored) {
  uint32_t seconds = 0;
  for (int i = 1; i <= 4; i++) {
    seconds = seconds << 8 | static_cast<uint8_t>(stored[stored.size() - i]);
  }
  return seconds;
}

class JoinedValues : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.JoinedValues"; }
};

// Drops "drop", and makes "change" longer.
class Choosy : public CompactionFilter {
 public:
  const char* Name() const override { return "conformance.Choosy"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& value, std::string* new_value,
              bool* changed) const override {
    *changed = value == "change";
    if (*changed) *new_value = "changed";
    return value == "drop";
  }
};

class ChoosyFactory : public CompactionFilterFactory {
 public:
  const char* Name() const override { return "conformance.ChoosyFactory"; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context& /*context*/) override {
    return std::make_unique<Choosy>();
  }
};

class TtlTest : public DBTest {
 protected:
  TtlTest() {
    options_.disable_auto_compactions = true;
    options_.merge_operator = std::make_shared<JoinedValues>();
  }

  Status TryOpenTtl(int32_t ttl, bool read_only = false) {
    Shut();
    const Status s = DBWithTTL::Open(options_, dir_, &ttl_db_, ttl, read_only);
    if (s.ok()) db_ = ttl_db_;
    return s;
  }
  void OpenTtl(int32_t ttl, bool read_only = false) { ASSERT_OK(TryOpenTtl(ttl, read_only)); }
  // What is stored.
  Status PutRaw(const std::string& key, const std::string& stored) {
    return ttl_db_->GetBaseDB()->Put(WriteOptions(), key, stored);
  }
  std::string GetRaw(const std::string& key) {
    std::string value;
    EXPECT_OK(ttl_db_->GetBaseDB()->Get(ReadOptions(), key, &value));
    return value;
  }
  uint32_t Now() {
    int64_t seconds = 0;
    EXPECT_OK(TheEnv()->GetCurrentTime(&seconds));
    return static_cast<uint32_t>(seconds);
  }

  DBWithTTL* ttl_db_ = nullptr;
};

TEST_F(TtlTest, ValuesCarryTheirSecondAndReadsDoNotShowIt) {
  OpenTtl(100);
  const uint32_t before = Now();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("empty", ""));
  WriteBatch batch;
  ASSERT_OK(batch.Put("b", "2"));
  ASSERT_OK(batch.Put("gone", "3"));
  ASSERT_OK(batch.Delete("gone"));
  ASSERT_OK(batch.PutLogData("for the log"));
  ASSERT_OK(batch.Merge("m", "x"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ(4u, batch.Count());
  ASSERT_OK(db_->Merge(WriteOptions(), "m", "y"));
  const uint32_t after = Now();

  for (int round = 0; round < 3; round++) {
    EXPECT_EQ("a=1,b=2,empty=,m=x,y", Contents());
    EXPECT_EQ("1", Get("a"));
    EXPECT_EQ("", Get("empty"));
    EXPECT_EQ("x,y", Get("m"));
    EXPECT_EQ("NOT_FOUND", Get("gone"));
    const std::string stored = GetRaw("a");
    ASSERT_EQ(5u, stored.size());
    EXPECT_EQ('1', stored[0]);
    EXPECT_LE(before, TimeIn(stored));
    EXPECT_GE(after, TimeIn(stored));
    EXPECT_EQ(4u, GetRaw("empty").size());
    EXPECT_EQ(7u, GetRaw("m").size()) << "a merge has the time of one";
    if (round == 0) {
      ASSERT_OK(Flush());
    }
    if (round == 1) OpenTtl(100);
  }
}

TEST_F(TtlTest, PinnedValuesAndManyAtOnce) {
  OpenTtl(100);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  PinnableSlice pinned;
  ASSERT_OK(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), "a", &pinned));
  EXPECT_EQ("1", pinned.ToString());
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), {"a", "none", "c"}, &values);
  ASSERT_EQ(3u, statuses.size());
  EXPECT_OK(statuses[0]);
  EXPECT_TRUE(statuses[1].IsNotFound());
  EXPECT_OK(statuses[2]);
  EXPECT_EQ("1", values[0]);
  EXPECT_EQ("3", values[2]);
  std::string value;
  bool found = false;
  EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), "c", &value, &found));
  EXPECT_TRUE(found);
  EXPECT_EQ("3", value);
  EXPECT_TRUE(db_->KeyMayExist(ReadOptions(), "c", &value));
}

TEST_F(TtlTest, ACompactionDropsWhatHasExpired) {
  OpenTtl(1000);
  ASSERT_OK(PutRaw("old", "1" + Time(kLongAgo)));
  ASSERT_OK(PutRaw("recent", "2" + Time(Now() - 10)));
  ASSERT_OK(PutRaw("of tomorrow", "3" + Time(Now() + 86400)));
  ASSERT_OK(Put("new", "4"));
  EXPECT_EQ("1", Get("old")) << "reads do not look at ages";
  ASSERT_OK(Flush());
  EXPECT_EQ("new=4,of tomorrow=3,old=1,recent=2", Contents()) << "nor do flushes";
  ASSERT_OK(Compact());
  EXPECT_EQ("new=4,of tomorrow=3,recent=2", Contents());
}

TEST_F(TtlTest, NothingExpiresWithoutATtl) {
  for (const int32_t ttl : {0, -1, std::numeric_limits<int32_t>::min()}) {
    OpenTtl(ttl);
    ASSERT_OK(PutRaw("old", "1" + Time(kLongAgo)));
    ASSERT_OK(Compact());
    EXPECT_EQ("1", Get("old")) << ttl;
  }
}

TEST_F(TtlTest, TheTtlIsThatOfTheLastOpeningOrSetTtl) {
  OpenTtl(0);
  ASSERT_OK(PutRaw("a", "1" + Time(Now() - 5000)));
  ASSERT_OK(PutRaw("b", "2" + Time(Now() - 500)));
  OpenTtl(10000);
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,b=2", Contents());
  OpenTtl(1000);
  ASSERT_OK(Put("c", "3"));
  ASSERT_OK(Compact());
  EXPECT_EQ("b=2,c=3", Contents());
  ttl_db_->SetTtl(100);
  ASSERT_OK(Put("d", "4"));
  ASSERT_OK(Compact());
  EXPECT_EQ("c=3,d=4", Contents());
  ttl_db_->SetTtl(0);
  ASSERT_OK(PutRaw("e", "5" + Time(kLongAgo)));
  ASSERT_OK(Compact());
  EXPECT_EQ("c=3,d=4,e=5", Contents());
}

TEST_F(TtlTest, FamiliesHaveTtlsOfTheirOwn) {
  ColumnFamilyHandle* family = nullptr;
  ColumnFamilyHandle* forever = nullptr;
  OpenTtl(1000);
  ASSERT_OK(ttl_db_->CreateColumnFamilyWithTtl(options_, "long", &family, 100000));
  ASSERT_OK(ttl_db_->CreateColumnFamily(options_, "forever", &forever));
  ASSERT_OK(db_->Put(WriteOptions(), family, "a", "in the family"));
  ASSERT_OK(db_->Put(WriteOptions(), forever, "a", "for ever"));
  delete family;
  delete forever;
  Shut();

  const std::vector<ColumnFamilyDescriptor> families = {
      {kDefaultColumnFamilyName, options_}, {"long", options_}, {"forever", options_}};
  std::vector<ColumnFamilyHandle*> handles;
  EXPECT_CODE(InvalidArgument,
              DBWithTTL::Open(options_, dir_, families, &handles, &ttl_db_, {1, 2}));
  ASSERT_OK(DBWithTTL::Open(options_, dir_, families, &handles, &ttl_db_, {1000, 100000, 0}));
  db_ = ttl_db_;
  ASSERT_EQ(3u, handles.size());
  DB* const base = ttl_db_->GetBaseDB();
  for (ColumnFamilyHandle* const handle : handles) {
    ASSERT_OK(base->Put(WriteOptions(), handle, "older", "1" + Time(Now() - 200000)));
    ASSERT_OK(base->Put(WriteOptions(), handle, "old", "2" + Time(Now() - 10000)));
  }
  WriteBatch batch;
  ASSERT_OK(batch.Put(handles[1], "batch", "3"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  const auto contents = [&](ColumnFamilyHandle* handle) {
    EXPECT_OK(db_->CompactRange(CompactRangeOptions(), handle, nullptr, nullptr));
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), handle));
    return BothWays(it.get());
  };
  EXPECT_EQ("", contents(handles[0]));
  EXPECT_EQ("a=in the family,batch=3,old=2", contents(handles[1]));
  EXPECT_EQ("a=for ever,old=2,older=1", contents(handles[2]));
  ttl_db_->SetTtl(handles[1], 1000);
  ASSERT_OK(db_->Put(WriteOptions(), handles[1], "another", "4"));
  EXPECT_EQ("a=in the family,another=4,batch=3", contents(handles[1]));
  for (ColumnFamilyHandle* const handle : handles) delete handle;
}

TEST_F(TtlTest, TheUsersFilterSeesValuesAlone) {
  Choosy filter;
  for (const bool by_factory : {false, true}) {
    if (by_factory) {
      options_.compaction_filter = nullptr;
      options_.compaction_filter_factory = std::make_shared<ChoosyFactory>();
    } else {
      options_.compaction_filter = &filter;
    }
    OpenTtl(1000);
    const uint32_t written = Now() - 100;
    ASSERT_OK(PutRaw("a", "change" + Time(written)));
    ASSERT_OK(PutRaw("b", "change" + Time(kLongAgo)));
    ASSERT_OK(Put("c", "drop"));
    ASSERT_OK(Put("d", "keep"));
    ASSERT_OK(Compact());
    EXPECT_EQ("a=changed,d=keep", Contents());
    EXPECT_EQ("changed" + Time(written), GetRaw("a")) << "as old as it was";
  }
  Shut();
}

TEST_F(TtlTest, AMergeRenewsWhatItIsMadeOf) {
  OpenTtl(1000);
  const uint32_t before = Now();
  ASSERT_OK(PutRaw("k", "1" + Time(kLongAgo)));
  ASSERT_OK(db_->Merge(WriteOptions(), "k", "2"));
  ASSERT_OK(db_->Merge(WriteOptions(), "only operands", "3"));
  EXPECT_EQ("1,2", Get("k"));
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("k=1,2,only operands=3", Contents());
  EXPECT_LE(before, TimeIn(GetRaw("k")));
}

TEST_F(TtlTest, AValueWithoutATimeIsCorruption) {
  OpenTtl(1000);
  ASSERT_OK(PutRaw("short", "abc"));
  ASSERT_OK(PutRaw("early", "abc" + Time(kBeforeItWasInvented)));
  ASSERT_OK(PutRaw("first", "abc" + Time(1368146402)));
  EXPECT_EQ("CORRUPTION", Get("short"));
  EXPECT_EQ("CORRUPTION", Get("early"));
  EXPECT_EQ("abc", Get("first"));
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), {"early", "first"}, &values);
  EXPECT_TRUE(statuses[0].IsCorruption());
  EXPECT_OK(statuses[1]);
}

TEST_F(TtlTest, ReadOnly) {
  EXPECT_FALSE(TryOpenTtl(100, /*read_only=*/true).ok()) << "there is nothing";
  OpenTtl(100);
  ASSERT_OK(Put("a", "1"));
  OpenTtl(100, /*read_only=*/true);
  EXPECT_EQ("a=1", Contents());
  EXPECT_CODE(NotSupported, Put("b", "2"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("b", "2"));
  EXPECT_CODE(NotSupported, db_->Write(WriteOptions(), &batch));
}

TEST_F(TtlTest, AnIteratorShowsASnapshotWithoutTimes) {
  OpenTtl(100);
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "2"));
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  ASSERT_OK(Put("b", "3"));
  it->Seek("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("2", it->value().ToString());
  it->Prev();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("1", it->value().ToString());
  it->SeekForPrev("az");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("a", it->key().ToString());
  it->Prev();
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
}

TEST_F(TtlTest, OptionsChangeAndFilesAreListed) {
  OpenTtl(100);
  ASSERT_OK(db_->SetOptions({{"level0_file_num_compaction_trigger", "9"}}));
  EXPECT_EQ(9, db_->GetOptions().level0_file_num_compaction_trigger);
  ASSERT_OK(db_->SetDBOptions({{"max_background_jobs", "3"}}));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(1u, files.size());
  ASSERT_OK(db_->CompactFiles(CompactionOptions(), {files[0].name}, 1));
  EXPECT_EQ(1, FilesAtLevel(1));
  VectorLogPtr logs;
  EXPECT_OK(db_->GetSortedWalFiles(logs));
}

}  // namespace
}  // namespace conformance
