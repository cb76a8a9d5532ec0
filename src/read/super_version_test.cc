#include "read/super_version.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <vector>

#include "base/random.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

// The parts are not used: only the life of the super versions is of interest.
struct Retired {
  std::vector<uint64_t> numbers;
  std::function<void(SuperVersion*)> Callback() {
    return [this](SuperVersion* sv) {
      numbers.push_back(sv->number);
      delete sv;
    };
  }
};

SuperVersion* Make(uint64_t number) {
  auto* sv = new SuperVersion;
  sv->number = number;
  return sv;
}

TEST(SuperVersionTest, LivesUntilItsLastReader) {
  Retired retired;
  {
    SuperVersionSlots slots(retired.Callback());
    slots.Install(Make(1));
    SuperVersion* a = slots.Acquire();
    SuperVersion* b = slots.Acquire();
    EXPECT_EQ(a, b);
    slots.Release(b);
    slots.Install(Make(2));
    EXPECT_TRUE(retired.numbers.empty());
    EXPECT_EQ(slots.current_number(), 2u);
    EXPECT_EQ(a->number, 1u);
    {
      SuperVersionGuard guard(&slots);
      EXPECT_EQ(guard->number, 2u);
    }
    slots.Release(a);
    EXPECT_EQ(retired.numbers, std::vector<uint64_t>{1});
    slots.Install(Make(3));
    EXPECT_EQ(retired.numbers, (std::vector<uint64_t>{1, 2})) << "nobody read it any more";
  }
  EXPECT_EQ(retired.numbers, (std::vector<uint64_t>{1, 2, 3}));
}

TEST(SuperVersionTest, AReferenceMayBeGivenBackElsewhere) {
  Retired retired;
  SuperVersionSlots slots(retired.Callback());
  slots.Install(Make(1));
  SuperVersion* sv = slots.Acquire();
  fiber::Thread([&] { return std::string("other"); }(), [&] { slots.Release(sv); }).join();
  slots.Install(Make(2));
  EXPECT_EQ(retired.numbers, std::vector<uint64_t>{1});
}

TEST(SuperVersionTest, AFullSlotSpills) {
  Retired retired;
  SuperVersionSlots slots(retired.Callback(), 1);
  slots.Install(Make(1));
  // More than the slot's count can hold.
  constexpr int kReferences = 5'000'000;
  SuperVersion* sv = nullptr;
  for (int i = 0; i < kReferences; ++i) sv = slots.Acquire();
  slots.Install(Make(2));
  EXPECT_TRUE(retired.numbers.empty());
  for (int i = 0; i < kReferences - 1; ++i) slots.Release(sv);
  EXPECT_TRUE(retired.numbers.empty());
  slots.Release(sv);
  EXPECT_EQ(retired.numbers, std::vector<uint64_t>{1});
}

// Readers on threads and fibers hold references over other work and give some back on another
// thread, while versions are installed. Each retires exactly once, after its last reader (tsan and
// the poisoned number see a breach).
TEST(SuperVersionTest, StressOfReadersAndInstallations) {
  constexpr int kInstallations = 600;
  constexpr uint64_t kDead = UINT64_MAX;
  std::atomic<int> retired{0};
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  {
    SuperVersionSlots slots([&retired, kDead](SuperVersion* sv) {
      ASSERT_NE(sv->number, kDead);
      sv->number = kDead;
      ++retired;
      delete sv;
    });
    slots.Install(Make(1));
    std::atomic<bool> done{false};
    std::atomic<SuperVersion*> passed_on{nullptr};
    const auto read_on = [&](int reader) {
      Random64 random(seed + reader);
      uint64_t newest = 0;
      while (!done.load(std::memory_order_acquire)) {
        SuperVersion* sv = slots.Acquire();
        ASSERT_GE(sv->number, newest) << "never goes back";
        newest = sv->number;
        if (random.OneIn(4)) fiber::yield();
        ASSERT_EQ(sv->number, newest);
        if (random.OneIn(3)) sv = passed_on.exchange(sv, std::memory_order_acq_rel);
        if (sv != nullptr) slots.Release(sv);
      }
    };
    {
      std::vector<std::unique_ptr<fiber::Thread>> threads;
      for (int t = 0; t < 3; ++t) {
        threads.push_back(std::make_unique<fiber::Thread>("read", [&, t] { read_on(t); }));
      }
      fiber::Runtime runtime({.workers = 2});
      std::vector<fiber::JoinHandle> fibers;
      for (int f = 0; f < 6; ++f) fibers.push_back(runtime.spawn([&, f] { read_on(10 + f); }));
      for (int i = 2; i <= kInstallations; ++i) {
        slots.Install(Make(i));
        fiber::yield();
      }
      done.store(true, std::memory_order_release);
      fibers.clear();
      threads.clear();
    }
    if (SuperVersion* sv = passed_on.load()) slots.Release(sv);
    EXPECT_EQ(retired, kInstallations - 1) << "all but the current one";
  }
  EXPECT_EQ(retired, kInstallations);
}

}  // namespace
}  // namespace cairn
