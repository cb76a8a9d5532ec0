#include "manifest/version_edit.h"

#include <cinttypes>
#include <cstdio>

#include "base/coding.h"
#include "base/range_tombstones.h"
#include "base/timestamps.h"

namespace cairn {

void FileMetaData::AddTimestamps() {
  constexpr size_t kSize = kUnpersistedTimestampSize;
  smallest.DecodeFrom(InternalKeyWithMinTimestamp(smallest.Encode(), kSize));
  if (EndsWithTombstone(largest.Encode())) {
    // It lies before all versions of its key.
    largest = InternalKey(WithMaxTimestamp(largest.user_key(), kSize), kMaxSequenceNumber,
                          kTypeRangeDeletion);
  } else {
    largest.DecodeFrom(InternalKeyWithMinTimestamp(largest.Encode(), kSize));
  }
  user_defined_timestamps_persisted = false;
}

void FileMetaData::RemoveTimestamps() {
  for (InternalKey* bound : {&smallest, &largest}) {
    bound->DecodeFrom(InternalKeyWithoutTimestamp(bound->Encode(), kUnpersistedTimestampSize));
  }
  user_defined_timestamps_persisted = true;
}

namespace {

void PutTagged32(std::string* dst, uint32_t tag, uint32_t value) {
  PutVarint32(dst, tag);
  PutVarint32(dst, value);
}

void PutTagged64(std::string* dst, uint32_t tag, uint64_t value) {
  PutVarint32(dst, tag);
  PutVarint64(dst, value);
}

void PutTaggedString(std::string* dst, uint32_t tag, const Slice& value) {
  PutVarint32(dst, tag);
  PutLengthPrefixedSlice(dst, value);
}

void PutTaggedVarintField(std::string* dst, uint32_t tag, uint64_t value) {
  std::string field;
  PutVarint64(&field, value);
  PutTaggedString(dst, tag, field);
}

// A bound as the MANIFEST has it.
std::string StoredBound(const FileMetaData& f, const InternalKey& bound) {
  return f.user_defined_timestamps_persisted
             ? bound.Encode().ToString()
             : InternalKeyWithoutTimestamp(bound.Encode(), kUnpersistedTimestampSize);
}

bool EncodeNewFile(std::string* dst, int level, const FileMetaData& f) {
  const size_t least = 8 + (f.user_defined_timestamps_persisted ? 0 : kUnpersistedTimestampSize);
  if (f.smallest.Encode().size() < least || f.largest.Encode().size() < least) return false;
  PutVarint32(dst, kTagNewFile4);
  PutVarint32(dst, static_cast<uint32_t>(level));
  PutVarint64(dst, f.number);
  PutVarint64(dst, f.file_size);
  PutLengthPrefixedSlice(dst, StoredBound(f, f.smallest));
  PutLengthPrefixedSlice(dst, StoredBound(f, f.largest));
  PutVarint64(dst, f.smallest_seqno);
  PutVarint64(dst, f.largest_seqno);

  PutTaggedVarintField(dst, kFileOldestAncesterTime, f.oldest_ancester_time);
  PutTaggedVarintField(dst, kFileCreationTime, f.file_creation_time);
  if (f.epoch_number != kUnknownEpochNumber) {
    PutTaggedVarintField(dst, kFileEpochNumber, f.epoch_number);
  }
  if (f.file_checksum_func_name != kUnknownFileChecksumFuncName) {
    PutTaggedString(dst, kFileChecksum, f.file_checksum);
    PutTaggedString(dst, kFileChecksumFuncName, f.file_checksum_func_name);
  }
  if (f.path_id != 0) {
    const char path = static_cast<char>(f.path_id);
    PutTaggedString(dst, kFilePathId, Slice(&path, 1));
  }
  if (f.temperature != Temperature::kUnknown) {
    const char temperature = static_cast<char>(f.temperature);
    PutTaggedString(dst, kFileTemperature, Slice(&temperature, 1));
  }
  if (f.oldest_blob_file_number != kNoBlobFile) {
    PutTaggedVarintField(dst, kFileOldestBlobFileNumber, f.oldest_blob_file_number);
  }
  if (f.marked_for_compaction) PutTaggedString(dst, kFileNeedCompaction, Slice("\x01", 1));
  if (!f.min_timestamp.empty()) PutTaggedString(dst, kFileMinTimestamp, f.min_timestamp);
  if (!f.max_timestamp.empty()) PutTaggedString(dst, kFileMaxTimestamp, f.max_timestamp);
  if (f.unique_id != kNullUniqueId) {
    PutTaggedString(dst, kFileUniqueId, EncodeUniqueId(f.unique_id));
  }
  if (f.compensated_range_deletion_size != 0) {
    PutTaggedVarintField(dst, kFileCompensatedRangeDeletionSize, f.compensated_range_deletion_size);
  }
  if (f.tail_size != 0) PutTaggedVarintField(dst, kFileTailSize, f.tail_size);
  if (!f.user_defined_timestamps_persisted) {
    PutTaggedString(dst, kFileUserDefinedTimestampsPersisted, Slice("\0", 1));
  }
  PutVarint32(dst, kFileTerminate);
  return true;
}

// RocksDB has at most four paths.
constexpr uint32_t kMaxPath = 3;

// Reads one record; each getter says what it was reading when it fails, so that the first failure
// names itself.
class EditReader {
 public:
  explicit EditReader(const Slice& input) : input_(input) {}

  bool done() const { return input_.empty() || failed_ != nullptr; }
  const char* failed() const { return failed_; }

  uint32_t U32(const char* what) {
    uint32_t v = 0;
    if (failed_ == nullptr && !GetVarint32(&input_, &v)) failed_ = what;
    return v;
  }
  uint64_t U64(const char* what) {
    uint64_t v = 0;
    if (failed_ == nullptr && !GetVarint64(&input_, &v)) failed_ = what;
    return v;
  }
  Slice String(const char* what) {
    Slice v;
    if (failed_ == nullptr && !GetLengthPrefixedSlice(&input_, &v)) failed_ = what;
    return v;
  }
  int Level(const char* what) {
    const uint32_t level = U32(what);
    if (failed_ == nullptr && level >= kMaxLevels) failed_ = what;
    return static_cast<int>(level);
  }
  uint32_t Path(const char* what) {
    const uint32_t path = U32(what);
    if (failed_ == nullptr && path > kMaxPath) failed_ = what;
    return path;
  }
  InternalKey Key(const char* what) {
    const Slice encoded = String(what);
    InternalKey key;
    if (failed_ == nullptr && encoded.size() < 8) failed_ = what;
    if (failed_ == nullptr) key.DecodeFrom(encoded);
    return key;
  }
  // A BlobFileAddition or BlobFileGarbage, behind the others.
  template <typename T>
  void Blob(const char* what, std::vector<T>* all) {
    T one;
    if (failed_ == nullptr && !one.DecodeFrom(&input_)) failed_ = what;
    if (failed_ == nullptr) all->push_back(std::move(one));
  }
  SequenceNumber Sequence(const char* what) {
    const uint64_t v = U64(what);
    if (failed_ == nullptr && v > kMaxSequenceNumber) failed_ = what;
    return v;
  }

 private:
  // RocksDB's tools assume 64; a level beyond it is damage, not a configuration.
  static constexpr uint32_t kMaxLevels = 64;

  Slice input_;
  const char* failed_ = nullptr;
};

uint64_t FieldVarint64(const Slice& field, bool* ok) {
  Slice in = field;
  uint64_t v = 0;
  if (!GetVarint64(&in, &v) || !in.empty()) *ok = false;
  return v;
}

uint8_t FieldByte(const Slice& field, bool* ok) {
  if (field.size() != 1) {
    *ok = false;
    return 0;
  }
  return static_cast<uint8_t>(field[0]);
}

Status MalformedField(uint32_t tag) {
  return Status::Corruption("VersionEdit", "malformed new-file field " + std::to_string(tag));
}

// The custom fields of a NewFile4, up to and including the terminator.
Status DecodeNewFileFields(EditReader* in, FileMetaData* f,
                           std::optional<uint64_t>* min_log_number_to_keep) {
  for (;;) {
    const uint32_t tag = in->U32("new-file field tag");
    if (in->failed() != nullptr || tag == kFileTerminate) return Status::OK();
    const Slice field = in->String("new-file field");
    if (in->failed() != nullptr) return Status::OK();
    bool ok = true;
    switch (tag) {
      case kFileNeedCompaction: {
        const uint8_t v = FieldByte(field, &ok);
        ok = ok && v <= 1;
        f->marked_for_compaction = v == 1;
        break;
      }
      case kFileMinLogNumberToKeepHack:
        // Written by versions between NewFile3 and the tag of its own: a fixed64.
        ok = field.size() == 8;
        if (ok) *min_log_number_to_keep = DecodeFixed64(field.data());
        break;
      case kFileOldestBlobFileNumber:
        f->oldest_blob_file_number = FieldVarint64(field, &ok);
        break;
      case kFileOldestAncesterTime:
        f->oldest_ancester_time = FieldVarint64(field, &ok);
        break;
      case kFileCreationTime:
        f->file_creation_time = FieldVarint64(field, &ok);
        break;
      case kFileEpochNumber:
        f->epoch_number = FieldVarint64(field, &ok);
        break;
      case kFileChecksum:
        f->file_checksum = field.ToString();
        break;
      case kFileChecksumFuncName:
        f->file_checksum_func_name = field.ToString();
        break;
      case kFileTemperature:
        f->temperature = static_cast<Temperature>(FieldByte(field, &ok));
        break;
      case kFileMinTimestamp:
        f->min_timestamp = field.ToString();
        break;
      case kFileMaxTimestamp:
        f->max_timestamp = field.ToString();
        break;
      case kFileUniqueId:
        ok = DecodeUniqueId(field, &f->unique_id);
        break;
      case kFileCompensatedRangeDeletionSize:
        f->compensated_range_deletion_size = FieldVarint64(field, &ok);
        break;
      case kFileTailSize:
        f->tail_size = FieldVarint64(field, &ok);
        break;
      case kFileUserDefinedTimestampsPersisted:
        f->user_defined_timestamps_persisted = FieldByte(field, &ok) != 0;
        break;
      case kFilePathId:
        f->path_id = FieldByte(field, &ok);
        ok = ok && f->path_id <= kMaxPath;
        break;
      default:
        if ((tag & kFileNonSafeIgnoreMask) != 0) {
          return Status::NotSupported(
              "VersionEdit",
              "unknown new-file field " + std::to_string(tag) + " of a newer version");
        }
        break;  // may be skipped
    }
    if (!ok) return MalformedField(tag);
  }
}

// A WAL addition's own fields, behind its number: (varint32 tag, value), ended by kWalTerminate.
enum WalFieldTag : uint32_t {
  kWalTerminate = 1,
  kWalSyncedSize = 2,  // varint64, bytes
};

Status DecodeWalAddition(EditReader* in, std::vector<WalAddition>* additions) {
  WalAddition wal;
  wal.number = in->U64("WAL addition");
  for (;;) {
    const uint32_t tag = in->U32("WAL field tag");
    if (in->failed() != nullptr || tag == kWalTerminate) break;
    if (tag != kWalSyncedSize) {
      return Status::Corruption("VersionEdit", "unknown WAL field " + std::to_string(tag));
    }
    wal.synced_bytes = in->U64("WAL synced size");
  }
  additions->push_back(wal);
  return Status::OK();
}

// In strings, so that releases of RocksDB that do not know them skip them.
void EncodeWals(std::string* dst, const std::vector<WalAddition>& additions,
                const std::optional<uint64_t>& deletion_before) {
  std::string record;
  for (const WalAddition& wal : additions) {
    record.clear();
    PutVarint64(&record, wal.number);
    if (wal.synced_bytes) PutTagged64(&record, kWalSyncedSize, *wal.synced_bytes);
    PutVarint32(&record, kWalTerminate);
    PutTaggedString(dst, kTagWalAddition2, record);
  }
  if (deletion_before) PutTaggedVarintField(dst, kTagWalDeletion2, *deletion_before);
}

// min_log_number_to_keep: a field of new files that says it for the database.
Status DecodeNewFile(uint32_t tag, EditReader* in, VersionEdit::NewFile* file,
                     std::optional<uint64_t>* min_log_number_to_keep) {
  FileMetaData& f = file->meta;
  file->level = in->Level("new file's level");
  f.number = in->U64("new file's number");
  if (tag == kTagNewFile3) f.path_id = in->Path("new file's path");
  f.file_size = in->U64("new file's size");
  f.smallest = in->Key("new file's smallest key");
  f.largest = in->Key("new file's largest key");
  if (tag == kTagNewFile) {
    // The first format had no sequence range; 0 is what the bounds of such files are taken as.
    f.smallest_seqno = 0;
    f.largest_seqno = 0;
  } else {
    f.smallest_seqno = in->Sequence("new file's smallest sequence");
    f.largest_seqno = in->Sequence("new file's largest sequence");
  }
  if (tag != kTagNewFile4 || in->failed() != nullptr) return Status::OK();
  Status s = DecodeNewFileFields(in, &f, min_log_number_to_keep);
  if (s.ok() && in->failed() == nullptr && !f.user_defined_timestamps_persisted) f.AddTimestamps();
  return s;
}

Status Malformed(const char* what) {
  return Status::Corruption("VersionEdit", std::string("malformed ") + what);
}

// A WAL addition or deletion; the newer tags have it in a string, so that older releases skip it.
Status DecodeWal(uint32_t tag, EditReader* in, std::vector<WalAddition>* additions,
                 std::optional<uint64_t>* deletion_before) {
  switch (tag) {
    case kTagWalAddition:
      return DecodeWalAddition(in, additions);
    case kTagWalDeletion:
      *deletion_before = in->U64("WAL deletion");
      return Status::OK();
    default:
      break;
  }
  EditReader wal(in->String("WAL record"));
  if (in->failed() != nullptr) return Status::OK();
  if (tag == kTagWalAddition2) {
    if (Status s = DecodeWalAddition(&wal, additions); !s.ok()) return s;
  } else {
    *deletion_before = wal.U64("WAL deletion");
  }
  return wal.failed() == nullptr ? Status::OK() : Malformed(wal.failed());
}

Status DecodeSyncedLog(EditReader* in, std::optional<LogEnd>* synced) {
  EditReader end(in->String("synced log"));
  if (in->failed() != nullptr) return Status::OK();
  synced->emplace();
  (*synced)->log = end.U64("synced log's number");
  (*synced)->last_sequence = end.Sequence("synced log's last sequence number");
  return end.failed() == nullptr ? Status::OK() : Malformed(end.failed());
}

}  // namespace

bool VersionEdit::EncodeTo(std::string* dst) const {
  if (db_id_) PutTaggedString(dst, kTagDbId, *db_id_);
  if (comparator_) PutTaggedString(dst, kTagComparator, *comparator_);
  if (log_number_) PutTagged64(dst, kTagLogNumber, *log_number_);
  if (prev_log_number_) PutTagged64(dst, kTagPrevLogNumber, *prev_log_number_);
  if (next_file_number_) PutTagged64(dst, kTagNextFileNumber, *next_file_number_);
  if (max_column_family_) PutTagged32(dst, kTagMaxColumnFamily, *max_column_family_);
  if (min_log_number_to_keep_) PutTagged64(dst, kTagMinLogNumberToKeep, *min_log_number_to_keep_);
  if (last_sequence_) PutTagged64(dst, kTagLastSequence, *last_sequence_);
  if (synced_log_) {
    std::string end;
    PutVarint64(&end, synced_log_->log);
    PutVarint64(&end, synced_log_->last_sequence);
    PutTaggedString(dst, kTagSyncedLog, end);
  }
  for (const DeletedFile& f : deleted_files_) {
    PutTagged32(dst, kTagDeletedFile, static_cast<uint32_t>(f.level));
    PutVarint64(dst, f.number);
  }
  for (const NewFile& f : new_files_) {
    if (!EncodeNewFile(dst, f.level, f.meta)) return false;
  }
  for (const BlobFileAddition& f : blob_additions_) {
    PutVarint32(dst, kTagBlobFileAddition);
    f.AppendTo(dst);
  }
  for (const BlobFileGarbage& g : blob_garbage_) {
    PutVarint32(dst, kTagBlobFileGarbage);
    g.AppendTo(dst);
  }
  EncodeWals(dst, wal_additions_, wal_deletion_before_);
  // Family 0 is implied.
  if (column_family_ != 0) PutTagged32(dst, kTagColumnFamily, column_family_);
  if (column_family_name_) PutTaggedString(dst, kTagColumnFamilyAdd, *column_family_name_);
  if (column_family_drop_) PutVarint32(dst, kTagColumnFamilyDrop);
  if (atomic_group_remaining_) PutTagged32(dst, kTagInAtomicGroup, *atomic_group_remaining_);
  if (full_history_ts_low_) PutTaggedString(dst, kTagFullHistoryTsLow, *full_history_ts_low_);
  if (persist_user_defined_timestamps_) {
    const char v = *persist_user_defined_timestamps_ ? 1 : 0;
    PutTaggedString(dst, kTagPersistUserDefinedTimestamps, Slice(&v, 1));
  }
  return true;
}

Status VersionEdit::DecodeFrom(const Slice& src) {
  Clear();
  EditReader in(src);
  while (!in.done()) {
    const uint32_t tag = in.U32("tag");
    if (in.failed() != nullptr) break;
    Status s;
    switch (tag) {
      case kTagComparator:
        comparator_ = in.String("comparator name").ToString();
        break;
      case kTagLogNumber:
        log_number_ = in.U64("log number");
        break;
      case kTagPrevLogNumber:
        prev_log_number_ = in.U64("previous log number");
        break;
      case kTagNextFileNumber:
        next_file_number_ = in.U64("next file number");
        break;
      case kTagLastSequence:
        last_sequence_ = in.Sequence("last sequence");
        break;
      case kTagMinLogNumberToKeep:
        min_log_number_to_keep_ = in.U64("min log number to keep");
        break;
      case kTagMaxColumnFamily:
        max_column_family_ = in.U32("max column family");
        break;
      case kTagCompactCursor:  // a hint of one run to the next; we keep ours in memory
        in.Level("compaction cursor level");
        in.Key("compaction cursor");
        break;
      case kTagDeletedFile: {
        const int level = in.Level("deleted file's level");
        const uint64_t number = in.U64("deleted file");
        if (in.failed() == nullptr) deleted_files_.push_back({level, number});
        break;
      }
      case kTagNewFile:
      case kTagNewFile2:
      case kTagNewFile3:
      case kTagNewFile4: {
        NewFile file;
        s = DecodeNewFile(tag, &in, &file, &min_log_number_to_keep_);
        if (s.ok() && in.failed() == nullptr) new_files_.push_back(std::move(file));
        break;
      }
      case kTagColumnFamily:
        column_family_ = in.U32("column family");
        break;
      case kTagColumnFamilyAdd:
        column_family_name_ = in.String("column family name").ToString();
        break;
      case kTagColumnFamilyDrop:
        column_family_drop_ = true;
        break;
      case kTagInAtomicGroup:
        atomic_group_remaining_ = in.U32("atomic group");
        break;
      case kTagBlobFileAddition:
      case kTagBlobFileAdditionDeprecated:
        in.Blob("blob file addition", &blob_additions_);
        break;
      case kTagBlobFileGarbage:
      case kTagBlobFileGarbageDeprecated:
        in.Blob("blob file garbage", &blob_garbage_);
        break;
      case kTagDbId:
        db_id_ = in.String("database id").ToString();
        break;
      case kTagWalAddition:
      case kTagWalDeletion:
      case kTagWalAddition2:
      case kTagWalDeletion2:
        s = DecodeWal(tag, &in, &wal_additions_, &wal_deletion_before_);
        break;
      case kTagSyncedLog:
        s = DecodeSyncedLog(&in, &synced_log_);
        break;
      case kTagFullHistoryTsLow:
        full_history_ts_low_ = in.String("full history timestamp").ToString();
        break;
      case kTagPersistUserDefinedTimestamps: {
        const Slice v = in.String("persist user-defined timestamps");
        if (in.failed() != nullptr) break;
        if (v.size() != 1) return Malformed("persist user-defined timestamps");
        persist_user_defined_timestamps_ = v[0] != 0;
        break;
      }
      default:
        if ((tag & kTagSafeIgnoreMask) == 0) {
          return Status::Corruption("VersionEdit", "unknown tag " + std::to_string(tag));
        }
        in.String("skippable record");
        break;
    }
    if (!s.ok()) return s;
  }
  return in.failed() == nullptr ? Status::OK() : Malformed(in.failed());
}

std::string VersionEdit::DebugString(bool hex_key) const {
  std::string r = "VersionEdit {";
  const auto number = [&r](const char* name, uint64_t v) {
    r.append("\n  ").append(name).append(": ").append(std::to_string(v));
  };
  const auto text = [&r](const char* name, const std::string& v) {
    r.append("\n  ").append(name).append(": ").append(v);
  };
  if (db_id_) text("DB ID", *db_id_);
  if (comparator_) text("Comparator", *comparator_);
  if (log_number_) number("LogNumber", *log_number_);
  if (prev_log_number_) number("PrevLogNumber", *prev_log_number_);
  if (next_file_number_) number("NextFileNumber", *next_file_number_);
  if (max_column_family_) number("MaxColumnFamily", *max_column_family_);
  if (min_log_number_to_keep_) number("MinLogNumberToKeep", *min_log_number_to_keep_);
  if (last_sequence_) number("LastSeq", *last_sequence_);
  if (synced_log_) {
    number("SyncedLog", synced_log_->log);
    r.append(" up to ").append(std::to_string(synced_log_->last_sequence));
  }
  for (const DeletedFile& f : deleted_files_) {
    r.append("\n  DeleteFile: ").append(std::to_string(f.level));
    r.append(" ").append(std::to_string(f.number));
  }
  for (const NewFile& f : new_files_) {
    r.append("\n  AddFile: ").append(std::to_string(f.level));
    r.append(" ").append(std::to_string(f.meta.number));
    r.append(" ").append(std::to_string(f.meta.file_size));
    r.append(" ").append(f.meta.smallest.user_key().ToString(hex_key));
    r.append(" .. ").append(f.meta.largest.user_key().ToString(hex_key));
    r.append(" epoch_number:").append(std::to_string(f.meta.epoch_number));
  }
  for (const BlobFileAddition& f : blob_additions_) {
    number("BlobFileAddition", f.number);
    r.append(" blobs: ").append(std::to_string(f.blobs));
    r.append(" bytes: ").append(std::to_string(f.bytes));
  }
  for (const BlobFileGarbage& g : blob_garbage_) {
    number("BlobFileGarbage", g.number);
    r.append(" blobs: ").append(std::to_string(g.blobs));
    r.append(" bytes: ").append(std::to_string(g.bytes));
  }
  for (const WalAddition& wal : wal_additions_) {
    number("WalAddition", wal.number);
    if (wal.synced_bytes) r.append(" synced: ").append(std::to_string(*wal.synced_bytes));
  }
  if (wal_deletion_before_) number("WalDeletion", *wal_deletion_before_);
  number("ColumnFamily", column_family_);
  if (column_family_name_) text("ColumnFamilyAdd", *column_family_name_);
  if (column_family_drop_) r.append("\n  ColumnFamilyDrop");
  if (atomic_group_remaining_) number("AtomicGroup remaining", *atomic_group_remaining_);
  r.append("\n}\n");
  return r;
}

}  // namespace cairn
