// What DBOptions says about each kind of file, as FileOptions. Called by db/ once at open.

#ifndef CAIRN_FS_FILE_OPTIONS_H_
#define CAIRN_FS_FILE_OPTIONS_H_

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace cairn {

// Logs are appended in small pieces and synced often: never direct, never mmap.
inline FileOptions FileOptionsForLog(const DBOptions& db) {
  FileOptions options(db);
  options.use_mmap_reads = options.use_mmap_writes = false;
  options.use_direct_reads = options.use_direct_writes = false;
  options.bytes_per_sync = db.wal_bytes_per_sync;
  options.temperature = db.wal_write_temperature;
  return options;
}

inline FileOptions FileOptionsForManifest(const DBOptions& db) {
  FileOptions options(db);
  options.use_mmap_reads = options.use_mmap_writes = false;
  options.use_direct_reads = options.use_direct_writes = false;
  options.temperature = db.metadata_write_temperature;
  return options;
}

// Flush and compaction outputs.
inline FileOptions FileOptionsForTableWrite(const DBOptions& db) {
  FileOptions options(db);
  options.use_direct_writes = db.use_direct_io_for_flush_and_compaction;
  return options;
}

}  // namespace cairn

#endif  // CAIRN_FS_FILE_OPTIONS_H_
