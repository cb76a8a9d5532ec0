// Passthrough: the file system of slowfs, and of test/crash/faultfs. Every name and file of the
// mount is the one of the same name in the backing directory; each operation is done and answered
// as the Storage says.
//
// What it has is what databases need: files, directories, hard links, rename, truncate, fallocate.
// Symbolic links, device nodes and extended attributes are refused. Locks (fcntl and flock) are
// kept by the kernel within the mount: they exclude each other, but not a program that uses the
// backing directory itself. Nothing else may change the backing directory while it is mounted: the
// kernel caches names and attributes without asking again.
//
// `.slowfs` in the mount's root, which no listing shows, is the Storage's control file: reading it
// gives Storage::Text(), each written line is a Storage::Command().
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse_lowlevel.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "fiber/thread_annotations.h"
#include "slowfs/storage.h"

namespace slowfs {

// How the kernel is asked to use the file system.
struct KernelOptions {
  uint32_t max_readahead = 128 << 10;  // bytes
  uint32_t max_background = 1024;      // asynchronous requests in flight: readahead, direct I/O
  bool direct_io = false;              // no page cache for any file
  bool writeback = false;              // writes stay in the page cache until they are synced
  double cache_seconds = 86400;        // that the kernel may keep names and attributes
};

// A file or directory that the kernel knows. Its address is the kernel's number of it.
struct Inode {
  Inode(int descriptor, uint64_t lookup_count) : fd(descriptor), lookups(lookup_count) {}
  ~Inode();
  Inode(const Inode&) = delete;
  Inode& operator=(const Inode&) = delete;

  // A name by which the system finds it, also after it was unlinked.
  std::string Path() const { return "/proc/self/fd/" + std::to_string(fd); }

  const int fd;      // O_PATH, owned
  uint64_t lookups;  // that the kernel has not forgotten; guarded by the Passthrough's mutex
};

// What an opened directory held, or the control file said, when it was opened.
struct Snapshot {
  std::vector<std::string> names;
  std::string text;
};

// Thread safety: all functions may be called from any thread.
class Passthrough {
 public:
  // `root`: an O_PATH descriptor of the backing directory, owned from here on. `storage` is
  // borrowed.
  Passthrough(int root, Storage* storage, const KernelOptions& kernel)
      : storage_(storage), kernel_(kernel), root_(root, 1) {}

  // For fuse_session_new(), with the Passthrough as the user data.
  static const fuse_lowlevel_ops& Operations();

  Storage& storage() { return *storage_; }
  const KernelOptions& kernel() const { return kernel_; }
  // The number of the control file: the address of something that is no Inode.
  fuse_ino_t control() const { return reinterpret_cast<fuse_ino_t>(this); }
  // `number`: not control().
  Inode& At(fuse_ino_t number) {
    return number == FUSE_ROOT_ID ? root_ : *reinterpret_cast<Inode*>(number);
  }
  // Fills *entry and counts a lookup of it. 0 or -errno.
  int Lookup(fuse_ino_t parent, const char* name, fuse_entry_param* entry);
  void Forget(fuse_ino_t number, uint64_t lookups);
  struct stat ControlAttributes() const;
  // Owned here, as the kernel may end without closing what is open.
  Snapshot* AddSnapshot(Snapshot snapshot);
  void DropSnapshot(Snapshot* snapshot);

 private:
  using Key = std::pair<dev_t, ino_t>;

  Storage* const storage_;
  const KernelOptions kernel_;
  Inode root_;
  fiber::Mutex mutex_;
  std::map<Key, std::unique_ptr<Inode>> inodes_ FIBER_GUARDED_BY(mutex_);
  std::map<Snapshot*, std::unique_ptr<Snapshot>> snapshots_ FIBER_GUARDED_BY(mutex_);
};

}  // namespace slowfs
