#include "table/bloom.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace cairn {

namespace {

constexpr size_t kMetadataSize = 5;
constexpr size_t kLineSize = 64;
// A filter stays below 4 GiB.
constexpr uint64_t kMaxLines = 67108863;

// How many probes give the fewest false positives, by the bits a key has. Steps below 14 bits are
// uneven because keys are spread unevenly over lines; the numbers are part of the format (a
// different count still reads right).
int ProbesFor(int millibits_per_key) {
  constexpr int kUpTo[] = {2080,  3580,  5100,  6640,  8300,  10070,
                           11720, 14001, 16050, 18300, 22001, 25501};
  int probes = 1;
  for (const int limit : kUpTo) {
    if (millibits_per_key <= limit) return probes;
    ++probes;
  }
  if (millibits_per_key > 50000) return 24;
  return (millibits_per_key - 1) / 2000 - 1;
}

uint64_t LinesFor(uint64_t keys, int millibits_per_key) {
  constexpr uint64_t kMillibitsPerLine = kLineSize * 8 * 1000;
  const uint64_t lines =
      (keys * static_cast<uint64_t>(millibits_per_key) + kMillibitsPerLine - 1) / kMillibitsPerLine;
  return std::min(lines, kMaxLines);
}

class BloomPolicy final : public FilterPolicy {
 public:
  BloomPolicy(double bits_per_key, bool ribbon) : bits_(bits_per_key), ribbon_(ribbon) {
    if (bits_per_key < 0.5) {
      millibits_ = 0;
    } else if (bits_per_key < 1.0) {
      millibits_ = 1000;
    } else if (!(bits_per_key < 100.0)) {
      millibits_ = 100000;
    } else {
      millibits_ = static_cast<int>(bits_per_key * 1000.0 + 0.500001);
    }
  }

  static const char* kClassName() { return "bloomfilter"; }
  const char* Name() const override { return ribbon_ ? "ribbonfilter" : "bloomfilter"; }
  const char* NickName() const override { return "rocksdb.BloomFilter"; }
  const char* CompatibilityName() const override { return "rocksdb.BuiltinBloomFilter"; }
  std::string GetId() const override {
    char buf[64];
    std::snprintf(buf, sizeof(buf), "%s:%g%s", Name(), bits_, ribbon_ ? ":0" : ":false");
    return buf;
  }
  int millibits() const { return millibits_; }

 private:
  const double bits_;
  const bool ribbon_;
  int millibits_;
};

}  // namespace

int MillibitsPerKey(const FilterPolicy* policy) {
  // No other policy can exist: the class has no public way to build a filter.
  const auto* bloom = policy == nullptr ? nullptr : static_cast<const BloomPolicy*>(policy);
  return bloom == nullptr ? 0 : bloom->millibits();
}

size_t BloomBuilder::EstimatedSize() const {
  return LinesFor(hashes_.size(), millibits_per_key_) * kLineSize + kMetadataSize;
}

std::string BloomBuilder::Finish() {
  std::string filter;
  if (hashes_.empty()) return filter;
  const uint64_t lines = LinesFor(hashes_.size(), millibits_per_key_);
  const int probes = ProbesFor(millibits_per_key_);
  filter.resize(lines * kLineSize + kMetadataSize, '\0');
  char* data = filter.data();
  // The lines of keys to come are fetched ahead: a filter is larger than the caches.
  constexpr size_t kAhead = 8;
  auto line_of = [&](uint64_t hash) {
    return data + ((uint64_t{static_cast<uint32_t>(hash)} * lines) >> 32) * kLineSize;
  };
  const size_t n = hashes_.size();
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(line_of(hashes_[i + kAhead]), 1);
    char* line = line_of(hashes_[i]);
    uint32_t h = static_cast<uint32_t>(hashes_[i] >> 32);
    for (int p = 0; p < probes; ++p, h *= 0x9e3779b9u) {
      const uint32_t bit = h >> (32 - 9);
      line[bit >> 3] = static_cast<char>(line[bit >> 3] | (1 << (bit & 7)));
    }
  }
  char* metadata = data + lines * kLineSize;
  metadata[0] = static_cast<char>(-1);
  metadata[1] = 0;
  metadata[2] = static_cast<char>(probes);
  return filter;
}

BloomReader::BloomReader(const Slice& filter) {
  if (filter.size() <= kMetadataSize) {
    matches_nothing_ = true;
    return;
  }
  const size_t size = filter.size() - kMetadataSize;
  const char* metadata = filter.data() + size;
  const int probes = metadata[2] & 31;
  const int log2_line = (static_cast<unsigned char>(metadata[2]) >> 5) + 6;
  if (metadata[0] != static_cast<char>(-1) || metadata[1] != 0 || log2_line != 6 || probes < 1 ||
      probes > 30 || metadata[3] != 0 || metadata[4] != 0 || size % kLineSize != 0 ||
      size / kLineSize > UINT32_MAX) {
    return;
  }
  data_ = filter.data();
  lines_ = static_cast<uint32_t>(size / kLineSize);
  probes_ = probes;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

FilterPolicy::~FilterPolicy() = default;

const FilterPolicy* NewBloomFilterPolicy(double bits_per_key, bool /*ignored*/) {
  return new cairn::BloomPolicy(bits_per_key, /*ribbon=*/false);
}

const FilterPolicy* NewRibbonFilterPolicy(double bloom_equivalent_bits_per_key,
                                          int /*bloom_before_level*/) {
  return new cairn::BloomPolicy(bloom_equivalent_bits_per_key, /*ribbon=*/true);
}

}  // namespace ROCKSDB_NAMESPACE
