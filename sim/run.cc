#include "sim/run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fiber/simulation.h"
#include "rocksdb/utilities/object_registry.h"
#include "sim/timestamp_world.h"
#include "sim/transaction_world.h"
#include "sim/world.h"

namespace cairn::sim {

namespace {

// A virtual day; a plan takes minutes.
constexpr uint64_t kMostNanos = uint64_t{86'400} * 1'000'000'000;
constexpr uint64_t kMostSteps = 200'000'000;

}  // namespace

Outcome RunPlan(const Plan& plan) {
  fiber::SimulationOptions options;
  options.seed = plan.seed;
  options.max_nanos = kMostNanos;
  options.max_steps = kMostSteps;
  options.stall_one_in = plan.stall_one_in;
  options.interleave_stall_one_in = plan.long_stall_one_in;
  options.interleave_stall_max_nanos = plan.long_stall_nanos;
  options.interleave_stall_place_one_in = plan.long_stall_place_one_in;
  // What is made once for the process takes a lock the first time: not within a simulation.
  (void)rocksdb::ObjectRegistry::Default();
  // On the heap: a simulation that gets stuck leaves its threads, which know it, for ever.
  auto history = std::make_unique<History>();
  History* const noted = history.get();
  noted->print = plan.print_events;
  fiber::Simulation simulation(options);
  const fiber::SimulationResult result = simulation.run([&plan, noted] {
    if (plan.kind == Plan::Kind::kTransactions) {
      TransactionWorld(plan, noted).Play();
    } else if (plan.kind == Plan::Kind::kTimestamps) {
      TimestampWorld(plan, noted).Play();
    } else {
      World(plan, noted).Play();
    }
  });
  Outcome outcome;
  outcome.ok = result.ok() && !history->violated();
  outcome.hash = result.hash ^ (history->hash() << 1);
  outcome.steps = result.steps;
  outcome.nanos = result.nanos;
  outcome.counts = history->counts;
  if (!outcome.ok) {
    outcome.failure = history->violated() ? history->violation() : result.report;
    outcome.last_events = history->LastEvents();
  }
  if (!result.ok()) (void)history.release();
  return outcome;
}

Plan Reduce(const Plan& plan, int most_runs,
            const std::function<void(const Plan&, const Outcome&)>& tell) {
  Plan best = plan;
  int runs = 0;
  const auto fails = [&](const Plan& candidate) {
    if (runs >= most_runs) return false;
    ++runs;
    const Outcome outcome = RunPlan(candidate);
    if (outcome.ok) return false;
    best = candidate;
    tell(candidate, outcome);
    return true;
  };
  for (bool smaller = true; smaller && runs < most_runs;) {
    smaller = false;
    while (best.lives.size() > 1) {
      Plan candidate = best;
      candidate.lives.pop_back();
      if (!fails(candidate)) break;
      smaller = true;
    }
    for (size_t i = best.clients.size(); i-- > 0 && best.clients.size() > 1;) {
      Plan candidate = best;
      candidate.clients.erase(candidate.clients.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = fails(candidate) || smaller;
    }
    while (best.operations > 1) {
      Plan candidate = best;
      candidate.operations = std::max<uint64_t>(1, candidate.operations * 2 / 3);
      if (!fails(candidate)) break;
      smaller = true;
    }
    // Single operations, in pieces that get smaller.
    const uint64_t all = best.operations * best.lives.size();
    for (uint64_t piece = std::max<uint64_t>(1, all / 4); piece != 0 && runs < most_runs;
         piece /= 2) {
      for (size_t client = 0; client < best.clients.size(); ++client) {
        for (uint64_t from = 0; from < all && runs < most_runs; from += piece) {
          Plan candidate = best;
          bool more = false;
          for (uint64_t i = from; i < from + piece; ++i) {
            more = candidate.skipped.emplace(static_cast<int>(client), i).second || more;
          }
          if (more) smaller = fails(candidate) || smaller;
        }
      }
      if (all > 400 && piece < all / 32) break;
    }
  }
  return best;
}

}  // namespace cairn::sim
