#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstring>
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
