// What the files of the commit queue share: the states of a writer, and the group that it is served
// with. Nobody else's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "commit/commit_queue.h"

namespace cairn {

// States of a writer. The owner goes from waiting to parked; its signaller sets one of the others.
enum WriterState : uint32_t {
  kWaiting = 0,
  kParked = 1,  // sleeps, or is about to: must be woken
  kLead = 2,    // be the leader (or, for a leader: all have inserted)
  kInsert = 3,  // insert your own batch, then wait again; unordered: then return
  kDone = 4,    // status and sequence are set
};

// The writers that are served at once: [leader .. last] in the known queue. Lives on the executor's
// stack.
struct CommitQueue::Group {
  Writer* leader = nullptr;
  Writer* executor = nullptr;  // the leader, or who leads in its stead: not of this group then
  Writer* last = nullptr;
  size_t writers = 1;
  size_t bytes = 0;
  uint64_t count = 0;            // sequence numbers
  uint64_t count_elsewhere = 0;  // of these, of followers on other threads
  SequenceNumber first = 0;
  uint64_t log_nanos = 0;  // pipelined: what its record took
  bool has_steps = false;  // of two-phase commits
  bool has_checksums = false;
  MemTableSink* sink = nullptr;
  std::atomic<size_t> inserting{0};  // writers that have not finished their parallel insertion

  template <class F>
  void ForEach(F&& f) const {
    for (Writer* w = leader;; w = w->newer) {
      f(w);
      if (w == last) break;
    }
  }
};

}  // namespace cairn
