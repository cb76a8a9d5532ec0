#include "fs/memory_state.h"

namespace cairn {

namespace memory {

std::string Inode::Surviving(Random64* rng) const {
  if (dirty_from == kClean || rng->OneIn(4)) return durable;
  if (dirty_from < durable.size()) {
    // Overwritten or cut: the new state or the old one.
    return rng->OneIn(2) ? durable : data;
  }
  // The hardest to notice: it ends where one write did and the next one began.
  if (rng->OneIn(3)) {
    const size_t end = unsynced_writes[rng->Uniform(unsynced_writes.size())];
    return data.substr(0, std::clamp(end, dirty_from, data.size()));
  }
  const size_t unsynced = data.size() - dirty_from;
  size_t kept = rng->OneIn(4) ? unsynced : rng->Uniform(unsynced + 1);
  const bool longer = rng->OneIn(3);
  if (longer && kept < unsynced) {
    // The file's length reached the disk, the last of its sectors did not: zeros. What was synced
    // of the first one is there.
    constexpr size_t kSector = 512;
    const size_t end = (dirty_from + kept) / kSector * kSector;
    kept = end > dirty_from ? end - dirty_from : 0;
  }
  std::string survived = data.substr(0, dirty_from + kept);
  const size_t lost = unsynced - kept;
  if (longer && lost > 0) {
    survived.append(rng->Uniform(std::min<size_t>(lost, 8192)) + 1, '\0');
  }
  return survived;
}

std::string Normalize(const std::string& path) {
  std::string out;
  size_t i = 0;
  while (i < path.size()) {
    const size_t end = std::min(path.find('/', i), path.size());
    const std::string part = path.substr(i, end - i);
    if (!part.empty() && part != ".") out += "/" + part;
    i = end + 1;
  }
  return out.empty() ? "/" : out;
}

std::pair<std::string, std::string> Split(const std::string& path) {
  const size_t slash = path.rfind('/');
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

bool IsUnder(const std::string& path, const std::string& dir) {
  return path.size() > dir.size() && path.compare(0, dir.size(), dir) == 0 &&
         (dir == "/" || path[dir.size()] == '/');
}

IOStatus Missing(const std::string& fname) {
  return IOStatus::PathNotFound(fname, "No such file or directory");
}

}  // namespace memory

using memory::Directory;
using memory::Inode;
using memory::InodePtr;
using memory::Missing;

memory::Entry* MemoryFileSystem::State::Find(const std::string& path) {
  const auto [dir, name] = memory::Split(path);
  Directory* const parent = name.empty() ? nullptr : FindDir(dir);
  if (parent == nullptr) return nullptr;
  const auto it = parent->names.find(name);
  return it == parent->names.end() ? nullptr : &it->second;
}

Directory* MemoryFileSystem::State::FindDir(const std::string& path) {
  Directory* dir = root.get();
  for (size_t i = 1; i < path.size();) {
    const size_t end = std::min(path.find('/', i), path.size());
    const auto it = dir->names.find(path.substr(i, end - i));
    if (it == dir->names.end() || it->second.directory == nullptr) return nullptr;
    dir = it->second.directory.get();
    i = end + 1;
  }
  return dir;
}

InodePtr MemoryFileSystem::State::FindFile(const std::string& path) {
  const memory::Entry* const entry = Find(path);
  return entry == nullptr ? nullptr : entry->inode;
}

std::vector<memory::DirectoryPtr> MemoryFileSystem::State::AllDirectories() const {
  std::vector<memory::DirectoryPtr> all{root};
  std::set<const Directory*> seen{root.get()};
  for (size_t i = 0; i < all.size(); ++i) {
    const memory::DirectoryPtr dir = all[i];
    for (const auto* names : {&dir->names, &dir->durable_names}) {
      for (const auto& [name, entry] : *names) {
        if (entry.directory != nullptr && seen.insert(entry.directory.get()).second) {
          all.push_back(entry.directory);
        }
      }
    }
  }
  return all;
}

std::vector<InodePtr> MemoryFileSystem::State::AllInodes() const {
  std::vector<InodePtr> all;
  std::set<const Inode*> seen;
  for (const memory::DirectoryPtr& dir : AllDirectories()) {
    for (const auto* names : {&dir->names, &dir->durable_names}) {
      for (const auto& [name, entry] : *names) {
        if (entry.inode != nullptr && seen.insert(entry.inode.get()).second) {
          all.push_back(entry.inode);
        }
      }
    }
  }
  return all;
}

IOStatus MemoryFileSystem::State::OpenForWrite(const std::string& fname, bool truncate,
                                               InodePtr* result) {
  fiber::MutexLock lock(&mu);
  IOStatus s = CheckAlive(fname);
  if (!s.ok()) return s;
  const std::string path = memory::Normalize(fname);
  const auto [dir, name] = memory::Split(path);
  Directory* d = FindDir(dir);
  if (d == nullptr || name.empty()) return Missing(fname);
  const auto it = d->names.find(name);
  if (it != d->names.end()) {
    if (it->second.directory != nullptr) return IOStatus::IOError(fname, "Is a directory");
    *result = it->second.inode;
    if (truncate) {
      fiber::MutexLock inode_lock(&(*result)->mu);
      (*result)->data.clear();
      (*result)->MarkDirty(0);
    }
    return s;
  }
  *result = std::make_shared<Inode>();
  (*result)->mtime_seconds = fiber::wall_micros() / 1000000;
  d->Change({"", name, {*result, nullptr}});
  return s;
}

}  // namespace cairn
