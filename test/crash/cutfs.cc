// cutfs: a disk that can lose power. Mounts (FUSE) a directory with one file, `image`, that stands
// for the disk, to be attached as a loop device, and `control`. The bytes are those of a backing
// file, but what was written since the last flush of the device is only in this program's memory,
// as in a disk's volatile cache.
//
//   cutfs BACKING_FILE MOUNTPOINT [lies]
//
// With `lies` it answers flushes and does not flush: what no database survives, to check the check.
//
// `echo "cut SEED PERCENT FLUSHES" > control` cuts the power: at once, or in the place of the
// FLUSHES-th flush from now. Of the writes that were not flushed, each survives with PERCENT in a
// hundred, in any order, some of them torn between 4 KiB units; all later reads, writes and flushes
// fail with EIO. The next cutfs on the backing file is the disk after the reboot. Reading `control`
// gives counts.
//
// One thread serves all requests, one after the other. Ends with the unmount. Exit status: 0; 1
// where the system refuses; 2 for a wrong command line.
#define FUSE_USE_VERSION 312
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "fiber/io.h"

namespace cutfs {
namespace {

namespace io = fiber::io;

constexpr uint64_t kSector = 512;  // of the loop device
// What a disk writes as a whole, as today's do. (xfs relies on that: it cannot recover a directory
// block of which a part of 512 bytes is new.)
constexpr uint64_t kUnit = 4096;
constexpr uint64_t kMaxCached = 64 << 20;  // a real disk writes behind, too
constexpr fuse_ino_t kImage = 2, kControl = 3;
constexpr double kForever = 86400;

class Disk {
 public:
  Disk(int fd, uint64_t size, bool lies) : fd_(fd), size_(size), lies_(lies) {}

  uint64_t size() const { return size_; }

  int Write(const char* data, size_t size, uint64_t offset) {
    if (cut_) return -EIO;
    if (offset > size_ || size > size_ - offset) return -ENOSPC;
    ++writes_;
    cached_bytes_ += size;
    for (uint64_t s = offset / kSector; s * kSector < offset + size; ++s) {
      newest_[s] = cached_.size();
    }
    cached_.push_back({offset, std::string(data, size)});
    return cached_bytes_ > kMaxCached ? Destage() : 0;
  }

  int Read(char* data, size_t size, uint64_t offset) {
    if (cut_) return -EIO;
    std::memset(data, 0, size);
    if (const ssize_t n = io::pread(fd_, data, size, offset); n < 0) return static_cast<int>(n);
    for (uint64_t s = offset / kSector; s * kSector < offset + size; ++s) {
      const auto it = newest_.find(s);
      if (it == newest_.end()) continue;
      // Writes of a loop device are whole sectors.
      const Cached& write = cached_[it->second];
      const uint64_t begin = std::max({s * kSector, offset, write.offset});
      const uint64_t end =
          std::min({(s + 1) * kSector, offset + size, write.offset + write.data.size()});
      if (begin >= end) continue;
      std::memcpy(data + (begin - offset), write.data.data() + (begin - write.offset), end - begin);
    }
    return 0;
  }

  int Flush() {
    if (flushes_left_ > 0 && --flushes_left_ == 0) Cut();
    if (cut_) return -EIO;
    ++flushes_;
    return lies_ ? 0 : Destage();
  }

  // `flushes`: 0: now.
  void CutAt(uint64_t seed, uint64_t percent, uint64_t flushes) {
    seed_ = seed;
    percent_ = percent;
    flushes_left_ = flushes;
    if (flushes == 0) Cut();
  }

  std::string Text() const {
    char text[200];
    snprintf(text, sizeof(text),
             "cut %d\nwrites %" PRIu64 "\nflushes %" PRIu64 "\nunflushed_survived %" PRIu64
             "\nunflushed_torn %" PRIu64 "\nunflushed_lost %" PRIu64 "\n",
             cut_, writes_, flushes_, survived_, torn_, lost_);
    return text;
  }

 private:
  struct Cached {
    uint64_t offset;
    std::string data;
  };

  void Cut() {
    if (cut_) return;
    cut_ = true;
    cairn::Random64 random(seed_);
    for (const Cached& write : cached_) {
      if (random.Uniform(100) >= percent_) continue;
      uint64_t size = write.data.size();
      // A write in more than one of the disk's units may end between two of them.
      const uint64_t units = (write.offset + size - 1) / kUnit - write.offset / kUnit;
      if (percent_ < 100 && units > 0 && random.OneIn(4)) {
        size = (write.offset / kUnit + 1 + random.Uniform(units)) * kUnit - write.offset;
        ++torn_;
      }
      ++survived_;
      (void)io::pwrite(fd_, write.data.data(), size, write.offset);
    }
    lost_ = cached_.size() - survived_;
  }

  int Destage() {
    for (const Cached& write : cached_) {
      const ssize_t n = io::pwrite(fd_, write.data.data(), write.data.size(), write.offset);
      if (n != static_cast<ssize_t>(write.data.size())) return -EIO;
    }
    cached_.clear();
    newest_.clear();
    cached_bytes_ = 0;
    return 0;
  }

  const int fd_;
  const uint64_t size_;
  const bool lies_;
  bool cut_ = false;
  uint64_t seed_ = 0, percent_ = 0, flushes_left_ = 0;
  std::vector<Cached> cached_;                   // since the last flush, in their order
  std::unordered_map<uint64_t, size_t> newest_;  // which of them wrote a sector last
  uint64_t cached_bytes_ = 0;
  uint64_t writes_ = 0, flushes_ = 0, survived_ = 0, torn_ = 0, lost_ = 0;
};

Disk& Self(fuse_req_t req) { return *static_cast<Disk*>(fuse_req_userdata(req)); }

struct stat Attributes(fuse_req_t req, fuse_ino_t number) {
  struct stat result = {};
  result.st_ino = number;
  result.st_nlink = 1;
  result.st_mode = number == FUSE_ROOT_ID ? S_IFDIR | 0700 : S_IFREG | 0600;
  if (number == kImage) result.st_size = static_cast<off_t>(Self(req).size());
  return result;
}

void DoLookup(fuse_req_t req, fuse_ino_t parent, const char* name) {
  fuse_entry_param entry = {};
  if (parent == FUSE_ROOT_ID && std::string_view(name) == "image") entry.ino = kImage;
  if (parent == FUSE_ROOT_ID && std::string_view(name) == "control") entry.ino = kControl;
  if (entry.ino == 0) {
    fuse_reply_err(req, ENOENT);
    return;
  }
  entry.attr = Attributes(req, entry.ino);
  entry.attr_timeout = entry.entry_timeout = kForever;
  fuse_reply_entry(req, &entry);
}

void DoGetattr(fuse_req_t req, fuse_ino_t number, fuse_file_info*) {
  const struct stat attributes = Attributes(req, number);
  fuse_reply_attr(req, &attributes, kForever);
}

// Truncations (`> control`) and times mean nothing here.
void DoSetattr(fuse_req_t req, fuse_ino_t number, struct stat*, int, fuse_file_info* info) {
  DoGetattr(req, number, info);
}

void DoOpen(fuse_req_t req, fuse_ino_t, fuse_file_info* info) {
  info->direct_io = 1;  // every request of the loop device comes here, at once
  fuse_reply_open(req, info);
}

void DoRead(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, fuse_file_info*) {
  if (number == kControl) {
    const std::string text = Self(req).Text();
    const size_t begin = std::min(static_cast<size_t>(offset), text.size());
    fuse_reply_buf(req, text.data() + begin, std::min(size, text.size() - begin));
    return;
  }
  Disk& disk = Self(req);
  const auto begin = static_cast<uint64_t>(offset);
  size = std::min<uint64_t>(size, disk.size() - std::min(begin, disk.size()));
  auto data = std::make_unique_for_overwrite<char[]>(size);
  const int status = disk.Read(data.get(), size, begin);
  if (status < 0) {
    fuse_reply_err(req, -status);
  } else {
    fuse_reply_buf(req, data.get(), size);
  }
}

void DoWrite(fuse_req_t req, fuse_ino_t number, const char* data, size_t size, off_t offset,
             fuse_file_info*) {
  int status = 0;
  if (number == kControl) {
    uint64_t seed = 0, percent = 0, flushes = 0;
    const std::string line(data, size);
    if (std::sscanf(line.c_str(), "cut %" SCNu64 " %" SCNu64 " %" SCNu64, &seed, &percent,
                    &flushes) == 3) {
      Self(req).CutAt(seed, percent, flushes);
    } else {
      status = -EINVAL;
    }
  } else {
    status = Self(req).Write(data, size, static_cast<uint64_t>(offset));
  }
  if (status < 0) {
    fuse_reply_err(req, -status);
  } else {
    fuse_reply_write(req, size);
  }
}

void DoFsync(fuse_req_t req, fuse_ino_t number, int, fuse_file_info*) {
  fuse_reply_err(req, number == kControl ? 0 : -Self(req).Flush());
}

int Serve(const char* program, Disk* disk, const char* mountpoint) {
  fuse_lowlevel_ops operations = {};
  operations.lookup = DoLookup;
  operations.getattr = DoGetattr;
  operations.setattr = DoSetattr;
  operations.open = DoOpen;
  operations.read = DoRead;
  operations.write = DoWrite;
  operations.fsync = DoFsync;
  std::string name = program, dash_o = "-o", options = "fsname=cutfs,subtype=cutfs";
  char* arguments[] = {name.data(), dash_o.data(), options.data(), nullptr};
  fuse_args args = FUSE_ARGS_INIT(3, arguments);
  fuse_session* session = fuse_session_new(&args, &operations, sizeof(operations), disk);
  fuse_opt_free_args(&args);
  if (session == nullptr) return 1;
  int status = 1;
  if (fuse_session_mount(session, mountpoint) == 0) {
    std::printf("cutfs: mounted on %s\n", mountpoint);
    std::fflush(stdout);
    status = fuse_session_loop(session) < 0 ? 1 : 0;
    fuse_session_unmount(session);
  }
  fuse_session_destroy(session);
  return status;
}

int Main(int argc, char** argv) {
  const bool lies = argc == 4 && std::string_view(argv[3]) == "lies";
  if (argc != 3 && !lies) {
    std::fprintf(stderr, "cutfs: it takes BACKING_FILE MOUNTPOINT [lies]\n");
    return 2;
  }
  const int fd = io::open(argv[1], O_RDWR);
  struct stat attributes = {};
  if (fd < 0 || io::fstat(fd, &attributes) < 0) {
    std::fprintf(stderr, "cutfs: %s cannot be opened\n", argv[1]);
    return 1;
  }
  Disk disk(fd, static_cast<uint64_t>(attributes.st_size), lies);
  const int status = Serve(argv[0], &disk, argv[2]);
  io::close(fd);
  return status;
}

}  // namespace
}  // namespace cutfs

int main(int argc, char** argv) { return cutfs::Main(argc, argv); }
