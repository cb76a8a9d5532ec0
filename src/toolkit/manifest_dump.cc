#include "toolkit/manifest_dump.h"

#include <cinttypes>
#include <vector>

#include "base/internal_key.h"
#include "base/string_util.h"
#include "base/timestamps.h"
#include "rocksdb/comparator.h"
#include "table/unique_id_text.h"
#include "toolkit/console.h"
#include "toolkit/json_text.h"
#include "toolkit/manifest_picture.h"

namespace cairn {
namespace {

// RocksDB's tool reads with so many, and shows them all.
constexpr size_t kLevels = 64;

void AddNumber(std::string* text, const char* name, uint64_t number) {
  *text += StringPrintf("\n  %s: %" PRIu64, name, number);
}
void AddNumber(std::string* text, const char* name, const std::optional<uint64_t>& number) {
  if (number) AddNumber(text, name, *number);
}
void AddText(std::string* text, const char* name, const std::optional<std::string>& value) {
  if (value) *text += std::string("\n  ") + name + ": " + *value;
}

std::string OldestBlobFileText(const FileMetaData& file) {
  return file.oldest_blob_file_number == kNoBlobFile
             ? ""
             : " blob_file:" + NumberToString(file.oldest_blob_file_number);
}

std::string BlobFileText(const BlobFileAddition& file) {
  return StringPrintf("blob_file_number: %" PRIu64 " total_blob_count: %" PRIu64
                      " total_blob_bytes: %" PRIu64 " checksum_method: ",
                      file.number, file.blobs, file.bytes) +
         file.checksum_func + " checksum_value: " + Slice(file.checksum).ToString(true);
}

std::string FileText(const VersionEdit::NewFile& added, bool hex) {
  const FileMetaData& file = added.meta;
  std::string text = StringPrintf("\n  AddFile: %d %" PRIu64 " %" PRIu64 " ", added.level,
                                  file.number, file.file_size);
  text += InternalKeyText(file.smallest.Encode(), hex) + " .. " +
          InternalKeyText(file.largest.Encode(), hex) + OldestBlobFileText(file);
  text += StringPrintf(" oldest_ancester_time:%" PRIu64 " file_creation_time:%" PRIu64,
                       file.oldest_ancester_time, file.file_creation_time);
  text += " file_checksum:" + Slice(file.file_checksum).ToString(true) +
          " file_checksum_func_name: " + file.file_checksum_func_name;
  if (file.temperature != Temperature::kUnknown) {
    text += StringPrintf(" temperature: %d", static_cast<int>(file.temperature));
  }
  if (file.unique_id != kNullUniqueId) {
    text += " unique_id(internal): " + UniqueIdText(file.unique_id) +
            " public_unique_id: " + PublicUniqueIdText(file.unique_id);
  }
  return text;
}

std::string EditText(const VersionEdit& edit, bool hex) {
  std::string text = "VersionEdit {";
  AddText(&text, "DB ID", edit.db_id());
  AddText(&text, "Comparator", edit.comparator());
  AddNumber(&text, "LogNumber", edit.log_number());
  AddNumber(&text, "PrevLogNumber", edit.prev_log_number());
  AddNumber(&text, "NextFileNumber", edit.next_file_number());
  if (edit.max_column_family()) AddNumber(&text, "MaxColumnFamily", *edit.max_column_family());
  AddNumber(&text, "MinLogNumberToKeep", edit.min_log_number_to_keep());
  AddNumber(&text, "LastSeq", edit.last_sequence());
  for (const VersionEdit::DeletedFile& file : edit.deleted_files()) {
    text += StringPrintf("\n  DeleteFile: %d %" PRIu64, file.level, file.number);
  }
  for (const VersionEdit::NewFile& file : edit.new_files()) text += FileText(file, hex);
  for (const BlobFileAddition& file : edit.blob_additions()) {
    text += "\n  BlobFileAddition: " + BlobFileText(file);
  }
  for (const BlobFileGarbage& garbage : edit.blob_garbage()) {
    text += StringPrintf("\n  BlobFileGarbage: blob_file_number: %" PRIu64
                         " garbage_blob_count: %" PRIu64 " garbage_blob_bytes: %" PRIu64,
                         garbage.number, garbage.blobs, garbage.bytes);
  }
  for (const WalAddition& wal : edit.wal_additions()) {
    AddNumber(&text, "WalAddition: log_number", wal.number);
    // (RocksDB shows the largest number for one that was not synced.)
    text += StringPrintf(" synced_size_in_bytes: %" PRIu64, wal.synced_bytes.value_or(UINT64_MAX));
  }
  AddNumber(&text, "WalDeletion: log_number", edit.wal_deletion_before());
  AddNumber(&text, "ColumnFamily", edit.column_family());
  AddText(&text, "ColumnFamilyAdd", edit.column_family_name());
  if (edit.is_column_family_drop()) text += "\n  ColumnFamilyDrop";
  if (edit.atomic_group_remaining()) {
    AddNumber(&text, "AtomicGroup", *edit.atomic_group_remaining());
    text += " entries remains";
  }
  if (edit.full_history_ts_low()) {
    text += "\n FullHistoryTsLow: " + Slice(*edit.full_history_ts_low()).ToString(hex);
  }
  return text + "\n}\n";
}

std::string FileJson(const VersionEdit::NewFile& added, bool hex) {
  const FileMetaData& file = added.meta;
  JsonObject object;
  object.Number("Level", static_cast<uint64_t>(added.level));
  object.Number("FileNumber", file.number);
  object.Number("FileSize", file.file_size);
  object.Text("SmallestIKey", InternalKeyText(file.smallest.Encode(), hex));
  object.Text("LargestIKey", InternalKeyText(file.largest.Encode(), hex));
  object.Number("OldestAncesterTime", file.oldest_ancester_time);
  object.Number("FileCreationTime", file.file_creation_time);
  object.Text("FileChecksum", Slice(file.file_checksum).ToString(true));
  object.Text("FileChecksumFuncName", file.file_checksum_func_name);
  if (file.oldest_blob_file_number != kNoBlobFile) {
    object.Number("OldestBlobFile", file.oldest_blob_file_number);
  }
  if (file.temperature != Temperature::kUnknown) {
    object.Number("Temperature", static_cast<uint64_t>(file.temperature));
  }
  return object.Done();
}

std::string BlobFileJson(const BlobFileAddition& file) {
  JsonObject object;
  object.Number("BlobFileNumber", file.number);
  object.Number("TotalBlobCount", file.blobs);
  object.Number("TotalBlobBytes", file.bytes);
  object.Text("ChecksumMethod", file.checksum_func);
  object.Text("ChecksumValue", Slice(file.checksum).ToString(true));
  return object.Done();
}

std::string GarbageJson(const BlobFileGarbage& garbage) {
  JsonObject object;
  object.Number("BlobFileNumber", garbage.number);
  object.Number("GarbageBlobCount", garbage.blobs);
  object.Number("GarbageBlobBytes", garbage.bytes);
  return object.Done();
}

std::string LogJson(const WalAddition& wal) {
  JsonObject object;
  object.Number("LogNumber", wal.number);
  object.Number("SyncedSizeInBytes", wal.synced_bytes.value_or(UINT64_MAX));
  return object.Done();
}

// No member where there are none.
template <class Item>
void AddArray(JsonObject* object, const char* name, const std::vector<Item>& items,
              std::string (*json)(const Item&)) {
  if (items.empty()) return;
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(json(item));
  object->Array(name, texts);
}

std::string EditJson(const VersionEdit& edit, uint64_t number, bool hex) {
  JsonObject object;
  object.Number("EditNumber", number);
  if (edit.db_id()) object.Text("DB ID", *edit.db_id());
  if (edit.comparator()) object.Text("Comparator", *edit.comparator());
  if (edit.log_number()) object.Number("LogNumber", *edit.log_number());
  if (edit.prev_log_number()) object.Number("PrevLogNumber", *edit.prev_log_number());
  if (edit.next_file_number()) object.Number("NextFileNumber", *edit.next_file_number());
  if (edit.max_column_family()) object.Number("MaxColumnFamily", *edit.max_column_family());
  if (edit.min_log_number_to_keep()) {
    object.Number("MinLogNumberToKeep", *edit.min_log_number_to_keep());
  }
  if (edit.last_sequence()) object.Number("LastSeq", *edit.last_sequence());
  std::vector<std::string> items;
  for (const VersionEdit::DeletedFile& file : edit.deleted_files()) {
    JsonObject item;
    item.Number("Level", static_cast<uint64_t>(file.level));
    item.Number("FileNumber", file.number);
    items.push_back(item.Done());
  }
  if (!items.empty()) object.Array("DeletedFiles", items);
  items.clear();
  for (const VersionEdit::NewFile& file : edit.new_files()) items.push_back(FileJson(file, hex));
  if (!items.empty()) object.Array("AddedFiles", items);
  AddArray(&object, "BlobFileAdditions", edit.blob_additions(), &BlobFileJson);
  AddArray(&object, "BlobFileGarbages", edit.blob_garbage(), &GarbageJson);
  AddArray(&object, "WalAdditions", edit.wal_additions(), &LogJson);
  if (edit.wal_deletion_before()) {
    JsonObject deletion;
    deletion.Number("LogNumber", *edit.wal_deletion_before());
    object.Object("WalDeletion", deletion.Done());
  }
  object.Number("ColumnFamily", edit.column_family());
  if (edit.column_family_name()) object.Text("ColumnFamilyAdd", *edit.column_family_name());
  if (edit.is_column_family_drop()) object.Text("ColumnFamilyDrop", "");
  if (edit.atomic_group_remaining()) object.Number("AtomicGroup", *edit.atomic_group_remaining());
  if (edit.full_history_ts_low()) {
    object.Text("FullHistoryTsLow", Slice(*edit.full_history_ts_low()).ToString(hex));
  }
  return object.Done() + "\n";
}

void PrintFamily(uint32_t id, const ManifestPicture::Family& family, size_t version,
                 const ManifestDumpOptions& options) {
  Write("--------------- Column family \"" + family.name + "\"  (ID " + NumberToString(id) +
        ") --------------\n");
  Print("log number: %" PRIu64 "\n", family.log_number);
  const bool known = family.comparator == options.comparator->Name();
  Write((known ? "comparator: " + family.comparator
               : "comparator: <" + family.comparator +
                     ">, but the comparator object is not available.") +
        "\n");
  for (size_t level = 0; level < std::max(kLevels, family.levels.size()); ++level) {
    Print("--- level %" PRIu64 " --- version# %" PRIu64 " ---\n", level, version);
    if (level >= family.levels.size()) continue;
    for (const FileMetaData& file : family.levels[level]) {
      Print(" %" PRIu64 ":%" PRIu64 "[%" PRIu64 " .. %" PRIu64 "]", file.number, file.file_size,
            file.smallest_seqno, file.largest_seqno);
      Write("[" + InternalKeyText(file.smallest.Encode(), options.hex) + " .. " +
            InternalKeyText(file.largest.Encode(), options.hex) + "]" + OldestBlobFileText(file) +
            "\n");
    }
  }
  const BlobFileList blobs = family.blobs.Build();
  if (!blobs.empty()) Print("--- blob files --- version# %" PRIu64 " ---\n", version);
  for (const auto& file : blobs) {
    std::string tables;
    for (const uint64_t table : file->linked_tables) tables += NumberToString(table) + " ";
    Write(BlobFileText(*file->file) + " linked_ssts: { " + tables +
          StringPrintf("} garbage_blob_count: %" PRIu64 " garbage_blob_bytes: %" PRIu64 "\n",
                       file->garbage_blobs, file->garbage_bytes));
  }
}

}  // namespace

std::string TimestampText(const Slice& timestamp) {
  if (timestamp.empty()) return "";
  uint64_t number = 0;
  // (A comparator of one's own may have others.)
  const Status s = DecodeU64Ts(timestamp, &number);
  return "|timestamp:" + (s.ok() ? std::to_string(number) : "0x" + timestamp.ToString(true));
}

std::string InternalKeyText(const Slice& internal_key, bool hex, const Comparator* comparator) {
  ParsedInternalKey key;
  if (!ParseInternalKey(internal_key, &key).ok()) return "(bad)" + EscapeBytes(internal_key);
  const size_t ts_size = comparator == nullptr ? 0 : comparator->timestamp_size();
  return "'" + StripTimestamp(key.user_key, ts_size).ToString(hex) +
         TimestampText(TimestampOf(key.user_key, ts_size)) +
         StringPrintf("' seq:%" PRIu64 ", type:%d", key.sequence, static_cast<int>(key.type));
}

Status DumpManifest(FileSystem* fs, const std::string& path, const ManifestDumpOptions& options) {
  ManifestPicture picture;
  uint64_t number = 0;
  Status s = picture.Read(fs, path, [&](const VersionEdit& edit) {
    ++number;
    if (options.json) {
      Write(EditJson(edit, number, options.hex));
    } else if (options.verbose) {
      Write(EditText(edit, options.hex));
    }
  });
  if (!s.ok()) return s;
  // RocksDB counts a first version of each family that it meets, and one more at the end.
  size_t version = picture.families_made;
  for (const auto& [id, family] : picture.families) PrintFamily(id, family, version++, options);
  // (And takes the next file's number for used.)
  Print("next_file_number %" PRIu64 " last_sequence %" PRIu64 "  prev_log_number %" PRIu64
        " max_column_family %u min_log_number_to_keep %" PRIu64 "\n",
        picture.next_file + 1, picture.last_sequence, picture.prev_log, picture.max_column_family,
        picture.min_log_to_keep);
  return s;
}

}  // namespace cairn
