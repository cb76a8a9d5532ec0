// The Statistics that counts: one block of counters for each slot (fiber/cpu.h), summed by readers.
// Writers of different workers touch different cache lines.
#include "rocksdb/statistics.h"

#include <algorithm>
#include <cassert>
#include <cinttypes>
#include <cstdio>

#include "base/histogram.h"
#include "fiber/cpu.h"
#include "fiber/mutex.h"

namespace cairn {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

class StatisticsImpl final : public Statistics {
 public:
  StatisticsImpl() : shard_count_(fiber::slot_count()), shards_(new Shard[shard_count_]) {}

  static const char* kClassName() { return "BasicStatistics"; }
  const char* Name() const override { return kClassName(); }

  uint64_t getTickerCount(uint32_t ticker) const override {
    if (ticker >= TICKER_ENUM_MAX) return 0;
    uint64_t sum = 0;
    for (unsigned i = 0; i < shard_count_; i++) sum += shards_[i].tickers[ticker].load(kRelaxed);
    return sum;
  }

  void recordTick(uint32_t ticker, uint64_t count) override {
    if (ticker >= TICKER_ENUM_MAX || get_stats_level() <= StatsLevel::kExceptTickers) return;
    shards_[fiber::slot()].tickers[ticker].fetch_add(count, kRelaxed);
  }

  void setTickerCount(uint32_t ticker, uint64_t count) override {
    if (ticker >= TICKER_ENUM_MAX) return;
    fiber::MutexLock lock(&reset_mutex_);
    SetTicker(ticker, count);
  }

  uint64_t getAndResetTickerCount(uint32_t ticker) override {
    if (ticker >= TICKER_ENUM_MAX) return 0;
    fiber::MutexLock lock(&reset_mutex_);
    uint64_t sum = 0;
    for (unsigned i = 0; i < shard_count_; i++) {
      sum += shards_[i].tickers[ticker].exchange(0, kRelaxed);
    }
    return sum;
  }

  void recordInHistogram(uint32_t type, uint64_t value) override {
    if (type >= HISTOGRAM_ENUM_MAX) return;
    if (get_stats_level() <= StatsLevel::kExceptHistogramOrTimers) return;
    shards_[fiber::slot()].histograms[type].Add(value);
  }

  void histogramData(uint32_t type, HistogramData* const data) const override {
    Merged(type).Data(data);
  }

  std::string getHistogramString(uint32_t type) const override { return Merged(type).ToString(); }

  Status Reset() override {
    fiber::MutexLock lock(&reset_mutex_);
    for (uint32_t ticker = 0; ticker < TICKER_ENUM_MAX; ticker++) SetTicker(ticker, 0);
    for (unsigned i = 0; i < shard_count_; i++) {
      for (Histogram& histogram : shards_[i].histograms) histogram.Clear();
    }
    return Status::OK();
  }

  std::string ToString() const override {
    std::string text;
    char line[512];
    for (const auto& [ticker, name] : TickersNameMap) {
      std::snprintf(line, sizeof(line), "%s COUNT : %" PRIu64 "\n", name.c_str(),
                    getTickerCount(ticker));
      text += line;
    }
    for (const auto& [type, name] : HistogramsNameMap) {
      HistogramData data;
      histogramData(type, &data);
      std::snprintf(line, sizeof(line),
                    "%s P50 : %f P95 : %f P99 : %f P100 : %f COUNT : %" PRIu64 " SUM : %" PRIu64
                    "\n",
                    name.c_str(), data.median, data.percentile95, data.percentile99, data.max,
                    data.count, data.sum);
      text += line;
    }
    return text;
  }

  bool getTickerMap(std::map<std::string, uint64_t>* map) const override {
    assert(map != nullptr);
    map->clear();
    for (const auto& [ticker, name] : TickersNameMap) (*map)[name] = getTickerCount(ticker);
    return true;
  }

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> tickers[TICKER_ENUM_MAX] = {};  // relaxed: figures
    Histogram histograms[HISTOGRAM_ENUM_MAX];
  };

  void SetTicker(uint32_t ticker, uint64_t count) FIBER_REQUIRES(reset_mutex_) {
    for (unsigned i = 0; i < shard_count_; i++) {
      shards_[i].tickers[ticker].store(i == 0 ? count : 0, kRelaxed);
    }
  }

  Histogram Merged(uint32_t type) const {
    Histogram sum;
    if (type >= HISTOGRAM_ENUM_MAX) return sum;
    for (unsigned i = 0; i < shard_count_; i++) sum.Merge(shards_[i].histograms[type]);
    return sum;
  }

  const unsigned shard_count_;
  const std::unique_ptr<Shard[]> shards_;
  fiber::Mutex reset_mutex_;  // one reset at a time; counting goes on
};

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

std::shared_ptr<Statistics> CreateDBStatistics() {
  return std::make_shared<cairn::StatisticsImpl>();
}

}  // namespace ROCKSDB_NAMESPACE
