// The load: connections on the fibers of a few workers, and the phases that they go through
// together. Called by the main thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "kv_load/connection.h"
#include "kv_load/plan.h"

namespace kv_load {

// What a phase came to.
struct PhaseResult {
  double seconds = 0;
  double cpu_seconds = 0;  // of this process
  Tally tally;
  std::vector<uint64_t> per_second;  // replies
};

class Load {
 public:
  // `plan` is borrowed.
  explicit Load(const Plan* plan);
  ~Load();

  // Starts the workers and makes all connections. False: *error says what to do.
  bool Connect(std::string* error);
  void Run(Phase* phase, PhaseResult* result);

 private:
  // Starts `work` with the index of each connection, on that one's worker.
  std::vector<fiber::JoinHandle> Spawn(const std::function<void(int index)>& work, int fibers);
  // Until all have ended: counts the replies of each second, and tells of them.
  void Watch(const Phase& phase, fiber::Latch* running, PhaseResult* result);
  std::string Explain(int status, const std::string& answer) const;

  const Plan* const plan_;
  KeySpace space_;
  std::unique_ptr<fiber::Runtime> runtime_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace kv_load
