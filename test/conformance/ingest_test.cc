// IngestExternalFile: what files from outside mean among what is there, where they go, and what is
// refused.
#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/listener.h"
#include "rocksdb/sst_file_writer.h"

namespace conformance {
namespace {

class IngestTest : public DBTest {
 protected:
  IngestTest() { options_.disable_auto_compactions = true; }

  // A file of these keys, all with this value, and perhaps of a range deletion.
  std::string MakeFile(const std::string& keys, const std::string& value,
                       const std::string& delete_from = "", const std::string& delete_to = "") {
    const std::string path = root_ + "/outside-" + std::to_string(files_++) + ".sst";
    SstFileWriter writer(EnvOptions(), options_);
    EXPECT_OK(writer.Open(path));
    for (const char key : keys) EXPECT_OK(writer.Put(std::string(1, key), value));
    if (!delete_from.empty()) {
      EXPECT_OK(writer.DeleteRange(delete_from, delete_to));
    }
    EXPECT_OK(writer.Finish());
    return path;
  }
  Status Ingest(const std::vector<std::string>& files) {
    return db_->IngestExternalFile(files, ingest_);
  }
  bool Exists(const std::string& path) { return TheEnv()->FileExists(path).ok(); }
  void Fill(const std::string& keys, const std::string& value) {
    for (const char key : keys) ASSERT_OK(Put(std::string(1, key), value));
  }
  // Of the file that came last: "L6@0".
  std::string Last() {
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    const LiveFileMetaData* last = nullptr;
    for (const LiveFileMetaData& file : files) {
      if (last == nullptr || file.file_number > last->file_number) last = &file;
    }
    if (last == nullptr) return "none";
    return "L" + std::to_string(last->level) + "@" +
           std::to_string(last->largest_seqno == 0 ? 0 : 1);
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

  IngestExternalFileOptions ingest_;
  int files_ = 0;
};

TEST_F(IngestTest, NewKeysGoToTheLastLevelWithoutASequenceNumber) {
  Open();
  Fill("az", "old");
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_OK(Ingest({MakeFile("bcd", "new")}));
  EXPECT_EQ("L6@0", Last());
  EXPECT_EQ(before, db_->GetLatestSequenceNumber());
  EXPECT_EQ("a=old,b=new,c=new,d=new,z=old", Contents());
  Open();
  EXPECT_EQ("a=old,b=new,c=new,d=new,z=old", Contents());
  ASSERT_OK(Put("c", "newer"));
  ASSERT_OK(Flush());
  EXPECT_EQ("newer", Get("c"));
  ASSERT_OK(Compact());
  EXPECT_EQ("a=old,b=new,c=newer,d=new,z=old", Contents());
}

TEST_F(IngestTest, IsNewerThanAllThatWasWritten) {
  Open();
  Fill("abc", "1");
  ASSERT_OK(Flush());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_OK(Ingest({MakeFile("bx", "2")}));
  EXPECT_EQ("L0@1", Last());
  EXPECT_EQ(before + 1, db_->GetLatestSequenceNumber());
  EXPECT_EQ("a=1,b=2,c=1,x=2", Contents());
  ASSERT_OK(Put("b", "3"));
  EXPECT_EQ("3", Get("b"));
  ASSERT_OK(Delete("x"));
  EXPECT_EQ("NOT_FOUND", Get("x"));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ("a=1,b=3,c=1", Contents()) << round;
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Compact());
    }
  }
}

TEST_F(IngestTest, WhatMemoryHoldsIsFlushedFirst) {
  Open();
  Fill("abc", "1");
  ingest_.allow_blocking_flush = false;
  const std::string file = MakeFile("b", "2");
  EXPECT_CODE(InvalidArgument, Ingest({file}));
  EXPECT_EQ("a=1,b=1,c=1", Contents());
  EXPECT_TRUE(Exists(file));
  ingest_.allow_blocking_flush = true;
  ASSERT_OK(Ingest({file}));
  EXPECT_EQ("a=1,b=2,c=1", Contents());
  EXPECT_EQ("2", Property("rocksdb.num-files-at-level0"));
  ingest_.allow_blocking_flush = false;
  ASSERT_OK(Put("q", "1"));
  ASSERT_OK(Ingest({MakeFile("de", "2")})) << "nothing of that range is in memory";
  EXPECT_EQ("a=1,b=2,c=1,d=2,e=2,q=1", Contents());
}

TEST_F(IngestTest, SnapshotsDoNotSeeIt) {
  Open();
  Fill("a", "1");
  const Snapshot* snapshot = db_->GetSnapshot();
  ASSERT_OK(Ingest({MakeFile("bc", "2")}));
  EXPECT_EQ("a=1", ContentsAt(snapshot));
  EXPECT_EQ("a=1,b=2,c=2", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1", ContentsAt(snapshot));
  ingest_.snapshot_consistency = false;
  ASSERT_OK(Ingest({MakeFile("de", "3")}));
  EXPECT_EQ("a=1,d=3,e=3", ContentsAt(snapshot));
  db_->ReleaseSnapshot(snapshot);
  EXPECT_EQ("a=1,b=2,c=2,d=3,e=3", Contents());
}

TEST_F(IngestTest, WithoutSequenceNumbersOnlyWhatNeedsNone) {
  Open();
  Fill("abc", "1");
  ASSERT_OK(Flush());
  ingest_.allow_global_seqno = false;
  EXPECT_CODE(InvalidArgument, Ingest({MakeFile("b", "2")}));
  ASSERT_OK(Ingest({MakeFile("xy", "2")}));
  const Snapshot* snapshot = db_->GetSnapshot();
  EXPECT_CODE(InvalidArgument, Ingest({MakeFile("mn", "2")}));
  db_->ReleaseSnapshot(snapshot);
  EXPECT_EQ("a=1,b=1,c=1,x=2,y=2", Contents());
}

TEST_F(IngestTest, BetweenTheKeysOfAFileItGoesAboveThatFile) {
  Open();
  Fill("aeo", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_OK(Ingest({MakeFile("gh", "2")}));
  EXPECT_EQ(before, db_->GetLatestSequenceNumber()) << "no key in common";
  EXPECT_EQ("a=1,e=1,g=2,h=2,o=1", Contents());
  ASSERT_OK(Ingest({MakeFile("e", "3")}));
  EXPECT_EQ("a=1,e=3,g=2,h=2,o=1", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,e=3,g=2,h=2,o=1", Contents());
}

TEST_F(IngestTest, OfOverlappingFilesTheLastOnesEntriesAreNewest) {
  Open();
  Fill("b", "0");
  ASSERT_OK(Ingest({MakeFile("abc", "1"), MakeFile("bcd", "2"), MakeFile("c", "3")}));
  EXPECT_EQ("a=1,b=2,c=3,d=2", Contents());
  Open();
  EXPECT_EQ("a=1,b=2,c=3,d=2", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,b=2,c=3,d=2", Contents());
}

TEST_F(IngestTest, DisjointFilesShareALevel) {
  Open();
  ASSERT_OK(Ingest({MakeFile("mno", "3"), MakeFile("abc", "1"), MakeFile("efg", "2")}));
  EXPECT_EQ("3", Property("rocksdb.num-files-at-level6"));
  EXPECT_EQ("a=1,b=1,c=1,e=2,f=2,g=2,m=3,n=3,o=3", Contents());
}

TEST_F(IngestTest, RangeDeletionsOfAFileHideWhatIsOlderOnly) {
  Open();
  Fill("abcdefg", "1");
  ASSERT_OK(Ingest({MakeFile("cd", "2", "b", "f")}));
  EXPECT_EQ("a=1,c=2,d=2,f=1,g=1", Contents());
  EXPECT_EQ("NOT_FOUND", Get("b"));
  ASSERT_OK(Put("b", "3"));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ("a=1,b=3,c=2,d=2,f=1,g=1", Contents()) << round;
    if (round == 0) Open();
    if (round == 1) {
      ASSERT_OK(Compact());
    }
  }
  ASSERT_OK(Ingest({MakeFile("", "", "a", "d")})) << "nothing but a range";
  EXPECT_EQ("d=2,f=1,g=1", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("d=2,f=1,g=1", Contents());
}

TEST_F(IngestTest, UpperRangeDeletionsDoNotHideWhatComesLater) {
  Open();
  Fill("az", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "c", "m"));
  ASSERT_OK(Flush());
  ASSERT_OK(Ingest({MakeFile("de", "2")}));
  EXPECT_EQ("a=1,d=2,e=2,z=1", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,d=2,e=2,z=1", Contents());
  ASSERT_OK(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "c", "m"));
  ASSERT_OK(Ingest({MakeFile("ef", "3")})) << "the range is in memory";
  EXPECT_EQ("a=1,e=3,f=3,z=1", Contents());
}

TEST_F(IngestTest, MovedFilesAreGoneCopiedOnesStay) {
  Open();
  const std::string copied = MakeFile("a", "1");
  ASSERT_OK(Ingest({copied}));
  EXPECT_TRUE(Exists(copied));
  ingest_.move_files = true;
  const std::string moved = MakeFile("b", "2");
  ASSERT_OK(Ingest({moved}));
  EXPECT_FALSE(Exists(moved));
  EXPECT_EQ("a=1,b=2", Contents());
  ASSERT_OK(Ingest({copied})) << "again";
  EXPECT_FALSE(Exists(copied));
  EXPECT_EQ("a=1,b=2", Contents());
}

TEST_F(IngestTest, OnlyTheLastLevelIfAskedSo) {
  Open();
  Fill("ac", "1");
  ASSERT_OK(Flush());
  ingest_.fail_if_not_bottommost_level = true;
  const std::string file = MakeFile("c", "2");
  EXPECT_CODE(TryAgain, Ingest({file}));
  EXPECT_EQ("a=1,c=1", Contents());
  ASSERT_OK(Ingest({MakeFile("xy", "2")}));
  EXPECT_EQ("L6@0", Last());
}

TEST_F(IngestTest, BadArgumentsAreRefused) {
  Open();
  EXPECT_CODE(InvalidArgument, db_->IngestExternalFiles({}));
  EXPECT_CODE(InvalidArgument, Ingest({}));
  EXPECT_FALSE(Ingest({root_ + "/nothing.sst"}).ok());
  const std::string garbage = root_ + "/garbage.sst";
  ASSERT_OK(WriteStringToFile(TheEnv(), std::string(1000, 'g'), garbage));
  EXPECT_CODE(Corruption, Ingest({garbage}));
  ingest_.ingest_behind = true;
  EXPECT_CODE(InvalidArgument, Ingest({MakeFile("a", "1")}));  // it needs allow_ingest_behind
  ingest_.ingest_behind = false;
  IngestExternalFileArg arg;
  arg.column_family = db_->DefaultColumnFamily();
  arg.external_files = {MakeFile("b", "1")};
  EXPECT_CODE(InvalidArgument, db_->IngestExternalFiles({arg, arg}));
  const std::string good = MakeFile("a", "1");
  EXPECT_FALSE(Ingest({good, garbage}).ok()) << "all or none";
  EXPECT_EQ("", Contents());
  EXPECT_EQ("none", Last());
  EXPECT_TRUE(Exists(good));
}

TEST_F(IngestTest, AFileOfTheDatabaseItselfIsRefused) {
  Open();
  Fill("ab", "1");
  ASSERT_OK(Flush());
  std::vector<LiveFileMetaData> files;
  db_->GetLiveFilesMetaData(&files);
  ASSERT_EQ(1u, files.size());
  EXPECT_FALSE(Ingest({files[0].db_path + files[0].name}).ok());
  EXPECT_EQ("a=1,b=1", Contents());
}

TEST_F(IngestTest, DamageIsFoundIfAskedFor) {
  Open();
  const std::string file = MakeFile("abcdefgh", std::string(300, 'v'));
  std::string data;
  ASSERT_OK(ReadFileToString(TheEnv(), file, &data));
  data[1000] ^= 1;  // in the only data block, between its first and its last key
  ASSERT_OK(WriteStringToFile(TheEnv(), data, file));
  ingest_.verify_checksums_before_ingest = true;
  EXPECT_CODE(Corruption, Ingest({file}));
  EXPECT_EQ("none", Last());
}

TEST_F(IngestTest, SeveralFamiliesAtOnce) {
  Open();
  ColumnFamilyHandle* other = nullptr;
  ASSERT_OK(db_->CreateColumnFamily(options_, "other", &other));
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(db_->Put(WriteOptions(), other, "a", "1"));
  std::vector<IngestExternalFileArg> args(2);
  args[0].column_family = db_->DefaultColumnFamily();
  args[0].external_files = {MakeFile("ab", "2")};
  args[1].column_family = other;
  args[1].external_files = {MakeFile("ac", "3"), MakeFile("d", "4")};
  ASSERT_OK(db_->IngestExternalFiles(args));
  EXPECT_EQ("a=2,b=2", Contents());
  std::string value;
  ASSERT_OK(db_->Get(ReadOptions(), other, "a", &value));
  EXPECT_EQ("3", value);
  ASSERT_OK(db_->Get(ReadOptions(), other, "d", &value));
  EXPECT_EQ("4", value);
  ASSERT_OK(db_->DestroyColumnFamilyHandle(other));
}

TEST_F(IngestTest, UniversalStyleKeepsTheOrderOfThings) {
  options_.compaction_style = kCompactionStyleUniversal;
  Open();
  Fill("abc", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  ASSERT_OK(Ingest({MakeFile("bd", "2")}));
  EXPECT_EQ("a=1,b=2,c=1,d=2", Contents());
  ASSERT_OK(Put("b", "3"));
  ASSERT_OK(Flush());
  ASSERT_OK(Ingest({MakeFile("xy", "4")}));
  EXPECT_EQ("a=1,b=3,c=1,d=2,x=4,y=4", Contents());
  ASSERT_OK(Compact());
  EXPECT_EQ("a=1,b=3,c=1,d=2,x=4,y=4", Contents());
  Open();
  EXPECT_EQ("a=1,b=3,c=1,d=2,x=4,y=4", Contents());
}

TEST_F(IngestTest, FifoStylePutsItAboveWhatAnotherStyleLeftBelow) {
  Open();
  const Snapshot* before = db_->GetSnapshot();  // the entry keeps its sequence number
  Fill("b", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  db_->ReleaseSnapshot(before);
  options_.compaction_style = kCompactionStyleFIFO;
  Open();
  ASSERT_OK(Ingest({MakeFile("abc", "2")}));
  EXPECT_EQ("L0@1", Last());
  EXPECT_EQ("a=2,b=2,c=2", Contents());
}

TEST_F(IngestTest, BehindAllElse) {
  options_.compaction_style = kCompactionStyleUniversal;
  options_.allow_ingest_behind = true;
  options_.num_levels = 3;
  Open();
  Fill("bd", "1");
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_EQ("0", Property("rocksdb.num-files-at-level2")) << "reserved";
  ingest_.ingest_behind = true;
  ASSERT_OK(Ingest({MakeFile("abcd", "0")}));
  EXPECT_EQ("1", Property("rocksdb.num-files-at-level2"));
  EXPECT_EQ("a=0,b=1,c=0,d=1", Contents());
  EXPECT_CODE(InvalidArgument, Ingest({MakeFile("c", "2")}));  // there is a file in its place
  EXPECT_CODE(NotSupported, Ingest({MakeFile("xy", "2"), MakeFile("yz", "2")}));
  ASSERT_OK(Ingest({MakeFile("xy", "2")}));
  ASSERT_OK(Put("x", "3"));
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ("a=0,b=1,c=0,d=1,x=3,y=2", Contents()) << round;
    if (round == 0) {
      ASSERT_OK(Compact());
    }
    if (round == 1) Open();
  }
}

TEST_F(IngestTest, ListenersAreTold) {
  struct Listener : EventListener {
    void OnExternalFileIngested(DB*, const ExternalFileIngestionInfo& info) override {
      told += info.cf_name + ":" + (info.external_file_path == path ? "right" : "wrong") + ":" +
              std::to_string(info.global_seqno) + ":" +
              std::to_string(info.table_properties.num_entries) + ";";
    }
    std::string path, told;
  };
  auto listener = std::make_shared<Listener>();
  options_.listeners = {listener};
  Open();
  ASSERT_OK(Put("a", "1"));
  listener->path = MakeFile("abc", "2");
  ASSERT_OK(Ingest({listener->path}));
  EXPECT_EQ("default:right:2:3;", listener->told);
}

TEST_F(IngestTest, WhileOthersWriteReadAndCompact) {
  options_.disable_auto_compactions = false;
  options_.write_buffer_size = 64 << 10;
  options_.level0_file_num_compaction_trigger = 2;
  Open();
  std::vector<Thread> writers;
  for (int t = 0; t < 2; ++t) {
    writers.emplace_back([&, t] {
      Numbers numbers(static_cast<uint64_t>(t) + 1);
      for (int i = 0; i < 3000; ++i) {
        const int key = static_cast<int>(numbers.Below(500)) * 2 + t;
        EXPECT_OK(Put("w" + Key(key), numbers.Bytes(100)));
      }
    });
  }
  for (int round = 1; round <= 20; ++round) {
    const std::string path = root_ + "/outside.sst";
    SstFileWriter writer(EnvOptions(), options_);
    ASSERT_OK(writer.Open(path));
    // Between the others' keys, and among its own of before.
    for (int i = 0; i < 1000; i += 1 + round % 3) {
      ASSERT_OK(writer.Put("w" + Key(i) + "x", std::to_string(round)));
    }
    ASSERT_OK(writer.Finish());
    ASSERT_OK(Ingest({path}));
    for (int i = 0; i < 1000; i += 1 + round % 3) {
      ASSERT_EQ(std::to_string(round), Get("w" + Key(i) + "x")) << i;
    }
  }
  for (Thread& writer : writers) writer.join();
  ASSERT_OK(db_->VerifyChecksum());
  Open();
  EXPECT_EQ("20", Get("w" + Key(0) + "x"));
}

}  // namespace
}  // namespace conformance
