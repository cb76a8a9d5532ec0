// The performance contexts themselves: whose they are, and their text.
#include "base/perf.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "fiber/guest.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

constexpr PerfMetric kMetric = &PerfContext::block_read_count;

class PerfTest : public ::testing::Test {
 protected:
  void SetUp() override { Restore(); }
  void TearDown() override { Restore(); }
  static void Restore() {
    SetPerfLevel(kEnableCount);
    get_perf_context()->ClearPerLevelPerfContext();
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
  }
};

TEST_F(PerfTest, AThreadCountsFromItsStart) {
  fiber::Thread thread("test", [] {
    EXPECT_EQ(kEnableCount, GetPerfLevel());
    Perf().Count(kMetric, 3);
    EXPECT_EQ(3u, get_perf_context()->block_read_count);
    EXPECT_EQ(4u, get_iostats_context()->thread_pool_id);
  });
  thread.join();
  EXPECT_EQ(0u, get_perf_context()->block_read_count);
}

TEST_F(PerfTest, TheLevelDecidesWhatIsMeasured) {
  const auto act = [] {
    Perf().Count(kMetric);
    CountIO(&IOStatsContext::bytes_read, 10);
    const PerfTimer wait(Perf(), &PerfContext::write_delay_time, kEnableWait);
    const PerfTimer time(Perf(), &PerfContext::block_read_time);
    const PerfCpuTimer cpu(Perf(), &PerfContext::get_cpu_nanos);
    const PerfTimer mutex(Perf(), &PerfContext::db_mutex_lock_nanos, kEnableTime);
    for (const uint64_t until = fiber::thread_cpu_nanos() + 20000;
         fiber::thread_cpu_nanos() < until;) {
    }
  };
  const PerfContext& context = *get_perf_context();
  for (int level = kDisable; level <= kEnableTime; ++level) {
    SetPerfLevel(static_cast<PerfLevel>(level));
    EXPECT_EQ(level, GetPerfLevel());
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
    act();
    EXPECT_EQ(level >= kEnableCount, context.block_read_count > 0) << level;
    EXPECT_EQ(level >= kEnableWait, context.write_delay_time > 0) << level;
    EXPECT_EQ(level >= kEnableTimeExceptForMutex, context.block_read_time > 0) << level;
    EXPECT_EQ(level >= kEnableTimeAndCPUTimeExceptForMutex, context.get_cpu_nanos > 0) << level;
    EXPECT_EQ(level >= kEnableTime, context.db_mutex_lock_nanos > 0) << level;
    EXPECT_EQ(10u, get_iostats_context()->bytes_read) << level;
  }
  SetPerfLevel(kUninitialized);
  EXPECT_EQ(kDisable, GetPerfLevel());
  SetPerfLevel(kOutOfBounds);
  EXPECT_EQ(kEnableTime, GetPerfLevel());
}

TEST_F(PerfTest, FibersOfOneWorkerDoNotMix) {
  fiber::Runtime runtime;  // one worker
  const auto client = [](PerfLevel level, uint64_t step) {
    SetPerfLevel(level);
    PerfContext* const mine = get_perf_context();
    for (uint64_t i = 1; i <= 100; ++i) {
      Perf().Count(kMetric, step);
      CountIO(&IOStatsContext::bytes_read, step);
      fiber::yield();
      EXPECT_EQ(mine, get_perf_context());
      EXPECT_EQ(level, GetPerfLevel());
      EXPECT_EQ(level == kDisable ? 0 : i * step, mine->block_read_count);
      EXPECT_EQ(i * step, get_iostats_context()->bytes_read);
    }
  };
  runtime.run([&] {
    auto one = fiber::spawn([&] { client(kEnableCount, 1); });
    auto two = fiber::spawn([&] { client(kEnableTime, 1000); });
    auto three = fiber::spawn([&] { client(kDisable, 7); });
    one.join();
    two.join();
    three.join();
    EXPECT_EQ(0u, get_perf_context()->block_read_count);
  });
  EXPECT_EQ(0u, get_perf_context()->block_read_count);
}

TEST_F(PerfTest, ANewFiberBeginsAnewOnAnOldStack) {
  fiber::Runtime runtime;
  runtime.run([&] {
    for (int i = 0; i < 10; ++i) {
      fiber::spawn([] {
        EXPECT_EQ(kEnableCount, GetPerfLevel());
        EXPECT_EQ(0u, get_perf_context()->block_read_count);
        Perf().Count(kMetric);
        SetPerfLevel(kDisable);
      }).join();
    }
  });
}

TEST_F(PerfTest, AFiberTakesItsCountsAlong) {
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  const auto traveller = [](uint64_t step) {
    PerfContext* const mine = get_perf_context();
    SetPerfLevel(kEnableTime);
    for (uint64_t i = 1; i <= 50; ++i) {
      const PerfTimer timer(Perf(), &PerfContext::block_read_time);
      Perf().Count(kMetric, step);
      ASSERT_EQ(0, fiber::migrate(1 - fiber::current_worker()));
      EXPECT_EQ(mine, get_perf_context());
      EXPECT_EQ(kEnableTime, GetPerfLevel());
      EXPECT_EQ(i * step, get_perf_context()->block_read_count);
    }
    EXPECT_GT(mine->block_read_time, 0u);
  };
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (uint64_t i = 1; i <= 8; ++i) {
      handles.push_back(fiber::spawn([&traveller, i] { traveller(i); }));
    }
    for (auto& handle : handles) handle.join();
  });
}

TEST_F(PerfTest, HelpersCountForTheirCaller) {
  const auto gather = [] {
    const Perf caller;
    std::vector<fiber::Function> functions(3);
    for (fiber::Function& function : functions) {
      function = [caller] {
        const PerfScope scope(caller);
        Perf().Count(kMetric);
        fiber::yield();
        Perf().Count(kMetric);
      };
    }
    get_perf_context()->Reset();
    fiber::gather(functions);
    EXPECT_EQ(GetPerfLevel() == kDisable ? 0u : 6u, get_perf_context()->block_read_count);
  };
  gather();  // on a plain thread
  SetPerfLevel(kDisable);
  gather();
  fiber::Runtime runtime;
  runtime.run(gather);
}

TEST_F(PerfTest, SimulatedThreadsHaveTheirOwn) {
  Perf().Count(kMetric, 5);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    fiber::SimulationOptions options;
    options.seed = seed;
    const auto result = fiber::Simulation(options).run([] {
      const auto client = [](uint64_t step) {
        for (uint64_t i = 1; i <= 20; ++i) {
          Perf().Count(kMetric, step);
          fiber::interleave();
          EXPECT_EQ(i * step, get_perf_context()->block_read_count);
        }
      };
      fiber::Thread one("one", [&] { client(1); });
      fiber::Thread two("two", [&] { client(100); });
      client(10000);
      one.join();
      two.join();
    });
    EXPECT_EQ(fiber::SimulationResult::Status::kFinished, result.status) << "seed " << seed;
  }
  EXPECT_EQ(5u, get_perf_context()->block_read_count);
}

TEST_F(PerfTest, TextNamesEachCounter) {
  PerfContext context;
  EXPECT_EQ("", context.ToString(/*exclude_zero_counters=*/true));
  context.block_read_count = 2;
  context.metadata_block_read_byte = 7;
  EXPECT_EQ("block_read_count = 2, metadata_block_read_byte = 7", context.ToString(true));
  const std::string all = context.ToString();
  EXPECT_EQ(0u, all.find("user_key_comparison_count = 0, block_cache_hit_count = 0, "));
  EXPECT_NE(std::string::npos, all.find(", number_async_seek = 0, "));
  context.EnablePerLevelPerfContext();
  (*context.level_to_perf_context)[0].bloom_filter_useful = 4;
  (*context.level_to_perf_context)[2].bloom_filter_useful = 5;
  EXPECT_NE(std::string::npos,
            context.ToString(true).find("bloom_filter_useful = 4@level0, 5@level2"));
  context.DisablePerLevelPerfContext();
  EXPECT_EQ(std::string::npos, context.ToString(true).find("bloom_filter_useful"));

  IOStatsContext io;
  io.Reset();
  io.bytes_read = 3;
  EXPECT_EQ("thread_pool_id = 4, bytes_read = 3", io.ToString(true));
}

TEST_F(PerfTest, CopiesAreValues) {
  PerfContext one;
  one.block_read_count = 1;
  one.EnablePerLevelPerfContext();
  (*one.level_to_perf_context)[1].block_cache_hit_count = 8;
  PerfContext two = one;
  EXPECT_NE(one.level_to_perf_context, two.level_to_perf_context);
  one.Reset();
  EXPECT_EQ(0u, one.block_read_count);
  EXPECT_EQ(0u, one.level_to_perf_context->at(1).block_cache_hit_count);
  EXPECT_EQ(1u, two.block_read_count);
  EXPECT_EQ(8u, two.level_to_perf_context->at(1).block_cache_hit_count);
  two.Merge(PerfContext(two));
  EXPECT_EQ(2u, two.block_read_count);
  EXPECT_EQ(16u, two.level_to_perf_context->at(1).block_cache_hit_count);
  PerfContext three = std::move(two);
  EXPECT_EQ(16u, three.level_to_perf_context->at(1).block_cache_hit_count);
  EXPECT_EQ(nullptr, two.level_to_perf_context);
  three = one;
  EXPECT_EQ(0u, three.block_read_count);
  three.ClearPerLevelPerfContext();
  EXPECT_EQ(nullptr, three.level_to_perf_context);
  EXPECT_FALSE(three.per_level_perf_context_enabled);
}

}  // namespace
}  // namespace cairn
