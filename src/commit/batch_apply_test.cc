// Batches into a memtable that is large enough for ApplyBatch to prefetch, against a model.
#include "commit/batch_apply.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "base/random.h"
#include "batch/write_batch_internal.h"
#include "fiber/thread.h"
#include "rocksdb/comparator.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using Model = std::map<std::string, std::string>;  // "" is a tombstone

struct Unref {
  void operator()(MemTable* table) const { table->Unref(); }
};
using MemTablePtr = std::unique_ptr<MemTable, Unref>;

MemTablePtr NewTable() {
  MemTableOptions options;
  options.write_buffer_size = size_t{64} << 20;
  return MemTablePtr(new MemTable(InternalKeyComparator(BytewiseComparator()), options, 0));
}

// A batch of random keys that hold `own`, some of them shorter than what a link keeps of a key,
// with records between them that consume no sequence number. Returns its count.
uint32_t FillBatch(Random64* random, const std::string& own, size_t records, WriteBatch* batch,
                   Model* model) {
  batch->Clear();
  for (size_t i = 0; i < records; ++i) {
    std::string key = own + std::to_string(random->Uniform(200'000));
    if (random->Uniform(10) != 0) key.insert(0, "a prefix that many have ");
    if (random->Uniform(20) == 0) {
      EXPECT_TRUE(batch->PutLogData("between").ok());
    }
    if (random->Uniform(10) == 0) {
      EXPECT_TRUE(batch->Delete(key).ok());
      (*model)[key] = "";
    } else {
      std::string value = std::to_string(random->Next()) + std::string(100, 'v');
      EXPECT_TRUE(batch->Put(key, value).ok());
      (*model)[key] = std::move(value);
    }
  }
  return WriteBatchInternal::Count(batch);
}

void ExpectContents(const MemTable& table, const Model& model) {
  for (const auto& [key, value] : model) {
    Slice found;
    Status s;
    ASSERT_TRUE(table.Get(LookupKey(key, kMaxSequenceNumber), &found, &s)) << key;
    if (value.empty()) {
      EXPECT_TRUE(s.IsNotFound()) << key;
    } else {
      EXPECT_EQ(found, value) << key;
    }
  }
  std::unique_ptr<InternalIterator> it(table.NewIterator());
  uint64_t entries = 0;
  std::string previous;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++entries) {
    if (!previous.empty()) {
      ASSERT_LT(table.comparator().Compare(previous, it->key()), 0);
    }
    previous = it->key().ToString();
  }
  EXPECT_EQ(entries, table.num_entries());
}

TEST(ApplyBatchTest, OneWriterFillsALargeMemtable) {
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  Random64 random(301);
  Model model;
  SequenceNumber next = 1;
  bool prefetched = false;
  for (const size_t records : {1, 2, 15, 16, 17, 18, 33, 100, 1000}) {
    for (int i = 0; i < 12'000 / static_cast<int>(records + 100); ++i) {
      WriteBatch batch;
      const uint32_t count = FillBatch(&random, "", records, &batch, &model);
      SequenceNumber after = 0;
      const Status s = ApplyBatch(WriteBatchInternal::Contents(&batch), next, &sink,
                                  /*concurrent=*/false, false, &after);
      ASSERT_TRUE(s.ok()) << s.ToString();
      next += count;
      ASSERT_EQ(after, next);
      prefetched |= records > 1 && table->WantsPrefetch(/*allow_concurrent=*/false);
    }
  }
  EXPECT_TRUE(prefetched) << "or this tests nothing new";
  ExpectContents(*table, model);
}

TEST(ApplyBatchTest, ManyWritersFillALargeMemtable) {
  constexpr int kWriters = 4;
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  std::vector<Model> models(kWriters);
  {
    std::vector<fiber::Thread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back("writer" + std::to_string(w), [&, w] {
        Random64 random(w);
        SequenceNumber next = 1 + 1'000'000 * static_cast<SequenceNumber>(w);
        for (int i = 0; i < 200; ++i) {
          WriteBatch batch;
          const std::string own = std::string(1, static_cast<char>('a' + w));
          next += FillBatch(&random, own, 1 + i % 40, &batch, &models[w]);
          EXPECT_TRUE(ApplyBatch(WriteBatchInternal::Contents(&batch), next, &sink,
                                 /*concurrent=*/true)
                          .ok());
          next += 100;
        }
      });
    }
    for (fiber::Thread& writer : writers) writer.join();
  }
  EXPECT_GT(table->MemoryAllocated(), size_t{1} << 20);
  Model all;
  for (Model& model : models) all.merge(model);
  ExpectContents(*table, all);
}

TEST(ApplyBatchTest, AscendingKeysAreNotWorthAPrefetch) {
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  WriteBatch batch;
  for (uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(batch.Put(std::to_string(1'000'000 + i), std::string(100, 'v')).ok());
  }
  ASSERT_TRUE(ApplyBatch(WriteBatchInternal::Contents(&batch), 1, &sink, false).ok());
  EXPECT_FALSE(table->WantsPrefetch(/*allow_concurrent=*/false));
  EXPECT_EQ(table->num_entries(), 20'000u);
}

TEST(ApplyBatchTest, PrefetchingDamagedBatchesIsHarmless) {
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  Random64 random(7);
  Model model;
  WriteBatch batch;
  const uint32_t count = FillBatch(&random, "", 20'000, &batch, &model);
  ASSERT_TRUE(ApplyBatch(WriteBatchInternal::Contents(&batch), 1, &sink, false).ok());
  const std::string whole = WriteBatchInternal::Contents(&batch).ToString();
  std::vector<Slice> reps;
  for (size_t size = 0; size < 3 * kPrefetchBatches; ++size) reps.emplace_back(whole.data(), size);
  PrefetchBatches(reps.data(), reps.size(), &sink);
  PrefetchBatches(reps.data(), 0, &sink);
  EXPECT_EQ(table->num_entries(), count);
  // A batch whose end is missing says so after what came before it.
  const Status s = ApplyBatch(Slice(whole.data(), whole.size() - 1), count + 1, &sink, false);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
}

TEST(ApplyBatchTest, SequenceNumbersOutOfRangeAreDamage) {
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  const Slice rep = WriteBatchInternal::Contents(&batch);
  for (const SequenceNumber first :
       {kMaxSequenceNumber - 1, kMaxSequenceNumber, kMaxSequenceNumber + 1, ~SequenceNumber{0}}) {
    const Status s = ApplyBatch(rep, first, &sink, false);
    EXPECT_TRUE(s.IsCorruption()) << first << ": " << s.ToString();
  }
  EXPECT_EQ(table->num_entries(), 0u);
  EXPECT_TRUE(ApplyBatch(rep, kMaxSequenceNumber - 2, &sink, false).ok());
}

TEST(ApplyBatchTest, MoreRecordsThanTheCountSaysAreNotApplied) {
  const MemTablePtr table = NewTable();
  SingleMemTableSink sink(table.get());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("a", "1").ok());
  ASSERT_TRUE(batch.Put("b", "2").ok());
  std::string rep = WriteBatchInternal::Contents(&batch).ToString();
  rep[8] = 1;  // the count's lowest byte
  EXPECT_TRUE(ApplyBatch(rep, 1, &sink, false).IsCorruption());
  EXPECT_EQ(table->num_entries(), 1u);
}

}  // namespace
}  // namespace cairn
