#include "commit/write_controller.h"

#include <algorithm>

namespace cairn {
namespace {

constexpr uint64_t kNanosPerMicro = 1000;
constexpr uint64_t kMinWaitNanos = 1'000'000;

}  // namespace

uint64_t Pace::Charge(uint64_t bytes, uint64_t bytes_per_second, uint64_t now_nanos) {
  const double cost = static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_second);
  fiber::MutexLock lock(&mutex_);
  paid_until_ = std::max(paid_until_, now_nanos) + static_cast<uint64_t>(cost);
  const uint64_t wait = paid_until_ - now_nanos;
  return wait < kMinWaitNanos ? 0 : wait / kNanosPerMicro;
}

void Pace::Reset() {
  fiber::MutexLock lock(&mutex_);
  paid_until_ = 0;
}

WriteController::WriteController(uint64_t max_delayed_write_rate)
    : max_rate_(std::max<uint64_t>(1, max_delayed_write_rate)), rate_(max_rate_.load()) {}

std::unique_ptr<WriteControllerToken> WriteController::GetStopToken() {
  return std::unique_ptr<WriteControllerToken>(new WriteControllerToken(&stops_));
}

std::unique_ptr<WriteControllerToken> WriteController::GetDelayToken(uint64_t bytes_per_second) {
  set_delayed_write_rate(bytes_per_second);
  if (!NeedsDelay()) delayed_.Reset();  // a new period of delay starts without debt
  return std::unique_ptr<WriteControllerToken>(new WriteControllerToken(&delays_));
}

std::unique_ptr<WriteControllerToken> WriteController::GetCompactionPressureToken() {
  return std::unique_ptr<WriteControllerToken>(new WriteControllerToken(&pressures_));
}

uint64_t WriteController::GetDelayMicros(uint64_t bytes, uint64_t now_nanos) {
  if (IsStopped() || !NeedsDelay()) return 0;
  return delayed_.Charge(bytes, delayed_write_rate(), now_nanos);
}

uint64_t WriteController::GetLowPriorityDelayMicros(uint64_t bytes, uint64_t now_nanos) {
  return NeedSpeedupCompaction() ? low_priority_.Charge(bytes, kLowPriorityRate, now_nanos) : 0;
}

void WriteController::set_delayed_write_rate(uint64_t bytes_per_second) {
  rate_.store(std::clamp<uint64_t>(bytes_per_second, 1, max_delayed_write_rate()),
              std::memory_order_relaxed);
}

void WriteController::set_max_delayed_write_rate(uint64_t bytes_per_second) {
  max_rate_.store(std::max<uint64_t>(1, bytes_per_second), std::memory_order_relaxed);
  rate_.store(max_delayed_write_rate(), std::memory_order_relaxed);
}

}  // namespace cairn
