// LogIterator: the batches in the write-ahead logs of a running database, for
// DB::GetUpdatesSince. See rocksdb/transaction_log.h for what a caller is told.
//
// The log that is being written is read while it grows. What readers of the database may see is in
// the file as a whole; what stands behind it may be there in part. So the iterator never reads a
// record that is not visible yet, and reads the file anew from the last record's end where what it
// has in memory may be older than what has become visible.
//
// Thread safety: one caller.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/transaction_log.h"
#include "wal/log_reader.h"

namespace cairn {

class LogIterator final : public rocksdb::TransactionLogIterator {
 public:
  struct Env {
    FileSystem* fs = nullptr;
    FileOptions file_options;
    std::string wal_dir;
    std::shared_ptr<Logger> info_log;
    std::function<SequenceNumber()> last_sequence;  // that is visible
    uint64_t current_log = 0;                       // that was written to when the logs were listed
  };

  // Positioned on the batch that has `start`, if there is one. `files` ascend.
  LogIterator(Env env, const ReadOptions& options, rocksdb::VectorLogPtr files,
              SequenceNumber start);

  bool Valid() override { return batch_ != nullptr; }
  void Next() override;
  Status status() override { return status_; }
  rocksdb::BatchResult GetBatch() override;

 private:
  struct Reporter final : LogReader::Reporter {
    void Corruption(size_t /*bytes*/, const Status& reason) override {
      if (first.ok()) first = reason;
    }
    Status first;
  };

  // The next record that is visible, of this log. False: there is none, or status_ says why.
  bool ReadVisible();
  // What the present record, which begins at first_, has of two-phase commit.
  struct Steps {
    SequenceNumber end = 0;  // of the next record, as far as is known
    bool any = false;        // it has a mark
    bool ends_late = false;  // it commits what was prepared before the start: `end` is later
  };
  Steps Follow();
  Steps FollowShared();
  // Of the present log, from position_ on.
  [[nodiscard]] Status OpenLog();

  const Env env_;
  const ReadOptions options_;
  const rocksdb::VectorLogPtr files_;
  const SequenceNumber start_;
  size_t file_ = 0;          // the present log
  uint64_t position_ = 0;    // in it: behind the last record
  bool recyclable_ = false;  // what LogReader said of it there
  Reporter reporter_;
  std::unique_ptr<LogReader> reader_;  // null: to be opened at position_
  Slice record_;
  std::string scratch_;

  bool started_ = false;                      // a batch was shown
  SequenceNumber last_ = 0;                   // of the last batch that was read
  SequenceNumber first_ = 0;                  // of the present one
  bool ends_late_ = false;                    // there may be more in the last batch that was read
  std::map<std::string, uint32_t> prepared_;  // what is: how much it is
  std::unique_ptr<WriteBatch> batch_;
  Status status_;
  // Of a log that ended with it; the first batch behind it tells whether it matters.
  Status damage_;
};

}  // namespace cairn
