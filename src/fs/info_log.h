// The info log: the LOG file that an operator reads, in RocksDB's line format
//
//   2026/11/21-21:43:11.123456 7f81c2a4e6c0 [db/opening.cc:120] message
//
// (local calendar date and time, microseconds; thread id in hex). A new open moves the old LOG to
// LOG.old.<micros>; with a size or time limit it rolls while running, and keeps the newest
// keep_log_file_num files.
//
// Thread-safe. A log line never fails the caller: errors are dropped.

#ifndef CAIRN_FS_INFO_LOG_H_
#define CAIRN_FS_INFO_LOG_H_

#include <cstddef>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

struct InfoLogOptions {
  InfoLogLevel level = InfoLogLevel::INFO_LEVEL;
  std::string log_dir;              // empty: the database's own directory
  size_t max_file_size = 0;         // bytes; 0: one file
  size_t time_to_roll_seconds = 0;  // 0: never by time
  size_t keep_files = 1000;
};

// Creates `dbname` and the log directory where missing, moves an existing LOG aside, opens a new.
[[nodiscard]] Status CreateInfoLog(FileSystem* fs, const std::string& dbname,
                                   const InfoLogOptions& options, std::shared_ptr<Logger>* logger);

// A logger over one file that never rolls: Env::NewLogger.
[[nodiscard]] Status NewFileLogger(FileSystem* fs, const std::string& fname,
                                   std::shared_ptr<Logger>* logger);

}  // namespace cairn

#endif  // CAIRN_FS_INFO_LOG_H_
