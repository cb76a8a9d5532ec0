// A connection to the server, and the fiber's work on it: requests out, replies in, each timed.
//
// All members run on the fibers of one worker, which share its Worker without locks: nothing of it
// is used across a suspension.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kv_load/plan.h"
#include "kv_load/reply_parser.h"
#include "kv_load/tally.h"

namespace kv_load {

// What the connections of one worker share.
struct Worker {
  Worker(const Plan& plan, int number)
      : filling{db_bench::KeyBuffer(plan.key_size),
                Values(plan.compression_ratio, plan.value_size)},
        numbers(plan.seed * 1000 + static_cast<uint64_t>(number)) {}

  Filling filling;
  db_bench::Random numbers;
  std::unique_ptr<Tally> tally;  // of the phase
};

class Connection final : private ValueSink {
 public:
  // `number` counts the connections of all workers. All are borrowed.
  Connection(const Plan* plan, KeySpace* space, Worker* worker, int number);

  // SUSPENDS. 0, or -errno; *error says what a server that answered has against it.
  int Open(std::string* error);
  // SUSPENDS, briefly.
  void Close();
  // SUSPENDS, until its share of the phase is done or the server cannot be reached any more.
  void Run(Phase* phase);
  // Breaks the connection if a reply is overdue.
  void CheckPatience(uint64_t now);

 private:
  struct Pending {
    uint64_t at;  // when it was sent, or to be sent: a now_nanos() value
    int kind;
  };

  void RunClosed(Phase* phase);
  void RunOpen(Phase* phase);
  // Sends `n` requests and waits for their replies; false: the connection is lost.
  bool Exchange(uint64_t first, uint64_t n);
  // When its `index`-th request is due; UINT64_MAX: there is none.
  uint64_t Due(const Phase& phase, uint64_t index) const;
  // Gives up the requests of the schedule from the `next`-th on; returns the one behind the last.
  uint64_t CountUnsent(const Phase& phase, uint64_t next);

  // Encodes a request, the `i`-th of its phase if that has numbers; `at` as in Pending, not after
  // now_. False: the connection is lost.
  bool Queue(uint64_t i, uint64_t at);
  bool Flush();
  // Waits for replies; false: the connection is lost. Nothing may have come at the deadline.
  bool Receive(uint64_t deadline);
  bool Received(ssize_t n);
  void TakeReply(const Pending& request);
  // Counts what went with the connection. Returns false, for its callers to return.
  bool Lose(std::string_view why);
  bool Reconnect(const Phase& phase);
  const Command& CommandOf(int kind) const;

  void OnPiece(uint64_t element, uint64_t offset, std::string_view piece) override;
  void OnEnd(uint64_t element, uint64_t size) override;
  void OnNull(uint64_t element) override;

  Tally& tally() { return *worker_->tally; }

  const Plan* const plan_;
  KeySpace* const space_;
  Worker* const worker_;
  const int number_;
  const size_t keys_each_;  // key numbers remembered of each request

  int fd_ = -1;
  bool loading_ = false;
  bool timed_out_ = false;
  uint64_t now_ = 0;            // the last reading of the clock
  uint64_t waiting_since_ = 0;  // a now_nanos() value; 0: no reply is awaited
  ReplyParser parser_;
  std::vector<char> in_;
  std::vector<char> out_;
  size_t out_used_ = 0;

  // The requests without a reply, oldest first, in a ring.
  std::vector<Pending> pending_;
  std::vector<uint64_t> pending_keys_;  // keys_each_ of each
  size_t head_ = 0;
  size_t awaited_ = 0;

  // Of the reply that is being read.
  uint64_t checked_ = 0;
  bool wrong_ = false;
};

}  // namespace kv_load
