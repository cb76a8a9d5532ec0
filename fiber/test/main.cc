// Runs the tests; with FIBER_SIMULATE=<seed> within one simulation of that seed, so that the same
// test bodies are seen by every order of events that a seed can make. FIBER_SIMULATE_TRACE=<file>
// writes what happened there.
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "fiber/simulation.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const char* const seed = std::getenv("FIBER_SIMULATE");
  if (seed == nullptr || ::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  char* end = nullptr;
  fiber::SimulationOptions options;
  options.seed = std::strtoull(seed, &end, 0);
  if (*seed == '\0' || *end != '\0') {
    std::fprintf(stderr, "FIBER_SIMULATE=%s is not a number\n", seed);
    return 2;
  }
  // The tests say what happens when nothing goes wrong for no reason.
  options.spurious_one_in = 0;
  const char* const trace = std::getenv("FIBER_SIMULATE_TRACE");
  options.trace = trace != nullptr;
  int failed = 1;
  const fiber::SimulationResult result =
      fiber::Simulation(options).run([&failed] { failed = RUN_ALL_TESTS(); });
  std::printf("simulation: seed %" PRIu64 ", hash %016" PRIx64 ", %" PRIu64 " steps, %.6f s\n",
              result.seed, result.hash, result.steps, static_cast<double>(result.nanos) / 1e9);
  if (!result.ok()) std::fputs(result.report.c_str(), stderr);
  if (trace != nullptr) {
    if (std::FILE* file = std::fopen(trace, "w")) {
      std::fputs(result.trace.c_str(), file);
      std::fclose(file);
    }
  }
  return result.ok() ? failed : 1;
}
