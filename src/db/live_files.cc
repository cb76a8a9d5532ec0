// What a database consists of: its live files, for who copies or lists them.
//
// A copy of a running database is right if all its parts are of one moment. The moment is chosen
// with leadership of the commit queue and the mutex held: no write is between log and memtable, and
// MANIFEST, tables and logs agree. From there on the files that were named only grow, as long as
// nothing is deleted.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "batch/batch_reader.h"
#include "db/database.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/live_files.h"
#include "db/options_changes.h"
#include "db/properties.h"
#include "db/write_path.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_reader.h"
#include "options/options_check.h"
#include "rocksdb/transaction_log.h"
#include "wal/log_iterator.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

class ListedLog final : public LogFile {
 public:
  ListedLog(uint64_t number, uint64_t bytes, SequenceNumber start, WalFileType type = kAliveLogFile)
      : number_(number), bytes_(bytes), start_(start), type_(type) {}
  std::string PathName() const override {
    return LogFileName(type_ == kArchivedLogFile ? ArchiveDirName("") : "", number_);
  }
  uint64_t LogNumber() const override { return number_; }
  WalFileType Type() const override { return type_; }
  SequenceNumber StartSequence() const override { return start_; }
  uint64_t SizeFileBytes() const override { return bytes_; }

 private:
  const uint64_t number_;
  const uint64_t bytes_;
  const SequenceNumber start_;
  const WalFileType type_;
};

void AddTables(int num_levels, const std::vector<const LiveFileMetaData*>& files,
               ColumnFamilyMetaData* metadata) {
  std::vector<std::vector<SstFileMetaData>> levels(static_cast<size_t>(num_levels));
  std::vector<uint64_t> sizes(levels.size(), 0);
  for (const LiveFileMetaData* file : files) {
    levels[file->level].push_back(*file);
    sizes[file->level] += file->size;
    metadata->size += file->size;
    ++metadata->file_count;
  }
  for (size_t level = 0; level < levels.size(); ++level) {
    metadata->levels.emplace_back(static_cast<int>(level), sizes[level], std::move(levels[level]));
  }
}

void AddBlobFiles(const BlobFileList& files, const std::string& path,
                  ColumnFamilyMetaData* metadata) {
  for (const auto& blobs : files) {
    const BlobFileAddition& file = *blobs->file;
    BlobMetaData& m = metadata->blob_files.emplace_back();
    m.blob_file_number = file.number;
    m.blob_file_name = BlobFileName("", file.number);
    m.blob_file_path = path;
    m.blob_file_size = file.file_size();
    m.total_blob_count = file.blobs;
    m.total_blob_bytes = file.bytes;
    m.garbage_blob_count = blobs->garbage_blobs;
    m.garbage_blob_bytes = blobs->garbage_bytes;
    m.checksum_method = file.checksum_func;
    m.checksum_value = file.checksum;
    ++metadata->blob_file_count;
    metadata->blob_file_size += m.blob_file_size;
  }
}

// A database that is open for reading may know a part of its families only. Without the others'
// files what its MANIFEST says would be a broken database. (RocksDB lists what it knows.)
Status CheckAllFamiliesAreOpen(Database* db) {
  std::vector<std::string> names;
  Status s = VersionSet::ListColumnFamilies(db->name, db->fs, &names);
  if (!s.ok()) return s;
  DBMutexLock lock(db->mutex());
  for (const auto& [id, family] : db->versions->families()) std::erase(names, family->name());
  if (names.empty()) return s;
  return Status::NotSupported("the files of a column family that is not open", names.front());
}

}  // namespace

Status LiveFiles::GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                               bool flush_memtable) {
  if (db_.mode == OpenMode::kSecondary || db_.Forked())
    return db_.RefuseIfReadOnly();  // the primary changes them
  if (flush_memtable && db_.mode == OpenMode::kReadWrite) {
    Status s = db_.flushes->FlushAllFamilies(FlushOptions(), FlushReason::kGetLiveFiles);
    if (!s.ok()) return s;
  }
  DBMutexLock lock(db_.mutex());
  files.clear();
  std::vector<uint64_t> tables;
  for (const auto& [id, family] : db_.versions->families())
    family->current()->AddLiveFiles(&tables);
  for (uint64_t number : tables) files.push_back(TableFileName("", number));
  for (const auto& [id, family] : db_.versions->families()) {
    for (const auto& file : family->current()->blob_files()) {
      files.push_back(BlobFileName("", file->number()));
    }
  }
  files.push_back(CurrentFileName(""));
  files.push_back(DescriptorFileName("", db_.versions->manifest_file_number()));
  if (!db_.options_changes->options_file().empty())
    files.push_back(db_.options_changes->options_file());
  *manifest_file_size = db_.versions->manifest_file_size();
  return Status::OK();
}

// --- With sizes, and logs

bool LiveFiles::WantsFlush(uint64_t wal_size_for_flush) {
  if (db_.mode != OpenMode::kReadWrite || wal_size_for_flush == UINT64_MAX) return false;
  if (wal_size_for_flush == 0) return true;
  CommitQueue::Exclusive leadership(db_.commit.get());
  return db_.wals->total_bytes() >= wal_size_for_flush;
}

Status LiveFiles::GetLiveFilesStorageInfo(const LiveFilesStorageInfoOptions& options,
                                          std::vector<LiveFileStorageInfo>* files) {
  files->clear();
  if (db_.mode == OpenMode::kSecondary || db_.Forked()) return db_.RefuseIfReadOnly();
  if (db_.mode != OpenMode::kReadWrite) {
    Status s = CheckAllFamiliesAreOpen(&db_);
    if (!s.ok()) return s;
  }
  if (WantsFlush(options.wal_size_for_flush)) {
    Status s = options.atomic_flush
                   ? db_.flushes->FlushTogether(FlushOptions(), FlushReason::kGetLiveFiles)
                   : db_.flushes->FlushAllFamilies(FlushOptions(), FlushReason::kGetLiveFiles);
    if (!s.ok()) return s;
  }
  const auto add = [files](std::string name, std::string directory, uint64_t number,
                           ROCKSDB_NAMESPACE::FileType type, uint64_t size) {
    LiveFileStorageInfo& info = files->emplace_back();
    info.relative_filename = std::move(name);
    info.directory = std::move(directory);
    info.file_number = number;
    info.file_type = type;
    info.size = size;
    return &info;
  };
  const auto base = [](const std::string& name) { return name.substr(1); };  // without the slash

  std::vector<WalSet::File> wals;
  std::string options_file;
  {
    std::optional<CommitQueue::Exclusive> leadership;
    IOStatus io;
    if (db_.commit != nullptr) {
      leadership.emplace(db_.commit.get());
      io = db_.wals->Flush();
    }
    if (!io.ok()) {
      db_.writes->OnCommitError(io, CommitErrorKind::kWalWrite);
      return io;
    }
    wals = db_.wals->Files();
    DBMutexLock lock(db_.mutex());
    for (const auto& [id, family] : db_.versions->families()) {
      const Version& version = *family->current();
      const std::vector<std::string> paths =
          TableDirectoriesOf(db_.options, family->options(), db_.name);
      for (int level = 0; level < version.num_levels(); ++level) {
        for (const FileMetaData* file : version.files(level)) {
          const size_t path = std::min<size_t>(file->path_id, paths.size() - 1);
          LiveFileStorageInfo* const info = add(TableFileBaseName(file->number), paths[path],
                                                file->number, kTableFile, file->file_size);
          info->temperature = file->temperature;
          if (options.include_checksum_info) {
            info->file_checksum = file->file_checksum;
            info->file_checksum_func_name = file->file_checksum_func_name;
          }
        }
      }
      for (const auto& blobs : version.blob_files()) {
        const BlobFileAddition& file = *blobs->file;
        LiveFileStorageInfo* const info = add(base(BlobFileName("", file.number)), paths.front(),
                                              file.number, kBlobFile, file.file_size());
        if (options.include_checksum_info && !file.checksum_func.empty()) {
          info->file_checksum = file.checksum;
          info->file_checksum_func_name = file.checksum_func;
        }
      }
    }
    const uint64_t manifest = db_.versions->manifest_file_number();
    const std::string manifest_name = base(DescriptorFileName("", manifest));
    add(manifest_name, db_.name, manifest, kDescriptorFile, db_.versions->manifest_file_size())
        ->trim_to_size = true;
    add(base(CurrentFileName("")), db_.name, 0, kCurrentFile, manifest_name.size() + 1)
        ->replacement_contents = manifest_name + "\n";
    options_file = db_.options_changes->options_file();
    const uint64_t first_wal = db_.versions->SaidMinLogNumberToKeep();
    const uint64_t also = db_.versions->prev_log_number();
    std::erase_if(wals, [=](const WalSet::File& wal) {
      return wal.bytes == 0 || (wal.number < first_wal && wal.number != also);
    });
  }
  if (!options_file.empty()) {
    uint64_t number = 0;
    FileType type;
    uint64_t size = 0;
    if (!ParseFileName(base(options_file), &number, &type)) number = 0;
    IOStatus io = db_.fs->GetFileSize(db_.name + options_file, IOOptions(), &size, nullptr);
    if (!io.ok()) return io;
    add(base(options_file), db_.name, number, kOptionsFile, size);
  }
  for (const WalSet::File& wal : wals) {
    // What follows on disk is newer, or an older log's remains, or was allocated beforehand.
    add(base(LogFileName("", wal.number)), db_.wals->dir(), wal.number, kWalFile, wal.bytes)
        ->trim_to_size = true;
  }
  if (options.include_checksum_info) {
    for (LiveFileStorageInfo& info : *files) {
      if (info.file_checksum_func_name.empty()) {
        info.file_checksum_func_name = kUnknownFileChecksumFuncName;
      }
    }
  }
  return Status::OK();
}

Status LiveFiles::FirstSequenceOf(const std::string& path, uint64_t wal,
                                  SequenceNumber* sequence) const {
  *sequence = 0;
  std::unique_ptr<SequentialFileReader> file;
  IOStatus io =
      SequentialFileReader::Open(db_.fs, path, FileOptionsForLogRead(*db_.fs, db_.options), &file);
  if (!io.ok()) return io;
  LogReader reader(db_.options.info_log, std::move(file), nullptr, /*checksum=*/true, wal);
  std::string scratch;
  Slice record;
  if (reader.ReadRecord(&record, &scratch) && record.size() >= kBatchHeaderSize) {
    *sequence = BatchReader(record).sequence();
  }
  return reader.status();
}

Status LiveFiles::GetSortedWalFiles(VectorLogPtr& files) {
  files.clear();
  if (db_.mode == OpenMode::kSecondary || db_.Forked())
    return db_.RefuseIfReadOnly();  // the primary changes them
  const bool deletes = db_.mode == OpenMode::kReadWrite;
  if (deletes) {
    Status s = db_.files->DisableFileDeletions();
    if (!s.ok()) return s;
  }
  std::vector<WalSet::File> wals;
  {
    std::optional<CommitQueue::Exclusive> leadership;
    if (db_.commit != nullptr) leadership.emplace(db_.commit.get());
    wals = db_.wals->Files();
  }
  Status s;
  for (const FilePurger::ArchivedWal& wal : db_.files->ArchivedWals()) {
    SequenceNumber start = 0;
    s = FirstSequenceOf(LogFileName(ArchiveDirName(db_.wals->dir()), wal.number), wal.number,
                        &start);
    if (!s.ok()) break;
    if (start == 0) continue;  // nothing was ever written to it
    files.push_back(std::make_unique<ListedLog>(wal.number, wal.bytes, start, kArchivedLogFile));
  }
  for (const WalSet::File& wal : wals) {
    if (!s.ok()) break;
    if (wal.written_bytes == 0) continue;
    SequenceNumber start = 0;
    s = FirstSequenceOf(LogFileName(db_.wals->dir(), wal.number), wal.number, &start);
    if (s.ok()) {
      files.push_back(std::make_unique<ListedLog>(wal.number, wal.written_bytes, start));
    }
  }
  if (!s.ok()) files.clear();
  if (deletes) {
    const Status enabled = db_.files->EnableFileDeletions(/*force=*/false);
    if (s.ok()) s = enabled;
  }
  return s;
}

Status LiveFiles::GetUpdatesSince(SequenceNumber seq_number,
                                  std::unique_ptr<TransactionLogIterator>* iter,
                                  const TransactionLogIterator::ReadOptions& read_options) {
  if (db_.statistics != nullptr) db_.statistics->recordTick(GET_UPDATES_SINCE_CALLS, 1);
  Status s = db_.RefuseIfReadOnly();
  if (s.ok() && seq_number > db_.versions->LastSequence()) {
    s = Status::NotFound("Requested sequence not yet written in the db");
  }
  VectorLogPtr files;
  LogIterator::Env env;
  if (s.ok()) env.current_log = db_.wals->current_number();
  if (s.ok()) s = GetSortedWalFiles(files);
  if (!s.ok()) return s;
  env.fs = db_.fs;
  env.file_options = FileOptionsForLogRead(*db_.fs, db_.options);
  env.wal_dir = db_.wals->dir();
  env.info_log = db_.options.info_log;
  env.last_sequence = [this] { return db_.versions->LastSequence(); };
  *iter = std::make_unique<LogIterator>(std::move(env), read_options, std::move(files), seq_number);
  return (*iter)->status();
}

Status LiveFiles::GetCurrentWalFile(std::unique_ptr<LogFile>* current_log_file) {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  CommitQueue::Exclusive leadership(db_.commit.get());
  const WalSet::File wal = db_.wals->Files().back();
  *current_log_file = std::make_unique<ListedLog>(wal.number, wal.written_bytes, 0);
  return s;
}

// --- Tables

void LiveFiles::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* metadata) {
  if (db_.Forked()) return;
  db_.properties->LoadTableCounters();
  DBMutexLock lock(db_.mutex());
  db_.versions->GetLiveFilesMetaData(metadata);
}

Status LiveFiles::GetLiveFilesChecksumInfo(FileChecksumList* checksum_list) {
  if (checksum_list == nullptr) return Status::InvalidArgument("checksum_list is nullptr");
  if (db_.Forked()) return db_.ForkedStatus();
  checksum_list->reset();
  DBMutexLock lock(db_.mutex());
  Status s;
  for (const auto& [id, family] : db_.versions->families()) {
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) {
        if (!s.ok()) return s;
        s = checksum_list->InsertOneFileChecksum(file->number, file->file_checksum,
                                                 file->file_checksum_func_name);
      }
    }
    for (const auto& blobs : version.blob_files()) {
      if (!s.ok()) return s;
      const BlobFileAddition& file = *blobs->file;
      const bool has = !file.checksum_func.empty();
      s = checksum_list->InsertOneFileChecksum(
          file.number, has ? file.checksum : std::string(kUnknownFileChecksum),
          has ? file.checksum_func : std::string(kUnknownFileChecksumFuncName));
    }
  }
  return s;
}

void LiveFiles::GetColumnFamilyMetaData(ColumnFamilyHandle* handle,
                                        ColumnFamilyMetaData* metadata) {
  *metadata = ColumnFamilyMetaData();
  ColumnFamily* family;
  if (!db_.families->FamilyOf(handle, &family).ok()) return;
  MetaDataOf(std::span(&family, 1), std::span(metadata, 1));
}

void LiveFiles::GetAllColumnFamilyMetaData(std::vector<ColumnFamilyMetaData>* metadata) {
  if (db_.Forked()) return;
  const std::vector<ColumnFamily*> all = db_.families->RefAll();
  std::vector<ColumnFamily*> families;
  std::copy_if(all.begin(), all.end(), std::back_inserter(families),
               [](const ColumnFamily* family) { return !family->dropped.load(); });
  const size_t before = metadata->size();
  metadata->resize(before + families.size());
  MetaDataOf(families, std::span(*metadata).subspan(before));
  for (ColumnFamily* family : all) db_.families->UnrefFamily(family, /*purge=*/false);
}

void LiveFiles::MetaDataOf(std::span<ColumnFamily* const> families,
                           std::span<ColumnFamilyMetaData> metadata) {
  for (const ColumnFamily* family : families) db_.properties->LoadTableCounters(*family);
  std::vector<LiveFileMetaData> files;
  {
    DBMutexLock lock(db_.mutex());
    db_.versions->GetLiveFilesMetaData(&files);
    for (size_t i = 0; i < families.size(); ++i) {
      AddBlobFiles(families[i]->current()->blob_files(), families[i]->paths.front(), &metadata[i]);
    }
  }
  std::map<std::string, std::vector<const LiveFileMetaData*>> files_of;
  for (const LiveFileMetaData& file : files) files_of[file.column_family_name].push_back(&file);
  for (size_t i = 0; i < families.size(); ++i) {
    metadata[i].name = families[i]->name();
    AddTables(families[i]->num_levels, files_of[metadata[i].name], &metadata[i]);
  }
}

void LiveFiles::GetColumnFamilyMetaData(ColumnFamilyHandle* handle,
                                        const GetColumnFamilyMetaDataOptions& options,
                                        ColumnFamilyMetaData* metadata) {
  ColumnFamilyMetaData all;
  GetColumnFamilyMetaData(handle, &all);
  *metadata = ColumnFamilyMetaData();
  metadata->name = all.name;
  ColumnFamily* family = nullptr;
  if (!db_.families->FamilyOf(handle, &family).ok()) return;
  const InternalKeyComparator& icmp = family->icmp;
  const auto is_wanted = [&](const SstFileMetaData& file) {
    const OptSlice &start = options.range.start, &limit = options.range.limit;
    return (!start || icmp.CompareBare(*start, icmp.BareKey(file.largestkey)) <= 0) &&
           (!limit || icmp.CompareBare(*limit, icmp.BareKey(file.smallestkey)) >= 0);
  };
  for (const LevelMetaData& level : all.levels) {
    if (options.level >= 0 && level.level != options.level) continue;
    std::vector<SstFileMetaData> files;
    uint64_t size = 0;
    for (const SstFileMetaData& file : level.files) {
      if (!is_wanted(file)) continue;
      size += file.size;
      files.push_back(file);
    }
    if (files.empty()) continue;
    metadata->size += size;
    metadata->file_count += files.size();
    metadata->levels.emplace_back(level.level, size, std::move(files));
  }
}

}  // namespace cairn
