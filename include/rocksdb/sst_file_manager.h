// SstFileManager: the room that the tables and blob files of databases take, a limit for it, and
// the deletion of files at a rate that leaves the disk to others.
//
// One may serve several databases: DBOptions::sst_file_manager.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "rocksdb/file_system.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Env;
class Logger;

// Thread-safe. The options take only what NewSstFileManager() makes. What is left of the trash when
// it is destroyed stays as files *.trash, which the next opening of their database deletes.
class SstFileManager {
 public:
  virtual ~SstFileManager() {}

  // Bytes that the tables and blob files of all its databases may take; 0, the default: any. Once
  // they take as much, a flush that ends, or a compaction, which then fails, is a background error
  // of its database: writes fail with Status::SpaceLimit until files went, or the limit is higher.
  // The database looks for that every DBOptions::bgerror_resume_retry_interval, or at DB::Resume().
  // A compaction for whose outputs there is no room does not begin: an automatic one waits, of a
  // manual one the call fails with Status::CompactionTooLarge.
  virtual void SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) = 0;

  // Bytes below that limit that compactions leave to flushes; 0 by default. A database that met a
  // full disk goes on by itself once so much, and what it has to flush, is free.
  virtual void SetCompactionBufferSize(uint64_t compaction_buffer_size) = 0;

  // GetTotalSize() is at the limit. False without one.
  virtual bool IsMaxAllowedSpaceReached() = 0;
  // The same with what the compactions that run may add: the sizes of their inputs.
  virtual bool IsMaxAllowedSpaceReachedIncludingCompactions() = 0;

  // Bytes of the files that it knows: tables and blob files of its databases, trash among them.
  // Those of a closed database count on.
  virtual uint64_t GetTotalSize() = 0;
  // Their paths and sizes.
  virtual std::unordered_map<std::string, uint64_t> GetTrackedFiles() = 0;

  // Bytes that are deleted in a second. 0: files are deleted at once.
  virtual int64_t GetDeleteRateBytesPerSecond() = 0;
  virtual void SetDeleteRateBytesPerSecond(int64_t delete_rate) = 0;

  // While the trash is more than this part of the total size, files are deleted at once.
  virtual double GetMaxTrashDBRatio() = 0;
  virtual void SetMaxTrashDBRatio(double ratio) = 0;

  // Bytes of what waits for its deletion.
  virtual uint64_t GetTotalTrashSize() = 0;

  // Where FILES_MARKED_TRASH and FILES_DELETED_IMMEDIATELY are counted; a database that is opened
  // with it gives its own.
  virtual void SetStatisticsPtr(const std::shared_ptr<Statistics>& stats) = 0;
};

// The caller owns the result.
//   fs                     where the files are: that of the databases' Env
//   info_log               told of deletions; may be null
//   trash_dir              if not empty, and with delete_existing_trash, the files in there are
//                          deleted as others are
//   rate_bytes_per_sec     see SetDeleteRateBytesPerSecond. A file that has to wait is renamed to
//                          <name>.trash; obsolete logs in the directory of the database wait, too
//   status                 if not null: what went wrong with trash_dir
//   max_trash_db_ratio     see SetMaxTrashDBRatio
//   bytes_max_delete_chunk a larger file is shortened by so many bytes at a time. 0: it is deleted
//                          as a whole, as a file with other links or in a file system that cannot
//                          tell always is. Who still reads a file that is trash, an instance that
//                          is open for reading beside the one that writes, finds it shortened
SstFileManager* NewSstFileManager(Env* env, std::shared_ptr<FileSystem> fs,
                                  std::shared_ptr<Logger> info_log = nullptr,
                                  const std::string& trash_dir = "", int64_t rate_bytes_per_sec = 0,
                                  bool delete_existing_trash = true, Status* status = nullptr,
                                  double max_trash_db_ratio = 0.25,
                                  uint64_t bytes_max_delete_chunk = 64 * 1024 * 1024);
// With the Env's file system.
SstFileManager* NewSstFileManager(Env* env, std::shared_ptr<Logger> info_log = nullptr,
                                  std::string trash_dir = "", int64_t rate_bytes_per_sec = 0,
                                  bool delete_existing_trash = true, Status* status = nullptr,
                                  double max_trash_db_ratio = 0.25,
                                  uint64_t bytes_max_delete_chunk = 64 * 1024 * 1024);

}  // namespace ROCKSDB_NAMESPACE
