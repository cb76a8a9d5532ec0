// CRC32C's values, and the state that it leaves the processor in.
#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "base/random.h"
#include "cairn/compiler.h"

namespace cairn {
namespace {

// From RFC 3720, section B.4.
TEST(Crc32c, StandardVectors) {
  char bytes[32] = {};
  EXPECT_EQ(0x8a9136aau, crc32c::Value(bytes, sizeof(bytes)));
  memset(bytes, 0xff, sizeof(bytes));
  EXPECT_EQ(0x62a8ab43u, crc32c::Value(bytes, sizeof(bytes)));
  for (int i = 0; i < 32; i++) bytes[i] = static_cast<char>(i);
  EXPECT_EQ(0x46dd794eu, crc32c::Value(bytes, sizeof(bytes)));
  for (int i = 0; i < 32; i++) bytes[i] = static_cast<char>(31 - i);
  EXPECT_EQ(0x113fdb5cu, crc32c::Value(bytes, sizeof(bytes)));
  EXPECT_EQ(0xe3069283u, crc32c::Value("123456789", 9));
  EXPECT_EQ(0u, crc32c::Value("", 0));
}

TEST(Crc32c, ExtendIsTheChecksumOfTheWhole) {
  Random64 rng(1);
  const std::string data = rng.RandomBinaryString(3000);
  const uint32_t whole = crc32c::Value(data.data(), data.size());
  for (size_t cut = 0; cut <= data.size(); cut += 37) {
    EXPECT_EQ(whole, crc32c::Extend(crc32c::Value(data.data(), cut), data.data() + cut,
                                    data.size() - cut));
  }
}

TEST(Crc32c, CombineIsTheChecksumOfBothTogether) {
  Random64 rng(2);
  const std::string data = rng.RandomBinaryString(70'000);
  for (const size_t n :
       {size_t{0}, size_t{1}, size_t{2}, size_t{255}, size_t{32'756}, size_t{70'000}}) {
    const uint32_t whole = crc32c::Value(data.data(), n);
    for (size_t cut = 0; cut <= n; cut += 1 + rng.Uniform(1 + n / 10)) {
      EXPECT_EQ(whole, crc32c::Combine(crc32c::Value(data.data(), cut),
                                       crc32c::Value(data.data() + cut, n - cut), n - cut));
    }
  }
  // Two gigabytes of zeros, in steps that double, and in equal ones.
  const std::string zeros(1 << 20, '\0');
  uint32_t of_zeros = crc32c::Value(zeros.data(), zeros.size());
  const uint32_t of_a_step = of_zeros;
  const uint32_t extended = crc32c::Extend(crc32c::Value("x", 1), zeros.data(), zeros.size());
  EXPECT_EQ(extended, crc32c::Combine(crc32c::Value("x", 1), of_zeros, zeros.size()));
  size_t size = zeros.size();
  for (; size < size_t{1} << 31; size *= 2) of_zeros = crc32c::Combine(of_zeros, of_zeros, size);
  uint32_t in_steps = crc32c::Value("x", 1);
  for (size_t i = 0; i < size / zeros.size(); ++i) {
    in_steps = crc32c::Combine(in_steps, of_a_step, zeros.size());
  }
  EXPECT_EQ(in_steps, crc32c::Combine(crc32c::Value("x", 1), of_zeros, size));
}

TEST(Crc32c, MaskIsReversibleAndNoIdentity) {
  const uint32_t crc = crc32c::Value("foo", 3);
  EXPECT_NE(crc, crc32c::Mask(crc));
  EXPECT_NE(crc, crc32c::Mask(crc32c::Mask(crc)));
  EXPECT_EQ(crc, crc32c::Unmask(crc32c::Mask(crc)));
  EXPECT_EQ(crc, crc32c::Unmask(crc32c::Unmask(crc32c::Mask(crc32c::Mask(crc)))));
}

#if defined(__x86_64__) && defined(__linux__)
// What of the wide registers is in use: the components of XSAVE of their upper halves (YMM, ZMM).
uint32_t UpperHalvesInUse() {
  constexpr uint32_t kYmm = 1u << 2;
  constexpr uint32_t kZmm = 1u << 6;
  uint32_t low = 0;
  uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));  // style: Linux, x86-64
  return low & (kYmm | kZmm);
}

bool TellsWhatIsInUse() {
  uint32_t a = 0xd;  // the leaf of XSAVE
  uint32_t b = 0;
  uint32_t c = 1;
  uint32_t d = 0;
  asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));  // style: Linux, x86-64
  return (a & (1u << 2)) != 0;
}

// ISA-L's routine for 256 bytes and more leaves the upper halves as they are, and all SSE code of
// the thread was slower from then on: the hash of a block took 4.6 times as long.
TEST(Crc32c, NoUpperHalfOfARegisterIsLeftInUse) {
  if (!TellsWhatIsInUse()) GTEST_SKIP() << "the processor does not tell";
  compiler::EndWideRegisters();
  if (UpperHalvesInUse() != 0) GTEST_SKIP() << "the processor does not tell when it ends";
  const std::string bytes(4096, 'x');
  for (const size_t n : {16, 255, 256, 300, 1024, 4096}) {
    const uint32_t crc = crc32c::Value(bytes.data(), n);
    EXPECT_EQ(UpperHalvesInUse(), 0u) << n << ' ' << crc;
  }
}
#endif

}  // namespace
}  // namespace cairn
