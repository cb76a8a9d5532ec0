#include "table/bloom.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cairn/compiler.h"

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

// Sets the keys' bits in `lines` lines.
std::string Build(const std::vector<uint64_t>& hashes, uint64_t lines, int probes) {
  std::string filter;
  filter.resize(lines * kLineSize + kMetadataSize, '\0');
  char* data = filter.data();
  // The lines of keys to come are fetched ahead: a filter is larger than the caches.
  constexpr size_t kAhead = 8;
  auto line_of = [&](uint64_t hash) {
    return data + ((uint64_t{static_cast<uint32_t>(hash)} * lines) >> 32) * kLineSize;
  };
  const size_t n = hashes.size();
  for (size_t i = 0; i < n; ++i) {
    if (i + kAhead < n) compiler::PrefetchForWrite(line_of(hashes[i + kAhead]));
    char* line = line_of(hashes[i]);
    uint32_t h = static_cast<uint32_t>(hashes[i] >> 32);
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

}  // namespace

size_t BloomSize(size_t keys, int millibits_per_key) {
  return LinesFor(keys, millibits_per_key) * kLineSize + kMetadataSize;
}

std::string BuildBloom(const std::vector<uint64_t>& hashes, int millibits_per_key) {
  if (hashes.empty()) return std::string();
  return Build(hashes, LinesFor(hashes.size(), millibits_per_key), ProbesFor(millibits_per_key));
}

std::string BuildBloomOfSize(const std::vector<uint64_t>& hashes, size_t size) {
  if (hashes.empty()) return std::string();
  const uint64_t lines = std::min<uint64_t>((size - kMetadataSize) / kLineSize, kMaxLines);
  const uint64_t millibits = lines * kLineSize * 8 * 1000 / hashes.size();
  return Build(hashes, lines, ProbesFor(static_cast<int>(std::min<uint64_t>(millibits, 100000))));
}

double BloomFalsePositiveRate(int millibits_per_key) {
  const double bits = millibits_per_key / 1000.0;
  const int probes = ProbesFor(millibits_per_key);
  const auto rate = [probes](double bits_per_key) {
    return std::pow(1 - std::exp(-probes / bits_per_key), probes);
  };
  // Lines are filled unevenly: the mean of one that has a standard deviation more and one that has
  // it less.
  constexpr double kLineBits = kLineSize * 8;
  const double keys = kLineBits / bits;
  const double deviation = std::sqrt(keys);
  return (rate(kLineBits / (keys + deviation)) + rate(kLineBits / (keys - deviation))) / 2;
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
