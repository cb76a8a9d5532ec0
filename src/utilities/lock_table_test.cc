// The lock table: against a model, in order of coming, deadlocks, expiry, limits, memory. All that
// waits does it in simulations, where a sleep lets everybody else go on until they wait.
#include "utilities/lock_table.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <memory>
#include <set>
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
  explicit Owner(TransactionID id, bool detects = false, uint64_t expires = fiber::kNoDeadline,
                 int64_t depth = 50) {
    SetTerms({id, expires, detects, depth});
  }
  bool Steal() override {
    stolen = true;
    return !commits;
  }
  std::atomic<bool> stolen{false};
  bool commits = false;
};

class LockTableTest : public ::testing::TestWithParam<size_t> {
 protected:
  void Make(int64_t max_keys = 0) {
    LockTable::Options options;
    options.stripes = GetParam();
    options.max_keys = max_keys;
    options.max_deadlocks = 5;
    table_ = std::make_unique<LockTable>(options);
  }
  Status Lock(LockOwner* owner, const std::string& key, bool exclusive = true,
              int64_t timeout_us = 0) {
    return table_->Lock(owner, LockTable::HashOf(0, key), 0, key, exclusive, timeout_us);
  }
  void Unlock(LockOwner* owner, const std::string& key) {
    table_->Unlock(owner, LockTable::HashOf(0, key), 0, key);
  }
  void Simulate(const std::function<void()>& body) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const fiber::SimulationResult result = fiber::Simulation(seed).run([&] { body(); });
      ASSERT_TRUE(result.ok()) << result.report;
      table_.reset();
    }
  }
  // In a simulation: everybody else goes on until they wait.
  static void Settle() { fiber::sleep_for(kMilli); }

  std::unique_ptr<LockTable> table_;
};

INSTANTIATE_TEST_SUITE_P(Stripes, LockTableTest, ::testing::Values(1, 16));

// Without waits: who has what must be as in a map of sets.
TEST_P(LockTableTest, AgreesWithAModel) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  Make();
  constexpr size_t kOwners = 5, kKeys = 40;
  std::vector<std::unique_ptr<Owner>> owners;
  for (size_t i = 0; i < kOwners; ++i) owners.push_back(std::make_unique<Owner>(i + 1));
  struct Held {
    std::set<size_t> by;
    bool exclusive = false;
  };
  std::map<std::string, Held> model;
  for (int step = 0; step < 20'000; ++step) {
    const size_t who = random.Uniform(kOwners);
    const std::string key = std::to_string(random.Uniform(kKeys));
    Held& held = model[key];
    const bool has = held.by.contains(who);
    const bool others = held.by.size() > (has ? 1u : 0u);
    if (random.Uniform(3) == 0) {
      Unlock(owners[who].get(), key);
      held.by.erase(who);
    } else if (has && random.Uniform(8) == 0) {
      table_->Downgrade(owners[who].get(), LockTable::HashOf(0, key), 0, key);
      held.exclusive = false;
    } else {
      const bool exclusive = random.Uniform(2) == 0;
      const bool fits =
          (has && (held.exclusive || !exclusive)) || !others || (!exclusive && !held.exclusive);
      const Status s = Lock(owners[who].get(), key, exclusive);
      ASSERT_EQ(fits, s.ok()) << s.ToString();
      if (fits) {
        held.exclusive |= exclusive;
        held.by.insert(who);
      } else {
        ASSERT_EQ(Status::kLockTimeout, s.subcode());
      }
    }
    if (held.by.empty()) model.erase(key);
    if (step % 500 == 0) {
      const auto locks = table_->Locks();
      ASSERT_EQ(model.size(), locks.size());
      ASSERT_EQ(model.size(), table_->Entries());
      for (const auto& [family, info] : locks) {
        const Held& want = model.at(info.key);
        EXPECT_EQ(want.exclusive, info.exclusive);
        EXPECT_EQ(want.by.size(), info.ids.size());
        for (const TransactionID id : info.ids) EXPECT_TRUE(want.by.contains(id - 1));
      }
    }
  }
}

TEST_P(LockTableTest, MemoryIsGivenBack) {
  Make();
  Owner owner(1);
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(Lock(&owner, std::to_string(i)).ok());
  EXPECT_EQ(10'000u, table_->Entries());
  for (int i = 0; i < 10'000; ++i) Unlock(&owner, std::to_string(i));
  EXPECT_EQ(0u, table_->Entries());
  EXPECT_GE(64 * GetParam(), table_->SpareEntries());
}

TEST_P(LockTableTest, ALimitIsOfAFamilyAndAtOnce) {
  Make(/*max_keys=*/3);
  Owner a(1), b(2);
  for (const char* key : {"1", "2", "3"}) ASSERT_TRUE(Lock(&a, key, false).ok());
  const Status s = Lock(&a, "4", true, kForEver);
  EXPECT_TRUE(s.IsBusy() && s.IsLockLimit()) << s.ToString();
  EXPECT_TRUE(Lock(&b, "1", false).ok());
  EXPECT_TRUE(table_->Lock(&a, LockTable::HashOf(1, "4"), 1, "4", true, 0).ok());
  Unlock(&a, "1");
  EXPECT_TRUE(Lock(&a, "4").IsLockLimit());
  Unlock(&b, "1");
  EXPECT_TRUE(Lock(&a, "4").ok());
}

TEST_P(LockTableTest, WaitersComeInTheirOrder) {
  Simulate([&] {
    Make();
    Owner holder(1);
    EXPECT_TRUE(Lock(&holder, "k").ok());
    std::vector<int> order;
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int i = 0; i < 6; ++i) {
      threads.push_back(std::make_unique<fiber::Thread>("waiter", [&, i] {
        Owner owner(static_cast<TransactionID>(i + 2));
        EXPECT_TRUE(Lock(&owner, "k", true, kForEver).ok());
        order.push_back(i);
        Unlock(&owner, "k");
      }));
      Settle();
    }
    Unlock(&holder, "k");
    for (auto& thread : threads) thread->join();
    EXPECT_EQ((std::vector<int>{0, 1, 2, 3, 4, 5}), order);
    EXPECT_EQ(0u, table_->Entries());
  });
}

TEST_P(LockTableTest, AWriterIsNotStarvedByReaders) {
  Simulate([&] {
    Make();
    Owner reader(1), writer(2), late(3);
    EXPECT_TRUE(Lock(&reader, "k", false).ok());
    fiber::Thread thread("writer", [&] {
      EXPECT_TRUE(Lock(&writer, "k", true, kForEver).ok());
      Unlock(&writer, "k");
    });
    Settle();
    EXPECT_TRUE(Lock(&late, "k", false).IsTimedOut());
    uint32_t family = 7;
    std::string key;
    EXPECT_EQ(std::vector<TransactionID>{1}, table_->WaitingFor(&writer, &family, &key));
    EXPECT_EQ(0u, family);
    EXPECT_EQ("k", key);
    Unlock(&reader, "k");
    thread.join();
    EXPECT_TRUE(table_->WaitingFor(&writer, nullptr, nullptr).empty());
    // What was waited for in vain is known.
    EXPECT_EQ(std::vector<TransactionID>{1}, table_->WaitingFor(&late, &family, &key));
    EXPECT_EQ("k", key);
  });
}

TEST_P(LockTableTest, AnUpgradeGoesFirst) {
  Simulate([&] {
    Make();
    Owner upgrader(1), other(2), writer(3);
    EXPECT_TRUE(Lock(&upgrader, "k", false).ok());
    EXPECT_TRUE(Lock(&other, "k", false).ok());
    std::string order;
    fiber::Thread waits("writer", [&] {
      EXPECT_TRUE(Lock(&writer, "k", true, kForEver).ok());
      order += "w";
      Unlock(&writer, "k");
    });
    Settle();
    fiber::Thread upgrades("upgrader", [&] {
      EXPECT_TRUE(Lock(&upgrader, "k", true, kForEver).ok());
      order += "u";
      Unlock(&upgrader, "k");
    });
    Settle();
    Unlock(&other, "k");
    waits.join();
    upgrades.join();
    EXPECT_EQ("uw", order);
  });
}

// A writer that gives up lets the readers behind it through.
TEST_P(LockTableTest, WhoLeavesTheQueueLetsOthersThrough) {
  Simulate([&] {
    Make();
    Owner reader(1), writer(2), behind(3);
    EXPECT_TRUE(Lock(&reader, "k", false).ok());
    fiber::Thread waits("writer", [&] {
      const uint64_t start = fiber::now_nanos();
      const Status s = Lock(&writer, "k", true, 10'000);
      EXPECT_EQ(Status::kLockTimeout, s.subcode()) << s.ToString();
      EXPECT_LE(start + 10 * kMilli, fiber::now_nanos());
    });
    Settle();
    EXPECT_TRUE(Lock(&behind, "k", false, kForEver).ok());
    waits.join();
    Unlock(&reader, "k");
    Unlock(&behind, "k");
    EXPECT_EQ(0u, table_->Entries());
  });
}

TEST_P(LockTableTest, DowngradesLetReadersIn) {
  Simulate([&] {
    Make();
    Owner holder(1), reader(2);
    EXPECT_TRUE(Lock(&holder, "k").ok());
    fiber::Thread waits("reader", [&] { EXPECT_TRUE(Lock(&reader, "k", false, kForEver).ok()); });
    Settle();
    table_->Downgrade(&holder, LockTable::HashOf(0, "k"), 0, "k");
    waits.join();
    EXPECT_EQ(2u, table_->Locks().begin()->second.ids.size());
    Unlock(&holder, "k");
    Unlock(&reader, "k");
  });
}

// Circles of 2 to n, every other one on a fiber; the last to wait is refused, and all others go on.
TEST_P(LockTableTest, DeadlocksAmongThreadsAndFibers) {
  Simulate([&] {
    for (size_t n = 2; n <= 7; ++n) {
      Make();
      std::vector<std::unique_ptr<Owner>> owners;
      for (size_t i = 0; i < n; ++i) {
        owners.push_back(std::make_unique<Owner>(i + 1, /*detects=*/i + 1 == n));
        EXPECT_TRUE(Lock(owners[i].get(), std::to_string(i), i % 3 != 0).ok());
      }
      const auto wait_for_next = [&](size_t i) {
        const Status s = Lock(owners[i].get(), std::to_string((i + 1) % n), true, kForEver);
        EXPECT_EQ(i + 1 == n, s.IsDeadlock()) << s.ToString();
        if (s.ok()) Unlock(owners[i].get(), std::to_string((i + 1) % n));
        Unlock(owners[i].get(), std::to_string(i));
      };
      fiber::Runtime runtime(fiber::RuntimeOptions{});
      std::vector<std::unique_ptr<fiber::Thread>> threads;
      std::vector<fiber::JoinHandle> fibers;
      for (size_t i = 0; i < n; ++i) {
        if (i % 2 == 0) {
          threads.push_back(
              std::make_unique<fiber::Thread>("party", [&wait_for_next, i] { wait_for_next(i); }));
        } else {
          fibers.push_back(runtime.spawn([&wait_for_next, i] { wait_for_next(i); }));
        }
        Settle();
      }
      for (auto& thread : threads) thread->join();
      for (fiber::JoinHandle& f : fibers) f.join();
      const std::vector<DeadlockPath> paths = table_->Deadlocks();
      ASSERT_EQ(1u, paths.size());
      ASSERT_EQ(n, paths[0].path.size());
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(i + 1, paths[0].path[i].m_txn_id);
        EXPECT_EQ(std::to_string((i + 1) % n), paths[0].path[i].m_waiting_key);
      }
      EXPECT_EQ(0u, table_->Entries());
    }
  });
}

TEST_P(LockTableTest, OfTwoUpgradesOneIsRefused) {
  Simulate([&] {
    Make();
    Owner first(1, true), second(2, true);
    EXPECT_TRUE(Lock(&first, "k", false).ok());
    EXPECT_TRUE(Lock(&second, "k", false).ok());
    fiber::Thread thread("first", [&] { EXPECT_TRUE(Lock(&first, "k", true, kForEver).ok()); });
    Settle();
    EXPECT_TRUE(Lock(&second, "k", true, kForEver).IsDeadlock());
    Unlock(&second, "k");
    thread.join();
    EXPECT_TRUE(table_->Locks().begin()->second.exclusive);
    Unlock(&first, "k");
  });
}

// A chain is no circle, however many wait in it, and a crowd at one key neither.
TEST_P(LockTableTest, AChainAndACrowdAreNoDeadlock) {
  Simulate([&] {
    Make();
    constexpr size_t kParties = 30;
    Owner last(1000);
    EXPECT_TRUE(Lock(&last, "0").ok());
    std::vector<std::unique_ptr<Owner>> owners;
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (size_t i = 0; i < kParties; ++i) {
      owners.push_back(std::make_unique<Owner>(i + 1, true, fiber::kNoDeadline, /*depth=*/4));
      const bool crowd = i >= kParties / 2;
      threads.push_back(std::make_unique<fiber::Thread>("party", [&, i, crowd] {
        Owner* const me = owners[i].get();
        const std::string mine = std::to_string(i + 1), next = crowd ? "0" : std::to_string(i);
        EXPECT_TRUE(Lock(me, mine).ok());
        EXPECT_TRUE(Lock(me, next, i % 2 == 0, kForEver).ok());
        Unlock(me, next);
        Unlock(me, mine);
      }));
      Settle();
    }
    Unlock(&last, "0");
    for (auto& thread : threads) thread->join();
    EXPECT_TRUE(table_->Deadlocks().empty());
    EXPECT_EQ(0u, table_->Entries());
  });
}

// Fairness makes edges of its own: a reader behind a writer waits for the reader that has the lock.
TEST_P(LockTableTest, ADeadlockOverTheQueue) {
  Simulate([&] {
    Make();
    Owner reader(1), writer(2), late(3, /*detects=*/true);
    EXPECT_TRUE(Lock(&reader, "k", false).ok());
    EXPECT_TRUE(Lock(&late, "x").ok());
    fiber::Thread writes("writer", [&] {
      EXPECT_TRUE(Lock(&writer, "k", true, kForEver).ok());
      Unlock(&writer, "k");
    });
    Settle();
    fiber::Thread reads("reader", [&] {
      EXPECT_TRUE(Lock(&reader, "x", true, kForEver).ok());
      Unlock(&reader, "x");
      Unlock(&reader, "k");
    });
    Settle();
    EXPECT_TRUE(Lock(&late, "k", false, kForEver).IsDeadlock());
    Unlock(&late, "x");
    writes.join();
    reads.join();
  });
}

TEST_P(LockTableTest, WaitersStealFromTheExpired) {
  Simulate([&] {
    Make();
    const uint64_t start = fiber::now_nanos();
    Owner expires(1, false, start + 50 * kMilli), waits(2);
    EXPECT_TRUE(Lock(&expires, "k").ok());
    EXPECT_TRUE(Lock(&waits, "k").IsTimedOut());
    EXPECT_FALSE(expires.stolen);
    EXPECT_TRUE(Lock(&waits, "k", true, kForEver).ok());
    EXPECT_TRUE(expires.stolen);
    EXPECT_LE(start + 50 * kMilli, fiber::now_nanos());
    Unlock(&expires, "k");
    EXPECT_EQ(std::vector<TransactionID>{2}, table_->Locks().begin()->second.ids);
    Unlock(&waits, "k");
  });
}

TEST_P(LockTableTest, NobodyStealsFromOneThatCommits) {
  Simulate([&] {
    Make();
    Owner expires(1, false, fiber::now_nanos()), waits(2);
    expires.commits = true;
    EXPECT_TRUE(Lock(&expires, "k").ok());
    EXPECT_TRUE(Lock(&waits, "k", true, 5'000).IsTimedOut());
    fiber::Thread thread("waits", [&] { EXPECT_TRUE(Lock(&waits, "k", true, kForEver).ok()); });
    Settle();
    Unlock(&expires, "k");
    thread.join();
    Unlock(&waits, "k");
  });
}

TEST_P(LockTableTest, AReaderThatNeverExpiresHoldsTheOthers) {
  Simulate([&] {
    Make();
    const uint64_t start = fiber::now_nanos();
    Owner expires(1, false, start + 20 * kMilli), stays(2), waits(3);
    EXPECT_TRUE(Lock(&expires, "k", false).ok());
    EXPECT_TRUE(Lock(&stays, "k", false).ok());
    fiber::Thread thread("waits", [&] { EXPECT_TRUE(Lock(&waits, "k", true, kForEver).ok()); });
    fiber::sleep_for(100 * kMilli);
    EXPECT_FALSE(expires.stolen);
    Unlock(&stays, "k");
    thread.join();
    EXPECT_TRUE(expires.stolen);
    Unlock(&waits, "k");
    Unlock(&expires, "k");
    EXPECT_EQ(0u, table_->Entries());
  });
}

// Everything at once, many seeds: no two writers, no writer beside readers, and all come to an end.
TEST_P(LockTableTest, RandomWaitsExclude) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const fiber::SimulationResult result = fiber::Simulation(seed).run([&] {
      Make();
      constexpr int kParties = 6, kKeys = 3, kRounds = 20;
      struct Use {
        int readers = 0, writers = 0;
      };
      std::vector<Use> uses(kKeys);
      const auto party = [&](int me) {
        Random64 random(seed * 100 + static_cast<uint64_t>(me));
        for (int round = 0; round < kRounds; ++round) {
          Owner owner(static_cast<TransactionID>(me * kRounds + round + 1), true);
          std::map<int, bool> has;
          for (int i = 0; i < 3; ++i) {
            const int key = static_cast<int>(random.Uniform(kKeys));
            const bool exclusive = random.Uniform(2) == 0;
            const int64_t timeouts[] = {kForEver, 0, 3};
            if (!Lock(&owner, std::to_string(key), exclusive, timeouts[random.Uniform(3)]).ok()) {
              continue;
            }
            if (has.contains(key)) {
              if (!has[key] && exclusive) --uses[key].readers, ++uses[key].writers;
              has[key] |= exclusive;
            } else {
              ++(exclusive ? uses[key].writers : uses[key].readers);
              has[key] = exclusive;
            }
            EXPECT_TRUE(uses[key].writers == 0 ||
                        (uses[key].writers == 1 && uses[key].readers == 0));
            if (random.Uniform(4) == 0) fiber::sleep_for(random.Uniform(5'000));
          }
          for (const auto& [key, exclusive] : has) {
            --(exclusive ? uses[key].writers : uses[key].readers);
            Unlock(&owner, std::to_string(key));
          }
        }
      };
      std::vector<std::unique_ptr<fiber::Thread>> threads;
      fiber::Runtime runtime(fiber::RuntimeOptions{});
      std::vector<fiber::JoinHandle> fibers;
      for (int i = 0; i < kParties; ++i) {
        if (i % 2 == 0) {
          threads.push_back(std::make_unique<fiber::Thread>("party", [&party, i] { party(i); }));
        } else {
          fibers.push_back(runtime.spawn([&party, i] { party(i); }));
        }
      }
      for (auto& thread : threads) thread->join();
      for (fiber::JoinHandle& f : fibers) f.join();
      EXPECT_EQ(0u, table_->Entries());
      table_.reset();
    });
    ASSERT_TRUE(result.ok()) << "seed " << seed << "\n" << result.report;
  }
}

}  // namespace
}  // namespace cairn
