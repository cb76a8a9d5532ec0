// MemoryAllocator: the blocks of a cache lie where the user wants them.
#include "rocksdb/memory_allocator.h"

#include "conformance.h"
#include "rocksdb/convenience.h"
#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"

namespace conformance {
namespace {

// Counts, and notices what is given back twice, or was never given.
class CountingAllocator : public MemoryAllocator {
 public:
  static const char* kClassName() { return "conformance.CountingAllocator"; }
  const char* Name() const override { return kClassName(); }
  void* Allocate(size_t size) override {
    void* const memory = std::malloc(size);
    allocations.fetch_add(1);
    alive.fetch_add(1);
    bytes.fetch_add(size);
    return memory;
  }
  void Deallocate(void* p) override {
    alive.fetch_sub(1);
    std::free(p);
  }

  std::atomic<int> allocations{0}, alive{0};
  std::atomic<size_t> bytes{0};
};

class MemoryAllocatorTest : public DBTest, public testing::WithParamInterface<bool> {
 protected:
  // LRU, or the clock.
  void UseCache() {
    if (GetParam()) {
      HyperClockCacheOptions options(4 << 20, 4096);
      options.memory_allocator = allocator_;
      cache_ = options.MakeSharedCache();
    } else {
      LRUCacheOptions options;
      options.capacity = 4 << 20;
      options.memory_allocator = allocator_;
      cache_ = NewLRUCache(options);
    }
    ASSERT_NE(nullptr, cache_);
    table_.block_cache = cache_;
  }
  void OpenWithTables(CompressionType compression) {
    options_.compression = compression;
    table_.block_size = 1000;
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
    for (int i = 0; i < 500; ++i) ASSERT_OK(Put(Key(i), std::string(100, static_cast<char>(i))));
    ASSERT_OK(Flush());
  }

  std::shared_ptr<CountingAllocator> allocator_ = std::make_shared<CountingAllocator>();
  std::shared_ptr<Cache> cache_;
  BlockBasedTableOptions table_;
};

TEST_P(MemoryAllocatorTest, TheCacheHasIt) {
  UseCache();
  EXPECT_EQ(allocator_.get(), cache_->memory_allocator());
  EXPECT_EQ(nullptr, NewLRUCache(1000)->memory_allocator());
  EXPECT_NE(std::string::npos, cache_->GetPrintableOptions().find("memory_allocator"));
}

TEST_P(MemoryAllocatorTest, BlocksLieThere) {
  for (const CompressionType compression : {kNoCompression, kZlibCompression}) {
    UseCache();
    OpenWithTables(compression);
    const int before = allocator_->allocations.load();
    for (int i = 0; i < 500; ++i) EXPECT_EQ(std::string(100, static_cast<char>(i)), Get(Key(i)));
    EXPECT_LE(before + 50, allocator_->allocations.load());
    EXPECT_LE(50, allocator_->alive.load());
    EXPECT_LT(size_t{50'000}, allocator_->bytes.load());
    // They are read once.
    const int after = allocator_->allocations.load();
    for (int i = 0; i < 500; i += 7) Get(Key(i));
    EXPECT_EQ(after, allocator_->allocations.load());
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++count;
    EXPECT_EQ(500, count);
  }
}

TEST_P(MemoryAllocatorTest, AllOfItComesBack) {
  UseCache();
  OpenWithTables(kNoCompression);
  for (int i = 0; i < 500; ++i) Get(Key(i));
  EXPECT_LT(0, allocator_->alive.load());
  // Evicted.
  cache_->SetCapacity(0);
  const int evicted = allocator_->alive.load();
  EXPECT_GT(allocator_->allocations.load(), evicted);
  Shut();
  table_.block_cache.reset();
  options_.table_factory.reset(NewBlockBasedTableFactory());
  cache_.reset();
  EXPECT_EQ(0, allocator_->alive.load());
}

TEST_P(MemoryAllocatorTest, ReadsThatDoNotFillTheCacheGiveItBack) {
  UseCache();
  OpenWithTables(kNoCompression);
  cache_->EraseUnRefEntries();
  const int before = allocator_->alive.load();
  ReadOptions options;
  options.fill_cache = false;
  std::string value;
  for (int i = 0; i < 500; ++i) ASSERT_OK(db_->Get(options, Key(i), &value));
  EXPECT_EQ(before, allocator_->alive.load());
}

INSTANTIATE_TEST_SUITE_P(Caches, MemoryAllocatorTest, testing::Bool());

TEST(MemoryAllocatorByNameTest, TheDefaultOneAndOnesOwn) {
  ConfigOptions options;
  options.ignore_unsupported_options = false;
  std::shared_ptr<MemoryAllocator> allocator;
  EXPECT_OK(MemoryAllocator::CreateFromString(options, "DefaultMemoryAllocator", &allocator));
  ASSERT_NE(nullptr, allocator);
  EXPECT_STREQ("DefaultMemoryAllocator", allocator->Name());
  void* const memory = allocator->Allocate(100);
  ASSERT_NE(nullptr, memory);
  EXPECT_LE(100u, allocator->UsableSize(memory, 100));
  allocator->Deallocate(memory);
  EXPECT_TRUE(
      MemoryAllocator::CreateFromString(options, "NoSuchAllocator", &allocator).IsNotSupported());
  options.registry->AddLibrary("conformance")
      ->AddFactory<MemoryAllocator>(
          CountingAllocator::kClassName(),
          [](const std::string& /*name*/, std::unique_ptr<MemoryAllocator>* guard,
             std::string* /*message*/) {
            guard->reset(new CountingAllocator);
            return guard->get();
          });
  EXPECT_OK(
      MemoryAllocator::CreateFromString(options, CountingAllocator::kClassName(), &allocator));
  ASSERT_NE(nullptr, allocator);
  EXPECT_STREQ(CountingAllocator::kClassName(), allocator->Name());
}

TEST(MemoryAllocatorByNameTest, JemallocIsThereOrRefused) {
  JemallocAllocatorOptions options;
  std::shared_ptr<MemoryAllocator> allocator;
  const Status s = NewJemallocNodumpAllocator(options, &allocator);
  EXPECT_TRUE(s.ok() || s.IsNotSupported()) << s.ToString();
  EXPECT_EQ(s.ok(), allocator != nullptr);
}

}  // namespace
}  // namespace conformance
