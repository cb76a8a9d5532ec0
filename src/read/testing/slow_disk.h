// A file system in memory on which every read of a table takes a while, as many at once as there
// come, and is counted; it keeps to IOOptions::timeout. For the tests of reads that should wait
// together, and of deadlines. The counts may be looked at while nobody reads.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fs/memory_file_system.h"
#include "fs/parking_reads.h"
#include "rocksdb/file_system.h"

namespace cairn {

class SlowDisk final : public FileSystemWrapper {
 public:
  SlowDisk() : FileSystemWrapper(std::make_shared<MemoryFileSystem>()) {}
  const char* Name() const override { return "SlowDisk"; }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    std::unique_ptr<FSRandomAccessFile> target;
    IOStatus s = FileSystemWrapper::NewRandomAccessFile(name, options, &target, dbg);
    if (s.ok()) *file = std::make_unique<File>(this, name, std::move(target));
    return s;
  }

  void ResetCounts() {
    reads = rounds = most_at_once = 0;
    bytes = 0;
  }

  // No file is broken or hung any more: also while others read.
  void Heal() {
    fiber::MutexLock lock(&mutex_);
    broken.clear();
    hung.clear();
  }

  int reads = 0;
  uint64_t bytes = 0;  // asked for
  int rounds = 0;      // how often a read began while there was no other
  int most_at_once = 0;
  std::set<std::string> broken;  // files that cannot be read
  std::set<std::string> hung;    // files whose reads take kHungNanos
  static constexpr uint64_t kReadNanos = 1'000'000;
  static constexpr uint64_t kHungNanos = 3'600'000'000'000;

 private:
  class File final : public FSRandomAccessFile, public ParkingReads {
   public:
    bool reads_park() const override { return true; }
    File(SlowDisk* disk, std::string name, std::unique_ptr<FSRandomAccessFile> target)
        : disk_(disk), name_(std::move(name)), target_(std::move(target)) {}
    IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                  IODebugContext* dbg) const override {
      bool fails = false;
      const uint64_t takes = disk_->Begin(name_, n, &fails);
      const uint64_t may_take = options.timeout.count() > 0
                                    ? static_cast<uint64_t>(options.timeout.count()) * 1000
                                    : kHungNanos;
      fiber::sleep_for(std::min(takes, may_take));  // sleeps: as a slow disk
      disk_->End();
      if (takes > may_take) return IOStatus::TimedOut("slow", name_);
      if (fails) return IOStatus::IOError("broken", name_);
      return target_->Read(offset, n, options, result, scratch, dbg);
    }

   private:
    SlowDisk* const disk_;
    const std::string name_;
    const std::unique_ptr<FSRandomAccessFile> target_;
  };

  // How long a read takes, and whether it then fails.
  uint64_t Begin(const std::string& name, size_t n, bool* fails) {
    fiber::MutexLock lock(&mutex_);
    *fails = broken.contains(name);
    ++reads;
    bytes += n;
    if (now_ == 0) ++rounds;
    most_at_once = std::max(most_at_once, ++now_);
    return hung.contains(name) ? kHungNanos : kReadNanos;
  }
  void End() {
    fiber::MutexLock lock(&mutex_);
    --now_;
  }

  fiber::Mutex mutex_;
  int now_ = 0;
};

}  // namespace cairn
