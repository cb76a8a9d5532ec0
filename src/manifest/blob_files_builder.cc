#include "manifest/blob_files_builder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace cairn {

BlobFileMeta* BlobFilesBuilder::Change(uint64_t number) {
  if (const auto it = changed_.find(number); it != changed_.end()) return &it->second;
  const BlobFileMeta* const base = base_ == nullptr ? nullptr : FindBlobFile(*base_, number);
  return base == nullptr ? nullptr : &changed_.emplace(number, *base).first->second;
}

Status BlobFilesBuilder::Add(const BlobFileAddition& addition) {
  if (Change(addition.number) != nullptr) {
    return Status::Corruption("VersionEdit adds blob file #" + std::to_string(addition.number),
                              "which exists already");
  }
  changed_[addition.number].file = std::make_shared<const BlobFileAddition>(addition);
  return Status::OK();
}

Status BlobFilesBuilder::AddGarbage(const BlobFileGarbage& garbage) {
  BlobFileMeta* const meta = Change(garbage.number);
  const std::string where =
      "VersionEdit has garbage of blob file #" + std::to_string(garbage.number);
  if (meta == nullptr) return Status::Corruption(where, "which is not there");
  if (garbage.blobs > meta->file->blobs - meta->garbage_blobs ||
      garbage.bytes > meta->file->bytes - meta->garbage_bytes) {
    return Status::Corruption(where, "which has not that much");
  }
  meta->garbage_blobs += garbage.blobs;
  meta->garbage_bytes += garbage.bytes;
  return Status::OK();
}

void BlobFilesBuilder::Link(uint64_t number, uint64_t table) {
  if (number == kNoBlobFile) return;
  if (BlobFileMeta* const meta = Change(number)) meta->linked_tables.insert(table);
}

void BlobFilesBuilder::Unlink(uint64_t number, uint64_t table) {
  if (number == kNoBlobFile) return;
  if (BlobFileMeta* const meta = Change(number)) meta->linked_tables.erase(table);
}

BlobFileList BlobFilesBuilder::Build() const {
  BlobFileList all;
  if (base_ != nullptr) {
    for (const auto& meta : *base_) {
      if (changed_.count(meta->number()) == 0) all.push_back(meta);
    }
  }
  for (const auto& [number, meta] : changed_) all.push_back(std::make_shared<BlobFileMeta>(meta));
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a->number() < b->number(); });
  const auto oldest = std::find_if(all.begin(), all.end(),
                                   [](const auto& meta) { return !meta->linked_tables.empty(); });
  BlobFileList live;
  for (auto it = oldest; it != all.end(); ++it) {
    const BlobFileMeta& meta = **it;
    if (meta.linked_tables.empty() && meta.garbage_blobs >= meta.file->blobs) continue;
    live.push_back(*it);
  }
  return live;
}

}  // namespace cairn
