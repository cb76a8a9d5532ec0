#include "table/block_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace cairn {
namespace {

TEST(BlockMemoryTest, GivesWhatWasAskedForAndLittleMore) {
  for (size_t asked : {1, 100, 1023, 1024, 1025, 4096, 4097, 4136, 65535, 65536, 65537, 1 << 20}) {
    size_t size = asked;
    void* memory = AllocateBlockMemory(&size);
    ASSERT_NE(memory, nullptr);
    EXPECT_GE(size, asked);
    EXPECT_LE(size, asked + asked / 16 + 1);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 16, 0u);
    std::memset(memory, 0xab, size);
    FreeBlockMemory(memory, size);
  }
}

TEST(BlockMemoryTest, EverySizeHasItsClass) {
  // A block that is freed with the size that was given comes back with room enough: whatever is
  // written into its last byte must not hurt its neighbours (the sanitizers would tell).
  for (size_t asked = 1000; asked < 70000; asked += 37) {
    size_t size = asked;
    auto* first = static_cast<char*>(AllocateBlockMemory(&size));
    first[size - 1] = 1;
    FreeBlockMemory(first, size);
    size_t again = asked;
    auto* second = static_cast<char*>(AllocateBlockMemory(&again));
    EXPECT_EQ(again, size);
    second[again - 1] = 2;
    FreeBlockMemory(second, again);
  }
}

TEST(BlockMemoryTest, LiveBlocksAreDistinctAndIdleOnesBounded) {
  const size_t before = IdleBlockMemory();
  std::vector<std::pair<char*, size_t>> live;
  std::set<char*> seen;
  for (int i = 0; i < 1000; ++i) {
    size_t size = 1100 + static_cast<size_t>(i) * 13;
    auto* memory = static_cast<char*>(AllocateBlockMemory(&size));
    ASSERT_TRUE(seen.insert(memory).second);
    std::memset(memory, i & 0xff, size);
    live.emplace_back(memory, size);
  }
  for (int i = 0; i < 1000; ++i) {
    const auto& [memory, size] = live[static_cast<size_t>(i)];
    for (size_t j = 0; j < size; j += 97) ASSERT_EQ(memory[j], static_cast<char>(i & 0xff));
  }
  for (const auto& [memory, size] : live) FreeBlockMemory(memory, size);
  EXPECT_LE(IdleBlockMemory(), before + kBlockMemoryPerSlot);
}

}  // namespace
}  // namespace cairn
