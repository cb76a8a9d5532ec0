// The modes that the suites of net.h and gather() run in: on plain threads, or on fibers with the
// completion port, one worker and several. (posix/engine_modes.h is the other one.)
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "fiber/runtime.h"

namespace fiber::testing {

struct EngineMode {
  const char* name;
  // Else on plain threads, and there is no runtime.
  bool fibers;
  int workers;

  static const std::vector<EngineMode>& all() {
    static const std::vector<EngineMode> modes = {
        {"Thread", false, 0}, {"Port", true, 1}, {"PortThreeWorkers", true, 3}};
    return modes;
  }
  static std::string name_of(const ::testing::TestParamInfo<EngineMode>& info) {
    return info.param.name;
  }
  // Null where the mode is of threads.
  std::unique_ptr<Runtime> make_runtime() const {
    return fibers ? std::make_unique<Runtime>(RuntimeOptions{.workers = workers}) : nullptr;
  }
};

inline void PrintTo(const EngineMode& mode, std::ostream* out) { *out << mode.name; }

}  // namespace fiber::testing

#define FIBER_SKIP_WHERE_REFUSED(mode) ((void)(mode))
