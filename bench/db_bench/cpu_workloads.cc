// What the engine spends a processor on, alone: the checksums and the compressions of blocks of
// --block_size bytes. The database that is open beside them is not used.

#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "db_bench/codec.h"
#include "db_bench/flags.h"
#include "db_bench/options.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "rocksdb/file_checksum.h"

namespace db_bench {

namespace {

constexpr uint64_t kMiB = 1 << 20;

std::atomic<uint64_t> sum{0};  // of all checksums: nobody may leave them out

// Once for each block, until the blocks have so many bytes, or for --duration seconds.
template <typename Operation>
void OnBlocks(Client* client, uint64_t bytes, OpKind kind, const Operation& operation) {
  const auto block = static_cast<uint64_t>(FLAGS_block_size);
  uint64_t done = 0;
  Duration duration(FLAGS_duration, static_cast<int64_t>((bytes + block - 1) / block));
  while (!duration.Done(1)) {
    operation();
    done += block;
    client->stats.FinishedOps(nullptr, 1, kind);
  }
  client->stats.AddBytes(done);
}

// `checksum`, called with the bytes and their number, returns a number.
template <typename Checksum>
void ChecksumBlocks(Client* client, OpKind kind, const Checksum& checksum) {
  const std::string block(static_cast<size_t>(FLAGS_block_size), 'x');
  uint64_t all = 0;
  client->stats.AddMessage("(" + std::to_string(FLAGS_block_size) + " per op)");
  OnBlocks(client, 5000 * kMiB, kind, [&] { all += checksum(block.data(), block.size()); });
  sum.fetch_add(all, std::memory_order_relaxed);
}

// By the generator of files' checksums, of one file that never ends.
void Crc32c(Client* client) {
  const std::unique_ptr<rocksdb::FileChecksumGenerator> generator =
      rocksdb::GetFileChecksumGenCrc32cFactory()->CreateFileChecksumGenerator({});
  ChecksumBlocks(client, OpKind::kCrc, [&](const char* data, size_t size) {
    generator->Update(data, size);
    return uint64_t{0};
  });
  generator->Finalize();
  if (generator->GetChecksum().empty()) Fail("crc32c: no checksum");
}

void XxHash(Client* client) {
  ChecksumBlocks(client, OpKind::kHash, [](const char* data, size_t size) {
    return uint64_t{XXH32(data, size, /*seed=*/0)};
  });
}

void XxHash64(Client* client) {
  ChecksumBlocks(client, OpKind::kHash, [](const char* data, size_t size) {
    return uint64_t{XXH64(data, size, /*seed=*/0)};
  });
}

void Xxh3(Client* client) {
  ChecksumBlocks(client, OpKind::kHash,
                 [](const char* data, size_t size) { return uint64_t{XXH3_64bits(data, size)}; });
}

void Compress(Client* client) {
  Codec codec(CompressionOfFlag(), FLAGS_compression_level);
  const rocksdb::Slice raw = client->values->Next(static_cast<size_t>(FLAGS_block_size));
  uint64_t in = 0, out = 0;
  OnBlocks(client, 3072 * kMiB, OpKind::kCompress, [&] {
    rocksdb::Slice compressed;
    if (!codec.Compress(raw, raw.size(), &compressed)) {
      Fail("compress: the block does not get smaller; try a smaller --compression_ratio");
    }
    in += raw.size();
    out += compressed.size();
  });
  char text[64];
  std::snprintf(text, sizeof(text), "(output: %.1f%%)",
                in == 0 ? 0 : static_cast<double>(out) * 100 / static_cast<double>(in));
  client->stats.AddMessage(text);
}

// Into room that is a tenth of the block too small for what --compression_ratio makes of it.
void CompressReject(Client* client) {
  Codec codec(CompressionOfFlag(), FLAGS_compression_level);
  const rocksdb::Slice raw = client->values->Next(static_cast<size_t>(FLAGS_block_size));
  const double share = std::max(0.0, FLAGS_compression_ratio - 0.1);
  const auto room =
      std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(raw.size())));
  OnBlocks(client, 3072 * kMiB, OpKind::kCompress, [&] {
    rocksdb::Slice compressed;
    if (codec.Compress(raw, room, &compressed)) {
      Fail("compressreject: the block gets smaller than that; try another --compression_ratio");
    }
  });
  char text[64];
  std::snprintf(text, sizeof(text), "(rejected; output buffer %.1f%% of input)",
                static_cast<double>(room) * 100 / static_cast<double>(raw.size()));
  client->stats.AddMessage(text);
}

void Uncompress(Client* client) {
  Codec codec(CompressionOfFlag(), FLAGS_compression_level);
  const rocksdb::Slice raw = client->values->Next(static_cast<size_t>(FLAGS_block_size));
  rocksdb::Slice compressed;
  if (!codec.Compress(raw, raw.size(), &compressed)) {
    Fail("uncompress: the block does not get smaller; try a smaller --compression_ratio");
  }
  std::string back(raw.size(), '\0');
  OnBlocks(client, 20480 * kMiB, OpKind::kUncompress, [&] {
    if (!codec.Uncompress(compressed, back.data(), back.size())) Fail("uncompress: it fails");
  });
  if (std::memcmp(back.data(), raw.data(), raw.size()) != 0) Fail("uncompress: other bytes");
}

std::string WhyNoCompression() {
  return CompressionOfFlag() == rocksdb::kNoCompression
             ? "compress, compressreject and uncompress: --compression_type=none has nothing to do"
             : "";
}

}  // namespace

std::vector<NamedWorkload> CpuWorkloads() {
  std::vector<NamedWorkload> all;
  const auto add = [&all](const char* name, const char* help, void (*run)(Client*),
                          std::string (*refusal)() = nullptr) {
    all.push_back({.name = name, .help = help, .run = run, .refusal = refusal});
  };
  add("crc32c", "the CRC32C of --block_size bytes, again and again, of 5 GB", Crc32c);
  add("xxhash", "the same of xxHash, of 32 bits", XxHash);
  add("xxhash64", "the same of xxHash, of 64 bits", XxHash64);
  add("xxh3", "the same of XXH3", Xxh3);
  add("compress", "compress a block by --compression_type, again and again, 3 GB", Compress,
      WhyNoCompression);
  add("compressreject", "the same where there is no room for the result", CompressReject,
      WhyNoCompression);
  add("uncompress", "the other way, 20 GB", Uncompress, WhyNoCompression);
  return all;
}

}  // namespace db_bench
