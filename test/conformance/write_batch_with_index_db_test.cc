// WriteBatchWithIndex over a database: reads, merges and iterators of both as one.
#include "batch_with_index.h"
#include "rocksdb/merge_operator.h"

namespace conformance {
namespace {

// Operands behind the value, with commas.
class Append : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.Append"; }
};

// Fails for the operand "bad".
class Choosy : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    if (value == "bad") return false;
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "conformance.Choosy"; }
};

class BatchAndDB : public DBTest {
 protected:
  BatchAndDB() {
    options_.merge_operator = std::make_shared<Append>();
    options_.create_missing_column_families = true;
  }
  ~BatchAndDB() override {
    if (db_ != nullptr && other_ != nullptr) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(other_));
    }
  }

  void OpenOther(const ColumnFamilyOptions& options) {
    Open();
    ASSERT_OK(db_->CreateColumnFamily(options, "other", &other_));
  }

  std::string Both(const std::string& key, ColumnFamilyHandle* family = nullptr,
                   const ReadOptions& options = ReadOptions()) {
    std::string value;
    const Status s = batch_.GetFromBatchAndDB(
        db_, options, family == nullptr ? db_->DefaultColumnFamily() : family, key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }

  // "a=1,b=2", and backward the same.
  std::string Scan(const ReadOptions& options = ReadOptions(),
                   ColumnFamilyHandle* family = nullptr) {
    if (family == nullptr) family = db_->DefaultColumnFamily();
    const std::unique_ptr<Iterator> it(
        batch_.NewIteratorWithBase(family, db_->NewIterator(options, family), &options));
    return BothWays(it.get());
  }

  std::unique_ptr<Iterator> NewScan() {
    return std::unique_ptr<Iterator>(
        batch_.NewIteratorWithBase(db_->DefaultColumnFamily(), db_->NewIterator(ReadOptions())));
  }

  WriteBatchWithIndex batch_{BytewiseComparator(), 0, true};
  ColumnFamilyHandle* other_ = nullptr;
};

TEST_F(BatchAndDB, TheBatchHidesTheDatabase) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  ASSERT_OK(Put("c", "db"));
  ASSERT_OK(batch_.Put("a", "batch"));
  ASSERT_OK(batch_.Delete("b"));
  EXPECT_EQ("batch", Both("a"));
  EXPECT_EQ("NOT_FOUND", Both("b"));
  EXPECT_EQ("db", Both("c"));
  EXPECT_EQ("NOT_FOUND", Both("d"));
}

TEST_F(BatchAndDB, EveryOverloadReadsTheSame) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(batch_.Put("b", "batch"));
  std::string value;
  ASSERT_OK(batch_.GetFromBatchAndDB(db_, ReadOptions(), "a", &value));
  EXPECT_EQ("db", value);
  ASSERT_OK(batch_.GetFromBatchAndDB(db_, ReadOptions(), "b", &value));
  EXPECT_EQ("batch", value);
  PinnableSlice pinned;
  ASSERT_OK(batch_.GetFromBatchAndDB(db_, ReadOptions(), "a", &pinned));
  EXPECT_EQ("db", pinned);
  ASSERT_OK(batch_.GetFromBatchAndDB(db_, ReadOptions(), db_->DefaultColumnFamily(), "b", &pinned));
  EXPECT_EQ("batch", pinned);
}

TEST_F(BatchAndDB, ASnapshotIsOfTheDatabase) {
  Open();
  ASSERT_OK(Put("a", "old"));
  ASSERT_OK(Put("b", "old"));
  const Snapshot* snapshot = db_->GetSnapshot();
  ASSERT_OK(Put("a", "new"));
  ASSERT_OK(batch_.Put("b", "batch"));
  ReadOptions options;
  options.snapshot = snapshot;
  EXPECT_EQ("old", Both("a", nullptr, options));
  EXPECT_EQ("batch", Both("b", nullptr, options));
  EXPECT_EQ("new", Both("a"));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(BatchAndDB, WritesWhatItHas) {
  Open();
  ASSERT_OK(Put("b", "old"));
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Delete("b"));
  ASSERT_OK(batch_.Put("a", "2"));
  ASSERT_OK(db_->Write(WriteOptions(), batch_.GetWriteBatch()));
  EXPECT_EQ("a=2", Contents());
}

TEST_F(BatchAndDB, MergesOverTheDatabase) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "2"));
  ASSERT_OK(batch_.Merge("a", "3"));
  ASSERT_OK(batch_.Merge("b", "4"));
  EXPECT_EQ("1,2,3", Both("a"));
  EXPECT_EQ("4", Both("b"));
}

TEST_F(BatchAndDB, MergesOverTheBatch) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "2"));
  ASSERT_OK(batch_.Delete("b"));
  ASSERT_OK(batch_.Merge("b", "3"));
  EXPECT_EQ("1,2", Both("a"));
  EXPECT_EQ("3", Both("b"));
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  EXPECT_EQ("1,2", FromBatch(&batch_, "a", family));
  EXPECT_EQ("3", FromBatch(&batch_, "b", family));
}

TEST_F(BatchAndDB, MergesOverMergesOfTheDatabase) {
  Open();
  ASSERT_OK(db_->Merge(WriteOptions(), "a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(db_->Merge(WriteOptions(), "a", "2"));
  ASSERT_OK(batch_.Merge("a", "3"));
  EXPECT_EQ("1,2,3", Both("a"));
}

TEST_F(BatchAndDB, OperandsAloneNeedTheDatabase) {
  Open();
  ASSERT_OK(batch_.Merge("a", "1"));
  EXPECT_EQ("MERGE_IN_PROGRESS", FromBatch(&batch_, "a", db_->DefaultColumnFamily()));
}

TEST_F(BatchAndDB, AMergeWithoutOperatorIsRefusedWhenRead) {
  options_.merge_operator = nullptr;
  Open();
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "2"));
  std::string value;
  EXPECT_CODE(InvalidArgument,
              batch_.GetFromBatch(db_->DefaultColumnFamily(), DBOptions(), "a", &value));
  EXPECT_CODE(InvalidArgument, batch_.GetFromBatchAndDB(db_, ReadOptions(),
                                                        db_->DefaultColumnFamily(), "a", &value));
}

TEST_F(BatchAndDB, AMergeWithoutFamilyIsRefusedWhenRead) {
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "2"));
  std::string value;
  EXPECT_CODE(InvalidArgument, batch_.GetFromBatch(DBOptions(), "a", &value));
}

TEST_F(BatchAndDB, AFailedMergeIsCorruption) {
  options_.merge_operator = std::make_shared<Choosy>();
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "bad"));
  std::string value;
  EXPECT_CODE(Corruption, batch_.GetFromBatchAndDB(db_, ReadOptions(), db_->DefaultColumnFamily(),
                                                   "a", &value));
}

TEST_F(BatchAndDB, MultiGetReadsBoth) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("b", "db"));
  ASSERT_OK(Put("m", "1"));
  ASSERT_OK(batch_.Put("b", "batch"));
  ASSERT_OK(batch_.Merge("m", "2"));
  ASSERT_OK(Put("x", "db"));
  ASSERT_OK(batch_.Delete("x"));
  const Slice keys[] = {"a", "b", "c", "m", "x"};
  PinnableSlice values[5];
  Status statuses[5];
  batch_.MultiGetFromBatchAndDB(db_, ReadOptions(), db_->DefaultColumnFamily(), 5, keys, values,
                                statuses, true);
  ASSERT_OK(statuses[0]);
  EXPECT_EQ("db", values[0]);
  ASSERT_OK(statuses[1]);
  EXPECT_EQ("batch", values[1]);
  EXPECT_CODE(NotFound, statuses[2]);
  ASSERT_OK(statuses[3]);
  EXPECT_EQ("1,2", values[3]);
  EXPECT_CODE(NotFound, statuses[4]);
}

TEST_F(BatchAndDB, MultiGetOfUnsortedAndRepeatedKeys) {
  Open();
  for (int i = 0; i < 100; i += 2) ASSERT_OK(Put(Key(i), "db"));
  for (int i = 0; i < 100; i += 3) ASSERT_OK(batch_.Put(Key(i), "batch"));
  std::vector<std::string> names;
  Numbers numbers(1);
  for (int i = 0; i < 80; i++) names.push_back(Key(static_cast<int>(numbers.Below(100))));
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  batch_.MultiGetFromBatchAndDB(db_, ReadOptions(), db_->DefaultColumnFamily(), keys.size(),
                                keys.data(), values.data(), statuses.data(), false);
  for (size_t i = 0; i < keys.size(); i++) {
    const std::string expected = Both(names[i]);
    EXPECT_EQ(expected, statuses[i].ok() ? values[i].ToString() : "NOT_FOUND") << names[i];
  }
}

TEST_F(BatchAndDB, FamiliesAreApart) {
  OpenOther(options_);
  ASSERT_OK(batch_.Put("a", "default"));
  ASSERT_OK(batch_.Put(other_, "a", "other"));
  ASSERT_OK(batch_.Put(other_, "b", "other"));
  EXPECT_EQ("put(a,default)", Entries(&batch_));
  EXPECT_EQ("put(a,other) put(b,other)", Entries(&batch_, other_));
  EXPECT_EQ("default", Both("a"));
  EXPECT_EQ("other", Both("a", other_));
  EXPECT_EQ("NOT_FOUND", Both("b"));
  ASSERT_OK(db_->Write(WriteOptions(), batch_.GetWriteBatch()));
  EXPECT_EQ("a=default", Contents());
}

TEST_F(BatchAndDB, EachFamilyHasItsOrder) {
  ColumnFamilyOptions reverse(options_);
  reverse.comparator = ReverseBytewiseComparator();
  OpenOther(reverse);
  for (const char* key : {"b", "a", "c"}) {
    ASSERT_OK(batch_.Put(key, "1"));
    ASSERT_OK(batch_.Put(other_, key, "2"));
  }
  EXPECT_EQ("put(a,1) put(b,1) put(c,1)", Entries(&batch_));
  EXPECT_EQ("put(c,2) put(b,2) put(a,2)", Entries(&batch_, other_));
  EXPECT_EQ("c=2,b=2,a=2", Scan(ReadOptions(), other_));
}

TEST_F(BatchAndDB, RollbackOfSeveralFamilies) {
  ColumnFamilyOptions reverse(options_);
  reverse.comparator = ReverseBytewiseComparator();
  OpenOther(reverse);
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Put(other_, "a", "1"));
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("b", "2"));
  ASSERT_OK(batch_.Put(other_, "a", "2"));
  ASSERT_OK(batch_.Put(other_, "b", "2"));
  ASSERT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("put(a,1)", Entries(&batch_));
  EXPECT_EQ("put(a,1)", Entries(&batch_, other_));
  ASSERT_OK(batch_.Put(other_, "b", "3"));
  EXPECT_EQ("put(b,3) put(a,1)", Entries(&batch_, other_));
}

TEST_F(BatchAndDB, ScanShowsBoth) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("c", "db"));
  ASSERT_OK(Put("e", "db"));
  ASSERT_OK(batch_.Put("b", "batch"));
  ASSERT_OK(batch_.Put("c", "batch"));
  ASSERT_OK(batch_.Put("f", "batch"));
  EXPECT_EQ("a=db,b=batch,c=batch,e=db,f=batch", Scan());
}

TEST_F(BatchAndDB, ScanLeavesDeletedKeysOut) {
  Open();
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_OK(Put(key, "db"));
  ASSERT_OK(batch_.Delete("a"));
  ASSERT_OK(batch_.SingleDelete("d"));
  ASSERT_OK(batch_.Delete("bb"));
  EXPECT_EQ("b=db,c=db", Scan());
  ASSERT_OK(batch_.Delete("b"));
  ASSERT_OK(batch_.Delete("c"));
  EXPECT_EQ("", Scan());
}

TEST_F(BatchAndDB, ScanOfAnEmptySide) {
  Open();
  EXPECT_EQ("", Scan());
  ASSERT_OK(batch_.Put("a", "batch"));
  EXPECT_EQ("a=batch", Scan());
  ASSERT_OK(Put("b", "db"));
  batch_.Clear();
  EXPECT_EQ("b=db", Scan());
}

TEST_F(BatchAndDB, ScanMerges) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(batch_.Merge("a", "2"));
  ASSERT_OK(batch_.Merge("a", "3"));
  ASSERT_OK(batch_.Merge("b", "4"));
  ASSERT_OK(Put("c", "db"));
  ASSERT_OK(batch_.Delete("c"));
  ASSERT_OK(batch_.Merge("c", "5"));
  ASSERT_OK(batch_.Put("d", "6"));
  ASSERT_OK(batch_.Merge("d", "7"));
  EXPECT_EQ("a=1,2,3,b=4,c=5,d=6,7", Scan());
}

TEST_F(BatchAndDB, ScanSeeks) {
  Open();
  ASSERT_OK(Put("b", "db"));
  ASSERT_OK(Put("f", "db"));
  ASSERT_OK(batch_.Put("d", "batch"));
  ASSERT_OK(batch_.Delete("f"));
  const std::unique_ptr<Iterator> it = NewScan();
  it->Seek("a");
  EXPECT_EQ("b", it->key());
  it->Seek("c");
  EXPECT_EQ("d", it->key());
  it->Seek("e");
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("z");
  EXPECT_EQ("d", it->key());
  it->SeekForPrev("c");
  EXPECT_EQ("b", it->key());
  it->SeekForPrev("a");
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
}

TEST_F(BatchAndDB, ScanTurnsAround) {
  Open();
  for (const char* key : {"a", "c", "e", "g"}) ASSERT_OK(Put(key, "db"));
  for (const char* key : {"b", "c", "f"}) ASSERT_OK(batch_.Put(key, "batch"));
  ASSERT_OK(batch_.Delete("e"));
  const std::unique_ptr<Iterator> it = NewScan();
  std::string seen;
  it->SeekToFirst();
  for (const bool forward : {true, true, false, true, true, true, false, false, false, true}) {
    seen += it->key().ToString();
    forward ? it->Next() : it->Prev();
    ASSERT_TRUE(it->Valid());
  }
  seen += it->key().ToString();
  EXPECT_EQ("abcbcfgfcbc", seen);
}

TEST_F(BatchAndDB, MovingWithoutAPlaceIsAnError) {
  Open();
  ASSERT_OK(batch_.Put("a", "1"));
  const std::unique_ptr<Iterator> it = NewScan();
  it->SeekToLast();
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
  it->Next();
  EXPECT_CODE(NotSupported, it->status());
  it->SeekToFirst();
  EXPECT_OK(it->status());
  EXPECT_TRUE(it->Valid());
}

TEST_F(BatchAndDB, ScanEndsAtTheUpperBound) {
  Open();
  for (const char* key : {"a", "c"}) ASSERT_OK(Put(key, "db"));
  for (const char* key : {"b", "d", "e"}) ASSERT_OK(batch_.Put(key, "batch"));
  ReadOptions options;
  const Slice bound = "d";
  options.iterate_upper_bound = &bound;
  std::unique_ptr<Iterator> it(
      batch_.NewIteratorWithBase(db_->DefaultColumnFamily(), db_->NewIterator(options), &options));
  std::string seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) seen += it->key().ToString();
  EXPECT_EQ("abc", seen);
  EXPECT_OK(it->status());
}

TEST_F(BatchAndDB, ScanSeesWhatIsAddedAhead) {
  Open();
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(Put("z", "db"));
  const std::unique_ptr<Iterator> it = NewScan();
  it->SeekToFirst();
  EXPECT_EQ("a", it->key());
  for (int i = 0; i < 100; i++) ASSERT_OK(batch_.Put(Key(i), "batch"));
  // (The batch had no entry ahead: what is added is not seen before the next seek.)
  it->Next();
  EXPECT_EQ("z", it->key());
  it->Seek("b");
  int count = 0;
  for (; it->Valid() && it->key() != "z"; it->Next()) count++;
  EXPECT_EQ(100, count);
}

// What a scan of b, d, f (of the database) and c, g (of the batch) goes on to after `write` at the
// key that is given.
class BatchGrows : public BatchAndDB {
 protected:
  void SetUp() override {
    Open();
    for (const char* key : {"b", "d", "f", "i"}) ASSERT_OK(Put(key, "db"));
    for (const char* key : {"c", "g"}) ASSERT_OK(batch_.Put(key, "batch"));
  }
  template <class Write>
  std::string After(const std::string& at, bool forward, const Write& write) {
    const std::unique_ptr<Iterator> it = NewScan();
    forward ? it->Seek(at) : it->SeekForPrev(at);
    write();
    std::string seen = it->key().ToString();
    while (it->Valid()) {
      forward ? it->Next() : it->Prev();
      if (it->Valid()) seen.append(" ").append(it->key().data(), it->key().size());
    }
    EXPECT_OK(it->status());
    return seen;
  }
};

TEST_F(BatchGrows, AheadOfItsNextEntry) {
  EXPECT_EQ("b c d e f g h i", After("b", true, [&] {
              ASSERT_OK(batch_.Put("e", "new"));
              ASSERT_OK(batch_.Put("h", "new"));
            }));
  EXPECT_EQ("i h g f e d c bb b a", After("i", false, [&] {
              ASSERT_OK(batch_.Put("bb", "new"));
              ASSERT_OK(batch_.Put("a", "new"));
            }));
}

TEST_F(BatchGrows, BeforeItsNextEntry) {
  // At b the batch's next entry is c, at d it is g; backward from f it is c.
  EXPECT_EQ("b c d f g i", After("b", true, [&] { ASSERT_OK(batch_.Put("bb", "new")); }));
  EXPECT_EQ("d f g i", After("d", true, [&] { ASSERT_OK(batch_.Put("e", "new")); }));
  EXPECT_EQ("f e d c bb b", After("f", false, [&] {}));
  EXPECT_EQ("d c bb b", After("d", false, [&] { ASSERT_OK(batch_.Put("cc", "new")); }));
  EXPECT_EQ("b bb c cc d e f g i", After("b", true, [&] {}));
}

TEST_F(BatchGrows, PastItsLastEntry) {
  EXPECT_EQ("i", After("i", true, [&] { ASSERT_OK(batch_.Put("j", "new")); }));
  EXPECT_EQ("b", After("b", false, [&] { ASSERT_OK(batch_.Put("a", "new")); }));
  EXPECT_EQ("a b c d f g i j", After("a", true, [&] {}));
}

TEST_F(BatchGrows, WhereItStands) {
  // From an entry of the batch, what is next to it is seen.
  EXPECT_EQ("c cc d f g i", After("c", true, [&] { ASSERT_OK(batch_.Put("cc", "new")); }));
  EXPECT_EQ("g ff f d cc c b", After("g", false, [&] { ASSERT_OK(batch_.Put("ff", "new")); }));
  // The current key, of the database: once.
  EXPECT_EQ("d f ff g i", After("d", true, [&] { ASSERT_OK(batch_.Put("d", "new")); }));
}

TEST_F(BatchGrows, DeletionsOfWhatIsAhead) {
  EXPECT_EQ("b d f g", After("b", true, [&] {
              ASSERT_OK(batch_.Delete("c"));
              ASSERT_OK(batch_.Delete("i"));
            }));
  // Before the batch's next entry they are not seen either.
  EXPECT_EQ("d f g", After("d", true, [&] { ASSERT_OK(batch_.Delete("f")); }));
  EXPECT_EQ("d g", After("d", true, [&] {}));
}

// A scan that adds a key behind each one that it sees.
TEST_F(BatchAndDB, AScanThatWritesAheadOfItselfEnds) {
  Open();
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(Key(i), "db"));
  for (const bool forward : {true, false}) {
    batch_.Clear();
    const std::unique_ptr<Iterator> it = NewScan();
    forward ? it->SeekToFirst() : it->SeekToLast();
    int seen = 0;
    while (it->Valid() && seen < 100) {
      ++seen;
      ASSERT_OK(batch_.Put(forward ? it->key().ToString() + "+" : Key(9 - seen) + "+", "new"));
      forward ? it->Next() : it->Prev();
    }
    EXPECT_EQ(10, seen);
  }
}

TEST_F(BatchAndDB, AFailedMergeEndsAScan) {
  options_.merge_operator = std::make_shared<Choosy>();
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Put("b", "1"));
  ASSERT_OK(batch_.Merge("b", "bad"));
  const std::unique_ptr<Iterator> it = NewScan();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("a", it->key());
  it->Next();
  // (RocksDB 7 finds out when the value is asked for.)
  if (it->Valid()) {
    EXPECT_EQ("", it->value().ToString());
  }
  EXPECT_CODE(Corruption, it->status());
}

TEST_F(BatchAndDB, ScanWithoutAHandleIsOfTheDefaultFamily) {
  OpenOther(options_);
  ASSERT_OK(Put("a", "db"));
  ASSERT_OK(batch_.Put("b", "batch"));
  ASSERT_OK(batch_.Put(other_, "c", "other"));
  std::unique_ptr<Iterator> it(batch_.NewIteratorWithBase(db_->NewIterator(ReadOptions())));
  std::string seen;
  for (it->SeekToFirst(); it->Valid(); it->Next()) seen += it->key().ToString();
  EXPECT_EQ("ab", seen);
}

TEST_F(BatchAndDB, RandomOperationsAgainstAModel) {
  Open();
  Numbers numbers(7);
  std::map<std::string, std::string> model;
  for (int i = 0; i < 300; i++) {
    const std::string key = Key(static_cast<int>(numbers.Below(500)));
    ASSERT_OK(Put(key, "db"));
    model[key] = "db";
  }
  std::vector<std::map<std::string, std::string>> points;
  for (int i = 0; i < 3000; i++) {
    const std::string key = Key(static_cast<int>(numbers.Below(500)));
    const std::string value = std::to_string(i);
    switch (numbers.Below(12)) {
      case 0:
      case 1:
      case 2:
        ASSERT_OK(batch_.Delete(key));
        model.erase(key);
        break;
      case 3:
        ASSERT_OK(batch_.Merge(db_->DefaultColumnFamily(), key, value));
        model[key] = model.count(key) != 0 ? model[key] + "," + value : value;
        break;
      case 4:
        batch_.SetSavePoint();
        points.push_back(model);
        break;
      case 5:
        if (points.empty() || numbers.Below(2) == 0) break;
        ASSERT_OK(batch_.RollbackToSavePoint());
        model = points.back();
        points.pop_back();
        break;
      default:
        ASSERT_OK(batch_.Put(key, value));
        model[key] = value;
    }
    const std::string probe = Key(static_cast<int>(numbers.Below(500)));
    ASSERT_EQ(model.count(probe) != 0 ? model[probe] : "NOT_FOUND", Both(probe)) << i;
  }
  std::string expected;
  for (const auto& [key, value] : model) {
    expected.append(expected.empty() ? "" : ",").append(key).append("=").append(value);
  }
  EXPECT_EQ(expected, Scan());
  ASSERT_OK(db_->Write(WriteOptions(), batch_.GetWriteBatch()));
  EXPECT_EQ(expected, Contents());
}

}  // namespace
}  // namespace conformance
