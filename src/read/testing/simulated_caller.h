// Tests of readers that wait: in virtual time, on a simulated thread or on a fiber.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "fiber/runtime.h"
#include "fiber/simulation.h"

namespace cairn {

// The parameter: on a fiber.
class SimulatedCallerTest : public ::testing::TestWithParam<bool> {
 protected:
  // `body` with each of the seeds 1 to `seeds`.
  static void Simulate(uint64_t seeds, const std::function<void()>& body) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      SCOPED_TRACE(seed);
      const fiber::SimulationResult result = fiber::Simulation(seed).run([&] {
        if (!GetParam()) return body();
        fiber::Runtime runtime;
        runtime.run(body);
      });
      ASSERT_TRUE(result.ok()) << result.report;
    }
  }
};

inline std::string CallerName(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Fiber" : "Thread";
}

}  // namespace cairn
