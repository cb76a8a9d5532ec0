// The blocks of a block cache as a file, and back into a secondary cache: a database that moved to
// another machine, or was opened again, finds there what was in memory before.
//
//   // Before the database goes:
//   NewToFileCacheDumpWriter(fs, FileOptions(), path, &writer);
//   NewDefaultCacheDumper(options, block_cache, std::move(writer), &dumper);
//   dumper->SetDumpFilter({db});
//   dumper->DumpCacheEntriesToWriter();
//   // Before it comes, with `secondary` behind its new block cache:
//   NewFromFileCacheDumpReader(fs, FileOptions(), path, &reader);
//   NewDefaultCacheDumpedLoader(options, table_options, secondary, std::move(reader), &loader);
//   loader->RestoreCacheEntriesToSecondaryCache();
//
// Blocks are known by their table's identity, which is the same in a copy of the database. The file
// is framed as RocksDB's, but blocks lie in caches under other keys there: its dumps are refused.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/secondary_cache.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/table.h"

namespace ROCKSDB_NAMESPACE {

static const int kCacheDumpMajorVersion = 0;
static const int kCacheDumpMinorVersion = 1;

// Where a dump goes: to a file, or, with one of one's own, anywhere. Each unit is a WriteMetadata()
// and a WritePacket(). Used by one caller at a time.
class CacheDumpWriter {
 public:
  virtual ~CacheDumpWriter() = default;

  virtual IOStatus WriteMetadata(const Slice& metadata) = 0;
  virtual IOStatus WritePacket(const Slice& data) = 0;
  // Once, at the end.
  virtual IOStatus Close() = 0;
};

// Where it comes from, in the same pieces.
class CacheDumpReader {
 public:
  virtual ~CacheDumpReader() = default;

  virtual IOStatus ReadMetadata(std::string* metadata) = 0;
  virtual IOStatus ReadPacket(std::string* data) = 0;
};

struct CacheDumpOptions {
  // For the times in the dump, and the deadline; borrowed. A dumper needs one (InvalidArgument).
  SystemClock* clock = nullptr;
  // Of a dump, by `clock`, in microseconds: from then on no more blocks are written. 0: none.
  std::chrono::microseconds deadline = std::chrono::microseconds::zero();
  // Of a dump: blocks are written until this many bytes are. 0: all.
  uint64_t max_size_bytes = 0;
};

class CacheDumper {
 public:
  virtual ~CacheDumper() = default;

  // Only blocks of these databases' present tables, of all column families. Without this, or with
  // an empty list: blocks of any.
  virtual Status SetDumpFilter(std::vector<DB*> /*db_list*/) {
    return Status::NotSupported("SetDumpFilter is not supported");
  }
  // Writes data, index and filter blocks. The cache goes on to be used; each block is pinned while
  // it is written. The first error ends it. Once.
  virtual IOStatus DumpCacheEntriesToWriter() {
    return IOStatus::NotSupported("DumpCacheEntriesToWriter is not supported");
  }
};

class CacheDumpedLoader {
 public:
  virtual ~CacheDumpedLoader() = default;

  // Inserts the blocks of a dump, each as it is read. Corruption: the dump is damaged, or ends
  // before its end; the blocks before that place are in. NotSupported: it is RocksDB's, or of
  // another version.
  virtual IOStatus RestoreCacheEntriesToSecondaryCache() {
    return IOStatus::NotSupported("RestoreCacheEntriesToSecondaryCache is not supported");
  }
};

// A new file. What it holds is not synced.
IOStatus NewToFileCacheDumpWriter(const std::shared_ptr<FileSystem>& fs,
                                  const FileOptions& file_opts, const std::string& file_name,
                                  std::unique_ptr<CacheDumpWriter>* writer);
IOStatus NewFromFileCacheDumpReader(const std::shared_ptr<FileSystem>& fs,
                                    const FileOptions& file_opts, const std::string& file_name,
                                    std::unique_ptr<CacheDumpReader>* reader);

// What is null is InvalidArgument when they are used.
Status NewDefaultCacheDumper(const CacheDumpOptions& dump_options,
                             const std::shared_ptr<Cache>& cache,
                             std::unique_ptr<CacheDumpWriter>&& writer,
                             std::unique_ptr<CacheDumper>* cache_dumper);
// `toptions` is not needed: blocks are loaded as they were dumped.
Status NewDefaultCacheDumpedLoader(const CacheDumpOptions& dump_options,
                                   const BlockBasedTableOptions& toptions,
                                   const std::shared_ptr<SecondaryCache>& secondary_cache,
                                   std::unique_ptr<CacheDumpReader>&& reader,
                                   std::unique_ptr<CacheDumpedLoader>* cache_dump_loader);

}  // namespace ROCKSDB_NAMESPACE
