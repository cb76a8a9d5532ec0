// Databases whose tables' indexes have each block's first key (kBinarySearchWithFirstKey): they
// show what others show, in all the kinds of keys that there are.
#include <map>
#include <memory>
#include <string>

#include "db/testing/db_fixture.h"
#include "db/testing/iterator_walk.h"
#include "db/testing/timestamps.h"
#include "rocksdb/comparator.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::Ts;
using testing::Value;

class DbFirstKeyTest : public testing::DbTest {
 protected:
  Options FirstKeyOptions(uint32_t format_version = 5, bool cache = true) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    BlockBasedTableOptions table;
    table.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
    table.block_size = 256;
    table.format_version = format_version;
    table.no_block_cache = !cache;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  // A walk at random that shows what the model has, between bounds.
  void WalkAsTheModel(const ReadOptions& read, uint64_t seed) {
    Random64 random(seed);
    const std::string low = Key(50), high = Key(333);
    const Slice lower(low), upper(high);
    ReadOptions options = read;
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    const Contents within(model_.lower_bound(low), model_.lower_bound(high));
    const std::unique_ptr<Iterator> it(db_->NewIterator(options));
    testing::WalkBeside(
        within, /*steps=*/1500, /*kinds=*/10, &random,
        [&] { return Key(50 + random.Uniform(283)); }, it.get());
  }
};

TEST_F(DbFirstKeyTest, WalksOverAllFormats) {
  for (uint32_t version = 2; version <= 7; ++version) {
    SCOPED_TRACE(version);
    db_.reset();
    model_.clear();
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    Open(FirstKeyOptions(version, version % 2 == 0));
    FillAllLevels();
    const std::string from = Key(100), to = Key(120);
    ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), from, to).ok());
    model_.erase(model_.lower_bound(from), model_.lower_bound(to));
    Flush();
    WalkAsTheModel(ReadOptions(), version);
    ReadOptions options;
    options.async_io = true;
    WalkAsTheModel(options, version + 100);
  }
}

TEST_F(DbFirstKeyTest, AFileFromOutsideHasASequenceNumberOfItsOwn) {
  Open(FirstKeyOptions());
  PutRange(0, 400, 1);
  const Contents before = model_;
  const Snapshot* const snapshot = db_->GetSnapshot();
  SstFileWriter writer(EnvOptions(), FirstKeyOptions());
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  for (uint64_t i = 100; i < 300; i += 3) {
    model_[Key(i)] = Value(9000 + i, 60);
    ASSERT_TRUE(writer.Put(Key(i), model_[Key(i)]).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(db_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions()).ok());
  WalkAsTheModel(ReadOptions(), 1);
  ReadOptions old;
  old.snapshot = snapshot;
  const Contents now = std::exchange(model_, before);
  WalkAsTheModel(old, 2);
  model_ = now;
  db_->ReleaseSnapshot(snapshot);
  Compact();
  WalkAsTheModel(ReadOptions(), 3);
}

TEST_F(DbFirstKeyTest, TimestampsStoredOrNot) {
  for (const bool stored : {true, false}) {
    db_.reset();
    model_.clear();
    ASSERT_TRUE(DestroyDB(testing::kDbName, SmallOptions()).ok());
    Options options = FirstKeyOptions();
    options.comparator = BytewiseComparatorWithU64Ts();
    options.persist_user_defined_timestamps = stored;
    options.allow_concurrent_memtable_write = false;
    Open(options);
    for (uint64_t time = 1; time <= 3; ++time) {
      for (uint64_t i = time; i < 400; i += time) {
        const std::string value = Value(time * 1000 + i, 60);
        ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Ts(time), value).ok());
        if (stored ? time <= 2 : true) model_[Key(i)] = value;
      }
      if (!stored) {
        ASSERT_TRUE(db_->IncreaseFullHistoryTsLow(db_->DefaultColumnFamily(), Ts(time + 1)).ok());
      }
      Flush();
    }
    // Once stored, the second time is read at; else only the last state is there.
    const std::string at = Ts(stored ? 2 : 4);
    const Slice timestamp(at);
    ReadOptions read;
    read.timestamp = &timestamp;
    WalkAsTheModel(read, 7);
    Compact();
    WalkAsTheModel(read, 8);
  }
}

TEST_F(DbFirstKeyTest, BlobsAndEntities) {
  Options options = FirstKeyOptions();
  options.enable_blob_files = true;
  options.min_blob_size = 50;
  Open(options);
  for (uint64_t i = 0; i < 400; ++i) {
    if (i % 3 == 0) {
      const std::string value = Value(i, 20);
      ASSERT_TRUE(db_->PutEntity(WriteOptions(), db_->DefaultColumnFamily(), Key(i),
                                 {{kDefaultWideColumnName, value}, {"other", "x"}})
                      .ok());
      model_[Key(i)] = value;
    } else {
      Put(Key(i), Value(i, i % 3 == 1 ? 20 : 80));
    }
  }
  Flush();
  WalkAsTheModel(ReadOptions(), 11);
}

}  // namespace
}  // namespace cairn
