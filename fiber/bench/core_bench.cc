// The runtime core against its targets (README), with std::mutex, std::thread and a bare futex
// beside it.
//
// "Time" is wall time per item. Run on a quiet machine, several times (--benchmark_repetitions),
// and take the minimum.
#include <benchmark/benchmark.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "context.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fiber/wait.h"
#include "futex.h"
#include "port_testing.h"
#include "stack.h"

namespace fiber {
namespace {

// ---- Raw switch

void* g_main_sp;
void* g_other_sp;

// Both sides run this loop, as the fibers of a program mostly suspend in the same function of the
// scheduler.
#if defined(__clang__)
__attribute__((noinline))
#else
__attribute__((noinline, noclone))
#endif
void bounce_times(void** save, void** to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    detail::switch_stack(save, *to);
    benchmark::ClobberMemory();
  }
}

void bounce(void*) { bounce_times(&g_other_sp, &g_main_sp, INT64_MAX); }

// One iteration is two switches.
void BM_RawSwitch(benchmark::State& state) {
  constexpr int64_t kBatch = 1000;
  detail::Stack* stack = detail::StackPool::for_size(64 << 10)->allocate();
  g_other_sp = detail::prepare_stack(stack->bottom, stack->top, bounce, nullptr);
  while (state.KeepRunningBatch(kBatch)) bounce_times(&g_main_sp, &g_other_sp, kBatch);
  state.counters["ns/switch"] =
      benchmark::Counter(2e-9 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_RawSwitch);

// ---- Scheduler

// Fibers of one worker that only yield; one iteration is one yield of one of them.
void BM_Yield(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    constexpr int kTurns = 1000;
    while (state.KeepRunningBatch(kTurns * state.range(0))) {
      std::vector<JoinHandle> handles;
      for (int i = 0; i < state.range(0); i++) {
        handles.push_back(spawn([&] {
          for (int n = 0; n < kTurns; n++) yield();
        }));
      }
    }
  });
}
BENCHMARK(BM_Yield)->Arg(2)->Arg(100)->UseRealTime();

void BM_SpawnJoin(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    for (auto _ : state) spawn([] {}).join();
  });
}
BENCHMARK(BM_SpawnJoin)->UseRealTime();

void BM_SpawnJoinBatch1000(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    std::vector<JoinHandle> handles(1000);
    for (auto _ : state) {
      for (JoinHandle& handle : handles) handle = spawn([] {});
      for (JoinHandle& handle : handles) handle.join();
    }
  });
  state.counters["ns/fiber"] =
      benchmark::Counter(1000.0 * static_cast<double>(state.iterations()) * 1e-9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_SpawnJoinBatch1000)->UseRealTime();

void BM_StdThreadSpawnJoin(benchmark::State& state) {
  for (auto _ : state) std::thread([] {}).join();
}
BENCHMARK(BM_StdThreadSpawnJoin)->UseRealTime();

// ---- Uncontended locks

void BM_StdMutex(benchmark::State& state) {
  std::mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  }
}
BENCHMARK(BM_StdMutex);

void BM_MutexOnThread(benchmark::State& state) {
  Mutex mutex;
  for (auto _ : state) {
    mutex.lock();
    benchmark::ClobberMemory();
    mutex.unlock();
  }
}
BENCHMARK(BM_MutexOnThread);

void BM_MutexOnFiber(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] { BM_MutexOnThread(state); });
}
BENCHMARK(BM_MutexOnFiber)->UseRealTime();

void BM_SharedMutexReader(benchmark::State& state) {
  SharedMutex mutex;
  for (auto _ : state) {
    mutex.lock_shared();
    benchmark::ClobberMemory();
    mutex.unlock_shared();
  }
}
BENCHMARK(BM_SharedMutexReader);

// ---- Contended locks

// Fibers of one worker, each with a yield inside the lock; one iteration is one lock, yield, unlock
// of anybody.
void BM_ContendedWithYieldInside(benchmark::State& state) {
  Runtime runtime;
  const int fibers = static_cast<int>(state.range(0));
  int64_t sections = 0, measured = 0;
  runtime.run([&] {
    Mutex mutex;
    bool stop = false;
    std::vector<JoinHandle> others;
    auto section = [&] {
      MutexLock lock(&mutex);
      sections++;
      yield();
    };
    for (int i = 1; i < fibers; i++) {
      others.push_back(spawn([&] {
        while (!stop) section();
      }));
    }
    section();
    const int64_t before = sections;
    const uint64_t start = now_nanos();
    for (auto _ : state) section();
    measured = sections - before;
    state.counters["ns/section"] =
        static_cast<double>(now_nanos() - start) / static_cast<double>(measured);
    stop = true;
  });
}
BENCHMARK(BM_ContendedWithYieldInside)->Arg(2)->Arg(100)->UseRealTime();

template <class Lock>
void contended_threads(benchmark::State& state, Lock* lock) {
  for (auto _ : state) {
    lock->lock();
    benchmark::ClobberMemory();
    lock->unlock();
  }
}
void BM_ContendedThreadsMutex(benchmark::State& state) {
  static Mutex mutex;
  contended_threads(state, &mutex);
}
BENCHMARK(BM_ContendedThreadsMutex)->Threads(2)->Threads(8)->UseRealTime();
void BM_ContendedThreadsStdMutex(benchmark::State& state) {
  static std::mutex mutex;
  contended_threads(state, &mutex);
}
BENCHMARK(BM_ContendedThreadsStdMutex)->Threads(2)->Threads(8)->UseRealTime();

// ---- Ping-pong: one iteration is a round trip

struct Pair {
  Semaphore ping{0};
  Semaphore pong{0};
  std::atomic<bool> stop{false};

  void echo() {
    for (;;) {
      ping.acquire();
      if (stop) return;
      pong.release();
    }
  }
  void drive(benchmark::State& state) {
    for (auto _ : state) {
      ping.release();
      pong.acquire();
    }
    stop = true;
    ping.release();
  }
};

void BM_PingPongOneWorker(benchmark::State& state) {
  Runtime runtime;
  Pair pair;
  JoinHandle echo = runtime.spawn([&] { pair.echo(); });
  runtime.run([&] { pair.drive(state); });
}
BENCHMARK(BM_PingPongOneWorker)->UseRealTime();

void BM_PingPongTwoWorkers(benchmark::State& state) {
  Runtime left, right;
  Pair pair;
  JoinHandle echo = left.spawn([&] { pair.echo(); });
  right.run([&] { pair.drive(state); });
}
BENCHMARK(BM_PingPongTwoWorkers)->UseRealTime();

void BM_PingPongFiberAndThread(benchmark::State& state) {
  Runtime runtime;
  Pair pair;
  JoinHandle echo = runtime.spawn([&] { pair.echo(); });
  pair.drive(state);
}
BENCHMARK(BM_PingPongFiberAndThread)->UseRealTime();

void BM_PingPongTwoThreads(benchmark::State& state) {
  Pair pair;
  Thread echo("echo", [&] { pair.echo(); });
  pair.drive(state);
}
BENCHMARK(BM_PingPongTwoThreads)->UseRealTime();

// The yardstick: two threads on a bare futex, no spinning.
void BM_PingPongBareFutex(benchmark::State& state) {
  std::atomic<uint32_t> ping{0}, pong{0};
  std::atomic<bool> stop{false};
  auto post = [](std::atomic<uint32_t>& word) {
    word.store(1);
    detail::futex_wake(&word);
  };
  auto await = [](std::atomic<uint32_t>& word) {
    while (word.exchange(0) == 0) detail::futex_wait(&word, 0);
  };
  std::thread echo([&] {
    for (;;) {
      await(ping);
      if (stop) return;
      post(pong);
    }
  });
  for (auto _ : state) {
    post(ping);
    await(pong);
  }
  stop = true;
  post(ping);
  echo.join();
}
BENCHMARK(BM_PingPongBareFutex)->UseRealTime();

// ---- Timers under load

// How late a sleeper runs while eight others keep the run queue full; one iteration is one sleep of
// 50 us.
void BM_TimerUnderBusyQueue(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    bool stop = false;
    std::vector<JoinHandle> busy;
    for (int i = 0; i < 8; i++) {
      busy.push_back(spawn([&] {
        while (!stop) yield();
      }));
    }
    uint64_t late = 0;
    for (auto _ : state) {
      const uint64_t deadline = deadline_after(50000);
      sleep_until(deadline);
      late += now_nanos() - deadline;
    }
    state.counters["late_ns"] = static_cast<double>(late) / static_cast<double>(state.iterations());
    stop = true;
  });
}
BENCHMARK(BM_TimerUnderBusyQueue)->UseRealTime();

// ---- Memory

void BM_IdleFibers(benchmark::State& state) {
  const int count = testing::kIdleFibers;
  for (auto _ : state) {
    Runtime runtime;
    Event go;
    std::atomic<int> waiting{0};
    const size_t before = testing::resident_bytes();
    std::vector<JoinHandle> handles;
    handles.reserve(count);
    for (int i = 0; i < count; i++) {
      handles.push_back(runtime.spawn([&] {
        waiting++;
        go.wait();
      }));
    }
    while (waiting < count) sleep_for(1000000);
    state.counters["bytes/fiber"] =
        static_cast<double>((testing::resident_bytes() - before) / count);
    go.set();
  }
}
BENCHMARK(BM_IdleFibers)->Iterations(1)->Unit(benchmark::kMillisecond);

// ---- Small things

void BM_NowNanos(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(now_nanos());
}
BENCHMARK(BM_NowNanos);

void BM_RandomU64(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(random_u64());
}
BENCHMARK(BM_RandomU64);

}  // namespace
}  // namespace fiber
