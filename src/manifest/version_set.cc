#include "manifest/version_set.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>

#include "fs/file_names.h"

namespace cairn {

VersionSet::VersionSet(std::string dbname, const DBOptions* options, FileSystem* fs,
                       const FileOptions& file_options)
    : dbname_(std::move(dbname)), options_(options), fs_(fs), file_options_(file_options) {}

VersionSet::~VersionSet() {
  assert(writers_.empty());
  for (auto it = families_.begin(); it != families_.end();) it = Leave(it);
  for (auto& cf : dropped_) {
    if (cf->current_ != nullptr) std::exchange(cf->current_, nullptr)->Unref();
  }
}

ColumnFamilyState* VersionSet::family(uint32_t id) const {
  const auto it = families_.find(id);
  return it == families_.end() ? nullptr : it->second.get();
}

ColumnFamilyState* VersionSet::family(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

ColumnFamilyState* VersionSet::Enter(std::unique_ptr<ColumnFamilyState> cf) {
  ColumnFamilyState* const entered = cf.get();
  if (const auto it = families_.find(entered->id()); it != families_.end()) Leave(it);
  entered->log_numbers_ = &log_numbers_;
  log_numbers_.Add(entered->log_);
  by_name_[entered->name()] = entered;
  families_[entered->id()] = std::move(cf);
  return entered;
}

VersionSet::Families::iterator VersionSet::Leave(Families::iterator it) {
  ColumnFamilyState* const cf = it->second.get();
  const uint64_t log_number = cf->log_number();
  log_numbers_.Remove(cf->log_);
  cf->log_numbers_ = nullptr;
  cf->log_ = {log_number, false};
  const auto named = by_name_.find(cf->name());  // or a later one of this name
  if (named != by_name_.end() && named->second == cf) by_name_.erase(named);
  dropped_.push_back(std::move(it->second));
  return families_.erase(it);
}

void VersionSet::MarkFileNumberUsed(uint64_t n) {
  uint64_t next = next_file_number_.load();
  while (next <= n && !next_file_number_.compare_exchange_weak(next, n + 1)) {
  }
}

uint64_t VersionSet::MinLogNumberWithUnflushedData() const {
  const uint64_t least = log_numbers_.Least();
  return least == UINT64_MAX ? 0 : least;
}

uint64_t VersionSet::MinLogNumberToKeep() const {
  return min_log_number_to_keep_ != 0 ? min_log_number_to_keep_ : MinLogNumberWithUnflushedData();
}

std::string VersionSet::DirectoryOf(const ColumnFamilyState* cf, uint32_t path_id) const {
  if (cf == nullptr) return dbname_;
  const std::vector<DbPath>& own = cf->options().cf_paths;
  const std::vector<DbPath>& paths = own.empty() ? options_->db_paths : own;
  return paths.empty() ? dbname_ : paths[std::min<size_t>(path_id, paths.size() - 1)].path;
}

void VersionSet::ReleaseFile(const FileMetaData& file, const ColumnFamilyState* cf) {
  const auto it = held_files_.find(file.number);
  assert(it != held_files_.end());
  if (--it->second > 0) return;
  held_files_.erase(it);
  obsolete_tables_.push_back(
      {file.number, file.path_id, file.file_size, DirectoryOf(cf, file.path_id)});
}

void VersionSet::ReleaseBlobFile(uint64_t number, const ColumnFamilyState* cf) {
  const auto it = held_blob_files_.find(number);
  assert(it != held_blob_files_.end());
  if (--it->second != 0) return;
  held_blob_files_.erase(it);
  ObsoleteFile& file = obsolete_blob_files_.emplace_back();
  file.number = number;
  file.directory = DirectoryOf(cf, 0);
}

void VersionSet::Install(ColumnFamilyState* cf, Version* version) {
  version->Ref();
  Version* const old = cf->current_;
  if (old != nullptr) {
    // The newest stands before the older ones of the ring.
    version->next_ = old;
    version->prev_ = old->prev_;
    old->prev_->next_ = version;
    old->prev_ = version;
  }
  cf->current_ = version;
  if (old != nullptr) old->Unref();
}

uint64_t VersionSet::NumLiveVersions(const ColumnFamilyState& cf) {
  uint64_t count = 1;
  for (const Version* v = cf.current()->next_; v != cf.current(); v = v->next_) ++count;
  return count;
}

uint64_t VersionSet::TotalTableBytes(const ColumnFamilyState& cf) {
  std::unordered_set<uint64_t> numbers;
  uint64_t bytes = 0;
  const Version* version = cf.current();
  do {
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* file : version->files(level)) {
        if (numbers.insert(file->number).second) bytes += file->file_size;
      }
    }
    version = version->next_;
  } while (version != cf.current());
  return bytes;
}

uint64_t VersionSet::TotalBlobFileBytes(const ColumnFamilyState& cf) {
  std::unordered_set<uint64_t> numbers;
  uint64_t bytes = 0;
  const Version* version = cf.current();
  do {
    for (const auto& f : version->blob_files()) {
      if (numbers.insert(f->number()).second) bytes += f->file->file_size();
    }
    version = version->next_;
  } while (version != cf.current());
  return bytes;
}

void VersionSet::AddLiveBlobFiles(std::vector<uint64_t>* numbers) const {
  for (const auto& [number, holders] : held_blob_files_) numbers->push_back(number);
}

void VersionSet::AddLiveFiles(std::vector<uint64_t>* numbers) const {
  numbers->reserve(numbers->size() + held_files_.size());
  for (const auto& [number, holders] : held_files_) numbers->push_back(number);
}

void VersionSet::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* metadata) const {
  for (const auto& [id, cf] : families_) {
    const Version* version = cf->current();
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* f : version->files(level)) {
        LiveFileMetaData m;
        m.column_family_name = cf->name();
        m.db_path = DirectoryOf(cf.get(), f->path_id);
        m.directory = m.db_path;
        m.relative_filename = TableFileBaseName(f->number);
        m.name = "/" + m.relative_filename;
        m.file_number = f->number;
        m.file_type = rocksdb::FileType::kTableFile;
        m.level = level;
        m.size = f->file_size;
        m.smallestkey = f->smallest.user_key().ToString();
        m.largestkey = f->largest.user_key().ToString();
        m.smallest_seqno = f->smallest_seqno;
        m.largest_seqno = f->largest_seqno;
        m.num_entries = f->num_entries;
        m.num_deletions = f->num_deletions;
        m.being_compacted = f->being_compacted;
        m.temperature = f->temperature;
        m.oldest_ancester_time = f->oldest_ancester_time;
        m.file_creation_time = f->file_creation_time;
        m.oldest_blob_file_number = f->oldest_blob_file_number;
        m.file_checksum = f->file_checksum;
        m.file_checksum_func_name = f->file_checksum_func_name;
        m.epoch_number = f->epoch_number;
        m.smallest = f->smallest.Encode().ToString();
        m.largest = f->largest.Encode().ToString();
        metadata->push_back(std::move(m));
      }
    }
  }
}

std::vector<ObsoleteFile> VersionSet::TakeObsoleteBlobFiles(uint64_t min_pending_output) {
  std::vector<ObsoleteFile> taken;
  std::erase_if(obsolete_blob_files_, [&](const ObsoleteFile& file) {
    // (A secondary's next state may have again what one that it gave up had.)
    if (held_blob_files_.contains(file.number)) return true;
    if (file.number < min_pending_output) taken.push_back(file);
    return file.number < min_pending_output;
  });
  return taken;
}

void VersionSet::GetObsoleteFiles(std::vector<ObsoleteFile>* tables,
                                  std::vector<std::string>* manifests,
                                  uint64_t min_pending_output) {
  std::vector<ObsoleteFile> pending;
  for (ObsoleteFile& f : obsolete_tables_) {
    (f.number < min_pending_output ? *tables : pending).push_back(f);
  }
  obsolete_tables_ = std::move(pending);
  manifests->insert(manifests->end(), obsolete_manifests_.begin(), obsolete_manifests_.end());
  obsolete_manifests_.clear();
}

}  // namespace cairn
