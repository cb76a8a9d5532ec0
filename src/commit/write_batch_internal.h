// What the engine may do with a WriteBatch and its users may not: header fields, raw contents, concatenation.
// Thread safety: that of WriteBatch.
#ifndef CAIRN_COMMIT_WRITE_BATCH_INTERNAL_H_
#define CAIRN_COMMIT_WRITE_BATCH_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/write_batch.h"

namespace ROCKSDB_NAMESPACE {

class WriteBatchInternal {
 public:
  /// Fixed64 sequence number, fixed32 count.
  static constexpr size_t kHeader = 12;

  static SequenceNumber Sequence(const WriteBatch* batch);
  static void SetSequence(WriteBatch* batch, SequenceNumber seq);
  static uint32_t Count(const WriteBatch* batch);
  static void SetCount(WriteBatch* batch, uint32_t n);

  static Slice Contents(const WriteBatch* batch);
  /// Takes a whole batch, header included. Corruption if it is shorter than a header; the records are checked when read.
  static Status SetContents(WriteBatch* batch, const Slice& contents);
  /// Bytes, header included.
  static size_t ByteSize(const WriteBatch* batch);
  /// Appends the records of `src` and adds its count.
  static Status Append(WriteBatch* dst, const WriteBatch* src);
  /// Appends the records of `src` to a raw batch.
  static void AppendRecords(std::string* dst, const WriteBatch* src);

  /// What the database must know before it logs a batch. OK, or why it refuses: NotSupported (Merge, DeleteRange, two
  /// phase commit, wide columns), Corruption (malformed contents). O(1) unless the batch came from raw bytes.
  static Status CheckWritable(const WriteBatch* batch);
  /// True if every record addresses the default column family.
  static bool OnlyDefaultFamily(const WriteBatch* batch);

  static void Put(WriteBatch* batch, uint32_t family, const Slice& key, const Slice& value);
  static void Delete(WriteBatch* batch, uint32_t family, const Slice& key);
};

}  // namespace ROCKSDB_NAMESPACE

#endif  // CAIRN_COMMIT_WRITE_BATCH_INTERNAL_H_
