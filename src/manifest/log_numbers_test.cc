#include "manifest/log_numbers.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace cairn {
namespace {

TEST(LogNumbersTest, AnIdleFamilyGoesOnWithTheFloor) {
  LogNumbers numbers;
  EXPECT_EQ(numbers.Least(), UINT64_MAX);
  const LogNumbers::Share busy{10, false}, idle{5, true}, newer{20, true};
  numbers.Add(busy);
  numbers.Add(idle);
  numbers.Add(newer);
  EXPECT_EQ(numbers.Least(), 5u);
  numbers.RaiseFloor(8);
  EXPECT_EQ(numbers.Least(), 8u);
  EXPECT_EQ(numbers.NumberOf(idle), 8u);
  EXPECT_EQ(numbers.NumberOf(newer), 20u);
  EXPECT_EQ(numbers.NumberOf(busy), 10u);
  numbers.RaiseFloor(15);
  numbers.RaiseFloor(3);  // forward only
  EXPECT_EQ(numbers.Least(), 10u);
  LogNumbers::Some some;
  some.Add(busy);
  EXPECT_EQ(numbers.LeastWithout(some), 15u);
  some.Add(idle);
  EXPECT_EQ(numbers.LeastWithout(some), 20u);
  some.Add(newer);
  EXPECT_EQ(numbers.LeastWithout(some), UINT64_MAX);
}

// As a plain list of families says it.
TEST(LogNumbersTest, AgreesWithALoopOverAllFamilies) {
  Random64 random(301);
  LogNumbers numbers;
  uint64_t floor = 0;
  std::vector<LogNumbers::Share> families;
  const auto number = [&](const LogNumbers::Share& share) {
    return share.idle ? std::max(share.own, floor) : share.own;
  };
  for (uint64_t step = 1; step <= 3000; ++step) {
    const uint64_t what = random.Uniform(5);
    if (what == 0 || families.empty()) {
      families.push_back({1 + random.Uniform(step), random.OneIn(2)});
      numbers.Add(families.back());
    } else if (what == 1 && families.size() > 1) {
      numbers.Remove(families.back());
      families.pop_back();
    } else if (what == 2) {
      floor = std::max(floor, random.Uniform(step));
      numbers.RaiseFloor(floor);
    } else {
      LogNumbers::Share& family = families[random.Uniform(families.size())];
      numbers.Remove(family);
      family = {number(family) + random.Uniform(3), random.OneIn(2)};
      numbers.Add(family);
    }
    const size_t without = random.Uniform(families.size() + 1);
    LogNumbers::Some some;
    uint64_t least = UINT64_MAX, rest = UINT64_MAX;
    for (size_t i = 0; i < families.size(); ++i) {
      ASSERT_EQ(numbers.NumberOf(families[i]), number(families[i]));
      least = std::min(least, number(families[i]));
      if (i < without) {
        some.Add(families[i]);
      } else {
        rest = std::min(rest, number(families[i]));
      }
    }
    ASSERT_EQ(numbers.Least(), least) << step;
    ASSERT_EQ(numbers.LeastWithout(some), rest) << step;
  }
}

}  // namespace
}  // namespace cairn
