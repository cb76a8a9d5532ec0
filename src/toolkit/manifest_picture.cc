#include "toolkit/manifest_picture.h"

#include <algorithm>
#include <memory>

#include "base/string_util.h"
#include "fs/file_names.h"
#include "manifest/manifest_reader.h"
#include "manifest/version_set.h"
#include "rocksdb/comparator.h"

namespace cairn {

uint64_t ManifestPicture::Family::Bytes(size_t level) const {
  uint64_t bytes = 0;
  for (const FileMetaData& file : levels[level]) bytes += file.file_size;
  return bytes;
}

Status ManifestPicture::Read(FileSystem* fs, const std::string& path, const Visitor& visitor) {
  FileType type;
  if (!ParseFileName(path.substr(path.rfind('/') + 1), &number, &type)) number = 0;
  std::unique_ptr<ManifestReader> reader;
  Status s = ManifestReader::Open(fs, path, number, &reader);
  if (!s.ok()) return s;
  families[0].name = kDefaultColumnFamilyName;
  families_made = 1;
  VersionEdit edit;
  while (s.ok() && reader->Next(&edit)) {
    ++edits;
    if (visitor) visitor(edit);
    s = Apply(edit);
    if (!s.ok()) s = reader->Locate(s);
  }
  if (s.ok()) s = reader->status();
  Sort();
  return s;
}

Status ManifestPicture::ReadCurrent(FileSystem* fs, const std::string& dbname) {
  std::string path;
  Status s = VersionSet::GetCurrentManifestPath(dbname, fs, &path, &number);
  return s.ok() ? Read(fs, path) : s;
}

Status ManifestPicture::Apply(const VersionEdit& edit) {
  if (edit.db_id()) db_id = *edit.db_id();
  if (edit.next_file_number()) next_file = *edit.next_file_number();
  if (edit.prev_log_number()) prev_log = *edit.prev_log_number();
  if (edit.min_log_number_to_keep()) {
    min_log_to_keep = std::max(min_log_to_keep, *edit.min_log_number_to_keep());
  }
  if (edit.last_sequence()) last_sequence = std::max(last_sequence, *edit.last_sequence());
  if (edit.max_column_family()) {
    max_column_family = std::max(max_column_family, *edit.max_column_family());
  }
  const uint32_t id = edit.column_family();
  if (edit.is_column_family_add()) {
    if (families.count(id) != 0) {
      return Status::Corruption("a column family is added twice", *edit.column_family_name());
    }
    families[id].name = *edit.column_family_name();
    max_column_family = std::max(max_column_family, id);
    ++families_made;
  }
  const auto found = families.find(id);
  if (found == families.end()) {
    return Status::Corruption("an edit of a column family that there is not", NumberToString(id));
  }
  if (edit.is_column_family_drop()) {
    families.erase(found);
    return Status::OK();
  }
  Family& family = found->second;
  if (edit.comparator()) family.comparator = *edit.comparator();
  if (edit.log_number()) family.log_number = std::max(family.log_number, *edit.log_number());
  return ApplyFiles(edit, &family);
}

Status ManifestPicture::ApplyFiles(const VersionEdit& edit, Family* family) {
  for (const VersionEdit::DeletedFile& deleted : edit.deleted_files()) {
    const size_t level = static_cast<size_t>(deleted.level);
    std::vector<FileMetaData> none;
    std::vector<FileMetaData>& files = level < family->levels.size() ? family->levels[level] : none;
    const auto found = std::find_if(files.begin(), files.end(), [&](const FileMetaData& file) {
      return file.number == deleted.number;
    });
    if (found == files.end()) {
      return Status::Corruption("a table is deleted that there is not",
                                NumberToString(deleted.number));
    }
    family->blobs.Unlink(found->oldest_blob_file_number, found->number);
    files.erase(found);
  }
  Status s;
  for (const BlobFileAddition& added : edit.blob_additions()) {
    if (s.ok()) s = family->blobs.Add(added);
  }
  for (const BlobFileGarbage& garbage : edit.blob_garbage()) {
    if (s.ok()) s = family->blobs.AddGarbage(garbage);
  }
  for (const VersionEdit::NewFile& added : edit.new_files()) {
    const size_t level = static_cast<size_t>(added.level);
    if (level >= family->levels.size()) family->levels.resize(level + 1);
    family->levels[level].push_back(added.meta);
    family->blobs.Link(added.meta.oldest_blob_file_number, added.meta.number);
  }
  return s;
}

void ManifestPicture::Sort() {
  const auto newer = [](const FileMetaData& a, const FileMetaData& b) {
    if (a.epoch_number != b.epoch_number) return a.epoch_number > b.epoch_number;
    if (a.largest_seqno != b.largest_seqno) return a.largest_seqno > b.largest_seqno;
    if (a.smallest_seqno != b.smallest_seqno) return a.smallest_seqno > b.smallest_seqno;
    return a.number > b.number;
  };
  for (auto& [id, family] : families) {
    const Comparator* comparator = BytewiseComparator();  // or somehow, of an unknown one
    if (family.comparator == ReverseBytewiseComparator()->Name()) {
      comparator = ReverseBytewiseComparator();
    }
    for (size_t level = 0; level < family.levels.size(); ++level) {
      std::vector<FileMetaData>& files = family.levels[level];
      if (level == 0) {
        std::sort(files.begin(), files.end(), newer);
      } else {
        std::sort(files.begin(), files.end(), [&](const FileMetaData& a, const FileMetaData& b) {
          return comparator->Compare(a.smallest.user_key(), b.smallest.user_key()) < 0;
        });
      }
    }
  }
}

}  // namespace cairn
