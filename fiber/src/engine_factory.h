// What engine_factory.cc offers beside create_io_engine() (io_engine.h).
#pragma once

#include <memory>

#include "io_engine.h"

namespace fiber::detail {

// For tests: if not null, create_io_engine(Engine::kIoUring) returns what this returns. Set while
// no runtime starts.
extern std::unique_ptr<IoEngine> (*uring_engine_for_tests)();

}  // namespace fiber::detail
