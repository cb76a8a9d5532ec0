// Runs plans: each in a fiber::Simulation of its own.

#ifndef CAIRN_SIM_RUN_H_
#define CAIRN_SIM_RUN_H_

#include <cstdint>
#include <functional>
#include <string>

#include "base/namespace.h"
#include "sim/history.h"
#include "sim/plan.h"

namespace cairn::sim {

struct Outcome {
  bool ok = false;
  std::string failure;      // what was violated, or how the simulation got stuck
  std::string last_events;  // of a failed one, a line each
  uint64_t hash = 0;        // of all that happened: equal for equal runs
  uint64_t steps = 0;
  uint64_t nanos = 0;  // virtual
  Counts counts;
};

Outcome RunPlan(const Plan& plan);

// Takes from a plan that fails what it can do without: lives at the end, clients, operations.
// `tell` hears of each step. At most `most_runs` runs.
Plan Reduce(const Plan& plan, int most_runs,
            const std::function<void(const Plan&, const Outcome&)>& tell);

}  // namespace cairn::sim

#endif  // CAIRN_SIM_RUN_H_
