// bzip2 blocks: what RocksDB writes of them, sizes at the edges, and damage.
#include <gtest/gtest.h>

#include <string>

#include "base/coding.h"
#include "base/random.h"
#include "table/compression.h"

namespace cairn {
namespace {

std::string RandomBytes(uint64_t seed, size_t size, uint64_t kinds) {
  Random64 random(seed);
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(random.Uniform(kinds)));
  return bytes;
}

Status Decompressed(const Slice& compressed, std::string* raw) {
  size_t size = 0;
  Slice payload;
  Status s = DecompressedSize(kBZip2Compression, compressed, &size, &payload);
  if (!s.ok()) return s;
  raw->assign(size, '\0');
  return DecompressInto(kBZip2Compression, payload, raw->data(), size, nullptr);
}

TEST(Bzip2Test, WhatWasCompressedComesBack) {
  BlockCompressor compressor(kBZip2Compression, CompressionOptions());
  for (const size_t size : {1, 2, 255, 4096, 99'999, 100'001, 300'000}) {
    // Random bytes, which get larger; text of few letters; one letter.
    for (const uint64_t kinds : {256, 7, 1}) {
      SCOPED_TRACE(std::to_string(size) + " bytes of " + std::to_string(kinds));
      const std::string raw = RandomBytes(size, size, kinds);
      Slice compressed;
      ASSERT_TRUE(compressor.CompressAnyway(raw, &compressed));
      std::string again;
      const Status s = Decompressed(compressed, &again);
      ASSERT_TRUE(s.ok()) << s.ToString();
      EXPECT_TRUE(again == raw);
    }
  }
}

TEST(Bzip2Test, OnlyWhatGetsSmallerIsStoredSo) {
  BlockCompressor compressor(kBZip2Compression, CompressionOptions());
  Slice compressed;
  EXPECT_TRUE(compressor.Compress(RandomBytes(1, 4000, 5), &compressed));
  EXPECT_FALSE(compressor.Compress(RandomBytes(1, 4000, 256), &compressed));
  EXPECT_FALSE(compressor.Compress("short", &compressed));
}

TEST(Bzip2Test, TheBytesAreThoseOfRocksDb) {
  const std::string raw = RandomBytes(3, 5000, 4);
  std::string first;
  for (const int level : {-1, 1, 9, 32767}) {  // which bzip2 has not
    CompressionOptions options;
    options.level = level;
    BlockCompressor compressor(kBZip2Compression, options);
    Slice compressed;
    ASSERT_TRUE(compressor.Compress(raw, &compressed));
    // The size, and a stream whose blocks are of 100 kB.
    std::string begin;
    PutVarint32(&begin, 5000);
    begin += "BZh1";
    EXPECT_TRUE(compressed.starts_with(begin)) << compressed.ToString(true);
    if (first.empty()) first = compressed.ToString();
    EXPECT_TRUE(compressed == first);
  }
}

TEST(Bzip2Test, AFlippedBitIsCorruption) {
  const std::string raw = RandomBytes(4, 3000, 6);
  BlockCompressor compressor(kBZip2Compression, CompressionOptions());
  Slice compressed;
  ASSERT_TRUE(compressor.Compress(raw, &compressed));
  std::string bytes = compressed.ToString();
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= static_cast<char>(1 << i % 8);
    std::string again;
    const Status s = Decompressed(bytes, &again);
    // Bits behind the stream's end, and the size of a block, in the head, mean nothing.
    if (s.ok()) {
      EXPECT_TRUE(again == raw) << i;
    } else {
      EXPECT_TRUE(s.IsCorruption()) << i << s.ToString();
    }
    bytes[i] ^= static_cast<char>(1 << i % 8);
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    std::string again;
    EXPECT_TRUE(Decompressed(Slice(bytes.data(), size), &again).IsCorruption()) << size;
  }
}

TEST(Bzip2Test, LongRunsMayShrinkToNothingButAClaimNeedsBytes) {
  const std::string raw(70 << 20, 'r');
  BlockCompressor compressor(kBZip2Compression, CompressionOptions());
  Slice compressed;
  ASSERT_TRUE(compressor.Compress(raw, &compressed));
  EXPECT_LT(compressed.size(), 2000u);
  std::string again;
  ASSERT_TRUE(Decompressed(compressed, &again).ok());
  EXPECT_TRUE(again == raw);

  std::string claim;
  PutVarint32(&claim, 2'000'000'000);
  claim += "BZh1";
  size_t size = 0;
  Slice payload;
  EXPECT_TRUE(DecompressedSize(kBZip2Compression, claim, &size, &payload).IsCorruption());
}

TEST(Bzip2Test, ItTakesNoDictionary) {
  EXPECT_TRUE(IsCompressionSupported(kBZip2Compression));
  EXPECT_FALSE(TakesDictionary(kBZip2Compression));
}

}  // namespace
}  // namespace cairn
