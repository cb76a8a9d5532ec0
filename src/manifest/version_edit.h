// One change of the database's metadata: the payload of one MANIFEST record.
//
// Flush, compaction and column-family changes build an edit and hand it to VersionSet::LogAndApply;
// recovery decodes edits from the MANIFEST. Format: a sequence of (varint32 tag, fields). An
// unknown tag with bit 1 << 13 is skipped (it carries a length-prefixed payload); any other unknown
// tag means that the file was written by something that we must not guess about.
//
// Thread safety: none; an edit belongs to whoever builds it until LogAndApply returns.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "manifest/blob_file_meta.h"
#include "manifest/file_metadata.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

// Tags of MANIFEST records. The numbers are the file format.
enum ManifestTag : uint32_t {
  kTagComparator = 1,
  kTagLogNumber = 2,
  kTagNextFileNumber = 3,
  kTagLastSequence = 4,
  kTagCompactCursor = 5,
  kTagDeletedFile = 6,
  kTagNewFile = 7,
  kTagPrevLogNumber = 9,
  kTagMinLogNumberToKeep = 10,
  kTagNewFile2 = 100,
  kTagNewFile3 = 102,
  kTagNewFile4 = 103,
  kTagColumnFamily = 200,
  kTagColumnFamilyAdd = 201,
  kTagColumnFamilyDrop = 202,
  kTagMaxColumnFamily = 203,
  kTagInAtomicGroup = 300,
  kTagBlobFileAddition = 400,
  kTagBlobFileGarbage = 401,
  kTagSafeIgnoreMask = 1 << 13,
  kTagDbId = kTagSafeIgnoreMask + 1,
  kTagBlobFileAdditionDeprecated = kTagSafeIgnoreMask + 2,
  kTagBlobFileGarbageDeprecated = kTagSafeIgnoreMask + 3,
  kTagWalAddition =
      kTagSafeIgnoreMask + 4,  // not length-prefixed, unlike the rule for skippable tags
  kTagWalDeletion = kTagSafeIgnoreMask + 5,  // likewise
  kTagFullHistoryTsLow = kTagSafeIgnoreMask + 6,
  kTagWalAddition2 = kTagSafeIgnoreMask + 7,
  kTagWalDeletion2 = kTagSafeIgnoreMask + 8,
  kTagPersistUserDefinedTimestamps = kTagSafeIgnoreMask + 9,
  kTagSubcompactionProgress = kTagSafeIgnoreMask + 10,
  // Cairn's own, far from the numbers that RocksDB gives: LogEnd, two varint64.
  kTagSyncedLog = kTagSafeIgnoreMask + 4096 + 1,
};

// Tags of the fields that follow a NewFile4 record, each (varint32 tag, length-prefixed value),
// ended by kFileTerminate. An unknown one may be skipped unless bit 1 << 6 is set.
enum NewFileTag : uint32_t {
  kFileTerminate = 1,
  kFileNeedCompaction = 2,
  kFileMinLogNumberToKeepHack = 3,
  kFileOldestBlobFileNumber = 4,
  kFileOldestAncesterTime = 5,
  kFileCreationTime = 6,
  kFileChecksum = 7,
  kFileChecksumFuncName = 8,
  kFileTemperature = 9,
  kFileMinTimestamp = 10,
  kFileMaxTimestamp = 11,
  kFileUniqueId = 12,
  kFileEpochNumber = 13,
  kFileCompensatedRangeDeletionSize = 14,
  kFileTailSize = 15,
  kFileUserDefinedTimestampsPersisted = 16,
  kFileNonSafeIgnoreMask = 1 << 6,
  kFilePathId = kFileNonSafeIgnoreMask + 1,
};

// A log that track_and_verify_wals_in_manifest tells of.
struct WalAddition {
  uint64_t number = 0;
  std::optional<uint64_t> synced_bytes;  // none: it was made, and perhaps never synced
  bool operator==(const WalAddition&) const = default;
};

// Where the logs ended at some time: the newest one that had records then, and the last sequence
// number in it.
struct LogEnd {
  uint64_t log = 0;  // 0: none
  SequenceNumber last_sequence = 0;
  auto operator<=>(const LogEnd&) const = default;
};

class VersionEdit {
 public:
  struct DeletedFile {
    int level;
    uint64_t number;
    bool operator==(const DeletedFile&) const = default;
  };
  struct NewFile {
    int level;
    FileMetaData meta;
  };

  // --- What the edit says. A setter marks the field as present.
  void SetDBId(std::string id) { db_id_ = std::move(id); }
  void SetComparatorName(std::string name) { comparator_ = std::move(name); }
  // WALs below this number hold nothing that this column family still needs.
  void SetLogNumber(uint64_t n) { log_number_ = n; }
  void SetPrevLogNumber(uint64_t n) { prev_log_number_ = n; }
  void SetNextFile(uint64_t n) { next_file_number_ = n; }
  void SetLastSequence(SequenceNumber s) { last_sequence_ = s; }
  void SetMinLogNumberToKeep(uint64_t n) { min_log_number_to_keep_ = n; }
  // All that the logs had up to there is on the disk: tables of this edit have a part of it, and
  // the logs may have the other families' part of the same batches.
  void SetSyncedLog(const LogEnd& end) { synced_log_ = end; }
  void SetMaxColumnFamily(uint32_t id) { max_column_family_ = id; }
  void SetFullHistoryTsLow(std::string ts) { full_history_ts_low_ = std::move(ts); }
  void SetPersistUserDefinedTimestamps(bool v) { persist_user_defined_timestamps_ = v; }
  // Which family the edit belongs to (0, the default one, is not written).
  void SetColumnFamily(uint32_t id) { column_family_ = id; }
  void AddColumnFamily(std::string name) { column_family_name_ = std::move(name); }
  void DropColumnFamily() { column_family_drop_ = true; }
  // This record belongs to a group that is applied as a whole; `remaining` more records follow it.
  void MarkAtomicGroup(uint32_t remaining) { atomic_group_remaining_ = remaining; }

  // REQUIRES: meta has bounds, size, number and sequence range; level >= 0.
  void AddFile(int level, FileMetaData meta) { new_files_.push_back({level, std::move(meta)}); }
  void DeleteFile(int level, uint64_t number) { deleted_files_.push_back({level, number}); }
  void AddBlobFile(BlobFileAddition file) { blob_additions_.push_back(std::move(file)); }
  void AddBlobGarbage(const BlobFileGarbage& garbage) { blob_garbage_.push_back(garbage); }
  // Of logs. RocksDB reads of a record with one of these kinds only that, and the counters: no
  // files, families or log numbers in the same edit, nor the other kind.
  void AddWal(const WalAddition& wal) { wal_additions_.push_back(wal); }
  void DeleteWalsBefore(uint64_t number) { wal_deletion_before_ = number; }

  const std::optional<std::string>& db_id() const { return db_id_; }
  const std::optional<std::string>& comparator() const { return comparator_; }
  const std::optional<uint64_t>& log_number() const { return log_number_; }
  const std::optional<uint64_t>& prev_log_number() const { return prev_log_number_; }
  const std::optional<uint64_t>& next_file_number() const { return next_file_number_; }
  const std::optional<SequenceNumber>& last_sequence() const { return last_sequence_; }
  const std::optional<uint64_t>& min_log_number_to_keep() const { return min_log_number_to_keep_; }
  const std::optional<LogEnd>& synced_log() const { return synced_log_; }
  const std::optional<uint32_t>& max_column_family() const { return max_column_family_; }
  const std::optional<std::string>& full_history_ts_low() const { return full_history_ts_low_; }
  const std::optional<bool>& persist_user_defined_timestamps() const {
    return persist_user_defined_timestamps_;
  }
  uint32_t column_family() const { return column_family_; }
  bool is_column_family_add() const { return column_family_name_.has_value(); }
  bool is_column_family_drop() const { return column_family_drop_; }
  bool is_column_family_manipulation() const {
    return is_column_family_add() || is_column_family_drop();
  }
  const std::optional<std::string>& column_family_name() const { return column_family_name_; }
  const std::optional<uint32_t>& atomic_group_remaining() const { return atomic_group_remaining_; }
  const std::vector<NewFile>& new_files() const { return new_files_; }
  std::vector<NewFile>& mutable_new_files() { return new_files_; }
  const std::vector<DeletedFile>& deleted_files() const { return deleted_files_; }
  const std::vector<BlobFileAddition>& blob_additions() const { return blob_additions_; }
  const std::vector<BlobFileGarbage>& blob_garbage() const { return blob_garbage_; }
  // Logs that are tracked in the MANIFEST (TrackedWals).
  const std::vector<WalAddition>& wal_additions() const { return wal_additions_; }
  const std::optional<uint64_t>& wal_deletion_before() const { return wal_deletion_before_; }

  void Clear() { *this = VersionEdit(); }
  // The rest stays: which tables and blob files come and go is not said.
  void ClearFiles() {
    new_files_.clear();
    deleted_files_.clear();
    blob_additions_.clear();
    blob_garbage_.clear();
  }

  // Appends the record to *dst. false: a file lacks its bounds (a bug of the caller), *dst holds a
  // partial record.
  [[nodiscard]] bool EncodeTo(std::string* dst) const;
  // Replaces the content by what `src` says. Corruption: malformed, or an unknown tag that may not
  // be skipped. NotSupported: a table with a field of a newer version. The caller adds the file's
  // name and offset.
  [[nodiscard]] Status DecodeFrom(const Slice& src);

  std::string DebugString(bool hex_key = false) const;

 private:
  std::optional<std::string> db_id_, comparator_, full_history_ts_low_, column_family_name_;
  std::optional<uint64_t> log_number_, prev_log_number_, next_file_number_, last_sequence_,
      min_log_number_to_keep_, wal_deletion_before_;
  std::optional<LogEnd> synced_log_;
  std::optional<uint32_t> max_column_family_, atomic_group_remaining_;
  std::optional<bool> persist_user_defined_timestamps_;
  uint32_t column_family_ = 0;
  bool column_family_drop_ = false;
  std::vector<WalAddition> wal_additions_;
  std::vector<DeletedFile> deleted_files_;
  std::vector<NewFile> new_files_;
  std::vector<BlobFileAddition> blob_additions_;
  std::vector<BlobFileGarbage> blob_garbage_;
};

}  // namespace cairn
