#include "table/ribbon.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>

#include "base/coding.h"
#include "cairn/compiler.h"

namespace cairn {

namespace {

using Bits128 = compiler::Uint128;

constexpr size_t kMetadataSize = 5;
constexpr uint32_t kSlotsPerBlock = 128;
constexpr size_t kSegmentSize = sizeof(Bits128);
constexpr uint32_t kMaxColumns = 32;  // bits of a result
constexpr size_t kMaxKeys = 950'000'000;
constexpr uint32_t kSeeds = 256;

// What a key asks for.
struct Equation {
  uint32_t start;
  uint32_t result;
  Bits128 coefficients;  // the first one is always 1
};

uint32_t MixSeed(uint32_t seed) {
  uint64_t mixed = seed * 0xc78219a23eeadd03ull;
  mixed ^= (mixed & 0xf0f0f0f0f0f0f0f0ull) >> 4;
  return static_cast<uint32_t>(mixed);
}

Equation EquationOf(uint64_t hash, uint32_t mixed_seed, uint32_t starts) {
  const uint64_t h = (hash ^ mixed_seed) * 0x6193d459236a3a0dull;
  const uint64_t a = h * 0xc28f82822b650bedull;
  Equation e;
  e.start = static_cast<uint32_t>((Bits128{h} * starts) >> 64);
  e.coefficients = (Bits128{a} << 64 | (a ^ 0xc367844a6e52731dull)) | 1;
  e.result = static_cast<uint32_t>(compiler::ByteSwap(a));
  return e;
}

uint32_t Parity(Bits128 bits) {
  return compiler::Parity(static_cast<uint64_t>(bits) ^ static_cast<uint64_t>(bits >> 64));
}

uint32_t TrailingZeros(Bits128 bits) {
  const auto low = static_cast<uint64_t>(bits);
  return static_cast<uint32_t>(low != 0 ? std::countr_zero(low)
                                        : 64 + std::countr_zero(static_cast<uint64_t>(bits >> 64)));
}

Bits128 LoadSegment(const char* p) {
  return Bits128{DecodeFixed64(p + 8)} << 64 | DecodeFixed64(p);
}

void StoreSegment(char* p, Bits128 bits) {
  EncodeFixed64(p, static_cast<uint64_t>(bits));
  EncodeFixed64(p + 8, static_cast<uint64_t>(bits >> 64));
}

// Slots for so many keys: as many more as make the equations solvable with one of the first seeds,
// nearly always. The larger the filter, the more of them.
uint32_t BlocksFor(size_t keys) {
  const double n = static_cast<double>(keys);
  const double more = 0.026 + 0.0038 * std::max(0.0, std::log2(n) - 13);
  const double blocks = std::ceil(n * (1 + more) / kSlotsPerBlock);
  // With one block all keys would start at the same slot.
  return std::max<uint32_t>(2, static_cast<uint32_t>(blocks));
}

// How the segments are shared out among the blocks.
struct Columns {
  uint32_t columns = 0;
  uint32_t fewer_until = 0;
};
Columns ShareOut(uint32_t segments, uint32_t blocks) {
  Columns c;
  c.columns = static_cast<uint32_t>((uint64_t{segments} + blocks - 1) / blocks);
  if (c.columns > kMaxColumns) return {kMaxColumns, 0};
  c.fewer_until = static_cast<uint32_t>(uint64_t{c.columns} * blocks - segments);
  return c;
}

// The equations, in echelon form: that of slot i begins there.
class Banding {
 public:
  explicit Banding(uint32_t blocks)
      : slots_(blocks * kSlotsPerBlock),
        coefficients_(std::make_unique<Bits128[]>(slots_)),
        results_(std::make_unique<uint32_t[]>(slots_)) {}

  // False: they contradict one another.
  bool Solve(const std::vector<uint64_t>& hashes, uint32_t mixed_seed) {
    std::fill_n(coefficients_.get(), slots_, 0);
    std::fill_n(results_.get(), slots_, 0);
    const uint32_t starts = slots_ - kSlotsPerBlock + 1;
    // The slots of keys to come are fetched ahead: the table is larger than the caches.
    constexpr size_t kAhead = 8;
    Equation ahead[kAhead];
    const size_t n = hashes.size();
    const auto prepare = [&](size_t i) {
      ahead[i % kAhead] = EquationOf(hashes[i], mixed_seed, starts);
      compiler::PrefetchForWrite(&coefficients_[ahead[i % kAhead].start]);
      compiler::PrefetchForWrite(&results_[ahead[i % kAhead].start]);
    };
    for (size_t i = 0; i < std::min(n, kAhead); ++i) prepare(i);
    for (size_t i = 0; i < n; ++i) {
      if (!Add(ahead[i % kAhead])) return false;
      if (i + kAhead < n) prepare(i + kAhead);
    }
    return true;
  }

  // Solves for the slots of a block, of which `state` has the solution of the block behind, one
  // word for each column, and receives this one's.
  void SolveBlock(uint32_t block, uint32_t columns, Bits128* state) const {
    for (uint32_t slot = (block + 1) * kSlotsPerBlock; slot-- > block * kSlotsPerBlock;) {
      const Bits128 coefficients = coefficients_[slot];
      const uint32_t result = results_[slot];
      for (uint32_t c = 0; c < columns; ++c) {
        const Bits128 behind = state[c] << 1;
        state[c] = behind | (Parity(behind & coefficients) ^ (result >> c & 1));
      }
    }
  }

 private:
  bool Add(const Equation& e) {
    uint32_t slot = e.start;
    Bits128 coefficients = e.coefficients;
    uint32_t result = e.result;
    for (;;) {
      Bits128& there = coefficients_[slot];
      if (there == 0) {
        there = coefficients;
        results_[slot] = result;
        return true;
      }
      coefficients ^= there;
      result ^= results_[slot];
      // Either it follows from the others, or nothing fits them all.
      if (coefficients == 0) return result == 0;
      const uint32_t zeros = TrailingZeros(coefficients);
      slot += zeros;
      coefficients >>= zeros;
    }
  }

  const uint32_t slots_;
  std::unique_ptr<Bits128[]> coefficients_;
  std::unique_ptr<uint32_t[]> results_;
};

}  // namespace

size_t RibbonSize(size_t keys, double one_in) {
  if (keys == 0 || keys > kMaxKeys) return 0;
  const uint32_t blocks = BlocksFor(keys);
  if (!(one_in > 1)) return kSegmentSize + kMetadataSize;
  // The share of blocks with the lower whole number of columns that gives the rate.
  const double bits = std::min(std::log2(one_in), double{kMaxColumns});
  const auto lower = static_cast<uint32_t>(bits);
  const double share = lower == kMaxColumns ? 1 : std::exp2(1.0 + lower - bits) - 1;
  const auto with_lower = static_cast<uint32_t>(share * blocks);
  const uint64_t segments = uint64_t{blocks} * lower + (blocks - with_lower);
  return segments * kSegmentSize + kMetadataSize;
}

std::string BuildRibbon(const std::vector<uint64_t>& hashes, size_t size) {
  std::string filter;
  if (hashes.empty() || hashes.size() > kMaxKeys || size < kSegmentSize + kMetadataSize) {
    return filter;
  }
  const uint32_t blocks = BlocksFor(hashes.size());
  Banding banding(blocks);
  // Not always the first one: equal sets of keys should not all hit the same few others.
  uint32_t seed = static_cast<uint32_t>(hashes.front()) % kSeeds;
  uint32_t tried = 0;
  while (!banding.Solve(hashes, MixSeed(seed))) {
    if (++tried == kSeeds) return filter;
    seed = (seed + 1) % kSeeds;
  }

  auto segments = static_cast<uint32_t>((size - kMetadataSize) / kSegmentSize);
  const Columns shape = ShareOut(segments, blocks);
  segments = shape.columns * blocks - shape.fewer_until;
  filter.resize(segments * kSegmentSize + kMetadataSize, '\0');
  char* p = filter.data() + segments * kSegmentSize;
  p[0] = static_cast<char>(-2);
  p[1] = static_cast<char>(seed);
  p[2] = static_cast<char>(blocks);
  p[3] = static_cast<char>(blocks >> 8);
  p[4] = static_cast<char>(blocks >> 16);
  Bits128 state[kMaxColumns] = {};
  for (uint32_t block = blocks; block-- > 0;) {
    const uint32_t columns = shape.columns - (block < shape.fewer_until ? 1 : 0);
    banding.SolveBlock(block, columns, state);
    p -= columns * kSegmentSize;
    for (uint32_t c = 0; c < columns; ++c) StoreSegment(p + c * kSegmentSize, state[c]);
  }
  return filter;
}

RibbonReader::RibbonReader(const Slice& filter) {
  if (!IsRibbon(filter)) return;
  const size_t size = filter.size() - kMetadataSize;
  const auto* metadata = reinterpret_cast<const unsigned char*>(filter.data() + size);
  const uint32_t blocks = metadata[2] | uint32_t{metadata[3]} << 8 | uint32_t{metadata[4]} << 16;
  const size_t segments = size / kSegmentSize;
  if (blocks < 2 || segments > UINT32_MAX) return;
  const Columns shape = ShareOut(static_cast<uint32_t>(segments), blocks);
  data_ = filter.data();
  seed_ = MixSeed(metadata[1]);
  starts_ = (blocks - 1) * kSlotsPerBlock + 1;
  columns_ = shape.columns;
  fewer_until_ = shape.fewer_until;
}

bool RibbonReader::MayMatchHash(uint64_t hash) const {
  if (columns_ == 0) return true;
  const Equation e = EquationOf(hash, seed_, starts_);
  const uint32_t block = e.start / kSlotsPerBlock;
  const uint32_t first = e.start % kSlotsPerBlock;
  const uint32_t columns = columns_ - (block < fewer_until_ ? 1 : 0);
  const char* const here =
      data_ + (uint64_t{block} * columns_ - std::min(block, fewer_until_)) * kSegmentSize;
  if (first == 0) {
    for (uint32_t c = 0; c < columns; ++c) {
      if (Parity(LoadSegment(here + c * kSegmentSize) & e.coefficients) != (e.result >> c & 1)) {
        return false;
      }
    }
    return true;
  }
  // The 128 slots lie in two blocks.
  const char* const behind = here + columns * kSegmentSize;
  const Bits128 left = e.coefficients << first;
  const Bits128 right = e.coefficients >> (kSlotsPerBlock - first);
  for (uint32_t c = 0; c < columns; ++c) {
    const Bits128 picked = (LoadSegment(here + c * kSegmentSize) & left) ^
                           (LoadSegment(behind + c * kSegmentSize) & right);
    if (Parity(picked) != (e.result >> c & 1)) return false;
  }
  return true;
}

}  // namespace cairn
