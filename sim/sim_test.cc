// The simulated worlds themselves: equal seeds are equal, seeds are well, and the ledger knows what
// fits. (cairn-sim plays many more.)
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "sim/ledger.h"
#include "sim/run.h"
#include "sim/timestamp_model.h"

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

using FromSeed = Plan (*)(uint64_t);

void ExpectEqualHistories(FromSeed plan_of, uint64_t seed) {
  const Outcome first = RunPlan(plan_of(seed));
  const Outcome second = RunPlan(plan_of(seed));
  EXPECT_EQ(first.hash, second.hash) << "seed " << seed;
  EXPECT_EQ(first.steps, second.steps);
  EXPECT_NE(first.hash, RunPlan(plan_of(seed + 1)).hash);
}

// A fixed number of seeds, so that the time does not depend on the machine.
void PlaySeeds(FromSeed plan_of, uint64_t last, Counts* counts) {
  for (uint64_t seed = 1; seed <= last; ++seed) {
    const Plan plan = plan_of(seed);
    const Outcome outcome = RunPlan(plan);
    ASSERT_TRUE(outcome.ok) << plan.Describe() << outcome.failure << "\n" << outcome.last_events;
    counts->Add(outcome.counts);
  }
}

TEST(SimulatedWorldTest, EqualSeedsHaveEqualHistories) {
  for (const uint64_t seed : {3, 14}) ExpectEqualHistories(&Plan::FromSeed, seed);
}

TEST(SimulatedWorldTest, SeedsAreWell) {
  Counts counts;
  ASSERT_NO_FATAL_FAILURE(PlaySeeds(&Plan::FromSeed, 20, &counts));
  EXPECT_GT(counts.power_cuts, 10u);
  EXPECT_GT(counts.clean_restarts, 10u);
  EXPECT_GT(counts.faults, 0u);
  EXPECT_GT(counts.repaired, 3u);
  EXPECT_GT(counts.reads, 1000u);
}

TEST(TransactionWorldTest, EqualSeedsHaveEqualHistories) {
  ExpectEqualHistories(&Plan::TransactionsFromSeed, 5);
}

TEST(TransactionWorldTest, SeedsAreWell) {
  Counts counts;
  ASSERT_NO_FATAL_FAILURE(PlaySeeds(&Plan::TransactionsFromSeed, 40, &counts));
  EXPECT_GT(counts.power_cuts, 40u);
  EXPECT_GT(counts.clean_restarts, 20u);
  EXPECT_GT(counts.acknowledged, 1000u);
  EXPECT_GT(counts.reads, 1000u);
}

TEST(TimestampWorldTest, EqualSeedsHaveEqualHistories) {
  ExpectEqualHistories(&Plan::TimestampsFromSeed, 5);
}

void ExpectTimestampSeedsAreWell(FromSeed plan_of) {
  Counts counts;
  ASSERT_NO_FATAL_FAILURE(PlaySeeds(plan_of, 12, &counts));
  EXPECT_GT(counts.power_cuts, 20u);
  EXPECT_GT(counts.clean_restarts, 10u);
  EXPECT_GT(counts.compactions, 100u);
  EXPECT_GT(counts.reads, 1000u);
}

TEST(TimestampWorldTest, SeedsAreWell) { ExpectTimestampSeedsAreWell(&Plan::TimestampsFromSeed); }

TEST(TimestampWorldTest, SeedsOfTablesWithoutThemAreWell) {
  ExpectTimestampSeedsAreWell(&Plan::MemoryTimestampsFromSeed);
}

TEST(TimestampModelTest, KnowsWhatWasThereAtAnyMoment) {
  TimestampModel model;
  model.Add(0, {"a", "1", false, 5});
  model.Add(1, {"a", "2", false, 7});
  model.Add(2, {"a", std::nullopt, false, 9});
  model.Add(3, {"b", "3", false, 9});
  model.Add(4, {"b", std::nullopt, true, 11});
  EXPECT_TRUE(model.At(4, 9).empty());
  EXPECT_EQ((TimestampModel::State{{"a", {"1", 5}}}), model.At(6, 9));
  EXPECT_EQ((TimestampModel::State{{"a", {"2", 7}}}), model.At(8, 9));
  EXPECT_EQ((TimestampModel::State{{"b", {"3", 9}}}), model.At(9, 9));
  EXPECT_EQ((TimestampModel::State{{"a", {"2", 7}}}), model.At(20, 2));  // of the first two writes
  EXPECT_TRUE(model.At(20, 9).empty());
  EXPECT_EQ((TimestampModel::Versions{{{"a", 9}, std::nullopt}, {{"a", 7}, "2"}, {{"b", 9}, "3"}}),
            model.VersionsAt(6, 10, 9));
  // What a range deletion hides is no longer shown.
  EXPECT_EQ((TimestampModel::Versions{{{"a", 9}, std::nullopt}, {{"a", 7}, "2"}}),
            model.VersionsAt(6, 11, 9));
  model.Restart(4, 8);
  EXPECT_EQ((TimestampModel::State{{"a", {"2", 7}}}), model.At(8, 9));
  EXPECT_EQ((TimestampModel::State{{"b", {"3", 9}}}), model.At(20, 9));
}

}  // namespace
}  // namespace cairn::sim
