// What a MemoryFileSystem remembers: the bytes of files and which of them a power cut leaves, the
// names in directories and which of them an fsync covered. The file system and its open files share
// it.

#ifndef CAIRN_FS_MEMORY_STATE_H_
#define CAIRN_FS_MEMORY_STATE_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fs/memory_file_system.h"
#include "rocksdb/io_status.h"

namespace cairn::memory {

constexpr size_t kClean = SIZE_MAX;

// A file's bytes, shared by its names and by whoever has it open.
struct Inode {
  fiber::Mutex mu;
  // Guarded by mu.
  std::string data;
  std::string durable;         // what a power cut leaves (empty and unused when untracked)
  size_t dirty_from = kClean;  // data and durable agree before this offset; kClean: everywhere
  std::vector<size_t> unsynced_writes;  // where each of them began
  uint64_t mtime_seconds = 0;

  void MarkDirty(size_t from) {
    unsynced_writes.push_back(from);
    dirty_from = std::min(dirty_from, from);
    mtime_seconds = fiber::wall_micros() / 1000000;
  }

  void MakeDurable() {
    if (dirty_from == kClean) return;
    durable.resize(std::min(durable.size(), dirty_from));
    durable.append(data, durable.size(), std::string::npos);
    dirty_from = kClean;
    unsynced_writes.clear();
  }

  // What a crash leaves of the unsynced bytes, chosen by `rng`. The mutex is held.
  std::string Surviving(Random64* rng) const;
};

using InodePtr = std::shared_ptr<Inode>;

struct Directory;
using DirectoryPtr = std::shared_ptr<Directory>;

// What a name leads to: one of the two.
struct Entry {
  InodePtr inode;
  DirectoryPtr directory;
};

// One unsynced change of a directory. A rename inside a directory is one change, as on disk.
struct DirectoryChange {
  std::string removed;  // empty: none
  std::string added;    // empty: none
  Entry entry;          // of `added`
};

struct Directory {
  std::map<std::string, Entry> names;
  std::map<std::string, Entry> durable_names;
  std::vector<DirectoryChange> unsynced;

  void Apply(std::map<std::string, Entry>* to, const DirectoryChange& change) const {
    if (!change.removed.empty()) to->erase(change.removed);
    if (!change.added.empty()) (*to)[change.added] = change.entry;
  }

  void Change(DirectoryChange change) {
    Apply(&names, change);
    unsynced.push_back(std::move(change));
  }

  void MakeDurable() {
    durable_names = names;
    unsynced.clear();
  }
};

// "/a/b" of "a//b/", "/a/./b". The root is "/".
std::string Normalize(const std::string& path);
// Splits a normalised path. The root has an empty name.
std::pair<std::string, std::string> Split(const std::string& path);
IOStatus Missing(const std::string& fname);
bool IsUnder(const std::string& path, const std::string& dir);

}  // namespace cairn::memory

namespace cairn {

// Shared with open files, which may outlive the file system.
struct MemoryFileSystem::State {
  explicit State(Durability d) : tracked(d == Durability::kTracked) {}

  const bool tracked;
  // Handles of an older generation are dead. Read by files without mu: DropUnsynced() raises it
  // before it visits the inodes, and files look at it under their inode's mutex, so that what a
  // straggler wrote is either dropped or refused.
  std::atomic<uint64_t> generation{1};
  std::atomic<bool> frozen{false};

  fiber::Mutex mu;  // taken before an inode's
  // Guarded by mu.
  const memory::DirectoryPtr root = std::make_shared<memory::Directory>();
  std::set<std::string> locks;

  IOStatus Check(uint64_t handle_generation, const std::string& fname) const {
    if (frozen.load(std::memory_order_acquire) ||
        handle_generation != generation.load(std::memory_order_acquire)) {
      return IOStatus::IOError("power cut (simulated)", fname);
    }
    return IOStatus::OK();
  }
  // Current handles only.
  IOStatus CheckAlive(const std::string& fname) const { return Check(generation, fname); }

  // Of normalised paths; nullptr: there is none.
  memory::Entry* Find(const std::string& path);
  memory::Directory* FindDir(const std::string& path);
  memory::InodePtr FindFile(const std::string& path);

  // Every directory, and every file, that a name, durable or not, leads to, each once: in the order
  // of names, not of addresses, as a seed must mean the same in every run.
  std::vector<memory::DirectoryPtr> AllDirectories() const;
  std::vector<memory::InodePtr> AllInodes() const;

  // Opens or creates. The new file is not durable by name until its directory is synced.
  IOStatus OpenForWrite(const std::string& fname, bool truncate, memory::InodePtr* result);
};

}  // namespace cairn

#endif  // CAIRN_FS_MEMORY_STATE_H_
