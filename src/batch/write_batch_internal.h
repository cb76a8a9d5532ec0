// What the engine may do with a WriteBatch and its users may not: header fields, raw contents,
// concatenation. Thread safety: that of WriteBatch.
#ifndef CAIRN_BATCH_WRITE_BATCH_INTERNAL_H_
#define CAIRN_BATCH_WRITE_BATCH_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "batch/batch_protection.h"
#include "batch/batch_reader.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/write_batch.h"

namespace cairn {

/// WriteBatch::content_flags_.
enum BatchContent : uint32_t {
  kContentUnknown = 1 << 0,  // came from raw bytes: computed when first asked for
  kHasPut = 1 << 1,
  kHasDelete = 1 << 2,
  kHasSingleDelete = 1 << 3,
  kHasMerge = 1 << 4,
  kHasDeleteRange = 1 << 5,
  kHasTransactionMark =
      1 << 6,  // any mark of two-phase commit; HasBeginPrepare and its kin look closer
  kHasBeginPrepare = 1 << 7,
  kHasEndPrepare = 1 << 8,
  kHasCommit = 1 << 9,
  kHasRollback = 1 << 10,
  kHasBlobIndex = 1 << 11,
  kHasPutEntity = 1 << 12,
  kHasOtherFamily = 1 << 13,  // a record of another column family than the default one
  kIsMalformed = 1 << 14,
  kIsProtected = 1 << 15,      // protection_ is not null, whatever is in the batch
  kLacksTimestamps = 1 << 16,  // keys have zeros in place of one: UpdateTimestamps() is awaited
  kHasTimestamps = 1 << 17,    // keys have one, or zeros, or may have one: they are raw bytes
};

class WriteBatchInternal {
 public:
  /// Fixed64 sequence number, fixed32 count.
  static constexpr size_t kHeader = 12;
  /// Bytes of a batch. A recovery needs so much memory for it as it took to write it.
  static constexpr size_t kMaxSize = UINT32_MAX;

  static SequenceNumber Sequence(const WriteBatch* batch);
  static void SetSequence(WriteBatch* batch, SequenceNumber seq);
  static uint32_t Count(const WriteBatch* batch);
  static void SetCount(WriteBatch* batch, uint32_t n);

  static Slice Contents(const WriteBatch* batch);
  /// Takes a whole batch, header included. Corruption if it is shorter than a header; the records
  /// are checked when read.
  static Status SetContents(WriteBatch* batch, const Slice& contents);
  /// Bytes, header included.
  static size_t ByteSize(const WriteBatch* batch);
  /// Appends the records of `src` and adds its count.
  static Status Append(WriteBatch* dst, const WriteBatch* src);
  /// The part of the batch that belongs into the log: without its header, cut at the WAL
  /// termination point if there is one. *count receives the sequence numbers that part consumes.
  static Slice LoggedRecords(const WriteBatch* src, uint32_t* count);

  /// What the database must know before it logs a batch. OK, or why it refuses: NotSupported
  /// (two phase commit, blob indexes), Corruption (malformed contents), MemoryLimit (larger than
  /// kMaxSize, or it is large and there is no memory for a second one). O(1) unless the batch came
  /// from raw bytes.
  /// `permitted`: BatchContent bits of what is in order all the same, in a transaction's own batch:
  /// marks of two-phase commit, and, as long as it is only prepared, keys that lack timestamps.
  static Status CheckWritable(const WriteBatch* batch, uint32_t permitted = 0);
  /// Whether the default family's keys can have timestamps: some were put there with one, or nobody
  /// knows. False of a batch that was made as if there were none.
  /// Of other families: whether some keys have one, or room for it.
  static bool MayHaveTimestamps(const WriteBatch* batch) {
    return (ContentFlags(batch) & kHasTimestamps) != 0;
  }
  /// Whether its families must be asked before it is logged: a record addresses another one than
  /// the default family, or needs the family's merge operator or order of keys.
  static bool NeedsFamilies(const WriteBatch* batch);

  /// Appends one record. `type` is the plain one (kTypeValue, kTypeDeletion, ...), `value` null for
  /// types that have none. InvalidArgument if key and value are larger than any table takes;
  /// MemoryLimit beyond the batch's max_bytes or kMaxSize, and where there is no memory. A failed
  /// call changes nothing.
  static Status AppendRecord(WriteBatch* batch, ValueType type, uint32_t family,
                             const SliceParts& key, const SliceParts* value);
  /// The same of a record whose bare keys `timestamp` is put behind (of a range deletion: of both);
  /// empty: `ts_size` zeros are, until WriteBatch::UpdateTimestamps().
  static Status AppendStamped(WriteBatch* batch, ValueType type, uint32_t family,
                              const SliceParts& key, const SliceParts* value,
                              const Slice& timestamp, size_t ts_size);
  /// The same of one that was read.
  static Status AppendRecord(WriteBatch* batch, const BatchRecord& record);
  /// Appends a record that takes no sequence number: Noop and begin prepare, which have no name, or
  /// one of the marks that have. MemoryLimit: there is no memory, and nothing was changed.
  static Status AppendMark(WriteBatch* batch, ValueType type);
  static Status AppendMark(WriteBatch* batch, ValueType type, const Slice& name);
  /// The commit of what was prepared without timestamps: they are this one.
  static Status AppendCommitMark(WriteBatch* batch, const Slice& name, const Slice& timestamp);
  /// The checksums of the batch's entries; null: it has none.
  static const BatchProtection* Protection(const WriteBatch* batch) {
    return batch->protection_.get();
  }
  /// Gives the batch checksums of so many bytes, made from what it has now unless it has some; 0:
  /// takes them away. NotSupported: neither 0 nor 8. Corruption: of a malformed batch. MemoryLimit.
  static Status Protect(WriteBatch* batch, size_t bytes_per_key);
  /// kHas... bits of the batch, computed if not known yet.
  static uint32_t ContentFlags(const WriteBatch* batch);

 private:
  // Checksums of what the reader has still, and of all of `src`.
  static Status AddChecksums(BatchReader* reader, BatchProtection* protection);
  static Status AppendChecksums(const WriteBatch& src, BatchProtection* protection);
  // AppendRecord() where there are checksums.
  static Status AppendProtected(WriteBatch* batch, ValueType type, uint32_t family,
                                const SliceParts& key, const SliceParts* value);
  static Status AppendUnprotected(WriteBatch* batch, ValueType type, uint32_t family,
                                  const SliceParts& key, const SliceParts* value);
};

}  // namespace cairn

#endif  // CAIRN_BATCH_WRITE_BATCH_INTERNAL_H_
