#include "fs/file_writer.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/aligned_memory.h"
#include "base/crc32c.h"
#include "base/perf.h"
#include "base/shortage.h"
#include "base/stop_watch.h"
#include "fs/checksum_handoff.h"

namespace cairn {

namespace {

constexpr size_t kInitialBufferSize = 64 << 10;

// Write-back by range stays this far behind the end: the last pages are written again soon, and a
// page under write-back makes that write wait.
constexpr uint64_t kWritebackLag = 1 << 20;
constexpr uint64_t kWritebackAlignment = 4 << 10;

size_t RoundUp(size_t n, size_t alignment) { return (n + alignment - 1) / alignment * alignment; }

void Prepare(FSWritableFile* file, uint64_t offset, size_t n) {
  const PerfTimer timer(Perf(), &IOStatsContext::prepare_write_nanos);
  file->PrepareWrite(static_cast<size_t>(offset), n, IOOptions(), nullptr);
}

// `call` is a call of the file's that writes `n` bytes.
template <class Call>
IOStatus CountWrite(size_t n, const Call& call) {
  const Perf perf;
  const PerfTimer timer(perf, &IOStatsContext::write_nanos);
  const PerfCpuTimer cpu_timer(perf, &IOStatsContext::cpu_write_nanos);
  IOStatus s = call();
  if (s.ok()) CountIO(&IOStatsContext::bytes_written, n);
  return s;
}

// `sum`: what is handed over with the bytes; none: nothing is.
IOStatus AppendTo(FSWritableFile* file, const Slice& data, const std::optional<uint32_t>& sum) {
  if (!sum) return file->Append(data, IOOptions(), nullptr);
  const HandedChecksum handed(*sum);
  return file->Append(data, IOOptions(), handed.info(), nullptr);
}

IOStatus PositionedAppendTo(FSWritableFile* file, const Slice& data, uint64_t offset,
                            const std::optional<uint32_t>& sum) {
  if (!sum) return file->PositionedAppend(data, offset, IOOptions(), nullptr);
  const HandedChecksum handed(*sum);
  return file->PositionedAppend(data, offset, IOOptions(), handed.info(), nullptr);
}

// Of FileWriter::SetStatistics.
struct WriteWatch {
  WriteWatch(Statistics* statistics, const std::array<Histograms, 2>& histograms)
      : all(statistics, histograms[0]), of_its_kind(statistics, histograms[1]) {}
  const StopWatch all, of_its_kind;
};

IOStatus SyncFile(FSWritableFile* file, bool use_fsync) {
  const PerfTimer timer(Perf(), &IOStatsContext::fsync_nanos);
  return use_fsync ? file->Fsync(IOOptions(), nullptr) : file->Sync(IOOptions(), nullptr);
}

}  // namespace

void FileWriter::FreeDeleter::operator()(char* p) const { FreeAligned(p); }

FileWriter::FileWriter(std::unique_ptr<FSWritableFile> file, std::string file_name,
                       const FileOptions& options, uint64_t initial_size)
    : file_(std::move(file)),
      file_name_(std::move(file_name)),
      direct_(file_->use_direct_io()),
      alignment_(direct_ ? file_->GetRequiredBufferAlignment() : 64),
      max_buffer_size_(
          RoundUp(std::max<size_t>(options.writable_file_max_buffer_size, 1), alignment_)),
      bytes_per_sync_(options.bytes_per_sync),
      buffer_offset_(initial_size),
      file_size_(initial_size),
      flushed_size_(initial_size),
      last_sync_offset_(initial_size) {}

FileWriter::~FileWriter() {
  const IOStatus s = Close();
  s.PermitUncheckedError();
}

IOStatus FileWriter::Open(FileSystem* fs, const std::string& fname, const FileOptions& options,
                          std::unique_ptr<FileWriter>* writer) {
  std::unique_ptr<FSWritableFile> file;
  IOStatus s = fs->NewWritableFile(fname, options, &file, nullptr);
  if (s.ok()) *writer = std::make_unique<FileWriter>(std::move(file), fname, options);
  return s;
}

IOStatus FileWriter::FirstError() const {
  fiber::MutexLock lock(&error_mu_);
  return first_error_;
}

IOStatus FileWriter::Fail(IOStatus s) {
  // Not every file system says which file it was.
  const std::string base = file_name_.substr(file_name_.rfind('/') + 1);
  const std::string_view message = s.getState() == nullptr ? "" : s.getState();
  if (message.find(base) == std::string_view::npos) {
    s = status_to_io_status(Status::CopyAppendMessage(s, message.empty() ? "" : ": ", file_name_));
  }
  fiber::MutexLock lock(&error_mu_);
  if (!failed_.load(std::memory_order_relaxed)) {
    first_error_ = s;
    failed_.store(true, std::memory_order_release);
  }
  return s;
}

// Makes room for `want` bytes in all, doubling, up to max_buffer_size_.
void FileWriter::GrowBuffer(size_t want) {
  size_t size = std::max(capacity_, std::min(kInitialBufferSize, max_buffer_size_));
  while (size < want && size < max_buffer_size_) size *= 2;
  size = RoundUp(std::min(size, max_buffer_size_), alignment_);
  if (size <= capacity_) return;
  char* grown = AllocateAligned(alignment_, size);
  if (grown == nullptr) return;  // the old buffer still works, only with more writes
  if (used_ > 0) std::memcpy(grown, buffer_, used_);
  buffer_owner_.reset(grown);
  buffer_ = grown;
  capacity_ = size;
}

IOStatus FileWriter::AppendSlow(const Slice& data) {
  if (failed_.load(std::memory_order_acquire)) return FirstError();
  if (file_ == nullptr) return IOStatus::IOError("append to a closed file", file_name_);
  const char* src = data.data();
  size_t left = data.size();
  while (left > 0) {
    if (left > capacity_ - used_) GrowBuffer(used_ + left);
    if (capacity_ == 0) return Fail(NoMemory(file_name_));
    if (!direct_ && left > capacity_ - used_) {
      // Larger than any buffer that we would take: hand it on without a copy.
      IOStatus s = Flush();
      if (s.ok() && left >= max_buffer_size_) {
        file_size_.store(file_size_.load(std::memory_order_relaxed) + left,
                         std::memory_order_release);
        return WriteOut(src, left);
      }
      if (!s.ok()) return s;
    } else if (used_ == capacity_) {
      IOStatus s = write_behind_ && capacity_ == max_buffer_size_ ? StartWriteBehind() : Flush();
      if (!s.ok()) return s;
    }
    const size_t n = std::min(left, capacity_ - used_);
    std::memcpy(buffer_ + used_, src, n);
    used_ += n;
    src += n;
    left -= n;
    file_size_.store(file_size_.load(std::memory_order_relaxed) + n, std::memory_order_release);
  }
  return IOStatus::OK();
}

IOStatus FileWriter::AppendSummed(const Slice& data, std::optional<uint32_t> crc) {
  const size_t n = data.size();
  if (!direct_ && n > capacity_ - used_) {
    GrowBuffer(used_ + n);
    if (n > capacity_ - used_ && used_ > 0) {
      if (IOStatus s = Flush(); !s.ok()) return s;
    }
  }
  // What does not fit goes out in pieces, which are summed up as they do.
  if (n > capacity_ - used_) return Append(data);
  SumBuffer();
  IOStatus s = Append(data);
  if (!s.ok()) return s;
  sum_ = crc ? crc32c::Combine(sum_, *crc, n) : crc32c::Extend(sum_, data.data(), n);
  summed_ += n;
  return s;
}

void FileWriter::SumBuffer() {
  sum_ = crc32c::Extend(sum_, buffer_ + summed_, used_ - summed_);
  summed_ = used_;
}

uint32_t FileWriter::TakeSum(const Slice& data) {
  const uint32_t sum = crc32c::Extend(sum_, data.data() + summed_, data.size() - summed_);
  sum_ = 0;
  summed_ = 0;
  return sum;
}

IOStatus FileWriter::Pad(size_t bytes) {
  static constexpr char kZeros[512] = {};
  while (bytes > 0) {
    const size_t n = std::min(bytes, sizeof(kZeros));
    IOStatus s = Append(Slice(kZeros, n));
    if (!s.ok()) return s;
    bytes -= n;
  }
  return IOStatus::OK();
}

void FileWriter::UpdateChecksum(const char* data, uint64_t offset, size_t n) {
  if (checksum_generator_ == nullptr || offset + n <= checksummed_) return;
  const auto known = static_cast<size_t>(checksummed_ - offset);
  checksum_generator_->Update(data + known, n - known);
  checksummed_ = offset + n;
}

void FileWriter::GetChecksum(std::string* checksum, std::string* func_name) {
  *checksum = kUnknownFileChecksum;
  *func_name = kUnknownFileChecksumFuncName;
  if (checksum_generator_ == nullptr) return;
  checksum_generator_->Finalize();
  *checksum = checksum_generator_->GetChecksum();
  *func_name = checksum_generator_->Name();
}

IOStatus FileWriter::WriteOut(const char* data, size_t n) {
  const uint64_t offset = flushed_size_.load(std::memory_order_relaxed);
  UpdateChecksum(data, offset, n);
  Prepare(file_.get(), offset, n);
  std::optional<uint32_t> sum;
  if (hands_checksums_) sum = TakeSum(Slice(data, n));
  const WriteWatch watch(statistics_, histograms_);
  IOStatus s = CountWrite(n, [&] { return AppendTo(file_.get(), Slice(data, n), sum); });
  if (!s.ok()) return Fail(s);
  flushed_size_.store(offset + n, std::memory_order_release);
  pending_sync_ = true;
  return bytes_per_sync_ > 0 ? StartWriteback() : s;
}

IOStatus FileWriter::WriteDirectBuffer() {
  // Whole aligned units go out for good; the tail goes out padded and stays in the buffer, to be
  // written again once it has grown.
  UpdateChecksum(buffer_, buffer_offset_, used_);
  const size_t whole = used_ / alignment_ * alignment_;
  const size_t padded = RoundUp(used_, alignment_);
  std::memset(buffer_ + used_, 0, padded - used_);
  Prepare(file_.get(), buffer_offset_, padded);
  std::optional<uint32_t> sum;
  if (hands_checksums_) sum = TakeSum(Slice(buffer_, padded));
  const WriteWatch watch(statistics_, histograms_);
  IOStatus s = CountWrite(padded, [&] {
    return PositionedAppendTo(file_.get(), Slice(buffer_, padded), buffer_offset_, sum);
  });
  if (!s.ok()) return Fail(s);
  std::memmove(buffer_, buffer_ + whole, used_ - whole);
  used_ -= whole;
  buffer_offset_ += whole;
  flushed_size_.store(file_size_.load(std::memory_order_relaxed), std::memory_order_release);
  pending_sync_ = true;
  return s;
}

// REQUIRES: the buffer is full, of its largest size, and so a whole number of aligned units.
IOStatus FileWriter::StartWriteBehind() {
  IOStatus s = FinishWriteBehind();
  if (!s.ok()) return s;
  if (behind_buffer_ == nullptr) {
    behind_buffer_.reset(AllocateAligned(alignment_, capacity_));
    if (behind_buffer_ == nullptr) return Flush();
  }
  std::swap(buffer_owner_, behind_buffer_);
  buffer_ = buffer_owner_.get();
  const Slice full(behind_buffer_.get(), used_);
  UpdateChecksum(full.data(), buffer_offset_, used_);
  Prepare(file_.get(), buffer_offset_, used_);
  CountIO(&IOStatsContext::bytes_written, used_);
  std::optional<uint32_t> sum;
  if (hands_checksums_) sum = TakeSum(full);
  behind_.start([this, full, sum, offset = buffer_offset_] {
    behind_status_ = PositionedAppendTo(file_.get(), full, offset, sum);
  });
  buffer_offset_ += used_;
  used_ = 0;
  return s;
}

IOStatus FileWriter::FinishWriteBehind() {
  if (!behind_.started()) return IOStatus::OK();
  behind_.wait();
  if (!behind_status_.ok()) return Fail(behind_status_);
  flushed_size_.store(buffer_offset_, std::memory_order_release);
  pending_sync_ = true;
  return IOStatus::OK();
}

IOStatus FileWriter::StartWriteback() {
  const uint64_t flushed = flushed_size_.load(std::memory_order_relaxed);
  if (flushed <= kWritebackLag) return IOStatus::OK();
  const uint64_t end = (flushed - kWritebackLag) / kWritebackAlignment * kWritebackAlignment;
  if (end <= last_sync_offset_) return IOStatus::OK();
  if (end - last_sync_offset_ < bytes_per_sync_) return IOStatus::OK();
  // The file itself decides what a range sync waits for (strict_bytes_per_sync).
  const PerfTimer timer(Perf(), &IOStatsContext::range_sync_nanos);
  IOStatus s = file_->RangeSync(last_sync_offset_, end - last_sync_offset_, IOOptions(), nullptr);
  if (!s.ok()) return Fail(s);
  last_sync_offset_ = end;
  return s;
}

IOStatus FileWriter::Flush() {
  if (failed_.load(std::memory_order_acquire)) return FirstError();
  if (file_ == nullptr) return IOStatus::IOError("flush of a closed file", file_name_);
  if (IOStatus s = FinishWriteBehind(); !s.ok()) return s;
  if (BufferIsEmpty()) return IOStatus::OK();
  if (direct_) return WriteDirectBuffer();
  const size_t n = used_;
  used_ = 0;
  return WriteOut(buffer_, n);
}

IOStatus FileWriter::Sync(bool use_fsync) {
  IOStatus s = Flush();
  if (!s.ok() || !pending_sync_) return s;
  s = SyncFile(file_.get(), use_fsync);
  if (!s.ok()) return Fail(s);
  pending_sync_ = false;
  return s;
}

IOStatus FileWriter::SyncWithoutFlush(bool use_fsync) {
  if (failed_.load(std::memory_order_acquire)) return FirstError();
  if (file_ == nullptr) return IOStatus::IOError("sync of a closed file", file_name_);
  if (!file_->IsSyncThreadSafe()) {
    return IOStatus::NotSupported("sync beside other writes is not possible", file_name_);
  }
  // pending_sync_ stays: bytes may be flushed while this sync runs, and only the writer may tell.
  IOStatus s = SyncFile(file_.get(), use_fsync);
  return s.ok() ? s : Fail(s);
}

IOStatus FileWriter::Close() {
  if (file_ == nullptr) return IOStatus::OK();
  IOStatus s = FinishWriteBehind();
  if (s.ok()) s = Flush();
  if (s.ok() && direct_ && file_size() % alignment_ != 0) {
    s = file_->Truncate(file_size(), IOOptions(), nullptr);
    if (s.ok()) s = file_->Fsync(IOOptions(), nullptr);
    if (!s.ok()) s = Fail(s);
  }
  const IOStatus closed = file_->Close(IOOptions(), nullptr);
  file_.reset();
  used_ = capacity_ = 0;
  buffer_ = nullptr;
  buffer_owner_.reset();
  if (s.ok() && !closed.ok()) s = Fail(closed);
  return s;
}

void FileWriter::Abandon() {
  if (file_ == nullptr) return;
  (void)Fail(IOStatus::IOError("abandoned", file_name_));
  (void)Close();
}

}  // namespace cairn
