// ReadAhead: a window of a file that moves ahead of one reader, in pieces that are read in the
// background.
//
//        passed | being used | read, or being read ...           |
//   ------------+------------+-----------+-----------+-----------+--> direction of travel
//
// A reader that goes on where it was finds its bytes there, or waits for the one piece that has
// them; each request lets go of the pieces that it has passed and starts new ones. Pieces grow
// twofold with each, fourfold where the reader had to wait; when it has to wait for the largest
// ones, more of them are kept under way (up to kMaxPieces). A jump starts anew.
//
// Memory: at most kMaxPieces + 1 pieces. MemoryInUse() counts the process's.
//
// Called by PrefetchBuffer; belongs to one iterator, not thread-safe. Reads and the destructor
// SUSPEND.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/read_ahead_pace.h"
#include "cache/cache_reservation.h"
#include "fs/file_reader.h"
#include "fs/pending_file_read.h"
#include "rocksdb/statistics.h"

namespace cairn {

class ReadAhead {
 public:
  static constexpr size_t kMaxPieces = 8;

  // All borrowed; `statistics` may be null. `file_size`: bytes, beyond which nothing is read.
  // `memory` (null: not) is charged for the pieces: where it has no room to spare only what is
  // asked for is read.
  ReadAhead(const RandomAccessFileReader* file, uint64_t file_size, const ReadAheadPace& pace,
            Statistics* statistics, CacheReservation* memory = nullptr);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // How the reads ask the rate limiter; IO_TOTAL, the default: not at all.
  void SetPriority(Env::IOPriority priority) { io_.rate_limiter_priority = priority; }
  void SetActivity(Env::IOActivity activity) { io_.io_activity = activity; }
  // Borrowed; null: none.
  void SetRequest(const std::string* id) { io_.request_id = id; }
  // What is read is counted as what iterators of users read ahead.
  void CountForScans() { for_scans_ = true; }
  // What the caller will not go beyond: pieces end there, but for what is asked for. File offsets.
  void SetRange(uint64_t begin, uint64_t end) {
    begin_ = begin;
    end_ = end;
  }

  // SUSPENDS. The bytes [offset, offset + n), borrowed until the next call; fewer only at the end
  // of the file. `forward`: where the caller is going. An error is that of the piece; the next call
  // reads again.
  [[nodiscard]] IOStatus Read(uint64_t offset, size_t n, bool forward, Slice* result);

  // Whether these bytes are read or being read.
  bool Holds(uint64_t offset, size_t n) const;
  // Whether all up to the end of the range, in the direction of travel, is.
  bool ReachedEnd() const;
  // As it would go on.
  ReadAheadPace pace() const;

  // Bytes that all of them hold.
  static size_t MemoryInUse();

 private:
  struct Piece {
    Piece(size_t size, size_t alignment, CacheReservation* memory);
    ~Piece();
    uint64_t end() const { return start + size; }

    char* data;  // null: no memory
    size_t capacity;
    uint64_t start = 0;  // in the file
    size_t size = 0;     // asked for
    bool arrived = false;
    Slice bytes;  // once it has arrived
    bool used = false;
    PendingFileRead read;
    CacheCharge charge;
  };

  uint64_t Front() const;  // the window's edge in the direction of travel
  bool Reaches(uint64_t offset, size_t n) const;
  IOStatus Extend(size_t size, bool asked_for);
  IOStatus TopUp();
  IOStatus Arrive(Piece* piece);
  void LetGo(std::unique_ptr<Piece> piece);
  void Restart(uint64_t offset, size_t n, bool forward);
  std::unique_ptr<Piece> NewPiece(size_t size);

  IOOptions io_;
  const RandomAccessFileReader* const file_;
  const uint64_t alignment_;
  const uint64_t file_end_;  // aligned
  Statistics* const statistics_;
  CacheReservation* const memory_;
  bool for_scans_ = false;
  uint64_t begin_ = 0;
  uint64_t end_ = UINT64_MAX;

  ReadAheadPace pace_;
  size_t next_size_;
  bool forward_ = true;
  uint64_t origin_ = 0;                          // where the window starts while it is empty
  std::deque<std::unique_ptr<Piece>> pieces_;    // in the direction of travel, adjoining
  std::vector<std::unique_ptr<Piece>> leaving_;  // not wanted, but the file may still write to them
  std::unique_ptr<Piece> spare_;
  std::string spliced_;  // what lies in two pieces
};

}  // namespace cairn
