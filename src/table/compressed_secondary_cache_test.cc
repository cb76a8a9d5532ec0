#include "table/compressed_secondary_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "table/cached_block.h"

namespace cairn {
namespace {

// Values are strings.
size_t SizeOf(void* value) { return static_cast<std::string*>(value)->size(); }
Status SaveTo(void* value, size_t offset, size_t length, void* out) {
  std::memcpy(out, static_cast<std::string*>(value)->data() + offset, length);
  return Status::OK();
}
void DeleteString(const Slice& /*key*/, void* value) { delete static_cast<std::string*>(value); }
const Cache::CacheItemHelper kHelper(&SizeOf, &SaveTo, &DeleteString);

class CompressedSecondaryCacheTest : public ::testing::TestWithParam<CompressionType> {
 protected:
  CompressedSecondaryCacheTest() {
    CompressedSecondaryCacheOptions options;
    options.capacity = 64 << 10;
    options.num_shard_bits = 0;
    options.compression_type = GetParam();
    made_ = NewCompressedSecondaryCache(options);
    cache_ = static_cast<CompressedSecondaryCache*>(made_.get());
  }
  void Offer(const std::string& key, std::string value) {
    ASSERT_TRUE(cache_->Insert(key, &value, &kHelper).ok());
  }
  // "-": not there.
  std::string Find(const std::string& key, bool advise_erase = false) {
    const auto create = [](const void* saved, size_t size, void** value, size_t* charge) {
      *value = new std::string(static_cast<const char*>(saved), size);
      *charge = size;
      return Status::OK();
    };
    const auto found = cache_->Lookup(key, create, true, advise_erase, stays_);
    if (found == nullptr) return "-";
    EXPECT_TRUE(found->IsReady());
    auto* value = static_cast<std::string*>(found->Value());
    const std::string copy = *value;
    EXPECT_EQ(found->Size(), copy.size());
    delete value;
    return copy;
  }

  std::shared_ptr<SecondaryCache> made_;
  CompressedSecondaryCache* cache_;
  bool stays_ = false;
};

TEST_P(CompressedSecondaryCacheTest, KeepsWhatIsOfferedTwice) {
  const std::string value(3000, 'v');
  Offer("k", value);
  EXPECT_EQ(Find("k"), "-");
  Offer("k", value);
  EXPECT_EQ(Find("k"), value);
  EXPECT_TRUE(stays_);
  EXPECT_EQ(Find("k"), value);
  EXPECT_EQ(Find("other"), "-");
  if (GetParam() != kNoCompression) {
    EXPECT_LT(cache_->GetUsage(), 1000u);
  }
}

TEST_P(CompressedSecondaryCacheTest, WhatGoesUpLeavesANote) {
  const std::string value(3000, 'v');
  Offer("k", value);
  Offer("k", value);
  EXPECT_EQ(Find("k", /*advise_erase=*/true), value);
  EXPECT_FALSE(stays_);
  EXPECT_EQ(Find("k"), "-");
  Offer("k", value);
  EXPECT_EQ(Find("k"), value);
}

TEST_P(CompressedSecondaryCacheTest, ForgetsTheErased) {
  Offer("k", "v");
  Offer("k", "v");
  cache_->Erase("k");
  EXPECT_EQ(Find("k"), "-");
}

TEST_P(CompressedSecondaryCacheTest, ADamagedValueIsAMissAndForgotten) {
  Offer("k", "v");
  Offer("k", "v");
  const auto refuse = [](const void*, size_t, void**, size_t*) {
    return Status::Corruption("not what was saved");
  };
  EXPECT_EQ(cache_->Lookup("k", refuse, true, false, stays_), nullptr);
  EXPECT_EQ(Find("k"), "-");
}

TEST_P(CompressedSecondaryCacheTest, KeepsToItsCapacity) {
  for (int i = 0; i < 200; ++i) {
    std::string value(2000, ' ');
    for (size_t c = 0; c < value.size(); ++c) {
      value[c] = static_cast<char>((c * 2654435761u + static_cast<size_t>(i)) >> 9);
    }
    Offer(std::to_string(i), value);
    Offer(std::to_string(i), value);
  }
  EXPECT_LE(cache_->GetUsage(), size_t{64} << 10);
  ASSERT_TRUE(cache_->SetCapacity(1000).ok());
  size_t capacity = 0;
  ASSERT_TRUE(cache_->GetCapacity(capacity).ok());
  EXPECT_EQ(capacity, 1000u);
  EXPECT_LE(cache_->GetUsage(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(Types, CompressedSecondaryCacheTest,
                         ::testing::Values(kNoCompression, kLZ4Compression, kZSTD));

TEST(CachedBlockTest, WhatWasSavedComesBackAndNothingElse) {
  Block::Ptr block = Block::Allocate(100, 0, 4096);
  std::memset(block->mutable_data(), 'b', 100);
  const Cache::CacheItemHelper* helper = DataBlockHelper();
  std::string saved(helper->size_cb(block.get()), '\0');
  // In parts, as a cache may.
  for (size_t at = 0; at < saved.size(); at += 7) {
    const size_t n = std::min<size_t>(7, saved.size() - at);
    ASSERT_TRUE(helper->saveto_cb(block.get(), at, n, saved.data() + at).ok());
  }
  EXPECT_TRUE(
      helper->saveto_cb(block.get(), saved.size() - 1, 2, saved.data()).IsInvalidArgument());
  Block::Ptr back;
  ASSERT_TRUE(RestoreBlock(saved.data(), saved.size(), 4096, &back).ok());
  EXPECT_EQ(back->contents(), block->contents());
  for (size_t i = 0; i < saved.size(); ++i) {
    std::string damaged = saved;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_TRUE(RestoreBlock(damaged.data(), damaged.size(), 4096, &back).IsCorruption()) << i;
  }
  for (size_t n = 0; n < saved.size(); ++n) {
    EXPECT_TRUE(RestoreBlock(saved.data(), n, 4096, &back).IsCorruption()) << n;
  }
}

}  // namespace
}  // namespace cairn
