// The pool engine: every operation is a blocking call on a thread of the blocking pool. Works on
// every kernel.
#pragma once

#include "engine_wake_word.h"
#include "io_engine.h"

namespace fiber::detail {

class PoolEngine final : public IoEngine {
 public:
  Engine kind() const override { return Engine::kBlockingPool; }
  bool submit(IoRequest* request) override;
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override { wake_word_.wake(); }

 private:
  // Completions come by the worker's inbox, from the pool's threads: there is nothing to poll for,
  // pending() is 0.
  WakeWord wake_word_;
};

}  // namespace fiber::detail
