// SetOptions and SetDBOptions: options that change while the database is open.
//
// The options in force are one immutable object (live_options_), replaced as a whole under the
// mutex; whoever works without the mutex keeps the object that it began with. What is asked on
// every write or by other layers has a copy of its own, set here.
#include "base/logging.h"
#include "db/db_impl.h"
#include "fs/file_names.h"
#include "manifest/mutable_options.h"
#include "manifest/options_file.h"

namespace cairn {
namespace {

void LogChange(Logger* log, const char* call,
               const std::unordered_map<std::string, std::string>& map) {
  for (const auto& [name, value] : map) {
    LogInfo(log, "%s: %s: %s", call, name.c_str(), value.c_str());
  }
}

}  // namespace

std::shared_ptr<const Options> DBImpl::LiveOptions() const {
  fiber::MutexLock lock(&mutex_);
  return live_options_;
}

Options DBImpl::GetOptions(ColumnFamilyHandle*) const { return *LiveOptions(); }

DBOptions DBImpl::GetDBOptions() const { return *LiveOptions(); }

int DBImpl::Level0StopWriteTrigger(ColumnFamilyHandle*) {
  return LiveOptions()->level0_stop_writes_trigger;
}

Status DBImpl::SetOptions(ColumnFamilyHandle* family,
                          const std::unordered_map<std::string, std::string>& map) {
  Status s = RefuseIfReadOnly();
  if (s.ok()) s = CheckFamily(family);
  if (!s.ok()) return s;
  fiber::MutexLock one_at_a_time(&set_options_mutex_);
  const std::shared_ptr<const Options> before = LiveOptions();
  ColumnFamilyOptions changed(*before);
  s = SetMutableOptions(map, &changed);
  if (!s.ok()) return s;
  changed = SanitizeOptions(changed);
  s = CheckOptions(*before, changed);
  if (!s.ok()) return s;
  // The list of memtables has its own copy, which never changes: a flush that waits for more
  // memtables than there may be would never begin.
  if (changed.min_write_buffer_number_to_merge != before->min_write_buffer_number_to_merge) {
    return Status::InvalidArgument(
        "max_write_buffer_number must be larger than min_write_buffer_number_to_merge");
  }
  {
    fiber::MutexLock lock(&mutex_);
    live_options_ = std::make_shared<const Options>(DBOptions(*before), changed);
    max_sequential_skip_.store(changed.max_sequential_skip_in_iterations,
                               std::memory_order_relaxed);
    mem_->set_write_buffer_size(changed.write_buffer_size);
    versions_->default_family()->set_options(changed);
    versions_->current()->OptionsChanged(changed);
    ApplyLiveOptions();
  }
  LogChange(db_options_.info_log.get(), "SetOptions", map);
  return PersistLiveOptions();
}

Status DBImpl::SetDBOptions(const std::unordered_map<std::string, std::string>& map) {
  Status s = RefuseIfReadOnly();
  if (!s.ok()) return s;
  fiber::MutexLock one_at_a_time(&set_options_mutex_);
  const std::shared_ptr<const Options> before = LiveOptions();
  DBOptions changed(*before);
  s = SetMutableOptions(map, &changed);
  if (!s.ok()) return s;
  changed = SanitizeOptions(changed, dbname_);
  s = CheckOptions(changed, *before);
  if (!s.ok()) return s;
  {
    fiber::MutexLock lock(&mutex_);
    live_options_ = std::make_shared<const Options>(changed, ColumnFamilyOptions(*before));
    max_total_wal_size_.store(changed.max_total_wal_size, std::memory_order_relaxed);
    wals_->set_bytes_per_sync(changed.wal_bytes_per_sync);
    write_controller_.set_max_delayed_write_rate(changed.delayed_write_rate);
    table_cache_->SetMaxOpenFiles(changed.max_open_files);
    picker_->set_max_subcompactions(changed.max_subcompactions);
    scheduler_->SetThreads(MaxFlushes(changed), MaxCompactions(changed));
    ApplyLiveOptions();
  }
  LogChange(db_options_.info_log.get(), "SetDBOptions", map);
  return PersistLiveOptions();
}

void DBImpl::ApplyLiveOptions() {
  compaction_blocked_ = false;
  UpdateStall();
  MaybeScheduleWork();
}

// The options are in force by now, whatever becomes of the file.
Status DBImpl::PersistLiveOptions() {
  const std::shared_ptr<const Options> options = LiveOptions();
  const uint64_t number = versions_->NewFileNumber();
  Status s = WriteOptionsFile(fs_, dbname_, number, directory_.get(), *options,
                              {{kDefaultColumnFamilyName, *options}});
  if (!s.ok()) {
    if (options->fail_if_options_file_error) {
      return Status::IOError("unable to persist options", s.ToString());
    }
    LogWarn(db_options_.info_log.get(), "Unable to persist options: %s", s.ToString().c_str());
    return Status::OK();
  }
  bool may_delete;
  {
    fiber::MutexLock lock(&mutex_);
    options_file_ = OptionsFileName("", number);
    may_delete = deletions_disabled_ == 0;
  }
  // (A copier may be at one that GetLiveFiles named.)
  if (may_delete) RemoveOldOptionsFiles(fs_, dbname_);
  return Status::OK();
}

}  // namespace cairn
