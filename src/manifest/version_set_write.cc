// How edits reach the MANIFEST: LogAndApply, the rotation of the file, and what happens when a
// write fails.
//
// One writer at a time is at the head of the queue. It builds the next Version under the mutex,
// writes the records without it, and installs the Version under it again. The order of the queue is
// the order of the records.

#include <algorithm>
#include <cassert>

#include "base/logging.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "manifest/version_set.h"

namespace cairn {

struct VersionSet::Writer {
  fiber::CondVar turn;
};

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
  if (!db_id_.empty()) head.SetDBId(db_id_);
  if (max_column_family_ != 0) head.SetMaxColumnFamily(max_column_family_);
  if (min_log_number_to_keep_ != 0) head.SetMinLogNumberToKeep(min_log_number_to_keep_);
  if (Status s = add(head); !s.ok()) return s;
  for (const auto& [id, cf] : families_) {
    if (cf->dropped()) continue;
    VersionEdit identity;
    identity.SetColumnFamily(id);
    if (id != 0) identity.AddColumnFamily(cf->name());
    identity.SetComparatorName(cf->user_comparator()->Name());
    if (Status s = add(identity); !s.ok()) return s;

    VersionEdit files;
    files.SetColumnFamily(id);
    files.SetLogNumber(cf->log_number());
    files.SetLastSequence(manifest_last_sequence_);
    const Version* version = cf->current();
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* f : version->files(level)) files.AddFile(level, *f);
    }
    if (Status s = add(files); !s.ok()) return s;
  }
  return Status::OK();
}

Status VersionSet::NewDB(const ColumnFamilyOptions& options, FSDirectory* db_directory) {
  constexpr uint64_t kFirstManifest = 1;
  IOStatus s = SetIdentityFile(fs_, dbname_, {}, db_directory);
  if (s.ok()) s = ReadIdentityFile(fs_, dbname_, &db_id_);
  if (!s.ok()) return s;

  VersionEdit edit;
  edit.SetDBId(db_id_);
  edit.SetComparatorName(options.comparator->Name());
  edit.SetLogNumber(0);
  edit.SetNextFile(kFirstManifest + 1);
  edit.SetLastSequence(0);
  std::string record;
  [[maybe_unused]] const bool encoded = edit.EncodeTo(&record);
  assert(encoded);

  const std::string path = DescriptorFileName(dbname_, kFirstManifest);
  std::unique_ptr<FileWriter> file;
  s = FileWriter::Open(fs_, path, file_options_, &file);
  if (s.ok()) {
    LogWriter log(std::move(file), kFirstManifest, /*recycle_log_files=*/false);
    s = log.AddRecord(record);
    if (s.ok()) s = log.Sync(options_->use_fsync);
    if (s.ok()) s = log.Close();
  }
  if (s.ok()) s = SetCurrentFile(fs_, dbname_, kFirstManifest, db_directory);
  if (!s.ok()) (void)fs_->DeleteFile(path, IOOptions(), nullptr);
  return s;
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
  if (edit->log_number()) {
    const uint64_t log = std::max(*edit->log_number(), cf->log_number());
    edit->SetLogNumber(log);
    if (!edit->min_log_number_to_keep()) {
      uint64_t keep = log;
      for (const auto& [id, other] : families_) {
        if (other.get() != cf && !other->dropped()) keep = std::min(keep, other->log_number());
      }
      if (keep > min_log_number_to_keep_) edit->SetMinLogNumberToKeep(keep);
    }
  }
}

IOStatus VersionSet::OpenManifest(ManifestWrite* write) {
  manifest_.reset();
  const std::string path = DescriptorFileName(dbname_, write->new_number);
  std::unique_ptr<FSWritableFile> file;
  IOStatus s = fs_->NewWritableFile(path, file_options_, &file, nullptr);
  if (!s.ok()) return s;
  file->SetPreallocationBlockSize(options_->manifest_preallocation_size);
  manifest_ = std::make_unique<LogWriter>(
      std::make_unique<FileWriter>(std::move(file), path, file_options_), write->new_number,
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
  if (s.ok()) s = manifest_->Sync(options_->use_fsync);
  if (s.ok() && write->new_number != 0) {
    write->current_touched = true;
    s = SetCurrentFile(fs_, dbname_, write->new_number, db_directory);
  }
  return s;
}

Status VersionSet::LogAndApply(ColumnFamilyState* cf, std::span<VersionEdit* const> edits,
                               fiber::Mutex* mutex, FSDirectory* db_directory, bool new_descriptor,
                               const std::function<void()>& on_installed) {
  mutex->assert_held();
  Writer self;
  writers_.push_back(&self);
  while (writers_.front() != &self) self.turn.wait(mutex);
  Status s = ProcessWriter(cf, edits, mutex, db_directory, new_descriptor, on_installed);
  writers_.pop_front();
  if (!writers_.empty()) writers_.front()->turn.notify_all();
  return s;
}

Status VersionSet::ProcessWriter(ColumnFamilyState* cf, std::span<VersionEdit* const> edits,
                                 fiber::Mutex* mutex, FSDirectory* db_directory,
                                 bool new_descriptor, const std::function<void()>& on_installed) {
  if (cf->dropped()) return Status::ColumnFamilyDropped(cf->name());
  for (const VersionEdit* edit : edits) {
    if (edit->is_column_family_manipulation()) {
      return Status::NotSupported("VersionSet", "adding or dropping a column family");
    }
  }

  ManifestWrite write;
  const uint64_t size_limit = std::max<uint64_t>(options_->max_manifest_file_size, 1);
  if (new_descriptor || manifest_ == nullptr || manifest_write_failed_ ||
      manifest_file_size_ >= size_limit) {
    write.new_number = NewFileNumber();
    pending_manifest_file_number_ = write.new_number;
    if (Status s = EncodeSnapshot(&write.snapshot); !s.ok()) {
      pending_manifest_file_number_ = 0;
      return s;
    }
  }
  VersionBuilder builder(&cf->icmp(), cf->current());
  Status s;
  for (VersionEdit* edit : edits) {
    CompleteEdit(cf, edit);
    edit->SetNextFile(next_file_number_.load());
    s = builder.Apply(*edit);
    std::string record;
    if (s.ok() && !edit->EncodeTo(&record)) {
      s = Status::InvalidArgument("VersionEdit", "cannot encode: " + edit->DebugString());
    }
    if (!s.ok()) break;
    write.records.push_back(std::move(record));
  }
  Version* version = nullptr;
  if (s.ok()) {
    s = builder.Save(cf, this, next_version_number_, cf->options(), /*infer_epochs=*/false,
                     &version);
  }
  if (!s.ok()) {
    pending_manifest_file_number_ = 0;
    return s;
  }
  ++next_version_number_;
  version->Ref();  // while the mutex is away

  mutex->unlock();
  IOStatus io = WriteManifest(&write, db_directory);
  const uint64_t size = manifest_ != nullptr ? manifest_->file()->file_size() : 0;
  if (!io.ok()) {
    // What the file ends with is unknown: no record may follow it.
    manifest_.reset();
    if (write.new_number != 0 && !write.current_touched) {
      (void)fs_->DeleteFile(DescriptorFileName(dbname_, write.new_number), IOOptions(), nullptr);
    }
  }
  mutex->lock();

  pending_manifest_file_number_ = 0;
  if (!io.ok()) {
    LogError(options_->info_log.get(), "Error in committing version edit to MANIFEST: %s",
             io.ToString().c_str());
    manifest_write_failed_ = true;
    // The files that the edits wanted to add are the caller's: they do not become obsolete here.
    const size_t obsolete = obsolete_tables_.size();
    version->Unref();
    obsolete_tables_.resize(std::min(obsolete, obsolete_tables_.size()));
    return io;
  }
  manifest_write_failed_ = false;
  manifest_file_size_ = size;
  if (write.new_number != 0) {
    if (manifest_file_number_ != 0) {
      obsolete_manifests_.push_back(DescriptorFileName("", manifest_file_number_).substr(1));
    }
    manifest_file_number_ = write.new_number;
  }
  for (const VersionEdit* edit : edits) {
    if (edit->log_number()) cf->SetLogNumber(*edit->log_number());
    prev_log_number_ = edit->prev_log_number().value_or(prev_log_number_);
    if (edit->min_log_number_to_keep()) {
      min_log_number_to_keep_ = std::max(min_log_number_to_keep_, *edit->min_log_number_to_keep());
    }
    manifest_last_sequence_ = std::max(manifest_last_sequence_, *edit->last_sequence());
  }
  // While the mutex was away files may have started or stopped being compacted, or options have
  // changed.
  version->OptionsChanged(cf->options());
  Install(cf, version);
  version->Unref();
  if (on_installed) on_installed();
  return Status::OK();
}

Status VersionSet::Close(fiber::Mutex* mutex) {
  mutex->assert_held();
  Writer self;
  writers_.push_back(&self);
  while (writers_.front() != &self) self.turn.wait(mutex);
  IOStatus s;
  if (manifest_ != nullptr) {
    std::unique_ptr<LogWriter> manifest = std::move(manifest_);
    mutex->unlock();
    s = manifest->Close();
    manifest.reset();
    mutex->lock();
  }
  writers_.pop_front();
  if (!writers_.empty()) writers_.front()->turn.notify_all();
  return s;
}

}  // namespace cairn
