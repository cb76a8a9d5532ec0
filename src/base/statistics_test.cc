#include "rocksdb/statistics.h"

#include <gtest/gtest.h>

#include <set>

#include "base/namespace.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

TEST(Statistics, NamesEveryTickerAndHistogramOnceAndInOrder) {
  std::set<std::string> names;
  ASSERT_EQ(size_t{TICKER_ENUM_MAX}, TickersNameMap.size());
  for (size_t i = 0; i < TickersNameMap.size(); i++) {
    EXPECT_EQ(i, TickersNameMap[i].first);
    EXPECT_TRUE(names.insert(TickersNameMap[i].second).second) << TickersNameMap[i].second;
  }
  ASSERT_EQ(size_t{HISTOGRAM_ENUM_MAX}, HistogramsNameMap.size());
  for (size_t i = 0; i < HistogramsNameMap.size(); i++) {
    EXPECT_EQ(i, HistogramsNameMap[i].first);
    EXPECT_TRUE(names.insert(HistogramsNameMap[i].second).second) << HistogramsNameMap[i].second;
  }
  EXPECT_EQ("rocksdb.block.cache.miss", TickersNameMap[BLOCK_CACHE_MISS].second);
  EXPECT_EQ("rocksdb.db.get.micros", HistogramsNameMap[DB_GET].second);
}

TEST(Statistics, SumsWhatSeveralThreadsCount) {
  auto stats = CreateDBStatistics();
  constexpr int kThreads = 4;
  constexpr int kTicks = 10000;
  {
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int t = 0; t < kThreads; t++) {
      threads.push_back(std::make_unique<fiber::Thread>("count", [&stats] {
        for (int i = 0; i < kTicks; i++) {
          stats->recordTick(BYTES_WRITTEN, 3);
          stats->recordInHistogram(DB_GET, 5);
        }
      }));
    }
    for (auto& thread : threads) thread->join();
  }
  EXPECT_EQ(uint64_t{3} * kThreads * kTicks, stats->getTickerCount(BYTES_WRITTEN));
  HistogramData data;
  stats->histogramData(DB_GET, &data);
  EXPECT_EQ(uint64_t{kThreads} * kTicks, data.count);
  EXPECT_EQ(uint64_t{5} * kThreads * kTicks, data.sum);
  EXPECT_EQ(5, data.max);
}

TEST(Statistics, SetsAndResets) {
  auto stats = CreateDBStatistics();
  stats->setTickerCount(BYTES_READ, 7);
  stats->recordTick(BYTES_READ, 1);
  EXPECT_EQ(8u, stats->getAndResetTickerCount(BYTES_READ));
  EXPECT_EQ(0u, stats->getTickerCount(BYTES_READ));
  stats->recordTick(BYTES_READ, 2);
  stats->recordInHistogram(DB_SEEK, 100);
  ASSERT_TRUE(stats->Reset().ok());
  EXPECT_EQ(0u, stats->getTickerCount(BYTES_READ));
  HistogramData data;
  stats->histogramData(DB_SEEK, &data);
  EXPECT_EQ(0u, data.count);
}

TEST(Statistics, ANumberOutOfRangeCountsNothing) {
  auto stats = CreateDBStatistics();
  stats->recordTick(BYTES_READ, 1);
  for (const uint32_t number : {uint32_t{TICKER_ENUM_MAX}, 100'000'000u, UINT32_MAX}) {
    stats->recordTick(number, 1);
    stats->setTickerCount(number, 1);
    EXPECT_EQ(0u, stats->getTickerCount(number));
    EXPECT_EQ(0u, stats->getAndResetTickerCount(number));
    stats->recordInHistogram(number, 1);
    stats->reportTimeToHistogram(number, 1);
    HistogramData data;
    stats->histogramData(number, &data);
    EXPECT_EQ(0u, data.count);
    EXPECT_EQ(0, data.max);
    EXPECT_EQ(CreateDBStatistics()->getHistogramString(DB_GET), stats->getHistogramString(number));
  }
  EXPECT_EQ(1u, stats->getTickerCount(BYTES_READ));
}

TEST(Statistics, LevelLeavesOutTimersThenHistogramsThenAll) {
  auto stats = CreateDBStatistics();
  HistogramData data;
  stats->set_stats_level(kExceptTimers);
  stats->reportTimeToHistogram(DB_GET, 1);
  stats->recordInHistogram(DB_GET, 1);
  stats->histogramData(DB_GET, &data);
  EXPECT_EQ(1u, data.count);
  stats->set_stats_level(kExceptHistogramOrTimers);
  stats->recordInHistogram(DB_GET, 1);
  stats->recordTick(BYTES_READ, 1);
  stats->histogramData(DB_GET, &data);
  EXPECT_EQ(1u, data.count);
  stats->set_stats_level(kDisableAll);
  stats->recordTick(BYTES_READ, 1);
  EXPECT_EQ(1u, stats->getTickerCount(BYTES_READ));
}

TEST(Statistics, PrintsRocksDBsLines) {
  auto stats = CreateDBStatistics();
  stats->recordTick(BLOCK_CACHE_HIT, 42);
  stats->recordInHistogram(DB_GET, 7);
  const std::string text = stats->ToString();
  EXPECT_NE(std::string::npos, text.find("rocksdb.block.cache.hit COUNT : 42\n"));
  EXPECT_NE(std::string::npos,
            text.find("rocksdb.db.get.micros P50 : 7.000000 P95 : 7.000000 P99 : 7.000000 "
                      "P100 : 7.000000 COUNT : 1 SUM : 7\n"));
  std::map<std::string, uint64_t> map;
  ASSERT_TRUE(stats->getTickerMap(&map));
  EXPECT_EQ(42u, map["rocksdb.block.cache.hit"]);
  EXPECT_EQ(size_t{TICKER_ENUM_MAX}, map.size());
}

}  // namespace
}  // namespace cairn
