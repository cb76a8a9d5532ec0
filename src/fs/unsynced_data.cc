#include "fs/unsynced_data.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "fs/file_util.h"
#include "fs/platform.h"

namespace cairn::fault::detail {

namespace {

// Without doubled and trailing separators, and with one kind of them, so that equal paths are equal
// texts.
std::string Normal(const std::string& path) {
  const std::string kept = WithoutTrailingSeparators(path);
  const size_t root = RootLength(kept);
  std::string out;
  for (size_t i = 0; i < kept.size(); ++i) {
    const char c = IsSeparator(kept[i]) ? '/' : kept[i];
    if (c != '/' || i < root || out.empty() || out.back() != '/') out.push_back(c);
  }
  return out;
}

std::string DirectoryOf(const std::string& normal_path) { return Normal(ParentOf(normal_path)); }

// Cuts a file to `size`, also where the base cannot truncate.
IOStatus Cut(FileSystem* base, const std::string& path, uint64_t size) {
  IOStatus s = base->Truncate(path, size, IOOptions(), nullptr);
  if (!s.IsNotSupported()) return s;
  std::string contents;
  s = ReadFileToString(base, path, &contents);
  if (!s.ok()) return s;
  return WriteStringToFile(base, Slice(contents.data(), std::min<size_t>(size, contents.size())),
                           path, true);
}

// A file, or a directory with all in it.
IOStatus Remove(FileSystem* base, const std::string& path) {
  bool is_dir = false;
  if (!base->IsDirectory(path, IOOptions(), &is_dir, nullptr).ok() || !is_dir) {
    return base->DeleteFile(path, IOOptions(), nullptr);
  }
  std::vector<std::string> names;
  IOStatus s = base->GetChildren(path, IOOptions(), &names, nullptr);
  for (const std::string& name : names) {
    if (s.ok() && name != "." && name != "..") s = Remove(base, path + "/" + name);
  }
  return s.ok() ? base->DeleteDir(path, IOOptions(), nullptr) : s;
}

bool Exists(FileSystem* base, const std::string& path) {
  return base->FileExists(path, IOOptions(), nullptr).ok();
}

}  // namespace

void UnsyncedData::File::Written(uint64_t end) {
  fiber::MutexLock lock(&mu);
  size = std::max(size, end);
}

void UnsyncedData::File::Truncated(uint64_t new_size) {
  fiber::MutexLock lock(&mu);
  size = new_size;
  synced = std::min(synced, size);
}

uint64_t UnsyncedData::File::Size() {
  fiber::MutexLock lock(&mu);
  return size;
}

void UnsyncedData::File::Synced(uint64_t size_before) {
  fiber::MutexLock lock(&mu);
  synced = std::max(synced, std::min(size, size_before));
}

void UnsyncedData::AddChange(const std::string& from, const std::string& to,
                             std::optional<std::string> replaced) {
  changes_[DirectoryOf(to)].push_back({++last_id_, from, to, std::move(replaced)});
}

std::shared_ptr<UnsyncedData::File> UnsyncedData::Created(const std::string& path, bool existed) {
  const std::string name = Normal(path);
  fiber::MutexLock lock(&mu_);
  if (!existed) AddChange("", name, std::nullopt);
  return files_[name] = std::make_shared<File>();
}

void UnsyncedData::DirectoryCreated(const std::string& path) {
  fiber::MutexLock lock(&mu_);
  AddChange("", Normal(path), std::nullopt);
}

std::shared_ptr<UnsyncedData::File> UnsyncedData::Reopened(const std::string& path, uint64_t size) {
  fiber::MutexLock lock(&mu_);
  std::shared_ptr<File>& file = files_[Normal(path)];
  if (file == nullptr) {
    file = std::make_shared<File>();
    fiber::MutexLock file_lock(&file->mu);
    file->size = file->synced = size;
  }
  return file;
}

std::shared_ptr<UnsyncedData::File> UnsyncedData::Reused(const std::string& from,
                                                         const std::string& to, uint64_t size) {
  Renamed(from, to, std::nullopt);
  fiber::MutexLock lock(&mu_);
  auto file = std::make_shared<File>();
  file->Written(size);
  return files_[Normal(to)] = file;
}

void UnsyncedData::Renamed(const std::string& from, const std::string& to,
                           std::optional<std::string> replaced) {
  const std::string old_name = Normal(from), new_name = Normal(to);
  fiber::MutexLock lock(&mu_);
  AddChange(old_name, new_name, std::move(replaced));
  const auto it = files_.find(old_name);
  if (it == files_.end()) {
    files_.erase(new_name);
  } else {
    files_[new_name] = it->second;
    files_.erase(it);
  }
}

void UnsyncedData::Linked(const std::string& from, const std::string& to) {
  const std::string old_name = Normal(from), new_name = Normal(to);
  fiber::MutexLock lock(&mu_);
  AddChange("", new_name, std::nullopt);
  if (const auto it = files_.find(old_name); it != files_.end()) files_[new_name] = it->second;
}

void UnsyncedData::Deleted(const std::string& path) {
  fiber::MutexLock lock(&mu_);
  files_.erase(Normal(path));
}

void UnsyncedData::Truncated(const std::string& path, uint64_t size) {
  fiber::MutexLock lock(&mu_);
  if (const auto it = files_.find(Normal(path)); it != files_.end()) it->second->Truncated(size);
}

std::string UnsyncedData::LastingPart(const std::string& path, std::string contents) const {
  fiber::MutexLock lock(&mu_);
  if (const auto it = files_.find(Normal(path)); it != files_.end()) {
    fiber::MutexLock file_lock(&it->second->mu);
    contents.resize(std::min<size_t>(contents.size(), it->second->synced));
  }
  return contents;
}

uint64_t UnsyncedData::Now() const {
  fiber::MutexLock lock(&mu_);
  return last_id_;
}

void UnsyncedData::DirectorySynced(const std::string& path, uint64_t before) {
  fiber::MutexLock lock(&mu_);
  const auto it = changes_.find(Normal(path));
  if (it == changes_.end()) return;
  std::erase_if(it->second, [before](const NameChange& change) { return change.id <= before; });
  if (it->second.empty()) changes_.erase(it);
}

uint64_t UnsyncedData::Bytes() const {
  fiber::MutexLock lock(&mu_);
  std::set<const File*> counted;
  uint64_t bytes = 0;
  for (const auto& [name, file] : files_) {
    if (!counted.insert(file.get()).second) continue;
    fiber::MutexLock file_lock(&file->mu);
    bytes += file->size - file->synced;
  }
  return bytes;
}

uint64_t UnsyncedData::Names() const {
  fiber::MutexLock lock(&mu_);
  uint64_t names = 0;
  for (const auto& [directory, changes] : changes_) names += changes.size();
  return names;
}

IOStatus UnsyncedData::Drop(FileSystem* base, Random64* random) {
  fiber::MutexLock lock(&mu_);
  std::set<const File*> cut;
  for (const auto& [name, file] : files_) {
    if (!cut.insert(file.get()).second) continue;
    fiber::MutexLock file_lock(&file->mu);
    const uint64_t unsynced = file->size - file->synced;
    if (unsynced == 0) continue;
    const uint64_t kept = file->synced + (random == nullptr ? 0 : random->Uniform(unsynced + 1));
    IOStatus s = Cut(base, name, kept);
    if (!s.ok()) return s;
  }
  for (auto& [directory, changes] : changes_) {
    const size_t kept = random == nullptr ? 0 : random->Uniform(changes.size() + 1);
    for (; changes.size() > kept; changes.pop_back()) {
      const NameChange& change = changes.back();
      if (!Exists(base, change.to)) continue;  // deleted since
      IOStatus s = change.from.empty()
                       ? Remove(base, change.to)
                       : base->RenameFile(change.to, change.from, IOOptions(), nullptr);
      if (s.ok() && change.replaced.has_value()) {
        s = WriteStringToFile(base, *change.replaced, change.to, true);
      }
      if (!s.ok()) return s;
    }
  }
  files_.clear();
  changes_.clear();
  return IOStatus::OK();
}

}  // namespace cairn::fault::detail
