#include "commit/insertion_choice.h"

#include <gtest/gtest.h>

#include "base/namespace.h"

namespace cairn {
namespace {

// Runs `groups` groups of `entries`, which take `serial` or `parallel` nanoseconds; returns how
// many were inserted in parallel.
int RunGroups(InsertionChoice* choice, int groups, uint64_t entries, uint64_t serial,
              uint64_t parallel) {
  int in_parallel = 0;
  for (int i = 0; i < groups; ++i) {
    const bool p = choice->Parallel(entries);
    in_parallel += p ? 1 : 0;
    choice->Record(p, entries, p ? parallel : serial);
  }
  return in_parallel;
}

TEST(InsertionChoiceTest, TakesTheFasterWay) {
  InsertionChoice choice;
  EXPECT_GE(RunGroups(&choice, 1000, 100, 100'000, 40'000), 970);
  InsertionChoice other;
  EXPECT_LE(RunGroups(&other, 1000, 100, 50'000, 100'000), 30);
}

TEST(InsertionChoiceTest, ASmallGainIsNotWorthTheProcessorTime) {
  InsertionChoice choice;
  EXPECT_LE(RunGroups(&choice, 1000, 100, 100'000, 75'000), 30);
}

TEST(InsertionChoiceTest, SizesAreJudgedApart) {
  InsertionChoice choice;
  for (int round = 0; round < 100; ++round) {
    RunGroups(&choice, 10, 80, 50'000, 100'000);
    RunGroups(&choice, 10, 4000, 3'000'000, 1'300'000);
  }
  EXPECT_LE(RunGroups(&choice, 100, 80, 50'000, 100'000), 3);
  EXPECT_GE(RunGroups(&choice, 100, 4000, 3'000'000, 1'300'000), 97);
}

TEST(InsertionChoiceTest, NoticesWhenTheOtherWayHasBecomeFaster) {
  InsertionChoice choice;
  RunGroups(&choice, 1000, 100, 50'000, 100'000);
  RunGroups(&choice, 2000, 100, 100'000, 40'000);
  EXPECT_GE(RunGroups(&choice, 1000, 100, 100'000, 40'000), 970);
}

TEST(InsertionChoiceTest, OnePreemptionDecidesNothing) {
  InsertionChoice choice;
  RunGroups(&choice, 100, 100, 100'000, 40'000);
  choice.Record(true, 100, 50'000'000);
  EXPECT_TRUE(choice.Parallel(100));
}

}  // namespace
}  // namespace cairn
