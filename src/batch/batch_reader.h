// Reads the wire format of a WriteBatch record by record. Used by WriteBatch::Iterate and by
// ApplyBatch; the bytes may come from a WAL, so nothing about them is trusted.
//
//   batch  := sequence (fixed64) count (fixed32) record*
//   record := tag (1 byte) [family (varint32), only with the column-family tags] fields
//   fields := key value     Put, Merge, blob index, wide columns
//           | key           Delete, SingleDelete
//           | begin end     DeleteRange
//           | blob          LogData
//           | xid           the marks: commit, rollback, end prepare
//           |               Noop, begin prepare
//   each field is a varint32 length and its bytes.
//
// LogData, Noop and the markers of two-phase commit consume no sequence number; all others consume
// one.
#ifndef CAIRN_BATCH_BATCH_READER_H_
#define CAIRN_BATCH_BATCH_READER_H_

#include <cstdint>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

inline constexpr size_t kBatchHeaderSize = 12;  // bytes

struct BatchRecord {
  ValueType type = kTypeNoop;  // the plain one: kTypeValue for kTypeColumnFamilyValue
  uint32_t family = 0;         // column family id
  Slice key;             // or the blob of LogData, or the xid of a marker, or the range's begin
  Slice value;           // or the range's end
  bool counted = false;  // it consumes a sequence number and is part of the batch's count
};

class BatchReader {
 public:
  /// `rep` is borrowed: the whole batch with its header. A batch shorter than a header reads as
  /// Corruption.
  explicit BatchReader(const Slice& rep);

  /// The next record. False at the end, or at an error: then status() tells.
  bool Next(BatchRecord* record);
  const Status& status() const { return status_; }
  /// Passes over the next `count` counted records and what lies before each. Corruption: there are
  /// fewer; or status().
  Status Skip(size_t count);

  SequenceNumber sequence() const;
  uint32_t count() const;
  /// Offset of the next record in `rep`, bytes.
  size_t offset() const { return static_cast<size_t>(pos_ - begin_); }

 private:
  bool Fail(const char* what);

  const char* const begin_;
  const char* pos_;
  const char* const end_;
  Status status_;
};

}  // namespace cairn

#endif  // CAIRN_BATCH_BATCH_READER_H_
