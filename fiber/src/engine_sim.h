// The engine of a worker inside a simulation: each operation is made, as a blocking call, when a
// delay drawn from the seed has passed. On pipes and sockets it waits, after that, until the call
// would not block.
//
// Thread safety: the simulation's OS thread; wakeup() any.
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <vector>

#include "io_engine.h"
#include "os_poll.h"

namespace fiber::detail {

class Simulator;

class SimEngine final : public IoEngine {
 public:
  explicit SimEngine(Simulator* simulator) : simulator_(simulator) {
    pending_.add();  // so that the worker looks in at every turn
  }

  Engine kind() const override { return Engine::kSimulated; }
  bool submit(IoRequest* request) override;
  void cancel(IoRequest* request) override;
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override;

 private:
  struct Entry {
    uint64_t due;
    uint64_t number;
    IoRequest* request;
    bool operator<(const Entry& other) const {
      return due != other.due ? due < other.due : number < other.number;
    }
  };

  void attempt(const Entry& entry);
  void finish(const Entry& entry, int64_t result);
  bool run_due();
  bool run_ready_streams();

  Simulator* const simulator_;
  std::set<Entry> entries_;
  // Due, on a stream that was not ready. streams_[i] describes stalled_[i].
  std::vector<Entry> stalled_;
  std::vector<PollEntry> streams_;
  std::atomic<uint32_t> woken_{0};
};

}  // namespace fiber::detail
