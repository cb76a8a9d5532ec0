// UnsyncedData: what a power cut would take of a FaultInjectionFileSystem, over any base file
// system, and the taking. cairn/fault_injection.h has the model. The file system and its files tell
// it what they did, after it succeeded (a sync: before and after).
//
// Thread-safe; one mutex.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/mutex.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn::fault::detail {

class UnsyncedData {
 public:
  // A file, by whatever names; the writer's as long as it has it open.
  struct File {
    fiber::Mutex mu;
    uint64_t size FIBER_GUARDED_BY(mu) = 0;
    uint64_t synced FIBER_GUARDED_BY(mu) = 0;  // so many of its first bytes last

    // Bytes were written up to `end`; the file was cut to `size`.
    void Written(uint64_t end);
    void Truncated(uint64_t new_size);
    uint64_t Size();
    // What was written before a sync began lasts when it succeeded.
    void Synced(uint64_t size_before);
  };

  // A file was created; `existed`: there was one of that name, which is empty now.
  std::shared_ptr<File> Created(const std::string& path, bool existed);
  void DirectoryCreated(const std::string& path);
  // An existing file of `size` bytes is written on.
  std::shared_ptr<File> Reopened(const std::string& path, uint64_t size);
  // An existing file of `size` bytes got a new name and is written from its beginning.
  std::shared_ptr<File> Reused(const std::string& from, const std::string& to, uint64_t size);
  // `replaced`: what `to` held before, if it was there.
  void Renamed(const std::string& from, const std::string& to, std::optional<std::string> replaced);
  void Linked(const std::string& from, const std::string& to);
  void Deleted(const std::string& path);
  void Truncated(const std::string& path, uint64_t size);
  // What of a file's contents lasts, given all of them.
  std::string LastingPart(const std::string& path, std::string contents) const;

  // Before a directory is synced, and after it was, with what the first returned.
  uint64_t Now() const;
  void DirectorySynced(const std::string& path, uint64_t before);

  uint64_t Bytes() const;
  uint64_t Names() const;

  // The power cut. With a generator a part survives. The first error; what it does is then part
  // done.
  IOStatus Drop(FileSystem* base, Random64* random);

 private:
  // A change of a directory that is not synced.
  struct NameChange {
    uint64_t id;
    std::string from;  // empty: `to` was created
    std::string to;
    std::optional<std::string> replaced;
  };

  void AddChange(const std::string& from, const std::string& to,
                 std::optional<std::string> replaced) FIBER_REQUIRES(mu_);

  mutable fiber::Mutex mu_;
  uint64_t last_id_ FIBER_GUARDED_BY(mu_) = 0;
  std::map<std::string, std::shared_ptr<File>> files_ FIBER_GUARDED_BY(mu_);
  // By directory, in their order.
  std::map<std::string, std::vector<NameChange>> changes_ FIBER_GUARDED_BY(mu_);
};

}  // namespace cairn::fault::detail
