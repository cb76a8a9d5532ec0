// The simulated worlds themselves: equal seeds are equal, seeds are well, and the ledger knows what
// fits. (cairn-sim plays many more.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "sim/ledger.h"
#include "sim/run.h"

namespace cairn::sim {
namespace {

std::vector<Effect> Put(const std::string& key, const std::string& value) { return {{key, value}}; }

TEST(LedgerTest, FindsHowManyWritesAreThere) {
  Ledger ledger;
  ledger.Begin(Put("a", "1"), 10);
  ledger.Acknowledge(20, /*synced=*/true);
  ledger.Begin(Put("b", "1"), 30);
  ledger.Acknowledge(40, /*synced=*/false);
  ledger.Begin({{"a", std::nullopt}}, 50);
  EXPECT_EQ(ledger.AllAcknowledged(), 2u);
  EXPECT_EQ(ledger.Durable(0), 1u);
  EXPECT_EQ(ledger.Durable(45), 2u);
  Ledger::Fit fit;
  std::string difference;
  ASSERT_TRUE(ledger.FitTo({{"a", "1"}}, 1, &fit, &difference));
  EXPECT_EQ(fit.least, 1u);
  EXPECT_EQ(fit.most, 1u);
  ASSERT_TRUE(ledger.FitTo({{"b", "1"}}, 1, &fit, &difference));
  EXPECT_EQ(fit.most, 3u);
  EXPECT_FALSE(ledger.FitTo({}, 1, &fit, &difference));
  EXPECT_NE(difference.find("a: expected \"1\""), std::string::npos) << difference;
  EXPECT_TRUE(ledger.FitTo({}, 0, &fit, &difference));
  EXPECT_FALSE(ledger.FitTo({{"a", "1"}, {"c", "1"}}, 0, &fit, &difference));
}

TEST(SimulatedWorldTest, EqualSeedsHaveEqualHistories) {
  for (const uint64_t seed : {3, 14}) {
    const Outcome first = RunPlan(Plan::FromSeed(seed));
    const Outcome second = RunPlan(Plan::FromSeed(seed));
    EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
    EXPECT_EQ(first.steps, second.steps);
    EXPECT_NE(first.hash, RunPlan(Plan::FromSeed(seed + 1)).hash);
  }
}

// A fixed number of seeds, so that the time does not depend on the machine.
TEST(SimulatedWorldTest, SeedsAreWell) {
  Counts counts;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Plan plan = Plan::FromSeed(seed);
    const Outcome outcome = RunPlan(plan);
    ASSERT_TRUE(outcome.ok) << plan.Describe() << outcome.failure << "\n" << outcome.last_events;
    counts.Add(outcome.counts);
  }
  EXPECT_GT(counts.power_cuts, 10u);
  EXPECT_GT(counts.clean_restarts, 10u);
  EXPECT_GT(counts.faults, 0u);
  EXPECT_GT(counts.repaired, 3u);
  EXPECT_GT(counts.reads, 1000u);
}

TEST(TransactionWorldTest, EqualSeedsHaveEqualHistories) {
  const Outcome first = RunPlan(Plan::TransactionsFromSeed(5));
  const Outcome second = RunPlan(Plan::TransactionsFromSeed(5));
  EXPECT_EQ(first.hash, second.hash);
  EXPECT_NE(first.hash, RunPlan(Plan::TransactionsFromSeed(6)).hash);
}

TEST(TransactionWorldTest, SeedsAreWell) {
  Counts counts;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const Plan plan = Plan::TransactionsFromSeed(seed);
    const Outcome outcome = RunPlan(plan);
    ASSERT_TRUE(outcome.ok) << plan.Describe() << outcome.failure << "\n" << outcome.last_events;
    counts.Add(outcome.counts);
  }
  EXPECT_GT(counts.power_cuts, 40u);
  EXPECT_GT(counts.clean_restarts, 20u);
  EXPECT_GT(counts.acknowledged, 1000u);
  EXPECT_GT(counts.reads, 1000u);
}

}  // namespace
}  // namespace cairn::sim
