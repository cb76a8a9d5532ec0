#include "fs/generic_rate_limiter.h"

#include <algorithm>
#include <limits>

#include "fiber/clock.h"
#include "fiber/random.h"

namespace ROCKSDB_NAMESPACE {

size_t RateLimiter::RequestToken(size_t bytes, size_t alignment, Env::IOPriority io_priority,
                                 Statistics* stats, OpType op_type) {
  if (io_priority >= Env::IO_TOTAL || !IsRateLimited(op_type)) return bytes;
  bytes = std::min(bytes, static_cast<size_t>(std::max<int64_t>(GetSingleBurstBytes(), 1)));
  if (alignment > 0) bytes = std::max(alignment, bytes / alignment * alignment);
  Request(static_cast<int64_t>(bytes), io_priority, stats, op_type);
  return bytes;
}

RateLimiter* NewGenericRateLimiter(int64_t rate_bytes_per_sec, int64_t refill_period_us,
                                   int32_t fairness, RateLimiter::Mode mode, bool auto_tuned,
                                   int64_t single_burst_bytes) {
  if (rate_bytes_per_sec <= 0 || refill_period_us <= 0 || fairness <= 0) return nullptr;
  cairn::RateLimiterOptions options;
  options.bytes_per_second = rate_bytes_per_sec;
  options.period_micros = refill_period_us;
  options.fairness = fairness;
  options.mode = mode;
  options.auto_tuned = auto_tuned;
  options.burst_bytes = std::max<int64_t>(single_burst_bytes, 0);
  return new cairn::GenericRateLimiter(options);
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {
namespace {

// The rate is tuned after so many periods, by RocksDB's rules: in how many of a hundred periods
// somebody waited decides whether it rises or falls, and by how much.
constexpr int64_t kPeriodsPerTuning = 100;
constexpr int64_t kLowPercent = 50;
constexpr int64_t kHighPercent = 90;
constexpr int64_t kStepPercent = 5;
constexpr int64_t kRange = 20;  // from the lowest rate to the highest

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kNanosPerMicro = 1000;

}  // namespace

GenericRateLimiter::GenericRateLimiter(const RateLimiterOptions& options)
    : RateLimiter(options.mode), options_(options), random_(fiber::random_u64()) {
  fiber::MutexLock lock(&mutex_);
  burst_bytes_ = options.burst_bytes;
  SetRate(options.auto_tuned ? std::max<int64_t>(options.bytes_per_second / 2, 1)
                             : options.bytes_per_second);
  tuned_at_ = next_period_ = fiber::now_nanos();
}

void GenericRateLimiter::SetRate(int64_t bytes_per_second) {
  rate_ = bytes_per_second;
  // (Split, for the product may be too large.)
  const int64_t whole = rate_ / kMicrosPerSecond;
  const int64_t rest = rate_ % kMicrosPerSecond;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 4;
  const int64_t bytes =
      whole > kMost / options_.period_micros
          ? kMost
          : whole * options_.period_micros +
                rest * std::min<int64_t>(options_.period_micros, kMost / kMicrosPerSecond) /
                    kMicrosPerSecond;
  period_bytes_ = std::max<int64_t>(bytes, 1);
}

void GenericRateLimiter::SetBytesPerSecond(int64_t bytes_per_second) {
  if (bytes_per_second <= 0) return;
  fiber::MutexLock lock(&mutex_);
  SetRate(bytes_per_second);
}

Status GenericRateLimiter::SetSingleBurstBytes(int64_t bytes) {
  if (bytes < 0) return Status::InvalidArgument("single_burst_bytes must be >= 0");
  fiber::MutexLock lock(&mutex_);
  burst_bytes_ = bytes;
  return Status::OK();
}

int64_t GenericRateLimiter::GetSingleBurstBytes() const {
  fiber::MutexLock lock(&mutex_);
  return burst_bytes_ > 0 ? burst_bytes_ : period_bytes_;
}

int64_t GenericRateLimiter::GetBytesPerSecond() const {
  fiber::MutexLock lock(&mutex_);
  return rate_;
}

int64_t GenericRateLimiter::Sum(const Counters& counters, Env::IOPriority priority) {
  if (priority < Env::IO_TOTAL) return counters[priority];
  int64_t sum = 0;
  for (const int64_t n : counters) sum += n;
  return sum;
}

int64_t GenericRateLimiter::GetTotalBytesThrough(Env::IOPriority priority) const {
  fiber::MutexLock lock(&mutex_);
  return Sum(bytes_through_, priority);
}

int64_t GenericRateLimiter::GetTotalRequests(Env::IOPriority priority) const {
  fiber::MutexLock lock(&mutex_);
  return Sum(requests_, priority);
}

Status GenericRateLimiter::GetTotalPendingRequests(int64_t* total, Env::IOPriority priority) const {
  fiber::MutexLock lock(&mutex_);
  Counters waiting = {};
  for (size_t i = 0; i < waiting.size(); ++i) {
    waiting[i] = static_cast<int64_t>(waiters_[i].size());
  }
  *total = Sum(waiting, priority);
  return Status::OK();
}

bool GenericRateLimiter::SomebodyWaits() const {
  return std::any_of(waiters_.begin(), waiters_.end(), [](const auto& q) { return !q.empty(); });
}

void GenericRateLimiter::Request(int64_t bytes, Env::IOPriority priority, Statistics* statistics,
                                 OpType op_type) {
  if (IsRateLimited(op_type)) RequestOf(op_type, bytes, priority, statistics);
}

void GenericRateLimiter::RequestOf(OpType op_type, int64_t bytes, Env::IOPriority priority,
                                   Statistics* statistics) {
  if (bytes <= 0 || priority >= Env::IO_TOTAL) return;
  const uint64_t start = statistics == nullptr ? 0 : fiber::now_nanos();
  const bool waited = WaitForTurn(bytes, priority, statistics);
  if (statistics == nullptr) return;
  const bool reads = op_type == OpType::kRead;
  statistics->recordTick(reads ? RATE_LIMITER_REQUESTS_READ : RATE_LIMITER_REQUESTS_WRITE, 1);
  statistics->recordTick(reads ? RATE_LIMITER_BYTES_READ : RATE_LIMITER_BYTES_WRITE,
                         static_cast<uint64_t>(bytes));
  if (!waited) return;
  const uint64_t micros = (fiber::now_nanos() - start) / kNanosPerMicro;
  statistics->recordTick(
      reads ? RATE_LIMITER_DELAYED_REQUESTS_READ : RATE_LIMITER_DELAYED_REQUESTS_WRITE, 1);
  statistics->recordTick(
      reads ? RATE_LIMITER_TOTAL_WAIT_MICROS_READ : RATE_LIMITER_TOTAL_WAIT_MICROS_WRITE, micros);
  statistics->recordInHistogram(
      reads ? RATE_LIMITER_WAIT_MICROS_READ : RATE_LIMITER_WAIT_MICROS_WRITE, micros);
}

bool GenericRateLimiter::WaitForTurn(int64_t bytes, Env::IOPriority priority,
                                     Statistics* statistics) {
  fiber::MutexLock lock(&mutex_);
  ++requests_[priority];
  bytes_through_[priority] += bytes;
  RefillIfDue();
  if (!SomebodyWaits() && available_ >= bytes) {
    available_ -= bytes;
    return false;
  }
  if (statistics != nullptr) statistics->recordTick(NUMBER_RATE_LIMITER_DRAINS, 1);
  Waiter self{bytes};
  waiters_[priority].push_back(&self);
  while (!self.served) {
    changed_.wait_until(&mutex_, next_period_);
    RefillIfDue();
  }
  return true;
}

void GenericRateLimiter::RefillIfDue() {
  const uint64_t now = fiber::now_nanos();
  if (now < next_period_) return;
  next_period_ = now + static_cast<uint64_t>(options_.period_micros * kNanosPerMicro);
  if (SomebodyWaits()) ++drained_;
  if (options_.auto_tuned) Tune();
  // What nobody wanted is kept, up to a period's worth.
  if (available_ < period_bytes_) available_ += period_bytes_;
  GiveOut();
}

std::array<int, Env::IO_TOTAL> GenericRateLimiter::Order() {
  std::array<int, Env::IO_TOTAL> order = {Env::IO_USER, Env::IO_HIGH, Env::IO_MID, Env::IO_LOW};
  if (options_.fairness > 1) {
    const auto one_in = static_cast<uint64_t>(options_.fairness);
    if (random_.Uniform(one_in) == 0) std::swap(order[1], order[2]);
    if (random_.Uniform(one_in) == 0) std::swap(order[2], order[3]);
  }
  return order;
}

void GenericRateLimiter::GiveOut() {
  bool any = false;
  for (const int priority : Order()) {
    std::deque<Waiter*>& queue = waiters_[static_cast<size_t>(priority)];
    while (!queue.empty() && available_ > 0) {
      // One that wants more than a period has gets it in parts.
      Waiter* const first = queue.front();
      const int64_t part = std::min(first->wanted, available_);
      first->wanted -= part;
      available_ -= part;
      if (first->wanted > 0) break;
      first->served = true;
      any = true;
      queue.pop_front();
    }
  }
  if (any) changed_.notify_all();
}

void GenericRateLimiter::Tune() {
  const uint64_t now = fiber::now_nanos();
  const int64_t periods =
      static_cast<int64_t>((now - tuned_at_) / kNanosPerMicro) / options_.period_micros;
  if (periods < kPeriodsPerTuning) return;
  tuned_at_ = now;
  const int64_t percent = drained_ * 100 / periods;
  drained_ = 0;
  const int64_t most = options_.bytes_per_second;
  const int64_t least = std::max<int64_t>(most / kRange, 1);
  int64_t rate = rate_;
  if (percent == 0) {
    rate = least;
  } else if (percent < kLowPercent) {
    rate = std::max(least, rate / (100 + kStepPercent) * 100);
  } else if (percent > kHighPercent) {
    rate = std::min(most, rate + std::max<int64_t>(rate / 100 * kStepPercent, 1));
  }
  SetRate(rate);
}

}  // namespace cairn
