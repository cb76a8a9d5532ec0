// The transactions that a write-ahead log of RocksDB's leaves prepared.
//
// A TransactionDB keeps a log as long as a transaction that was prepared in it is neither committed
// nor rolled back, also when no memtable needs the log any more: all that is left of the
// transaction may be there. Two-phase commit is not supported here, so that recovery looks into
// such logs only to refuse the database instead of deleting them. (A log that is replayed is
// refused at its first mark of two-phase commit, by ApplyBatch.)
//
// Used by recovery. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace cairn {

class PreparedTransactions {
 public:
  /// Takes what a log says of transactions; logs come in the order of their numbers. What is
  /// damaged says nothing. Errors are those of reading.
  [[nodiscard]] Status AddLog(std::unique_ptr<SequentialFileReader> file, uint64_t number,
                              const std::string& path, const std::shared_ptr<Logger>& info_log);

  /// NotSupported, with the log and what to do, if one is left.
  [[nodiscard]] Status Refusal() const;

 private:
  void AddBatch(const Slice& batch, const std::string& path);

  std::map<std::string, std::string> logs_;  // by the transaction's name: where it was prepared
};

}  // namespace cairn
