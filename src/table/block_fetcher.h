// Reading one block: bytes from the file (or from what was read ahead), checksum, decompression.
//
// Called by the table reader. BlockSource is constant once its table is open: thread-safe. A
// PrefetchBuffer belongs to one iterator. Reads SUSPEND. Every error names the file and the offset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/read_limits.h"
#include "rocksdb/statistics.h"
#include "table/block.h"
#include "table/compression.h"
#include "table/format.h"

namespace cairn {

// Reads ahead of an iterator.
//
// With a fixed size every miss reads that much. A sweep (compaction) reads it in chunks that stay
// in the processor's cache between their reading and their use, and tells the file ahead of what it
// will want: the device works while the entries before are being merged. Otherwise reading ahead
// begins when an iterator has read a few blocks one after another, with `initial` bytes, doubles
// with each further read up to `max`, and stops when it jumps.
class PrefetchBuffer {
 public:
  // `sweep`: all of the file will be read, in order, by this reader alone.
  PrefetchBuffer(const RandomAccessFileReader* file, uint64_t file_size, size_t fixed,
                 size_t initial, size_t max, uint64_t reads_before, bool sweep = false)
      : file_(file),
        file_size_(file_size),
        fixed_(fixed),
        initial_(initial),
        max_(max),
        reads_before_(reads_before),
        announces_(sweep && fixed > kChunk && !file->use_direct_io()) {}
  PrefetchBuffer(const PrefetchBuffer&) = delete;
  PrefetchBuffer& operator=(const PrefetchBuffer&) = delete;

  // Of all its reads from now on.
  void SetLimits(const ReadLimits& limits) { limits_ = limits; }
  const ReadLimits& limits() const { return limits_; }

  // True: *status says how it went, and *result, if that is OK, borrows the bytes until the next
  // call (fewer than `n` at the end of the file). False: it does not pay, read directly.
  bool Read(uint64_t offset, size_t n, Slice* result, IOStatus* status);

  // The iterator went over these bytes without reading them (they were in the block cache).
  void Skip(uint64_t offset, size_t n);

  // Gives `bytes` to what is read before the first Read: the tail of a file at opening.
  [[nodiscard]] IOStatus Fill(uint64_t offset, size_t n);

 private:
  static constexpr size_t kChunk = 256 << 10;  // bytes of a sweep's read

  // Announces what follows the chunk at `offset`, in pieces, so that it costs a call in a while.
  void Announce(uint64_t offset);
  bool Note(uint64_t offset, size_t n);

  const RandomAccessFileReader* const file_;
  const uint64_t file_size_;
  const size_t fixed_;
  const size_t initial_;
  const size_t max_;
  const uint64_t reads_before_;
  ReadLimits limits_;
  bool announces_;                // false once the file refused
  uint64_t announced_until_ = 0;  // file offset

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  uint64_t start_ = 0;  // file offset of buffer_[0]
  size_t size_ = 0;
  uint64_t expected_ = UINT64_MAX;  // where the next read starts if it is sequential
  uint64_t sequential_ = 0;         // reads in a row
  size_t readahead_ = 0;
};

// What all blocks of a table have in common.
struct BlockSource {
  std::unique_ptr<RandomAccessFileReader> file;
  uint64_t file_size = 0;
  Footer footer;
  Statistics* statistics = nullptr;
  std::unique_ptr<DecompressionDict> dict;  // of the data blocks; may be null

  std::string Where(uint64_t offset) const { return InFileAt(file->file_name(), offset); }
};

// Reads the block at `handle`. `dict`: null for all but data blocks. `prefetch` may be null; then
// `limits` says how long the read may take, else its own limits do.
[[nodiscard]] Status ReadBlock(const BlockSource& source, const BlockHandle& handle,
                               bool verify_checksum, const DecompressionDict* dict,
                               PrefetchBuffer* prefetch, Block::Ptr* block,
                               const ReadLimits& limits = {});

// The error of a block whose contents make no sense.
Status BlockCorruption(const BlockSource& source, uint64_t offset, const char* what);

}  // namespace cairn
