// What is to be done: made from the command line, then constant. And one phase of doing it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "fiber/net.h"
#include "kv_load/command.h"
#include "kv_load/keys.h"

namespace kv_load {

struct Plan {
  fiber::net::Address server;
  std::string server_name;  // for people
  int resp = 2;             // version of the protocol
  int connections = 50;
  int threads = 1;
  int pipeline = 1;  // requests without a reply, at most, of each connection
  std::vector<int> cpus;
  uint64_t seed = 1;

  uint64_t keys = 1000000;
  size_t key_size = 16;     // bytes
  size_t value_size = 100;  // bytes
  double compression_ratio = 0.5;
  std::string distribution_name;
  Distribution distribution = Distribution::kUniform;
  double zipf_theta = 0.99;

  std::string command_name;
  static constexpr int kKinds = 2;
  Command commands[kKinds];                             // the second one: of a mix only
  const char* kind_names[kKinds] = {nullptr, nullptr};  // of a mix
  uint64_t first_below = UINT64_MAX;                    // random numbers that choose the first
  bool mixed() const { return kind_names[0] != nullptr; }
  Command load_command;

  bool load = false;
  bool verify = false;
  uint64_t duration_nanos = 0;
  uint64_t warmup_nanos = 0;
  uint64_t requests = 0;  // 0: by duration
  double rate = 0;        // requests per second of all connections together; 0: closed loop
  uint64_t timeout_nanos = 0;
  int pid = 0;  // 0: the server's usage is not told
  std::string json;
  bool progress = true;

  // The pipeline's depth while keys are loaded.
  static constexpr int kLoadPipeline = 32;
  int deepest() const { return load ? std::max(pipeline, kLoadPipeline) : pipeline; }
  size_t largest_request() const {
    return std::max({commands[0].size(), commands[1].size(), load ? load_command.size() : 0});
  }
};

struct Phase {
  enum class Kind { kLoad, kWarmUp, kMeasure };

  Kind kind = Kind::kMeasure;
  uint64_t start = 0;           // a now_nanos() value
  uint64_t end = UINT64_MAX;    // no request is due from then on; given to Load::Run from the start
  uint64_t total = UINT64_MAX;  // requests
  double period_nanos = 0;      // between two requests of the schedule; 0: closed loop

  bool limited() const { return total != UINT64_MAX; }
  // Takes up to `n` of the requests that are left; *first is the number of the first of them.
  uint64_t Claim(uint64_t n, uint64_t* first) {
    if (!limited()) return n;
    *first = claimed_.fetch_add(n, std::memory_order_relaxed);
    return *first >= total ? 0 : std::min(n, total - *first);
  }

 private:
  // Relaxed: the number orders nothing else.
  std::atomic<uint64_t> claimed_{0};
};

}  // namespace kv_load
