#include "table/read_ahead.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/aligned_memory.h"
#include "base/perf.h"
#include "base/shortage.h"
#include "fiber/clock.h"

namespace cairn {

namespace {

constexpr size_t kPage = 4096;
// The reader had to wait if it took so long; less is the way through the file system.
constexpr uint64_t kWaitNanos = 20'000;

std::atomic<size_t> g_memory_in_use{0};

uint64_t RoundDown(uint64_t n, uint64_t alignment) { return n / alignment * alignment; }
uint64_t RoundUp(uint64_t n, uint64_t alignment) { return RoundDown(n + alignment - 1, alignment); }

}  // namespace

ReadAhead::Piece::Piece(size_t bytes, size_t alignment, CacheReservation* memory)
    : data(AllocateAligned(alignment, RoundUp(bytes, alignment))),
      capacity(data == nullptr ? 0 : RoundUp(bytes, alignment)),
      charge(memory) {
  g_memory_in_use.fetch_add(capacity, std::memory_order_relaxed);
}

ReadAhead::Piece::~Piece() {
  read.Abort();
  g_memory_in_use.fetch_sub(capacity, std::memory_order_relaxed);
  FreeAligned(data);
}

size_t ReadAhead::MemoryInUse() { return g_memory_in_use.load(std::memory_order_relaxed); }

ReadAhead::ReadAhead(const RandomAccessFileReader* file, uint64_t file_size,
                     const ReadAheadPace& pace, Statistics* statistics, CacheReservation* memory)
    : file_(file),
      alignment_(file->alignment()),
      file_end_(RoundUp(file_size, alignment_)),
      statistics_(statistics),
      memory_(memory),
      pace_(pace),
      next_size_(std::max<size_t>(pace.first, 1)) {}

ReadAhead::~ReadAhead() {
  while (!pieces_.empty()) {
    LetGo(std::move(pieces_.front()));
    pieces_.pop_front();
  }
}

uint64_t ReadAhead::Front() const {
  if (pieces_.empty()) return origin_;
  return forward_ ? pieces_.back()->end() : pieces_.back()->start;
}

bool ReadAhead::ReachedEnd() const {
  return forward_ ? Front() >= std::min(end_, file_end_) : Front() <= begin_;
}

bool ReadAhead::Holds(uint64_t offset, size_t n) const {
  if (pieces_.empty()) return false;
  const uint64_t low = std::min(pieces_.front()->start, pieces_.back()->start);
  const uint64_t high = std::max(pieces_.front()->end(), pieces_.back()->end());
  return offset >= low && offset + n <= high;
}

ReadAheadPace ReadAhead::pace() const {
  ReadAheadPace pace = pace_;
  pace.first = next_size_;
  return pace;
}

// Whether the request can be had by going on: it begins in the window, or where that ends.
bool ReadAhead::Reaches(uint64_t offset, size_t n) const {
  if (pieces_.empty()) return false;
  return forward_ ? offset >= pieces_.front()->start && offset <= Front()
                  : offset + n <= pieces_.front()->end() && offset + n >= Front();
}

std::unique_ptr<ReadAhead::Piece> ReadAhead::NewPiece(size_t size) {
  if (spare_ != nullptr && spare_->capacity >= size) {
    auto piece = std::move(spare_);
    piece->arrived = piece->used = false;
    return piece;
  }
  return std::make_unique<Piece>(size, std::max<size_t>(alignment_, kPage), memory_);
}

// Starts to read `size` more bytes at the window's front, or what there is; nothing if memory is
// short and nobody asked for them. REQUIRES: size > 0
IOStatus ReadAhead::Extend(size_t size, bool asked_for) {
  const uint64_t front = Front();
  const uint64_t begin =
      forward_ ? front : RoundDown(front - std::min<uint64_t>(front, size), alignment_);
  const uint64_t end = forward_ ? std::min(RoundUp(front + size, alignment_), file_end_) : front;
  if (begin >= end) return IOStatus::OK();
  if (!asked_for && memory_ != nullptr && !memory_->HasRoomToSpare(end - begin)) {
    return IOStatus::OK();
  }
  auto piece = NewPiece(static_cast<size_t>(end - begin));
  if (piece->data == nullptr) return NoMemory(file_->file_name());
  if (!piece->charge.Set(piece->capacity) && !asked_for) return IOStatus::OK();
  piece->start = begin;
  piece->size = static_cast<size_t>(end - begin);
  piece->read.Start(*file_, io_, piece->start, piece->size, piece->data);
  if (statistics_ != nullptr) {
    statistics_->recordInHistogram(ASYNC_READ_BYTES, piece->size);
    if (for_scans_) statistics_->recordTick(PREFETCH_BYTES, piece->size);
  }
  pieces_.push_back(std::move(piece));
  return IOStatus::OK();
}

// Keeps pieces under way, besides the first one, which is in use.
IOStatus ReadAhead::TopUp() {
  while (pieces_.size() < pace_.pieces + 1 && !ReachedEnd()) {
    const uint64_t front = Front();
    const uint64_t left = forward_ ? std::min(end_, file_end_) - front : front - begin_;
    const size_t pieces = pieces_.size();
    // (The end of the file is no limit that somebody has set.)
    if (for_scans_ && statistics_ != nullptr && left < next_size_ && forward_ && end_ < file_end_) {
      statistics_->recordTick(READAHEAD_TRIMMED, 1);
    }
    IOStatus s =
        Extend(static_cast<size_t>(std::min<uint64_t>(next_size_, left)), /*asked_for=*/false);
    if (!s.ok() || pieces_.size() == pieces) return s;
    next_size_ = std::min(next_size_ * 2, std::max(pace_.largest, pace_.first));
  }
  return IOStatus::OK();
}

IOStatus ReadAhead::Arrive(Piece* piece) {
  if (piece->arrived) return IOStatus::OK();
  const uint64_t before = fiber::now_nanos();
  PerfTimer timer(Perf(), &IOStatsContext::read_nanos);
  IOStatus s = piece->read.Wait(&piece->bytes);
  timer.Stop();
  if (!s.ok()) {
    if (statistics_ != nullptr) statistics_->recordTick(ASYNC_READ_ERROR_COUNT, 1);
    return s;
  }
  piece->arrived = true;
  file_->CountRead(piece->bytes.size());
  const uint64_t waited = fiber::now_nanos() - before;
  if (statistics_ != nullptr) statistics_->reportTimeToHistogram(POLL_WAIT_MICROS, waited / 1000);
  if (waited < kWaitNanos || !pace_.may_widen) return s;
  if (next_size_ < pace_.largest) {
    next_size_ = std::min(next_size_ * 2, pace_.largest);
  } else if (piece->size >= pace_.largest) {
    pace_.pieces = std::min(pace_.pieces + 1, kMaxPieces);
  }
  return s;
}

void ReadAhead::LetGo(std::unique_ptr<Piece> piece) {
  if (!piece->used && statistics_ != nullptr) {
    statistics_->recordInHistogram(PREFETCHED_BYTES_DISCARDED, piece->size);
  }
  if (piece->read.under_way()) {
    // Waiting for it would delay whoever jumps; but so many only.
    if (leaving_.size() >= kMaxPieces) leaving_.erase(leaving_.begin());
    leaving_.push_back(std::move(piece));
  } else if (spare_ == nullptr || spare_->capacity < piece->capacity) {
    spare_ = std::move(piece);
  }
}

void ReadAhead::Restart(uint64_t offset, size_t n, bool forward) {
  while (!pieces_.empty()) {
    LetGo(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  forward_ = forward;
  origin_ = forward ? RoundDown(offset, alignment_) : RoundUp(offset + n, alignment_);
  next_size_ = std::max<size_t>(pace_.first, 1);
}

IOStatus ReadAhead::Read(uint64_t offset, size_t n, bool forward, Slice* result) {
  *result = Slice();
  if (forward != forward_ || !Reaches(offset, n)) Restart(offset, n, forward);
  while (!pieces_.empty() &&
         (forward ? pieces_.front()->end() <= offset : pieces_.front()->start >= offset + n)) {
    origin_ = forward ? pieces_.front()->end() : pieces_.front()->start;
    LetGo(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  // What is asked for is read whatever the limits are; on its own if nothing is there yet, so that
  // it need not wait for more than itself.
  const uint64_t wanted_end = std::min(offset + n, file_end_);
  if (forward ? Front() < wanted_end : Front() > offset) {
    const uint64_t missing = forward ? wanted_end - Front() : Front() - offset;
    IOStatus s = Extend(static_cast<size_t>(missing), /*asked_for=*/true);
    if (!s.ok()) return s;
  }
  IOStatus s = TopUp();
  char* splice = nullptr;
  size_t there = 0;
  for (size_t i = 0; s.ok() && i < pieces_.size(); ++i) {
    Piece& piece = *pieces_[i];
    const uint64_t begin = std::max(offset, piece.start);
    const uint64_t end = std::min(offset + n, piece.end());
    if (begin >= end) break;
    s = Arrive(&piece);
    if (!s.ok()) break;
    piece.used = true;
    const size_t at = std::min(static_cast<size_t>(begin - piece.start), piece.bytes.size());
    const size_t got = std::min(static_cast<size_t>(end - begin), piece.bytes.size() - at);
    if (end - begin == n) {
      *result = Slice(piece.bytes.data() + at, got);
      return s;
    }
    if (splice == nullptr) {
      spliced_.resize(n);
      splice = spliced_.data();
    }
    std::memcpy(splice + (begin - offset), piece.bytes.data() + at, got);
    there += got;
  }
  if (!s.ok()) {
    // What has failed, and what was read beside it, is not to be trusted again.
    Restart(offset, n, forward);
    return s;
  }
  *result = Slice(splice, there);
  return s;
}

}  // namespace cairn
