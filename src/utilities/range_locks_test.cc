// Locks on ranges: against a model, prefixes, in the order of coming, deadlocks, room and
// escalation. All that waits does it in simulations, where a sleep lets everybody else go on until
// they wait.
#include "utilities/range_locks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

constexpr uint64_t kMilli = 1'000'000;  // nanoseconds
constexpr int64_t kForEver = -1;

class Owner : public LockOwner {
 public:
  explicit Owner(TransactionID id) { SetTerms({.id = id}); }
};

class RangeLocksTest : public ::testing::Test {
 protected:
  void SetUp() override { Make(); }
  void Make() { locks_ = std::make_unique<RangeLocks>(nullptr); }

  Status Lock(LockOwner* owner, const Endpoint& start, const Endpoint& end, bool exclusive = true,
              int64_t timeout_us = 0) {
    return locks_->Lock(owner, 0, BytewiseComparator(), start, end, exclusive, timeout_us);
  }
  Status Lock(LockOwner* owner, const char* key, bool exclusive = true, int64_t timeout_us = 0) {
    return Lock(owner, Endpoint(key), Endpoint(key), exclusive, timeout_us);
  }
  // "a..c:1,2 e..e:3!", where ! says exclusive and + an infinite suffix.
  std::string Parts() {
    std::map<std::string, std::string> sorted;
    for (auto [family, info] : locks_->GetRangeLockStatusData()) {
      std::sort(info.ids.begin(), info.ids.end());
      std::string who;
      for (const TransactionID id : info.ids) who += (who.empty() ? "" : ",") + std::to_string(id);
      sorted[info.start.slice + (info.start.inf_suffix ? "+" : "")] =
          info.end.slice + (info.end.inf_suffix ? "+" : "") + ":" + who +
          (info.exclusive ? "!" : "");
    }
    std::string text;
    for (const auto& [start, rest] : sorted) {
      text.append(text.empty() ? "" : " ").append(start).append("..").append(rest);
    }
    return text;
  }
  void Simulate(const std::function<void()>& body) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Make();
      const fiber::SimulationResult result = fiber::Simulation(seed).run([&] { body(); });
      ASSERT_TRUE(result.ok()) << result.report;
    }
  }
  // In a simulation: everybody else goes on until they wait.
  static void Settle() { fiber::sleep_for(kMilli); }

  std::unique_ptr<RangeLocks> locks_;
};

TEST_F(RangeLocksTest, RangesExcludeEachOtherWhereTheyMeet) {
  Owner a(1), b(2);
  ASSERT_TRUE(Lock(&a, Endpoint("c"), Endpoint("f")).ok());
  EXPECT_TRUE(Lock(&b, "c").IsTimedOut());
  EXPECT_TRUE(Lock(&b, "e").IsTimedOut());
  EXPECT_TRUE(Lock(&b, "f").IsTimedOut());
  EXPECT_TRUE(Lock(&b, Endpoint("a"), Endpoint("z")).IsTimedOut());
  EXPECT_TRUE(Lock(&b, Endpoint("f"), Endpoint("z"), false).IsTimedOut());
  EXPECT_TRUE(Lock(&b, "b").ok());
  EXPECT_TRUE(Lock(&b, "fa").ok());
  EXPECT_TRUE(Lock(&a, "d").ok());  // again
  EXPECT_EQ("b..b:2! c..f:1! fa..fa:2!", Parts());
  const Status s = Lock(&a, Endpoint("x"), Endpoint("w"));
  EXPECT_TRUE(s.IsInvalidArgument()) << s.ToString();
  locks_->Release(&a);
  EXPECT_TRUE(Lock(&b, Endpoint("a"), Endpoint("z")).ok());
  EXPECT_EQ("a..z:2!", Parts());
  locks_->Release(&b);
  EXPECT_EQ(0u, locks_->GetStatus().current_lock_memory);
}

TEST_F(RangeLocksTest, SharedPartsAreCutAndGrowTogether) {
  Owner a(1), b(2), c(3);
  ASSERT_TRUE(Lock(&a, Endpoint("a"), Endpoint("m"), false).ok());
  ASSERT_TRUE(Lock(&b, Endpoint("g"), Endpoint("z"), false).ok());
  EXPECT_EQ("a..g:1 g..m:1,2 m..z:2", Parts());
  EXPECT_TRUE(Lock(&c, "b").IsTimedOut());
  EXPECT_TRUE(Lock(&a, "h").IsTimedOut());
  EXPECT_TRUE(Lock(&a, "b").ok());  // alone there
  locks_->Release(&b);
  EXPECT_TRUE(Lock(&c, "n").ok());
  EXPECT_TRUE(Lock(&c, "b", false).IsTimedOut());
  EXPECT_TRUE(Lock(&c, "c", false).ok());
  locks_->Release(&c);
  locks_->Release(&a);
  EXPECT_EQ("", Parts());
}

TEST_F(RangeLocksTest, AnInfiniteSuffixStandsBehindAllThatGoesOn) {
  Owner a(1), b(2);
  ASSERT_TRUE(Lock(&a, Endpoint("ab"), Endpoint("ab", true)).ok());
  EXPECT_TRUE(Lock(&b, "ab").IsTimedOut());
  EXPECT_TRUE(Lock(&b, "ab\xff\xff\xff").IsTimedOut());
  EXPECT_TRUE(Lock(&b, Endpoint("a"), Endpoint("a", true)).IsTimedOut());
  EXPECT_TRUE(Lock(&b, "a").ok());
  EXPECT_TRUE(Lock(&b, "ac").ok());
  EXPECT_TRUE(Lock(&b, "aa\xff").ok());
  EXPECT_TRUE(Lock(&b, Endpoint("ab", true), Endpoint("ab")).IsInvalidArgument());
  EXPECT_EQ("a..a:2! aa\xff..aa\xff:2! ab..ab+:1! ac..ac:2!", Parts());
  locks_->Release(&a);
  locks_->Release(&b);
}

TEST_F(RangeLocksTest, FamiliesHaveTheirOwn) {
  Owner a(1), b(2);
  const Endpoint x("x");
  ASSERT_TRUE(locks_->Lock(&a, 0, BytewiseComparator(), x, x, true, 0).ok());
  ASSERT_TRUE(locks_->Lock(&b, 1, BytewiseComparator(), x, x, true, 0).ok());
  EXPECT_TRUE(locks_->Lock(&b, 0, BytewiseComparator(), x, x, true, 0).IsTimedOut());
  EXPECT_EQ(2u, locks_->KeyLocks().size());
  uint32_t family = 7;
  std::string key;
  EXPECT_EQ(std::vector<TransactionID>{1}, locks_->WaitingFor(&b, &family, &key));
  EXPECT_EQ(0u, family);
  EXPECT_EQ("x", key);
  locks_->Release(&a);
  locks_->Release(&b);
}

// What was given is a list of owners and ranges; a lock is given if it overlaps none of another's,
// or shares with all that it overlaps.
TEST_F(RangeLocksTest, AgreesWithAModel) {
  struct Given {
    Owner* owner;
    std::string start, end;
    bool exclusive;
  };
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Make();
    Random64 random(seed);
    std::vector<std::unique_ptr<Owner>> owners;
    for (TransactionID id = 1; id <= 4; ++id) owners.push_back(std::make_unique<Owner>(id));
    std::vector<Given> given;
    const auto key = [&] {
      std::string text(1 + random.Uniform(2), 'a');
      for (char& c : text) c = static_cast<char>('a' + random.Uniform(5));
      return text;
    };
    for (int step = 0; step < 400; ++step) {
      Owner* const owner = owners[random.Uniform(owners.size())].get();
      if (random.Uniform(12) == 0) {
        locks_->Release(owner);
        std::erase_if(given, [&](const Given& one) { return one.owner == owner; });
        continue;
      }
      Given wanted{owner, key(), key(), random.Uniform(2) == 0};
      if (random.Uniform(2) == 0) wanted.end = wanted.start;
      if (wanted.end < wanted.start) std::swap(wanted.start, wanted.end);
      bool free = true;
      for (const Given& one : given) {
        if (one.owner != owner && one.start <= wanted.end && wanted.start <= one.end &&
            (one.exclusive || wanted.exclusive)) {
          free = false;
        }
      }
      const Status s = Lock(owner, Endpoint(wanted.start), Endpoint(wanted.end), wanted.exclusive);
      ASSERT_EQ(free, s.ok()) << "step " << step << ": " << wanted.start << ".." << wanted.end
                              << " of " << owner->terms().id << ": " << s.ToString()
                              << "; there: " << Parts();
      if (free) given.push_back(wanted);
    }
    for (const auto& owner : owners) locks_->Release(owner.get());
    ASSERT_EQ("", Parts());
    ASSERT_EQ(0u, locks_->GetStatus().current_lock_memory);
  }
}

TEST_F(RangeLocksTest, WhoHasNothingWaitsInTheOrderOfComing) {
  Simulate([&] {
    Owner holder(1);
    ASSERT_TRUE(Lock(&holder, Endpoint("c"), Endpoint("f")).ok());
    std::vector<int> order;
    std::vector<std::unique_ptr<Owner>> owners;
    std::vector<std::unique_ptr<fiber::Thread>> waiters;
    const auto wait = [&](int id, const char* start, const char* end, bool exclusive) {
      owners.push_back(std::make_unique<Owner>(id));
      waiters.push_back(std::make_unique<fiber::Thread>(
          "waiter", [&, id, owner = owners.back().get(), start, end, exclusive] {
            ASSERT_TRUE(Lock(owner, Endpoint(start), Endpoint(end), exclusive, kForEver).ok());
            order.push_back(id);
            Settle();
            locks_->Release(owner);
          }));
      Settle();
    };
    wait(2, "a", "d", true);
    wait(3, "b", "b", false);  // free, but 2 came before
    wait(4, "x", "y", true);   // is in nobody's way
    wait(5, "b", "c", true);
    wait(6, "b", "b", false);
    EXPECT_EQ(std::vector<int>{4}, order);
    locks_->Release(&holder);
    for (auto& waiter : waiters) waiter->join();
    EXPECT_EQ((std::vector<int>{4, 2, 3, 5, 6}), order);
    EXPECT_EQ("", Parts());
  });
}

TEST_F(RangeLocksTest, WhoHasSomethingOvertakesWhoWaitsForIt) {
  Simulate([&] {
    Owner a(1), b(2);
    ASSERT_TRUE(Lock(&a, "c").ok());
    fiber::Thread waiter("waiter", [&] {
      ASSERT_TRUE(Lock(&b, Endpoint("a"), Endpoint("d"), true, kForEver).ok());
      locks_->Release(&b);
    });
    Settle();
    EXPECT_TRUE(Lock(&a, "b").ok());
    locks_->Release(&a);
    waiter.join();
    EXPECT_EQ(1u, locks_->GetStatus().lock_wait_count);
  });
}

// Who gives up lets those behind it go on.
TEST_F(RangeLocksTest, TimeoutsLetOthersPass) {
  Simulate([&] {
    Owner a(1), b(2), c(3);
    ASSERT_TRUE(Lock(&a, "m", false).ok());
    fiber::Thread exclusive("exclusive", [&] {
      EXPECT_TRUE(Lock(&b, Endpoint("a"), Endpoint("z"), true, 10'000).IsTimedOut());
    });
    Settle();
    fiber::Thread shared("shared", [&] {
      EXPECT_TRUE(Lock(&c, "m", false, kForEver).ok());
      locks_->Release(&c);
    });
    Settle();
    EXPECT_EQ("m..m:1", Parts());
    exclusive.join();
    shared.join();
    locks_->Release(&a);
    EXPECT_EQ("", Parts());
  });
}

TEST_F(RangeLocksTest, ACircleIsFoundWithItsPath) {
  Simulate([&] {
    Owner a(1), b(2), c(3);
    ASSERT_TRUE(Lock(&a, Endpoint("a"), Endpoint("b")).ok());
    ASSERT_TRUE(Lock(&b, "k", false).ok());
    ASSERT_TRUE(Lock(&c, "x").ok());
    fiber::Thread first("first", [&] {
      EXPECT_TRUE(Lock(&a, Endpoint("j"), Endpoint("l"), true, kForEver).ok());
      locks_->Release(&a);
    });
    Settle();
    fiber::Thread second("second", [&] {
      EXPECT_TRUE(Lock(&b, "x", false, kForEver).ok());
      locks_->Release(&b);
    });
    Settle();
    const Status s = Lock(&c, Endpoint("aa", false), Endpoint("aa", true), false, kForEver);
    EXPECT_TRUE(s.IsDeadlock()) << s.ToString();
    const std::vector<RangeDeadlockPath> deadlocks = locks_->GetRangeDeadlockInfoBuffer();
    ASSERT_EQ(1u, deadlocks.size());
    std::string path;
    for (const RangeDeadlockInfo& info : deadlocks[0].path) {
      path += std::to_string(info.m_txn_id) + (info.m_exclusive ? "!" : ":") + info.m_start.slice +
              ".." + info.m_end.slice + (info.m_end.inf_suffix ? "+ " : " ");
    }
    EXPECT_EQ("1!j..l 2:x..x 3:aa..aa+ ", path);
    locks_->SetRangeDeadlockInfoBufferSize(0);
    EXPECT_TRUE(locks_->GetRangeDeadlockInfoBuffer().empty());
    locks_->Release(&c);
    first.join();
    second.join();
    EXPECT_EQ("", Parts());
  });
}

// Many owners, random ranges one after the other, all at once: everybody comes to an end, nobody
// has what excludes another's.
TEST_F(RangeLocksTest, ManyAtOnceComeToAnEnd) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Make();
    const fiber::SimulationResult result = fiber::Simulation(seed).run([&] {
      int writers[26] = {}, readers[26] = {};
      std::vector<std::unique_ptr<fiber::Thread>> threads;
      for (TransactionID id = 1; id <= 8; ++id) {
        threads.push_back(std::make_unique<fiber::Thread>("party", [&, id] {
          Owner owner(id);
          for (int round = 0; round < 20; ++round) {
            int held[26] = {};  // 1: shared, 2: exclusively
            for (int n = 0; n < 3; ++n) {
              int from = static_cast<int>(fiber::random_u64() % 26);
              int to = std::min<int>(25, from + static_cast<int>(fiber::random_u64() % 4));
              const bool exclusive = fiber::random_u64() % 2 == 0;
              const std::string start(1, static_cast<char>('a' + from));
              const std::string end(1, static_cast<char>('a' + to));
              if (!Lock(&owner, Endpoint(start), Endpoint(end), exclusive, kForEver).ok()) break;
              for (int k = from; k <= to; ++k) held[k] = std::max(held[k], exclusive ? 2 : 1);
              for (int k = 0; k < 26; ++k) writers[k] += held[k] == 2, readers[k] += held[k] == 1;
              if (fiber::random_u64() % 2 == 0) fiber::sleep_for(fiber::random_u64() % kMilli);
              for (int k = 0; k < 26; ++k) {
                EXPECT_LE(writers[k] + (writers[k] != 0 ? readers[k] : 0), 1);
                writers[k] -= held[k] == 2, readers[k] -= held[k] == 1;
              }
            }
            locks_->Release(&owner);
          }
        }));
      }
      for (auto& thread : threads) thread->join();
    });
    ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.report;
    ASSERT_EQ("", Parts()) << "seed " << seed;
    ASSERT_EQ(0u, locks_->GetStatus().current_lock_memory);
  }
}

TEST_F(RangeLocksTest, NoRoomIsMadeByEscalation) {
  Owner a(1), b(2);
  ASSERT_TRUE(Lock(&b, "k050").ok());
  ASSERT_EQ(0, locks_->SetMaxLockMemory(4000));
  EXPECT_EQ(4000u, locks_->GetMaxLockMemory());
  char key[8];
  for (int i = 0; i < 100; ++i) {
    if (i == 50) continue;
    std::snprintf(key, sizeof(key), "k%03d", i);
    ASSERT_TRUE(Lock(&a, key).ok()) << key;
  }
  EXPECT_GT(locks_->GetStatus().escalation_count, 0u);
  EXPECT_LE(locks_->GetStatus().current_lock_memory, 4000u);
  EXPECT_TRUE(Lock(&b, "k0005").IsTimedOut());  // in between
  EXPECT_TRUE(Lock(&b, "k0505").ok());          // between another's
  EXPECT_EQ(EDOM, locks_->SetMaxLockMemory(100));
  EXPECT_EQ(4000u, locks_->GetMaxLockMemory());
  locks_->Release(&a);
  locks_->Release(&b);
  EXPECT_EQ(0u, locks_->GetStatus().current_lock_memory);
}

TEST_F(RangeLocksTest, EscalationStopsAtBarriersAndThenThereIsNoRoom) {
  Owner a(1), b(2);
  locks_->SetEscalationBarrierFunc(
      [](const Endpoint& left, const Endpoint& right) { return left.slice[0] != right.slice[0]; });
  ASSERT_EQ(0, locks_->SetMaxLockMemory(3000));
  Status s;
  int taken = 0;
  for (char group = 'a'; group <= 'z' && s.ok(); ++group) {
    for (char digit = '0'; digit <= '9' && s.ok(); ++digit) {
      const std::string key{group, digit};
      s = Lock(&a, key.c_str());
      taken += s.ok();
    }
  }
  EXPECT_TRUE(s.IsBusy()) << s.ToString();
  EXPECT_EQ(Status::kLockLimit, s.subcode());
  EXPECT_GT(taken, 20);
  EXPECT_TRUE(Lock(&b, "a55").IsTimedOut());
  EXPECT_TRUE(Lock(&b, "aa").IsBusy());  // free, but there is no room
  locks_->Release(&a);
  EXPECT_TRUE(Lock(&b, "aa").ok());
  locks_->Release(&b);
}

}  // namespace
}  // namespace cairn
