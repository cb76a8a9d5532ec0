// The engine of an I/O completion port: files and sockets by overlapped operations, what has none
// (open, flush, rename ...) on the threads of the blocking pool.
//
// There is one port for the process, because a handle belongs to one port for good, and its
// descriptor may be used by fibers of any worker, also after the worker that used it first is gone.
// An operation that completes at once does not come to the port at all
// (FILE_SKIP_COMPLETION_PORT_ON_SUCCESS).
//
// Sleep: of the engines that sleep, one, the leader, sleeps in the port; the others on their wake
// words. The leader takes all completions, hands those of other workers' fibers over (which wakes
// their workers), and when it leaves to run fibers of its own it wakes another sleeper that has
// operations pending, which then leads. An engine without operations does not lead: its wake-up
// costs less.
//
// Nobody follows or leads outside of poll(), so that an engine may end at any time between.
//
// Invariants: an operation that is pending is waited for by a leader, or its engine's worker is
// awake and polls; a wakeup() of the leader is a packet in the port, which who else takes it puts
// back.
//
// Thread safety: wakeup() from any thread, all else from the worker's.
#pragma once

#include <atomic>
#include <cstdint>

#include "io_engine.h"
#include "io_request.h"

namespace fiber::detail {

// Whether the process has its port. (Without memory for one the engine does no I/O: callers block.)
bool completion_port_works();

class PortEngine final : public IoEngine {
 public:
  Engine kind() const override { return Engine::kCompletionPort; }
  bool submit(IoRequest* request) override;
  void cancel(IoRequest* request) override;
  void poll(bool block, uint64_t deadline) override;
  void wakeup() override;

 private:
  static constexpr uint32_t kQuiet = 0;
  static constexpr uint32_t kWoken = 1;
  // A busy worker looks into the port this often.
  static constexpr uint64_t kPollMicros = 20;

  void submit_one(IoRequest* request);
  bool take_wake();
  // Takes what is in the port, for at most `millis`; whose ever it is.
  void take_completions(uint32_t millis);
  static void land(IoRequest* request, PortEngine* taker);
  void settle_pending();
  bool lead();
  void stop_leading();
  void follow(uint64_t deadline);

  std::atomic<uint32_t> word_{kQuiet};
  // Operations of ours that another engine has taken from the port: `pending_` is the owner's.
  std::atomic<uint32_t> landed_elsewhere_{0};
  uint64_t last_poll_ = 0;

  // In the list of followers; under its lock.
  PortEngine* next_follower_ = nullptr;
  bool following_ = false;
};

}  // namespace fiber::detail
