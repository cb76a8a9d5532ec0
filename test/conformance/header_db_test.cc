// rocksdb/db.h alone brings what a program needs that opens a database with statistics and
// listeners. (No other header of the library before this.)
#include "rocksdb/db.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

class Listener final : public rocksdb::EventListener {
 public:
  void OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& info) override {
    stats.Add(info.stats);
  }

  rocksdb::CompactionJobStats stats;
};

TEST(HeaderTest, OfTheDatabaseAlone) {
  rocksdb::Options options;
  options.statistics = rocksdb::CreateDBStatistics();
  options.listeners.push_back(std::make_shared<Listener>());
  options.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(1 << 20);
  EXPECT_EQ(0u, options.statistics->getTickerCount(rocksdb::NUMBER_KEYS_READ));
  const rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  const rocksdb::IOStatus io = rocksdb::IOStatus::OK();
  EXPECT_TRUE(io.ok());
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(1 << 20);
  EXPECT_EQ(size_t{1} << 20, cache->GetCapacity());
  const rocksdb::WriteBatch batch;
  EXPECT_EQ(0u, batch.Count());
  EXPECT_NE(nullptr, rocksdb::Env::Default());
}

}  // namespace
