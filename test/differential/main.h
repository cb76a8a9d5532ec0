// What main.cc needs of the library that it is compiled against.
#pragma once

#include <functional>

namespace differential {

// Runs it on the calling thread, or, where the library has fibers, on one.
int Run(bool on_a_fiber, const std::function<int()>& function);

// Whether ReadOptions::async_io may be asked for: 7.8.3 has an assertion that fails there.
bool ReadsAsynchronously();

}  // namespace differential
