// LogReader: reads the records of a log, whatever state a crash or a disk left it in.
// Used for WAL recovery, the MANIFEST and the tools. One caller at a time. See log_format.h.
//
// What is reported depends on the recovery mode (WALRecoveryMode in rocksdb/options.h):
//
//                                      torn record at the end    anything else: checksum,
//                                      (the file stops in it)    length, type, order, gap
//   kTolerateCorruptedTailRecords      silent end                reported, reading goes on
//   kSkipAnyCorruptedRecords           silent end                reported, reading goes on
//   kAbsoluteConsistency               reported                  reported, reading goes on
//   kPointInTimeRecovery               reported                  reported, reading goes on
//
// The reader finds and reports; what a report means (refuse to open, stop at the point in time,
// skip) is the caller's, who knows the sequence numbers and the logs that follow. A report carries
// file name and offset. After one, records of later blocks are still returned: a caller that wants
// no hole stops asking.
//
// A record whose last sectors, to the end of the file, are zeros is torn, too: they were never
// written.
//
// Two things are stricter than the format alone: space of zeros counts as "never written" only if
// nothing follows it, and a record that reaches beyond the end of the file is "torn" only if no
// shorter length satisfies its checksum (otherwise a flipped bit in a length would silently cut off
// acknowledged records).
//
// In a recycled file the first sound record of another log number ends the log
// (Reporter::OldLogRecord), and with kTolerateCorruptedTailRecords so does the first unsound one.

#ifndef CAIRN_WAL_LOG_READER_H_
#define CAIRN_WAL_LOG_READER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "wal/log_decompressor.h"
#include "wal/log_format.h"
#include "wal/predecessor_wal.h"

namespace cairn {

class LogReader {
 public:
  struct Reporter {
    virtual ~Reporter() = default;
    // About `bytes` bytes were dropped for `reason`, which names file and offset.
    virtual void Corruption(size_t bytes, const Status& reason) = 0;
    // The rest of a recycled file belongs to an older log.
    virtual void OldLogRecord(size_t /*bytes*/) {}
  };

  // `reporter` may be null (then corruptions are only skipped) and must outlive the reader.
  // `checksum` false skips the CRC (repair tools). `log_number`: of this file, for recyclable
  // records.
  LogReader(std::shared_ptr<Logger> info_log, std::unique_ptr<SequentialFileReader> file,
            Reporter* reporter, bool checksum, uint64_t log_number);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Reading begins at `offset`, just behind a record (LastRecordEnd()), in a log that was found to
  // be InRecyclableFormat() or not. Before the first record. SUSPENDS.
  [[nodiscard]] Status SkipTo(uint64_t offset, bool recyclable = false);

  // The next record. False: no more. `*record` points into `*scratch` or the reader's buffers and
  // lives until the next call. `record_offset`: where the record's first fragment starts. SUSPENDS.
  bool ReadRecord(Slice* record, std::string* scratch,
                  WALRecoveryMode mode = WALRecoveryMode::kTolerateCorruptedTailRecords,
                  uint64_t* record_offset = nullptr);

  // File offset of the record that ReadRecord returned last.
  uint64_t LastRecordOffset() const { return last_record_offset_; }
  // File offset just behind it; before the first one, where reading began.
  uint64_t LastRecordEnd() const { return last_record_end_; }
  bool IsEOF() const { return eof_; }
  // A read of the file failed, a record is larger than memory, or the log holds what this version
  // cannot read; OK otherwise.
  // Corruptions go to the reporter instead.
  const Status& status() const { return status_; }
  // Its records say which log they are of: what stands behind its end may be an older log's.
  bool InRecyclableFormat() const { return recycled_; }
  // By family: bytes of the timestamps that the keys of the records so far end in, as the log says
  // it. Of those that it does not name nothing is known.
  const std::map<uint32_t, size_t>& timestamp_sizes() const { return timestamp_sizes_; }
  // What it has said of the log before it since the last call, if anything.
  std::optional<PredecessorWal> TakePredecessor() { return std::exchange(predecessor_, {}); }
  const std::string& file_name() const { return file_->file_name(); }
  uint64_t log_number() const { return log_number_; }

 private:
  // What ReadPhysicalRecord found: a record's type (below 256), or one of these.
  enum Outcome : unsigned {
    kEof = 256,   // the end, between two records
    kTornHeader,  // the file ends inside a header
    kTornRecord,  // the file ends inside a payload
    kZeros,       // allocated space that was never written, to the end of the block
    kBadSpace,    // a header of zeros with something behind it
    kBadLength,   // crosses the block
    kBadChecksum,
    kOldRecord,  // of an older log in a recycled file
    kReadError,
  };

  // What to do next.
  enum class Step { kGoOn, kRecord, kEnd };
  struct Found {
    unsigned type = 0;
    Slice fragment;       // of a record
    uint64_t offset = 0;  // in the file
    size_t drop = 0;      // bytes that an outcome drops
    bool is_old = false;  // the end of this log in a recycled file
  };
  struct Assembly;

  unsigned ReadPhysicalRecord(Slice* fragment, uint64_t* offset, size_t* drop);
  void LookBehindZeros(const Found& found, Assembly* assembly);
  Step TakeFragment(const Found& found, Assembly* assembly);
  Step TakeOther(const Found& found, Assembly* assembly);
  Step MeetOutcome(const Found& found, Assembly* assembly);
  Step Deliver(uint64_t offset, Assembly* assembly);
  Step End(Assembly* assembly);
  Step EndAtOnce(Assembly* assembly);
  void AbandonFragments(const char* why, Assembly* assembly);
  bool ReadMore(unsigned* outcome, size_t* drop);
  // The payload of a record that says how those after it are compressed. False: not in a way that
  // is known.
  bool SetCompression(const Slice& payload);
  bool TakeTimestampSizes(const Slice& payload);
  void Report(size_t bytes, uint64_t offset, const std::string& what);
  void Report(size_t bytes, const Status& reason);
  // Ends the reading: the record from `offset` on is larger than memory.
  void LacksMemory(size_t bytes, uint64_t offset);

  const std::shared_ptr<Logger> info_log_;
  const std::unique_ptr<SequentialFileReader> file_;
  Reporter* const reporter_;
  const bool checksum_;
  const uint64_t log_number_;

  const std::unique_ptr<char[]> backing_;  // one block
  Slice buffer_;                           // its unread part
  uint64_t end_of_buffer_offset_ = 0;      // file offset just behind buffer_
  uint64_t begin_ = 0;                     // file offset of the first record that is read
  bool eof_ = false;                       // the last read came short
  bool recycled_ = false;                  // the log starts with a recyclable record
  bool finished_ = false;                  // ReadRecord returns false from now on
  static constexpr uint64_t kNoZeros = UINT64_MAX;
  uint64_t zeros_at_ = kNoZeros;  // start of unwritten space, while nothing followed it
  std::unique_ptr<LogDecompressor> decompressor_;  // null: the log is not compressed
  std::map<uint32_t, size_t> timestamp_sizes_;
  std::optional<PredecessorWal> predecessor_;
  std::string decompressed_;  // the record that was returned last
  uint64_t last_record_offset_ = 0;
  uint64_t last_record_end_ = 0;
  Status status_;
};

// Where a file may end in truth of which `data`, `size` bytes from `offset` on, is the last part:
// behind the last sector in which anything was written. A crash may leave a file its new length
// with sectors that were never written, which read as zeros. At most `offset` + `size`.
[[nodiscard]] uint64_t WrittenEnd(const char* data, size_t size, uint64_t offset);

}  // namespace cairn

#endif  // CAIRN_WAL_LOG_READER_H_
