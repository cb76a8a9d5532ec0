// cairn-sim: plays databases in simulated worlds, one for each seed, and says which seeds fail.
#include <gflags/gflags.h>

#include <cinttypes>
#include <cstdio>
#include <string>

#include "fiber/clock.h"
#include "fiber/random.h"
#include "rocksdb/env.h"
#include "sim/run.h"

DEFINE_uint64(seed, 0, "play this seed alone, and tell what it does; 0: many");
DEFINE_string(reduction, "", "with --seed: what to leave out, a file that --save_reduction wrote");
DEFINE_string(save_reduction, "", "where what is left of a reduced plan goes");
DEFINE_int32(repeat, 1, "with --seed: play it so often, and compare the histories");
DEFINE_bool(events, false, "with --seed: print all events");
DEFINE_uint64(first, 0, "the first of many seeds; 0: at random");
DEFINE_uint64(seeds, 0, "how many; 0: as many as fit into --seconds");
DEFINE_double(seconds, 60, "for how long, of real time");
DEFINE_bool(reduce, true, "make the plan of a seed that fails smaller, as far as it still fails");
DEFINE_int32(reduce_runs, 300, "at most so many tries for that");
DEFINE_bool(progress, true, "a line now and then");
DEFINE_bool(transactions, false, "worlds of transactions, instead of the usual ones");
DEFINE_bool(timestamps, false, "worlds of user-defined timestamps, instead of the usual ones");
DEFINE_bool(memory_timestamps, false, "worlds of timestamps that tables do not keep");
DEFINE_bool(tell_seeds, false,
            "each seed before it is played, to the standard error: if one crashes");

namespace cairn::sim {
namespace {

void PrintCounts(const Counts& c, uint64_t nanos, double seconds) {
  std::printf(
      "%" PRIu64 " operations (%" PRIu64 " writes acknowledged, %" PRIu64
      " answers compared, %" PRIu64 " flushes and %" PRIu64 " compactions asked for), %" PRIu64
      " power cuts, %" PRIu64 " clean restarts, %" PRIu64 " failures of the disk, %" PRIu64
      " flipped bits, %" PRIu64 " repairs; %.0f virtual seconds in %.1f real ones\n",
      c.operations, c.acknowledged, c.reads, c.flushes, c.compactions, c.power_cuts,
      c.clean_restarts, c.faults, c.damaged, c.repaired, static_cast<double>(nanos) / 1e9, seconds);
}

Plan PlanOf(uint64_t seed) {
  return FLAGS_timestamps          ? Plan::TimestampsFromSeed(seed)
         : FLAGS_memory_timestamps ? Plan::MemoryTimestampsFromSeed(seed)
         : FLAGS_transactions      ? Plan::TransactionsFromSeed(seed)
                                   : Plan::FromSeed(seed);
}

const char* FlagOfKind() {
  return FLAGS_timestamps          ? " --timestamps"
         : FLAGS_memory_timestamps ? " --memory_timestamps"
         : FLAGS_transactions      ? " --transactions"
                                   : "";
}

double Seconds(uint64_t since) { return static_cast<double>(fiber::now_nanos() - since) / 1e9; }

void PrintFailure(const Plan& plan, const Outcome& outcome) {
  std::printf("FAILED: %s\n\nThe last events:\n%s\nTo play it again: cairn-sim%s --seed=%" PRIu64
              "\n",
              outcome.failure.c_str(), outcome.last_events.c_str(), FlagOfKind(), plan.seed);
}

// The smallest plan that still fails.
void ShowReduced(const Plan& plan) {
  std::printf("\nMaking it smaller ...\n");
  Outcome last;
  const Plan small =
      Reduce(plan, FLAGS_reduce_runs, [&last](const Plan& candidate, const Outcome& outcome) {
        last = outcome;
        if (FLAGS_progress) {
          std::printf("  fails with %zu clients, %zu lives, %" PRIu64 " operations\n",
                      candidate.clients.size(), candidate.lives.size(), candidate.operations);
        }
      });
  if (last.failure.empty()) return;
  if (!FLAGS_save_reduction.empty()) {
    const rocksdb::Status saved = rocksdb::WriteStringToFile(
        rocksdb::Env::Default(), small.Reduction(), FLAGS_save_reduction);
    if (!saved.ok()) std::fprintf(stderr, "cairn-sim: %s\n", saved.ToString().c_str());
    std::printf("\nTo play it: cairn-sim%s --seed=%" PRIu64 " --reduction=%s\n", FlagOfKind(),
                small.seed, FLAGS_save_reduction.c_str());
  }
  std::printf("\nThe smallest that was found:\n%s%zu operations are left out.\n\n%s\n\n%s",
              small.Describe().c_str(), small.skipped.size(), last.failure.c_str(),
              last.last_events.c_str());
}

int PlayOne(uint64_t seed) {
  Plan plan = PlanOf(seed);
  if (!FLAGS_reduction.empty()) {
    std::string text;
    const rocksdb::Status s =
        rocksdb::ReadFileToString(rocksdb::Env::Default(), FLAGS_reduction, &text);
    if (!s.ok() || !plan.ApplyReduction(text)) {
      std::fprintf(stderr, "cairn-sim: %s: %s\n", FLAGS_reduction.c_str(),
                   s.ok() ? "no reduction of this seed" : s.ToString().c_str());
      return 2;
    }
  }
  plan.print_events = FLAGS_events;
  std::printf("%s\n", plan.Describe().c_str());
  const uint64_t start = fiber::now_nanos();
  const Outcome outcome = RunPlan(plan);
  for (int i = 1; i < FLAGS_repeat; ++i) {
    const uint64_t hash = RunPlan(plan).hash;
    if (hash == outcome.hash) continue;
    std::printf("FAILED: history %016" PRIx64 " at first, %016" PRIx64 " at run %d\n", outcome.hash,
                hash, i + 1);
    return 1;
  }
  PrintCounts(outcome.counts, outcome.nanos, Seconds(start));
  std::printf("history %016" PRIx64 ", %" PRIu64 " steps\n", outcome.hash, outcome.steps);
  if (outcome.ok) return 0;
  PrintFailure(plan, outcome);
  if (FLAGS_reduce) ShowReduced(plan);
  return 1;
}

int PlayMany() {
  uint64_t seed = FLAGS_first != 0 ? FLAGS_first : fiber::random_u64() % 1'000'000'000 + 1;
  std::printf("seeds from %" PRIu64 "\n", seed);
  const uint64_t start = fiber::now_nanos();
  uint64_t told = start;
  Counts counts;
  uint64_t nanos = 0, played = 0;
  for (;; ++seed) {
    if (FLAGS_seeds != 0 ? played == FLAGS_seeds : Seconds(start) >= FLAGS_seconds) break;
    if (FLAGS_tell_seeds) std::fprintf(stderr, "playing %" PRIu64 "\n", seed);
    const Plan plan = PlanOf(seed);
    const Outcome outcome = RunPlan(plan);
    ++played;
    counts.Add(outcome.counts);
    nanos += outcome.nanos;
    if (!outcome.ok) {
      std::printf("seed %" PRIu64 ", after %" PRIu64 " that were well\n%s", seed, played - 1,
                  plan.Describe().c_str());
      PrintFailure(plan, outcome);
      if (FLAGS_reduce) ShowReduced(plan);
      return 1;
    }
    if (FLAGS_progress && Seconds(told) >= 10) {
      told = fiber::now_nanos();
      std::printf("%" PRIu64 " seeds: ", played);
      PrintCounts(counts, nanos, Seconds(start));
      std::fflush(stdout);
    }
  }
  std::printf("%" PRIu64 " seeds, no violation: ", played);
  PrintCounts(counts, nanos, Seconds(start));
  return 0;
}

}  // namespace
}  // namespace cairn::sim

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "[flags]\nPlays databases in simulated worlds: clients, power cuts, failing disks, all from "
      "a seed. Exit status: 0 if all seeds are well, 1 if one fails.");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  return FLAGS_seed != 0 ? cairn::sim::PlayOne(FLAGS_seed) : cairn::sim::PlayMany();
}
