// Databases of plain and of cuckoo tables: what test/conformance cannot ask RocksDB, which ends
// with an assertion there.
#include "db/testing/db_fixture.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"

namespace cairn {
namespace {

using testing::Key;

class DbTableFormatsTest : public testing::DbTest {
 protected:
  Options PlainOptions(size_t prefix = 0) {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    PlainTableOptions table;
    table.hash_table_ratio = prefix == 0 ? 0 : 0.75;
    if (prefix != 0) options.prefix_extractor.reset(NewFixedPrefixTransform(prefix));
    options.table_factory.reset(NewPlainTableFactory(table));
    return options;
  }
};

TEST_F(DbTableFormatsTest, IteratorsOverPlainTablesDoNotGoBack) {
  Open(PlainOptions());
  PutRange(0, 20, 1);
  Flush();
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  const auto refused = [&](const char* call) {
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsNotSupported()) << call << ": " << it->status().ToString();
    it->Seek(Key(5));
    ASSERT_TRUE(it->Valid());
    EXPECT_TRUE(it->status().ok());
    EXPECT_EQ(it->key().ToString(), Key(5));
  };
  it->SeekToLast();
  refused("SeekToLast");
  it->SeekForPrev(Key(7));
  refused("SeekForPrev");
  it->Prev();
  refused("Prev");
}

TEST_F(DbTableFormatsTest, NoKeyIsFoundInFullScanMode) {
  Options options = PlainOptions();
  Open(options);
  PutRange(0, 20, 1);
  Flush();
  PlainTableOptions table;
  table.full_scan_mode = true;
  options.table_factory.reset(NewPlainTableFactory(table));
  Open(options);
  const std::string said = Get(Key(3));
  EXPECT_NE(said.find("Get() is not allowed in full scan mode."), std::string::npos) << said;
  EXPECT_NE(said.find(".sst"), std::string::npos) << said;
}

// With prefixes a compaction that is cut into parts begins in the middle of a table.
TEST_F(DbTableFormatsTest, CompactionsInPartsWithPrefixes) {
  Options options = PlainOptions(/*prefix=*/6);
  options.max_subcompactions = 4;
  Open(options);
  for (uint64_t round = 0; round < 4; ++round) {
    for (uint64_t i = round; i < 4000; i += 4) Put(Key(i), "value" + std::to_string(round));
    Flush();
  }
  Compact();
  Compact();
  for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  auto expected = model_.begin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++expected) {
    ASSERT_NE(expected, model_.end());
    ASSERT_EQ(it->key().ToString(), expected->first);
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  EXPECT_EQ(expected, model_.end());
}

// What is in tables stays where it is while one writes other tables.
TEST_F(DbTableFormatsTest, ADatabaseChangesItsFormat) {
  Open(PlainOptions());
  PutRange(0, 100, 1);
  Flush();
  Options options = SmallOptions();
  Status s = TryOpen(options);
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find("not a block-based table"), std::string::npos) << s.ToString();
  PlainTableOptions plain;
  plain.hash_table_ratio = 0;
  options.table_factory.reset(NewAdaptiveTableFactory(
      nullptr, options.table_factory, std::shared_ptr<TableFactory>(NewPlainTableFactory(plain))));
  Open(options);
  PutRange(50, 150, 2);
  Flush();
  for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value);
  Compact();
  Open(SmallOptions());
  for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value);
  s = db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(0), Key(10));
  EXPECT_TRUE(s.ok()) << s.ToString();
}

TEST_F(DbTableFormatsTest, PlainFilesFromOutsideAreIngested) {
  Options options = PlainOptions();
  Open(options);
  PutRange(40, 60, 1);
  Flush();
  SstFileWriter writer(EnvOptions(), options);
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(writer.Put(Key(i), "new" + std::to_string(i)).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  SstFileReader reader(options);
  ASSERT_TRUE(reader.Open("/outside.sst").ok());
  const std::unique_ptr<Iterator> it(reader.NewIterator(ReadOptions()));
  it->Seek(Key(50));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value().ToString(), "new50");
  const Snapshot* const before = db_->GetSnapshot();
  const Status s = db_->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions());
  ASSERT_TRUE(s.ok()) << s.ToString();
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_EQ(Get(Key(i)), "new" + std::to_string(i));
    ASSERT_EQ(Get(Key(i), before), i >= 40 && i < 60 ? model_[Key(i)] : "NOT_FOUND");
  }
  db_->ReleaseSnapshot(before);
  Open(options);
  for (uint64_t i = 0; i < 100; ++i) ASSERT_EQ(Get(Key(i)), "new" + std::to_string(i));
}

TEST_F(DbTableFormatsTest, ARangeFromOutsideIsNotWritten) {
  SstFileWriter writer(EnvOptions(), PlainOptions());
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  ASSERT_TRUE(writer.Put("a", "1").ok());
  Status s = writer.DeleteRange("a", "b");
  if (s.ok()) s = writer.Finish();
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_NE(s.ToString().find("Range deletion unsupported"), std::string::npos) << s.ToString();
}

// RocksDB 7.8.3's flush says OK, and what does not fit is gone.
TEST_F(DbTableFormatsTest, WhatDoesNotFitACuckooTableFailsItsFlush) {
  struct Case {
    std::vector<std::string> keys;
    std::string second_value;
    const char* message;
  };
  for (const Case& c : {Case{{"one", "three"}, "v", "all keys have to be the same size"},
                        Case{{"one", "two"}, "vv", "all values have to be the same size"}}) {
    Options options = SmallOptions();
    options.table_factory.reset(NewCuckooTableFactory());
    Open(options);
    ASSERT_TRUE(db_->Put(WriteOptions(), c.keys[0], "v").ok());
    ASSERT_TRUE(db_->Put(WriteOptions(), c.keys[1], c.second_value).ok());
    const Status s = db_->Flush(FlushOptions());
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(s.ToString().find(c.message), std::string::npos) << s.ToString();
    db_.reset();
    ASSERT_TRUE(DestroyDB(testing::kDbName, options).ok());
  }
}

TEST_F(DbTableFormatsTest, IteratorsOverCuckooTablesGoBothWays) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  options.table_factory.reset(NewCuckooTableFactory());
  Open(options);
  PutRange(0, 300, 1);
  Flush();
  PutRange(100, 200, 2);
  for (uint64_t i = 50; i < 80; ++i) Delete(Key(i));
  Flush();
  EXPECT_EQ(Scan(), model_);
  Compact();
  EXPECT_EQ(Scan(), model_);
  const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekForPrev(Key(60));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), Key(49));
}

// It is refused before it is logged: writes go on.
TEST_F(DbTableFormatsTest, ARangeIsRefusedBeforeItIsLogged) {
  const Options options = PlainOptions();
  Open(options);
  PutRange(0, 10, 1);
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("x", "y").ok());
  ASSERT_TRUE(batch.DeleteRange(Key(0), Key(5)).ok());
  for (const Status& s :
       {db_->Write(WriteOptions(), &batch),
        db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(0), Key(5))}) {
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(s.ToString().find("PlainTable in CF default"), std::string::npos) << s.ToString();
  }
  EXPECT_EQ(Get("x"), "NOT_FOUND");
  PutRange(10, 20, 1);
  Open(options);
  for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value);
}

TEST_F(DbTableFormatsTest, SetOptionsLeavesTheFormat) {
  Open(PlainOptions());
  const Status s = db_->SetOptions({{"table_factory.block_size", "8192"}});
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  PutRange(0, 10, 1);
  Flush();
  EXPECT_EQ(Get(Key(3)), model_[Key(3)]);
}

// The table that is open counts with all of its bytes.
TEST_F(DbTableFormatsTest, TablesInMemoryAreCounted) {
  Open(PlainOptions());
  PutRange(0, 500, 1, 1000);
  Flush();
  EXPECT_EQ(Get(Key(3)), model_[Key(3)]);
  uint64_t readers = 0;
  ASSERT_TRUE(db_->GetIntProperty("rocksdb.estimate-table-readers-mem", &readers));
  EXPECT_GT(readers, 500u * 1000);
}

}  // namespace
}  // namespace cairn
