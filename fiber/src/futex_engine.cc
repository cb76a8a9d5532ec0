// The engine that does no I/O: a worker's sleep on a futex. Callers make blocking calls instead.
#include "futex.h"
#include "io_engine.h"

namespace fiber::detail {
namespace {

class FutexEngine final : public IoEngine {
 public:
  Engine kind() const override { return Engine::kEpoll; }

  void poll(bool block, uint64_t deadline) override {
    if (!block) return;
    if (woken_.exchange(0, std::memory_order_acquire) != 0) return;
    futex_wait(&woken_, 0, deadline);
    woken_.store(0, std::memory_order_relaxed);
  }

  void wakeup() override {
    woken_.store(1, std::memory_order_release);
    futex_wake(&woken_);
  }

 private:
  std::atomic<uint32_t> woken_{0};
};

}  // namespace

std::unique_ptr<IoEngine> create_futex_engine() { return std::make_unique<FutexEngine>(); }

}  // namespace fiber::detail
