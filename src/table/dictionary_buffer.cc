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

bool IsTrained(CompressionType type, const CompressionOptions& options) {
  const bool zstd = type == kZSTD || type == kZSTDNotFinalCompression;
  return zstd && options.zstd_max_train_bytes > 0;
}

// Every so many blocks first, then those behind them.
Compressor::DictSamples TakeSamples(const std::vector<std::string>& blocks, uint64_t all_bytes,
                                    size_t most) {
  Compressor::DictSamples samples;
  const size_t stride = std::clamp<size_t>(all_bytes / std::max<size_t>(most, 1), 1,
                                           std::max<size_t>(blocks.size(), 1));
  for (size_t first = 0; first < stride; ++first) {
    for (size_t i = first; i < blocks.size() && samples.sample_data.size() < most; i += stride) {
      const size_t n = std::min(blocks[i].size(), most - samples.sample_data.size());
      samples.sample_data.append(blocks[i], 0, n);
      samples.sample_lens.push_back(n);
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

size_t SampleBytes(CompressionType type, const CompressionOptions& options) {
  return IsTrained(type, options) ? options.zstd_max_train_bytes : options.max_dict_bytes;
}

std::string DictionaryOfSamples(CompressionType type, const CompressionOptions& options,
                                Compressor::DictSamples samples) {
  const size_t size = options.max_dict_bytes;
  std::string& bytes = samples.sample_data;
  if (!IsTrained(type, options) || bytes.empty()) {
    bytes.resize(std::min(bytes.size(), size));
    return std::move(bytes);
  }
  std::string dict(size, '\0');
  const auto count = static_cast<unsigned>(samples.sample_lens.size());
  size_t n;
  if (options.use_zstd_dict_trainer) {
    n = ZDICT_trainFromBuffer(dict.data(), size, bytes.data(), samples.sample_lens.data(), count);
  } else {
    ZDICT_params_t params{};
    params.compressionLevel = options.level == CompressionOptions::kDefaultCompressionLevel
                                  ? kDefaultZstdLevel
                                  : options.level;
    n = ZDICT_finalizeDictionary(dict.data(), size, bytes.data(), std::min(bytes.size(), size),
                                 bytes.data(), samples.sample_lens.data(), count, params);
  }
  // Too few samples, or too little room: then without one.
  dict.resize(ZDICT_isError(n) != 0 ? 0 : n);
  return dict;
}

Compressor::DictSamples DictionaryBuffer::Samples(size_t most) const {
  return TakeSamples(blocks_, bytes_, most);
}

std::string DictionaryBuffer::MakeDictionary(CompressionType type) const {
  return DictionaryOfSamples(type, options_, Samples(SampleBytes(type, options_)));
}

}  // namespace cairn
