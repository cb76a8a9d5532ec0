#include "db/stats_history.h"

#include <utility>

namespace cairn {

namespace {

class HistoryIterator final : public StatsHistoryIterator {
 public:
  HistoryIterator(std::shared_ptr<const StatsHistory> history, uint64_t start, uint64_t end)
      : history_(std::move(history)), end_(end) {
    Seek(start);
  }

  bool Valid() const override { return valid_; }
  void Next() override { Seek(seconds_ + 1); }
  uint64_t GetStatsTime() const override { return seconds_; }
  const std::map<std::string, uint64_t>& GetStatsMap() const override { return tickers_; }
  Status status() const override { return Status::OK(); }

 private:
  void Seek(uint64_t start) { valid_ = history_->Find(start, end_, &seconds_, &tickers_); }

  const std::shared_ptr<const StatsHistory> history_;
  const uint64_t end_;
  bool valid_ = false;
  uint64_t seconds_ = 0;
  StatsHistory::Tickers tickers_;
};

}  // namespace

StatsHistory::Tickers StatsHistory::Growth(const Tickers& before, const Tickers& now) {
  Tickers growth;
  for (const auto& [name, count] : now) {
    const auto was = before.find(name);
    if (was == before.end()) continue;
    // (Less: they were reset.)
    growth[name] = count < was->second ? count : count - was->second;
  }
  return growth;
}

void StatsHistory::Note(uint64_t seconds, const Statistics& statistics, size_t limit) {
  Tickers now;
  if (!statistics.getTickerMap(&now)) return;
  fiber::MutexLock lock(&mutex_);
  if (begun_) notes_[seconds] = Growth(last_, now);
  begun_ = true;
  last_ = std::move(now);
  while (!notes_.empty() && Bytes() > limit) notes_.erase(notes_.begin());
}

size_t StatsHistory::Bytes() const {
  size_t one = sizeof(uint64_t) + sizeof(Tickers);
  for (const auto& [name, count] : notes_.begin()->second) {
    one += name.capacity() + sizeof(name) + sizeof(count);
  }
  return sizeof(notes_) + one * notes_.size();
}

bool StatsHistory::Find(uint64_t start, uint64_t end, uint64_t* seconds, Tickers* tickers) const {
  fiber::MutexLock lock(&mutex_);
  const auto it = notes_.lower_bound(start);
  if (it == notes_.end() || it->first >= end) return false;
  *seconds = it->first;
  *tickers = it->second;
  return true;
}

std::unique_ptr<StatsHistoryIterator> StatsHistory::NewIterator(
    std::shared_ptr<const StatsHistory> history, uint64_t start, uint64_t end) {
  return std::make_unique<HistoryIterator>(std::move(history), start, end);
}

}  // namespace cairn
