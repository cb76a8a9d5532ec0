#include "slowfs/passthrough.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "fiber/io.h"

namespace slowfs {
namespace {

namespace io = fiber::io;
using Info = fuse_file_info;
using Kind = Operation::Kind;

constexpr char kControlName[] = ".slowfs";
constexpr mode_t kControlMode = S_IFREG | 0600;

Passthrough& Self(fuse_req_t req) { return *static_cast<Passthrough*>(fuse_req_userdata(req)); }
Inode& At(fuse_req_t req, fuse_ino_t number) { return Self(req).At(number); }
Storage& StorageOf(fuse_req_t req) { return Self(req).storage(); }
bool IsControl(fuse_req_t req, fuse_ino_t number) { return number == Self(req).control(); }

std::string Child(fuse_req_t req, fuse_ino_t parent, const char* name) {
  return At(req, parent).Path() + "/" + name;
}
// The control file's name is taken.
bool Reserved(fuse_ino_t parent, const char* name) {
  return parent == FUSE_ROOT_ID && std::strcmp(name, kControlName) == 0;
}

// `result`: what a system call returned, -errno or more.
void ReplyStatus(fuse_req_t req, int64_t result) {
  fuse_reply_err(req, result < 0 ? static_cast<int>(-result) : 0);
}
int Result(int result) { return result < 0 ? -errno : result; }

// An operation whose answer is nothing but its status.
void RunForStatus(fuse_req_t req, const Operation& operation, const Storage::Act& act) {
  StorageOf(req).Run(operation, act, [req](int64_t status) { ReplyStatus(req, status); });
}

void ReplyEntry(fuse_req_t req, fuse_ino_t parent, const char* name) {
  fuse_entry_param entry = {};
  const int status = Self(req).Lookup(parent, name, &entry);
  if (status < 0) {
    ReplyStatus(req, status);
  } else if (fuse_reply_entry(req, &entry) != 0) {
    Self(req).Forget(entry.ino, 1);  // the kernel never got it
  }
}

// --- names

void DoInit(void* self, fuse_conn_info* connection) {
  const KernelOptions& options = static_cast<Passthrough*>(self)->kernel();
  connection->max_readahead = std::min(connection->max_readahead, options.max_readahead);
  connection->max_background = options.max_background;
  connection->congestion_threshold = std::max(options.max_background / 4 * 3, 1U);
  // Nobody else writes, so a new modification time is no reason to drop the cached pages.
  connection->want &= ~static_cast<unsigned>(FUSE_CAP_AUTO_INVAL_DATA);
  if (options.writeback) connection->want |= connection->capable & FUSE_CAP_WRITEBACK_CACHE;
}

void DoLookup(fuse_req_t req, fuse_ino_t parent, const char* name) {
  if (Reserved(parent, name)) return ReplyEntry(req, parent, name);
  StorageOf(req).Run(
      {.kind = Kind::kStat, .at = At(req, parent).fd, .name = name}, [](size_t) { return 0; },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplyEntry(req, parent, name);
      });
}

void DoForget(fuse_req_t req, fuse_ino_t number, uint64_t lookups) {
  Self(req).Forget(number, lookups);
  fuse_reply_none(req);
}

void DoForgetMulti(fuse_req_t req, size_t count, fuse_forget_data* forgets) {
  for (size_t i = 0; i < count; ++i) Self(req).Forget(forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(req);
}

void DoMkdir(fuse_req_t req, fuse_ino_t parent, const char* name, mode_t mode) {
  StorageOf(req).Run(
      {.kind = Kind::kMkdir, .at = At(req, parent).fd, .name = name},
      [&](size_t) { return io::mkdir(Child(req, parent, name).c_str(), mode); },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplyEntry(req, parent, name);
      });
}

void DoUnlink(fuse_req_t req, fuse_ino_t parent, const char* name) {
  if (Reserved(parent, name)) return ReplyStatus(req, -EPERM);
  RunForStatus(req, {.kind = Kind::kUnlink, .at = At(req, parent).fd, .name = name},
               [&](size_t) { return io::unlink(Child(req, parent, name).c_str()); });
}

void DoRmdir(fuse_req_t req, fuse_ino_t parent, const char* name) {
  RunForStatus(req, {.kind = Kind::kRmdir, .at = At(req, parent).fd, .name = name},
               [&](size_t) { return io::rmdir(Child(req, parent, name).c_str()); });
}

void DoRename(fuse_req_t req, fuse_ino_t parent, const char* name, fuse_ino_t to,
              const char* to_name, unsigned flags) {
  if (Reserved(parent, name) || Reserved(to, to_name)) return ReplyStatus(req, -EPERM);
  RunForStatus(req,
               {.kind = Kind::kRename,
                .at = At(req, parent).fd,
                .name = name,
                .to = At(req, to).fd,
                .to_name = to_name,
                .mode = static_cast<int>(flags)},
               [&](size_t) {
                 return Result(renameat2(AT_FDCWD, Child(req, parent, name).c_str(), AT_FDCWD,
                                         Child(req, to, to_name).c_str(), flags));
               });
}

void DoLink(fuse_req_t req, fuse_ino_t number, fuse_ino_t to, const char* to_name) {
  if (IsControl(req, number) || Reserved(to, to_name)) return ReplyStatus(req, -EPERM);
  const int fd = At(req, number).fd;
  StorageOf(req).Run(
      {.kind = Kind::kLink, .at = fd, .to = At(req, to).fd, .to_name = to_name},
      [&](size_t) {
        return Result(linkat(AT_FDCWD, At(req, number).Path().c_str(), AT_FDCWD,
                             Child(req, to, to_name).c_str(), AT_SYMLINK_FOLLOW));
      },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplyEntry(req, to, to_name);
      });
}

// --- attributes

void ReplyAttributes(fuse_req_t req, fuse_ino_t number) {
  struct stat attributes = {};
  const int status = IsControl(req, number) ? (attributes = Self(req).ControlAttributes(), 0)
                                            : io::fstat(At(req, number).fd, &attributes);
  if (status < 0) return ReplyStatus(req, status);
  fuse_reply_attr(req, &attributes, Self(req).kernel().cache_seconds);
}

void DoGetattr(fuse_req_t req, fuse_ino_t number, Info*) {
  // (The root's are on the way to the control file.)
  if (number == FUSE_ROOT_ID || IsControl(req, number)) return ReplyAttributes(req, number);
  StorageOf(req).Run(
      {.kind = Kind::kStat, .at = At(req, number).fd}, [](size_t) { return 0; },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplyAttributes(req, number);
      });
}

int SetSize(const std::string& path, off_t size) {
  const int fd = io::open(path.c_str(), O_WRONLY);
  if (fd < 0) return fd;
  const int status = io::ftruncate(fd, static_cast<uint64_t>(size));
  io::close(fd);
  return status;
}

int SetAttributes(const Inode& inode, const struct stat& wanted, int which, const Info* info) {
  const std::string path = inode.Path();
  int status = 0;
  if (which & FUSE_SET_ATTR_MODE) {
    status = Result(fchmodat(AT_FDCWD, path.c_str(), wanted.st_mode, 0));
  }
  if (status >= 0 && which & (FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID)) {
    status = Result(fchownat(
        inode.fd, "", which & FUSE_SET_ATTR_UID ? wanted.st_uid : static_cast<uid_t>(-1),
        which & FUSE_SET_ATTR_GID ? wanted.st_gid : static_cast<gid_t>(-1), AT_EMPTY_PATH));
  }
  if (status >= 0 && which & FUSE_SET_ATTR_SIZE) {
    const auto size = static_cast<uint64_t>(wanted.st_size);
    status = info ? io::ftruncate(static_cast<int>(info->fh), size) : SetSize(path, wanted.st_size);
  }
  if (status >= 0 && which & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_MTIME)) {
    timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_OMIT}};
    if (which & FUSE_SET_ATTR_ATIME) times[0] = wanted.st_atim;
    if (which & FUSE_SET_ATTR_ATIME_NOW) times[0].tv_nsec = UTIME_NOW;
    if (which & FUSE_SET_ATTR_MTIME) times[1] = wanted.st_mtim;
    if (which & FUSE_SET_ATTR_MTIME_NOW) times[1].tv_nsec = UTIME_NOW;
    status = Result(utimensat(AT_FDCWD, path.c_str(), times, 0));
  }
  return status;
}

void DoSetattr(fuse_req_t req, fuse_ino_t number, struct stat* wanted, int which, Info* info) {
  // `echo reset > .slowfs` truncates first: nothing to do
  if (IsControl(req, number)) return ReplyAttributes(req, number);
  const bool truncates = (which & FUSE_SET_ATTR_SIZE) != 0;
  StorageOf(req).Run(
      {.kind = truncates ? Kind::kTruncate : Kind::kStat,
       .at = At(req, number).fd,
       .size = truncates ? static_cast<uint64_t>(wanted->st_size) : 0},
      [&](size_t) { return SetAttributes(At(req, number), *wanted, which, info); },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplyAttributes(req, number);
      });
}

void DoStatfs(fuse_req_t req, fuse_ino_t number) {
  struct statvfs space = {};
  const int fd = At(req, IsControl(req, number) ? FUSE_ROOT_ID : number).fd;
  StorageOf(req).Run(
      {.kind = Kind::kStatfs, .at = fd}, [&](size_t) { return Result(fstatvfs(fd, &space)); },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        if (StorageOf(req).Full()) space.f_bfree = space.f_bavail = 0;
        fuse_reply_statfs(req, &space);
      });
}

// --- directories

Snapshot* SnapshotOf(const Info* info) { return reinterpret_cast<Snapshot*>(info->fh); }

// Opens what is read from `snapshot`.
void ReplySnapshot(fuse_req_t req, Snapshot snapshot, Info* info) {
  Passthrough& self = Self(req);
  Snapshot* added = self.AddSnapshot(std::move(snapshot));
  info->fh = reinterpret_cast<uint64_t>(added);
  if (fuse_reply_open(req, info) != 0) self.DropSnapshot(added);
}

void DoOpendir(fuse_req_t req, fuse_ino_t number, Info* info) {
  Snapshot snapshot;
  StorageOf(req).Run(
      {.kind = Kind::kList, .at = At(req, number).fd},
      [&](size_t) { return io::list_dir(At(req, number).Path().c_str(), &snapshot.names); },
      [&](int64_t status) {
        if (status < 0) return ReplyStatus(req, status);
        ReplySnapshot(req, std::move(snapshot), info);
      });
}

// A directory is what it held when it was opened: the offset is a position in that.
void DoReaddir(fuse_req_t req, fuse_ino_t, size_t size, off_t offset, Info* info) {
  const std::vector<std::string>& names = SnapshotOf(info)->names;
  std::string out(size, '\0');
  size_t used = 0;
  struct stat unknown = {};
  unknown.st_ino = UINT32_MAX;  // "not known"; 0 would hide the entry
  for (auto i = static_cast<size_t>(offset); i < names.size(); ++i) {
    const size_t needed = fuse_add_direntry(req, out.data() + used, size - used, names[i].c_str(),
                                            &unknown, static_cast<off_t>(i + 1));
    if (needed > size - used) break;
    used += needed;
  }
  fuse_reply_buf(req, out.data(), used);
}

void DoReleasedir(fuse_req_t req, fuse_ino_t, Info* info) {
  Self(req).DropSnapshot(SnapshotOf(info));
  fuse_reply_err(req, 0);
}

void DoFsyncdir(fuse_req_t req, fuse_ino_t number, int, Info*) {
  RunForStatus(req, {.kind = Kind::kSyncDir, .at = At(req, number).fd}, [&](size_t) {
    const int fd = io::open(At(req, number).Path().c_str(), O_RDONLY | O_DIRECTORY);
    if (fd < 0) return fd;
    const int status = io::fsync(fd);
    io::close(fd);
    return status;
  });
}

// --- files

// The flags for the backing file. The kernel has resolved O_APPEND to offsets, and its buffers here
// are not aligned as O_DIRECT wants them. With the writeback cache it reads to fill pages.
int BackingFlags(const KernelOptions& options, int flags) {
  flags &= ~(O_DIRECT | O_APPEND | O_NOFOLLOW);
  if (options.writeback && (flags & O_ACCMODE) == O_WRONLY) flags = (flags & ~O_ACCMODE) | O_RDWR;
  return flags;
}

void SetOpened(const KernelOptions& options, int fd, Info* info) {
  info->fh = static_cast<uint64_t>(fd);
  info->direct_io = options.direct_io;
  info->keep_cache = !options.direct_io;  // as a disk's file system: opening drops no pages
}

void DoOpen(fuse_req_t req, fuse_ino_t number, Info* info) {
  if (IsControl(req, number)) {
    info->direct_io = 1;
    return ReplySnapshot(req, {.names = {}, .text = StorageOf(req).Text()}, info);
  }
  const KernelOptions& options = Self(req).kernel();
  const bool truncates = (info->flags & O_TRUNC) != 0;
  StorageOf(req).Run(
      {.kind = truncates ? Kind::kTruncate : Kind::kOpen, .at = At(req, number).fd},
      [&](size_t) {
        return io::open(At(req, number).Path().c_str(), BackingFlags(options, info->flags));
      },
      [&](int64_t result) {
        if (result < 0) return ReplyStatus(req, result);
        const int fd = static_cast<int>(result);
        SetOpened(options, fd, info);
        if (fuse_reply_open(req, info) != 0) io::close(fd);
      });
}

// `fd`: the file that was created, owned from here on.
void ReplyCreated(fuse_req_t req, fuse_ino_t parent, const char* name, int fd, Info* info) {
  fuse_entry_param entry = {};
  const int status = Self(req).Lookup(parent, name, &entry);
  if (status < 0) {
    io::close(fd);
    return ReplyStatus(req, status);
  }
  SetOpened(Self(req).kernel(), fd, info);
  if (fuse_reply_create(req, &entry, info) != 0) {
    io::close(fd);
    Self(req).Forget(entry.ino, 1);
  }
}

void DoCreate(fuse_req_t req, fuse_ino_t parent, const char* name, mode_t mode, Info* info) {
  const KernelOptions& options = Self(req).kernel();
  StorageOf(req).Run(
      {.kind = Kind::kCreate, .at = At(req, parent).fd, .name = name},
      [&](size_t) {
        return io::open(Child(req, parent, name).c_str(),
                        BackingFlags(options, info->flags) | O_CREAT, mode);
      },
      [&](int64_t result) {
        if (result < 0) return ReplyStatus(req, result);
        ReplyCreated(req, parent, name, static_cast<int>(result), info);
      });
}

void DoRelease(fuse_req_t req, fuse_ino_t number, Info* info) {
  if (IsControl(req, number)) {
    Self(req).DropSnapshot(SnapshotOf(info));
  } else {
    io::close(static_cast<int>(info->fh));
  }
  fuse_reply_err(req, 0);
}

// All bytes up to the end of the file: the kernel takes a short read for the end. Or -errno.
ssize_t ReadAll(int fd, char* data, size_t size, off_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = io::pread(fd, data + done, size - done, static_cast<uint64_t>(offset) + done);
    if (n < 0) return n;
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

ssize_t WriteAll(int fd, const char* data, size_t size, off_t offset) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n =
        io::pwrite(fd, data + done, size - done, static_cast<uint64_t>(offset) + done);
    if (n < 0) return done > 0 ? static_cast<ssize_t>(done) : n;
    done += static_cast<size_t>(n);
  }
  return static_cast<ssize_t>(done);
}

void DoRead(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, Info* info) {
  if (IsControl(req, number)) {
    // A copy: once the reader has the answer it may close, before the call below is back.
    const std::string text = SnapshotOf(info)->text;
    const size_t begin = std::min(static_cast<size_t>(offset), text.size());
    fuse_reply_buf(req, text.data() + begin, std::min(size, text.size() - begin));
    return;
  }
  const auto begin = static_cast<uint64_t>(offset);
  const std::shared_ptr<char[]> data = std::make_shared_for_overwrite<char[]>(size);
  StorageOf(req).Run(
      {.kind = Kind::kRead, .at = At(req, number).fd, .offset = begin, .size = size},
      [&](size_t wanted) {
        return ReadAll(static_cast<int>(info->fh), data.get(), wanted, offset);
      },
      [req, data](int64_t n) {
        if (n < 0) return ReplyStatus(req, n);
        fuse_reply_buf(req, data.get(), static_cast<size_t>(n));
      });
}

// Each line is a command; the first wrong one ends it.
int RunCommands(Storage& storage, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    if (const int status = storage.Command(line); status < 0) return status;
  }
  return 0;
}

void DoWrite(fuse_req_t req, fuse_ino_t number, const char* data, size_t size, off_t offset,
             Info* info) {
  if (IsControl(req, number)) {
    const int status = RunCommands(StorageOf(req), {data, size});
    if (status < 0) return ReplyStatus(req, status);
    fuse_reply_write(req, size);
    return;
  }
  const auto begin = static_cast<uint64_t>(offset);
  StorageOf(req).Run(
      {.kind = Kind::kWrite, .at = At(req, number).fd, .offset = begin, .size = size},
      [&](size_t wanted) { return WriteAll(static_cast<int>(info->fh), data, wanted, offset); },
      [req](int64_t n) {
        if (n < 0) return ReplyStatus(req, n);
        fuse_reply_write(req, static_cast<size_t>(n));
      });
}

void DoFsync(fuse_req_t req, fuse_ino_t number, int data_only, Info* info) {
  if (IsControl(req, number)) return ReplyStatus(req, 0);
  const int fd = static_cast<int>(info->fh);
  RunForStatus(req, {.kind = data_only ? Kind::kFdatasync : Kind::kFsync, .at = At(req, number).fd},
               [&](size_t) { return data_only ? io::fdatasync(fd) : io::fsync(fd); });
}

void DoFallocate(fuse_req_t req, fuse_ino_t number, int mode, off_t offset, off_t length,
                 Info* info) {
  if (IsControl(req, number)) return ReplyStatus(req, -EPERM);
  const auto begin = static_cast<uint64_t>(offset);
  const auto size = static_cast<uint64_t>(length);
  RunForStatus(
      req,
      {.kind = Kind::kFallocate,
       .at = At(req, number).fd,
       .mode = mode,
       .offset = begin,
       .size = size},
      [&](size_t) { return io::fallocate(static_cast<int>(info->fh), mode, begin, size); });
}

void DoLseek(fuse_req_t req, fuse_ino_t number, off_t offset, int whence, Info* info) {
  if (IsControl(req, number)) return ReplyStatus(req, -EINVAL);
  const off_t found = lseek(static_cast<int>(info->fh), offset, whence);
  if (found < 0) return ReplyStatus(req, -errno);
  fuse_reply_lseek(req, found);
}

}  // namespace

Inode::~Inode() { io::close(fd); }

struct stat Passthrough::ControlAttributes() const {
  struct stat result = {};
  result.st_mode = kControlMode;
  result.st_nlink = 1;
  result.st_uid = getuid();
  result.st_gid = getgid();
  return result;
}

int Passthrough::Lookup(fuse_ino_t parent, const char* name, fuse_entry_param* entry) {
  entry->attr_timeout = entry->entry_timeout = kernel_.cache_seconds;
  if (Reserved(parent, name)) {
    entry->ino = control();
    entry->attr = ControlAttributes();
    return 0;
  }
  const int fd = io::open((At(parent).Path() + "/" + name).c_str(), O_PATH | O_NOFOLLOW);
  if (fd < 0) return fd;
  if (const int status = io::fstat(fd, &entry->attr); status < 0) {
    io::close(fd);
    return status;
  }
  fiber::MutexLock lock(&mutex_);
  std::unique_ptr<Inode>& known = inodes_[{entry->attr.st_dev, entry->attr.st_ino}];
  if (known == nullptr) {
    known = std::make_unique<Inode>(fd, 1);
  } else {
    ++known->lookups;
    io::close(fd);
  }
  entry->ino = reinterpret_cast<fuse_ino_t>(known.get());
  return 0;
}

void Passthrough::Forget(fuse_ino_t number, uint64_t lookups) {
  if (number == FUSE_ROOT_ID || number == control()) return;
  Inode& inode = At(number);
  fiber::MutexLock lock(&mutex_);
  inode.lookups -= std::min(lookups, inode.lookups);
  if (inode.lookups > 0) return;
  struct stat attributes = {};
  if (io::fstat(inode.fd, &attributes) == 0) {
    inodes_.erase({attributes.st_dev, attributes.st_ino});
  }
}

Snapshot* Passthrough::AddSnapshot(Snapshot snapshot) {
  auto owned = std::make_unique<Snapshot>(std::move(snapshot));
  Snapshot* const result = owned.get();
  fiber::MutexLock lock(&mutex_);
  snapshots_[result] = std::move(owned);
  return result;
}

void Passthrough::DropSnapshot(Snapshot* snapshot) {
  fiber::MutexLock lock(&mutex_);
  snapshots_.erase(snapshot);
}

const fuse_lowlevel_ops& Passthrough::Operations() {
  // Not here: getlk, setlk, flock, which the kernel then does itself, and flush, which it then
  // leaves out.
  static const fuse_lowlevel_ops operations = [] {
    fuse_lowlevel_ops ops = {};
    ops.init = DoInit;
    ops.lookup = DoLookup;
    ops.forget = DoForget;
    ops.forget_multi = DoForgetMulti;
    ops.getattr = DoGetattr;
    ops.setattr = DoSetattr;
    ops.statfs = DoStatfs;
    ops.mkdir = DoMkdir;
    ops.unlink = DoUnlink;
    ops.rmdir = DoRmdir;
    ops.rename = DoRename;
    ops.link = DoLink;
    ops.opendir = DoOpendir;
    ops.readdir = DoReaddir;
    ops.releasedir = DoReleasedir;
    ops.fsyncdir = DoFsyncdir;
    ops.open = DoOpen;
    ops.create = DoCreate;
    ops.release = DoRelease;
    ops.read = DoRead;
    ops.write = DoWrite;
    ops.fsync = DoFsync;
    ops.fallocate = DoFallocate;
    ops.lseek = DoLseek;
    return ops;
  }();
  return operations;
}

}  // namespace slowfs
