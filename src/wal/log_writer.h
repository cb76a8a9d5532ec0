// LogWriter: appends records to a log (the WAL, the MANIFEST). See log_format.h.
//
// One caller at a time, except Sync with `SyncWithoutFlush` semantics as FileWriter documents.
// After an error the log must not be used further: a later record would follow a torn one.

#ifndef CAIRN_WAL_LOG_WRITER_H_
#define CAIRN_WAL_LOG_WRITER_H_

#include <cstdint>
#include <map>
#include <memory>

#include "base/namespace.h"
#include "fs/file_writer.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "wal/log_compressor.h"
#include "wal/log_format.h"
#include "wal/predecessor_wal.h"

namespace cairn {

class LogWriter {
 public:
  // `dest` is empty, or (recycled file) overwritten from its start. `recycle_log_files` selects
  // the record types that carry the log number. With `manual_flush`, AddRecord leaves the record in
  // the buffer until WriteBuffer(), Sync() or Close(). With `compressed`, records are stored as
  // frames (log_compressor.h), and what comes first says so.
  LogWriter(std::unique_ptr<FileWriter> dest, uint64_t log_number, bool recycle_log_files,
            bool manual_flush = false, bool compressed = false);
  // Flushes what is buffered; errors are lost here.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends one record of any size (an empty one is legal). Unless manual_flush, it has reached
  // the operating system when this returns OK. SUSPENDS.
  [[nodiscard]] IOStatus AddRecord(const Slice& payload);

  // Says of which size the timestamps of these families' keys are, in the records that follow.
  [[nodiscard]] IOStatus AddTimestampSizes(const std::map<uint32_t, size_t>& sizes);

  // Says which log was written before this one. Before the first record.
  [[nodiscard]] IOStatus AddPredecessor(const PredecessorWal& wal);

  // Hands buffered records to the operating system.
  [[nodiscard]] IOStatus WriteBuffer();
  // WriteBuffer, then fsync or fdatasync.
  [[nodiscard]] IOStatus Sync(bool use_fsync);
  [[nodiscard]] IOStatus Close();

  FileWriter* file() { return dest_.get(); }
  const FileWriter* file() const { return dest_.get(); }
  uint64_t log_number() const { return log_number_; }
  bool BufferIsEmpty() const { return dest_ == nullptr || dest_->BufferIsEmpty(); }

 private:
  // Begins a new block where this one has no room for one.
  IOStatus MakeRoomForHeader();
  // Says in an empty log that its records are compressed.
  IOStatus SayCompression();
  IOStatus AddFragments(const Slice& payload);
  IOStatus AddCompressed(const Slice& payload);
  log::RecordType TypeOfFragment(bool begins, bool ends) const;
  IOStatus EmitFragment(log::RecordType type, const char* data, size_t n);
  // Of a fragment that is whole but for the header's first four bytes.
  IOStatus EmitSummed(log::RecordType type, char* header, size_t header_size, const Slice& data);

  std::unique_ptr<FileWriter> dest_;
  const uint64_t log_number_;
  const bool recycle_log_files_;
  const bool manual_flush_;
  const size_t header_size_;
  std::unique_ptr<LogCompressor> compressor_;  // null: records are stored as they are
  std::unique_ptr<char[]> frame_;              // a fragment of one; null likewise
  size_t block_offset_;                        // bytes used of the current block
  // CRC of each one-byte type (and log number): the part of the checksum that never changes.
  uint32_t type_crc_[log::kMaxWrittenRecordType + 1];
};

}  // namespace cairn

#endif  // CAIRN_WAL_LOG_WRITER_H_
