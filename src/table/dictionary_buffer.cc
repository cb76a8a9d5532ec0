#include "table/dictionary_buffer.h"

#include <zdict.h>

#include <algorithm>

namespace cairn {
namespace {

// Where neither the options nor the table set a limit that memory can bear.
constexpr uint64_t kMostBuffered = uint64_t{256} << 20;
// What CompressionOptions::kDefaultCompressionLevel means.
constexpr int kDefaultZstdLevel = 3;

uint64_t Limit(const CompressionOptions& options, uint64_t target_file_size) {
  uint64_t limit = kMostBuffered;
  if (target_file_size != 0) limit = std::min(limit, target_file_size);
  if (options.max_dict_buffer_bytes != 0) limit = std::min(limit, options.max_dict_buffer_bytes);
  return limit;
}

struct Samples {
  std::string bytes;
  std::vector<size_t> sizes;  // of each, one behind the other
};

// Blocks from all over the table, at most `most` bytes of them: every so many first, then those
// behind them.
Samples TakeSamples(const std::vector<std::string>& blocks, uint64_t all_bytes, size_t most) {
  Samples samples;
  const size_t stride = std::clamp<size_t>(all_bytes / std::max<size_t>(most, 1), 1,
                                           std::max<size_t>(blocks.size(), 1));
  for (size_t first = 0; first < stride; ++first) {
    for (size_t i = first; i < blocks.size() && samples.bytes.size() < most; i += stride) {
      const size_t n = std::min(blocks[i].size(), most - samples.bytes.size());
      samples.bytes.append(blocks[i], 0, n);
      samples.sizes.push_back(n);
    }
  }
  return samples;
}

}  // namespace

DictionaryBuffer::DictionaryBuffer(const CompressionOptions& options, uint64_t target_file_size,
                                   CacheReservation* memory)
    : options_(options), limit_(Limit(options, target_file_size)), charge_(memory) {}

void DictionaryBuffer::Add(const Slice& block) {
  blocks_.emplace_back(block.data(), block.size());
  bytes_ += block.size();
  if (!charge_.Set(bytes_) || bytes_ >= limit_) full_ = true;
}

std::string DictionaryBuffer::MakeDictionary(CompressionType type) const {
  const bool zstd = type == kZSTD || type == kZSTDNotFinalCompression;
  const bool train = zstd && options_.zstd_max_train_bytes > 0;
  const size_t size = options_.max_dict_bytes;
  Samples samples =
      TakeSamples(blocks_, bytes_, train ? size_t{options_.zstd_max_train_bytes} : size);
  if (!train || samples.bytes.empty()) return std::move(samples.bytes);
  std::string dict(size, '\0');
  const auto count = static_cast<unsigned>(samples.sizes.size());
  size_t n;
  if (options_.use_zstd_dict_trainer) {
    n = ZDICT_trainFromBuffer(dict.data(), size, samples.bytes.data(), samples.sizes.data(), count);
  } else {
    ZDICT_params_t params{};
    params.compressionLevel = options_.level == CompressionOptions::kDefaultCompressionLevel
                                  ? kDefaultZstdLevel
                                  : options_.level;
    n = ZDICT_finalizeDictionary(dict.data(), size, samples.bytes.data(),
                                 std::min(samples.bytes.size(), size), samples.bytes.data(),
                                 samples.sizes.data(), count, params);
  }
  // Too few samples, or too little room: then without one.
  dict.resize(ZDICT_isError(n) != 0 ? 0 : n);
  return dict;
}

}  // namespace cairn
