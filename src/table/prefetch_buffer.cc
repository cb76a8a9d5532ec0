#include "table/prefetch_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/allocation.h"

namespace cairn {

IOStatus PrefetchBuffer::Fill(uint64_t offset, size_t n) {
  n = static_cast<size_t>(std::min<uint64_t>(n, file_size_ - std::min(offset, file_size_)));
  // What is there already need not be read again.
  size_t keep = 0;
  if (size_ > 0 && offset >= start_ && offset < start_ + size_) {
    keep = static_cast<size_t>(start_ + size_ - offset);
  }
  if (n > capacity_) {
    std::unique_ptr<char[]> bigger;
    if (!WithMemory(n, [&] { bigger = std::make_unique_for_overwrite<char[]>(n); })) {
      return status_to_io_status(
          Status::MemoryLimit("no memory to read " + std::to_string(n) + " bytes of a table"));
    }
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
  IOStatus s = options_.limits.Apply(&io);
  if (!s.ok()) return s;
  Slice result;
  s = file_->Read(io, offset + keep, n - keep, &result, buffer_.get() + keep);
  if (!s.ok()) return s;
  if (result.data() != buffer_.get() + keep)
    std::memcpy(buffer_.get() + keep, result.data(), result.size());
  size_ = keep + result.size();
  if (options_.statistics != nullptr) CountFilled(n - keep);
  return s;
}

void PrefetchBuffer::CountFilled(size_t n) const {
  filled_ = true;
  Statistics* const statistics = options_.statistics;
  switch (options_.use) {
    case PrefetchUse::kUserScan:
      return statistics->recordTick(PREFETCH_BYTES, n);
    case PrefetchUse::kCompaction:
      return statistics->recordInHistogram(COMPACTION_PREFETCH_BYTES, n);
    case PrefetchUse::kTableOpening:
      return statistics->recordInHistogram(TABLE_OPEN_PREFETCH_TAIL_READ_BYTES, n);
    case PrefetchUse::kOther:
      return;
  }
}

bool PrefetchBuffer::ReadAndCount(uint64_t offset, size_t n, Slice* result, IOStatus* status) {
  filled_ = false;
  const bool ahead = ahead_ != nullptr && ahead_->Holds(offset, n);
  const bool there = ReadUncounted(offset, n, result, status);
  Statistics* const statistics = options_.statistics;
  if (options_.use == PrefetchUse::kTableOpening) {
    statistics->recordTick(
        there && !filled_ ? TABLE_OPEN_PREFETCH_TAIL_HIT : TABLE_OPEN_PREFETCH_TAIL_MISS, 1);
  } else if (options_.use == PrefetchUse::kUserScan && there && status->ok() &&
             (background_ ? ahead : !filled_)) {
    statistics->recordTick(PREFETCH_HITS, 1);
    statistics->recordTick(PREFETCH_BYTES_USEFUL, result->size());
  }
  return there;
}

// True if this access, and those before it, call for reading ahead.
bool PrefetchBuffer::Note(uint64_t offset, size_t n) {
  const bool follows = offset == last_end_;
  const bool precedes = background_ && offset + n == last_begin_;
  if (continues_) {
    sequential_ = options_.reads_before + 1;
  } else if (follows || precedes) {
    sequential_ = follows == forward_ ? sequential_ + 1 : 2;
    forward_ = follows;
  } else {
    sequential_ = 1;
    forward_ = true;
    readahead_ = options_.initial;
  }
  continues_ = false;
  last_begin_ = offset;
  last_end_ = offset + n;
  return options_.max > 0 && options_.initial > 0 && sequential_ > options_.reads_before;
}

void PrefetchBuffer::Announce(uint64_t offset) {
  const uint64_t end = std::min(offset + options_.fixed, file_size_);
  const uint64_t begin = std::max(offset, std::min(announced_until_, end));
  if (end - begin < options_.fixed / 2 && end != file_size_) return;
  if (end == begin) return;
  IOOptions io;
  io.rate_limiter_priority = options_.limits.priority;
  io.io_activity = options_.limits.activity;
  io.request_id = options_.limits.request_id;
  const IOStatus s = file_->Prefetch(io, begin, static_cast<size_t>(end - begin));
  // A hint that a file cannot take: read all of it at once instead, as for any reader.
  if (!s.ok()) announces_ = false;
  announced_until_ = end;
}

ReadAheadPace PrefetchBuffer::FirstPace() const {
  if (pace_) return *pace_;
  ReadAheadPace pace;
  if (options_.fixed > 0) {
    pace.pieces = options_.sweep ? kSweepPieces : 2;
    pace.first = pace.largest = std::max<size_t>(options_.fixed / pace.pieces, 1);
  } else {
    pace.first = std::min(options_.initial, options_.max);
    pace.largest = options_.max;
    pace.may_widen = true;
  }
  return pace;
}

void PrefetchBuffer::SetRange(uint64_t begin, uint64_t end) {
  ranged_ = true;
  range_begin_ = begin;
  range_end_ = end;
  if (ahead_ != nullptr) ahead_->SetRange(begin, end);
}

std::optional<ReadAheadPace> PrefetchBuffer::Pace() const {
  if (options_.fixed > 0) return std::nullopt;
  if (ahead_ != nullptr) return ahead_->pace();
  if (background_ || sequential_ <= options_.reads_before || readahead_ <= options_.initial) {
    return std::nullopt;
  }
  ReadAheadPace pace;
  pace.first = readahead_;
  pace.largest = options_.max;
  return pace;
}

void PrefetchBuffer::Continue(const ReadAheadPace& pace, bool forward) {
  pace_ = pace;
  continues_ = true;
  forward_ = forward;
  readahead_ = pace.first;
}

bool PrefetchBuffer::ReadUncounted(uint64_t offset, size_t n, Slice* result, IOStatus* status) {
  const bool sequential = Note(offset, n);
  *status = IOStatus::OK();
  if (background_) {
    const bool goes_on = options_.fixed > 0 || sequential;
    if (!goes_on && (ahead_ == nullptr || !ahead_->Holds(offset, n))) return false;
    if (ahead_ == nullptr) {
      ahead_ = std::make_unique<ReadAhead>(file_, file_size_, FirstPace(), options_.statistics,
                                           options_.memory);
      ahead_->SetPriority(options_.limits.priority);
      ahead_->SetActivity(options_.limits.activity);
      ahead_->SetRequest(options_.limits.request_id);
      if (options_.use == PrefetchUse::kUserScan) ahead_->CountForScans();
      ahead_->SetRange(range_begin_, range_end_);
    }
    // What could not be read ahead may lie beside what is asked for.
    return ahead_->Read(offset, n, forward_, result).ok();
  }
  if (size_ == 0 || offset < start_ || offset + n > start_ + size_) {
    if (options_.fixed > 0) {
      if (announces_) Announce(offset);
      *status = Fill(offset, std::max(n, announces_ ? kChunk : options_.fixed));
    } else if (sequential) {
      readahead_ = std::min(std::max<size_t>(readahead_, 1), options_.max);
      *status = Fill(offset, n + readahead_);
      readahead_ = std::min(readahead_ * 2, options_.max);
    } else {
      return false;
    }
    if (status->IsMemoryLimit()) {
      // Who asks may have memory of his own, or says that there is none.
      *status = IOStatus::OK();
      return false;
    }
    if (!status->ok()) return true;
  }
  const auto at = static_cast<size_t>(offset - start_);
  *result = Slice(buffer_.get() + at, std::min(n, size_ - std::min(at, size_)));
  return true;
}

}  // namespace cairn
