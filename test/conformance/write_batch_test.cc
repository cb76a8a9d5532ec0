// WriteBatch: the wire format, iteration, save points, and atomic application.
#include "conformance.h"

namespace conformance {
namespace {

// Writes down what it gets.
class BatchRecorder : public WriteBatch::Handler {
 public:
  Status PutCF(uint32_t cf, const Slice& key, const Slice& value) override {
    return Add("Put(" + std::to_string(cf) + "," + key.ToString() + "," + value.ToString() + ")");
  }
  Status DeleteCF(uint32_t cf, const Slice& key) override {
    return Add("Delete(" + std::to_string(cf) + "," + key.ToString() + ")");
  }
  Status SingleDeleteCF(uint32_t cf, const Slice& key) override {
    return Add("SingleDelete(" + std::to_string(cf) + "," + key.ToString() + ")");
  }
  Status DeleteRangeCF(uint32_t cf, const Slice& begin, const Slice& end) override {
    return Add("DeleteRange(" + std::to_string(cf) + "," + begin.ToString() + "," + end.ToString() +
               ")");
  }
  Status MergeCF(uint32_t cf, const Slice& key, const Slice& value) override {
    return Add("Merge(" + std::to_string(cf) + "," + key.ToString() + "," + value.ToString() + ")");
  }
  void LogData(const Slice& blob) override { seen += "LogData(" + blob.ToString() + ")"; }
  bool Continue() override { return stop_after == 0 || count < stop_after; }

  std::string seen;
  int count = 0;
  int stop_after = 0;  // 0: never
  int fail_at = 0;     // 0: never

 private:
  Status Add(const std::string& text) {
    count++;
    if (count == fail_at) return Status::Aborted("wanted");
    seen += text;
    return Status::OK();
  }
};

std::string RecordsOf(const WriteBatch& batch) {
  BatchRecorder recorder;
  const Status s = batch.Iterate(&recorder);
  return s.ok() ? recorder.seen : s.ToString();
}

TEST(WriteBatchFormat, HeaderIsSequenceAndCount) {
  WriteBatch batch;
  EXPECT_EQ(std::string(12, '\0'), batch.Data());
  EXPECT_EQ(12u, batch.GetDataSize());
  EXPECT_EQ(0u, batch.Count());
  EXPECT_EQ("", RecordsOf(batch));
}

TEST(WriteBatchFormat, BytesOfEachEntry) {
  WriteBatch batch;
  ASSERT_OK(batch.Put("k", "value"));
  ASSERT_OK(batch.Delete("gone"));
  ASSERT_OK(batch.SingleDelete("once"));
  ASSERT_OK(batch.Merge("m", "op"));
  ASSERT_OK(batch.DeleteRange("a", "c"));
  ASSERT_OK(batch.PutLogData("blob"));
  const std::string expected = std::string(8, '\0') + std::string("\x05\0\0\0", 4) +
                               "\x01\x01k\x05value" + std::string("\0\x04gone", 6) +
                               "\x07\x04once" + "\x02\x01m\x02op" +
                               "\x0f\x01"
                               "a\x01"
                               "c" +
                               "\x03\x04"
                               "blob";
  EXPECT_EQ(Slice(expected).ToString(true), Slice(batch.Data()).ToString(true));
  EXPECT_EQ(5u, batch.Count());  // without the log data
}

TEST(WriteBatchFormat, LongLengthsAreVarints) {
  WriteBatch batch;
  ASSERT_OK(batch.Put(std::string(200, 'k'), std::string(20000, 'v')));
  EXPECT_EQ(12u + 1 + 2 + 200 + 3 + 20000, batch.GetDataSize());
  EXPECT_EQ(Slice("\xc8\x01", 2), Slice(batch.Data().data() + 13, 2));
}

TEST(WriteBatchIterate, HandsOutEntriesInOrder) {
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.PutLogData("note"));
  ASSERT_OK(batch.Delete("b"));
  ASSERT_OK(batch.SingleDelete("c"));
  ASSERT_OK(batch.Merge("d", "2"));
  ASSERT_OK(batch.DeleteRange("e", "f"));
  EXPECT_EQ("Put(0,a,1)LogData(note)Delete(0,b)SingleDelete(0,c)Merge(0,d,2)DeleteRange(0,e,f)",
            RecordsOf(batch));
}

TEST(WriteBatchIterate, HandlerMayStopOrFail) {
  WriteBatch batch;
  for (int i = 0; i < 5; i++) ASSERT_OK(batch.Put(Key(i), "v"));
  BatchRecorder stopping;
  stopping.stop_after = 2;
  EXPECT_OK(batch.Iterate(&stopping));
  EXPECT_EQ(2, stopping.count);
  BatchRecorder failing;
  failing.fail_at = 3;
  EXPECT_TRUE(batch.Iterate(&failing).IsAborted());
  EXPECT_EQ(3, failing.count);
}

TEST(WriteBatchIterate, DefaultHandlerPassesTheDefaultFamilyOn) {
  class Plain : public WriteBatch::Handler {
   public:
    void Put(const Slice& key, const Slice&) override { seen += "put " + key.ToString() + ";"; }
    void Delete(const Slice& key) override { seen += "delete " + key.ToString() + ";"; }
    void SingleDelete(const Slice& key) override { seen += "single " + key.ToString() + ";"; }
    std::string seen;
  };
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Delete("b"));
  ASSERT_OK(batch.SingleDelete("c"));
  Plain plain;
  EXPECT_OK(batch.Iterate(&plain));
  EXPECT_EQ("put a;delete b;single c;", plain.seen);
  ASSERT_OK(batch.DeleteRange("d", "e"));
  EXPECT_TRUE(batch.Iterate(&plain).IsInvalidArgument());
}

TEST(WriteBatchIterate, DamagedRepresentationsAreCorruption) {
  EXPECT_EQ("Corruption: malformed WriteBatch (too small)",
            RecordsOf(WriteBatch(std::string("short"))));
  WriteBatch good;
  ASSERT_OK(good.Put("key", "value"));
  BatchRecorder recorder;
  for (size_t size = 13; size < good.GetDataSize(); size++) {
    EXPECT_TRUE(WriteBatch(good.Data().substr(0, size)).Iterate(&recorder).IsCorruption()) << size;
  }
  std::string wrong_count = good.Data();
  wrong_count[8] = 2;
  EXPECT_EQ("Corruption: WriteBatch has wrong count", RecordsOf(WriteBatch(wrong_count)));
  std::string unknown = good.Data();
  unknown[12] = 0x7e;
  EXPECT_TRUE(WriteBatch(unknown).Iterate(&recorder).IsCorruption());
}

TEST(WriteBatchContent, FlagsSayWhatIsInside) {
  WriteBatch batch;
  EXPECT_FALSE(batch.HasPut() || batch.HasDelete() || batch.HasSingleDelete() || batch.HasMerge() ||
               batch.HasDeleteRange());
  ASSERT_OK(batch.Put("a", "1"));
  EXPECT_TRUE(batch.HasPut());
  EXPECT_FALSE(batch.HasDelete());
  ASSERT_OK(batch.Delete("a"));
  ASSERT_OK(batch.SingleDelete("a"));
  ASSERT_OK(batch.Merge("a", "1"));
  ASSERT_OK(batch.DeleteRange("a", "b"));
  EXPECT_TRUE(batch.HasDelete() && batch.HasSingleDelete() && batch.HasMerge() &&
              batch.HasDeleteRange());
  // The same from the representation alone.
  const WriteBatch again(batch.Data());
  EXPECT_TRUE(again.HasPut() && again.HasDelete() && again.HasSingleDelete() && again.HasMerge() &&
              again.HasDeleteRange());
  batch.Clear();
  EXPECT_FALSE(batch.HasPut());
}

TEST(WriteBatchContent, CopiesAndMoves) {
  WriteBatch a;
  ASSERT_OK(a.Put("k", "v"));
  WriteBatch copy(a);
  ASSERT_OK(copy.Delete("x"));
  EXPECT_EQ("Put(0,k,v)", RecordsOf(a));
  EXPECT_EQ("Put(0,k,v)Delete(0,x)", RecordsOf(copy));
  WriteBatch moved(std::move(copy));
  EXPECT_EQ("Put(0,k,v)Delete(0,x)", RecordsOf(moved));
  a = moved;
  EXPECT_EQ(2u, a.Count());
  WriteBatch target;
  target = std::move(a);
  EXPECT_EQ(2u, target.Count());
  EXPECT_EQ(moved.Data(), target.Data());
  target.Clear();
  EXPECT_EQ(12u, target.GetDataSize());
  EXPECT_EQ(0u, target.Count());
}

TEST(WriteBatchContent, PartsAreJoined) {
  const Slice key[] = {"ke", "y"};
  const Slice value[] = {"v", "", "alue"};
  WriteBatch parts, whole;
  ASSERT_OK(parts.Put(SliceParts(key, 2), SliceParts(value, 3)));
  ASSERT_OK(parts.Delete(SliceParts(key, 2)));
  ASSERT_OK(whole.Put("key", "value"));
  ASSERT_OK(whole.Delete("key"));
  EXPECT_EQ(whole.Data(), parts.Data());
}

TEST(WriteBatchSavePoints, RollBackAndPop) {
  WriteBatch batch;
  EXPECT_CODE(NotFound, batch.RollbackToSavePoint());
  EXPECT_CODE(NotFound, batch.PopSavePoint());
  ASSERT_OK(batch.Put("a", "1"));
  batch.SetSavePoint();
  ASSERT_OK(batch.Put("b", "2"));
  batch.SetSavePoint();
  ASSERT_OK(batch.Delete("c"));
  ASSERT_OK(batch.RollbackToSavePoint());
  EXPECT_EQ("Put(0,a,1)Put(0,b,2)", RecordsOf(batch));
  EXPECT_FALSE(batch.HasDelete());
  ASSERT_OK(batch.RollbackToSavePoint());
  EXPECT_EQ("Put(0,a,1)", RecordsOf(batch));
  EXPECT_EQ(1u, batch.Count());
  EXPECT_CODE(NotFound, batch.RollbackToSavePoint());
  batch.SetSavePoint();
  ASSERT_OK(batch.Put("d", "4"));
  ASSERT_OK(batch.PopSavePoint());
  EXPECT_CODE(NotFound, batch.RollbackToSavePoint());
  EXPECT_EQ("Put(0,a,1)Put(0,d,4)", RecordsOf(batch));
  batch.SetSavePoint();
  batch.Clear();
  EXPECT_CODE(NotFound, batch.RollbackToSavePoint());
}

TEST(WriteBatchLimit, TooLargeAWriteIsMemoryLimitAndLeavesNothing) {
  WriteBatch batch(0, 30);
  ASSERT_OK(batch.Put("k", "0123456789"));  // 12 + 14
  const std::string before = batch.Data();
  EXPECT_CODE(MemoryLimit, batch.Put("k", "0123456789"));
  EXPECT_EQ(before, batch.Data());
  EXPECT_CODE(MemoryLimit, batch.Delete("key"));
  EXPECT_EQ(1u, batch.Count());
  EXPECT_OK(batch.Delete("k"));
  batch.SetMaxBytes(0);
  EXPECT_OK(batch.Put("k", std::string(100, 'v')));
}

class WriteTest : public DBTest {};

TEST_F(WriteTest, BatchIsAppliedInOrder) {
  Open();
  ASSERT_OK(Put("old", "x"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("a", "2"));
  ASSERT_OK(batch.Put("b", "3"));
  ASSERT_OK(batch.Delete("b"));
  ASSERT_OK(batch.Delete("old"));
  ASSERT_OK(batch.PutLogData("ignored"));
  ASSERT_OK(batch.Put("c", ""));
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=2,c=", Contents());
  EXPECT_EQ(before + batch.Count(), db_->GetLatestSequenceNumber());
  Open();
  EXPECT_EQ("a=2,c=", Contents());
}

TEST_F(WriteTest, BatchCanBeWrittenAgain) {
  Open();
  WriteBatch batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(Delete("a"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("a=1", Contents());
}

TEST_F(WriteTest, EmptyBatchesAndLogDataChangeNothing) {
  Open();
  const SequenceNumber before = db_->GetLatestSequenceNumber();
  WriteBatch batch;
  EXPECT_OK(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(batch.PutLogData("note"));
  EXPECT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ(before, db_->GetLatestSequenceNumber());
  Open();
  EXPECT_EQ("", Contents());
}

TEST_F(WriteTest, NullBatchIsInvalidArgument) {
  Open();
  EXPECT_TRUE(db_->Write(WriteOptions(), nullptr).IsInvalidArgument() ||
              db_->Write(WriteOptions(), nullptr).IsCorruption());
}

TEST_F(WriteTest, DamagedBatchIsRefusedAndHarmless) {
  Open();
  ASSERT_OK(Put("a", "1"));
  WriteBatch good;
  ASSERT_OK(good.Put("b", "2"));
  std::string rep = good.Data();
  rep.resize(rep.size() - 1);
  WriteBatch bad(rep);
  WriteOptions no_log;  // so that nothing bad gets into the log
  no_log.disableWAL = true;
  EXPECT_TRUE(db_->Write(no_log, &bad).IsCorruption());
  EXPECT_EQ("1", Get("a"));
}

TEST_F(WriteTest, LargeBatch) {
  Open();
  WriteBatch batch;
  for (int i = 0; i < 20000; i++) ASSERT_OK(batch.Put(Key(i), std::to_string(i)));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  EXPECT_EQ("19999", Get(Key(19999)));
  Open();
  for (int i = 0; i < 20000; i += 997) EXPECT_EQ(std::to_string(i), Get(Key(i)));
}

TEST_F(WriteTest, SyncWithoutLogIsInvalidArgument) {
  Open();
  WriteOptions options;
  options.sync = true;
  EXPECT_OK(db_->Put(options, "a", "1"));
  options.disableWAL = true;
  EXPECT_CODE(InvalidArgument, db_->Put(options, "b", "2"));
  EXPECT_EQ("a=1", Contents());
}

TEST_F(WriteTest, LogCanBeFlushedAndSynced) {
  Open();
  ASSERT_OK(Put("a", "1"));
  EXPECT_OK(db_->FlushWAL(false));
  EXPECT_OK(db_->SyncWAL());
  EXPECT_OK(db_->FlushWAL(true));
  EXPECT_OK(db_->SyncWAL());
}

}  // namespace
}  // namespace conformance
