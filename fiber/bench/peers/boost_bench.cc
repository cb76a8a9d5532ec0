// Boost.Context and Boost.Fiber at the same work as core_bench.cc, each on one thread. Built where
// Debian's packages are installed (scripts/install-deps.sh bench).
#include <benchmark/benchmark.h>

#include <boost/context/fiber.hpp>
#include <boost/fiber/all.hpp>
#include <cstdint>
#include <vector>

namespace {

// One iteration is two switches.
void BM_BoostContextSwitch(benchmark::State& state) {
  constexpr int64_t kBatch = 1000;
  boost::context::fiber other([](boost::context::fiber&& back) {
    for (;;) back = std::move(back).resume();
    return std::move(back);
  });
  while (state.KeepRunningBatch(kBatch)) {
    for (int64_t i = 0; i < kBatch; i++) other = std::move(other).resume();
  }
  state.counters["ns/switch"] =
      benchmark::Counter(2e-9 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_BoostContextSwitch);

// One iteration is one yield of one of the fibers.
void BM_BoostYield(benchmark::State& state) {
  constexpr int kTurns = 1000;
  while (state.KeepRunningBatch(kTurns * state.range(0))) {
    std::vector<boost::fibers::fiber> fibers;
    for (int i = 0; i < state.range(0); i++) {
      fibers.emplace_back([] {
        for (int n = 0; n < kTurns; n++) boost::this_fiber::yield();
      });
    }
    for (auto& fiber : fibers) fiber.join();
  }
}
BENCHMARK(BM_BoostYield)->Arg(2)->Arg(100)->UseRealTime();

void BM_BoostSpawnJoin(benchmark::State& state) {
  for (auto _ : state) boost::fibers::fiber([] {}).join();
}
BENCHMARK(BM_BoostSpawnJoin)->UseRealTime();

void BM_BoostSpawnJoinBatch1000(benchmark::State& state) {
  std::vector<boost::fibers::fiber> fibers(1000);
  for (auto _ : state) {
    for (auto& fiber : fibers) fiber = boost::fibers::fiber([] {});
    for (auto& fiber : fibers) fiber.join();
  }
  state.counters["ns/fiber"] =
      benchmark::Counter(1000.0 * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_BoostSpawnJoinBatch1000)->UseRealTime();

void BM_BoostMutex(benchmark::State& state) {
  boost::fibers::mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  }
}
BENCHMARK(BM_BoostMutex);

// One iteration is one lock, yield, unlock of anybody.
void BM_BoostContendedWithYieldInside(benchmark::State& state) {
  boost::fibers::mutex mutex;
  bool stop = false;
  int64_t sections = 0;
  auto section = [&] {
    mutex.lock();
    sections++;
    boost::this_fiber::yield();
    mutex.unlock();
  };
  std::vector<boost::fibers::fiber> others;
  for (int64_t i = 1; i < state.range(0); i++) {
    others.emplace_back([&] {
      while (!stop) section();
    });
  }
  section();
  const int64_t before = sections;
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) section();
  const std::chrono::duration<double, std::nano> nanos = std::chrono::steady_clock::now() - start;
  state.counters["ns/section"] = nanos.count() / static_cast<double>(sections - before);
  stop = true;
  for (auto& fiber : others) fiber.join();
}
BENCHMARK(BM_BoostContendedWithYieldInside)->Arg(2)->Arg(100)->UseRealTime();

// One iteration is a round trip.
void BM_BoostPingPong(benchmark::State& state) {
  boost::fibers::unbuffered_channel<int> ping, pong;
  boost::fibers::fiber echo([&] {
    int value;
    while (ping.pop(value) == boost::fibers::channel_op_status::success) pong.push(value);
  });
  int value = 0;
  for (auto _ : state) {
    ping.push(1);
    pong.pop(value);
  }
  ping.close();
  echo.join();
}
BENCHMARK(BM_BoostPingPong)->UseRealTime();

}  // namespace
