// How edits reach the MANIFEST: LogAndApply, the rotation of the file, and what happens when a
// write fails.
//
// One writer at a time is at the head of the queue. It builds the next Version under the mutex,
// writes the records without it, and installs the Version under it again. The order of the queue is
// the order of the records.

#include <algorithm>
#include <cassert>

#include "base/logging.h"
#include "base/stop_watch.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "manifest/version_set.h"

namespace cairn {

struct VersionSet::Writer {
  fiber::CondVar turn;
};

namespace {

// (Only where tables have bare keys: older releases do not know of it.)
void NotePersistence(const ColumnFamilyOptions& options, VersionEdit* edit) {
  if (LacksTimestampsInTables(options)) edit->SetPersistUserDefinedTimestamps(false);
}

}  // namespace

// One write of the MANIFEST: what the head prepares under the mutex for the time without it.
struct VersionSet::ManifestWrite {
  std::vector<std::string> snapshot;  // with new_number: the state before the edits
  std::vector<std::string> records;   // the edits
  uint64_t new_number = 0;            // 0: append to the open file
  bool current_touched = false;       // CURRENT may name the new file
};

Status VersionSet::EncodeSnapshot(std::vector<std::string>* records) const {
  const auto add = [records](const VersionEdit& edit) {
    std::string record;
    if (!edit.EncodeTo(&record)) {
      return Status::Corruption("MANIFEST", "cannot encode: " + edit.DebugString());
    }
    records->push_back(std::move(record));
    return Status::OK();
  };
  VersionEdit head;
  if (options_->write_dbid_to_manifest && !db_id_.empty()) head.SetDBId(db_id_);
  if (max_column_family_ != 0) head.SetMaxColumnFamily(max_column_family_);
  if (min_log_number_to_keep_ != 0) head.SetMinLogNumberToKeep(min_log_number_to_keep_);
  if (synced_log_.log > 0 && synced_log_.log >= min_log_number_to_keep_) {
    head.SetSyncedLog(synced_log_);
  }
  if (Status s = add(head); !s.ok()) return s;
  // (Where logs are not tracked any more the records end here: what is given up from now on is not
  // told, and would be missed if they were tracked again.)
  if (options_->track_and_verify_wals_in_manifest) {
    if (!tracked_wals_.empty()) {
      if (Status s = add(tracked_wals_.Additions()); !s.ok()) return s;
    }
    // An addition may yet come of a log that was given up already.
    VersionEdit given_up;
    given_up.DeleteWalsBefore(std::max(tracked_wals_.kept_from(), min_log_number_to_keep_));
    if (*given_up.wal_deletion_before() > 0) {
      if (Status s = add(given_up); !s.ok()) return s;
    }
  }
  for (const auto& [id, cf] : families_) {
    if (cf->dropped()) continue;
    VersionEdit identity;
    identity.SetColumnFamily(id);
    if (id != 0) identity.AddColumnFamily(cf->name());
    identity.SetComparatorName(cf->user_comparator()->Name());
    NotePersistence(cf->options(), &identity);
    if (!cf->history_low().empty()) identity.SetFullHistoryTsLow(cf->history_low());
    if (Status s = add(identity); !s.ok()) return s;

    VersionEdit files;
    files.SetColumnFamily(id);
    files.SetLogNumber(cf->log_number());
    files.SetLastSequence(manifest_last_sequence_);
    const Version* version = cf->current();
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* f : version->files(level)) files.AddFile(level, *f);
    }
    for (const auto& f : version->blob_files()) {
      files.AddBlobFile(*f->file);
      if (f->garbage_blobs > 0) {
        files.AddBlobGarbage({f->number(), f->garbage_blobs, f->garbage_bytes});
      }
    }
    if (Status s = add(files); !s.ok()) return s;
  }
  return Status::OK();
}

Status VersionSet::NewDB(const ColumnFamilyOptions& options, FSDirectory* db_directory) {
  constexpr uint64_t kFirstManifest = 1;
  db_id_ = GenerateDbId();
  if (options_->write_identity_file) {
    const IOStatus s = SetIdentityFile(fs_, dbname_, db_id_, db_directory);
    if (!s.ok()) return s;
  }

  VersionEdit edit;
  if (options_->write_dbid_to_manifest) edit.SetDBId(db_id_);
  edit.SetComparatorName(options.comparator->Name());
  NotePersistence(options, &edit);
  edit.SetLogNumber(0);
  edit.SetNextFile(kFirstManifest + 1);
  edit.SetLastSequence(0);
  return WriteDescriptor(dbname_, kFirstManifest, {edit}, *options_, fs_, file_options_,
                         db_directory);
}

IOStatus VersionSet::WriteDescriptor(const std::string& dbname, uint64_t number,
                                     const std::vector<VersionEdit>& edits,
                                     const DBOptions& options, FileSystem* fs,
                                     const FileOptions& file_options, FSDirectory* db_directory) {
  const std::string path = DescriptorFileName(dbname, number);
  std::unique_ptr<FileWriter> file;
  IOStatus s = FileWriter::Open(fs, path, file_options, &file);
  if (s.ok()) {
    if (options.checksum_handoff_file_types.Contains(kDescriptorFile)) {
      file->EnableChecksumHandoff();
    }
    LogWriter log(std::move(file), number, /*recycle_log_files=*/false);
    for (const VersionEdit& edit : edits) {
      std::string record;
      if (s.ok() && !edit.EncodeTo(&record)) {
        s = IOStatus::InvalidArgument("VersionEdit", "cannot encode: " + edit.DebugString());
      }
      if (s.ok()) s = log.AddRecord(record);
    }
    if (s.ok()) s = log.Sync(options.use_fsync);
    if (s.ok()) s = log.Close();
  }
  if (!s.ok()) {
    (void)fs->DeleteFile(path, IOOptions(), nullptr);
    return s;
  }
  return SetCurrentFile(fs, dbname, number, db_directory);
}

void VersionSet::CompleteEdit(ColumnFamilyState* cf, VersionEdit* edit) {
  edit->SetColumnFamily(cf->id());
  SequenceNumber last = std::max(manifest_last_sequence_, LastSequence());
  if (edit->last_sequence()) last = std::max(last, *edit->last_sequence());
  for (VersionEdit::NewFile& f : edit->mutable_new_files()) {
    last = std::max(last, f.meta.largest_seqno);
    if (f.meta.epoch_number == kUnknownEpochNumber) f.meta.epoch_number = cf->NewEpochNumber();
  }
  // Never smaller than in an earlier record: recovery takes the last one.
  edit->SetLastSequence(last);
  edit->SetPrevLogNumber(edit->prev_log_number().value_or(prev_log_number_));
  if (edit->log_number()) edit->SetLogNumber(std::max(*edit->log_number(), cf->log_number()));
}

void VersionSet::CompleteMinLog(std::span<VersionEdit* const> edits,
                                std::span<const FamilyEdits> changes) const {
  LogNumbers::Some moved;
  std::map<uint32_t, uint64_t> logs;  // of those
  for (const VersionEdit* edit : edits) {
    if (edit->min_log_number_to_keep()) return;
    if (!edit->log_number()) continue;
    const ColumnFamilyState* const cf = family(edit->column_family());
    const bool first = logs.insert_or_assign(edit->column_family(), *edit->log_number()).second;
    if (cf != nullptr && first) moved.Add(cf->log_);
  }
  if (logs.empty()) return;
  uint64_t keep = log_numbers_.LeastWithout(moved);
  for (const auto& [id, log] : logs) keep = std::min(keep, log);
  if (log_need_) keep = std::min(keep, log_need_(changes));
  if (keep > min_log_number_to_keep_) edits.back()->SetMinLogNumberToKeep(keep);
}

IOStatus VersionSet::OpenManifest(ManifestWrite* write) {
  manifest_.reset();
  const std::string path = DescriptorFileName(dbname_, write->new_number);
  std::unique_ptr<FSWritableFile> file;
  IOStatus s = fs_->NewWritableFile(path, file_options_, &file, nullptr);
  if (!s.ok()) return s;
  file->SetPreallocationBlockSize(options_->manifest_preallocation_size);
  auto writer = std::make_unique<FileWriter>(std::move(file), path, file_options_);
  if (options_->checksum_handoff_file_types.Contains(kDescriptorFile)) {
    writer->EnableChecksumHandoff();
  }
  manifest_ = std::make_unique<LogWriter>(std::move(writer), write->new_number,
                                          /*recycle_log_files=*/false);
  for (const std::string& record : write->snapshot) {
    s = manifest_->AddRecord(record);
    if (!s.ok()) return s;
  }
  return s;
}

IOStatus VersionSet::WriteManifest(ManifestWrite* write, FSDirectory* db_directory) {
  IOStatus s;
  if (write->new_number != 0) s = OpenManifest(write);
  for (const std::string& record : write->records) {
    if (s.ok()) s = manifest_->AddRecord(record);
  }
  if (s.ok()) {
    const StopWatch watch(options_->statistics.get(), MANIFEST_FILE_SYNC_MICROS);
    s = manifest_->Sync(options_->use_fsync);
  }
  if (s.ok() && write->new_number != 0) {
    write->current_touched = true;
    s = SetCurrentFile(fs_, dbname_, write->new_number, db_directory);
  }
  return s;
}

void VersionSet::AwaitTurn(Writer* self, fiber::Mutex* mutex) {
  mutex->assert_held();
  writers_.push_back(self);
  while (writers_.front() != self) self->turn.wait(mutex);
}

void VersionSet::EndTurn(fiber::Mutex* mutex) {
  mutex->assert_held();
  writers_.pop_front();
  if (!writers_.empty()) writers_.front()->turn.notify_all();
}

Status VersionSet::LogAndApply(std::span<const FamilyEdits> changes, fiber::Mutex* mutex,
                               FSDirectory* db_directory, bool new_descriptor,
                               const std::function<void()>& on_installed) {
  Writer self;
  AwaitTurn(&self, mutex);
  Status s = Process(changes, mutex, db_directory, new_descriptor, on_installed);
  EndTurn(mutex);
  return s;
}

Status VersionSet::BeginWrite(ManifestWrite* write, bool new_descriptor) {
  uint64_t size_limit = std::max<uint64_t>(options_->max_manifest_file_size, 1);
  // Where the state alone takes as much as the limit each edit would write it anew: it grows by a
  // part of itself first.
  constexpr uint64_t kLargeSnapshot = 64 << 10;  // bytes
  const int growth = options_->max_manifest_space_amp_pct;
  if (manifest_snapshot_size_ >= kLargeSnapshot && growth > 0) {
    const uint64_t more = manifest_snapshot_size_ / 100 * static_cast<uint64_t>(growth);
    size_limit = std::max(size_limit, manifest_snapshot_size_ + more);
  }
  if (!new_descriptor && manifest_ != nullptr && !manifest_write_failed_ &&
      manifest_file_size_ < size_limit) {
    return Status::OK();
  }
  write->new_number = NewFileNumber();
  return EncodeSnapshot(&write->snapshot);
}

Status VersionSet::EncodeRecords(std::span<VersionEdit* const> edits, bool atomic,
                                 ManifestWrite* write) {
  size_t remaining = edits.size();
  for (VersionEdit* const edit : edits) {
    --remaining;
    if (atomic) edit->MarkAtomicGroup(static_cast<uint32_t>(remaining));
    std::string record;
    if (!edit->EncodeTo(&record)) {
      return Status::InvalidArgument("VersionEdit", "cannot encode: " + edit->DebugString());
    }
    write->records.push_back(std::move(record));
  }
  return Status::OK();
}

Status VersionSet::EncodeWalsGivenUp(const VersionEdit& last_edit, ManifestWrite* write) const {
  const std::optional<uint64_t>& keep = last_edit.min_log_number_to_keep();
  if (!options_->track_and_verify_wals_in_manifest || !keep || *keep <= tracked_wals_.kept_from()) {
    return Status::OK();
  }
  VersionEdit edit;
  edit.DeleteWalsBefore(*keep);
  VersionEdit* const edits[] = {&edit};
  return EncodeRecords(edits, /*atomic=*/false, write);
}

void VersionSet::NoteWalsGivenUp() {
  if (options_->track_and_verify_wals_in_manifest) {
    tracked_wals_.ForgetBelow(min_log_number_to_keep_);
  }
}

Status VersionSet::TrackWals(std::span<const WalAddition> wals, fiber::Mutex* mutex,
                             FSDirectory* db_directory) {
  Writer self;
  AwaitTurn(&self, mutex);
  VersionEdit edit;
  for (const WalAddition& wal : wals) {
    if (wal.number >= min_log_number_to_keep_ && tracked_wals_.IsNews(wal)) edit.AddWal(wal);
  }
  Status s;
  if (!edit.wal_additions().empty()) {
    ManifestWrite write;
    s = BeginWrite(&write, /*new_descriptor=*/false);
    if (s.ok()) {
      // As every record: this one may be the only one of a new file.
      CompleteEdit(default_, &edit);
      edit.SetNextFile(next_file_number_.load());
      VersionEdit* const edits[] = {&edit};
      s = EncodeRecords(edits, /*atomic=*/false, &write);
    }
    if (s.ok()) s = Commit(&write, mutex, db_directory);
    if (s.ok()) s = tracked_wals_.Apply(edit);
    if (s.ok()) manifest_last_sequence_ = std::max(manifest_last_sequence_, *edit.last_sequence());
  }
  EndTurn(mutex);
  return s;
}

Status VersionSet::Commit(ManifestWrite* write, fiber::Mutex* mutex, FSDirectory* db_directory) {
  mutex->unlock();
  IOStatus io = WriteManifest(write, db_directory);
  const uint64_t size = manifest_ != nullptr ? manifest_->file()->file_size() : 0;
  if (!io.ok()) {
    // What the file ends with is unknown: no record may follow it.
    manifest_.reset();
    if (write->new_number != 0 && !write->current_touched) {
      (void)fs_->DeleteFile(DescriptorFileName(dbname_, write->new_number), IOOptions(), nullptr);
    }
  }
  mutex->lock();

  manifest_write_failed_ = !io.ok();
  if (!io.ok()) {
    LogError(options_->info_log.get(), "Error in committing version edit to MANIFEST: %s",
             io.ToString().c_str());
    return io;
  }
  manifest_file_size_ = size;
  if (write->new_number != 0) {
    if (manifest_file_number_ != 0) {
      obsolete_manifests_.push_back(DescriptorFileName("", manifest_file_number_).substr(1));
    }
    manifest_file_number_ = write->new_number;
    manifest_snapshot_size_ = 0;
    for (const std::string& record : write->snapshot) manifest_snapshot_size_ += record.size();
  }
  return io;
}

Status VersionSet::Process(std::span<const FamilyEdits> changes, fiber::Mutex* mutex,
                           FSDirectory* db_directory, bool new_descriptor,
                           const std::function<void()>& on_installed) {
  for (const FamilyEdits& change : changes) {
    if (change.family->dropped()) return Status::ColumnFamilyDropped(change.family->name());
    for (const VersionEdit* edit : change.edits) {
      if (edit->is_column_family_manipulation()) {
        return Status::InvalidArgument("LogAndApply", "adds or drops no column family");
      }
    }
  }
  ManifestWrite write;
  Status s = BeginWrite(&write, new_descriptor);
  if (!s.ok()) return s;

  std::vector<Version*> versions;  // of the changes, in their order
  std::vector<VersionEdit*> edits;
  for (const FamilyEdits& change : changes) {
    ColumnFamilyState* const cf = change.family;
    VersionBuilder builder(&cf->icmp(), cf->current());
    for (VersionEdit* edit : change.edits) {
      if (s.ok()) {
        CompleteEdit(cf, edit);
        edit->SetNextFile(next_file_number_.load());
        s = builder.Apply(*edit);
        edits.push_back(edit);
      }
    }
    Version* version = nullptr;
    if (s.ok()) {
      s = builder.Save(cf, this, next_version_number_, cf->options(), /*infer_epochs=*/false,
                       &version);
    }
    if (!s.ok()) break;
    ++next_version_number_;
    version->Ref();  // while the mutex is away
    versions.push_back(version);
  }
  if (s.ok()) CompleteMinLog(edits, changes);
  if (s.ok()) s = EncodeRecords(edits, changes.size() > 1, &write);
  if (s.ok()) s = EncodeWalsGivenUp(*edits.back(), &write);
  if (s.ok()) {
    s = Commit(&write, mutex, db_directory);
  }
  if (!s.ok()) {
    // The files that the edits wanted to add are the caller's: they do not become obsolete here.
    const size_t obsolete = obsolete_tables_.size();
    const size_t obsolete_blob_files = obsolete_blob_files_.size();
    for (Version* version : versions) version->Unref();
    obsolete_tables_.resize(std::min(obsolete, obsolete_tables_.size()));
    obsolete_blob_files_.resize(std::min(obsolete_blob_files, obsolete_blob_files_.size()));
    return s;
  }
  for (const VersionEdit* edit : edits) {
    if (edit->log_number()) {
      ColumnFamilyState* const cf = family(edit->column_family());
      cf->SetLogNumber(std::max(*edit->log_number(), cf->log_number()));
    }
    if (edit->full_history_ts_low()) {
      family(edit->column_family())->RaiseHistoryLow(*edit->full_history_ts_low());
    }
    prev_log_number_ = edit->prev_log_number().value_or(prev_log_number_);
    if (edit->min_log_number_to_keep()) {
      min_log_number_to_keep_ = std::max(min_log_number_to_keep_, *edit->min_log_number_to_keep());
    }
    if (edit->synced_log()) synced_log_ = std::max(synced_log_, *edit->synced_log());
    manifest_last_sequence_ = std::max(manifest_last_sequence_, *edit->last_sequence());
  }
  NoteWalsGivenUp();
  for (size_t i = 0; i < changes.size(); ++i) {
    // While the mutex was away files may have started or stopped being compacted, or options have
    // changed.
    versions[i]->OptionsChanged(changes[i].family->options());
    Install(changes[i].family, versions[i]);
    versions[i]->Unref();
  }
  if (on_installed) on_installed();
  return Status::OK();
}

// --- Families

Status VersionSet::CreateColumnFamily(const std::string& name, const ColumnFamilyOptions& options,
                                      uint64_t log_number, fiber::Mutex* mutex,
                                      FSDirectory* db_directory, ColumnFamilyState** created,
                                      VersionEdit* files) {
  *created = nullptr;
  Writer self;
  AwaitTurn(&self, mutex);
  Status s;
  if (family(name) != nullptr) s = Status::InvalidArgument("Column family already exists", name);
  ManifestWrite write;
  if (s.ok()) s = BeginWrite(&write, /*new_descriptor=*/false);
  if (!s.ok()) {
    EndTurn(mutex);
    return s;
  }
  // Its number is used up even if this fails: the MANIFEST may have it.
  const uint32_t id = ++max_column_family_;
  std::unique_ptr<ColumnFamilyState> state(new ColumnFamilyState(id, name, options));
  VersionEdit edit;
  edit.AddColumnFamily(name);
  edit.SetComparatorName(state->user_comparator()->Name());
  NotePersistence(options, &edit);
  edit.SetMaxColumnFamily(id);
  edit.SetLogNumber(log_number);
  CompleteEdit(state.get(), &edit);
  edit.SetNextFile(next_file_number_.load());
  std::vector<VersionEdit*> edits = {&edit};
  CompleteMinLog(edits, {});
  VersionBuilder builder(&state->icmp(), nullptr);
  if (files != nullptr) {
    CompleteEdit(state.get(), files);
    files->SetNextFile(next_file_number_.load());
    s = builder.Apply(*files);
    edits.push_back(files);
  }
  if (s.ok()) s = EncodeRecords(edits, /*atomic=*/files != nullptr, &write);
  if (s.ok()) s = EncodeWalsGivenUp(edit, &write);
  Version* version = nullptr;
  if (s.ok()) {
    s = builder.Save(state.get(), this, next_version_number_++, options, /*infer_epochs=*/false,
                     &version);
  }
  if (s.ok()) {
    version->Ref();
    s = Commit(&write, mutex, db_directory);
    if (s.ok()) {
      state->SetLogNumber(*edit.log_number());
      min_log_number_to_keep_ =
          std::max(min_log_number_to_keep_, edit.min_log_number_to_keep().value_or(0));
      NoteWalsGivenUp();
      manifest_last_sequence_ = std::max(manifest_last_sequence_, *edits.back()->last_sequence());
      Install(state.get(), version);
      *created = Enter(std::move(state));
    }
    const size_t obsolete = obsolete_tables_.size();
    version->Unref();
    if (!s.ok()) obsolete_tables_.resize(obsolete);  // the files are the caller's
  }
  EndTurn(mutex);
  return s;
}

Status VersionSet::DropColumnFamily(ColumnFamilyState* cf, fiber::Mutex* mutex,
                                    FSDirectory* db_directory) {
  if (cf == default_) return Status::InvalidArgument("Can't drop default column family");
  Writer self;
  AwaitTurn(&self, mutex);
  Status s;
  if (cf->dropped()) s = Status::InvalidArgument("Column family already dropped!");
  ManifestWrite write;
  if (s.ok()) s = BeginWrite(&write, /*new_descriptor=*/false);
  if (s.ok()) {
    VersionEdit edit;
    edit.DropColumnFamily();
    // As every record: this one may be the only one of a new file.
    CompleteEdit(cf, &edit);
    edit.SetMaxColumnFamily(max_column_family_);
    edit.SetNextFile(next_file_number_.load());
    VersionEdit* const edits[] = {&edit};
    s = EncodeRecords(edits, /*atomic=*/false, &write);
    if (s.ok()) {
      s = Commit(&write, mutex, db_directory);
    }
  }
  if (s.ok()) {
    cf->dropped_ = true;
    Leave(families_.find(cf->id()));
  }
  EndTurn(mutex);
  return s;
}

void VersionSet::ForgetDropped(ColumnFamilyState* cf) {
  assert(cf->dropped());
  std::exchange(cf->current_, nullptr)->Unref();
  std::erase_if(dropped_, [cf](const auto& state) { return state.get() == cf; });
}

Status VersionSet::Close(fiber::Mutex* mutex) {
  Writer self;
  AwaitTurn(&self, mutex);
  IOStatus s;
  if (manifest_ != nullptr) {
    std::unique_ptr<LogWriter> manifest = std::move(manifest_);
    mutex->unlock();
    s = manifest->Close();
    manifest.reset();
    mutex->lock();
  }
  EndTurn(mutex);
  return s;
}

}  // namespace cairn
