// A repair's blob files: what the tables that it takes refer to comes into the new MANIFEST, with
// what of it is garbage, counted; the others go to the folder `lost`.
#include <map>
#include <memory>
#include <utility>

#include "base/logging.h"
#include "blob/blob_file_reader.h"
#include "blob/blob_format.h"
#include "fs/file_names.h"
#include "repair/repair.h"

namespace cairn {

Status Repairer::CountBlobs(const Table& table, std::map<uint64_t, BlobFileGarbage>* referred) {
  if (table.meta.oldest_blob_file_number == kNoBlobFile) return Status::OK();
  TableCache::Ref reader;
  Status s = table.family->tables->FindTable(UnpinnedId(table.meta), &reader);
  if (!s.ok()) return s;
  ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<InternalIterator> entries(
      reader->NewIterator(options, /*skip_filters=*/true));
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (ExtractValueType(entries->key()) != kTypeBlobIndex) continue;
    BlobIndex at;
    if (!DecodeBlobIndex(entries->value(), &at).ok()) continue;  // who reads it is told
    BlobFileGarbage& of_file = (*referred)[at.file_number];
    ++of_file.blobs;
    of_file.bytes += BlobRecordSize(ExtractUserKey(entries->key()).size(), at.size);
  }
  return entries->status();
}

Status Repairer::AddBlobFiles(const Family& family, VersionEdit* edit) {
  std::map<uint64_t, BlobFileGarbage> referred;
  for (const auto& table : tables_) {
    if (table->family != &family) continue;
    if (Status s = CountBlobs(*table, &referred); !s.ok()) return s;
  }
  for (const auto& [number, used] : referred) {
    const std::string path = BlobFileName(table_dirs_.front(), number);
    std::unique_ptr<BlobFileReader> reader;
    Status s = BlobFileReader::Open(fs_, FileOptions(options_), path, family.id, ReadLimits(),
                                    /*statistics=*/nullptr, &reader);
    BlobFileAddition file;
    if (s.ok()) {
      file.number = number;
      file.blobs = reader->records();
      file.bytes = reader->file_size() - kBlobHeaderSize - kBlobFooterSize;
      if (used.blobs > file.blobs || used.bytes > file.bytes) {
        s = Status::Corruption("tables refer to more than there is", path);
      }
    }
    if (!s.ok()) {
      LogWarn(info_log_, "Blob file #%llu, which tables refer to, is lost: %s",
              static_cast<unsigned long long>(number), s.ToString().c_str());
      continue;
    }
    LogInfo(info_log_, "Blob file #%llu: %llu blobs, of which tables refer to %llu",
            static_cast<unsigned long long>(number), static_cast<unsigned long long>(file.blobs),
            static_cast<unsigned long long>(used.blobs));
    if (used.blobs < file.blobs) {
      edit->AddBlobGarbage({number, file.blobs - used.blobs, file.bytes - used.bytes});
    }
    edit->AddBlobFile(std::move(file));
    lost_blob_files_.erase(number);
  }
  return Status::OK();
}

}  // namespace cairn
