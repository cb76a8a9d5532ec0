#include "compaction/file_times.h"

namespace cairn {

FileTimes::FileTimes(bool on, CompactionJobStats* into) : into_(on ? into : nullptr) {
  if (into_ == nullptr) return;
  level_ = Perf::State()->level;
  if (level_ < kEnableTimeExceptForMutex) Perf::SetLevel(kEnableTimeExceptForMutex);
  Count(/*subtract=*/true);
}

FileTimes::~FileTimes() {
  if (into_ == nullptr) return;
  Count(/*subtract=*/false);
  Perf::SetLevel(level_);
}

void FileTimes::Count(bool subtract) {
  const IOStatsContext& io = Perf::State()->io;
  const auto count = [subtract](uint64_t* sum, uint64_t nanos) {
    *sum += subtract ? 0 - nanos : nanos;
  };
  count(&into_->file_write_nanos, io.write_nanos);
  count(&into_->file_range_sync_nanos, io.range_sync_nanos);
  count(&into_->file_fsync_nanos, io.fsync_nanos);
  count(&into_->file_prepare_write_nanos, io.prepare_write_nanos);
}

}  // namespace cairn
