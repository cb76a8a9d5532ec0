#include "manifest/tracked_wals.h"

#include "fs/file_names.h"

namespace cairn {

Status TrackedWals::Apply(const VersionEdit& edit) {
  for (const WalAddition& wal : edit.wal_additions()) {
    if (wal.number < kept_from_) continue;
    const auto [it, is_new] = wals_.try_emplace(wal.number, wal.synced_bytes);
    if (is_new) continue;
    if (!wal.synced_bytes) {
      return Status::Corruption(
          "VersionEdit", "log #" + std::to_string(wal.number) + " is created more than once");
    }
    if (!it->second || *it->second < *wal.synced_bytes) it->second = wal.synced_bytes;
  }
  if (edit.wal_deletion_before()) ForgetBelow(*edit.wal_deletion_before());
  return Status::OK();
}

void TrackedWals::ForgetBelow(uint64_t number) {
  if (number <= kept_from_) return;
  kept_from_ = number;
  wals_.erase(wals_.begin(), wals_.lower_bound(number));
}

bool TrackedWals::IsNews(const WalAddition& wal) const {
  if (wal.number < kept_from_) return false;
  const auto it = wals_.find(wal.number);
  return it == wals_.end() || it->second < wal.synced_bytes;  // (not known is less than any)
}

VersionEdit TrackedWals::Additions() const {
  VersionEdit edit;
  for (const auto& [number, synced_bytes] : wals_) edit.AddWal({number, synced_bytes});
  return edit;
}

Status TrackedWals::Check(FileSystem* fs, const std::string& wal_dir,
                          const std::set<uint64_t>& present) const {
  for (const auto& [number, synced_bytes] : wals_) {
    if (!synced_bytes) continue;  // a power cut may have taken its name
    const std::string path = LogFileName(wal_dir, number);
    if (!present.contains(number)) {
      return Status::Corruption("Missing WAL with log number: " + std::to_string(number) + ".",
                                path);
    }
    uint64_t size = 0;
    IOStatus io = fs->GetFileSize(path, IOOptions(), &size, nullptr);
    if (!io.ok()) return io;
    if (size < *synced_bytes) {
      return Status::Corruption("Size mismatch: WAL (log number: " + std::to_string(number) +
                                    ") in MANIFEST is " + std::to_string(*synced_bytes) +
                                    " bytes , but actually is " + std::to_string(size) +
                                    " bytes on disk.",
                                path);
    }
  }
  return Status::OK();
}

}  // namespace cairn
