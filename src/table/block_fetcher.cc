#include "table/block_fetcher.h"

#include <algorithm>
#include <cstring>

namespace cairn {

// ---- PrefetchBuffer

IOStatus PrefetchBuffer::Fill(uint64_t offset, size_t n) {
  n = static_cast<size_t>(std::min<uint64_t>(n, file_size_ - std::min(offset, file_size_)));
  // What is there already need not be read again.
  size_t keep = 0;
  if (size_ > 0 && offset >= start_ && offset < start_ + size_) {
    keep = static_cast<size_t>(start_ + size_ - offset);
  }
  if (n > capacity_) {
    auto bigger = std::make_unique_for_overwrite<char[]>(n);
    if (keep > 0) std::memcpy(bigger.get(), buffer_.get() + (offset - start_), keep);
    buffer_ = std::move(bigger);
    capacity_ = n;
  } else if (keep > 0) {
    std::memmove(buffer_.get(), buffer_.get() + (offset - start_), keep);
  }
  start_ = offset;
  size_ = keep;
  if (keep >= n) return IOStatus::OK();
  IOOptions io;
  IOStatus s = limits_.Apply(&io);
  if (!s.ok()) return s;
  Slice result;
  s = file_->Read(io, offset + keep, n - keep, &result, buffer_.get() + keep);
  if (!s.ok()) return s;
  if (result.data() != buffer_.get() + keep)
    std::memcpy(buffer_.get() + keep, result.data(), result.size());
  size_ = keep + result.size();
  return s;
}

// True if this access, and those before it, call for reading ahead.
bool PrefetchBuffer::Note(uint64_t offset, size_t n) {
  if (offset == expected_) {
    ++sequential_;
  } else {
    sequential_ = 1;
    readahead_ = initial_;
  }
  expected_ = offset + n;
  return max_ > 0 && initial_ > 0 && sequential_ > reads_before_;
}

void PrefetchBuffer::Announce(uint64_t offset) {
  const uint64_t end = std::min(offset + fixed_, file_size_);
  const uint64_t begin = std::max(offset, std::min(announced_until_, end));
  if (end - begin < fixed_ / 2 && end != file_size_) return;
  if (end == begin) return;
  const IOStatus s = file_->Prefetch(IOOptions(), begin, static_cast<size_t>(end - begin));
  // A hint that a file cannot take: read all of it at once instead, as for any reader.
  if (!s.ok()) announces_ = false;
  announced_until_ = end;
}

void PrefetchBuffer::Skip(uint64_t offset, size_t n) { Note(offset, n); }

bool PrefetchBuffer::Read(uint64_t offset, size_t n, Slice* result, IOStatus* status) {
  const bool sequential = Note(offset, n);
  *status = IOStatus::OK();
  if (size_ == 0 || offset < start_ || offset + n > start_ + size_) {
    if (fixed_ > 0) {
      if (announces_) Announce(offset);
      *status = Fill(offset, std::max(n, announces_ ? kChunk : fixed_));
    } else if (sequential) {
      readahead_ = std::min(std::max<size_t>(readahead_, 1), max_);
      *status = Fill(offset, n + readahead_);
      readahead_ = std::min(readahead_ * 2, max_);
    } else {
      return false;
    }
    if (!status->ok()) return true;
  }
  const auto at = static_cast<size_t>(offset - start_);
  *result = Slice(buffer_.get() + at, std::min(n, size_ - std::min(at, size_)));
  return true;
}

// ---- Blocks

Status BlockCorruption(const BlockSource& source, uint64_t offset, const char* what) {
  return Status::Corruption(std::string(what) + source.Where(offset));
}

Status ReadBlock(const BlockSource& source, const BlockHandle& handle, bool verify_checksum,
                 const DecompressionDict* dict, PrefetchBuffer* prefetch, Block::Ptr* block,
                 const ReadLimits& limits) {
  // In this order, so that nothing overflows.
  if (handle.size > kMaxBlockSize || handle.offset > source.file_size ||
      handle.size + kBlockTrailerSize > source.file_size - handle.offset) {
    return BlockCorruption(source, handle.offset, "block handle points outside of the file");
  }
  const auto size = static_cast<size_t>(handle.size);
  const size_t n = size + kBlockTrailerSize;
  Slice raw;
  IOStatus io;
  Block::Ptr read;
  if (prefetch == nullptr || !prefetch->Read(handle.offset, n, &raw, &io)) {
    read = Block::Allocate(size, kBlockTrailerSize, handle.offset);
    if (read == nullptr)
      return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    IOOptions options;
    io = (prefetch != nullptr ? prefetch->limits() : limits).Apply(&options);
    if (io.ok()) io = source.file->Read(options, handle.offset, n, &raw, read->mutable_data());
  }
  if (!io.ok()) return io;
  if (raw.size() != n) return BlockCorruption(source, handle.offset, "truncated block read");

  const char type_byte = raw[size];
  if (verify_checksum && source.footer.checksum_type != kNoChecksum) {
    const uint32_t stored = DecodeFixed32(raw.data() + size + 1);
    const uint32_t computed =
        ComputeChecksum(source.footer.checksum_type, raw.data(), size, type_byte) +
        ChecksumContextModifier(source.footer.base_context_checksum, handle.offset);
    if (stored != computed) {
      return Status::Corruption("block checksum mismatch: stored = " + std::to_string(stored) +
                                ", computed = " + std::to_string(computed) +
                                ", type = " + std::to_string(source.footer.checksum_type) +
                                source.Where(handle.offset) + " size " + std::to_string(size));
    }
  }

  const auto type = static_cast<CompressionType>(type_byte);
  if (type == kNoCompression) {
    if (read == nullptr) {
      read = Block::Allocate(size, 0, handle.offset);
      if (read == nullptr)
        return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    }
    if (raw.data() != read->data()) std::memcpy(read->mutable_data(), raw.data(), size);
    *block = std::move(read);
    return Status::OK();
  }

  size_t raw_size;
  Slice payload;
  Status s = DecompressedSize(type, Slice(raw.data(), size), &raw_size, &payload);
  Block::Ptr plain;
  if (s.ok()) {
    plain = Block::Allocate(raw_size, 0, handle.offset);
    if (plain == nullptr)
      return Status::MemoryLimit("no memory for a block" + source.Where(handle.offset));
    s = DecompressInto(type, payload, plain->mutable_data(), raw_size, dict);
  }
  if (!s.ok()) {
    const std::string message = s.getState() == nullptr ? "" : s.getState();
    return s.IsNotSupported() ? Status::NotSupported(message + source.Where(handle.offset))
                              : Status::Corruption(message + source.Where(handle.offset));
  }
  if (source.statistics != nullptr) source.statistics->recordTick(NUMBER_BLOCK_DECOMPRESSED, 1);
  *block = std::move(plain);
  return Status::OK();
}

}  // namespace cairn
