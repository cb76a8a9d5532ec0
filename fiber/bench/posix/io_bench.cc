// File I/O on fibers next to what it stands on: a cached 4 KiB read against pread() on a thread,
// O_DIRECT reads of many fibers against a bare ring.
//
// The file lies in $FIBER_BENCH_DIR (default /var/tmp), 256 MiB, written anew each time.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <liburing.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine_ring.h"
#include "fiber/guest.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "io_blocking.h"

namespace fiber {
namespace {

constexpr size_t kBlock = 4096;
constexpr size_t kFileSize = size_t{256} << 20;
constexpr size_t kBlocks = kFileSize / kBlock;
// Small enough to stay in the processor's cache as well.
constexpr size_t kHotBlocks = 64;

// The file, written and synced with the first use; unlinked, so that it goes with the process.
int data_file(int flags) {
  static const std::string path = [] {
    const char* dir = std::getenv("FIBER_BENCH_DIR");
    std::string name = std::string(dir != nullptr ? dir : "/var/tmp") + "/fiber_io_bench_XXXXXX";
    const int fd = ::mkstemp(name.data());
    std::vector<char> chunk(1 << 20, 'x');
    for (size_t at = 0; fd >= 0 && at < kFileSize; at += chunk.size()) {
      if (io::pwrite(fd, chunk.data(), chunk.size(), at) != static_cast<ssize_t>(chunk.size()))
        break;
    }
    if (fd < 0 || io::fsync(fd) != 0) std::perror(name.c_str());
    io::close(fd);
    static std::string kept;
    kept = name;
    std::atexit([] { ::unlink(kept.c_str()); });
    return name;
  }();
  return io::open(path.c_str(), flags);
}

uint64_t next_block(uint64_t* state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return (*state >> 33) % kBlocks;
}

char* aligned_block() { return static_cast<char*>(std::aligned_alloc(kBlock, kBlock)); }

void warm(int fd) {
  char buffer[kBlock];
  for (size_t i = 0; i < kHotBlocks; ++i) io::pread(fd, buffer, kBlock, i * kBlock);
}

// --- cached reads

template <class Read>
void cached_loop(benchmark::State& state, Read read) {
  const int fd = data_file(O_RDONLY);
  warm(fd);
  alignas(64) static char buffer[kBlock];
  uint64_t i = 0;
  for (auto _ : state) {
    if (read(fd, buffer, i++ % kHotBlocks * kBlock) != static_cast<ssize_t>(kBlock)) {
      state.SkipWithError("short read");
      break;
    }
  }
  io::close(fd);
}

void BM_CachedReadThread(benchmark::State& state) {
  cached_loop(state, [](int fd, char* data, uint64_t at) { return ::pread(fd, data, kBlock, at); });
}
BENCHMARK(BM_CachedReadThread);

// The system call that fibers use, as a lower bound for them.
void BM_CachedReadThreadNowait(benchmark::State& state) {
  cached_loop(state, [](int fd, char* data, uint64_t at) {
    return io::blocking::pread_cached(fd, data, kBlock, at);
  });
}
BENCHMARK(BM_CachedReadThreadNowait);

void BM_CachedReadFiber(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    cached_loop(state,
                [](int fd, char* data, uint64_t at) { return io::pread(fd, data, kBlock, at); });
  });
}
BENCHMARK(BM_CachedReadFiber);

// Sixteen cached reads as the parts of a gather() on a plain thread; the time is for all.
void BM_CachedReadGather16(benchmark::State& state) {
  const int fd = data_file(O_RDONLY);
  warm(fd);
  static char buffers[16][kBlock];
  std::vector<Function> parts;
  for (int i = 0; i < 16; ++i) {
    parts.emplace_back(
        [fd, i] { benchmark::DoNotOptimize(io::pread(fd, buffers[i], kBlock, i * kBlock)); });
  }
  for (auto _ : state) gather(parts);
  state.SetItemsProcessed(state.iterations() * 16);
  io::close(fd);
}
BENCHMARK(BM_CachedReadGather16);

void BM_SmallWriteThread(benchmark::State& state) {
  const int fd = data_file(O_RDWR);
  char buffer[200] = {};
  uint64_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(::pwrite(fd, buffer, sizeof(buffer), i++ % 4096 * sizeof(buffer)));
  io::close(fd);
}
BENCHMARK(BM_SmallWriteThread);

void BM_SmallWriteFiber(benchmark::State& state) {
  Runtime runtime;
  runtime.run([&] {
    const int fd = data_file(O_RDWR);
    char buffer[200] = {};
    uint64_t i = 0;
    for (auto _ : state) {
      benchmark::DoNotOptimize(io::pwrite(fd, buffer, sizeof(buffer), i++ % 4096 * sizeof(buffer)));
    }
    io::close(fd);
  });
}
BENCHMARK(BM_SmallWriteFiber);

// --- O_DIRECT random reads; the argument is how many are outstanding, an iteration is 8192 reads

constexpr int kReadsPerIteration = 8192;

void direct_on_fibers(benchmark::State& state, Engine engine) {
  const int depth = static_cast<int>(state.range(0));
  Runtime runtime({.workers = 1, .engine = engine});
  if (runtime.engine() != engine) {
    state.SkipWithError("engine not available");
    return;
  }
  const int fd = data_file(O_RDONLY | O_DIRECT);
  if (fd < 0) {
    state.SkipWithError("no O_DIRECT here");
    return;
  }
  bool failed = false;
  uint64_t seed = 1;
  for (auto _ : state) {
    runtime.run([&] {
      int left = kReadsPerIteration;
      std::vector<JoinHandle> readers;
      for (int f = 0; f < depth; ++f) {
        readers.push_back(spawn([&] {
          char* buffer = aligned_block();
          while (left-- > 0) {
            if (io::pread(fd, buffer, kBlock, next_block(&seed) * kBlock) !=
                static_cast<ssize_t>(kBlock)) {
              failed = true;
            }
          }
          std::free(buffer);
        }));
      }
      for (JoinHandle& reader : readers) reader.join();
    });
  }
  if (failed) state.SkipWithError("read failed");
  state.SetItemsProcessed(state.iterations() * kReadsPerIteration);
  io::close(fd);
}

void BM_DirectReadsFibers(benchmark::State& state) { direct_on_fibers(state, Engine::kIoUring); }
BENCHMARK(BM_DirectReadsFibers)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

void BM_DirectReadsFibersThreads(benchmark::State& state) {
  direct_on_fibers(state, Engine::kEpoll);
}
BENCHMARK(BM_DirectReadsFibersThreads)->Arg(32)->Arg(128)->UseRealTime();

void BM_DirectReadsBareRing(benchmark::State& state) {
  const unsigned depth = static_cast<unsigned>(state.range(0));
  const int fd = data_file(O_RDONLY | O_DIRECT);
  const detail::RingSupport& support = detail::ring_support();
  io_uring ring;
  if (fd < 0 || support.error != 0 || io_uring_queue_init(256, &ring, support.setup_flags) != 0) {
    state.SkipWithError("no O_DIRECT or no io_uring here");
    return;
  }
  std::vector<char*> buffers;
  for (unsigned i = 0; i < depth; ++i) buffers.push_back(aligned_block());
  bool failed = false;
  uint64_t seed = 1;
  for (auto _ : state) {
    int to_start = kReadsPerIteration, to_end = kReadsPerIteration;
    auto start = [&](char* buffer) {
      if (to_start == 0) return;
      --to_start;
      io_uring_sqe* sqe = io_uring_get_sqe(&ring);
      io_uring_prep_read(sqe, fd, buffer, kBlock, next_block(&seed) * kBlock);
      io_uring_sqe_set_data(sqe, buffer);
    };
    for (char* buffer : buffers) start(buffer);
    while (to_end > 0) {
      io_uring_submit_and_wait(&ring, 1);
      io_uring_cqe* cqe;
      unsigned head, seen = 0;
      io_uring_for_each_cqe(&ring, head, cqe) {
        if (cqe->res != static_cast<int>(kBlock)) failed = true;
        start(static_cast<char*>(io_uring_cqe_get_data(cqe)));
        ++seen;
      }
      io_uring_cq_advance(&ring, seen);
      to_end -= static_cast<int>(seen);
    }
  }
  if (failed) state.SkipWithError("read failed");
  state.SetItemsProcessed(state.iterations() * kReadsPerIteration);
  for (char* buffer : buffers) std::free(buffer);
  io_uring_queue_exit(&ring);
  io::close(fd);
}
BENCHMARK(BM_DirectReadsBareRing)->Arg(1)->Arg(32)->Arg(128)->UseRealTime();

}  // namespace
}  // namespace fiber
