// What the model tests share: their settings from the environment, and workers on OS threads or on
// fibers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/thread.h"

namespace cairn_test {

inline uint64_t NumberFromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Runs run(0) to run(workers - 1) at once, each on a thread of its own.
template <typename Run>
void RunOnThreads(int workers, const Run& run) {
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int i = 0; i < workers; ++i) {
    threads.push_back(std::make_unique<fiber::Thread>("model", [&run, i] { run(i); }));
  }
  for (auto& thread : threads) thread->join();
}

// The same, each on a fiber of a runtime with two threads.
template <typename Run>
void RunOnFibers(int workers, const Run& run) {
  fiber::RuntimeOptions options;
  options.workers = 2;
  options.stack_size = 256 << 10;
  options.name = "model";
  fiber::Runtime runtime(options);
  std::vector<fiber::JoinHandle> fibers;
  for (int i = 0; i < workers; ++i) fibers.push_back(runtime.spawn([&run, i] { run(i); }));
  for (auto& f : fibers) f.join();
}

}  // namespace cairn_test
