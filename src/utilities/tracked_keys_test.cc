// Tracked keys against a model: random tracking, save points and undone reads.
#include "utilities/tracked_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "base/random.h"
#include "fiber/random.h"

namespace cairn {
namespace {

TEST(TrackedKeysTest, TheEarliestMomentStays) {
  TrackedKeys keys;
  keys.Track(0, "a", 10, /*read_only=*/true, /*exclusive=*/false);
  keys.Track(0, "a", 20, /*read_only=*/false, /*exclusive=*/true);
  ASSERT_NE(nullptr, keys.Find(0, "a"));
  EXPECT_EQ(10u, keys.Find(0, "a")->since);
  EXPECT_TRUE(keys.Find(0, "a")->exclusive);
  EXPECT_EQ(nullptr, keys.Find(1, "a"));
  EXPECT_EQ(1u, keys.size());
}

TEST(TrackedKeysTest, AKeyThatComesBackHasANewMoment) {
  TrackedKeys keys;
  keys.Track(0, "a", 10, true, true);
  EXPECT_TRUE(keys.UntrackRead(0, "a"));
  EXPECT_EQ(nullptr, keys.Find(0, "a"));
  EXPECT_FALSE(keys.UntrackRead(0, "a"));
  keys.Track(0, "a", 20, true, false);
  EXPECT_EQ(20u, keys.Find(0, "a")->since);
  EXPECT_FALSE(keys.Find(0, "a")->exclusive);
}

TEST(TrackedKeysTest, OnlyReadsSinceTheSavePointAreTakenBack) {
  TrackedKeys keys;
  keys.Track(0, "a", 10, true, true);
  keys.SetSavePoint();
  EXPECT_FALSE(keys.UntrackRead(0, "a"));
  keys.Track(0, "b", 10, true, true);
  EXPECT_TRUE(keys.UntrackRead(0, "b"));
  std::set<std::string> dropped;
  keys.RollbackToSavePoint(
      [&](const TrackedKeys::Entry&, const Slice& key) { dropped.insert(key.ToString()); });
  EXPECT_TRUE(dropped.empty());
  EXPECT_TRUE(keys.UntrackRead(0, "a"));
}

TEST(TrackedKeysTest, BehaveLikeTheModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  using Key = std::pair<uint32_t, std::string>;
  using Model = std::map<Key, std::pair<int, int>>;  // reads and writes
  TrackedKeys keys;
  Model model;
  std::vector<Model> points;
  for (int i = 0; i < 20'000; ++i) {
    const Key key(static_cast<uint32_t>(random.Uniform(3)), std::to_string(random.Uniform(300)));
    switch (random.Uniform(20)) {
      case 0:
        keys.SetSavePoint();
        points.push_back(model);
        break;
      case 1: {
        if (points.empty()) break;
        const Model before = std::exchange(model, points.back());
        points.pop_back();
        std::set<Key> dropped, expected;
        keys.RollbackToSavePoint([&](const TrackedKeys::Entry& entry, const Slice& name) {
          EXPECT_TRUE(dropped.emplace(entry.family, name.ToString()).second);
        });
        for (const auto& [k, counts] : before) {
          if (!model.contains(k)) expected.insert(k);
        }
        ASSERT_EQ(expected, dropped);
        break;
      }
      case 2:
        if (points.empty()) break;
        keys.PopSavePoint();
        points.pop_back();
        break;
      case 3:
        if (random.Uniform(20) == 0) {
          keys.Clear();
          model.clear();
          points.clear();
        }
        break;
      default: {
        const bool read = random.Uniform(2) == 0;
        keys.Track(key.first, key.second, 1, read, true);
        ++(read ? model[key].first : model[key].second);
      }
    }
    ASSERT_EQ(model.size(), keys.size());
    const TrackedKeys::Entry* const entry = keys.Find(key.first, key.second);
    ASSERT_EQ(model.contains(key), entry != nullptr);
    if (entry != nullptr) {
      ASSERT_EQ(model[key].first, static_cast<int>(entry->reads));
      ASSERT_EQ(model[key].second, static_cast<int>(entry->writes));
    }
  }
}

}  // namespace
}  // namespace cairn
