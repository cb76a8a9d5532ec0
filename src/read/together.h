// Several pieces of work whose reads wait at the same time, on fibers of the caller's own thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/namespace.h"
#include "base/perf.h"
#include "fiber/guest.h"

namespace cairn {

// SUSPENDS. Calls work(0) to work(n - 1), each on a fiber of its own (the last of very many wait
// for the first); returns when all have ended. They take turns: what they share needs no lock. What
// they count, they count for the caller.
template <class Work>
void ForEachTogether(size_t n, const Work& work) {
  constexpr size_t kMaxAtOnce = 256;  // stacks, and mostly reads
  size_t next = 0;
  const Perf caller;
  const auto run = [&] {
    const PerfScope scope(caller);
    while (next < n) work(next++);
  };
  std::vector<fiber::Function> together(std::min(n, kMaxAtOnce));
  for (fiber::Function& function : together) function = [&run] { run(); };
  if (!together.empty()) fiber::gather(together);
}

}  // namespace cairn
