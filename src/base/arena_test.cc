#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

using Piece = std::pair<char*, size_t>;

// Fills each piece with a value of its own, so that an overlap shows.
void Fill(const std::vector<Piece>& pieces) {
  for (size_t i = 0; i < pieces.size(); i++) {
    memset(pieces[i].first, static_cast<int>(i & 0xff), pieces[i].second);
  }
}
void Check(const std::vector<Piece>& pieces) {
  for (size_t i = 0; i < pieces.size(); i++) {
    for (size_t b = 0; b < pieces[i].second; b++) {
      ASSERT_EQ(static_cast<char>(i & 0xff), pieces[i].first[b]) << "piece " << i;
    }
  }
}

template <typename ArenaType>
std::vector<Piece> AllocateMany(ArenaType* arena, uint64_t seed, int count) {
  Random64 rng(seed);
  std::vector<Piece> pieces;
  for (int i = 0; i < count; i++) {
    const size_t bytes =
        rng.OneIn(200) ? 1 + rng.Uniform(6000) : 1 + rng.Uniform(i % 2 == 0 ? 20 : 100);
    const bool aligned = rng.OneIn(2);
    char* p = aligned ? arena->AllocateAligned(bytes) : arena->Allocate(bytes);
    if (aligned) {
      EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(p) % Arena::kAlignment);
    }
    pieces.emplace_back(p, bytes);
  }
  return pieces;
}

TEST(Arena, PiecesDoNotOverlapAndUsageAddsUp) {
  const uint64_t seed = 7;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Arena arena;
  EXPECT_EQ(0u, arena.MemoryAllocatedBytes());
  const auto pieces = AllocateMany(&arena, seed, 20000);
  size_t requested = 0;
  for (const auto& piece : pieces) requested += piece.second;
  EXPECT_GE(arena.ApproximateMemoryUsage(), requested);
  EXPECT_LE(arena.ApproximateMemoryUsage(), requested + requested / 4);
  Fill(pieces);
  Check(pieces);
}

TEST(Arena, LargeRequestsDoNotSpoilTheCurrentBlock) {
  Arena arena(64 << 10);
  arena.Allocate(100);
  const size_t left = arena.AllocatedAndUnused();
  arena.AllocateAligned(66 << 10);
  arena.Allocate(1 << 20);
  EXPECT_EQ(left, arena.AllocatedAndUnused());
}

// What the system refuses is made up for, and said once.
class WarningLog final : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    char line[500];
    vsnprintf(line, sizeof(line), format, arguments);
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

struct CountingTracker final : AllocationTracker {
  void Allocated(size_t bytes) override { total += bytes; }
  size_t total = 0;
};

TEST(Arena, BlocksOfHugePagesAreAlignedAndCounted) {
  constexpr size_t kPage = 2 << 20;
  WarningLog log;
  CountingTracker tracker;
  Arena arena(
      {.block_size = kPage, .huge_page_size = kPage, .tracker = &tracker, .info_log = &log});
  arena.Allocate(10);
  EXPECT_EQ(arena.MemoryAllocatedBytes(), 4096u) << "the first block is small and ordinary";
  arena.Allocate(5000);
  EXPECT_EQ(arena.MemoryAllocatedBytes(), 4096 + kPage);
  const char* const big = arena.AllocateAligned(kPage + 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(big) % kPage, 0u);
  EXPECT_EQ(arena.MemoryAllocatedBytes(), 4096 + 3 * kPage);
  EXPECT_EQ(tracker.total, arena.MemoryAllocatedBytes());
  const auto pieces = AllocateMany(&arena, 11, 3000);
  Fill(pieces);
  Check(pieces);
  EXPECT_LE(log.lines.size(), 1u);  // none where pages are reserved
}

TEST(Arena, APageSizeThatTheSystemLacksIsReplaced) {
  // No system reserves huge pages of 64 MiB (x86-64) or of 128 MiB (aarch64).
  constexpr size_t kPage = 128 << 20;
  WarningLog log;
  HugePages pages(kPage, /*reserved=*/true, /*pool=*/nullptr, &log);
  for (int i = 0; i < 2; ++i) {
    size_t bytes = 1000;
    char* const block = pages.Allocate(&bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(bytes, kPage);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kPage, 0u);
    block[0] = block[bytes - 1] = 'x';
  }
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_NE(log.lines[0].find("memtable_huge_page_size"), std::string::npos) << log.lines[0];
}

TEST(Arena, TransparentHugePagesNeedNoReservedOnes) {
  constexpr size_t kPage = 2 << 20;
  WarningLog log;
  Arena arena({.block_size = kPage,
               .huge_page_size = kPage,
               .reserved_huge_pages = false,
               .info_log = &log});
  const auto pieces = AllocateMany(&arena, 12, 3000);
  Fill(pieces);
  Check(pieces);
  EXPECT_TRUE(log.lines.empty()) << log.lines[0];
  EXPECT_EQ(arena.MemoryAllocatedBytes() % kPage, 4096u);
}

TEST(Arena, TakesOverTheBlocksOfOneBefore) {
  constexpr size_t kPage = 2 << 20;
  const auto pool = std::make_shared<HugePagePool>(2 * kPage);
  const ArenaOptions options{.block_size = kPage,
                             .huge_page_size = kPage,
                             .reserved_huge_pages = false,
                             .huge_page_pool = pool};
  // The addresses of the blocks of an arena that lives for the moment.
  const auto fill = [&options](size_t blocks) {
    std::set<uintptr_t> result;
    Arena arena(options);
    for (size_t i = 0; i < blocks; ++i) {
      char* const block = arena.AllocateAligned(kPage);
      memset(block, 1, kPage);
      result.insert(reinterpret_cast<uintptr_t>(block));
    }
    return result;
  };
  const std::set<uintptr_t> first = fill(1);
  EXPECT_EQ(pool->kept_bytes(), kPage);
  EXPECT_TRUE(fill(1) == first);

  const std::set<uintptr_t> three = fill(3);
  EXPECT_EQ(pool->kept_bytes(), 2 * kPage) << "no more than its limit";
  for (const uintptr_t block : fill(2)) EXPECT_TRUE(three.contains(block));
  {
    Arena other(options);
    EXPECT_NE(other.AllocateAligned(2 * kPage), nullptr);
    EXPECT_EQ(pool->kept_bytes(), 2 * kPage) << "there is no block of this size";
  }
}

TEST(Arena, TheFirstBlockIsSmall) {
  CountingTracker tracker;
  Arena arena({.block_size = 1 << 20, .tracker = &tracker});
  arena.Allocate(100);
  EXPECT_EQ(arena.MemoryAllocatedBytes(), 4096u);
  arena.Allocate(4090);
  EXPECT_EQ(arena.MemoryAllocatedBytes(), 4096u + (1 << 20));
  EXPECT_EQ(tracker.total, arena.MemoryAllocatedBytes());
}

TEST(ConcurrentArena, OfOneThreadWastesNothingInShards) {
  ConcurrentArena arena(64 << 10);
  const auto pieces = AllocateMany(&arena, 9, 1000);
  Fill(pieces);
  Check(pieces);
  size_t requested = 0;
  for (const auto& piece : pieces) requested += piece.second;
  EXPECT_GE(arena.ApproximateMemoryUsage(), requested);
  EXPECT_LE(arena.ApproximateMemoryUsage(), requested + requested / 4 + 1024);
}

TEST(ConcurrentArena, PiecesOfManyThreadsDoNotOverlap) {
  ConcurrentArena arena(256 << 10);
  constexpr int kThreads = 4;
  std::vector<Piece> pieces[kThreads];
  {
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (int t = 0; t < kThreads; t++) {
      threads.push_back(std::make_unique<fiber::Thread>("allocate", [&arena, &pieces, t] {
        pieces[t] = AllocateMany(&arena, 100 + static_cast<uint64_t>(t), 5000);
      }));
    }
    for (auto& thread : threads) thread->join();
  }
  std::vector<Piece> all;
  size_t requested = 0;
  for (const auto& part : pieces) {
    for (const auto& piece : part) {
      all.push_back(piece);
      requested += piece.second;
    }
  }
  Fill(all);
  Check(all);
  EXPECT_GE(arena.MemoryAllocatedBytes(), requested);
  EXPECT_GE(arena.ApproximateMemoryUsage(), requested);
}

}  // namespace
}  // namespace cairn
