// An iterator is moved at random, and a map with the same entries beside it. Test-only.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iterator>
#include <string>

#include "base/random.h"
#include "db/testing/db_fixture.h"

namespace cairn::testing {

/// `within`: all that the iterator shows. Four of `kinds` moves are seeks, to what `target` says,
/// the others are single steps.
inline void WalkBeside(const Contents& within, int steps, uint64_t kinds, Random64* random,
                       const std::function<std::string()>& target, Iterator* it) {
  auto at = within.end();
  for (int step = 0; step < steps; ++step) {
    const std::string key = target();
    switch (random->Uniform(at == within.end() ? 4 : kinds)) {
      case 0:
        it->SeekToFirst();
        at = within.begin();
        break;
      case 1:
        it->SeekToLast();
        at = within.empty() ? within.end() : std::prev(within.end());
        break;
      case 2:
        it->Seek(key);
        at = within.lower_bound(key);
        break;
      case 3:
        it->SeekForPrev(key);
        at = within.upper_bound(key);
        at = at == within.begin() ? within.end() : std::prev(at);
        break;
      default:
        if (random->OneIn(2)) {
          it->Next();
          ++at;
        } else {
          it->Prev();
          at = at == within.begin() ? within.end() : std::prev(at);
        }
    }
    ASSERT_EQ(it->Valid(), at != within.end()) << "step " << step << it->status().ToString();
    if (!it->Valid()) continue;
    ASSERT_EQ(it->key().ToString(), at->first) << "step " << step;
    ASSERT_EQ(it->value().ToString(), at->second) << "step " << step;
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
}

}  // namespace cairn::testing
