// Repair of damaged tables: every entry that can be read is there, whatever part of the table is
// damaged, and nothing that never was.
#include <algorithm>
#include <cstring>

#include "base/coding.h"
#include "db/testing/db_fixture.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "table/block.h"
#include "table/compression.h"
#include "table/format.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::Value;

class DbRepairSalvageTest : public testing::DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.disable_auto_compactions = true;
    SetTable(table_options_);
  }
  void SetTable(const BlockBasedTableOptions& table) {
    table_options_ = table;
    table_options_.block_size = 512;
    if (table_options_.filter_policy == nullptr) {
      table_options_.filter_policy.reset(NewBloomFilterPolicy(10));
    }
    options_.table_factory.reset(NewBlockBasedTableFactory(table_options_));
  }

  std::string Read(const std::string& path) {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok()) << path;
    return bytes;
  }
  void Write(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path, /*sync=*/true).ok()) << path;
  }
  void SaveAll() {
    saved_.clear();
    for (const std::string& name : disk_.Names()) {
      const std::string path = std::string(kDbName) + "/" + name;
      uint64_t size;
      if (name == "lost" || name.rfind("LOG", 0) == 0) continue;
      if (disk_.memory->GetFileSize(path, IOOptions(), &size, nullptr).ok())
        saved_[path] = Read(path);
    }
  }
  // As it was at SaveAll().
  void RestoreAll() {
    db_.reset();
    std::vector<std::string> lost;
    disk_.memory->GetChildren(std::string(kDbName) + "/lost", IOOptions(), &lost, nullptr)
        .PermitUncheckedError();
    for (const std::string& name : lost) {
      disk_.memory->DeleteFile(std::string(kDbName) + "/lost/" + name, IOOptions(), nullptr)
          .PermitUncheckedError();
    }
    for (const std::string& name : disk_.Names()) {
      disk_.memory->DeleteFile(std::string(kDbName) + "/" + name, IOOptions(), nullptr)
          .PermitUncheckedError();
    }
    for (const auto& [path, bytes] : saved_) Write(path, bytes);
  }
  std::string TheTable() {
    const std::vector<std::string> tables = disk_.Files(FileType::kTableFile);
    EXPECT_EQ(tables.size(), 1u);
    return tables.empty() ? "" : tables[0];
  }
  uint64_t DataSize(const std::string& table) {
    rocksdb::SstFileReader reader(options_);
    EXPECT_TRUE(reader.Open(table).ok());
    return reader.GetTableProperties()->data_size;
  }
  void Flip(const std::string& path, uint64_t offset) {
    ASSERT_TRUE(disk_.memory->CorruptFile(path, offset, 0x24).ok());
  }
  void LoseManifest() {
    for (const FileType type : {FileType::kDescriptorFile, FileType::kCurrentFile}) {
      for (const std::string& path : disk_.Files(type)) {
        ASSERT_TRUE(disk_.memory->DeleteFile(path, IOOptions(), nullptr).ok());
      }
    }
  }
  void RepairAndOpen() {
    const Status s = RepairDB(kDbName, options_);
    ASSERT_TRUE(s.ok()) << s.ToString();
    Options options = options_;
    options.create_if_missing = false;
    Open(options);
  }
  std::string TheLog() {
    std::string text;
    for (const std::string& path : disk_.Files(FileType::kInfoLogFile)) text += Read(path);
    return text;
  }
  bool WentToLost(const std::string& table) {
    const std::string name = std::string(kDbName) + "/lost" + table.substr(table.rfind('/'));
    return disk_.memory->FileExists(name, IOOptions(), nullptr).ok();
  }
  // Of `all` what is there, and nothing else. How many are missing.
  size_t Missing(const Contents& all) {
    const Contents found = Scan();
    size_t missing = 0;
    for (const auto& [key, value] : all) {
      const auto it = found.find(key);
      if (it == found.end()) {
        ++missing;
      } else {
        EXPECT_EQ(it->second, value) << key;
      }
    }
    EXPECT_EQ(found.size(), all.size() - missing);
    return missing;
  }

  BlockBasedTableOptions table_options_;
  Options options_;
  Contents saved_;
};

// Index, filter, properties, metaindex, footer, and their partitions: each in turn.
TEST_F(DbRepairSalvageTest, DamageBehindTheDataCostsNothing) {
  using Table = BlockBasedTableOptions;
  struct Case {
    int format_version;
    rocksdb::ChecksumType checksum;
    Table::IndexType index;
    CompressionType compression;
    bool aligned = false;
  };
  const std::vector<Case> cases = {
      {5, rocksdb::kXXH3, Table::kBinarySearch, rocksdb::kNoCompression},
      {5, rocksdb::kCRC32c, Table::kTwoLevelIndexSearch, rocksdb::kLZ4Compression},
      {2, rocksdb::kxxHash, Table::kBinarySearch, rocksdb::kSnappyCompression},
      {4, rocksdb::kxxHash64, Table::kBinarySearch, rocksdb::kZSTD},
      {6, rocksdb::kXXH3, Table::kTwoLevelIndexSearch, rocksdb::kZlibCompression},
      {5, rocksdb::kXXH3, Table::kBinarySearch, rocksdb::kNoCompression, /*aligned=*/true},
      {3, rocksdb::kCRC32c, Table::kTwoLevelIndexSearch, rocksdb::kNoCompression, /*aligned=*/true},
  };
  for (const Case& c : cases) {
    if (!IsCompressionSupported(c.compression)) continue;
    SCOPED_TRACE("format " + std::to_string(c.format_version));
    saved_.clear();
    RestoreAll();  // nothing
    model_.clear();
    Table table;
    table.format_version = static_cast<uint32_t>(c.format_version);
    table.checksum = c.checksum;
    table.index_type = c.index;
    table.partition_filters = c.index == Table::kTwoLevelIndexSearch;
    table.metadata_block_size = 128;
    table.block_align = c.aligned;
    SetTable(table);
    options_.compression = c.compression;
    Open(options_);
    PutRange(0, 60, 1);
    Flush();
    Close();
    const std::string path = TheTable();
    SaveAll();
    const uint64_t begin = DataSize(path);
    // The checksums of format 6 depend on a number that only the footer has.
    const uint64_t end = disk_.Size(path) - (c.format_version >= 6 ? kFooterSize : 0);
    for (uint64_t offset = begin; offset < end; offset += 1 + (end - begin) / 60) {
      SCOPED_TRACE("offset " + std::to_string(offset) + " of " + std::to_string(end));
      RestoreAll();
      Flip(path, offset);
      RepairAndOpen();
      ExpectModel();
      if (HasFailure()) return;
    }
    // All of it, and the MANIFEST, too.
    RestoreAll();
    LoseManifest();
    const std::string bytes = Read(path);
    Write(path, bytes.substr(0, begin) + std::string(end - begin, '\x5a') + bytes.substr(end));
    RepairAndOpen();
    if (c.format_version < 6) ExpectModel();
    Close();
    RestoreAll();
  }
}

// Where a block lies in the file, by the metaindex; empty: it has none of that name.
BlockHandle Find(const std::string& bytes, const std::string& name) {
  Footer footer;
  const uint64_t at = bytes.size() - kFooterSize;
  EXPECT_TRUE(footer.DecodeFrom(Slice(bytes.data() + at, kFooterSize), at).ok());
  Block::Ptr block = Block::Allocate(footer.metaindex_handle.size, 0, 0);
  std::memcpy(block->mutable_data(), bytes.data() + footer.metaindex_handle.offset, block->size());
  EXPECT_EQ(block->ParseRestarts(), nullptr);
  BlockHandle found;
  ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    Slice input = value;
    return key != Slice(name) || found.DecodeFrom(&input).ok();
  });
  return found;
}

// As a program wrote it that had destroyed the names of the properties: the checksum is right.
TEST_F(DbRepairSalvageTest, PropertiesThatAreWrongDoNotHideTheData) {
  Open(options_);
  PutRange(0, 60, 1);
  Flush();
  Close();
  const std::string path = TheTable();
  std::string bytes = Read(path);
  const BlockHandle handle = Find(bytes, kPropertiesBlockName);
  ASSERT_FALSE(handle.IsNull());
  // (Names are stored without what they share with the one before.)
  char* const block = bytes.data() + handle.offset;
  for (const char* name : {"user.key", "delta.encoded", "index.type", "data.size"}) {
    const size_t size = strlen(name);
    char* const at = std::search(block, block + handle.size, name, name + size);
    if (at != block + handle.size) std::memset(at, 'x', size);
  }
  EncodeFixed32(block + handle.size + 1,
                ComputeChecksum(rocksdb::kXXH3, block, handle.size, block[handle.size]));
  Write(path, bytes);
  SaveAll();
  ASSERT_FALSE(TryOpen(options_).ok() && Get(Key(0)) == model_[Key(0)]);
  for (const bool with_manifest : {true, false}) {
    RestoreAll();
    if (!with_manifest) LoseManifest();
    RepairAndOpen();
    ExpectModel();
    EXPECT_TRUE(WentToLost(path));
    EXPECT_NE(TheLog().find("is damaged"), std::string::npos);
  }
}

TEST_F(DbRepairSalvageTest, ADamagedBlockBetweenPaddingIsLostAlone) {
  BlockBasedTableOptions table;
  table.block_align = true;
  SetTable(table);
  Open(options_);
  PutRange(0, 60, 1);
  Flush();
  Close();
  const std::string path = TheTable();
  const uint64_t data = DataSize(path);
  const uint64_t blocks = data / table_options_.block_size;
  ASSERT_EQ(data % table_options_.block_size, 0u);
  ASSERT_GT(blocks, 4u);
  SaveAll();
  for (const bool index_too : {false, true}) {
    for (const uint64_t block : {uint64_t{0}, blocks / 2, blocks - 1}) {
      SCOPED_TRACE(std::to_string(index_too) + " " + std::to_string(block));
      RestoreAll();
      Flip(path, block * table_options_.block_size + 20);
      if (index_too) Flip(path, data + (disk_.Size(path) - data) / 3);
      if (index_too) Flip(path, Find(saved_[path], kPropertiesBlockName).offset + 20);
      RepairAndOpen();
      const size_t missing = Missing(model_);
      EXPECT_GE(missing, 1u);
      EXPECT_LE(missing, 60 / blocks + 4);
    }
  }
}

TEST_F(DbRepairSalvageTest, ADamagedBlockIsLostAlone) {
  for (const bool index_too : {false, true}) {
    for (const CompressionType compression : {rocksdb::kNoCompression, rocksdb::kLZ4Compression}) {
      if (!IsCompressionSupported(compression)) continue;
      SCOPED_TRACE(std::to_string(index_too) + " " + std::to_string(compression));
      saved_.clear();
      RestoreAll();  // nothing
      model_.clear();
      options_.compression = compression;
      Open(options_);
      PutRange(0, 60, 1);
      Flush();
      Close();
      const std::string path = TheTable();
      const uint64_t data = DataSize(path);
      SaveAll();
      for (const uint64_t offset : {uint64_t{0}, data / 3, data / 2, data - 1}) {
        SCOPED_TRACE(offset);
        RestoreAll();
        Flip(path, offset);
        if (index_too) Flip(path, data + (disk_.Size(path) - data) / 3);
        if (index_too) Flip(path, Find(saved_[path], kPropertiesBlockName).offset + 20);
        RepairAndOpen();
        const size_t missing = Missing(model_);
        EXPECT_GE(missing, 1u);
        EXPECT_LE(missing, 12u);
        EXPECT_NE(TheLog().find("are lost: "), std::string::npos);
      }
    }
  }
}

TEST_F(DbRepairSalvageTest, OfATableThatIsCutShortTheBeginningIsSaved) {
  Open(options_);
  PutRange(0, 60, 1);
  Flush();
  Close();
  const std::string path = TheTable();
  const uint64_t data = DataSize(path);
  SaveAll();
  size_t before = 0;
  for (const uint64_t size : {disk_.Size(path) - 1, data, data - 1, data / 2, uint64_t{700}}) {
    SCOPED_TRACE(size);
    RestoreAll();
    Write(path, saved_[path].substr(0, size));
    RepairAndOpen();
    const size_t missing = Missing(model_);
    EXPECT_TRUE(size < data || missing == 0) << missing;
    EXPECT_GE(missing, before);
    EXPECT_LT(missing, model_.size());
    before = missing;
  }
}

TEST_F(DbRepairSalvageTest, RangeTombstonesAreSavedToo) {
  Open(options_);
  PutRange(0, 60, 1);
  Flush();
  CompactRangeOptions deep;
  deep.change_level = true;
  deep.target_level = 3;
  ASSERT_TRUE(db_->CompactRange(deep, nullptr, nullptr).ok());
  const std::string below = TheTable();
  ASSERT_TRUE(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), Key(10), Key(40)).ok());
  PutRange(20, 25, 2);
  for (uint64_t i = 10; i < 40; ++i) {
    if (i < 20 || i >= 25) model_.erase(Key(i));
  }
  Flush();
  Close();
  std::string path;
  for (const std::string& table : disk_.Files(FileType::kTableFile)) {
    if (table != below) path = table;
  }
  SaveAll();
  const uint64_t properties = Find(saved_[path], kPropertiesBlockName).offset;
  const uint64_t tombstones = Find(saved_[path], kRangeDelBlockName).offset;
  const uint64_t metaindex = disk_.Size(path) - kFooterSize - 20;
  for (const uint64_t offset : {properties + 5, metaindex, disk_.Size(path) - 1}) {
    for (const bool with_manifest : {true, false}) {
      SCOPED_TRACE(offset);
      RestoreAll();
      if (!with_manifest) LoseManifest();
      Flip(path, offset);
      RepairAndOpen();
      ExpectModel();
    }
  }
  // If they are lost LOG says so, and the entries are there.
  RestoreAll();
  Flip(path, tombstones + 3);
  RepairAndOpen();
  EXPECT_EQ(Get(Key(21)), model_[Key(21)]);
  EXPECT_NE(Get(Key(10)), "NOT_FOUND");
  EXPECT_NE(TheLog().find("range tombstones, if it had any, are lost"), std::string::npos);
}

TEST_F(DbRepairSalvageTest, AnIngestedTableKeepsItsSequenceNumber) {
  Open(options_);
  PutRange(0, 30, 1);
  Flush();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options_);
  ASSERT_TRUE(writer.Open("/outside.sst").ok());
  for (uint64_t i = 5; i < 15; ++i) {
    ASSERT_TRUE(writer.Put(Key(i), "ingested").ok());
    model_[Key(i)] = "ingested";
  }
  ASSERT_TRUE(writer.Finish().ok());
  ASSERT_TRUE(db_->IngestExternalFile({"/outside.sst"}, rocksdb::IngestExternalFileOptions()).ok());
  PutRange(10, 12, 3);
  Close();
  SaveAll();
  for (const std::string& path : disk_.Files(FileType::kTableFile)) {
    SCOPED_TRACE(path);
    RestoreAll();
    Flip(path, Find(saved_[path], kPropertiesBlockName).offset + 20);
    RepairAndOpen();
    ExpectModel();
    Compact();
    ExpectModel();
  }
}

TEST_F(DbRepairSalvageTest, ADictionaryIsStillUsed) {
  if (!IsCompressionSupported(rocksdb::kZSTD)) GTEST_SKIP() << "no ZSTD";
  options_.compression = rocksdb::kZSTD;
  options_.compression_opts.max_dict_bytes = 1024;
  Open(options_);
  for (uint64_t i = 0; i < 200; ++i) Put(Key(i), "the same " + Key(i) + " and the same again");
  Flush();
  Close();
  const std::string path = TheTable();
  ASSERT_FALSE(Find(Read(path), kCompressionDictBlockName).IsNull());
  Flip(path, Find(Read(path), kPropertiesBlockName).offset + 20);
  RepairAndOpen();
  ExpectModel();
}

TEST_F(DbRepairSalvageTest, WithoutAnythingThatSaysItsFamilyATableIsNotGuessedAt) {
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options_, "other", &handle).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), handle, "a", "1").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), handle).ok());
  delete handle;
  Close();
  const std::string path = disk_.Files(FileType::kTableFile)[0];
  LoseManifest();
  Flip(path, Find(Read(path), kPropertiesBlockName).offset + 20);
  ASSERT_TRUE(RepairDB(kDbName, options_).ok());
  EXPECT_TRUE(WentToLost(path));
  EXPECT_NE(TheLog().find("of which column family"), std::string::npos);
}

TEST_F(DbRepairSalvageTest, WhatIsNoTableIsLeftAlone) {
  Open(options_);
  PutRange(0, 20, 1);
  Flush();
  Close();
  SaveAll();
  for (const std::string& bytes : {std::string(), std::string(100, '\0'), std::string(70000, '\0'),
                                   Value(7, 5000), std::string(3000, '\xff')}) {
    RestoreAll();
    const std::string path = std::string(kDbName) + "/000999.sst";
    Write(path, bytes);
    RepairAndOpen();
    ExpectModel();
    EXPECT_TRUE(WentToLost(path));
  }
}

}  // namespace
}  // namespace cairn
