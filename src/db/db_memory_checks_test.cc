// What finds bytes that changed in memory: block_protection_bytes_per_key, paranoid_memory_checks,
// memtable_verify_per_key_checksum_on_seek.
#include <cstring>
#include <map>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "rocksdb/cache.h"
#include "rocksdb/memory_allocator.h"
#include "rocksdb/sst_file_reader.h"

namespace cairn {
namespace {

using testing::Key;

// Knows where the blocks of a cache are.
class OpenAllocator : public MemoryAllocator {
 public:
  const char* Name() const override { return "OpenAllocator"; }
  void* Allocate(size_t size) override {
    void* const memory = ::operator new(size);
    fiber::MutexLock lock(&mutex_);
    sizes_[static_cast<char*>(memory)] = size;
    return memory;
  }
  void Deallocate(void* memory) override {
    {
      fiber::MutexLock lock(&mutex_);
      sizes_.erase(static_cast<char*>(memory));
    }
    ::operator delete(memory);
  }
  // Changes the first byte of this text wherever it is; how often that was.
  int Change(const std::string& text, char by) {
    fiber::MutexLock lock(&mutex_);
    int found = 0;
    for (const auto& [memory, size] : sizes_) {
      for (size_t at = 0; at + text.size() <= size; ++at) {
        if (std::memcmp(memory + at, text.data(), text.size()) != 0) continue;
        memory[at] = static_cast<char>(memory[at] ^ by);
        ++found;
      }
    }
    return found;
  }

 private:
  fiber::Mutex mutex_;
  std::map<char*, size_t> sizes_ FIBER_GUARDED_BY(mutex_);
};

class DbMemoryChecksTest : public testing::DbTest {
 protected:
  Options Checking(uint8_t bytes_per_key) {
    Options options = SmallOptions();
    options.block_protection_bytes_per_key = bytes_per_key;
    LRUCacheOptions cache;
    cache.capacity = 8 << 20;
    cache.memory_allocator = allocator_;
    BlockBasedTableOptions table;
    table.block_size = 1024;
    table.block_cache = NewLRUCache(cache);
    table.cache_index_and_filter_blocks = index_in_cache_;
    if (two_levels_) table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    if (hash_index_) {
      table.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
    }
    table.metadata_block_size = 256;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    return options;
  }
  void Fill(const Options& options) {
    Open(options);
    for (uint64_t i = 0; i < 500; ++i) Put(Key(i), "value of " + Key(i) + ".");
    Flush();
  }
  // Of all keys; the others must be right.
  int ReadsThatAreCorrupt() {
    int corrupt = 0;
    for (uint64_t i = 0; i < 500; ++i) {
      const std::string found = Get(Key(i));
      if (found.find("Corruption") != std::string::npos) {
        ++corrupt;
      } else {
        EXPECT_EQ(found, model_[Key(i)]);
      }
    }
    return corrupt;
  }

  const std::shared_ptr<OpenAllocator> allocator_ = std::make_shared<OpenAllocator>();
  bool index_in_cache_ = false, two_levels_ = false, hash_index_ = false;
};

TEST_F(DbMemoryChecksTest, AWrongByteOfACachedValueIsCorruption) {
  for (const uint8_t bytes : {0, 1, 2, 4, 8}) {
    for (const bool hash_index : {false, true}) {
      SCOPED_TRACE(std::to_string(bytes) + (hash_index ? " with a hash index" : ""));
      hash_index_ = hash_index;
      Fill(Checking(bytes));
      ExpectModel();
      ASSERT_EQ(1, allocator_->Change("value of " + Key(123) + ".", 'v' ^ 'V'));
      EXPECT_EQ(bytes == 0 ? "Value of key000123." : "", bytes == 0 ? Get(Key(123)) : "");
      if (bytes != 0) {
        std::string value;
        const Status s = db_->Get(ReadOptions(), Key(123), &value);
        EXPECT_TRUE(s.IsCorruption()) << s.ToString();
        EXPECT_NE(s.ToString().find(".sst"), std::string::npos) << s.ToString();
        const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
        for (it->SeekToFirst(); it->Valid(); it->Next()) ASSERT_LT(it->key().ToString(), Key(123));
        EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
        for (it->SeekToLast(); it->Valid(); it->Prev()) ASSERT_GT(it->key().ToString(), Key(123));
        EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
        it->Seek(Key(300));
        EXPECT_TRUE(it->Valid());
      }
      EXPECT_EQ("value of key000300.", Get(Key(300)));
      ASSERT_EQ(1, allocator_->Change("Value of " + Key(123) + ".", 'v' ^ 'V'));
      ExpectModel();
      Compact();
      ExpectModel();
      db_.reset();
      disk_ = testing::Disk();
    }
  }
}

// Of a key the first byte is in memory once for a few entries: a wrong one hides them all.
TEST_F(DbMemoryChecksTest, AWrongByteOfAKeyHidesNothing) {
  Fill(Checking(8));
  ExpectModel();
  // ("000", which most entries share, and what follows.)
  ASSERT_GT(allocator_->Change("key000", 1), 0);
  EXPECT_GT(ReadsThatAreCorrupt(), 400);
}

TEST_F(DbMemoryChecksTest, AWrongByteOfACachedIndexIsCorruption) {
  for (const bool two_levels : {false, true}) {
    SCOPED_TRACE(two_levels);
    index_in_cache_ = true;
    two_levels_ = two_levels;
    Fill(Checking(8));
    ExpectModel();
    // Separators are short: those of the index begin with "key0001", as do keys of data blocks.
    ASSERT_GT(allocator_->Change("key0001", 1), 1);
    EXPECT_GT(ReadsThatAreCorrupt(), 50);
    ASSERT_GT(allocator_->Change("kdy0001", 0) + allocator_->Change("jey0001", 1), 1);
    ExpectModel();
    db_.reset();
    disk_ = testing::Disk();
  }
}

TEST_F(DbMemoryChecksTest, ItCanBeChangedForTablesOpenedLater) {
  Fill(Checking(0));
  EXPECT_EQ("value of key000007.", Get(Key(7)));
  ASSERT_EQ(1, allocator_->Change("value of " + Key(7) + ".", 1));
  EXPECT_EQ("walue of key000007.", Get(Key(7)));
  ASSERT_EQ(1, allocator_->Change("walue of " + Key(7) + ".", 1));
  EXPECT_TRUE(db_->SetOptions({{"block_protection_bytes_per_key", "3"}}).IsNotSupported());
  ASSERT_TRUE(db_->SetOptions({{"block_protection_bytes_per_key", "4"}}).ok());
  Compact();
  Put(Key(1), "more");
  Flush();
  Compact();
  EXPECT_EQ("value of key000007.", Get(Key(7)));
  ASSERT_GE(allocator_->Change("value of " + Key(7) + ".", 1), 1);
  EXPECT_NE(Get(Key(7)).find("Corruption"), std::string::npos);
}

TEST_F(DbMemoryChecksTest, OtherNumbersAreRefused) {
  for (const uint8_t bytes : {3, 5, 9, 16, 255}) {
    const Status s = TryOpen(Checking(bytes));
    EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
    EXPECT_NE(s.ToString().find("Block per key-value checksum protection only supports"),
              std::string::npos)
        << s.ToString();
  }
}

TEST_F(DbMemoryChecksTest, ASecondaryCacheGetsNoBlockThatChanged) {
  Options options = Checking(8);
  LRUCacheOptions cache;
  cache.capacity = 64 << 10;  // a few blocks
  cache.num_shard_bits = 0;
  cache.memory_allocator = allocator_;
  cache.secondary_cache = NewCompressedSecondaryCache(8 << 20);
  BlockBasedTableOptions table;
  table.block_size = 1024;
  table.block_cache = NewLRUCache(cache);
  options.table_factory.reset(NewBlockBasedTableFactory(table));
  Fill(options);
  for (int round = 0; round < 3; ++round) ExpectModel();
  EXPECT_EQ("value of key000123.", Get(Key(123)));
  if (allocator_->Change("value of " + Key(123) + ".", 1) > 0) {
    EXPECT_NE(Get(Key(123)).find("Corruption"), std::string::npos);
  }
  for (uint64_t i = 200; i < 500; ++i) EXPECT_EQ(model_[Key(i)], Get(Key(i)));
  // It has gone, and is read again; or it is still there.
  const std::string found = Get(Key(123));
  EXPECT_TRUE(found == model_[Key(123)] || found.find("Corruption") != std::string::npos) << found;
}

TEST_F(DbMemoryChecksTest, MemtablesOutOfOrderAreCorruption) {
  for (const bool paranoid : {false, true}) {
    Options options = SmallOptions();
    options.paranoid_memory_checks = paranoid;
    Open(options);
    for (uint64_t i = 0; i < 100; ++i) Put(Key(i), "v");
    ExpectModel();
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(50));
    ASSERT_TRUE(it->Valid());
    char* const at = const_cast<char*>(it->key().data());
    ASSERT_EQ('k', *at);
    *at = 'z';
    it.reset(db_->NewIterator(ReadOptions()));
    int seen = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
    EXPECT_EQ(paranoid, it->status().IsCorruption()) << it->status().ToString();
    EXPECT_EQ(paranoid ? 51 : 100, seen);
    const std::string found = Get(Key(50));
    EXPECT_EQ(paranoid, found.find("Out-of-order keys") != std::string::npos) << found;
    *at = 'k';
    ExpectModel();
    it.reset();
    db_.reset();
    disk_ = testing::Disk();
  }
}

TEST_F(DbMemoryChecksTest, SearchesInMemtablesBelieveNoWrongKey) {
  Options options = SmallOptions();
  options.memtable_protection_bytes_per_key = 8;
  options.memtable_verify_per_key_checksum_on_seek = true;
  Open(options);
  for (uint64_t i = 0; i < 200; ++i) Put(Key(i), "v");
  ExpectModel();
  for (uint64_t changed = 0; changed < 200; changed += 7) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->Seek(Key(changed));
    ASSERT_TRUE(it->Valid());
    for (const char to : {'a', 'z'}) {
      char* const at = const_cast<char*>(it->key().data());
      *at = to;
      int corrupt = 0;
      for (uint64_t i = 0; i < 200; ++i) {
        const std::string found = Get(Key(i));
        if (found == "v") continue;
        EXPECT_NE(found.find("Corruption"), std::string::npos) << changed << " " << i << found;
        ++corrupt;
      }
      EXPECT_GT(corrupt, 0);
      *at = 'k';
    }
  }
  ExpectModel();
}

TEST_F(DbMemoryChecksTest, TheOthersKindsOfMemtablesGoOn) {
  Options options = SmallOptions();
  options.memtable_factory = std::make_shared<VectorRepFactory>();
  options.allow_concurrent_memtable_write = false;
  options.paranoid_memory_checks = true;
  options.memtable_verify_per_key_checksum_on_seek = true;
  options.memtable_protection_bytes_per_key = 4;
  Open(options);
  PutRange(0, 100, 1);
  ExpectModel();
  Flush();
  ExpectModel();
}

TEST_F(DbMemoryChecksTest, MemtablesCanBeChangedFromTheNextOneOn) {
  Open();
  for (uint64_t i = 0; i < 10; ++i) Put(Key(i), "v");
  ASSERT_TRUE(db_->SetOptions({{"paranoid_memory_checks", "true"},
                               {"memtable_verify_per_key_checksum_on_seek", "true"}})
                  .ok());
  Flush();
  for (uint64_t i = 0; i < 10; ++i) Put(Key(i), "w");
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->Seek(Key(5));
  char* const at = const_cast<char*>(it->key().data());
  *at = 'z';
  EXPECT_NE(Get(Key(5)).find("Corruption"), std::string::npos);
  *at = 'k';
  ExpectModel();
}

}  // namespace
}  // namespace cairn
