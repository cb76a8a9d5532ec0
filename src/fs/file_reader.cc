#include "fs/file_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/perf.h"
#include "base/shortage.h"
#include "base/stop_watch.h"
#include "fiber/runtime.h"
#include "fs/aligned_buffer.h"
#include "fs/call_context.h"
#include "fs/parking_reads.h"
#include "fs/pending_file_read.h"

namespace cairn {

RandomAccessFileReader::RandomAccessFileReader(std::unique_ptr<FSRandomAccessFile> file,
                                               std::string file_name, FileSystem* fs)
    : file_(std::move(file)),
      file_name_(std::move(file_name)),
      direct_(file_->use_direct_io()),
      parks_(fs == nullptr || ReadsPark(file_.get())),
      fs_(fs) {}

IOStatus RandomAccessFileReader::Open(FileSystem* fs, const std::string& fname,
                                      const FileOptions& options,
                                      std::unique_ptr<RandomAccessFileReader>* reader) {
  std::unique_ptr<FSRandomAccessFile> file;
  IOStatus s = fs->NewRandomAccessFile(fname, options, &file, nullptr);
  if (s.ok()) *reader = std::make_unique<RandomAccessFileReader>(std::move(file), fname, fs);
  return s;
}

namespace {

struct TemperatureCounters {
  Tickers bytes, count;  // TICKER_ENUM_MAX: there are none
  uint64_t FileIOByTemperature::* bytes_here;
  uint64_t FileIOByTemperature::* count_here;
};

const TemperatureCounters& CountersOf(Temperature temperature, bool last_level) {
  using By = FileIOByTemperature;
  static constexpr TemperatureCounters kHot = {HOT_FILE_READ_BYTES, HOT_FILE_READ_COUNT,
                                               &By::hot_file_bytes_read, &By::hot_file_read_count};
  static constexpr TemperatureCounters kWarm = {WARM_FILE_READ_BYTES, WARM_FILE_READ_COUNT,
                                                &By::warm_file_bytes_read,
                                                &By::warm_file_read_count};
  static constexpr TemperatureCounters kCool = {COOL_FILE_READ_BYTES, COOL_FILE_READ_COUNT,
                                                &By::cool_file_bytes_read,
                                                &By::cool_file_read_count};
  static constexpr TemperatureCounters kCold = {COLD_FILE_READ_BYTES, COLD_FILE_READ_COUNT,
                                                &By::cold_file_bytes_read,
                                                &By::cold_file_read_count};
  static constexpr TemperatureCounters kIce = {ICE_FILE_READ_BYTES, ICE_FILE_READ_COUNT,
                                               &By::ice_file_bytes_read, &By::ice_file_read_count};
  static constexpr TemperatureCounters kUnknownLast = {TICKER_ENUM_MAX, TICKER_ENUM_MAX,
                                                       &By::unknown_last_level_bytes_read,
                                                       &By::unknown_last_level_read_count};
  static constexpr TemperatureCounters kUnknown = {TICKER_ENUM_MAX, TICKER_ENUM_MAX,
                                                   &By::unknown_non_last_level_bytes_read,
                                                   &By::unknown_non_last_level_read_count};
  switch (temperature) {
    case Temperature::kHot:
      return kHot;
    case Temperature::kWarm:
      return kWarm;
    case Temperature::kCool:
      return kCool;
    case Temperature::kCold:
      return kCold;
    case Temperature::kIce:
      return kIce;
    default:
      return last_level ? kUnknownLast : kUnknown;
  }
}

// Of reads for this alone; HISTOGRAM_ENUM_MAX: there is none, or nobody wants it.
uint32_t HistogramOf(Env::IOActivity activity, const Statistics* statistics) {
  if (!WantsTimes(statistics)) [[likely]]
    return HISTOGRAM_ENUM_MAX;
  switch (activity) {
    case Env::IOActivity::kFlush:
      return FILE_READ_FLUSH_MICROS;
    case Env::IOActivity::kCompaction:
      return FILE_READ_COMPACTION_MICROS;
    case Env::IOActivity::kDBOpen:
      return FILE_READ_DB_OPEN_MICROS;
    default:
      break;
  }
  if (!WantsDetailedTimes(statistics)) return HISTOGRAM_ENUM_MAX;
  switch (activity) {
    case Env::IOActivity::kGet:
      return FILE_READ_GET_MICROS;
    case Env::IOActivity::kMultiGet:
      return FILE_READ_MULTIGET_MICROS;
    case Env::IOActivity::kDBIterator:
      return FILE_READ_DB_ITERATOR_MICROS;
    case Env::IOActivity::kVerifyDBChecksum:
      return FILE_READ_VERIFY_DB_CHECKSUM_MICROS;
    case Env::IOActivity::kVerifyFileChecksums:
      return FILE_READ_VERIFY_FILE_CHECKSUMS_MICROS;
    default:
      return HISTOGRAM_ENUM_MAX;
  }
}

// The microseconds of one read into the histograms of all reads and of its activity.
class ReadWatch {
 public:
  ReadWatch(Statistics* statistics, Env::IOActivity activity)
      : all_(statistics, SST_READ_MICROS), own_(statistics, HistogramOf(activity, statistics)) {}

 private:
  const StopWatch all_;
  const StopWatch own_;
};

}  // namespace

void RandomAccessFileReader::CountRead(size_t bytes) const {
  CountIO(&IOStatsContext::bytes_read, bytes);
  const TemperatureCounters& by_temperature = CountersOf(counted_.temperature, counted_.last_level);
  IOStatsContext& io = Perf::State()->io;
  if (!io.disable_iostats) {
    io.file_io_stats_by_temperature.*by_temperature.bytes_here += bytes;
    io.file_io_stats_by_temperature.*by_temperature.count_here += 1;
  }
  Statistics* const statistics = counted_.statistics;
  if (statistics == nullptr) return;
  statistics->recordTick(counted_.last_level ? LAST_LEVEL_READ_BYTES : NON_LAST_LEVEL_READ_BYTES,
                         bytes);
  statistics->recordTick(counted_.last_level ? LAST_LEVEL_READ_COUNT : NON_LAST_LEVEL_READ_COUNT,
                         1);
  if (by_temperature.bytes != TICKER_ENUM_MAX) {
    statistics->recordTick(by_temperature.bytes, bytes);
    statistics->recordTick(by_temperature.count, 1);
  }
}

IOStatus RandomAccessFileReader::Read(const IOOptions& options, uint64_t offset, size_t n,
                                      Slice* result, char* scratch) const {
  const ReadWatch watch(counted_.statistics, options.io_activity);
  const Perf perf;
  const PerfTimer timer(perf, &IOStatsContext::read_nanos);
  const PerfCpuTimer cpu_timer(perf, &IOStatsContext::cpu_read_nanos);
  IOStatus s = direct_ ? ReadDirect(options, offset, n, result, scratch)
                       : ReadOnce(options, offset, n, result, scratch);
  if (s.ok()) CountRead(result->size());
  return s;
}

// A fiber starts the read, and waits for it when its siblings have started theirs.
IOStatus RandomAccessFileReader::ReadOnce(const IOOptions& options, uint64_t offset, size_t n,
                                          Slice* result, char* scratch) const {
  if (parks_ || !fiber::in_fiber()) {
    return file_->Read(offset, n, options, result, scratch, CallContext(options).get());
  }
  PendingFileRead read;
  read.Start(*this, options, offset, n, scratch);
  if (read.under_way()) fiber::yield();
  return read.Wait(result);
}

IOStatus RandomAccessFileReader::ReadDirect(const IOOptions& options, uint64_t offset, size_t n,
                                            Slice* result, char* scratch) const {
  const size_t alignment = file_->GetRequiredBufferAlignment();
  const uint64_t begin = offset / alignment * alignment;
  const uint64_t end = (offset + n + alignment - 1) / alignment * alignment;
  const AlignedBuffer buffer(alignment, static_cast<size_t>(end - begin));
  if (buffer.data() == nullptr) return NoMemory(file_name_);
  Slice piece;
  IOStatus s = ReadOnce(options, begin, static_cast<size_t>(end - begin), &piece, buffer.data());
  if (!s.ok()) {
    *result = Slice(scratch, 0);
    return s;
  }
  const size_t skip = static_cast<size_t>(offset - begin);
  const size_t got = piece.size() > skip ? std::min(n, piece.size() - skip) : 0;
  if (got > 0) std::memcpy(scratch, piece.data() + skip, got);
  *result = Slice(scratch, got);
  return s;
}

IOStatus RandomAccessFileReader::MultiRead(const IOOptions& options, FSReadRequest* requests,
                                           size_t count) const {
  if (!direct_) {
    const ReadWatch watch(counted_.statistics, options.io_activity);
    const Perf perf;
    const PerfTimer timer(perf, &IOStatsContext::read_nanos);
    const PerfCpuTimer cpu_timer(perf, &IOStatsContext::cpu_read_nanos);
    IOStatus s = file_->MultiRead(requests, count, options, CallContext(options).get());
    for (size_t i = 0; i < count; ++i) {
      if (requests[i].status.ok()) CountRead(requests[i].result.size());
    }
    return s;
  }
  // Direct: one after the other through the aligning path. Rare enough to keep simple.
  for (size_t i = 0; i < count; ++i) {
    FSReadRequest& r = requests[i];
    r.status = Read(options, r.offset, r.len, &r.result, r.scratch);
  }
  return IOStatus::OK();
}

IOStatus RandomAccessFileReader::Prefetch(const IOOptions& options, uint64_t offset,
                                          size_t n) const {
  return file_->Prefetch(offset, n, options, CallContext(options).get());
}

SequentialFileReader::SequentialFileReader(std::unique_ptr<FSSequentialFile> file,
                                           std::string file_name)
    : file_(std::move(file)), file_name_(std::move(file_name)), direct_(file_->use_direct_io()) {}

IOStatus SequentialFileReader::Open(FileSystem* fs, const std::string& fname,
                                    const FileOptions& options,
                                    std::unique_ptr<SequentialFileReader>* reader) {
  std::unique_ptr<FSSequentialFile> file;
  IOStatus s = fs->NewSequentialFile(fname, options, &file, nullptr);
  if (s.ok()) *reader = std::make_unique<SequentialFileReader>(std::move(file), fname);
  return s;
}

IOStatus SequentialFileReader::Read(size_t n, Slice* result, char* scratch) {
  const PerfTimer timer(Perf(), &IOStatsContext::read_nanos);
  IOStatus s;
  if (!direct_) {
    s = file_->Read(n, IOOptions(), result, scratch, nullptr);
  } else {
    const size_t alignment = file_->GetRequiredBufferAlignment();
    const uint64_t begin = offset_ / alignment * alignment;
    const uint64_t end = (offset_ + n + alignment - 1) / alignment * alignment;
    const AlignedBuffer buffer(alignment, static_cast<size_t>(end - begin));
    if (buffer.data() == nullptr) return NoMemory(file_name_);
    Slice piece;
    s = file_->PositionedRead(begin, static_cast<size_t>(end - begin), IOOptions(), &piece,
                              buffer.data(), nullptr);
    const size_t skip = static_cast<size_t>(offset_ - begin);
    const size_t got = s.ok() && piece.size() > skip ? std::min(n, piece.size() - skip) : 0;
    if (got > 0) std::memcpy(scratch, piece.data() + skip, got);
    *result = Slice(scratch, got);
  }
  if (s.ok()) {
    offset_ += result->size();
    CountIO(&IOStatsContext::bytes_read, result->size());
  }
  return s;
}

IOStatus SequentialFileReader::Skip(uint64_t n) {
  IOStatus s = direct_ ? IOStatus::OK() : file_->Skip(n);
  if (s.ok()) offset_ += n;
  return s;
}

}  // namespace cairn
