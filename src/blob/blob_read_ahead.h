// BlobReadAheads: what one reader that goes through the keys in order, a job or an iterator, reads
// ahead of its blob files.
//
// A flush writes blobs in the order of their keys, so that such a reader goes through each file in
// one direction, and over gaps where a blob was overwritten since. Keys of many files may come by
// in turn. Each file has a window of its own:
//
//        passed | handed out | read at once ...              |
//   ------------+------------+-------------------------------+--> direction of travel
//
// An iterator's windows begin when a few blobs of a file followed one another, and grow twofold
// with each read; a jump starts anew. A record as large as the largest window gains nothing and is
// read by itself. In the background (ReadOptions::async_io) the window is table/read_ahead.h's
// pieces, the next of which are read while this one is used.
//
// Memory: an iterator has kMostWindows at a time. One at its file's end, or that was not used for
// long, gives way to another file's: keys that are scattered over a thousand files do not cost a
// thousand windows, and little is read in vain.
//
// Belongs to one job or iterator, not thread-safe. Read and the destructor SUSPEND.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "cache/cache_reservation.h"
#include "fs/file_reader.h"
#include "fs/read_limits.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"
#include "table/read_ahead.h"

namespace cairn {

// The bytes of one open blob file. Thread-safe.
class BlobBytes {
 public:
  BlobBytes(std::unique_ptr<RandomAccessFileReader> file, uint64_t size, Statistics* statistics)
      : file_(std::move(file)), size_(size), statistics_(statistics) {}

  // Exactly n bytes, into `scratch` or memory of the file. SUSPENDS.
  [[nodiscard]] Status Read(const ReadLimits& limits, uint64_t offset, size_t n, Slice* result,
                            char* scratch) const;
  // `s`, with the file and the offset.
  Status At(const Status& s, uint64_t offset) const;

  const RandomAccessFileReader& file() const { return *file_; }
  const std::string& name() const { return file_->file_name(); }
  uint64_t size() const { return size_; }
  Statistics* statistics() const { return statistics_; }

 private:
  const std::unique_ptr<RandomAccessFileReader> file_;
  const uint64_t size_;
  Statistics* const statistics_;  // may be null
};

struct BlobReadAheadOptions {
  size_t fixed = 0;                    // bytes of each window; 0: as the reads go on, if it pays
  size_t initial = 0;                  // bytes; 0: nothing is read ahead
  size_t max = 0;                      // bytes; likewise
  uint64_t reads_before = 0;           // of the file, that must have followed one another
  bool background = false;             // what is read so knows no limits of time
  size_t most_windows = SIZE_MAX;      // at a time
  CacheReservation* memory = nullptr;  // charged for what is read in the background; null: not
};

class BlobReadAheads {
 public:
  static constexpr size_t kMostWindows = 8;  // of an iterator

  // options.memory is borrowed.
  explicit BlobReadAheads(const BlobReadAheadOptions& options) : options_(options) {}
  // A job's: blob_compaction_readahead_size bytes from its first read on; 0: nothing.
  explicit BlobReadAheads(size_t bytes) { options_.fixed = bytes; }
  BlobReadAheads(const BlobReadAheads&) = delete;
  BlobReadAheads& operator=(const BlobReadAheads&) = delete;

  // True: *result borrows the n bytes until the next call. False: it does not pay, or what lies
  // ahead cannot be read; read them directly.
  bool Read(uint64_t number, const std::shared_ptr<const BlobBytes>& file, const ReadLimits& limits,
            uint64_t offset, size_t n, Slice* result);

  // The reader has these bytes of the file from elsewhere, e.g. a cache.
  void Pass(uint64_t number, uint64_t offset, size_t n);

 private:
  // A window is idle, and another file's if that wants one, when so many reads went by, besides a
  // few times as many as used to.
  static constexpr uint64_t kIdleReads = 16;
  static constexpr uint64_t kIdlePeriods = 4;

  struct Window {
    // The last access, and how many in a row went in its direction.
    uint64_t last_begin = UINT64_MAX;
    uint64_t last_end = UINT64_MAX;
    bool forward = true;
    uint64_t in_row = 0;
    size_t next_size = 0;   // bytes
    uint64_t used_at = 0;   // reads_ then
    uint64_t period = 0;    // reads between two uses, on average
    bool has_slot = false;  // it is in windows_
    bool at_end = false;    // the last access was to the file's last record in its direction

    std::unique_ptr<char[]> memory;
    size_t capacity = 0;
    uint64_t start = 0;  // file offset of memory[0]
    size_t size = 0;

    std::shared_ptr<const BlobBytes> file;  // while it is read in the background
    std::unique_ptr<ReadAhead> ahead;
  };

  bool IsOff() const { return options_.fixed == 0 && (options_.initial == 0 || options_.max == 0); }
  size_t Largest() const { return options_.fixed != 0 ? options_.fixed : options_.max; }
  size_t First() const {
    return options_.fixed != 0 ? options_.fixed : std::min(options_.initial, options_.max);
  }
  Window* Of(uint64_t number);
  void Note(Window* window, uint64_t offset, size_t n);
  bool TakeSlot(Window* window);
  void GiveUp(Window* window);
  bool Fill(Window* window, const BlobBytes& file, const ReadLimits& limits, uint64_t offset,
            size_t n);
  bool ReadInBackground(Window* window, const std::shared_ptr<const BlobBytes>& file,
                        const ReadLimits& limits, uint64_t offset, size_t n, Slice* result);

  BlobReadAheadOptions options_;
  std::unordered_map<uint64_t, Window> files_;
  uint64_t last_number_ = 0;      // of the file that was read last
  Window* last_ = nullptr;        // null: there is none
  std::vector<Window*> windows_;  // that have memory, or are about to
  uint64_t reads_ = 0;
};

}  // namespace cairn
