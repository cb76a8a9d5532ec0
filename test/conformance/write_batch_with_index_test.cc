// WriteBatchWithIndex: what is in it and in which order, save points, and its own iterators.
#include "batch_with_index.h"

namespace conformance {
namespace {

class Batch : public testing::TestWithParam<bool> {
 protected:
  WriteBatchWithIndex batch_{BytewiseComparator(), 0, GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Overwrite, Batch, testing::Bool());

TEST_P(Batch, IsEmptyAtFirst) {
  EXPECT_EQ("", Entries(&batch_));
  EXPECT_EQ(12u, batch_.GetDataSize());
  EXPECT_EQ(0u, batch_.GetWriteBatch()->Count());
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "k"));
}

TEST_P(Batch, KeepsKeysInOrder) {
  ASSERT_OK(batch_.Put("b", "2"));
  ASSERT_OK(batch_.Put("c", "3"));
  ASSERT_OK(batch_.Put("a", "1"));
  EXPECT_EQ("put(a,1) put(b,2) put(c,3)", Entries(&batch_));
}

TEST_P(Batch, KnowsEachKindOfEntry) {
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Delete("b"));
  ASSERT_OK(batch_.SingleDelete("c"));
  ASSERT_OK(batch_.Merge("d", "4"));
  EXPECT_EQ("put(a,1) delete(b) single(c) merge(d,4)", Entries(&batch_));
  EXPECT_EQ("1", FromBatch(&batch_, "a"));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "b"));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "c"));
  EXPECT_EQ("MERGE_IN_PROGRESS", FromBatch(&batch_, "d"));
}

TEST_P(Batch, ReadsTheLastValue) {
  ASSERT_OK(batch_.Put("k", "1"));
  EXPECT_EQ("1", FromBatch(&batch_, "k"));
  ASSERT_OK(batch_.Put("k", "2"));
  EXPECT_EQ("2", FromBatch(&batch_, "k"));
  ASSERT_OK(batch_.Delete("k"));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "k"));
  ASSERT_OK(batch_.Put("k", "3"));
  EXPECT_EQ("3", FromBatch(&batch_, "k"));
}

TEST_P(Batch, HasAllUpdatesInItsWriteBatch) {
  for (int i = 0; i < 5; i++) ASSERT_OK(batch_.Put("k", std::to_string(i)));
  EXPECT_EQ(5u, batch_.GetWriteBatch()->Count());
  WriteBatch plain;
  for (int i = 0; i < 5; i++) ASSERT_OK(plain.Put("k", std::to_string(i)));
  EXPECT_EQ(plain.Data(), batch_.GetWriteBatch()->Data());
  EXPECT_EQ(plain.GetDataSize(), batch_.GetDataSize());
}

TEST_P(Batch, LogDataIsNotIndexed) {
  ASSERT_OK(batch_.PutLogData("blob"));
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.PutLogData("blob"));
  EXPECT_EQ("put(a,1)", Entries(&batch_));
  EXPECT_EQ(1u, batch_.GetWriteBatch()->Count());
}

TEST_P(Batch, RefusesRanges) {
  EXPECT_CODE(NotSupported, batch_.DeleteRange("a", "b"));
  EXPECT_CODE(NotSupported, batch_.DeleteRange(nullptr, "a", "b"));
  EXPECT_EQ(12u, batch_.GetDataSize());
}

TEST_P(Batch, JoinsParts) {
  const Slice key_parts[] = {"ke", "y"};
  const Slice value_parts[] = {"va", "l", "ue"};
  ASSERT_OK(batch_.Put(SliceParts(key_parts, 2), SliceParts(value_parts, 3)));
  EXPECT_EQ("put(key,value)", Entries(&batch_));
  ASSERT_OK(batch_.Delete(SliceParts(key_parts, 2)));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "key"));
  ASSERT_OK(batch_.Merge(SliceParts(value_parts, 2), SliceParts(key_parts, 2)));
  EXPECT_EQ("MERGE_IN_PROGRESS", FromBatch(&batch_, "val"));
  ASSERT_OK(batch_.SingleDelete(SliceParts(value_parts, 3)));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "value"));
}

TEST_P(Batch, TakesEmptyAndBinaryKeys) {
  const std::string zeros(3, '\0');
  ASSERT_OK(batch_.Put("", "empty"));
  ASSERT_OK(batch_.Put(zeros, "three"));
  ASSERT_OK(batch_.Put(Slice(zeros.data(), 1), "one"));
  ASSERT_OK(batch_.Put("\xff\xff", "high"));
  ASSERT_OK(batch_.Put(Slice(zeros.data(), 2), "two"));
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  std::string values;
  for (it->SeekToFirst(); it->Valid(); it->Next()) values += it->Entry().value.ToString() + " ";
  EXPECT_EQ("empty one two three high ", values);
  EXPECT_EQ("empty", FromBatch(&batch_, ""));
  EXPECT_EQ("two", FromBatch(&batch_, zeros.substr(1)));
}

TEST_P(Batch, TellsKeysWithALongCommonBeginningApart) {
  const std::string beginning(100, 'x');
  for (const char* end : {"m", "a", "z", "", "aa", "mm"}) {
    ASSERT_OK(batch_.Put(beginning + end, end));
  }
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  std::string values;
  for (it->SeekToFirst(); it->Valid(); it->Next()) values += it->Entry().value.ToString() + " ";
  EXPECT_EQ(" a aa m mm z ", values);
  ASSERT_OK(batch_.Put("b", "before"));
  ASSERT_OK(batch_.Put("y", "after"));
  EXPECT_EQ("mm", FromBatch(&batch_, beginning + "mm"));
  EXPECT_EQ("before", FromBatch(&batch_, "b"));
  EXPECT_EQ("after", FromBatch(&batch_, "y"));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, beginning.substr(1)));
}

TEST_P(Batch, SeeksForward) {
  ASSERT_OK(batch_.Put("b", "2"));
  ASSERT_OK(batch_.Put("d", "4"));
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->Seek("a");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("b", it->Entry().key);
  it->Seek("b");
  EXPECT_EQ("b", it->Entry().key);
  it->Seek("c");
  EXPECT_EQ("d", it->Entry().key);
  it->Seek("e");
  EXPECT_FALSE(it->Valid());
}

TEST_P(Batch, SeeksBackward) {
  ASSERT_OK(batch_.Put("b", "2"));
  ASSERT_OK(batch_.Put("d", "4"));
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->SeekForPrev("a");
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("b");
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("b", it->Entry().key);
  it->SeekForPrev("c");
  EXPECT_EQ("b", it->Entry().key);
  it->SeekForPrev("e");
  EXPECT_EQ("d", it->Entry().key);
}

TEST_P(Batch, IteratorsOfAnEmptyBatchAreNotValid) {
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  EXPECT_FALSE(it->Valid());
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  it->SeekToLast();
  EXPECT_FALSE(it->Valid());
  it->Seek("a");
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev("a");
  EXPECT_FALSE(it->Valid());
  EXPECT_OK(it->status());
}

TEST_P(Batch, IteratorStaysAtItsKeyWhileOthersAreAdded) {
  for (int i = 0; i < 100; i++) ASSERT_OK(batch_.Put(Key(i * 10), "old"));
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->Seek(Key(500));
  ASSERT_TRUE(it->Valid());
  for (int i = 0; i < 1000; i++) {
    if (i % 10 != 0) {
      ASSERT_OK(batch_.Put(Key(i), "new"));
    }
  }
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(Key(500), it->Entry().key);
  it->Next();
  EXPECT_EQ(Key(501), it->Entry().key);
  it->Prev();
  it->Prev();
  EXPECT_EQ(Key(499), it->Entry().key);
}

TEST_P(Batch, ClearEmptiesIt) {
  for (int i = 0; i < 1000; i++) ASSERT_OK(batch_.Put(Key(i), "v"));
  batch_.SetSavePoint();
  batch_.Clear();
  EXPECT_EQ("", Entries(&batch_));
  EXPECT_EQ(12u, batch_.GetDataSize());
  EXPECT_CODE(NotFound, batch_.RollbackToSavePoint());
  ASSERT_OK(batch_.Put("a", "1"));
  EXPECT_EQ("put(a,1)", Entries(&batch_));
}

TEST_P(Batch, MovesWithItsIndex) {
  ASSERT_OK(batch_.Put("a", "1"));
  WriteBatchWithIndex moved(std::move(batch_));
  ASSERT_OK(moved.Put("b", "2"));
  EXPECT_EQ("put(a,1) put(b,2)", Entries(&moved));
  WriteBatchWithIndex assigned;
  ASSERT_OK(assigned.Put("z", "gone"));
  assigned = std::move(moved);
  ASSERT_OK(assigned.Put("c", "3"));
  EXPECT_EQ("put(a,1) put(b,2) put(c,3)", Entries(&assigned));
}

TEST_P(Batch, MaxBytesRefusesWhatIsTooMuch) {
  batch_.SetMaxBytes(40);
  ASSERT_OK(batch_.Put("a", "1"));
  const size_t size = batch_.GetDataSize();
  EXPECT_CODE(MemoryLimit, batch_.Put("b", std::string(100, 'x')));
  EXPECT_EQ(size, batch_.GetDataSize());
  EXPECT_EQ("put(a,1)", Entries(&batch_));
  EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, "b"));
  batch_.SetMaxBytes(0);
  ASSERT_OK(batch_.Put("b", std::string(100, 'x')));
}

TEST_P(Batch, MaxBytesOfTheConstructor) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, GetParam(), /*max_bytes=*/30);
  ASSERT_OK(batch.Put("a", "1"));
  EXPECT_CODE(MemoryLimit, batch.Put("b", std::string(50, 'x')));
}

TEST_P(Batch, RollbackTakesBackWhatCameSince) {
  ASSERT_OK(batch_.Put("a", "1"));
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("b", "2"));
  ASSERT_OK(batch_.Delete("c"));
  ASSERT_OK(batch_.PutLogData("blob"));
  EXPECT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("put(a,1)", Entries(&batch_));
  EXPECT_EQ(1u, batch_.GetWriteBatch()->Count());
  EXPECT_CODE(NotFound, batch_.RollbackToSavePoint());
}

TEST_P(Batch, RollbackGivesOverwrittenValuesBack) {
  ASSERT_OK(batch_.Put("a", "1"));
  ASSERT_OK(batch_.Put("b", "1"));
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("a", "2"));
  ASSERT_OK(batch_.Put("a", "3"));
  ASSERT_OK(batch_.Delete("b"));
  EXPECT_EQ("3", FromBatch(&batch_, "a"));
  EXPECT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("1", FromBatch(&batch_, "a"));
  EXPECT_EQ("1", FromBatch(&batch_, "b"));
  EXPECT_EQ("put(a,1) put(b,1)", Entries(&batch_));
}

TEST_P(Batch, SavePointsNest) {
  ASSERT_OK(batch_.Put("a", "1"));
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("b", "2"));
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("c", "3"));
  EXPECT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("put(a,1) put(b,2)", Entries(&batch_));
  ASSERT_OK(batch_.Put("d", "4"));
  EXPECT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("put(a,1)", Entries(&batch_));
}

TEST_P(Batch, PopSavePointKeepsWhatCameSince) {
  EXPECT_CODE(NotFound, batch_.PopSavePoint());
  batch_.SetSavePoint();
  ASSERT_OK(batch_.Put("a", "1"));
  EXPECT_OK(batch_.PopSavePoint());
  EXPECT_CODE(NotFound, batch_.RollbackToSavePoint());
  EXPECT_EQ("put(a,1)", Entries(&batch_));
}

TEST_P(Batch, RollbackToTheBeginning) {
  batch_.SetSavePoint();
  for (int i = 0; i < 2000; i++) ASSERT_OK(batch_.Put(Key(i % 700), "v"));
  EXPECT_OK(batch_.RollbackToSavePoint());
  EXPECT_EQ("", Entries(&batch_));
  ASSERT_OK(batch_.Put("a", "1"));
  EXPECT_EQ("put(a,1)", Entries(&batch_));
}

TEST_P(Batch, RollbackOfALargeBatch) {
  for (int i = 0; i < 3000; i++) ASSERT_OK(batch_.Put(Key(i * 2), "old"));
  const std::string before = Entries(&batch_);
  for (int round = 0; round < 3; round++) {
    batch_.SetSavePoint();
    for (int i = 0; i < 1500; i++) ASSERT_OK(batch_.Put(Key(i * 3), "new"));
    EXPECT_EQ("new", FromBatch(&batch_, Key(3)));
    EXPECT_OK(batch_.RollbackToSavePoint());
    EXPECT_EQ("NOT_FOUND", FromBatch(&batch_, Key(3)));
    EXPECT_EQ("old", FromBatch(&batch_, Key(6)));
    EXPECT_EQ(before, Entries(&batch_));
  }
}

TEST_P(Batch, ManyKeysInRandomOrder) {
  Numbers numbers(GetParam());
  std::map<std::string, std::string> model;
  for (int i = 0; i < 20000; i++) {
    const std::string key = numbers.Bytes(numbers.Below(6));
    const std::string value = std::to_string(i);
    ASSERT_OK(batch_.Put(key, value));
    model[key] = value;
  }
  for (const auto& [key, value] : model) ASSERT_EQ(value, FromBatch(&batch_, key));
  std::unique_ptr<WBWIIterator> it(batch_.NewIterator());
  it->SeekToFirst();
  std::string last = "none";
  size_t keys = 0;
  for (; it->Valid(); it->Next()) {
    const std::string key = it->Entry().key.ToString();
    if (keys > 0) {
      ASSERT_LE(last, key);
    }
    keys += keys == 0 || key != last;
    last = key;
  }
  EXPECT_EQ(model.size(), keys);
}

TEST_P(Batch, ReverseOrder) {
  WriteBatchWithIndex batch(ReverseBytewiseComparator(), 0, GetParam());
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("c", "3"));
  ASSERT_OK(batch.Put("b", "2"));
  EXPECT_EQ("put(c,3) put(b,2) put(a,1)", Entries(&batch));
  std::unique_ptr<WBWIIterator> it(batch.NewIterator());
  it->Seek("bb");
  EXPECT_EQ("b", it->Entry().key);
  it->SeekForPrev("bb");
  EXPECT_EQ("c", it->Entry().key);
}

TEST(BatchOverwriting, ShowsOneEntryOfEachKey) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, true);
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("b", "1"));
  ASSERT_OK(batch.Delete("a"));
  ASSERT_OK(batch.Put("b", "2"));
  EXPECT_EQ("delete(a) put(b,2)", Entries(&batch));
}

TEST(BatchOverwriting, AMergeDoesNotHideWhatIsBelow) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, true);
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Merge("a", "2"));
  ASSERT_OK(batch.Merge("a", "3"));
  EXPECT_EQ("merge(a,3) merge(a,2) put(a,1)", Entries(&batch));
}

TEST(BatchOverwriting, APutTakesTheLastEntrysPlace) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, true);
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Merge("a", "2"));
  ASSERT_OK(batch.Put("a", "3"));
  EXPECT_EQ("put(a,3) put(a,1)", Entries(&batch));
  EXPECT_EQ("3", FromBatch(&batch, "a"));
}

TEST(BatchOverwriting, IteratorSeesTheNewValue) {
  WriteBatchWithIndex batch(BytewiseComparator(), 0, true);
  ASSERT_OK(batch.Put("a", "1"));
  std::unique_ptr<WBWIIterator> it(batch.NewIterator());
  it->SeekToFirst();
  ASSERT_OK(batch.Put("a", "2"));
  EXPECT_EQ("put(a,2)", Text(it->Entry()));
}

TEST(BatchKeepingAll, ShowsEveryUpdate) {
  WriteBatchWithIndex batch;
  ASSERT_OK(batch.Put("a", "1"));
  ASSERT_OK(batch.Put("b", "1"));
  ASSERT_OK(batch.Put("a", "2"));
  ASSERT_OK(batch.Delete("a"));
  EXPECT_EQ("delete(a) put(a,2) put(a,1) put(b,1)", Entries(&batch));
}

TEST(BatchKeepingAll, SeeksToTheEndsOfAKey) {
  WriteBatchWithIndex batch;
  for (int i = 0; i < 100; i++) {
    ASSERT_OK(batch.Put("a", std::to_string(i)));
    ASSERT_OK(batch.Put("b", std::to_string(i)));
  }
  std::unique_ptr<WBWIIterator> it(batch.NewIterator());
  it->Seek("b");
  EXPECT_EQ(NewestFirst() ? "99" : "0", it->Entry().value.ToString());
  it->Prev();
  EXPECT_EQ("a", it->Entry().key);
  it->SeekForPrev("a");
  EXPECT_EQ(NewestFirst() ? "0" : "99", it->Entry().value.ToString());
  it->Next();
  EXPECT_EQ("b", it->Entry().key);
}

}  // namespace
}  // namespace conformance
