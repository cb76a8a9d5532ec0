// WalFilter: the application looks at each write that is recovered from the logs when a database is
// opened, and drops or changes it, or ends the history there (DBOptions::wal_filter).
//
// What a filter drops is gone with the logs. It is called on the thread that opens the database,
// for one write at a time, in the order of the writes; nothing else of the database runs yet.
// Exceptions must not leave it. A database that is opened for reading only asks it, too; a
// secondary instance does not.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class WriteBatch;
struct ConfigOptions;

class WalFilter : public Customizable {
 public:
  ~WalFilter() override = default;
  static const char* Type() { return "WalFilter"; }
  // What is registered under an id (utilities/object_registry.h), and lives for ever.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 WalFilter** result);

  enum class WalProcessingOption {
    kContinueProcessing = 0,
    // The write is dropped.
    kIgnoreCurrentRecord = 1,
    // It is dropped, and so is all that follows.
    kStopReplay = 2,
    // The log is taken to be damaged here: what follows from that wal_recovery_mode says.
    kCorruptedRecord = 3,
    kWalProcessingOptionMax = 4
  };

  // Called once, before all others: for each column family, by its id, the number of the first log
  // that has writes of it that are in no table; and the ids by name.
  virtual void ColumnFamilyLogNumberMap(const std::map<uint32_t, uint64_t>& /*cf_lognumber_map*/,
                                        const std::map<std::string, uint32_t>& /*cf_name_id_map*/) {
  }

  // One write of log `log_number`, in the file of that path. To change it, fill new_batch (empty at
  // first) and set *batch_changed: its entries take the write's place, and must not be more than it
  // has (NotSupported). By default LogRecord.
  virtual WalProcessingOption LogRecordFound(unsigned long long /*log_number*/,
                                             const std::string& /*log_file_name*/,
                                             const WriteBatch& batch, WriteBatch* new_batch,
                                             bool* batch_changed) {
    return LogRecord(batch, new_batch, batch_changed);
  }
  virtual WalProcessingOption LogRecord(const WriteBatch& /*batch*/, WriteBatch* /*new_batch*/,
                                        bool* /*batch_changed*/) const {
    return WalProcessingOption::kContinueProcessing;
  }

  const char* Name() const override = 0;
};

}  // namespace ROCKSDB_NAMESPACE
