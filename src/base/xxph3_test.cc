// Vectors made with RocksDB 7.8.3's library, for both hashes that its filters use. One for each
// branch and its borders.
#include "base/xxph3.h"

#include <gtest/gtest.h>

#include <string>

#include "base/hash.h"

namespace cairn {
namespace {

struct Vector {
  size_t length;
  uint64_t hash;
};

const Vector kXXPH3Vectors[] = {
    {0, 0x5342c3010fe1dd04ull},    {1, 0xb71d295c7865c7e9ull},    {2, 0x777096a9131e825dull},
    {3, 0x8b93d65306b47960ull},    {4, 0x640dfa78d9602caaull},    {5, 0x407604ac2e18c141ull},
    {7, 0x238a82301009f53full},    {8, 0xe02bb0260ca2f426ull},    {9, 0x82e27d91ecbde0e3ull},
    {12, 0x649b222eadd8f8d3ull},   {16, 0x808dc7f6a08e1828ull},   {17, 0x6216c07c87bfe5d1ull},
    {24, 0x5ec19a87c0441e20ull},   {31, 0xbd66bc2da03a2366ull},   {32, 0xf1baab985ecf232eull},
    {33, 0x48c3ee9be5231873ull},   {48, 0xf04f1c0a2e30c839ull},   {63, 0x47c3b0964ac5935bull},
    {64, 0xec9764f4fa2586fdull},   {65, 0x070482c3b1bc6389ull},   {96, 0x8bf55ea9f6da04e5ull},
    {97, 0x682d0b1bfce2169dull},   {127, 0x95709ca17c3e6735ull},  {128, 0xb885f0d2689835e1ull},
    {129, 0xfe146eb2e99b1a68ull},  {130, 0x205434cfaef9ea8cull},  {160, 0x090f530ba8a18786ull},
    {200, 0xdc07fbe307a7cb37ull},  {239, 0xc3cece2158c77b46ull},  {240, 0xddce7abbd046abf1ull},
    {241, 0xb1e53475de84b071ull},  {255, 0xdd49cac5ccf4b3d0ull},  {256, 0xd4e21b1ad9fad6c0ull},
    {257, 0x4435e17a619893f1ull},  {300, 0x7f2e8604d7f59060ull},  {511, 0xb6f1cb2539c5e56bull},
    {512, 0xb40e8d3bd387d3a3ull},  {513, 0xdd4e1265e53c73b9ull},  {1023, 0xd424413dd4246cfeull},
    {1024, 0xe960e5d23c7640cbull}, {1025, 0xa1dbfe4df2fc98bcull}, {1087, 0x95e2a7c65f2609baull},
    {1088, 0x55682139d3788f9eull}, {1089, 0x4ff0db14642a35a1ull}, {2047, 0xce403425e091facaull},
    {2048, 0xe6a3a702988b0689ull}, {2049, 0x5b349bdc12235635ull}, {3000, 0xde6230991918d7b7ull},
    {4096, 0x3568dcca93acaeffull}, {4999, 0xb622ab1bb5282ddaull},
};

const Vector kLegacyVectors[] = {
    {0, 0xbc9f1d34u}, {1, 0x528bb3b8u}, {2, 0x7665b12du},  {3, 0x76b40f8au},   {4, 0x96b20e5fu},
    {5, 0xaa04b758u}, {8, 0x49d181acu}, {11, 0xfbcc37ddu}, {100, 0x4c7c7a0au},
};

// The bytes that the vectors were made with.
std::string TestBytes(int n) {
  std::string bytes;
  for (int i = 0; i < n; i++) bytes.push_back(static_cast<char>(i * 131 + (i >> 8) * 17 + 7));
  return bytes;
}

TEST(XXPH3, MatchesVectorsOfEveryLengthClass) {
  const std::string bytes = TestBytes(5000);
  for (const Vector& v : kXXPH3Vectors) {
    EXPECT_EQ(v.hash, XXPH3Hash64(bytes.data(), v.length)) << "length " << v.length;
  }
}

TEST(XXPH3, MatchesDigestOverAllLengthsAndAlignments) {
  const std::string bytes = TestBytes(5000);
  uint64_t digest = 0;
  for (size_t n = 0; n < 5000; n++) {
    digest =
        digest * 0x9e3779b97f4a7c15ull + XXPH3Hash64(bytes.data() + n % 7, n > 4990 ? 4990 : n);
  }
  EXPECT_EQ(0x8055e9dc1ccbe44dull, digest);
}

TEST(LegacyHash, MatchesVectors) {
  const std::string bytes = TestBytes(200);
  for (const Vector& v : kLegacyVectors) {
    EXPECT_EQ(v.hash, Hash(bytes.data(), v.length, 0xbc9f1d34)) << "length " << v.length;
  }
}

TEST(Hash64, DependsOnSeedAndBytes) {
  EXPECT_NE(Hash64("abc", 3), Hash64("abd", 3));
  EXPECT_NE(Hash64("abc", 3), Hash64("abc", 3, 1));
  EXPECT_EQ(HashSlice64("abc"), Hash64("abc", 3));
}

TEST(FastRange, StaysInRangeAndReachesBothEnds) {
  EXPECT_EQ(0u, FastRange32(0, 10));
  EXPECT_EQ(9u, FastRange32(UINT32_MAX, 10));
  EXPECT_EQ(0u, FastRange64(0, 10));
  EXPECT_EQ(9u, FastRange64(UINT64_MAX, 10));
}

}  // namespace
}  // namespace cairn
