#include "table/compression.h"

#include <bzlib.h>
#include <lz4.h>
#include <lz4hc.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "fiber/clock.h"
#include "fiber/cpu.h"

namespace cairn {

namespace {

// What RocksDB's CompressionOptions::level says for "the library's default".
constexpr int kDefaultLevel = 32767;
// A block that compresses into more than 7/8 of its size is stored raw: not worth its
// decompression.
constexpr size_t GoodSize(size_t raw) { return raw - raw / 8; }
constexpr size_t kMaxCompressible = std::numeric_limits<int32_t>::max();
// Blocks are small: what claims more is corrupt.
// What ZSTD was called before its format was final has the same bytes.
constexpr CompressionType Canonical(CompressionType type) {
  return type == kZSTDNotFinalCompression ? kZSTD : type;
}
constexpr size_t kMaxRawSize = std::numeric_limits<int32_t>::max();

// `room(n)` gives memory for n bytes; *size tells how many were written there.
template <typename Room>
bool Deflate(const Slice& raw, const CompressionOptions& options, const CompressionDict* dict,
             Room room, size_t* size) {
  z_stream stream;
  std::memset(&stream, 0, sizeof(stream));
  const int level = options.level == kDefaultLevel ? Z_DEFAULT_COMPRESSION : options.level;
  if (deflateInit2(&stream, level, Z_DEFLATED, options.window_bits, /*memLevel=*/8,
                   options.strategy) != Z_OK) {
    return false;
  }
  if (dict != nullptr &&
      deflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dict->raw().data()),
                           static_cast<uInt>(dict->raw().size())) != Z_OK) {
    deflateEnd(&stream);
    return false;
  }
  const size_t bound = deflateBound(&stream, raw.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(room(bound));
  stream.avail_out = static_cast<uInt>(bound);
  const bool ok = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  *size = stream.total_out;
  deflateEnd(&stream);
  return ok;
}

bool Inflate(const Slice& payload, char* output, size_t raw_size, const DecompressionDict* dict) {
  z_stream stream;
  std::memset(&stream, 0, sizeof(stream));
  // Raw deflate: a negative window size. The largest window reads every smaller one.
  if (inflateInit2(&stream, -15) != Z_OK) return false;
  bool ok = true;
  if (dict != nullptr) {
    ok = inflateSetDictionary(&stream, reinterpret_cast<const Bytef*>(dict->raw().data()),
                              static_cast<uInt>(dict->raw().size())) == Z_OK;
  }
  if (ok) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(payload.data()));
    stream.avail_in = static_cast<uInt>(payload.size());
    stream.next_out = reinterpret_cast<Bytef*>(output);
    stream.avail_out = static_cast<uInt>(raw_size);
    ok = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == raw_size;
  }
  inflateEnd(&stream);
  return ok;
}

// bzip2 has one setting that files differ by, the size of what it sorts at once, and RocksDB always
// takes the smallest: 100 kB, which a block rarely fills.
constexpr int kBzip2HundredsOfKb = 1;
// The library's own effort against repetitive data.
constexpr int kBzip2WorkFactor = 30;

// How much bzip2 may make of random bytes, says its manual: a hundredth and 600 bytes more.
constexpr size_t Bzip2Bound(size_t raw) { return raw + raw / 100 + 600; }

// 0: it could not.
size_t Bzip2(const Slice& raw, char* output, size_t bound) {
  auto size = static_cast<unsigned int>(bound);
  const int result = BZ2_bzBuffToBuffCompress(
      output, &size, const_cast<char*>(raw.data()), static_cast<unsigned int>(raw.size()),
      kBzip2HundredsOfKb, /*verbosity=*/0, kBzip2WorkFactor);
  return result == BZ_OK ? size : 0;
}

bool Bunzip2(const Slice& payload, char* output, size_t raw_size) {
  auto size = static_cast<unsigned int>(raw_size);
  const int result = BZ2_bzBuffToBuffDecompress(output, &size, const_cast<char*>(payload.data()),
                                                static_cast<unsigned int>(payload.size()),
                                                /*small=*/0, /*verbosity=*/0);
  return result == BZ_OK && size == raw_size;
}

// ZSTD contexts are costly to make (hundreds of KiB): idle ones wait here, one per processor slot.
// A taker leaves null, so nobody ever waits for one.
constexpr size_t kContextSlots = 64;
std::atomic<ZSTD_DCtx*> idle_contexts[kContextSlots];

class DecompressionContext {
 public:
  DecompressionContext()
      : slot_(idle_contexts[fiber::slot() % kContextSlots]),
        context_(slot_.exchange(nullptr, std::memory_order_acquire)) {
    if (context_ == nullptr) context_ = ZSTD_createDCtx();
  }
  ~DecompressionContext() {
    ZSTD_DCtx* expected = nullptr;
    if (!slot_.compare_exchange_strong(expected, context_, std::memory_order_release)) {
      ZSTD_freeDCtx(context_);
    }
  }
  ZSTD_DCtx* get() const { return context_; }

 private:
  std::atomic<ZSTD_DCtx*>& slot_;
  ZSTD_DCtx* context_;
};

Status BadBlock(const char* what) {
  return Status::Corruption(std::string("corrupted compressed block (") + what + ")");
}

}  // namespace

bool IsCompressionSupported(CompressionType type) {
  switch (Canonical(type)) {
    case kNoCompression:
    case kSnappyCompression:
    case kZlibCompression:
    case kBZip2Compression:
    case kLZ4Compression:
    case kLZ4HCCompression:
    case kZSTD:
      return true;
    default:
      return false;
  }
}

bool SupportsCompression(const ColumnFamilyOptions& options, CompressionType type) {
  const CompressionManager* const manager = options.compression_manager.get();
  return manager == nullptr ? IsCompressionSupported(type) : manager->SupportsCompressionType(type);
}

const char* CompressionPropertyName(CompressionType type) {
  switch (type) {
    case kNoCompression:
      return "NoCompression";
    case kSnappyCompression:
      return "Snappy";
    case kZlibCompression:
      return "Zlib";
    case kBZip2Compression:
      return "BZip2";
    case kLZ4Compression:
      return "LZ4";
    case kLZ4HCCompression:
      return "LZ4HC";
    case kXpressCompression:
      return "Xpress";
    case kZSTD:
      return "ZSTD";
    case kZSTDNotFinalCompression:
      return "ZSTDNotFinal";
    default:
      return "";
  }
}

bool TakesDictionary(CompressionType type) {
  switch (Canonical(type)) {
    case kZlibCompression:
    case kLZ4Compression:
    case kLZ4HCCompression:
    case kZSTD:
      return true;
    default:
      return false;
  }
}

namespace {

int ZstdLevel(const CompressionOptions& options) {
  return options.level == kDefaultLevel ? 3 : options.level;
}

int Lz4HcLevel(const CompressionOptions& options) {
  return options.level == kDefaultLevel ? 0 : options.level;
}

}  // namespace

CompressionDict::CompressionDict(std::string raw, CompressionType type,
                                 const CompressionOptions& options)
    : raw_(std::move(raw)) {
  if (Canonical(type) == kZSTD) {
    zstd_ = ZSTD_createCDict(raw_.data(), raw_.size(), ZstdLevel(options));
  }
}

CompressionDict::~CompressionDict() {
  if (zstd_ != nullptr) ZSTD_freeCDict(static_cast<ZSTD_CDict*>(zstd_));
}

// Taking in a dictionary costs more than compressing a block; a copy of the stream is cheap. (It
// points to the dictionary, not into itself.)
struct BlockCompressor::Lz4Streams {
  Lz4Streams(bool high, int level, const std::string& dict) : high_compression(high) {
    const int size = static_cast<int>(dict.size());
    if (high) {
      LZ4_initStreamHC(&hc[0], sizeof(hc[0]));
      LZ4_resetStreamHC_fast(&hc[0], level);
      LZ4_loadDictHC(&hc[0], dict.data(), size);
    } else {
      LZ4_initStream(&fast[0], sizeof(fast[0]));
      LZ4_loadDict(&fast[0], dict.data(), size);
    }
  }
  const bool high_compression;
  union {
    LZ4_stream_t fast[2];
    LZ4_streamHC_t hc[2];
  };
};

BlockCompressor::BlockCompressor(CompressionType type, const CompressionOptions& options,
                                 const CompressionDict* dict)
    : type_(Canonical(type)), options_(options), dict_(dict) {
  if (type_ == kZSTD) context_ = ZSTD_createCCtx();
  if (dict != nullptr && (type_ == kLZ4Compression || type_ == kLZ4HCCompression)) {
    lz4_ =
        std::make_unique<Lz4Streams>(type_ == kLZ4HCCompression, Lz4HcLevel(options_), dict->raw());
  }
}

BlockCompressor::BlockCompressor(Compressor* of_manager)
    : type_(kNoCompression),
      dict_(nullptr),
      of_manager_(of_manager),
      area_(of_manager->ObtainWorkingArea()) {}

BlockCompressor::~BlockCompressor() {
  if (context_ != nullptr) ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(context_));
}

char* BlockCompressor::Room(size_t size) {
  if (size > capacity_) {
    buffer_.reset();
    capacity_ = 0;
    if (!WithMemory(size, [&] { buffer_ = std::make_unique_for_overwrite<char[]>(size); })) {
      return nullptr;
    }
    capacity_ = size;
  }
  return buffer_.get();
}

size_t BlockCompressor::CompressLz4(const Slice& raw, char* output, size_t bound) {
  const int size = static_cast<int>(raw.size());
  const int room = static_cast<int>(bound);
  // Negative levels are acceleration.
  const int acceleration = options_.level < 0 ? -options_.level : 1;
  int written;
  if (lz4_ == nullptr) {
    written = type_ == kLZ4Compression
                  ? LZ4_compress_fast(raw.data(), output, size, room, acceleration)
                  : LZ4_compress_HC(raw.data(), output, size, room, Lz4HcLevel(options_));
  } else if (lz4_->high_compression) {
    lz4_->hc[1] = lz4_->hc[0];
    written = LZ4_compress_HC_continue(&lz4_->hc[1], raw.data(), output, size, room);
  } else {
    lz4_->fast[1] = lz4_->fast[0];
    written =
        LZ4_compress_fast_continue(&lz4_->fast[1], raw.data(), output, size, room, acceleration);
  }
  return written <= 0 ? 0 : static_cast<size_t>(written);
}

size_t BlockCompressor::CompressZstd(const Slice& raw, char* output, size_t bound) {
  auto* const context = static_cast<ZSTD_CCtx*>(context_);
  const auto* const dict =
      dict_ == nullptr ? nullptr : static_cast<const ZSTD_CDict*>(dict_->zstd());
  const size_t n =
      dict != nullptr
          ? ZSTD_compress_usingCDict(context, output, bound, raw.data(), raw.size(), dict)
          : ZSTD_compressCCtx(context, output, bound, raw.data(), raw.size(), ZstdLevel(options_));
  return ZSTD_isError(n) ? 0 : n;
}

bool BlockCompressor::Compress(const Slice& raw, Slice* output) {
  return CompressAnyway(raw, output) && output->size() < GoodSize(raw.size());
}

Status BlockCompressor::CompressByManager(const Slice& raw, CompressionType* type, Slice* output) {
  *type = kNoCompression;
  size_t size = GoodSize(raw.size());
  // Without memory the block is stored as it is.
  if (size == 0 || Room(size) == nullptr) return Status::OK();
  const size_t room = size;
  Status s = of_manager_->CompressBlock(raw, buffer_.get(), &size, type, &area_);
  if (!s.ok() || *type == kNoCompression) return s;
  if (size > room || *type == kDisableCompressionOption) {
    return Status::Corruption("impossible result of compressor", of_manager_->Name());
  }
  *output = Slice(buffer_.get(), size);
  return s;
}

bool BlockCompressor::CompressAnyway(const Slice& raw, Slice* output) {
  if (raw.size() > kMaxCompressible) return false;
  char header[kMaxVarint32Length];
  size_t header_size = 0;
  if (type_ != kSnappyCompression) {
    const char* end = EncodeVarint32(header, static_cast<uint32_t>(raw.size()));
    header_size = static_cast<size_t>(end - header);
  }
  // As much as any of them may ask for. Without memory the block is stored as it is.
  if (Room(header_size + raw.size() + raw.size() / 6 + 1024) == nullptr) return false;
  const auto begin = [&](size_t bound) {
    char* room = Room(header_size + bound);
    std::memcpy(room, header, header_size);
    return room + header_size;
  };
  size_t n = 0;
  switch (type_) {
    case kSnappyCompression:
      snappy::RawCompress(raw.data(), raw.size(), begin(snappy::MaxCompressedLength(raw.size())),
                          &n);
      break;
    case kZlibCompression:
      if (!Deflate(raw, options_, dict_, begin, &n)) return false;
      break;
    case kBZip2Compression: {
      const size_t bound = Bzip2Bound(raw.size());
      n = Bzip2(raw, begin(bound), bound);
      break;
    }
    case kLZ4Compression:
    case kLZ4HCCompression: {
      const auto bound = static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size())));
      n = CompressLz4(raw, begin(bound), bound);
      break;
    }
    case kZSTD: {
      const size_t bound = ZSTD_compressBound(raw.size());
      n = CompressZstd(raw, begin(bound), bound);
      break;
    }
    default:
      return false;
  }
  if (n == 0) return false;
  *output = Slice(buffer_.get(), header_size + n);
  return true;
}

DecompressionDict::DecompressionDict(std::string raw, bool for_zstd) : raw_(std::move(raw)) {
  if (for_zstd) zstd_ = ZSTD_createDDict(raw_.data(), raw_.size());
}

Status DecompressionDict::OfManager(std::string raw, std::shared_ptr<Decompressor> general,
                                    std::unique_ptr<DecompressionDict>* dict) {
  auto made = std::make_unique<DecompressionDict>(std::move(raw), /*for_zstd=*/false);
  made->general_ = std::move(general);
  made->of_manager_ = made->general_.get();
  if (!made->raw_.empty()) {
    made->raw_slice_ = made->raw_;
    Status s = made->general_->MaybeCloneForDict(made->raw_slice_, &made->own_);
    if (!s.ok()) return s;
    if (made->own_ == nullptr) {
      return Status::Corruption("no decompressor for a dictionary", made->general_->Name());
    }
    made->of_manager_ = made->own_.get();
  }
  *dict = std::move(made);
  return Status::OK();
}

DecompressionDict::~DecompressionDict() {
  if (zstd_ != nullptr) ZSTD_freeDDict(static_cast<ZSTD_DDict*>(zstd_));
}

Status DecompressedSize(CompressionType type, const Slice& compressed, size_t* raw_size,
                        Slice* payload, const DecompressionDict* dict) {
  if (dict != nullptr && dict->of_manager() != nullptr) [[unlikely]] {
    Decompressor::Args args;
    args.compression_type = type;
    args.compressed_data = compressed;
    Status s = dict->of_manager()->ExtractUncompressedSize(args);
    if (s.ok() && args.uncompressed_size > kMaxRawSize) return BadBlock("length");
    *raw_size = static_cast<size_t>(args.uncompressed_size);
    *payload = args.compressed_data;
    return s;
  }
  if (!IsCompressionSupported(type) || type == kNoCompression) {
    return Status::NotSupported("compression type " +
                                std::to_string(static_cast<unsigned char>(type)));
  }
  *payload = compressed;
  if (type == kSnappyCompression) {
    if (!snappy::GetUncompressedLength(compressed.data(), compressed.size(), raw_size)) {
      return BadBlock("Snappy length");
    }
  } else {
    uint32_t size;
    if (!GetVarint32(payload, &size)) return BadBlock("length");
    *raw_size = size;
  }
  if (*raw_size > kMaxRawSize) return BadBlock("length");
  // A flipped length must not make us ask for gigabytes. No format here shrinks data by more than
  // this factor (ZSTD's and zlib's run-length extremes are below it for what a block can hold). Of
  // bzip2's, which counts runs before it sorts, 46 MB may be 46 bytes.
  const uint64_t factor = type == kBZip2Compression ? uint64_t{1} << 20 : 32768;
  if (*raw_size > (uint64_t{1} << 26) && *raw_size / factor > payload->size())
    return BadBlock("length");
  return Status::OK();
}

Status DecompressInto(CompressionType type, const Slice& payload, char* output, size_t raw_size,
                      const DecompressionDict* dict) {
  if (dict != nullptr && dict->of_manager() != nullptr) [[unlikely]] {
    Decompressor::Args args;
    args.compression_type = type;
    args.compressed_data = payload;
    args.uncompressed_size = raw_size;
    return dict->of_manager()->DecompressBlock(args, output);
  }
  switch (Canonical(type)) {
    case kSnappyCompression:
      if (!snappy::RawUncompress(payload.data(), payload.size(), output)) return BadBlock("Snappy");
      return Status::OK();
    case kZlibCompression:
      if (!Inflate(payload, output, raw_size, dict)) return BadBlock("zlib");
      return Status::OK();
    case kBZip2Compression:
      if (!Bunzip2(payload, output, raw_size)) return BadBlock("bzip2");
      return Status::OK();
    case kLZ4Compression:
    case kLZ4HCCompression: {
      const int in = static_cast<int>(payload.size());
      const int out = static_cast<int>(raw_size);
      const int n = dict == nullptr ? LZ4_decompress_safe(payload.data(), output, in, out)
                                    : LZ4_decompress_safe_usingDict(
                                          payload.data(), output, in, out, dict->raw().data(),
                                          static_cast<int>(dict->raw().size()));
      if (n < 0 || static_cast<size_t>(n) != raw_size) return BadBlock("LZ4");
      return Status::OK();
    }
    case kZSTD: {
      DecompressionContext context;
      if (context.get() == nullptr) return Status::MemoryLimit("no memory to decompress");
      const size_t n = dict != nullptr && dict->zstd() != nullptr
                           ? ZSTD_decompress_usingDDict(
                                 context.get(), output, raw_size, payload.data(), payload.size(),
                                 static_cast<const ZSTD_DDict*>(dict->zstd()))
                           : ZSTD_decompressDCtx(context.get(), output, raw_size, payload.data(),
                                                 payload.size());
      if (ZSTD_isError(n) || n != raw_size) return BadBlock("ZSTD");
      return Status::OK();
    }
    default:
      return Status::NotSupported("compression type " +
                                  std::to_string(static_cast<unsigned char>(type)));
  }
}

Status CompressBlock(BlockCompressor* compressor, CompressionType type, bool verify,
                     const DecompressionDict* dict, const Slice& raw, StoredBlock* stored,
                     bool timed) {
  *stored = {kNoCompression, raw, raw.size(), 0};
  if (type == kNoCompression && !compressor->is_of_manager()) return Status::OK();
  Slice compressed;
  bool smaller = false;
  const uint64_t start = timed ? fiber::now_nanos() : 0;
  if (compressor->is_of_manager()) {
    Status s = compressor->CompressByManager(raw, &type, &compressed);
    if (!s.ok()) return s;
    smaller = type != kNoCompression;
  } else {
    smaller = compressor->Compress(raw, &compressed);
  }
  if (timed) stored->nanos = fiber::now_nanos() - start;
  if (!smaller) return Status::OK();
  stored->type = type;
  stored->contents = compressed;
  if (!verify) return Status::OK();
  size_t raw_size;
  Slice payload;
  Status s = DecompressedSize(type, compressed, &raw_size, &payload, dict);
  std::string plain;
  if (s.ok() && !WithMemory(raw_size, [&] { plain.resize(raw_size); })) {
    s = Status::MemoryLimit("no memory to verify a compressed block");
  }
  if (s.ok()) s = DecompressInto(type, payload, plain.data(), raw_size, dict);
  if (s.IsMemoryLimit()) return s;
  return s.ok() && Slice(plain) == raw
             ? Status::OK()
             : Status::Corruption("compressed block does not decompress to what it was");
}

}  // namespace cairn
