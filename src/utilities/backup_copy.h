// Copies whole files between file systems, several at once, and makes their checksums on the way.
//
// Called by backups and restores. Thread safety: CopyFiles() is one caller's; it starts threads,
// which are gone when it returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/statistics.h"

namespace cairn {

// What one file is to become, and what came of it.
struct FileCopy {
  std::string from;              // a path; empty: `contents` are written
  std::string contents;          // with an empty `from`
  FileSystem* source = nullptr;  // of `from`; null: CopyEnv's
  std::string to;                // a path; empty: only the checksum is wanted
  uint64_t size = 0;             // bytes that the copy has; the source must have them
  bool source_grows = false;     // the source may have more
  FileOptions source_options;
  Temperature to_temperature = Temperature::kUnknown;
  // The copy must have it.
  std::optional<uint32_t> expected_crc32c;

  // Afterwards. Of several that fail only the first has an error that tells why; those that were
  // not begun any more are Aborted.
  IOStatus status;
  uint32_t crc32c = 0;
  Temperature source_temperature = Temperature::kUnknown;
};

// All but the file systems may be left out. All is borrowed.
struct CopyEnv {
  FileSystem* source = nullptr;
  FileSystem* target = nullptr;
  bool sync = false;  // each copy, not its name
  int threads = 1;
  int nice = 0;                              // of the threads
  RateLimiter* limiter = nullptr;            // asked for writes and reads, at IO_LOW
  Statistics* statistics = nullptr;          // counts BACKUP_READ_BYTES, BACKUP_WRITE_BYTES
  const std::atomic<bool>* stop = nullptr;   // once it is set: Incomplete
  std::function<void()> progress = nullptr;  // by one thread at a time,
  uint64_t progress_interval = 4 << 20;      // each so many bytes
  size_t buffer_size = 0;                    // bytes of each thread; 0: as it likes
};

// The first error. A copy that failed is removed again. SUSPENDS.
[[nodiscard]] IOStatus CopyFiles(const CopyEnv& env, std::vector<FileCopy>* copies);

// "Incomplete", as a call ends that StopBackup() has met.
IOStatus BackupStopped();

}  // namespace cairn
