// Secondary indices: what each kind of write does to the entries, what is refused, what save
// points, two-phase commit and an opening do with them, and what the iterator shows. (RocksDB 7,
// which the conformance tests run on, has none. Random lives: secondary_index_model_test.cc.)
#include <atomic>
#include <memory>

#include "db/testing/timestamps.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/transaction_log.h"
#include "rocksdb/utilities/write_batch_with_index.h"
#include "utilities/testing/index_fixture.h"

namespace cairn {
namespace {

using testing::CityKey;
using testing::Contents;
using testing::FoldedIndex;
using testing::Person;
using testing::SeedText;

class SecondaryIndexTest : public testing::IndexTest {};

TEST_F(SecondaryIndexTest, WhatCannotBeIndexedIsRefusedAtTheOpening) {
  for (const TxnDBWritePolicy policy : {WRITE_PREPARED, WRITE_UNPREPARED}) {
    txn_options_.write_policy = policy;
    const Status s = TryOpenIndexed(SmallOptions());
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(std::string::npos, s.ToString().find("secondary_indices")) << s.ToString();
  }
  txn_options_.write_policy = WRITE_COMMITTED;
  txn_options_.secondary_indices = {cities_, nullptr};
  const Status s = TransactionDB::Open(SmallOptions(), txn_options_, testing::kDbName, &txn_db_);
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  EXPECT_EQ(nullptr, txn_db_);
}

TEST_F(SecondaryIndexTest, EntriesFollowTheirValues) {
  OpenIndexed();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"year", "1815"}, {"city", "London"}}).ok());
  ASSERT_TRUE(txn->PutEntity(people(), "carl", {{"", "Gauss"}, {"city", "Brunswick"}}).ok());
  ASSERT_TRUE(txn->Put(people(), "emmy", "Noether").ok());
  ASSERT_TRUE(txn->Put("elsewhere", "Noether").ok());
  ExpectPeople({{"ada", {{"year", "1815"}, {"city", "London"}}},
                {"carl", {{"", "Gauss"}, {"city", "Brunswick"}}},
                {"emmy", {{"", "Noether"}}}},
               txn.get());
  ExpectPeople({});  // nobody else sees any of it
  ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "Marylebone"}}).ok());
  ASSERT_TRUE(txn->Put(people(), "carl", "Gauss").ok());
  ASSERT_TRUE(txn->Delete(people(), "emmy").ok());
  ASSERT_TRUE(txn->Delete(people(), "nobody").ok());
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople({{"ada", {{"city", "Marylebone"}}}, {"carl", {{"", "Gauss"}}}});
  EXPECT_EQ("Noether", Get("elsewhere"));

  const Txn second = Begin();
  const Slice key_parts[] = {"c", "arl"}, value_parts[] = {"Göt", "tingen"};
  const SliceParts key(key_parts, 2), value(value_parts, 2);
  ASSERT_TRUE(second->Put(people(), key, value).ok());
  ASSERT_TRUE(second->SingleDelete(people(), "ada").ok());
  ExpectPeople({{"carl", {{"", "Göttingen"}}}}, second.get());
  ASSERT_TRUE(second->PutUntracked(people(), key, value).ok());
  ASSERT_TRUE(second->PutEntityUntracked(people(), "ada", {{"city", "Paris"}}).ok());
  ASSERT_TRUE(second->DeleteUntracked(people(), key).ok());
  ASSERT_TRUE(second->SingleDeleteUntracked(people(), "ada").ok());
  ExpectPeople({}, second.get());
  ASSERT_TRUE(second->Rollback().ok());
  ExpectPeople({{"ada", {{"city", "Marylebone"}}}, {"carl", {{"", "Gauss"}}}});
}

TEST_F(SecondaryIndexTest, TheSameValueAgainAndAgainLeavesOneEntry) {
  OpenIndexed();
  for (int round = 0; round < 3; ++round) {
    const Txn txn = Begin();
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "London"}}).ok());
    }
    ASSERT_TRUE(txn->Commit().ok());
    for (ColumnFamilyHandle* const family : {people(), cities_->GetSecondaryColumnFamily()}) {
      ASSERT_TRUE(db_->Flush(FlushOptions(), family).ok());
    }
    ExpectPeople({{"ada", {{"city", "London"}}}});
  }
  ASSERT_TRUE(db_->Delete(WriteOptions(), people(), "ada").ok());
  ExpectPeople({});
  ColumnFamilyHandle* const cities = cities_->GetSecondaryColumnFamily();
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), cities, nullptr, nullptr).ok());
  ExpectPeople({});
}

// With a count of what a transaction has, before and after.
TEST_F(SecondaryIndexTest, AWriteThatAnIndexRefusesIsUndoneWhole) {
  OpenIndexed();
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), people(), "ada", {{"", "A"}, {"city", "B"}}).ok());
  const testing::People before{{"ada", {{"", "A"}, {"city", "B"}}}, {"carl", {{"", "G"}}}};
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put(people(), "carl", "G").ok());
  const uint64_t keys = txn->GetNumKeys(), puts = txn->GetNumPuts(), dels = txn->GetNumDeletes();
  const uint32_t records = txn->GetWriteBatch()->GetWriteBatch()->Count();
  for (const std::string function : {"update", "prefix", "entry"}) {
    SCOPED_TRACE(function);
    // (The prefix is made of the value, whole, and of two letters of what is searched for.)
    const std::string bad = "no " + function;
    EXPECT_EQ(FoldedIndex::Refusal(), txn->Put(people(), "ada", bad));
    EXPECT_EQ(FoldedIndex::Refusal(), txn->Put(people(), "new", bad));
    EXPECT_EQ(FoldedIndex::Refusal(), txn->PutEntity(people(), "ada", {{"city", "C"}, {"", bad}}));
    EXPECT_EQ(FoldedIndex::Refusal(), db_->Put(WriteOptions(), people(), "new", bad));
    EXPECT_EQ(keys, txn->GetNumKeys());
    EXPECT_EQ(puts, txn->GetNumPuts());
    EXPECT_EQ(dels, txn->GetNumDeletes());
    EXPECT_EQ(records, txn->GetWriteBatch()->GetWriteBatch()->Count());
    ExpectPeople(before, txn.get());
    EXPECT_TRUE(Begin()->Put(people(), "ada", "a").ok()) << "its lock was left";
    EXPECT_TRUE(Begin()->Put(people(), "carl", "a").IsTimedOut());
  }
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople(before);
}

TEST_F(SecondaryIndexTest, AWriteForWhichThereIsNoRoomIsUndoneWhole) {
  OpenIndexed();
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), people(), "ada", {{"city", "London"}}).ok());
  TransactionOptions options;
  options.max_write_batch_size = 150;  // bytes: for one, not for two
  const Txn txn(txn_db_->BeginTransaction(WriteOptions(), options));
  const std::string city(50, 'c');
  ASSERT_TRUE(txn->PutEntity(people(), "carl", {{"city", city}}).ok());
  const Status s = txn->PutEntity(people(), "ada", {{"city", "Marylebone"}});
  EXPECT_TRUE(s.IsMemoryLimit()) << s.ToString();
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople({{"ada", {{"city", "London"}}}, {"carl", {{"city", city}}}});
}

TEST_F(SecondaryIndexTest, MergesAreRefusedInAllFamilies) {
  OpenIndexed();
  const Txn txn = Begin();
  WriteBatch batch;
  ASSERT_TRUE(batch.Merge(people(), "ada", "1").ok());
  for (const Status& s :
       {txn->Merge("k", "1"), txn->Merge(people(), "ada", "1"), txn->MergeUntracked("k", "1"),
        db_->Merge(WriteOptions(), "k", "1"), db_->Merge(WriteOptions(), people(), "ada", "1"),
        db_->Write(WriteOptions(), &batch), txn->RebuildFromWriteBatch(&batch)}) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  }
  EXPECT_EQ(0u, txn->GetNumKeys());
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
}

TEST_F(SecondaryIndexTest, PlainWritesTakeTheirEntriesAlong) {
  OpenIndexed();
  const WriteOptions options;
  ASSERT_TRUE(db_->Put(options, people(), "ada", "Ada").ok());
  ASSERT_TRUE(db_->PutEntity(options, people(), "carl", {{"city", "Göttingen"}}).ok());
  AttributeGroups groups;
  groups.emplace_back(people(), WideColumns{{"", "Emmy"}, {"city", "Erlangen"}});
  groups.emplace_back(db_->DefaultColumnFamily(), WideColumns{{"", "plain"}});
  ASSERT_TRUE(db_->PutEntity(options, "emmy", groups).ok());
  ExpectPeople({{"ada", {{"", "Ada"}}},
                {"carl", {{"city", "Göttingen"}}},
                {"emmy", {{"", "Emmy"}, {"city", "Erlangen"}}}});
  EXPECT_EQ("plain", Get("emmy"));
  ASSERT_TRUE(db_->Delete(options, people(), "ada").ok());
  ASSERT_TRUE(db_->SingleDelete(options, people(), "carl").ok());
  ASSERT_TRUE(db_->Delete(options, people(), "nobody").ok());
  ExpectPeople({{"emmy", {{"", "Emmy"}, {"city", "Erlangen"}}}});
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
}

TEST_F(SecondaryIndexTest, BatchesTakeTheirEntriesAlong) {
  OpenIndexed();
  ASSERT_TRUE(db_->Put(WriteOptions(), people(), "ada", "Ada").ok());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  WriteBatch batch;
  ASSERT_TRUE(batch.PutLogData("for the log").ok());
  ASSERT_TRUE(batch.Delete(people(), "ada").ok());
  ASSERT_TRUE(batch.Put("k", "plain").ok());
  ASSERT_TRUE(batch.PutEntity(people(), "carl", {{"city", "Brunswick"}}).ok());
  ASSERT_TRUE(batch.PutEntity(people(), "carl", {{"city", "Göttingen"}}).ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  ExpectPeople({{"carl", {{"city", "Göttingen"}}}});
  EXPECT_EQ("plain", Get("k"));
  std::unique_ptr<TransactionLogIterator> updates;
  ASSERT_TRUE(db_->GetUpdatesSince(before + 1, &updates, {}).ok());
  EXPECT_NE(std::string::npos, updates->GetBatch().writeBatchPtr->Data().find("for the log"));
  // All or nothing.
  ASSERT_TRUE(batch.Put(people(), "emmy", "no update").ok());
  EXPECT_EQ(FoldedIndex::Refusal(), db_->Write(WriteOptions(), &batch));
  ExpectPeople({{"carl", {{"city", "Göttingen"}}}});
  // Who takes no locks sees to the entries himself.
  batch.Clear();
  ASSERT_TRUE(batch.Put(people(), "emmy", "emmy").ok());
  ASSERT_TRUE(txn_db_->Write(WriteOptions(), {.skip_concurrency_control = true}, &batch).ok());
  EXPECT_EQ(Contents{}, ContentsOf(folded_->GetSecondaryColumnFamily()));
}

// Two that write the same keys in another order, and meet at the one in the middle.
TEST_F(SecondaryIndexTest, BatchesDoNotWaitForEachOtherInACircle) {
  Simulate([&] {
    OpenIndexed();
    Txn txn = Begin();
    ASSERT_TRUE(txn->Put(people(), "b", "b").ok());
    const auto party = [&](bool ascending) {
      WriteBatch batch;
      for (const char* key : {ascending ? "a" : "c", "b", ascending ? "c" : "a"}) {
        EXPECT_TRUE(batch.Put(people(), key, key).ok());
      }
      const Status s = db_->Write(WriteOptions(), &batch);
      EXPECT_TRUE(s.ok()) << s.ToString();
    };
    fiber::Thread first("first", [&] { party(true); });
    fiber::Thread second("second", [&] { party(false); });
    fiber::sleep_for(1'000'000);  // until both wait
    EXPECT_TRUE(txn->Commit().ok());
    first.join();
    second.join();
    ExpectPeople({{"a", {{"", "a"}}}, {"b", {{"", "b"}}}, {"c", {{"", "c"}}}});
    txn.reset();
    CloseIndexed();
  });
}

TEST_F(SecondaryIndexTest, TheDefaultFamilyNeedsNoHandle) {
  OpenIndexed();
  cities_->SetPrimaryColumnFamily(nullptr);  // indexes nothing
  folded_->SetPrimaryColumnFamily(handles_[0].get());
  folded_->SetSecondaryColumnFamily(nullptr);  // is the default one, too
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put("ada", "Ada").ok());
  ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "London"}}).ok());
  ASSERT_TRUE(txn->Commit().ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "carl", "Carl").ok());
  ASSERT_TRUE(db_->Delete(WriteOptions(), db_->DefaultColumnFamily(), "ada").ok());
  EXPECT_EQ((Contents{{"ca/carl", "Carl"}, {"carl", "carl"}}), testing::DbTest::Scan());
  EXPECT_EQ(Contents{}, ContentsOf(handles_[2].get()));
}

TEST_F(SecondaryIndexTest, APlainWriteWaitsForItsKey) {
  txn_options_.default_lock_timeout = 0;
  OpenIndexed();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put(people(), "ada", "Ada").ok());
  WriteBatch batch;
  ASSERT_TRUE(batch.Delete(people(), "ada").ok());
  EXPECT_TRUE(db_->Put(WriteOptions(), people(), "ada", "a").IsTimedOut());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsTimedOut());
  ASSERT_TRUE(txn->Commit().ok());
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  ExpectPeople({});
}

TEST_F(SecondaryIndexTest, AWrittenKeyStaysLocked) {
  OpenIndexed();
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Put(people(), "ada", "Ada").ok());
  txn->UndoGetForUpdate(people(), "ada");  // which was never called
  EXPECT_TRUE(Begin()->Put(people(), "ada", "a").IsTimedOut());
  // (It is tracked now: nothing has to be assumed.)
  ASSERT_TRUE(txn->Put(people(), "carl", "Carl", /*assume_tracked=*/true).ok());
  EXPECT_TRUE(Begin()->Put(people(), "carl", "a").IsTimedOut());
  txn->DisableIndexing();
  ASSERT_TRUE(txn->Put(people(), "carl", "Friedrich").ok());
  ASSERT_TRUE(txn->Put(people(), "carl", "Gauss").ok());
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople({{"ada", {{"", "Ada"}}}, {"carl", {{"", "Gauss"}}}});
}

TEST_F(SecondaryIndexTest, TheSnapshotIsValidated) {
  OpenIndexed();
  TransactionOptions options;
  options.set_snapshot = true;
  const Txn txn(txn_db_->BeginTransaction(WriteOptions(), options));
  ASSERT_TRUE(db_->Put(WriteOptions(), people(), "ada", "Ada").ok());
  EXPECT_TRUE(txn->Put(people(), "ada", "a").IsBusy());
  EXPECT_TRUE(txn->Delete(people(), "ada").IsBusy());
  EXPECT_TRUE(Begin()->Put(people(), "ada", "a").ok()) << "its lock was left";
  ASSERT_TRUE(txn->PutUntracked(people(), "ada", "Augusta").ok());
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople({{"ada", {{"", "Augusta"}}}});
}

TEST_F(SecondaryIndexTest, SavePointsTakeEntriesBack) {
  OpenIndexed();
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), people(), "ada", {{"city", "London"}}).ok());
  const Txn txn = Begin();
  ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "Paris"}}).ok());
  txn->SetSavePoint();
  ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "Turin"}}).ok());
  ASSERT_TRUE(txn->Put(people(), "carl", "Gauss").ok());
  txn->SetSavePoint();
  ASSERT_TRUE(txn->Delete(people(), "ada").ok());
  ASSERT_TRUE(txn->RollbackToSavePoint().ok());
  ExpectPeople({{"ada", {{"city", "Turin"}}}, {"carl", {{"", "Gauss"}}}}, txn.get());
  ASSERT_TRUE(txn->RollbackToSavePoint().ok());
  ExpectPeople({{"ada", {{"city", "Paris"}}}}, txn.get());
  EXPECT_TRUE(Begin()->Put(people(), "carl", "a").ok());
  ASSERT_TRUE(txn->Commit().ok());
  ExpectPeople({{"ada", {{"city", "Paris"}}}});
}

// Also: the object of a recovered transaction, used again, keeps entries.
TEST_F(SecondaryIndexTest, PreparedEntriesAreRecovered) {
  OpenIndexed();
  ASSERT_TRUE(db_->PutEntity(WriteOptions(), people(), "ada", {{"city", "London"}}).ok());
  for (const char* name : {"committed", "rolled back"}) {
    Txn txn = Begin();
    ASSERT_TRUE(txn->SetName(name).ok());
    ASSERT_TRUE(txn->PutEntity(people(), name, {{"city", "Rome"}}).ok());
    if (name[0] == 'c') {
      ASSERT_TRUE(txn->PutEntity(people(), "ada", {{"city", "Paris"}}).ok());
    }
    ASSERT_TRUE(txn->Prepare().ok());
    const Status late = txn->Put(people(), "late", "a");
    EXPECT_TRUE(late.IsInvalidArgument()) << late.ToString();
    (void)txn.release();  // the database's
  }
  OpenIndexed();
  ExpectPeople({{"ada", {{"city", "London"}}}});
  EXPECT_TRUE(Begin()->Put(people(), "ada", "a").IsTimedOut());
  Txn txn(txn_db_->GetTransactionByName("committed"));
  ASSERT_TRUE(txn->Commit().ok());
  const testing::People after{{"ada", {{"city", "Paris"}}}, {"committed", {{"city", "Rome"}}}};
  ExpectPeople(after);
  ASSERT_EQ(txn.get(), txn_db_->BeginTransaction(WriteOptions(), {}, txn.get()));
  ASSERT_TRUE(txn->Delete(people(), "ada").ok());
  ASSERT_TRUE(txn->Delete(people(), "committed").ok());
  ASSERT_TRUE(txn->Commit().ok());
  txn.reset(txn_db_->GetTransactionByName("rolled back"));
  ASSERT_TRUE(txn->Rollback().ok());
  ExpectPeople({});
}

// What a transaction prepared before there were indices is what it was, merges included.
TEST_F(SecondaryIndexTest, WhatWasPreparedWithoutIndicesIsRecovered) {
  class Joined final : public AssociativeMergeOperator {
    bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
               Logger* /*logger*/) const override {
      *result = (existing == nullptr ? "" : existing->ToString()) + value.ToString();
      return true;
    }
    const char* Name() const override { return "secondary_index_test.Joined"; }
  };
  Options options = SmallOptions();
  options.merge_operator = std::make_shared<Joined>();
  ASSERT_TRUE(TryOpenWith(options, {}).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), people(), "ada", "A").ok());
  Txn txn = Begin();
  ASSERT_TRUE(txn->SetName("one").ok());
  ASSERT_TRUE(txn->Merge(people(), "ada", "da").ok());
  ASSERT_TRUE(txn->Delete(people(), "nobody").ok());
  ASSERT_TRUE(txn->Prepare().ok());
  (void)txn.release();  // the database's
  ASSERT_TRUE(TryOpenIndexed(options).ok());
  txn.reset(txn_db_->GetTransactionByName("one"));
  EXPECT_EQ(2u, txn->GetWriteBatch()->GetWriteBatch()->Count());
  ASSERT_TRUE(txn->Commit().ok());
  EXPECT_EQ((Contents{{"ada", ":Ada"}}), ContentsOf(people()));
  EXPECT_EQ(Contents{}, ContentsOf(folded_->GetSecondaryColumnFamily()));
}

TEST_F(SecondaryIndexTest, TheIteratorShowsTheKeysOfWhatIsSearchedFor) {
  OpenIndexed();
  const Contents city_of = {
      {"b", "London"}, {"a", "London"}, {"c", "Lond"}, {"d", "Londonderry"}, {"e", ""}};
  for (const auto& [key, city] : city_of) {
    ASSERT_TRUE(db_->PutEntity(WriteOptions(), people(), key, {{"city", city}}).ok());
  }
  using Keys = std::vector<std::string>;
  EXPECT_EQ(Keys({"a", "b"}), Found(*cities_, "London"));
  EXPECT_EQ(Keys({"c"}), Found(*cities_, "Lond"));
  EXPECT_EQ(Keys({"e"}), Found(*cities_, ""));
  EXPECT_EQ(Keys(), Found(*cities_, "Lo"));
  const Txn txn = Begin();
  ASSERT_TRUE(txn->Delete(people(), "a").ok());
  ASSERT_TRUE(txn->PutEntity(people(), "z", {{"city", "London"}}).ok());
  EXPECT_EQ(Keys({"b", "z"}), Found(*cities_, "London", txn.get()));
  EXPECT_EQ(Keys({"a", "b"}), Found(*cities_, "London"));

  ASSERT_TRUE(db_->Put(WriteOptions(), people(), "f", "Fermat").ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), people(), "g", "Fenchel").ok());
  ReadOptions options;
  options.allow_unprepared_value = true;
  ColumnFamilyHandle* const family = folded_->GetSecondaryColumnFamily();
  SecondaryIndexIterator it(folded_.get(),
                            std::unique_ptr<Iterator>(db_->NewIterator(options, family)));
  it.Seek("fe");
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ("f", it.key());
  it.Next();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ("g", it.key());
  ASSERT_TRUE(it.PrepareValue());
  EXPECT_EQ("Fenchel", it.value());
  EXPECT_EQ(":Fenchel", testing::Text(it.columns()));
  std::string property;
  EXPECT_TRUE(it.GetProperty("rocksdb.iterator.is-key-pinned", &property).ok());
  EXPECT_TRUE(it.GetProperty("no such thing", &property).IsInvalidArgument());
  it.Prev();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ("f", it.key());
  it.Prev();
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().ok());
  it.Seek("search");
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(FoldedIndex::Refusal(), it.status());
  it.Seek("fe");  // it goes on
  EXPECT_TRUE(it.Valid());
  EXPECT_TRUE(it.status().ok());
}

// Two indices of one column, in either order: both have the stored value.
TEST_F(SecondaryIndexTest, EntriesAreOfTheValueThatIsStored) {
  for (const bool folds_last : {false, true}) {
    SCOPED_TRACE(folds_last);
    const auto whole = std::make_shared<SimpleSecondaryIndex>("");
    const auto folded = std::make_shared<FoldedIndex>();
    std::vector<std::shared_ptr<SecondaryIndex>> both = {whole, folded};
    if (!folds_last) std::swap(both[0], both[1]);
    ASSERT_TRUE(TryOpenWith(SmallOptions(), std::move(both)).ok());
    whole->SetSecondaryColumnFamily(people());  // the entries may be beside the values
    folded->SetSecondaryColumnFamily(handles_[3].get());
    ASSERT_TRUE(db_->Put(WriteOptions(), people(), "ada", "ADA").ok());
    EXPECT_EQ((Contents{{"ada", ":ada"}, {CityKey("ada", "ada"), ":"}}), ContentsOf(people()));
    EXPECT_EQ((Contents{{"ad/ada", "ADA"}}), ContentsOf(handles_[3].get()));
    ASSERT_TRUE(db_->Delete(WriteOptions(), people(), "ada").ok());
    EXPECT_EQ(Contents{}, ContentsOf(people()));
    EXPECT_EQ(Contents{}, ContentsOf(handles_[3].get()));
  }
}

// An entry gets its transaction's timestamp, where the secondary family has them, too.
TEST_F(SecondaryIndexTest, FamiliesMayHaveTimestamps) {
  Options options = SmallOptions();
  options.comparator = BytewiseComparatorWithU64Ts();
  ASSERT_TRUE(TryOpenIndexed(options).ok());
  const auto at = [&](uint64_t timestamp) {
    const std::string bytes = testing::Ts(timestamp);
    const Slice slice(bytes);
    ReadOptions read;
    read.timestamp = &slice;
    SecondaryIndexIterator it(cities_.get(), std::unique_ptr<Iterator>(db_->NewIterator(
                                                 read, cities_->GetSecondaryColumnFamily())));
    std::vector<std::string> keys;
    for (it.Seek("London"); it.Valid(); it.Next()) {
      uint64_t written = 0;
      EXPECT_TRUE(DecodeU64Ts(it.timestamp(), &written).ok());
      keys.push_back(it.key().ToString() + "@" + std::to_string(written));
    }
    EXPECT_TRUE(it.status().ok()) << it.status().ToString();
    return keys;
  };
  using Keys = std::vector<std::string>;
  Txn txn = Begin();
  const Status s = txn->PutEntity(people(), "ada", {{"city", "London"}});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();  // what is there cannot be read for update
  for (const uint64_t moment : {10, 20}) {
    txn = Begin();
    ASSERT_TRUE(txn->SetReadTimestampForValidation(moment - 1).ok());
    ASSERT_TRUE(
        txn->PutEntity(people(), "ada", {{"city", moment == 10 ? "London" : "Paris"}}).ok());
    ASSERT_TRUE(txn->SetCommitTimestamp(moment).ok());
    ASSERT_TRUE(txn->Commit().ok());
  }
  EXPECT_EQ(Keys(), at(9));
  EXPECT_EQ(Keys({"ada@10"}), at(19));
  EXPECT_EQ(Keys(), at(20));
  const std::string ts = testing::Ts(30);
  EXPECT_TRUE(db_->Put(WriteOptions(), people(), "ada", ts, "a").IsNotSupported());
  EXPECT_TRUE(db_->Delete(WriteOptions(), people(), "ada", ts).IsNotSupported());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put(people(), "ada", ts, "a").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsNotSupported());
  EXPECT_TRUE(db_->Put(WriteOptions(), handles_[0].get(), "k", ts, "1").ok());
}

// Each value holds its city, so that what an index finds can be told from what it should. A third
// of the writes is plain, some transactions roll back; who reads a snapshot meanwhile finds in it
// just the people of each city.
TEST_F(SecondaryIndexTest, EntriesAndValuesAreNeverSeenApart) {
  OpenIndexed();
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  constexpr int kParties = 4, kRounds = 80;
  std::atomic<int> failures{0};
  const auto check = [&] {
    const Snapshot* const snapshot = db_->GetSnapshot();
    ReadOptions options;
    options.snapshot = snapshot;
    std::unique_ptr<Iterator> values(db_->NewIterator(options, people()));
    Contents expected, found;
    for (values->SeekToFirst(); values->Valid(); values->Next()) {
      expected[CityKey(values->columns()[0].value().ToString(), values->key().ToString())] = "";
    }
    std::unique_ptr<Iterator> entries(
        db_->NewIterator(options, cities_->GetSecondaryColumnFamily()));
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
      found[entries->key().ToString()] = "";
    }
    db_->ReleaseSnapshot(snapshot);
    return values->status().ok() && entries->status().ok() && expected == found;
  };
  const auto party = [&](int me) {
    Random64 random(seed + static_cast<uint64_t>(me));
    for (int round = 0; round < kRounds; ++round) {
      TransactionOptions options;
      options.deadlock_detect = true;
      options.lock_timeout = 10'000;
      const Txn txn(txn_db_->BeginTransaction(WriteOptions(), options));
      Status s;
      for (uint64_t i = random.Uniform(3); s.ok() && i < 3; ++i) {
        const std::string key = testing::Key(random.Uniform(8));
        const std::string city = testing::Key(random.Uniform(4));
        const WideColumns columns{{"city", city}};
        switch (random.Uniform(6)) {
          case 0:
            s = txn->Delete(people(), key);
            break;
          case 1:
            s = txn->PutEntityUntracked(people(), key, columns);
            break;
          default:
            s = txn->PutEntity(people(), key, columns);
        }
      }
      if (random.OneIn(20) && !db_->Flush(FlushOptions(), people()).ok()) ++failures;
      if (s.ok() && !random.OneIn(4)) s = txn->Commit();
      if (!s.ok() && !s.IsDeadlock()) ++failures;
      (void)txn->Rollback();
      if (random.OneIn(2)) {
        s = random.OneIn(3) ? db_->Delete(WriteOptions(), people(), testing::Key(random.Uniform(8)))
                            : db_->PutEntity(WriteOptions(), people(),
                                             testing::Key(random.Uniform(8)), {{"city", "plain"}});
        if (!s.ok() && !s.IsTimedOut()) ++failures;
      }
      if (!check()) ++failures;
    }
  };
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  fiber::Thread thread("party", [&] { party(0); });
  runtime.run([&] {
    std::vector<fiber::JoinHandle> fibers;
    for (int i = 1; i < kParties; ++i) {
      fibers.push_back(runtime.spawn([&party, i] { party(i); }));
    }
    for (fiber::JoinHandle& f : fibers) f.join();
  });
  thread.join();
  EXPECT_EQ(0, failures.load());
  EXPECT_TRUE(check());
  EXPECT_TRUE(txn_db_->GetLockStatusData().empty());
}

}  // namespace
}  // namespace cairn
