// SetOptions and SetDBOptions: options that change while the database is open.
//
// The options in force are one immutable object (ColumnFamily::options, one for each family, the
// database's included), replaced as a whole under the
// mutex; whoever works without the mutex keeps the object that it began with. What is asked on
// every write or by other layers has a copy of its own, set here.
#include "db/options_changes.h"

#include <utility>

#include "base/logging.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "fs/file_names.h"
#include "options/mutable_options.h"
#include "options/options_check.h"
#include "options/options_file.h"

namespace cairn {
namespace {

void LogChange(Logger* info_log, const char* call,
               const std::unordered_map<std::string, std::string>& map) {
  for (const auto& [name, value] : map) {
    LogInfo(info_log, "%s: %s: %s", call, name.c_str(), value.c_str());
  }
}

}  // namespace

OptionsChanges::OptionsChanges(Database* db)
    : Part(db), options_keeper_(std::make_unique<OptionsKeeper>(db->fs, db->name)) {}

Options OptionsChanges::GetOptions(ColumnFamilyHandle* handle) const {
  ColumnFamily* family = nullptr;
  db_.families->FamilyOf(handle, &family).PermitUncheckedError();
  return *db_.families->LiveOptions(family == nullptr ? db_.families->default_family() : family);
}

DBOptions OptionsChanges::GetDBOptions() const { return *db_.families->LiveOptions(); }

int OptionsChanges::NumberLevels(ColumnFamilyHandle* handle) {
  ColumnFamily* family = nullptr;
  db_.families->FamilyOf(handle, &family).PermitUncheckedError();
  return family == nullptr ? 0 : family->num_levels;
}

int OptionsChanges::Level0StopWriteTrigger(ColumnFamilyHandle* handle) {
  ColumnFamily* family = nullptr;
  db_.families->FamilyOf(handle, &family).PermitUncheckedError();
  return family == nullptr ? 0 : db_.families->LiveOptions(family)->level0_stop_writes_trigger;
}

Status OptionsChanges::SetOptions(ColumnFamilyHandle* handle,
                                  const std::unordered_map<std::string, std::string>& map) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  fiber::MutexLock one_at_a_time(&set_options_mutex_);
  const std::shared_ptr<const Options> before = db_.families->LiveOptions(family);
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
    DBMutexLock lock(db_.mutex());
    family->options = std::make_shared<const Options>(DBOptions(*before), changed);
    family->max_sequential_skip.store(changed.max_sequential_skip_in_iterations,
                                      std::memory_order_relaxed);
    family->max_successive_merges.store(
        family->merge_operator == nullptr ? 0 : changed.max_successive_merges,
        std::memory_order_relaxed);
    family->mem->set_write_buffer_size(changed.write_buffer_size);
    family->tables->SetMaxFlushedFileSize(MaxFlushedFileSize(changed));
    family->tables->SetBlockProtection(changed.block_protection_bytes_per_key);
    family->tables->SetCompressionManager(changed.compression_manager);
    family->state->set_options(changed);
    family->current()->OptionsChanged(changed);
    ApplyLiveOptions({family});
  }
  LogChange(db_.options.info_log.get(), "SetOptions", map);
  const std::vector<ColumnFamily*> changed_families = {family};
  return PersistLiveOptions(&changed_families);
}

Status OptionsChanges::SetDBOptions(const std::unordered_map<std::string, std::string>& map) {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  fiber::MutexLock one_at_a_time(&set_options_mutex_);
  const std::shared_ptr<const Options> before = db_.families->LiveOptions();
  DBOptions changed(*before);
  s = SetMutableOptions(map, &changed);
  if (!s.ok()) return s;
  const int max_open_files = changed.max_open_files;
  changed = SanitizeOptions(changed, db_.name);
  s = CheckOptions(changed, *before);
  if (!s.ok()) return s;
  // The tables keep to the least that they need; the options say what was asked, as in RocksDB.
  const int kept_open = std::exchange(changed.max_open_files, max_open_files);
  {
    DBMutexLock lock(db_.mutex());
    for (const auto& [id, family] : db_.families->owned()) {
      family->options =
          std::make_shared<const Options>(changed, ColumnFamilyOptions(*family->options));
      family->tables->SetMaxOpenFiles(kept_open);
      family->picker->set_max_subcompactions(changed.max_subcompactions);
    }
    db_.wals->set_bytes_per_sync(changed.wal_bytes_per_sync);
    db_.write_controller.set_max_delayed_write_rate(changed.delayed_write_rate);
    db_.scheduler->SetThreads(db_.work->MaxFlushes(changed), db_.work->MaxCompactions(changed));
    ApplyLiveOptions(db_.families->all());
  }
  LogChange(db_.options.info_log.get(), "SetDBOptions", map);
  return PersistLiveOptions();
}

void OptionsChanges::ApplyLiveOptions(const std::vector<ColumnFamily*>& families) {
  for (ColumnFamily* family : families) {
    db_.work->UpdateStall(family);
    db_.families->books().MayCompact(family);
  }
  db_.families->FamiliesChanged();
  db_.work->JobsChanged();  // the clock, too, has periods of its own
  db_.events->DeliverEvents();
}

// The options are in force by now, whatever becomes of the file.
Status OptionsChanges::PersistLiveOptions(const std::vector<ColumnFamily*>* changed) {
  // One after the other: the newest file has the newest options, and is the one that is kept.
  fiber::MutexLock one_at_a_time(&options_file_mutex_);
  std::shared_ptr<const Options> options;
  OptionsKeeper::Change change;
  bool families_only = changed != nullptr;
  {
    DBMutexLock lock(db_.mutex());
    options = db_.families->default_family()->options;
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
  const uint64_t number = db_.versions->NewFileNumber();
  Status s;
  if (families_only && options_keeper_->CanPatch()) {
    // A copier may be at the older file, if GetLiveFiles named it before: who disables removals
    // waits for this one, and none is written on in then.
    fiber::MutexLock removing(db_.files->purge_mutex());
    bool may_patch;
    {
      DBMutexLock lock(db_.mutex());
      may_patch = db_.files->deletions_disabled() == 0;
    }
    if (may_patch) {
      s = options_keeper_->Patch(number, db_.directory.get(), *options, change);
      if (s.ok()) {
        DBMutexLock lock(db_.mutex());
        options_file_ = OptionsFileName("", number);
        options_file_number_ = number;
        return s;
      }
    }
  }
  std::vector<ColumnFamilyDescriptor> families;
  {
    DBMutexLock lock(db_.mutex());
    for (const ColumnFamily* family : db_.families->all()) {
      families.emplace_back(family->name(), *family->options);
    }
  }
  s = options_keeper_->Write(number, db_.directory.get(), *options, families,
                             families_only ? &change : nullptr);
  if (!s.ok()) {
    if (options->fail_if_options_file_error) {
      return Status::IOError("unable to persist options", s.ToString());
    }
    LogWarn(db_.options.info_log.get(), "Unable to persist options: %s", s.ToString().c_str());
    return Status::OK();
  }
  fiber::MutexLock removing(db_.files->purge_mutex());
  bool may_delete;
  {
    DBMutexLock lock(db_.mutex());
    options_file_ = OptionsFileName("", number);
    options_file_number_ = number;
    may_delete = db_.files->deletions_disabled() == 0;
  }
  if (may_delete) RemoveOldOptionsFiles(db_.fs, db_.name);
  return Status::OK();
}

uint64_t OptionsChanges::OptionsBytes() {
  fiber::MutexLock lock(&options_file_mutex_);
  return options_keeper_->bytes_written();
}

}  // namespace cairn
