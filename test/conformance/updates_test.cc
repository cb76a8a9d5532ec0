// GetUpdatesSince, and the archive of logs.
#include "conformance.h"
#include "rocksdb/transaction_log.h"

namespace conformance {
namespace {

class UpdatesTest : public DBTest {
 protected:
  // Shows a batch as "3:Put(a)Put(b)".
  struct Print : WriteBatch::Handler {
    Status PutCF(uint32_t, const Slice& key, const Slice&) override {
      text += "Put(" + key.ToString() + ")";
      return Status::OK();
    }
    Status DeleteCF(uint32_t, const Slice& key) override {
      text += "Delete(" + key.ToString() + ")";
      return Status::OK();
    }
    void LogData(const Slice&) override {}
    std::string text;
  };
  static std::string Show(TransactionLogIterator* it) {
    BatchResult result = it->GetBatch();
    Print print;
    EXPECT_OK(result.writeBatchPtr->Iterate(&print));
    return std::to_string(result.sequence) + ":" + print.text;
  }
  // All from a number on, and how it ends.
  std::string Updates(SequenceNumber from, const std::string& end = "OK") {
    std::unique_ptr<TransactionLogIterator> it;
    const Status s = db_->GetUpdatesSince(from, &it);
    if (!s.ok()) return s.IsNotFound() ? "NOT_FOUND" : s.IsCorruption() ? "CORRUPTION" : "ERROR";
    std::string text;
    for (; it->Valid(); it->Next()) text += (text.empty() ? "" : " ") + Show(it.get());
    EXPECT_EQ(end, it->status().ok()           ? "OK"
                   : it->status().IsTryAgain() ? "TRY_AGAIN"
                                               : "ERROR")
        << it->status().ToString();
    return text;
  }
};

TEST_F(UpdatesTest, AreBatchesInOrder) {
  Open();
  ASSERT_OK(Put("a", "1"));
  WriteBatch batch;
  ASSERT_OK(batch.Put("b", "2"));
  ASSERT_OK(batch.Delete("c"));
  ASSERT_OK(db_->Write(WriteOptions(), &batch));
  ASSERT_OK(Put("d", "3"));
  EXPECT_EQ("1:Put(a) 2:Put(b)Delete(c) 4:Put(d)", Updates(1));
  EXPECT_EQ("2:Put(b)Delete(c) 4:Put(d)", Updates(2));
  EXPECT_EQ("2:Put(b)Delete(c) 4:Put(d)", Updates(3)) << "in the middle of a batch";
  EXPECT_EQ("4:Put(d)", Updates(4));
  EXPECT_EQ("NOT_FOUND", Updates(5));
}

TEST_F(UpdatesTest, AnIteratorAtTheEndGoesOn) {
  Open();
  ASSERT_OK(Put("a", "1"));
  std::unique_ptr<TransactionLogIterator> it;
  ASSERT_OK(db_->GetUpdatesSince(1, &it));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("1:Put(a)", Show(it.get()));
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
  ASSERT_OK(Put("b", std::string(50000, 'x')));
  ASSERT_OK(Put("c", "3"));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("2:Put(b)", Show(it.get()));
  it->Next();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("3:Put(c)", Show(it.get()));
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
}

TEST_F(UpdatesTest, GoFromLogToLog) {
  options_.WAL_ttl_seconds = 3600;
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  std::unique_ptr<TransactionLogIterator> it;
  ASSERT_OK(db_->GetUpdatesSince(2, &it));
  ASSERT_TRUE(it->Valid());
  ASSERT_OK(Flush());
  ASSERT_OK(Put("c", "3"));
  EXPECT_EQ("1:Put(a) 2:Put(b) 3:Put(c)", Updates(1));
  it->Next();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsTryAgain()) << "a log that it does not know of";
  VectorLogPtr files;
  ASSERT_OK(db_->GetSortedWalFiles(files));
  ASSERT_LE(2u, files.size());
  EXPECT_EQ(kArchivedLogFile, files.front()->Type());
  EXPECT_TRUE(Slice(files.front()->PathName()).starts_with("/archive/"));
  EXPECT_EQ(1u, files.front()->StartSequence());
  EXPECT_EQ(kAliveLogFile, files.back()->Type());
  Open();
  EXPECT_EQ("1:Put(a) 2:Put(b) 3:Put(c)", Updates(1));
}

TEST_F(UpdatesTest, WithoutAnArchiveOldOnesAreGone) {
  Open();
  ASSERT_OK(Put("a", "1"));
  ASSERT_OK(Flush());
  ASSERT_OK(Put("b", "2"));
  Open();  // at the latest now
  ASSERT_OK(Put("c", "3"));
  EXPECT_NE("1:Put(a) 2:Put(b) 3:Put(c)", Updates(1));
  EXPECT_EQ("3:Put(c)", Updates(3));
}

TEST_F(UpdatesTest, AWriteWithoutTheLogLeavesAGap) {
  Open();
  ASSERT_OK(Put("a", "1"));
  WriteOptions no_log;
  no_log.disableWAL = true;
  ASSERT_OK(db_->Put(no_log, "b", "2"));
  ASSERT_OK(Put("c", "3"));
  EXPECT_EQ("1:Put(a)", Updates(1, "ERROR"));
  EXPECT_EQ("3:Put(c)", Updates(2)) << "the caller looks at the number";
  EXPECT_EQ("3:Put(c)", Updates(3));
}

TEST_F(UpdatesTest, DestroyTakesTheArchiveAlong) {
  options_.WAL_size_limit_MB = 100;
  Open();
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(Put(Key(i), "1"));
    ASSERT_OK(Flush());
  }
  EXPECT_EQ("1:Put(key000000) 2:Put(key000001) 3:Put(key000002)", Updates(1));
  Shut();
  ASSERT_OK(DestroyDB(dir_, options_));
  EXPECT_CODE(NotFound, TheEnv()->FileExists(dir_ + "/archive"));
}

TEST_F(UpdatesTest, AreReadWhileOthersWrite) {
  options_.write_buffer_size = 64 << 10;
  options_.WAL_ttl_seconds = 3600;
  Open();
  ASSERT_OK(Put("first", ""));
  std::vector<Thread> writers;
  for (int t = 0; t < 2; ++t) {
    writers.emplace_back([&, t] {
      Numbers numbers(static_cast<uint64_t>(t) + 1);
      for (int i = 0; i < 2000; ++i) {
        EXPECT_OK(Put(Key(i * 2 + t), numbers.Bytes(numbers.Below(300))));
      }
    });
  }
  SequenceNumber next = 1;
  for (int round = 0; round < 1000000 && next <= 4001; ++round) {
    std::unique_ptr<TransactionLogIterator> it;
    const Status s = db_->GetUpdatesSince(next, &it);
    if (!s.ok()) {
      ASSERT_TRUE(s.IsNotFound() || s.IsTryAgain()) << s.ToString();
      TheEnv()->SleepForMicroseconds(100);
      continue;
    }
    for (int idle = 0; idle < 100 && it->status().ok(); ++idle) {
      for (; it->Valid(); it->Next()) {
        const BatchResult result = it->GetBatch();
        ASSERT_EQ(next, result.sequence);
        next += result.writeBatchPtr->Count();
        idle = 0;
      }
      if (next > 4001) break;
      it->Next();
    }
    ASSERT_TRUE(it->status().ok() || it->status().IsTryAgain()) << it->status().ToString();
  }
  for (Thread& writer : writers) writer.join();
  EXPECT_EQ(4002u, next);
}

}  // namespace
}  // namespace conformance
