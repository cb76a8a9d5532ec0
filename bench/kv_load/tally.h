// What a worker's connections counted in one phase. Written by that worker alone; the progress line
// reads it meanwhile, so the numbers are atomic, without order between them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "kv_load/plan.h"
#include "support/latency.h"

namespace kv_load {

class Count {
 public:
  void Add(uint64_t n) { value_.store(value() + n, std::memory_order_relaxed); }
  void Raise(uint64_t n) { value_.store(std::max(value(), n), std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Of one kind of request: those that were answered, and not by an error. (Also those of a schedule
// that were not sent in time, whose latency is what they had waited: they are no replies.)
struct KindTally {
  bench::FineLatency latency;
  Count replies;
  Count nanos;  // sum of the latencies
  Count max_nanos;

  void AddLatency(uint64_t nanoseconds) {
    latency.Add(nanoseconds);
    nanos.Add(nanoseconds);
    max_nanos.Raise(nanoseconds);
  }
  void Merge(const KindTally& other) {
    latency.Merge(other.latency);
    replies.Add(other.replies.value());
    nanos.Add(other.nanos.value());
    max_nanos.Raise(other.max_nanos.value());
  }
};

struct Tally {
  KindTally kinds[Plan::kKinds];
  Count errors;       // replies that are or contain an error
  Count not_found;    // nulls
  Count wrong;        // replies with a value that is not the key's
  Count disconnects;  // connections that the server closed or broke
  Count timeouts;     // connections given up since no reply came
  Count lost;         // requests whose reply went with their connection
  Count unsent;       // requests of the schedule that were not sent before its end
  Count abandoned;    // connections that could not be made again
  Count bytes_out;
  Count bytes_in;
  Count last_reply;  // a now_nanos() value
  bench::FineLatency
      late;  // how long after its time a request was sent that had to wait for nothing
  std::string first_error;  // of an error or a disconnect; not for the progress line

  void Merge(const Tally& other) {
    for (int i = 0; i < Plan::kKinds; ++i) kinds[i].Merge(other.kinds[i]);
    const std::pair<Count*, const Count*> sums[] = {
        {&errors, &other.errors},       {&not_found, &other.not_found},
        {&wrong, &other.wrong},         {&disconnects, &other.disconnects},
        {&timeouts, &other.timeouts},   {&lost, &other.lost},
        {&unsent, &other.unsent},       {&abandoned, &other.abandoned},
        {&bytes_out, &other.bytes_out}, {&bytes_in, &other.bytes_in},
    };
    for (const auto& [sum, part] : sums) sum->Add(part->value());
    last_reply.Raise(other.last_reply.value());
    late.Merge(other.late);
  }
  uint64_t replies() const {
    uint64_t sum = 0;
    for (const KindTally& kind : kinds) sum += kind.replies.value();
    return sum;
  }
  // Whether all was as it should be.
  bool clean() const {
    return errors.value() + wrong.value() + disconnects.value() + timeouts.value() + lost.value() +
               unsent.value() + abandoned.value() ==
           0;
  }
};

}  // namespace kv_load
