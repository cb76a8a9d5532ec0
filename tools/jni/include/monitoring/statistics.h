// What RocksJava's sources take from RocksDB's private header of this name: statistics to derive
// from, which pass on to others what they count.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/statistics.h"

namespace ROCKSDB_NAMESPACE {

// Thread-safe. A histogram for which HistEnabledForType() says no counts nothing.
class StatisticsImpl : public Statistics {
 public:
  // `stats` counts all, too; may be null.
  explicit StatisticsImpl(std::shared_ptr<Statistics> stats)
      : counts_(CreateDBStatistics()), other_(std::move(stats)) {}

  const char* Name() const override { return "BasicStatistics"; }

  uint64_t getTickerCount(uint32_t ticker) const override {
    return counts_->getTickerCount(ticker);
  }
  void histogramData(uint32_t type, HistogramData* const data) const override {
    counts_->histogramData(type, data);
  }
  std::string getHistogramString(uint32_t type) const override {
    return counts_->getHistogramString(type);
  }
  void recordTick(uint32_t ticker, uint64_t count) override {
    if (get_stats_level() <= StatsLevel::kExceptTickers) return;
    counts_->recordTick(ticker, count);
    if (other_ != nullptr) other_->recordTick(ticker, count);
  }
  void setTickerCount(uint32_t ticker, uint64_t count) override {
    counts_->setTickerCount(ticker, count);
    if (other_ != nullptr) other_->setTickerCount(ticker, count);
  }
  uint64_t getAndResetTickerCount(uint32_t ticker) override {
    const uint64_t count = counts_->getAndResetTickerCount(ticker);
    if (other_ != nullptr) other_->setTickerCount(ticker, 0);
    return count;
  }
  void recordInHistogram(uint32_t type, uint64_t value) override {
    if (get_stats_level() <= StatsLevel::kExceptHistogramOrTimers) return;
    if (!HistEnabledForType(type)) return;
    counts_->recordInHistogram(type, value);
    if (other_ != nullptr) other_->recordInHistogram(type, value);
  }

  Status Reset() override {
    Status s = counts_->Reset();
    if (other_ != nullptr && s.ok()) s = other_->Reset();
    return s;
  }
  std::string ToString() const override { return counts_->ToString(); }
  bool getTickerMap(std::map<std::string, uint64_t>* map) const override {
    return counts_->getTickerMap(map);
  }

 private:
  const std::shared_ptr<Statistics> counts_;
  const std::shared_ptr<Statistics> other_;
};

}  // namespace ROCKSDB_NAMESPACE
