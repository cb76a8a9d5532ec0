// Column families: made, dropped, opened; batches over several; flush, recovery and options of
// each.
#include <atomic>

#include "conformance.h"

namespace conformance {
namespace {

class ColumnFamilyTest : public DBTest {
 protected:
  ~ColumnFamilyTest() override { Shut(); }

  void Shut() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    DBTest::Shut();
  }
  Status TryOpen(const std::vector<std::string>& names) {
    Shut();
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options_);
    return DB::Open(options_, dir_, families, &handles_, &db_);
  }
  void Open(const std::vector<std::string>& names) { ASSERT_OK(TryOpen(names)); }
  // A new database with these, beside the default one: handles_[0] is the default one's.
  void Make(const std::vector<std::string>& names) {
    Open({"default"});
    for (const std::string& name : names) {
      ColumnFamilyHandle* handle = nullptr;
      ASSERT_OK(db_->CreateColumnFamily(options_, name, &handle));
      handles_.push_back(handle);
    }
  }
  void DeleteHandle(size_t i) {
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handles_[i]));
    handles_.erase(handles_.begin() + i);
  }

  Status Put(size_t family, const std::string& key, const std::string& value) {
    return db_->Put(WriteOptions(), handles_[family], key, value);
  }
  std::string Get(size_t family, const std::string& key, const Snapshot* snapshot = nullptr) {
    ReadOptions options;
    options.snapshot = snapshot;
    std::string value;
    const Status s = db_->Get(options, handles_[family], key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }
  std::string Contents(size_t family) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), handles_[family]));
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      text += (text.empty() ? "" : ",") + it->key().ToString() + "=" + it->value().ToString();
    }
    EXPECT_OK(it->status());
    return text;
  }
  Status Flush(size_t family) { return db_->Flush(FlushOptions(), handles_[family]); }
  int FilesAtLevel(size_t family, int level) {
    std::string value;
    EXPECT_TRUE(db_->GetProperty(handles_[family],
                                 "rocksdb.num-files-at-level" + std::to_string(level), &value));
    return std::atoi(value.c_str());
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_OK(DB::ListColumnFamilies(options_, dir_, &names));
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<ColumnFamilyHandle*> handles_;
};

using Strings = std::vector<std::string>;

TEST_F(ColumnFamilyTest, EachHasItsOwnKeys) {
  Make({"one", "two"});
  ASSERT_OK(Put(0, "k", "default"));
  ASSERT_OK(Put(1, "k", "1"));
  ASSERT_OK(Put(2, "k", "2"));
  ASSERT_OK(db_->Delete(WriteOptions(), handles_[1], "k"));
  EXPECT_EQ("default", Get(0, "k"));
  EXPECT_EQ("NOT_FOUND", Get(1, "k"));
  EXPECT_EQ("2", Get(2, "k"));
  ASSERT_OK(db_->SingleDelete(WriteOptions(), handles_[2], "k"));
  EXPECT_EQ("", Contents(2));
  EXPECT_EQ("k=default", Contents(0));
}

TEST_F(ColumnFamilyTest, HandlesSayWhoTheyAre) {
  Make({"one", "two"});
  EXPECT_EQ("default", handles_[0]->GetName());
  EXPECT_EQ(0u, handles_[0]->GetID());
  EXPECT_EQ("one", handles_[1]->GetName());
  EXPECT_EQ(1u, handles_[1]->GetID());
  EXPECT_EQ(2u, handles_[2]->GetID());
  EXPECT_EQ(BytewiseComparator(), handles_[1]->GetComparator());
  ColumnFamilyDescriptor descriptor;
  ASSERT_OK(handles_[1]->GetDescriptor(&descriptor));
  EXPECT_EQ("one", descriptor.name);
  EXPECT_EQ(options_.write_buffer_size, descriptor.options.write_buffer_size);
  EXPECT_EQ("default", db_->DefaultColumnFamily()->GetName());
}

TEST_F(ColumnFamilyTest, SurvivesReopeningFlushedOrNot) {
  Make({"one", "two"});
  for (size_t f = 0; f < 3; f++) ASSERT_OK(Put(f, "old", std::to_string(f)));
  ASSERT_OK(Flush(1));
  for (size_t f = 0; f < 3; f++) ASSERT_OK(Put(f, "new", std::to_string(f)));
  for (int round = 0; round < 3; round++) {
    Open({"default", "one", "two"});
    for (size_t f = 0; f < 3; f++) {
      EXPECT_EQ("new=" + std::to_string(f) + ",old=" + std::to_string(f), Contents(f));
    }
  }
}

TEST_F(ColumnFamilyTest, HandlesComeInTheOrderAskedFor) {
  Make({"one", "two"});
  ASSERT_OK(Put(1, "k", "1"));
  Open({"two", "default", "one"});
  EXPECT_EQ("two", handles_[0]->GetName());
  EXPECT_EQ("default", handles_[1]->GetName());
  EXPECT_EQ("one", handles_[2]->GetName());
  EXPECT_EQ("1", Get(2, "k"));
}

TEST_F(ColumnFamilyTest, OneThatIsNamedTwiceHasTwoHandles) {
  options_.create_missing_column_families = true;
  Open({"default", "one", "one", "default"});
  ASSERT_EQ(4u, handles_.size());
  EXPECT_EQ(handles_[1]->GetID(), handles_[2]->GetID());
  EXPECT_EQ(0u, handles_[3]->GetID());
  ASSERT_OK(Put(1, "a", "1"));
  ASSERT_OK(Put(3, "b", "2"));
  EXPECT_EQ("a=1", Contents(2));
  EXPECT_EQ("b=2", Contents(0));
}

TEST_F(ColumnFamilyTest, AllMustBeNamedToWrite) {
  Make({"one", "two"});
  EXPECT_CODE(InvalidArgument, TryOpen({"default", "one"}));
  EXPECT_CODE(InvalidArgument, TryOpen({"one", "two"}));
  EXPECT_CODE(InvalidArgument, TryOpen({"default", "one", "two", "three"}));
  Shut();
  EXPECT_CODE(InvalidArgument, DB::Open(options_, dir_, &db_));
  EXPECT_OK(TryOpen({"default", "one", "two"}));
}

TEST_F(ColumnFamilyTest, SomeMayBeOpenedForReading) {
  Make({"one", "two"});
  ASSERT_OK(Put(1, "k", "1"));
  ASSERT_OK(Put(2, "k", "2"));
  ASSERT_OK(Flush(1));
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, {{"default", options_}, {"two", options_}},
                                &handles_, &db_));
  EXPECT_EQ("2", Get(1, "k"));
  EXPECT_FALSE(Put(1, "k", "3").ok());
  Shut();
  ASSERT_OK(DB::OpenForReadOnly(options_, dir_, &db_));
}

TEST_F(ColumnFamilyTest, MissingOnesAreMadeIfAskedFor) {
  options_.create_missing_column_families = true;
  Open({"default", "one", "two"});
  EXPECT_EQ((Strings{"default", "one", "two"}), Names());
  ASSERT_OK(Put(1, "k", "1"));
  Open({"default", "one", "two", "three"});
  EXPECT_EQ("1", Get(1, "k"));
  ASSERT_OK(Put(3, "k", "3"));
  Open({"default", "three", "two", "one"});
  EXPECT_EQ("3", Get(1, "k"));
}

TEST_F(ColumnFamilyTest, ListsAllOfADatabase) {
  Make({"b", "a"});
  EXPECT_EQ((Strings{"a", "b", "default"}), Names());
  Shut();
  EXPECT_EQ((Strings{"a", "b", "default"}), Names());
  Strings names;
  EXPECT_FALSE(DB::ListColumnFamilies(options_, root_ + "/nowhere", &names).ok());
}

TEST_F(ColumnFamilyTest, ANameIsTakenOnce) {
  Make({"one"});
  ColumnFamilyHandle* handle = nullptr;
  EXPECT_CODE(InvalidArgument, db_->CreateColumnFamily(options_, "one", &handle));
  EXPECT_CODE(InvalidArgument, db_->CreateColumnFamily(options_, "default", &handle));
}

TEST_F(ColumnFamilyTest, ManyAreMadeAtOnce) {
  Open({"default"});
  std::vector<ColumnFamilyHandle*> made;
  ASSERT_OK(db_->CreateColumnFamilies(options_, {"a", "b", "c"}, &made));
  handles_.insert(handles_.end(), made.begin(), made.end());
  ColumnFamilyOptions reverse = options_;
  reverse.comparator = ReverseBytewiseComparator();
  ASSERT_OK(db_->CreateColumnFamilies({{"d", options_}, {"e", reverse}}, &made));
  handles_.insert(handles_.end(), made.begin(), made.end());
  ASSERT_EQ(6u, handles_.size());
  for (size_t f = 0; f < 6; f++) {
    ASSERT_OK(Put(f, "x", std::to_string(f)));
    ASSERT_OK(Put(f, "y", ""));
  }
  EXPECT_EQ("x=4,y=", Contents(4));
  EXPECT_EQ("y=,x=5", Contents(5));
}

// --- Dropping

TEST_F(ColumnFamilyTest, ADroppedOneIsGone) {
  Make({"one", "two"});
  ASSERT_OK(Put(1, "k", "1"));
  ASSERT_OK(Put(2, "k", "2"));
  ASSERT_OK(Flush(1));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  DeleteHandle(1);
  EXPECT_EQ((Strings{"default", "two"}), Names());
  EXPECT_EQ("2", Get(1, "k"));
  EXPECT_CODE(InvalidArgument, TryOpen({"default", "one", "two"}));
  Open({"default", "two"});
  EXPECT_EQ("2", Get(1, "k"));
}

TEST_F(ColumnFamilyTest, ADroppedOneIsReadAsLongAsThereIsAHandle) {
  Make({"one"});
  ASSERT_OK(Put(1, "flushed", "1"));
  ASSERT_OK(Flush(1));
  ASSERT_OK(Put(1, "in memory", "2"));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  EXPECT_EQ("flushed=1,in memory=2", Contents(1));
  EXPECT_EQ("1", Get(1, "flushed"));
  EXPECT_EQ(1u, FilesEndingIn(".sst").size());
  EXPECT_CODE(InvalidArgument, db_->DropColumnFamily(handles_[1]));
  DeleteHandle(1);
  EXPECT_EQ(0u, FilesEndingIn(".sst").size());
}

TEST_F(ColumnFamilyTest, AnIteratorOutlivesHandleAndDrop) {
  Make({"one"});
  for (int i = 0; i < 100; i++) ASSERT_OK(Put(1, Key(i), "v"));
  ASSERT_OK(Flush(1));
  for (int i = 100; i < 200; i++) ASSERT_OK(Put(1, Key(i), "v"));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), handles_[1]));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  DeleteHandle(1);
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) count++;
  EXPECT_OK(it->status());
  EXPECT_EQ(200, count);
}

TEST_F(ColumnFamilyTest, TheNameOfADroppedOneIsFree) {
  Make({"one"});
  ASSERT_OK(Put(1, "k", "old"));
  ASSERT_OK(Flush(1));
  ASSERT_OK(Put(1, "l", "old"));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  DeleteHandle(1);
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "one", &handle));
  handles_.push_back(handle);
  EXPECT_EQ(2u, handle->GetID());
  EXPECT_EQ("", Contents(1));
  ASSERT_OK(Put(1, "k", "new"));
  Open({"default", "one"});
  EXPECT_EQ("k=new", Contents(1));
}

TEST_F(ColumnFamilyTest, TheDefaultOneStays) {
  Make({"one"});
  EXPECT_CODE(InvalidArgument, db_->DropColumnFamily(handles_[0]));
  EXPECT_CODE(InvalidArgument, db_->DestroyColumnFamilyHandle(db_->DefaultColumnFamily()));
}

TEST_F(ColumnFamilyTest, SeveralAreDroppedAtOnce) {
  Make({"one", "two", "three"});
  ASSERT_OK(db_->DropColumnFamilies({handles_[1], handles_[3]}));
  EXPECT_EQ((Strings{"default", "two"}), Names());
  Open({"default", "two"});
}

// --- Batches

TEST_F(ColumnFamilyTest, ABatchGoesToSeveral) {
  Make({"one", "two"});
  WriteBatch batch;
  ASSERT_OK(batch.Put("k", "0"));
  ASSERT_OK(batch.Put(handles_[1], "k", "1"));
  ASSERT_OK(batch.Put(handles_[2], "k", "2"));
  ASSERT_OK(batch.Delete(handles_[1], "k"));
  ASSERT_OK(batch.Put(handles_[1], "l", "3"));
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ(before + 5, db_->GetLatestSequenceNumber());
  EXPECT_EQ("k=0", Contents(0));
  EXPECT_EQ("l=3", Contents(1));
  EXPECT_EQ("k=2", Contents(2));
  Open({"default", "one", "two"});
  EXPECT_EQ("l=3", Contents(1));
}

TEST_F(ColumnFamilyTest, ABatchForNoFamilyIsRefusedWhole) {
  Make({"one"});
  WriteBatch batch;
  ASSERT_OK(batch.Put("k", "0"));
  ASSERT_OK(batch.Put(handles_[1], "k", "1"));
  ASSERT_OK(db_->DropColumnFamily(handles_[1]));
  WriteOptions lenient;
  lenient.ignore_missing_column_families = true;
  ASSERT_OK(db_->Write(lenient, &batch));
  EXPECT_EQ("k=0", Contents(0));
  DeleteHandle(1);
  Open({"default"});
  EXPECT_EQ("k=0", Contents(0));
}

TEST_F(ColumnFamilyTest, SnapshotsAreOfAll) {
  Make({"one"});
  ASSERT_OK(Put(0, "k", "old"));
  ASSERT_OK(Put(1, "k", "old"));
  const Snapshot* snapshot = db_->GetSnapshot();
  ASSERT_OK(Put(0, "k", "new"));
  ASSERT_OK(Put(1, "k", "new"));
  ASSERT_OK(Flush(1));
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), handles_[1], nullptr, nullptr));
  EXPECT_EQ("old", Get(0, "k", snapshot));
  EXPECT_EQ("old", Get(1, "k", snapshot));
  EXPECT_EQ("new", Get(1, "k"));
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(ColumnFamilyTest, MultiGetReadsFromSeveral) {
  Make({"one", "two"});
  for (size_t f = 0; f < 3; f++) {
    for (int i = 0; i < 20; i++) ASSERT_OK(Put(f, Key(i), std::to_string(f * 100 + i)));
    if (f > 0) {
      ASSERT_OK(Flush(f));
    }
  }
  std::vector<ColumnFamilyHandle*> families;
  Strings texts;
  for (int i = 0; i < 30; i++) {
    families.push_back(handles_[i % 3]);
    texts.push_back(Key(i));
  }
  std::vector<Slice> keys(texts.begin(), texts.end());
  Strings values;
  std::vector<Status> statuses = db_->MultiGet(ReadOptions(), families, keys, &values);
  std::vector<PinnableSlice> pinned(30);
  std::vector<Status> others(30);
  db_->MultiGet(ReadOptions(), 30, families.data(), keys.data(), pinned.data(), others.data());
  for (int i = 0; i < 30; i++) {
    if (i < 20) {
      ASSERT_OK(statuses[i]);
      EXPECT_EQ(std::to_string((i % 3) * 100 + i), values[i]);
      ASSERT_OK(others[i]);
      EXPECT_EQ(values[i], pinned[i].ToString());
    } else {
      EXPECT_CODE(NotFound, statuses[i]);
      EXPECT_CODE(NotFound, others[i]);
    }
  }
}

TEST_F(ColumnFamilyTest, ReadsOfSeveralSeeWholeBatches) {
  options_.write_buffer_size = 64 << 10;
  Make({"one"});
  std::atomic<bool> stop{false};
  Thread writer([&] {
    for (int i = 1; !stop; i++) {
      WriteBatch batch;
      const std::string value = std::to_string(i) + std::string(1000, 'x');
      (void)batch.Put(handles_[0], "k", value);
      (void)batch.Put(handles_[1], "k", value);
      ASSERT_OK(db_->Write(WriteOptions(), &batch));
    }
  });
  Strings values;
  for (int i = 0; i < 2000; i++) {
    const auto statuses =
        db_->MultiGet(ReadOptions(), {handles_[0], handles_[1]}, {"k", "k"}, &values);
    if (!statuses[0].ok() || !statuses[1].ok()) {
      EXPECT_TRUE(statuses[0].IsNotFound() && statuses[1].IsNotFound());
      continue;
    }
    ASSERT_EQ(values[0].substr(0, 10), values[1].substr(0, 10));
    std::vector<Iterator*> iterators;
    ASSERT_OK(db_->NewIterators(ReadOptions(), {handles_[0], handles_[1]}, &iterators));
    std::unique_ptr<Iterator> a(iterators[0]), b(iterators[1]);
    a->SeekToFirst();
    b->SeekToFirst();
    ASSERT_TRUE(a->Valid() && b->Valid());
    ASSERT_EQ(a->value().ToString().substr(0, 10), b->value().ToString().substr(0, 10));
  }
  stop = true;
  writer.join();
}

// --- Flush and logs

TEST_F(ColumnFamilyTest, OneIsFlushedWithoutTheOthers) {
  Make({"one", "two"});
  for (size_t f = 0; f < 3; f++) ASSERT_OK(Put(f, "k", "v"));
  ASSERT_OK(Flush(1));
  EXPECT_EQ(0, FilesAtLevel(0, 0));
  EXPECT_EQ(1, FilesAtLevel(1, 0));
  EXPECT_EQ(0, FilesAtLevel(2, 0));
  ASSERT_OK(db_->Flush(FlushOptions(), std::vector<ColumnFamilyHandle*>{handles_[0], handles_[2]}));
  EXPECT_EQ(1, FilesAtLevel(0, 0));
  EXPECT_EQ(1, FilesAtLevel(1, 0));
  EXPECT_EQ(1, FilesAtLevel(2, 0));
}

TEST_F(ColumnFamilyTest, LogsGoWhenAllHaveWhatTheyHeld) {
  Make({"one"});
  ASSERT_OK(Put(0, "k", "v"));
  ASSERT_OK(Put(1, "k", "v"));
  const Strings first = FilesEndingIn(".log");
  ASSERT_EQ(1u, first.size());
  ASSERT_OK(Flush(1));
  EXPECT_EQ(first[0], FilesEndingIn(".log")[0]);  // the default one needs it
  ASSERT_OK(Put(1, "l", "v"));
  ASSERT_OK(Flush(0));
  for (int i = 0; i < 500 && FilesEndingIn(".log")[0] == first[0]; i++) {
    TheEnv()->SleepForMicroseconds(10'000);
  }
  EXPECT_NE(first[0], FilesEndingIn(".log")[0]);
  Open({"default", "one"});
  EXPECT_EQ("k=v", Contents(0));
  EXPECT_EQ("k=v,l=v", Contents(1));
}

TEST_F(ColumnFamilyTest, TheLimitOfLogsFlushesWhatKeepsThem) {
  options_.max_total_wal_size = 256 << 10;
  Make({"seldom"});
  ASSERT_OK(Put(1, "k", "v"));
  for (int i = 0; i < 2000; i++) ASSERT_OK(Put(0, Key(i % 10), std::string(1000, 'v')));
  for (int i = 0; i < 500 && FilesAtLevel(1, 0) == 0; i++) TheEnv()->SleepForMicroseconds(10'000);
  EXPECT_EQ(1, FilesAtLevel(1, 0));
  Open({"default", "seldom"});
  EXPECT_EQ("k=v", Contents(1));
}

TEST_F(ColumnFamilyTest, AnAtomicFlushIsOfAll) {
  options_.atomic_flush = true;
  Make({"one", "two"});
  ASSERT_OK(Put(0, "k", "v"));
  ASSERT_OK(Put(1, "k", "v"));
  ASSERT_OK(db_->Flush(FlushOptions(), handles_));
  EXPECT_EQ(1, FilesAtLevel(0, 0));
  EXPECT_EQ(1, FilesAtLevel(1, 0));
  EXPECT_EQ(0, FilesAtLevel(2, 0));
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  for (size_t f = 0; f < 3; f++) {
    ASSERT_OK(db_->Put(unlogged, handles_[f], "l", std::to_string(f)));
  }
  ASSERT_OK(db_->Flush(FlushOptions(), handles_));
  Open({"default", "one", "two"});
  EXPECT_EQ("k=v,l=1", Contents(1));
  EXPECT_EQ("l=2", Contents(2));
}

TEST_F(ColumnFamilyTest, EachRecoversFromCopiedFiles) {
  Make({"one", "two"});
  Numbers numbers(7);
  std::vector<std::map<std::string, std::string>> model(3);
  for (int i = 0; i < 3000; i++) {
    const size_t f = numbers.Below(3);
    const std::string key = Key(static_cast<int>(numbers.Below(200)));
    const std::string value = std::to_string(i);
    ASSERT_OK(Put(f, key, value));
    model[f][key] = value;
    if (numbers.Below(300) == 0) {
      ASSERT_OK(Flush(numbers.Below(3)));
    }
  }
  const std::string original = dir_;
  dir_ = root_ + "/copy";
  // The files hold still while they are copied: a compaction would delete some of them.
  ASSERT_OK(db_->PauseBackgroundWork());
  ASSERT_OK(db_->DisableFileDeletions());
  CopyFiles(original, dir_);
  ASSERT_OK(db_->ContinueBackgroundWork());
  Open({"default", "one", "two"});
  for (size_t f = 0; f < 3; f++) {
    for (const auto& [key, value] : model[f]) ASSERT_EQ(value, Get(f, key));
  }
  dir_ = original;
}

// --- Options and properties

TEST_F(ColumnFamilyTest, EachHasItsOptions) {
  Open({"default"});
  ColumnFamilyOptions small = options_;
  small.write_buffer_size = 100'000;
  small.num_levels = 3;
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(small, "small", &handle));
  handles_.push_back(handle);
  EXPECT_EQ(100'000u, db_->GetOptions(handle).write_buffer_size);
  EXPECT_EQ(options_.write_buffer_size, db_->GetOptions().write_buffer_size);
  EXPECT_EQ(3, db_->NumberLevels(handle));
  EXPECT_EQ(options_.num_levels, db_->NumberLevels());
  ASSERT_OK(db_->SetOptions(handle, {{"write_buffer_size", "200000"}}));
  EXPECT_EQ(200'000u, db_->GetOptions(handle).write_buffer_size);
  EXPECT_EQ(options_.write_buffer_size, db_->GetOptions().write_buffer_size);
  const std::string text = ReadFile(FilesStartingWith("OPTIONS-").back());
  EXPECT_NE(std::string::npos, text.find("[CFOptions \"small\"]"));
  EXPECT_NE(std::string::npos, text.find("write_buffer_size=200000"));
}

TEST_F(ColumnFamilyTest, AnotherComparatorIsRefused) {
  Make({"one"});
  Shut();
  ColumnFamilyOptions reverse = options_;
  reverse.comparator = ReverseBytewiseComparator();
  EXPECT_CODE(InvalidArgument,
              DB::Open(options_, dir_, {{"default", options_}, {"one", reverse}}, &handles_, &db_));
}

TEST_F(ColumnFamilyTest, PropertiesAreOfOneOrOfAll) {
  Make({"one"});
  for (int i = 0; i < 10; i++) ASSERT_OK(Put(0, Key(i), "v"));
  for (int i = 0; i < 5; i++) ASSERT_OK(Put(1, Key(i), "v"));
  uint64_t value = 0;
  ASSERT_TRUE(db_->GetIntProperty(handles_[1], "rocksdb.num-entries-active-mem-table", &value));
  EXPECT_EQ(5u, value);
  ASSERT_TRUE(db_->GetIntProperty("rocksdb.num-entries-active-mem-table", &value));
  EXPECT_EQ(10u, value);
  ASSERT_TRUE(db_->GetAggregatedIntProperty("rocksdb.num-entries-active-mem-table", &value));
  EXPECT_EQ(15u, value);
  EXPECT_FALSE(db_->GetAggregatedIntProperty("rocksdb.nothing", &value));
}

TEST_F(ColumnFamilyTest, MetadataAreOfOneOrOfAll) {
  Make({"one"});
  for (size_t f = 0; f < 2; f++) {
    ASSERT_OK(Put(f, "k", "v"));
    ASSERT_OK(Flush(f));
  }
  ASSERT_OK(Put(1, "l", "v"));
  ASSERT_OK(Flush(1));
  ColumnFamilyMetaData one;
  db_->GetColumnFamilyMetaData(handles_[1], &one);
  EXPECT_EQ("one", one.name);
  EXPECT_EQ(2u, one.file_count);
  std::vector<LiveFileMetaData> all;
  db_->GetLiveFilesMetaData(&all);
  EXPECT_EQ(3u, all.size());
  EXPECT_EQ(2, std::count_if(all.begin(), all.end(), [](const LiveFileMetaData& file) {
              return file.column_family_name == "one";
            }));
}

TEST_F(ColumnFamilyTest, EachIsCompactedByItself) {
  options_.disable_auto_compactions = true;
  Make({"one"});
  for (int round = 0; round < 3; round++) {
    for (size_t f = 0; f < 2; f++) {
      for (int i = 0; i < 10; i++) ASSERT_OK(Put(f, Key(i), std::to_string(round)));
      ASSERT_OK(Flush(f));
    }
  }
  ASSERT_OK(db_->CompactRange(CompactRangeOptions(), handles_[1], nullptr, nullptr));
  EXPECT_EQ(3, FilesAtLevel(0, 0));
  EXPECT_EQ(0, FilesAtLevel(1, 0));
  EXPECT_EQ("2", Get(1, Key(3)));
  EXPECT_EQ("2", Get(0, Key(3)));
}

TEST_F(ColumnFamilyTest, MadeAndDroppedUnderWrites) {
  options_.write_buffer_size = 64 << 10;
  Make({"steady"});
  std::atomic<bool> stop{false};
  std::atomic<int> written{0};
  Thread writer([&] {
    while (!stop) {
      const int i = written;
      ASSERT_OK(Put(1, Key(i), std::string(200, 'v')));
      written = i + 1;
    }
  });
  for (int i = 0; i < 40; i++) {
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_OK(db_->CreateColumnFamily(options_, "brief", &handle));
    for (int j = 0; j < 50; j++) {
      ASSERT_OK(db_->Put(WriteOptions(), handle, Key(j), std::string(2000, 'v')));
    }
    if (i % 3 == 0) {
      ASSERT_OK(db_->Flush(FlushOptions(), handle));
    }
    ASSERT_OK(db_->DropColumnFamily(handle));
    std::string value;
    EXPECT_OK(db_->Get(ReadOptions(), handle, Key(7), &value));
    ASSERT_OK(db_->DestroyColumnFamilyHandle(handle));
  }
  stop = true;
  writer.join();
  EXPECT_EQ("NOT_FOUND", Get(1, Key(written)));
  Open({"default", "steady"});
  for (int i = 0; i < written; i += 17) ASSERT_EQ(200u, Get(1, Key(i)).size());
}

}  // namespace
}  // namespace conformance
