#include "table/table_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/file_util.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;

class TableCacheTest : public ::testing::Test {
 protected:
  void MakeFiles(int n) {
    for (int i = 1; i <= n; ++i) {
      Harness h;
      h.Put("k" + std::to_string(i), 1, "value " + std::to_string(i));
      const std::string from = "/t.sst";
      ASSERT_TRUE(h.Build(from).ok());
      std::string bytes;
      ASSERT_TRUE(ReadFileToString(&h.fs, from, &bytes).ok());
      char name[32];
      snprintf(name, sizeof(name), "/db/%06d.sst", i);
      ASSERT_TRUE(WriteStringToFile(&fs_, bytes, name, false).ok());
      TableFileId id;
      id.number = static_cast<uint64_t>(i);
      id.file_size = bytes.size();
      ids_.push_back(id);
    }
  }
  void Make(int max_open_files) { Make(max_open_files, &fs_); }
  void Make(int max_open_files, FileSystem* fs) {
    TableCacheOptions options;
    options.fs = fs;
    options.table_factory = &factory_;
    options.paths = {"/db"};
    options.icmp = &icmp_;
    options.max_open_files = max_open_files;
    options.open_tables = open_tables_ = std::make_shared<OpenTables>(max_open_files, 0);
    cache_ = std::make_unique<TableCache>(options);
  }
  Status Get(const TableFileId& id, std::string* value,
             const ReadOptions& options = ReadOptions()) {
    PinnableSlice pinned;
    const std::string user = "k" + std::to_string(id.number);
    GetContext context(BytewiseComparator(), user, &pinned);
    Status s = cache_->Get(options, id, IKey(user, 9, kValueTypeForSeek), &context);
    *value = context.state() == GetContext::kFound ? pinned.ToString() : "";
    return s;
  }

  void SetUp() override { ASSERT_TRUE(fs_.CreateDirIfMissing("/db", IOOptions(), nullptr).ok()); }

  MemoryFileSystem fs_{MemoryFileSystem::Durability::kUntracked};
  InternalKeyComparator icmp_{BytewiseComparator()};
  BlockBasedTableFactory factory_{BlockBasedTableOptions()};
  std::vector<TableFileId> ids_;
  std::shared_ptr<OpenTables> open_tables_;
  std::unique_ptr<TableCache> cache_;
};

TEST_F(TableCacheTest, OpensOnceAndPinsInTheSlot) {
  MakeFiles(1);
  Make(-1);
  auto slot = std::make_unique<TableSlot>();
  ids_[0].slot = slot.get();
  std::string value;
  EXPECT_EQ(slot->reader(), nullptr);
  ASSERT_TRUE(Get(ids_[0], &value).ok());
  EXPECT_EQ(value, "value 1");
  EXPECT_NE(slot->reader(), nullptr);
  // The file is gone, the reader stays.
  cache_->Evict(1);
  ASSERT_TRUE(fs_.DeleteFile("/db/000001.sst", IOOptions(), nullptr).ok());
  ASSERT_TRUE(Get(ids_[0], &value).ok());
  EXPECT_EQ(value, "value 1");
  slot.reset();
  ids_[0].slot = nullptr;
  EXPECT_FALSE(Get(ids_[0], &value).ok());
}

// Runs something before it opens a file; once.
class HookFileSystem final : public FileSystemWrapper {
 public:
  explicit HookFileSystem(FileSystem* base)
      : FileSystemWrapper(std::shared_ptr<FileSystem>(base, [](FileSystem*) {})) {}
  static const char* kClassName() { return "HookFileSystem"; }
  const char* Name() const override { return kClassName(); }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    if (before_open != nullptr) std::exchange(before_open, nullptr)();
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
  }
  std::function<void()> before_open;
};

// A table that is open has a new entry, with a slot of its own, while another table with the same
// lock is being opened.
TEST_F(TableCacheTest, KeepOpenWaitsWhereALookupDoesNot) {
  MakeFiles(65);
  HookFileSystem hooks(&fs_);
  Make(-1, &hooks);
  TableFileId open = ids_[0];
  const TableFileId other = ids_[64];
  std::string value;
  ASSERT_TRUE(Get(open, &value).ok());
  TableSlot slot;
  open.slot = &slot;
  std::atomic<bool> opening = false, go_on = false;
  hooks.before_open = [&] {
    opening = true;
    while (!go_on) fiber::yield();
  };
  fiber::Thread opener("opener", [&] {
    TableCache::Ref ref;
    EXPECT_TRUE(cache_->FindTable(other, &ref).ok());
  });
  while (!opening) fiber::yield();
  TableCache::Ref ref;
  ASSERT_TRUE(cache_->FindTable(open, &ref).ok());
  EXPECT_EQ(slot.reader(), nullptr);
  ref.Reset();
  fiber::Thread keeper("keeper", [&] { EXPECT_TRUE(cache_->KeepOpen(open).ok()); });
  go_on = true;
  keeper.join();
  opener.join();
  EXPECT_NE(slot.reader(), nullptr);
  cache_->Evict(open.number);
  ASSERT_TRUE(fs_.DeleteFile("/db/000001.sst", IOOptions(), nullptr).ok());
  EXPECT_TRUE(Get(open, &value).ok());
  EXPECT_EQ(value, "value 1");
}

TEST_F(TableCacheTest, KeepsAtMostMaxOpenFiles) {
  MakeFiles(30);
  Make(10);
  std::string value;
  for (const TableFileId& id : ids_) {
    ASSERT_TRUE(Get(id, &value).ok());
    EXPECT_EQ(value, "value " + std::to_string(id.number));
    EXPECT_LE(open_tables_->cache()->GetUsage(), 10u);
  }
}

TEST_F(TableCacheTest, CacheOnlyReadsDoNotOpen) {
  MakeFiles(1);
  Make(-1);
  ReadOptions options;
  options.read_tier = kBlockCacheTier;
  std::string value;
  EXPECT_TRUE(Get(ids_[0], &value, options).IsIncomplete());
  EXPECT_EQ(open_tables_->cache()->GetUsage(), 0u);
}

TEST_F(TableCacheTest, IteratorsKeepTheirTableOpen) {
  MakeFiles(5);
  Make(1);
  std::unique_ptr<InternalIterator> it(cache_->NewIterator(ReadOptions(), ids_[0]));
  std::string value;
  for (const TableFileId& id : ids_) ASSERT_TRUE(Get(id, &value).ok());
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->value().ToString(), "value 1");
  it.reset();
}

TEST_F(TableCacheTest, MissingFileIsAnErrorWithItsName) {
  Make(-1);
  TableFileId id;
  id.number = 77;
  id.file_size = 1000;
  std::string value;
  const Status s = Get(id, &value);
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.ToString().find("000077.sst"), std::string::npos) << s.ToString();
  std::unique_ptr<InternalIterator> it(cache_->NewIterator(ReadOptions(), id));
  EXPECT_FALSE(it->status().ok());
}

TEST_F(TableCacheTest, ConcurrentOpensAgree) {
  MakeFiles(8);
  Make(-1);
  std::vector<std::unique_ptr<TableSlot>> slots;
  for (TableFileId& id : ids_) {
    slots.push_back(std::make_unique<TableSlot>());
    id.slot = slots.back().get();
  }
  std::atomic<int> wrong{0};
  {
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int t = 0; t < 4; ++t) {
      threads.push_back(std::make_unique<fiber::Thread>("get", [&] {
        for (int i = 0; i < 500; ++i) {
          const TableFileId& id = ids_[static_cast<size_t>(i) % ids_.size()];
          std::string value;
          if (!Get(id, &value).ok() || value != "value " + std::to_string(id.number))
            wrong.fetch_add(1);
        }
      }));
    }
    for (auto& t : threads) t->join();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(open_tables_->cache()->GetUsage(), 8u);
}

TEST_F(TableCacheTest, TablesThatNobodyUsesCloseWhenAsked) {
  MakeFiles(20);
  Make(100);
  TableCache::Ref used;
  for (const TableFileId& id : ids_) {
    TableCache::Ref table;
    ASSERT_TRUE(cache_->FindTable(id, &table).ok());
    if (id.number == 7) used = std::move(table);
  }
  const auto count_open = [this] {
    int count = 0;
    for (const TableFileId& id : ids_) {
      TableCache::Ref table;
      count += cache_->FindTable(id, &table, /*no_io=*/true).ok() ? 1 : 0;
    }
    return count;
  };
  EXPECT_EQ(count_open(), 20);
  EXPECT_TRUE(open_tables_->CloseSome());
  EXPECT_LT(count_open(), 20);
  EXPECT_GT(count_open(), 1);
  while (open_tables_->CloseSome()) {
  }
  EXPECT_EQ(count_open(), 1) << "the one that is in use";
  used.Reset();
  EXPECT_TRUE(open_tables_->CloseSome());
  EXPECT_EQ(count_open(), 0);
}

}  // namespace
}  // namespace cairn
