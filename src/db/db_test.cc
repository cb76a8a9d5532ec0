// A database as its user sees it: what was written is read, over memtable, level 0 and the levels below, over snapshots,
// reopening and compaction; properties, options and the files in the directory. Failures are in db_fault_test.cc.
#include <algorithm>

#include "db/testing/db_fixture.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

class DbBasicTest : public testing::DbTest {};

TEST_F(DbBasicTest, ReadsWhatWasWritten) {
  Open();
  EXPECT_EQ(Get("a"), "NOT_FOUND");
  Put("a", "1");
  Put("", "the empty key");
  Put("b", "");
  Put(std::string("n\0n", 3), std::string("\0\xff", 2));
  Put("a", "2");
  Delete("b");
  Delete("never there");
  EXPECT_EQ(Get("a"), "2");
  EXPECT_EQ(Get("b"), "NOT_FOUND");
  ExpectModel();
  Flush();
  ExpectModel();
}

TEST_F(DbBasicTest, SingleDeleteRemovesAKeyWrittenOnce) {
  Open();
  ASSERT_TRUE(db_->Put(WriteOptions(), "once", "v").ok());
  Flush();
  ASSERT_TRUE(db_->SingleDelete(WriteOptions(), "once").ok());
  EXPECT_EQ(Get("once"), "NOT_FOUND");
  Flush();
  Compact();
  EXPECT_EQ(Get("once"), "NOT_FOUND");
  EXPECT_TRUE(Scan().empty());
}

TEST_F(DbBasicTest, ReadsOverEveryLevel) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  EXPECT_EQ(FilesAtLevel(0), 2);
  ExpectModel();
  Compact();
  EXPECT_EQ(FilesAtLevel(0), 0);
  ExpectModel();
}

TEST_F(DbBasicTest, KeepsEverythingOverReopening) {
  Open();
  for (int round = 0; round < 4; ++round) {
    PutRange(round * 50, round * 50 + 200, round);
    Delete(Key(round * 50));
    if (round % 2 == 0) Flush();
    Close();
    Open();
    ExpectModel();
  }
}

TEST_F(DbBasicTest, KeepsLargeValuesAndKeys) {
  Open();
  Put("big", Value(1, 300000));  // more than a memtable
  Put(std::string(20000, 'k'), Value(2, 50000));
  Put("z", "small");
  ExpectModel();
  Close();
  Open();
  ExpectModel();
}

TEST_F(DbBasicTest, AppliesABatchAsAWhole) {
  Open();
  Put("gone", "x");
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Delete("gone").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  ASSERT_TRUE(batch.Delete("a").ok());
  ASSERT_TRUE(batch.Put("a", "3").ok());
  ASSERT_TRUE(batch.PutLogData("not data").ok());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), before + 5);
  const Contents expected = {{"a", "3"}, {"b", "2"}};
  ExpectContents(expected);
  Close();
  Open();
  ExpectContents(expected);
}

TEST_F(DbBasicTest, MultiGetAnswersEachKey) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  std::vector<std::string> names;
  for (uint64_t i = 0; i < 420; i += 3) names.push_back(Key(i));
  std::reverse(names.begin(), names.end());
  const std::vector<Slice> keys(names.begin(), names.end());
  std::vector<std::string> values;
  const std::vector<Status> statuses = db_->MultiGet(ReadOptions(), keys, &values);
  for (size_t i = 0; i < names.size(); ++i) {
    const auto it = model_.find(names[i]);
    if (it == model_.end()) {
      EXPECT_TRUE(statuses[i].IsNotFound()) << names[i];
    } else {
      ASSERT_TRUE(statuses[i].ok()) << statuses[i].ToString();
      EXPECT_EQ(values[i], it->second);
    }
  }
}

TEST_F(DbBasicTest, PinnedValuesOutliveFlushAndCompaction) {
  Open();
  PutRange(0, 100, 1, 500);
  Flush();
  PinnableSlice pinned;
  ASSERT_TRUE(db_->Get(ReadOptions(), db_->DefaultColumnFamily(), Key(5), &pinned).ok());
  PutRange(0, 100, 2, 500);
  Flush();
  Compact();
  EXPECT_EQ(pinned.ToString(), Value(1000005, 500));
  pinned.Reset();
}

TEST_F(DbBasicTest, SnapshotsStayFixedOverFlushAndCompaction) {
  Open();
  std::vector<std::pair<const Snapshot*, Contents>> snapshots;
  for (int round = 0; round < 5; ++round) {
    PutRange(0, 150, round, 150);
    for (uint64_t i = round; i < 150; i += 5) Delete(Key(i));
    snapshots.emplace_back(db_->GetSnapshot(), model_);
    if (round == 1 || round == 3) Flush();
  }
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  Compact();
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  EXPECT_EQ(Property("num-snapshots"), "5");
  db_->ReleaseSnapshot(snapshots[1].first);
  snapshots.erase(snapshots.begin() + 1);
  PutRange(0, 150, 9, 150);
  Compact();
  for (const auto& [snapshot, contents] : snapshots) ExpectContents(contents, snapshot);
  for (const auto& entry : snapshots) db_->ReleaseSnapshot(entry.first);
  Compact();
  ExpectModel();
}

TEST_F(DbBasicTest, CloseRefusesWhileASnapshotLives) {
  Open();
  Put("a", "1");
  const Snapshot* snapshot = db_->GetSnapshot();
  EXPECT_TRUE(db_->Close().IsAborted());
  EXPECT_EQ(Get("a"), "1");
  db_->ReleaseSnapshot(snapshot);
  Close();
}

TEST_F(DbBasicTest, CloseKeepsWhatSkippedTheLog) {
  Open();
  WriteOptions no_log;
  no_log.disableWAL = true;
  for (uint64_t i = 0; i < 50; ++i) ASSERT_TRUE(db_->Put(no_log, Key(i), "unlogged").ok());
  Close();
  Open();
  for (uint64_t i = 0; i < 50; ++i) EXPECT_EQ(Get(Key(i)), "unlogged");
  WriteOptions contradiction = no_log;
  contradiction.sync = true;
  EXPECT_TRUE(db_->Put(contradiction, "k", "v").IsInvalidArgument());
}

TEST_F(DbBasicTest, ManualWalFlushKeepsWhatFlushWalSaw) {
  Options options = SmallOptions();
  options.manual_wal_flush = true;
  Open(options);
  Put("a", "1");
  ASSERT_TRUE(db_->FlushWAL(/*sync=*/false).ok());
  ASSERT_TRUE(db_->SyncWAL().ok());
  Kill();
  Open(options);
  EXPECT_EQ(Get("a"), "1");
  Put("b", "2");
  Close();  // flushes what it still has
  Open(options);
  EXPECT_EQ(Get("b"), "2");
}

// --- Iterators

class DbIteratorTest : public testing::DbTest {};

TEST_F(DbIteratorTest, MovesBothWaysAsTheModelDoes) {
  const uint64_t seed = 20260701;
  SCOPED_TRACE(SeedText(seed));
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  Random64 random(seed);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Contents::const_iterator at = model_.end();
  for (int step = 0; step < 4000; ++step) {
    const std::string target = Key(random.Uniform(410));
    switch (at == model_.end() ? random.Uniform(4) : random.Uniform(12)) {
      case 0:
        it->SeekToFirst();
        at = model_.begin();
        break;
      case 1:
        it->SeekToLast();
        at = std::prev(model_.end());
        break;
      case 2:
        it->Seek(target);
        at = model_.lower_bound(target);
        break;
      case 3:
        it->SeekForPrev(target);
        at = model_.upper_bound(target);
        at = at == model_.begin() ? model_.end() : std::prev(at);
        break;
      default:
        if (random.OneIn(2)) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          at = at == model_.begin() ? model_.end() : std::prev(at);
        }
    }
    ASSERT_EQ(it->Valid(), at != model_.end()) << "step " << step;
    if (!it->Valid()) continue;
    ASSERT_EQ(it->key().ToString(), at->first) << "step " << step;
    ASSERT_EQ(it->value().ToString(), at->second) << "step " << step;
  }
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DbIteratorTest, StaysWithinItsBounds) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  const std::string lower_text = Key(120);
  const std::string upper_text = Key(260);
  const Slice lower = lower_text;
  const Slice upper = upper_text;
  ReadOptions bounded;
  bounded.iterate_lower_bound = &lower;
  bounded.iterate_upper_bound = &upper;
  std::unique_ptr<Iterator> it(db_->NewIterator(bounded));
  const Contents expected(model_.lower_bound(lower_text), model_.lower_bound(upper_text));
  Contents forward;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    forward[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(forward == expected);
  Contents backward;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    backward[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(backward == expected);
  it->Seek(Key(0));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), expected.begin()->first);
  it->SeekForPrev(Key(399));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), std::prev(expected.end())->first);
  it->Seek(upper);
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(Key(119));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DbIteratorTest, SeesOneStateUntilRefreshed) {
  Open();
  PutRange(0, 100, 1);
  const Contents before = model_;
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  PutRange(50, 200, 2, 400);
  Flush();
  Compact();
  Contents found;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(found == before);
  ASSERT_TRUE(it->Refresh().ok());
  found.clear();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(found == model_);
}

TEST_F(DbIteratorTest, FollowsAReverseComparator) {
  Options options = SmallOptions();
  options.comparator = ReverseBytewiseComparator();
  Open(options);
  PutRange(0, 300, 1, 300);
  Flush();
  Compact();
  PutRange(100, 200, 2);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  auto at = model_.rbegin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    ASSERT_TRUE(at != model_.rend());
    ASSERT_EQ(it->key().ToString(), at->first);
    ASSERT_EQ(it->value().ToString(), at->second);
  }
  EXPECT_TRUE(at == model_.rend());
}

// --- What an operator asks

class DbAdminTest : public testing::DbTest {};

TEST_F(DbAdminTest, PropertiesTellTheState) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  EXPECT_EQ(Property("num-files-at-level0"), "0");
  PutRange(0, 100, 1);
  EXPECT_EQ(Property("num-entries-active-mem-table"), "100");
  EXPECT_EQ(Property("estimate-num-keys"), "100");
  Flush();
  EXPECT_EQ(Property("num-files-at-level0"), "1");
  EXPECT_EQ(Property("num-entries-active-mem-table"), "0");
  EXPECT_EQ(Property("num-immutable-mem-table"), "0");
  EXPECT_EQ(Property("background-errors"), "0");
  EXPECT_EQ(Property("is-write-stopped"), "0");
  EXPECT_NE(Property("levelstats"), "");
  EXPECT_NE(Property("stats").find("L0"), std::string::npos);
  Compact();
  EXPECT_EQ(Property("num-files-at-level0"), "0");
  uint64_t bytes = 0;
  EXPECT_TRUE(db_->GetIntProperty("rocksdb.total-sst-files-size", &bytes));
  EXPECT_GT(bytes, 100u * 100);
  std::string value;
  EXPECT_FALSE(db_->GetProperty("rocksdb.no-such-thing", &value));
  EXPECT_FALSE(db_->GetProperty("rocksdb.num-files-at-level99", &value));
  EXPECT_FALSE(db_->GetProperty("stats", &value));
}

TEST_F(DbAdminTest, LiveFilesAreThoseOfTheDirectory) {
  Open();
  PutRange(0, 1500, 1);
  PutRange(0, 1500, 2);
  Flush();
  Compact();
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  ASSERT_GT(live.size(), 1u);
  uint64_t entries = 0;
  std::set<std::string> named;
  for (const LiveFileMetaData& file : live) {
    named.insert(file.name);
    entries += file.num_entries;
    EXPECT_EQ(file.column_family_name, "default");
    EXPECT_LE(file.smallestkey, file.largestkey);
    EXPECT_EQ(disk_.Size(kDbName + file.name), file.size);
  }
  EXPECT_EQ(named.size(), live.size());
  EXPECT_EQ(entries, 1500u);
  EXPECT_TRUE(db_->VerifyChecksum().ok());
}

TEST_F(DbAdminTest, LeaksNoFiles) {
  Open();
  for (int round = 0; round < 6; ++round) {
    PutRange(0, 600, round, 200);
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));  // keeps files alive for a while
    it->SeekToFirst();
    if (round % 2 == 0) Compact();
  }
  Compact();
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  Close();
  std::set<std::string> expected = {"CURRENT", "IDENTITY", "LOCK", "LOG"};
  for (const LiveFileMetaData& file : live) expected.insert(file.name.substr(1));
  int logs = 0;
  int manifests = 0;
  int options_files = 0;
  for (const std::string& name : disk_.Names()) {
    uint64_t number;
    FileType type;
    ASSERT_TRUE(ParseFileName(name, &number, &type)) << name;
    if (type == FileType::kWalFile) {
      ++logs;
    } else if (type == FileType::kDescriptorFile) {
      ++manifests;
    } else if (type == FileType::kOptionsFile) {
      ++options_files;
    } else {
      EXPECT_EQ(expected.erase(name), 1u) << name << " is left over";
    }
  }
  EXPECT_TRUE(expected.empty()) << *expected.begin() << " is missing";
  EXPECT_EQ(logs, 1);
  EXPECT_EQ(manifests, 1);
  EXPECT_EQ(options_files, 1);
  EXPECT_EQ(disk_.faults->OpenWritableFiles(), 0);
  EXPECT_EQ(disk_.faults->OpenReadableFiles(), 0);
}

TEST_F(DbAdminTest, OpeningRemovesTheRemainsOfADeadProcess) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  Close();
  for (const char* name : {"/db/000003.sst", "/db/000004.dbtmp"}) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "half", name).ok());
  }
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "mine", "/db/notes.txt").ok());
  Open();
  ExpectModel();
  Close();
  const std::set<std::string> names = disk_.Names();
  EXPECT_FALSE(names.contains("000003.sst"));
  EXPECT_FALSE(names.contains("000004.dbtmp"));
  EXPECT_TRUE(names.contains("notes.txt"));
}

TEST_F(DbAdminTest, ReadOnlyReadsTheLogAndWritesNothing) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  PutRange(200, 400, 2);
  Close();
  const std::set<std::string> before = disk_.Names();
  const uint64_t writes = disk_.faults->OperationCount(kFaultWrites);
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  ExpectModel();
  EXPECT_TRUE(db_->Put(WriteOptions(), "k", "v").IsNotSupported());
  EXPECT_TRUE(db_->Delete(WriteOptions(), "k").IsNotSupported());
  EXPECT_TRUE(db_->Flush(FlushOptions()).IsNotSupported());
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).IsNotSupported());
  EXPECT_TRUE(db_->SyncWAL().IsNotSupported());
  db_.reset();
  EXPECT_EQ(disk_.faults->OperationCount(kFaultWrites), writes);
  EXPECT_TRUE(disk_.Names() == before);
  EXPECT_FALSE(DB::OpenForReadOnly(SmallOptions(), kDbName, &db_, true).ok());
}

TEST_F(DbAdminTest, DestroyRemovesTheDatabaseAndLeavesTheRest) {
  Open();
  PutRange(0, 300, 1);
  Flush();
  EXPECT_FALSE(DestroyDB(kDbName, SmallOptions()).ok()) << "it is open";
  Close();
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "mine", "/db/notes.txt").ok());
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
  EXPECT_EQ(disk_.Names(), std::set<std::string>{"notes.txt"});
  ASSERT_TRUE(disk_.memory->DeleteFile("/db/notes.txt", IOOptions(), nullptr).ok());
  ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
  EXPECT_FALSE(disk_.memory->FileExists(kDbName, IOOptions(), nullptr).ok());
  EXPECT_TRUE(DestroyDB(kDbName, SmallOptions()).ok()) << "what is not there is destroyed";
  Options options = SmallOptions();
  options.create_if_missing = false;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
}

TEST_F(DbAdminTest, CompactRangeTakesAPartOrAll) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  const std::string begin_text = Key(100);
  const std::string end_text = Key(200);
  const Slice begin = begin_text;
  const Slice end = end_text;
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), &begin, &end).ok());
  ExpectModel();
  EXPECT_TRUE(db_->CompactRange(CompactRangeOptions(), &end, &begin).IsInvalidArgument());
  CompactRangeOptions force;
  force.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  force.exclusive_manual_compaction = true;
  ASSERT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  ExpectModel();
  EXPECT_EQ(FilesAtLevel(0), 0);
  for (const auto& [key, value] : Contents(model_)) Delete(key);
  ASSERT_TRUE(db_->CompactRange(force, nullptr, nullptr).ok());
  EXPECT_TRUE(Scan().empty());
  std::vector<LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  EXPECT_TRUE(live.empty()) << "only tombstones were left to drop";
}

TEST_F(DbAdminTest, ErrorIfExistsIsHonoured) {
  Open();
  Close();
  Options options = SmallOptions();
  options.error_if_exists = true;
  EXPECT_TRUE(TryOpen(options).IsInvalidArgument());
}

}  // namespace
}  // namespace cairn
