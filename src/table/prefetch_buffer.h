// PrefetchBuffer: reads ahead of one reader of a table's file.
//
// With a fixed size every miss reads that much. A sweep (compaction) reads it in chunks that stay
// in the processor's cache between their reading and their use, and tells the file ahead of what it
// will want: the device works while the entries before are being merged. Otherwise reading ahead
// begins when an iterator has read a few blocks one after another, with `initial` bytes, doubles
// with each further read up to `max`, and stops when it jumps.
//
// In the background (ReadOptions::async_io, and sweeps with direct I/O, of which the kernel can be
// told nothing ahead) it is ReadAhead's pieces that do so, in both directions.
//
// Belongs to one iterator, not thread-safe. Reads and the destructor SUSPEND.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/namespace.h"
#include "base/read_ahead_pace.h"
#include "fs/file_reader.h"
#include "fs/read_limits.h"
#include "rocksdb/statistics.h"
#include "table/read_ahead.h"

namespace cairn {

// As what the reads are counted.
enum class PrefetchUse : uint8_t { kOther, kUserScan, kCompaction, kTableOpening };

struct PrefetchOptions {
  size_t fixed = 0;           // bytes; 0: as the reads go on, if `max` and `initial` are not 0
  size_t initial = 0;         // bytes
  size_t max = 0;             // bytes
  uint64_t reads_before = 0;  // that must have followed one another
  bool sweep = false;         // all of the file will be read, in order, by this reader alone
  bool background = false;    // what is read so knows no limits of time
  bool of_blocks = false;     // it is filled with just what will be asked for
  ReadLimits limits;          // of all reads
  Statistics* statistics = nullptr;
  PrefetchUse use = PrefetchUse::kOther;
  CacheReservation* memory = nullptr;  // charged for what is read in the background; null: not
};

class PrefetchBuffer {
 public:
  // Borrowed: `file`, options.statistics, options.memory.
  PrefetchBuffer(const RandomAccessFileReader* file, uint64_t file_size,
                 const PrefetchOptions& options)
      : file_(file),
        file_size_(file_size),
        options_(options),
        announces_(options.sweep && options.fixed > kChunk && !file->use_direct_io()),
        background_(options.background || (options.sweep && file->use_direct_io())) {}
  PrefetchBuffer(const PrefetchBuffer&) = delete;
  PrefetchBuffer& operator=(const PrefetchBuffer&) = delete;

  const ReadLimits& limits() const { return options_.limits; }
  bool of_blocks() const { return options_.of_blocks; }

  // True: *status says how it went, and *result, if that is OK, borrows the bytes until the next
  // call (fewer than `n` at the end of the file). False: it does not pay, read directly.
  bool Read(uint64_t offset, size_t n, Slice* result, IOStatus* status) {
    if (options_.statistics == nullptr) [[likely]]
      return ReadUncounted(offset, n, result, status);
    return ReadAndCount(offset, n, result, status);
  }

  // The iterator went over these bytes without reading them (they were in the block cache).
  void Skip(uint64_t offset, size_t n) { Note(offset, n); }

  // Gives `bytes` to what is read before the first Read: the tail of a file at opening.
  [[nodiscard]] IOStatus Fill(uint64_t offset, size_t n);

  // ---- In the background only.

  // Whether the next Read might read ahead and does not know yet up to where that makes sense.
  bool WantsRange() const {
    return background_ && !ranged_ &&
           (options_.fixed > 0 || continues_ || sequential_ >= options_.reads_before);
  }
  // File offsets that the iterator will not go beyond.
  void SetRange(uint64_t begin, uint64_t end);
  // The next Read may be bound for elsewhere.
  void ForgetRange() { ranged_ = false; }
  // Whether all up to the end of the range is read or being read; *forward: the direction.
  bool ReachedEnd(bool* forward) const {
    *forward = forward_;
    return ahead_ != nullptr && ahead_->ReachedEnd();
  }

  // How it reads ahead at present; none: it does not. For a reader that goes on in another file.
  std::optional<ReadAheadPace> Pace() const;
  // The first Read is the continuation of another file's reader.
  void Continue(const ReadAheadPace& pace, bool forward);

 private:
  static constexpr size_t kChunk = 256 << 10;  // bytes of a sweep's read
  static constexpr size_t kSweepPieces = 4;    // that its fixed size is read in, in the background

  // Announces what follows the chunk at `offset`, in pieces, so that it costs a call in a while.
  void Announce(uint64_t offset);
  bool Note(uint64_t offset, size_t n);
  bool ReadUncounted(uint64_t offset, size_t n, Slice* result, IOStatus* status);
  bool ReadAndCount(uint64_t offset, size_t n, Slice* result, IOStatus* status);
  // So many bytes were read from the file at once.
  void CountFilled(size_t n) const;
  ReadAheadPace FirstPace() const;

  const RandomAccessFileReader* const file_;
  const uint64_t file_size_;
  const PrefetchOptions options_;
  bool announces_;  // false once the file refused
  const bool background_;
  uint64_t announced_until_ = 0;  // file offset

  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  uint64_t start_ = 0;  // file offset of buffer_[0]
  size_t size_ = 0;
  mutable bool filled_ = false;  // by the Read that is counted

  // The last access, and how many in a row went in its direction.
  uint64_t last_begin_ = UINT64_MAX;
  uint64_t last_end_ = UINT64_MAX;
  bool forward_ = true;
  uint64_t sequential_ = 0;
  bool continues_ = false;
  size_t readahead_ = 0;

  std::optional<ReadAheadPace> pace_;  // inherited
  bool ranged_ = false;
  uint64_t range_begin_ = 0;
  uint64_t range_end_ = UINT64_MAX;
  std::unique_ptr<ReadAhead> ahead_;
};

}  // namespace cairn
