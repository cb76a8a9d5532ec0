#include "table/block_fetcher.h"

#include <cstring>

#include "base/perf.h"
#include "base/stop_watch.h"
#include "table/persistent_blocks.h"

namespace cairn {

Status BlockCorruption(const BlockSource& source, uint64_t offset, const char* what) {
  return Status::Corruption(std::string(what) + source.Where(offset));
}

namespace {

// A block of `size` bytes, without its trailer, was read from the file.
void CountBlockRead(BlockKind kind, uint64_t size) {
  PerfContext* const counters = Perf().counters();
  if (counters == nullptr) return;
  const uint64_t bytes = size + kBlockTrailerSize;
  counters->block_read_count += 1;
  counters->block_read_byte += bytes;
  switch (kind) {
    case BlockKind::kData:
      counters->data_block_read_byte += bytes;
      break;
    case BlockKind::kIndex:
      counters->index_block_read_count += 1;
      counters->index_block_read_byte += bytes;
      break;
    case BlockKind::kFilter:
      counters->filter_block_read_count += 1;
      counters->filter_block_read_byte += bytes;
      break;
    case BlockKind::kDictionary:
      counters->compression_dict_block_read_count += 1;
      counters->compression_dict_block_read_byte += bytes;
      break;
    case BlockKind::kMetadata:
      counters->metadata_block_read_byte += bytes;
      break;
  }
}

}  // namespace

Status VerifyBlockChecksum(const BlockSource& source, uint64_t offset, const char* raw,
                           size_t size) {
  const ChecksumType type = source.footer.checksum_type;
  if (type == kNoChecksum) return Status::OK();
  const PerfTimer timer(Perf(), &PerfContext::block_checksum_time);
  if (source.statistics != nullptr) source.statistics->recordTick(BLOCK_CHECKSUM_COMPUTE_COUNT, 1);
  const uint32_t stored = DecodeFixed32(raw + size + 1);
  const uint32_t computed = ComputeChecksum(type, raw, size, raw[size]) +
                            ChecksumContextModifier(source.footer.base_context_checksum, offset);
  if (stored != computed) {
    if (source.statistics != nullptr) {
      source.statistics->recordTick(BLOCK_CHECKSUM_MISMATCH_COUNT, 1);
    }
    return Status::Corruption("block checksum mismatch: stored = " + std::to_string(stored) +
                              ", computed = " + std::to_string(computed) +
                              ", type = " + std::to_string(type) + source.Where(offset) + " size " +
                              std::to_string(size));
  }
  return Status::OK();
}

Status ReadBlock(const BlockSource& source, const BlockHandle& handle, BlockKind kind,
                 bool verify_checksum, const DecompressionDict* dict, PrefetchBuffer* prefetch,
                 Block::Ptr* block, const ReadLimits& limits, Persistence persistence) {
  // In this order, so that nothing overflows.
  if (handle.size > kMaxBlockSize || handle.offset > source.file_size ||
      handle.size + kBlockTrailerSize > source.file_size - handle.offset) {
    return BlockCorruption(source, handle.offset, "block handle points outside of the file");
  }
  const auto size = static_cast<size_t>(handle.size);
  const size_t n = size + kBlockTrailerSize;
  const PersistentBlocks persistent(source, handle, persistence);
  if (persistent.FindPlain(block)) [[unlikely]] {
    if (prefetch != nullptr) prefetch->Skip(handle.offset, n);
    return Status::OK();
  }
  Slice raw;
  IOStatus io;
  Block::Ptr read;
  bool from_file = false;
  if (prefetch != nullptr && prefetch->Read(handle.offset, n, &raw, &io)) {
    if (prefetch->of_blocks() && io.ok()) CountBlockRead(kind, handle.size);
  } else if (persistent.FindStored(&read)) [[unlikely]] {
    raw = Slice(read->data(), n);
    verify_checksum = false;  // it was
  } else {
    from_file = true;
    read = Block::Allocate(size, kBlockTrailerSize, handle.offset, source.allocator);
    if (read == nullptr)
      return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    IOOptions options;
    io = (prefetch != nullptr ? prefetch->limits() : limits).Apply(&options);
    if (io.ok()) {
      const Perf perf;
      const PerfTimer timer(perf, &PerfContext::block_read_time);
      const PerfCpuTimer cpu_timer(perf, &PerfContext::block_read_cpu_time);
      io = source.file->Read(options, handle.offset, n, &raw, read->mutable_data());
    }
    if (io.ok()) CountBlockRead(kind, handle.size);
  }
  if (!io.ok()) return io;
  if (raw.size() != n) return BlockCorruption(source, handle.offset, "truncated block read");

  const char type_byte = raw[size];
  if (verify_checksum) {
    Status s = VerifyBlockChecksum(source, handle.offset, raw.data(), size);
    if (!s.ok()) return s;
  }
  // What nobody looked at does not stay.
  const bool may_stay = from_file && verify_checksum;
  if (may_stay) persistent.InsertStored(raw);

  const auto type = static_cast<CompressionType>(type_byte);
  if (type == kNoCompression) {
    if (read == nullptr) {
      read = Block::Allocate(size, 0, handle.offset, source.allocator);
      if (read == nullptr)
        return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    }
    if (raw.data() != read->data()) std::memcpy(read->mutable_data(), raw.data(), size);
    if (may_stay) persistent.InsertPlain(*read);
    *block = std::move(read);
    return Status::OK();
  }

  size_t raw_size;
  Slice payload;
  if (dict == nullptr) dict = source.by_manager.get();
  Status s = DecompressedSize(type, Slice(raw.data(), size), &raw_size, &payload, dict);
  Block::Ptr plain;
  if (s.ok()) {
    plain = Block::Allocate(raw_size, 0, handle.offset, source.allocator);
    if (plain == nullptr)
      return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    const Perf perf;
    const PerfTimer timer(perf, &PerfContext::block_decompress_time);
    perf.Count(&PerfContext::block_decompress_count);
    const bool timed = WantsDetailedTimes(source.statistics);
    const uint64_t start = timed ? fiber::now_nanos() : 0;
    s = DecompressInto(type, payload, plain->mutable_data(), raw_size, dict);
    if (timed) {
      source.statistics->recordInHistogram(DECOMPRESSION_TIMES_NANOS, fiber::now_nanos() - start);
    }
  }
  if (s.IsMemoryLimit()) return s;
  if (!s.ok()) {
    const std::string message = s.getState() == nullptr ? "" : s.getState();
    return s.IsNotSupported() ? Status::NotSupported(message + source.Where(handle.offset))
                              : Status::Corruption(message + source.Where(handle.offset));
  }
  if (source.statistics != nullptr) {
    source.statistics->recordTick(NUMBER_BLOCK_DECOMPRESSED, 1);
    source.statistics->recordTick(BYTES_DECOMPRESSED_FROM, size);
    source.statistics->recordTick(BYTES_DECOMPRESSED_TO, raw_size);
    source.statistics->recordInHistogram(BYTES_DECOMPRESSED, raw_size);
  }
  if (may_stay) persistent.InsertPlain(*plain);
  *block = std::move(plain);
  return Status::OK();
}

}  // namespace cairn
