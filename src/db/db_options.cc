// SetOptions and SetDBOptions: options that change while the database is open.
//
// The options in force are one immutable object (ColumnFamily::options, one for each family, the
// database's included), replaced as a whole under the
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

Options DBImpl::GetOptions(ColumnFamilyHandle* handle) const {
  ColumnFamily* family;
  return *LiveOptions(FamilyOf(handle, &family).ok() ? family : default_family_);
}

DBOptions DBImpl::GetDBOptions() const { return *LiveOptions(); }

int DBImpl::NumberLevels(ColumnFamilyHandle* handle) {
  ColumnFamily* family;
  return FamilyOf(handle, &family).ok() ? family->num_levels : 0;
}

int DBImpl::Level0StopWriteTrigger(ColumnFamilyHandle* handle) {
  ColumnFamily* family;
  return FamilyOf(handle, &family).ok() ? LiveOptions(family)->level0_stop_writes_trigger : 0;
}

Status DBImpl::SetOptions(ColumnFamilyHandle* handle,
                          const std::unordered_map<std::string, std::string>& map) {
  ColumnFamily* family = nullptr;
  Status s = RefuseIfReadOnly();
  if (s.ok()) s = FamilyOf(handle, &family);
  if (!s.ok()) return s;
  fiber::MutexLock one_at_a_time(&set_options_mutex_);
  const std::shared_ptr<const Options> before = LiveOptions(family);
  ColumnFamilyOptions changed(*before);
  s = SetMutableOptions(map, &changed);
  if (!s.ok()) return s;
  // (What is in force may come from periodic_compaction_seconds.)
  if (changed.ttl != before->ttl) s = CheckFifoAge(*before, changed);
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
    DBMutexLock lock(&mutex_);
    family->options = std::make_shared<const Options>(DBOptions(*before), changed);
    family->max_sequential_skip.store(changed.max_sequential_skip_in_iterations,
                                      std::memory_order_relaxed);
    family->max_successive_merges.store(
        family->merge_operator == nullptr ? 0 : changed.max_successive_merges,
        std::memory_order_relaxed);
    family->mem->set_write_buffer_size(changed.write_buffer_size);
    family->tables->SetMaxFlushedFileSize(MaxFlushedFileSize(changed));
    family->state->set_options(changed);
    family->current()->OptionsChanged(changed);
    ApplyLiveOptions({family});
  }
  LogChange(db_options_.info_log.get(), "SetOptions", map);
  const std::vector<ColumnFamily*> changed_families = {family};
  return PersistLiveOptions(&changed_families);
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
    DBMutexLock lock(&mutex_);
    for (const auto& [id, family] : owned_families_) {
      family->options =
          std::make_shared<const Options>(changed, ColumnFamilyOptions(*family->options));
      family->tables->SetMaxOpenFiles(changed.max_open_files);
      family->picker->set_max_subcompactions(changed.max_subcompactions);
    }
    wals_->set_bytes_per_sync(changed.wal_bytes_per_sync);
    write_controller_.set_max_delayed_write_rate(changed.delayed_write_rate);
    scheduler_->SetThreads(MaxFlushes(changed), MaxCompactions(changed));
    ApplyLiveOptions(families_);
  }
  LogChange(db_options_.info_log.get(), "SetDBOptions", map);
  return PersistLiveOptions();
}

void DBImpl::ApplyLiveOptions(const std::vector<ColumnFamily*>& families) {
  for (ColumnFamily* family : families) {
    UpdateStall(family);
    books_.MayCompact(family);
  }
  FamiliesChanged();
  MaybeScheduleWork();
  background_done_.notify_all();  // the clock has periods of its own
  DeliverEvents();
}

// The options are in force by now, whatever becomes of the file.
Status DBImpl::PersistLiveOptions(const std::vector<ColumnFamily*>* changed) {
  // One after the other: the newest file has the newest options, and is the one that is kept.
  fiber::MutexLock one_at_a_time(&options_file_mutex_);
  std::shared_ptr<const Options> options;
  OptionsKeeper::Change change;
  bool families_only = changed != nullptr;
  {
    DBMutexLock lock(&mutex_);
    options = default_family_->options;
    if (families_only) {
      for (const ColumnFamily* family : *changed) {
        if (family->is_default()) families_only = false;
        if (family->dropped.load()) {
          change.dropped.push_back(family->name());
        } else {
          change.written.emplace_back(family->name(), *family->options);
        }
      }
    }
  }
  const uint64_t number = versions_->NewFileNumber();
  Status s;
  if (families_only && options_keeper_->CanPatch()) {
    // A copier may be at the older file, if GetLiveFiles named it before: who disables removals
    // waits for this one, and none is written on in then.
    fiber::MutexLock removing(&purge_mutex_);
    bool may_patch;
    {
      DBMutexLock lock(&mutex_);
      may_patch = deletions_disabled_ == 0;
    }
    if (may_patch) {
      s = options_keeper_->Patch(number, directory_.get(), *options, change);
      if (s.ok()) {
        DBMutexLock lock(&mutex_);
        options_file_ = OptionsFileName("", number);
        return s;
      }
    }
  }
  std::vector<ColumnFamilyDescriptor> families;
  {
    DBMutexLock lock(&mutex_);
    for (const ColumnFamily* family : families_) {
      families.emplace_back(family->name(), *family->options);
    }
  }
  s = options_keeper_->Write(number, directory_.get(), *options, families,
                             families_only ? &change : nullptr);
  if (!s.ok()) {
    if (options->fail_if_options_file_error) {
      return Status::IOError("unable to persist options", s.ToString());
    }
    LogWarn(db_options_.info_log.get(), "Unable to persist options: %s", s.ToString().c_str());
    return Status::OK();
  }
  fiber::MutexLock removing(&purge_mutex_);
  bool may_delete;
  {
    DBMutexLock lock(&mutex_);
    options_file_ = OptionsFileName("", number);
    may_delete = deletions_disabled_ == 0;
  }
  if (may_delete) RemoveOldOptionsFiles(fs_, dbname_);
  return Status::OK();
}

}  // namespace cairn
