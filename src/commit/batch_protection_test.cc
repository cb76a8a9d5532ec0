// Checksums of a WriteBatch's entries: with what the batch goes through, and on the way into the
// log and the memtable.
#include "batch/batch_protection.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "batch/write_batch_internal.h"
#include "commit/testing/fake_database.h"

namespace cairn {
namespace {

using testing::FakeDatabase;

constexpr size_t kBytes = BatchProtection::kBytesPerKey;
constexpr size_t kHeader = WriteBatchInternal::kHeader;

WriteBatch Protected() { return WriteBatch(0, 0, kBytes, 0); }

void AddSome(WriteBatch* batch) {
  ASSERT_TRUE(batch->Put("key", "value").ok());
  ASSERT_TRUE(batch->Delete("gone").ok());
  ASSERT_TRUE(batch->PutLogData("not counted").ok());
  ASSERT_TRUE(batch->SingleDelete("once").ok());
  ASSERT_TRUE(batch->Merge("sum", "1").ok());
  ASSERT_TRUE(batch->DeleteRange("a", "b").ok());
  ASSERT_TRUE(batch->Put("", "").ok());
}

// What memory does that forgets a bit.
void FlipBit(const WriteBatch& batch, size_t at, int bit = 0) {
  const_cast<char*>(batch.Data().data())[at] ^= static_cast<char>(1 << bit);
}

void ExpectDamage(const Status& s) {
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("ProtectionInfo mismatch"), std::string::npos) << s.ToString();
}

TEST(BatchProtectionTest, EachBitOfAnEntryIsMissed) {
  WriteBatch batch = Protected();
  AddSome(&batch);
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), kBytes);
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  // The count, and all entries but the log data, which are neither counted nor protected.
  const size_t blob = batch.Data().find("not counted");  // behind its tag and its length
  for (size_t at = sizeof(uint64_t); at < batch.GetDataSize(); ++at) {
    if (at >= blob - 2 && at < blob + 11) continue;
    for (int bit = 0; bit < 8; ++bit) {
      FlipBit(batch, at, bit);
      EXPECT_TRUE(batch.VerifyChecksum().IsCorruption()) << at << " " << bit;
      EXPECT_FALSE(WriteBatchInternal::CheckWritable(&batch).ok()) << at << " " << bit;
      FlipBit(batch, at, bit);
    }
  }
  EXPECT_TRUE(batch.VerifyChecksum().ok());
}

TEST(BatchProtectionTest, WithoutChecksumsNothingIsMissed) {
  WriteBatch batch;
  AddSome(&batch);
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), 0u);
  FlipBit(batch, batch.Data().find("value"));
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  EXPECT_TRUE(WriteBatchInternal::CheckWritable(&batch).ok());
}

TEST(BatchProtectionTest, AnotherNumberMeansEightOrIsRefused) {
  for (const size_t bytes : {1u, 4u, 10u, 16u}) {
    WriteBatch batch(0, 0, bytes, 0);
    AddSome(&batch);
    EXPECT_EQ(batch.GetProtectionBytesPerKey(), kBytes);
    EXPECT_EQ(WriteBatchInternal::Protection(&batch)->count(), batch.Count());
    WriteBatch plain;
    EXPECT_TRUE(WriteBatchInternal::Protect(&plain, bytes).IsNotSupported());
    EXPECT_TRUE(plain.Put("key", "value").ok());
  }
}

TEST(BatchProtectionTest, PartsAreAsTheWhole) {
  WriteBatch whole = Protected();
  WriteBatch parts = Protected();
  const std::string long_value(1000, 'v');
  ASSERT_TRUE(whole.Put("key", long_value).ok());
  ASSERT_TRUE(whole.Delete("key").ok());
  ASSERT_TRUE(whole.Put("", "").ok());
  const Slice key[] = {"k", "", "ey"};
  const Slice value[] = {Slice(long_value.data(), 300), Slice(long_value.data(), 700)};
  ASSERT_TRUE(parts.Put(SliceParts(key, 3), SliceParts(value, 2)).ok());
  ASSERT_TRUE(parts.Delete(SliceParts(key, 3)).ok());
  ASSERT_TRUE(parts.Put(SliceParts(key, 0), SliceParts(value, 0)).ok());
  EXPECT_EQ(whole.Data(), parts.Data());
  EXPECT_TRUE(whole.VerifyChecksum().ok());
  EXPECT_TRUE(parts.VerifyChecksum().ok());
}

TEST(BatchProtectionTest, AByteThatMovesFromKeyToValueIsMissed) {
  WriteBatch batch = Protected();
  ASSERT_TRUE(batch.Put("ab", "c").ok());
  WriteBatch other;
  ASSERT_TRUE(other.Put("a", "bc").ok());
  const_cast<std::string&>(batch.Data()).replace(0, std::string::npos, other.Data());
  ExpectDamage(batch.VerifyChecksum());
}

TEST(BatchProtectionTest, CopiesMovesAndClears) {
  WriteBatch batch = Protected();
  AddSome(&batch);
  WriteBatch copy(batch);
  EXPECT_TRUE(copy.VerifyChecksum().ok());
  EXPECT_EQ(copy.GetProtectionBytesPerKey(), kBytes);
  FlipBit(copy, kHeader + 2);
  ExpectDamage(copy.VerifyChecksum());
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  copy = batch;
  EXPECT_TRUE(copy.VerifyChecksum().ok());

  WriteBatch moved(std::move(copy));
  EXPECT_TRUE(moved.VerifyChecksum().ok());
  EXPECT_EQ(moved.GetProtectionBytesPerKey(), kBytes);
  // What is left has none, and is an empty batch like another.
  EXPECT_TRUE(copy.Put("key", "value").ok());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(copy.GetProtectionBytesPerKey(), 0u);
  copy = std::move(moved);
  FlipBit(copy, kHeader + 2);
  ExpectDamage(copy.VerifyChecksum());

  batch.Clear();
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), kBytes);
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  AddSome(&batch);
  EXPECT_TRUE(batch.VerifyChecksum().ok());
}

TEST(BatchProtectionTest, SavePoints) {
  WriteBatch batch;
  AddSome(&batch);
  batch.SetSavePoint();
  AddSome(&batch);
  ASSERT_TRUE(WriteBatchInternal::Protect(&batch, kBytes).ok());
  AddSome(&batch);
  ASSERT_TRUE(batch.RollbackToSavePoint().ok());
  EXPECT_EQ(batch.GetProtectionBytesPerKey(), kBytes);
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  AddSome(&batch);
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  EXPECT_EQ(WriteBatchInternal::Protection(&batch)->count(), batch.Count());
}

TEST(BatchProtectionTest, Appended) {
  for (const bool from_protected : {false, true}) {
    WriteBatch source = from_protected ? Protected() : WriteBatch();
    AddSome(&source);
    WriteBatch to = Protected();
    AddSome(&to);
    ASSERT_TRUE(WriteBatchInternal::Append(&to, &source).ok());
    EXPECT_TRUE(to.VerifyChecksum().ok());
    EXPECT_EQ(WriteBatchInternal::Protection(&to)->count(), to.Count());
    WriteBatch plain;
    ASSERT_TRUE(WriteBatchInternal::Append(&plain, &source).ok());
    EXPECT_EQ(plain.GetProtectionBytesPerKey(), 0u);
    EXPECT_TRUE(plain.Put("key", "value").ok());
  }
  // What was damaged before stays so.
  WriteBatch source = Protected();
  AddSome(&source);
  FlipBit(source, kHeader + 2);
  WriteBatch to = Protected();
  ASSERT_TRUE(WriteBatchInternal::Append(&to, &source).ok());
  ExpectDamage(to.VerifyChecksum());
}

TEST(BatchProtectionTest, ProtectedLater) {
  WriteBatch batch;
  AddSome(&batch);
  ASSERT_TRUE(WriteBatchInternal::Protect(&batch, kBytes).ok());
  ASSERT_TRUE(WriteBatchInternal::Protect(&batch, kBytes).ok());
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  FlipBit(batch, kHeader + 2);
  // A second time changes nothing.
  ASSERT_TRUE(WriteBatchInternal::Protect(&batch, kBytes).ok());
  ExpectDamage(batch.VerifyChecksum());
  ASSERT_TRUE(WriteBatchInternal::Protect(&batch, 0).ok());
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  EXPECT_TRUE(batch.Put("key", "value").ok());

  WriteBatch from_bytes(batch.Data());
  ASSERT_TRUE(WriteBatchInternal::Protect(&from_bytes, kBytes).ok());
  EXPECT_TRUE(from_bytes.VerifyChecksum().ok());
  ASSERT_TRUE(WriteBatchInternal::SetContents(&from_bytes, from_bytes.Data() + "").ok());
  EXPECT_TRUE(from_bytes.VerifyChecksum().ok());
  WriteBatch torn(batch.Data().substr(0, batch.GetDataSize() - 1));
  EXPECT_TRUE(WriteBatchInternal::Protect(&torn, kBytes).IsCorruption());
}

TEST(BatchProtectionTest, TimestampsThatComeLater) {
  WriteBatch batch(0, 0, kBytes, sizeof(uint64_t));
  ASSERT_TRUE(batch.Put("key", "value").ok());
  ASSERT_TRUE(batch.DeleteRange("a", "b").ok());
  std::string timestamp;
  PutFixed64(&timestamp, 7);
  const auto sizes = [](uint32_t) { return sizeof(uint64_t); };
  ASSERT_TRUE(batch.UpdateTimestamps(timestamp, sizes).ok());
  EXPECT_TRUE(batch.VerifyChecksum().ok());
  FlipBit(batch, kHeader + 3);
  ExpectDamage(batch.UpdateTimestamps(timestamp, sizes));
}

// --- On the way

TEST(BatchProtectionTest, WhatChangedBeforeTheLogIsNotLogged) {
  FakeDatabase db;
  WriteBatch batch = Protected();
  AddSome(&batch);
  // After the writer has looked itself.
  db.on_prepare = [&](const WriteGroupInfo&) {
    FlipBit(batch, batch.Data().find("value"));
    return Status::OK();
  };
  ExpectDamage(db.queue()->Write({}, &batch));
  EXPECT_TRUE(db.log.empty());
  EXPECT_EQ(db.entries(), 0u);
  EXPECT_EQ(db.errors, 0);
  // Others go on.
  db.on_prepare = nullptr;
  EXPECT_TRUE(db.Put("other", "value").ok());
  EXPECT_EQ(db.log.size(), 1u);
  EXPECT_EQ(db.published(), 1u);
}

TEST(BatchProtectionTest, WhatChangedBehindTheLogStopsWrites) {
  for (const bool logged : {true, false}) {
    FakeDatabase db;
    WriteBatch batch = Protected();
    ASSERT_TRUE(batch.Put("key", "value").ok());
    WriteOptions options;
    options.disableWAL = !logged;
    db.on_insert = [&] { FlipBit(batch, batch.Data().find("value")); };
    ExpectDamage(db.queue()->Write(options, &batch));
    EXPECT_EQ(db.errors, 1);
    EXPECT_EQ(db.Get("key", kMaxSequenceNumber), "ABSENT");
  }
}

TEST(BatchProtectionTest, WhatLiesBeyondTheLogsEndIsVerifiedInTheMemtable) {
  FakeDatabase db;
  WriteBatch batch = Protected();
  ASSERT_TRUE(batch.Put("logged", "value").ok());
  batch.MarkWalTerminationPoint();
  ASSERT_TRUE(batch.Put("unlogged", "more").ok());
  EXPECT_TRUE(db.queue()->Write({}, &batch).ok());
  EXPECT_EQ(db.Get("unlogged", kMaxSequenceNumber), "more");
  WriteBatch second = Protected();
  ASSERT_TRUE(second.Put("logged", "value").ok());
  second.MarkWalTerminationPoint();
  ASSERT_TRUE(second.Put("unlogged", "new").ok());
  db.on_prepare = [&](const WriteGroupInfo&) {
    FlipBit(second, second.Data().find("new"));
    return Status::OK();
  };
  ExpectDamage(db.queue()->Write({}, &second));
  EXPECT_EQ(db.errors, 1);
}

TEST(BatchProtectionTest, RecordsThatLackAnEntry) {
  WriteBatch batch = Protected();
  AddSome(&batch);
  BatchReader all(batch.Data());
  EXPECT_TRUE(all.Skip(6).ok());
  EXPECT_TRUE(BatchReader(batch.Data()).Skip(7).IsCorruption());
  EXPECT_TRUE(BatchReader(batch.Data()).Skip(0).ok());
  EXPECT_TRUE(BatchReader("short").Skip(1).IsCorruption());
}

}  // namespace
}  // namespace cairn
