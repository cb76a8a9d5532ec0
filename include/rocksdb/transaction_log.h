// What a database's write-ahead logs hold: LogFile, one of DB::GetSortedWalFiles's list, and the
// iterator of DB::GetUpdatesSince over the batches in them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {

class LogFile;
using VectorLogPtr = std::vector<std::unique_ptr<LogFile>>;
// Their names in RocksDB 10.
using WalFile = LogFile;
using VectorWalPtr = VectorLogPtr;

enum WalFileType {
  // In the folder "archive" of DBOptions::wal_dir, where logs that are not needed any more go with
  // WAL_ttl_seconds or WAL_size_limit_MB.
  kArchivedLogFile = 0,
  kAliveLogFile = 1,
};

// As it was when the list was made.
class LogFile {
 public:
  LogFile() = default;
  virtual ~LogFile() = default;

  // Within DBOptions::wal_dir: "/000003.log", "/archive/000002.log".
  virtual std::string PathName() const = 0;
  // The greater, the younger.
  virtual uint64_t LogNumber() const = 0;
  virtual WalFileType Type() const = 0;
  // Of the first write in it.
  virtual SequenceNumber StartSequence() const = 0;
  virtual uint64_t SizeFileBytes() const = 0;
};

struct BatchResult {
  SequenceNumber sequence = 0;  // of the batch's first record
  std::unique_ptr<WriteBatch> writeBatchPtr;
};

// The batches of the logs in the order in which they were written, as far as they were visible to
// readers when the iterator came to them. One caller at a time; calls may SUSPEND. The database
// outlives it.
//
//   Valid()                there is a batch
//   not, status() OK       at the end: Next() looks for what has been written since
//   not, TryAgain          at the end of the logs that there were: make a new iterator
//   not, Corruption        a gap: what follows is in no log (one is gone or damaged, a write had
//                          disableWAL, files were ingested)
//
// Where the first batch that was asked for is not in the logs, the one behind the gap is shown, as
// in RocksDB: look at BatchResult::sequence.
class TransactionLogIterator {
 public:
  TransactionLogIterator() = default;
  virtual ~TransactionLogIterator() = default;

  virtual bool Valid() = 0;
  virtual void Next() = 0;
  virtual Status status() = 0;
  // The present batch, once for each: it is moved out. REQUIRES: Valid()
  virtual BatchResult GetBatch() = 0;

  struct ReadOptions {
    // Of the logs' records.
    bool verify_checksums_ = true;

    ReadOptions() = default;
    explicit ReadOptions(bool verify_checksums) : verify_checksums_(verify_checksums) {}
  };
};

}  // namespace ROCKSDB_NAMESPACE
