#include "db_bench/codec.h"

#include <bzlib.h>
#include <lz4.h>
#include <lz4hc.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include "rocksdb/advanced_options.h"

namespace db_bench {

namespace {

constexpr int kDefaultLevel = 32767;

int LevelOr(int level, int otherwise) { return level == kDefaultLevel ? otherwise : level; }

// 0: there was no room.
size_t Deflate(const rocksdb::Slice& raw, int level, char* output, size_t room) {
  const rocksdb::CompressionOptions defaults;
  z_stream stream = {};
  if (deflateInit2(&stream, LevelOr(level, Z_DEFAULT_COMPRESSION), Z_DEFLATED, defaults.window_bits,
                   /*memLevel=*/8, defaults.strategy) != Z_OK) {
    return 0;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(output);
  stream.avail_out = static_cast<uInt>(room);
  const bool ended = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  const size_t written = stream.total_out;
  deflateEnd(&stream);
  return ended ? written : 0;
}

bool Inflate(const rocksdb::Slice& compressed, char* raw, size_t size) {
  z_stream stream = {};
  // Without a header: a negative window, of the largest size.
  if (inflateInit2(&stream, -15) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  stream.next_out = reinterpret_cast<Bytef*>(raw);
  stream.avail_out = static_cast<uInt>(size);
  const bool ended = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  return ended;
}

// 0: there was no room. RocksDB's settings: blocks of 100 kB, the library's own effort.
size_t Bzip2(const rocksdb::Slice& raw, char* output, size_t room) {
  auto size = static_cast<unsigned int>(room);
  const int result = BZ2_bzBuffToBuffCompress(output, &size, const_cast<char*>(raw.data()),
                                              static_cast<unsigned int>(raw.size()), 1, 0, 30);
  return result == BZ_OK ? size : 0;
}

bool Bunzip2(const rocksdb::Slice& compressed, char* raw, size_t size) {
  auto written = static_cast<unsigned int>(size);
  return BZ2_bzBuffToBuffDecompress(raw, &written, const_cast<char*>(compressed.data()),
                                    static_cast<unsigned int>(compressed.size()), 0, 0) == BZ_OK &&
         written == size;
}

}  // namespace

Codec::Codec(rocksdb::CompressionType type, int level) : type_(type), level_(level) {
  if (type_ == rocksdb::kZSTD) {
    compressor_ = ZSTD_createCCtx();
    decompressor_ = ZSTD_createDCtx();
  }
}

Codec::~Codec() {
  if (type_ == rocksdb::kZSTD) {
    ZSTD_freeCCtx(static_cast<ZSTD_CCtx*>(compressor_));
    ZSTD_freeDCtx(static_cast<ZSTD_DCtx*>(decompressor_));
  }
}

char* Codec::Room(size_t size) {
  if (buffer_.size() < size) buffer_.resize(size);
  return buffer_.data();
}

bool Codec::Compress(const rocksdb::Slice& raw, size_t room, rocksdb::Slice* compressed) {
  const int size = static_cast<int>(raw.size());
  const int bound = static_cast<int>(room);
  size_t written = 0;
  switch (type_) {
    case rocksdb::kSnappyCompression: {
      // It writes without a look at the room.
      snappy::RawCompress(raw.data(), raw.size(), Room(snappy::MaxCompressedLength(raw.size())),
                          &written);
      if (written > room) written = 0;
      break;
    }
    case rocksdb::kZlibCompression:
      written = Deflate(raw, level_, Room(room), room);
      break;
    case rocksdb::kBZip2Compression:
      written = Bzip2(raw, Room(room), room);
      break;
    case rocksdb::kLZ4Compression: {
      const int acceleration = level_ < 0 ? -level_ : 1;
      const int n = LZ4_compress_fast(raw.data(), Room(room), size, bound, acceleration);
      written = static_cast<size_t>(n);
      break;
    }
    case rocksdb::kLZ4HCCompression: {
      const int n = LZ4_compress_HC(raw.data(), Room(room), size, bound, LevelOr(level_, 0));
      written = static_cast<size_t>(n);
      break;
    }
    case rocksdb::kZSTD: {
      const size_t n = ZSTD_compressCCtx(static_cast<ZSTD_CCtx*>(compressor_), Room(room), room,
                                         raw.data(), raw.size(), LevelOr(level_, 3));
      written = ZSTD_isError(n) ? 0 : n;
      break;
    }
    default:
      break;
  }
  *compressed = rocksdb::Slice(buffer_.data(), written);
  return written > 0;
}

bool Codec::Uncompress(const rocksdb::Slice& compressed, char* raw, size_t size) {
  switch (type_) {
    case rocksdb::kSnappyCompression: {
      size_t length = 0;
      return snappy::GetUncompressedLength(compressed.data(), compressed.size(), &length) &&
             length == size && snappy::RawUncompress(compressed.data(), compressed.size(), raw);
    }
    case rocksdb::kZlibCompression:
      return Inflate(compressed, raw, size);
    case rocksdb::kBZip2Compression:
      return Bunzip2(compressed, raw, size);
    case rocksdb::kLZ4Compression:
    case rocksdb::kLZ4HCCompression:
      return LZ4_decompress_safe(compressed.data(), raw, static_cast<int>(compressed.size()),
                                 static_cast<int>(size)) == static_cast<int>(size);
    case rocksdb::kZSTD:
      return ZSTD_decompressDCtx(static_cast<ZSTD_DCtx*>(decompressor_), raw, size,
                                 compressed.data(), compressed.size()) == size;
    default:
      return false;
  }
}

}  // namespace db_bench
