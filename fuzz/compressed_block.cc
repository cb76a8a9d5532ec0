// Compressed blocks of every type: any bytes give the size that they claim, or an error; what was
// compressed comes back; memory is asked for in proportion.
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "table/compression.h"

namespace cairn::fuzz {

namespace {

constexpr CompressionType kTypes[] = {
    kNoCompression,          kSnappyCompression, kZlibCompression,   kBZip2Compression,
    kLZ4Compression,         kLZ4HCCompression,  kXpressCompression, kZSTD,
    kZSTDNotFinalCompression};
// A claim below this costs memory, but no more; what is larger must have bytes to show for it.
constexpr size_t kCheapBytes = size_t{64} << 20;
// The target itself makes no block larger than this: that is slow, and shows nothing new.
constexpr size_t kMaxMadeBytes = 1 << 20;

bool Decompress(CompressionType type, std::string_view bytes, const DecompressionDict* dict,
                std::string* raw) {
  const ExactCopy copy(bytes);
  size_t raw_size = 0;
  Slice payload;
  Status s =
      DecompressedSize(type, Slice(copy.view().data(), copy.view().size()), &raw_size, &payload);
  if (!s.ok()) return false;
  const size_t factor = type == kBZip2Compression ? size_t{1} << 20 : 32768;
  FUZZ_CHECK(raw_size <= kCheapBytes || raw_size / factor <= bytes.size());
  if (raw_size > kMaxMadeBytes) return false;
  // Exactly so many bytes, and uninitialised ones: what is large is not touched in vain.
  const std::unique_ptr<char[]> output(new char[raw_size]);
  if (!DecompressInto(type, payload, output.get(), raw_size, dict).ok()) return false;
  raw->assign(output.get(), raw_size);
  return true;
}

void CheckRoundTrip(CompressionType type, Input* input) {
  CompressionOptions options;
  const size_t repeats = 1 + input->Byte();
  const std::string how(input->Take(8));
  const std::string_view piece = input->Rest();
  std::string raw;
  for (size_t i = 0; i < repeats && raw.size() < (64 << 10); ++i) {
    raw += piece;
    raw.push_back(static_cast<char>(i));
  }
  BlockCompressor compressor(type, options);
  Slice compressed;
  if (!compressor.Compress(raw, &compressed)) return;
  std::string again;
  FUZZ_CHECK(Decompress(type, compressed.ToStringView(), nullptr, &again) && again == raw);
  std::string damaged = compressed.ToString();
  Input damage(reinterpret_cast<const uint8_t*>(how.data()), how.size());
  DamageOnce(&damage, &damaged);
  (void)Decompress(type, damaged, nullptr, &again);
}

}  // namespace

}  // namespace cairn::fuzz

// The type, a dictionary's length and bytes, and the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t what = input.Byte();
  const CompressionType type = kTypes[what % std::size(kTypes)];
  if (what >= 128) {
    CheckRoundTrip(type, &input);
    return 0;
  }
  const std::string dictionary(input.Take(input.Byte()));
  std::string raw;
  if (dictionary.empty()) {
    (void)Decompress(type, input.Rest(), nullptr, &raw);
  } else {
    const DecompressionDict dict(dictionary, type == kZSTD);
    (void)Decompress(type, input.Rest(), &dict, &raw);
  }
  return 0;
}
