// fiber_std::thread_local_ptr.
#include "fiber/std/thread_local_ptr.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "fiber/std/mutex.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

using fiber_std::testing::kScaleDown;

// Initialised at compile time, so that constructors of other statics may use it.
constinit thread_local_ptr<int> g_zero;
thread_local_ptr<std::string, const char*, int> g_text("abcdef", 3);
int g_at_start = ++*g_zero;

constinit thread_local_ptr<std::string> g_made{[]() -> std::string { return "made"; }};

class StdThreadLocalPtrTest : public testing::ModalTest {};
FIBER_STD_MODES(StdThreadLocalPtrTest);

TEST_P(StdThreadLocalPtrTest, EachHasItsOwnMadeFromTheArguments) {
  EXPECT_EQ(g_at_start, 1);
  run([this] {
    const int contexts = 6;
    mutex lock;
    std::set<const void*> places;
    std::atomic<int> here{0};
    auto all = crew();
    for (int i = 0; i < contexts; i++) {
      all.start([&, i] {
        EXPECT_EQ(*g_zero, 0);
        EXPECT_EQ(*g_text, "abc");
        for (int n = 0; n < 100; n++) {
          *g_zero += i;
          g_text->push_back('x');
          if (n % 10 == 0) this_thread::yield();
        }
        EXPECT_EQ(*g_zero, 100 * i);
        EXPECT_EQ(g_text->size(), 103u);
        EXPECT_EQ(g_text.get(), &*g_text);
        {
          lock_guard guard(lock);
          places.insert(g_text.get());
        }
        here++;
        while (here < contexts) this_thread::yield();  // all alive at once
      });
    }
    all.join();
    EXPECT_EQ(places.size(), static_cast<size_t>(contexts));
  });
}

// What has no other constructor, and cannot be moved.
struct Fixed {
  explicit Fixed(int n) : number(n) {}
  Fixed(const Fixed&) = delete;
  int number;
};

// Its constructor leaves the number to the zeros that a thread_local begins with.
struct Counters {
  Counters() {}  // NOLINT(modernize-use-equals-default,cppcoreguidelines-pro-type-member-init)
  uint64_t counts[40];
};

TEST_P(StdThreadLocalPtrTest, WhatAConstructorLeavesAloneIsZero) {
  static thread_local_ptr<Counters> counters;
  run([this] {
    for (int round = 0; round < 4; round++) {
      auto some = crew();
      for (int i = 0; i < 4; i++) {
        some.start([] {
          for (uint64_t& count : counters->counts) {
            EXPECT_EQ(count, 0u);
            count = 7;  // into memory that another one may get
          }
        });
      }
      some.join();
    }
  });
}

TEST_P(StdThreadLocalPtrTest, EachComputesItsOwnInitialValue) {
  run([this] {
    auto all = crew();
    for (int i = 0; i < 3; i++) {
      all.start([i] {
        static thread_local_ptr<Fixed> fixed;
        static thread_local_ptr<Fixed> seven{[]() -> Fixed { return Fixed(7); }};
        for (int n = i; n < i + 3; n++) {
          EXPECT_EQ(fixed.make_with([&]() -> Fixed { return Fixed(n); }).number, i);
          EXPECT_EQ((*fixed).number, i);
          this_thread::yield();
        }
        EXPECT_EQ(seven->number, 7);
        EXPECT_EQ(*g_made, "made");
        g_made->push_back(static_cast<char>('0' + i));
        this_thread::yield();
        EXPECT_EQ(*g_made, "made" + std::to_string(i));
      });
    }
    all.join();
  });
}

TEST_P(StdThreadLocalPtrTest, LivesFromTheFirstUseToTheEndOfItsThread) {
  run([this] {
    static std::atomic<int> made{0}, destroyed{0};
    struct Counted {
      std::shared_ptr<int> argument;
      explicit Counted(std::shared_ptr<int> from) : argument(std::move(from)) { made++; }
      ~Counted() { destroyed++; }
    };
    made = destroyed = 0;
    auto argument = std::make_shared<int>(1);
    {
      thread_local_ptr<Counted, std::shared_ptr<int>> local(argument);
      EXPECT_EQ(argument.use_count(), 2);
      auto some = crew();
      for (int i = 0; i < 6; i++) {
        some.start([&, i] {
          if (i < 4) {
            EXPECT_EQ(local->argument, argument);
            EXPECT_EQ(local->argument, argument);
          }
        });
      }
      some.join();
      EXPECT_EQ(made, 4);
      EXPECT_EQ(destroyed, 4);
    }
    EXPECT_EQ(argument.use_count(), 1);
  });
}

TEST_P(StdThreadLocalPtrTest, HoldsArraysAggregatesAndPointers) {
  run([this] {
    struct Pair {
      int a;
      std::string b;
    };
    thread_local_ptr<char[64]> buffer;
    thread_local_ptr<Pair, int, const char*> pair(7, "seven");
    thread_local_ptr<int*, std::nullptr_t> pointer(nullptr);
    auto some = crew();
    for (int i = 0; i < 3; i++) {
      some.start([&] {
        for (char c : *buffer) EXPECT_EQ(c, 0);
        (*buffer)[5] = 'c';
        this_thread::yield();
        EXPECT_EQ((*buffer)[5], 'c');
        EXPECT_EQ(pair->a, 7);
        EXPECT_EQ(pair->b, "seven");
        EXPECT_EQ(*pointer, nullptr);
      });
    }
  });
}

// The first uses race for the key, and a key used again shows no value of its former owner.
TEST_P(StdThreadLocalPtrTest, ManyComeAndGo) {
  run([this] {
    for (int round = 0; round < 100 / kScaleDown + 1; round++) {
      thread_local_ptr<int, int> first(round), second(-round);
      auto some = crew();
      for (int i = 0; i < 4; i++) {
        some.start([&] {
          EXPECT_EQ(*first, round);
          EXPECT_EQ(*second, -round);
        });
      }
      EXPECT_EQ(*first, round);
      some.join();
    }
  });
}

}  // namespace
}  // namespace fiber_std
