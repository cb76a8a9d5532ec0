#include "blob/blob_read_ahead.h"

#include <algorithm>
#include <cstring>

#include "base/allocation.h"
#include "base/perf.h"
#include "blob/blob_format.h"
#include "fiber/clock.h"
#include "table/format.h"

namespace cairn {
namespace {

// RocksDB's BLOB_DB_BLOB_FILE_READ_MICROS.
class BlobReadTimer {
 public:
  explicit BlobReadTimer(Statistics* statistics)
      : statistics_(statistics), start_(statistics != nullptr ? fiber::now_nanos() : 0) {}
  ~BlobReadTimer() {
    if (statistics_ == nullptr) return;
    statistics_->reportTimeToHistogram(BLOB_DB_BLOB_FILE_READ_MICROS,
                                       (fiber::now_nanos() - start_) / 1000);
  }
  BlobReadTimer(const BlobReadTimer&) = delete;
  BlobReadTimer& operator=(const BlobReadTimer&) = delete;

 private:
  Statistics* const statistics_;
  const uint64_t start_;
};

}  // namespace

Status BlobBytes::At(const Status& s, uint64_t offset) const {
  return Status::CopyAppendMessage(s, "", InFileAt(file_->file_name(), offset));
}

Status BlobBytes::Read(const ReadLimits& limits, uint64_t offset, size_t n, Slice* result,
                       char* scratch) const {
  IOOptions io;
  IOStatus s = limits.Apply(&io);
  if (!s.ok()) return s;
  if (statistics_ != nullptr) statistics_->recordTick(BLOB_DB_BLOB_FILE_BYTES_READ, n);
  {
    const BlobReadTimer timer(statistics_);
    s = file_->Read(io, offset, n, result, scratch);
  }
  if (s.ok() && result->size() != n) {
    return At(Status::Corruption("truncated read of a blob file"), offset);
  }
  return s;
}

BlobReadAheads::Window* BlobReadAheads::Of(uint64_t number) {
  if (last_ == nullptr || last_number_ != number) {
    if (last_ != nullptr && last_->has_slot && last_->at_end) GiveUp(last_);
    last_ = &files_[number];
    last_number_ = number;
  }
  return last_;
}

// The reader goes over these bytes now.
void BlobReadAheads::Note(Window* window, uint64_t offset, size_t n) {
  // What is passed over is read ahead in vain: no more than what is wanted.
  const uint64_t gap = std::max(n, window->next_size);
  const bool follows = offset >= window->last_end && offset - window->last_end <= gap;
  const bool precedes =
      offset + n <= window->last_begin && window->last_begin - (offset + n) <= gap;
  if (offset == window->last_begin) {
    // The same once more, e.g. at a turn.
  } else if (follows || (precedes && window->in_row > 0)) {
    window->in_row = follows == window->forward ? window->in_row + 1 : 2;
    window->forward = follows;
  } else {
    window->in_row = 1;
    window->forward = true;
    window->next_size = First();
  }
  window->last_begin = offset;
  window->last_end = offset + n;
  ++reads_;
  if (window->used_at != 0) {
    window->period = (window->period * 3 + reads_ - window->used_at) / 4;
  }
  window->used_at = reads_;
  window->at_end = false;
}

void BlobReadAheads::Pass(uint64_t number, uint64_t offset, size_t n) {
  if (!IsOff()) Note(Of(number), offset, n);
}

// Whether this file may have a window: it has one, or there is room for another.
bool BlobReadAheads::TakeSlot(Window* window) {
  if (window->has_slot) return true;
  if (windows_.size() >= options_.most_windows) {
    const auto oldest = std::ranges::min_element(windows_, {}, &Window::used_at);
    const uint64_t idle = reads_ - (*oldest)->used_at;
    if (idle < kIdleReads + kIdlePeriods * (*oldest)->period) return false;
    GiveUp(*oldest);
  }
  window->has_slot = true;
  windows_.push_back(window);
  return true;
}

void BlobReadAheads::GiveUp(Window* window) {
  if (window->has_slot) std::erase(windows_, window);
  window->has_slot = false;
  window->ahead.reset();
  window->file.reset();
  window->memory.reset();
  window->capacity = window->size = 0;
  window->next_size = First();
}

// Reads a window that has [offset, offset + n). False: that failed, or there is no memory for it.
bool BlobReadAheads::Fill(Window* window, const BlobBytes& file, const ReadLimits& limits,
                          uint64_t offset, size_t n) {
  // What is asked for is beyond kBlobHeaderSize and before the footer.
  const uint64_t limit = file.size() - kBlobFooterSize;
  const size_t wanted = options_.fixed != 0 ? std::max(n, options_.fixed)
                                            : n + std::max<size_t>(window->next_size, 1);
  uint64_t begin = offset;
  uint64_t end = offset + n;
  if (window->forward) {
    end = std::min<uint64_t>(begin + wanted, limit);
  } else {
    begin = end - std::min<uint64_t>(wanted, end - kBlobHeaderSize);
  }
  // What is there already need not be read again.
  const uint64_t old_end = window->start + window->size;
  const uint64_t keep_begin = std::max(begin, window->start);
  const uint64_t keep_end = std::min(end, old_end);
  const bool keeps =
      keep_begin < keep_end && (window->forward ? keep_begin == begin : keep_end == end);
  const size_t keep = keeps ? static_cast<size_t>(keep_end - keep_begin) : 0;
  const auto total = static_cast<size_t>(end - begin);
  const size_t keep_to = window->forward ? 0 : total - keep;
  if (total > window->capacity) {
    std::unique_ptr<char[]> bigger;
    if (!WithMemory(total, [&] { bigger = std::make_unique_for_overwrite<char[]>(total); })) {
      return false;
    }
    if (keep != 0) {
      std::memcpy(bigger.get() + keep_to, window->memory.get() + (keep_begin - window->start),
                  keep);
    }
    window->memory = std::move(bigger);
    window->capacity = total;
  } else if (keep != 0) {
    std::memmove(window->memory.get() + keep_to,
                 window->memory.get() + (keep_begin - window->start), keep);
  }
  window->size = 0;
  char* const into = window->memory.get() + (window->forward ? keep : 0);
  Slice bytes;
  if (!file.Read(limits, window->forward ? begin + keep : begin, total - keep, &bytes, into).ok()) {
    return false;
  }
  if (bytes.data() != into) std::memcpy(into, bytes.data(), bytes.size());
  window->start = begin;
  window->size = total;
  window->next_size = std::min(std::max<size_t>(window->next_size, 1) * 2, Largest());
  return true;
}

bool BlobReadAheads::ReadInBackground(Window* window, const std::shared_ptr<const BlobBytes>& file,
                                      const ReadLimits& limits, uint64_t offset, size_t n,
                                      Slice* result) {
  if (window->ahead == nullptr) {
    ReadAheadPace pace;
    if (options_.fixed != 0) {
      pace.first = pace.largest = std::max<size_t>(options_.fixed / pace.pieces, 1);
    } else {
      pace.first = First();
      pace.largest = options_.max;
      pace.may_widen = true;
    }
    window->ahead = std::make_unique<ReadAhead>(&file->file(), file->size(), pace,
                                                file->statistics(), options_.memory);
    window->ahead->SetPriority(limits.priority);
    window->ahead->SetActivity(limits.activity);
    window->ahead->SetRequest(limits.request_id);
    window->ahead->SetRange(0, file->size() - kBlobFooterSize);
    window->file = file;
  }
  window->next_size = std::max(window->next_size, window->ahead->pace().first);
  {
    const BlobReadTimer timer(file->statistics());
    if (!window->ahead->Read(offset, n, window->forward, result).ok() || result->size() != n) {
      return false;
    }
  }
  if (file->statistics() != nullptr) {
    file->statistics()->recordTick(BLOB_DB_BLOB_FILE_BYTES_READ, n);
  }
  return true;
}

bool BlobReadAheads::Read(uint64_t number, const std::shared_ptr<const BlobBytes>& file,
                          const ReadLimits& limits, uint64_t offset, size_t n, Slice* result) {
  if (IsOff()) return false;
  Window* const window = Of(number);
  Note(window, offset, n);
  window->at_end =
      window->forward ? offset + n == file->size() - kBlobFooterSize : offset == kBlobHeaderSize;
  if (limits.Over()) [[unlikely]]
    return false;  // who reads directly, tells
  const bool goes_on = window->in_row > options_.reads_before;
  if (options_.background) {
    if (!goes_on && (window->ahead == nullptr || !window->ahead->Holds(offset, n))) return false;
    return TakeSlot(window) && ReadInBackground(window, file, limits, offset, n, result);
  }
  const bool there = offset >= window->start && offset - window->start <= window->size &&
                     n <= window->size - (offset - window->start);
  if (!there) {
    if (!goes_on || n >= Largest() || !TakeSlot(window)) return false;
    if (!Fill(window, *file, limits, offset, n)) {
      window->size = 0;
      return false;
    }
  }
  *result = Slice(window->memory.get() + (offset - window->start), n);
  return true;
}

}  // namespace cairn
