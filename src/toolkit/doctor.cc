#include "toolkit/doctor.h"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <memory>
#include <set>

#include "base/string_util.h"
#include "batch/batch_reader.h"
#include "blob/blob_file_reader.h"
#include "fiber/io.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/read_limits.h"
#include "manifest/version_set.h"
#include "rocksdb/utilities/options_util.h"
#include "table/unique_id.h"
#include "toolkit/database_use.h"
#include "toolkit/manifest_picture.h"
#include "toolkit/progress.h"
#include "toolkit/table_file.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

std::string Count(uint64_t n, const char* one, const char* many) {
  return NumberToString(n) + " " + (n == 1 ? one : many);
}

// "a, b, c and 4 more".
std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  if (names.size() > kShown) text += " and " + NumberToString(names.size() - kShown) + " more";
  return text;
}

class Doctor {
 public:
  Doctor(Env* env, std::string dbname, const DoctorOptions& options)
      : env_(env), fs_(env->GetFileSystem().get()), dbname_(std::move(dbname)), options_(options) {}

  std::vector<Finding> Run() {
    if (!LookAtDirectory()) return std::move(findings_);
    LookAtLock();
    LookAtPermissions();
    LookAtIdentity();
    LookAtOptions();
    const bool has_manifest = LookAtCurrent() && LookAtManifest();
    if (has_manifest) {
      LookAtTables();
      LookAtBlobs();
      LookAtLogs();
      LookAtOrphans();
      LookAtLevels();
    }
    LookAtInfoLog();
    LookAtSpace();
    return std::move(findings_);
  }

 private:
  using Grade = Finding::Grade;
  void Add(Grade grade, const char* part, std::string text, std::string advice = "") {
    findings_.push_back({grade, part, std::move(text), std::move(advice)});
  }
  std::string Repair() const {
    return "take a copy of the directory, then: ldb --db=" + dbname_ + " repair";
  }

  bool LookAtDirectory() {
    std::vector<std::string> names;
    const Status s = env_->GetChildren(dbname_, &names);
    if (!s.ok()) {
      Add(Grade::kBad, "directory", s.ToString(),
          "check the path, that its disk is mounted, and who may read it");
      return false;
    }
    uint64_t bytes = 0;
    for (const std::string& name : names) {
      uint64_t number, size = 0;
      FileType type;
      if (!env_->GetFileSize(dbname_ + "/" + name, &size).ok()) continue;
      bytes += size;
      if (!ParseFileName(name, &number, &type)) {
        if (name != "OWNER" && name != "archive" && name != "lost") unknown_.push_back(name);
        continue;
      }
      files_[type][number] = {name, dbname_, size};
    }
    if (files_.empty()) {
      Add(Grade::kBad, "directory", "no file of a database is in " + dbname_, "check the path");
      return false;
    }
    Add(Grade::kGood, "directory",
        Count(names.size(), "file", "files") + ", " + BytesToHumanString(bytes));
    if (!unknown_.empty()) {
      Add(Grade::kNote, "directory", "not of the database: " + Listed(unknown_),
          "leave them alone if you know them");
    }
    return true;
  }

  void LookAtLock() {
    const Status s = CheckUnused(env_, dbname_);
    if (s.ok()) {
      Add(Grade::kGood, "lock", "no process has the database open for writing");
    } else {
      in_use_ = true;
      Add(Grade::kNote, "lock", "a process has the database open",
          "what changes meanwhile may look odd below; ask again when it is closed");
    }
  }

  void LookAtPermissions() {
    std::vector<std::string> unreadable, unwritable;
    for (const auto& [type, files] : files_) {
      for (const auto& [number, file] : files) {
        const std::string path = file.path();
        if (fiber::io::access(path.c_str(), fiber::io::kMayRead) == -EACCES)
          unreadable.push_back(file.name);
        if (fiber::io::access(path.c_str(), fiber::io::kMayWrite) == -EACCES)
          unwritable.push_back(file.name);
      }
    }
    // (By "/.", since who may not enter the directory finds nothing in it.)
    const int directory = fiber::io::access((dbname_ + "/.").c_str(), fiber::io::kMayWrite);
    if (!unreadable.empty()) {
      Add(Grade::kBad, "permissions", "this user may not read " + Listed(unreadable),
          "run as the database's user, or give the files back to it: chown -R");
    } else if (!unwritable.empty() || directory == -EACCES) {
      Add(Grade::kWarning, "permissions",
          directory == -EACCES ? "this user may not write to the directory"
                               : "this user may not write " + Listed(unwritable),
          "a database can be opened for writing only by its user; to read, open it read-only");
    } else if (directory == -EROFS) {
      Add(Grade::kWarning, "permissions", "the file system is mounted read-only",
          "look at the kernel's log: an error of the disk may have caused it");
    } else {
      Add(Grade::kGood, "permissions", "all files can be read and written by this user");
    }
  }

  void LookAtIdentity() {
    const Status s = ReadIdentityFile(fs_, dbname_, &identity_);
    if (!s.ok() || identity_.empty()) {
      Add(Grade::kNote, "IDENTITY", "missing or unreadable: " + s.ToString(),
          "nothing: the next opening writes one");
    }
  }

  void LookAtOptions() {
    if (files_.count(FileType::kOptionsFile) == 0) {
      Add(Grade::kWarning, "OPTIONS", "there is no OPTIONS file",
          "open the database with the options that it was made with: comparator, merge operator");
      return;
    }
    ConfigOptions config;
    config.env = env_;
    DBOptions db_options;
    std::vector<ColumnFamilyDescriptor> families;
    Status s = LoadLatestOptions(config, dbname_, &db_options, &families);
    if (s.ok()) {
      Add(Grade::kGood, "OPTIONS",
          "of " + Count(families.size(), "column family", "column families"));
      for (const ColumnFamilyDescriptor& family : families)
        family_options_[family.name] = family.options;
      LookForLogsIn(db_options.wal_dir);
      return;
    }
    Add(Grade::kWarning, "OPTIONS", s.ToString(),
        "tools need --try_load_options=false or --ignore_unknown_options; programs that bring "
        "their "
        "own options are not concerned");
  }

  // Where the logs are that are not in the database's directory.
  void LookForLogsIn(const std::string& wal_dir) {
    bool same = wal_dir.empty() || wal_dir == dbname_;
    const IOOptions io;
    if (same || (fs_->AreFilesSame(wal_dir, dbname_, io, &same, nullptr).ok() && same)) return;
    std::vector<std::string> names;
    if (const Status s = env_->GetChildren(wal_dir, &names); !s.ok()) {
      Add(Grade::kWarning, "logs", "OPTIONS says that they are in " + wal_dir + ": " + s.ToString(),
          "mount it, or open the database with the wal_dir where they are now; without them what "
          "was not flushed is missing");
      return;
    }
    for (const std::string& name : names) {
      uint64_t number, size;
      FileType type;
      if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
      const File file{name, wal_dir};
      if (!env_->GetFileSize(file.path(), &size).ok()) continue;
      files_[type][number] = {name, wal_dir, size};
    }
  }

  bool LookAtCurrent() {
    std::string path;
    uint64_t number = 0;
    const Status s = VersionSet::GetCurrentManifestPath(dbname_, fs_, &path, &number);
    std::string have = files_.count(FileType::kDescriptorFile) == 0
                           ? "there is no MANIFEST either"
                           : "there is " + files_[FileType::kDescriptorFile].rbegin()->second.name;
    if (!s.ok()) {
      Add(Grade::kBad, "CURRENT", s.ToString() + "; " + have, Repair());
      return false;
    }
    manifest_path_ = path;
    if (files_[FileType::kDescriptorFile].count(number) == 0) {
      Add(Grade::kBad, "CURRENT",
          "it names " + path.substr(path.rfind('/') + 1) + ", which is missing; " + have, Repair());
      return false;
    }
    Add(Grade::kGood, "CURRENT", "names " + path.substr(path.rfind('/') + 1));
    return true;
  }

  bool LookAtManifest() {
    const Status s = picture_.Read(fs_, manifest_path_);
    if (!s.ok()) {
      Add(Grade::kBad, "MANIFEST", s.ToString(), Repair());
      return false;
    }
    size_t tables = 0;
    for (const auto& [id, family] : picture_.families) {
      for (const auto& level : family.levels) tables += level.size();
    }
    Add(Grade::kGood, "MANIFEST",
        Count(picture_.edits, "record", "records") + ", " +
            Count(picture_.families.size(), "column family", "column families") + ", " +
            Count(tables, "table", "tables") + ", last sequence number " +
            NumberToString(picture_.last_sequence));
    if (!picture_.db_id.empty() && !identity_.empty() && picture_.db_id != identity_) {
      Add(Grade::kWarning, "IDENTITY", "it says " + identity_ + ", the MANIFEST " + picture_.db_id,
          "files of two databases may be mixed; do not write before you know");
    }
    return true;
  }

  // What is wrong with a table; OK: nothing.
  Status LookAtTable(const FileMetaData& file, const std::string& path) {
    uint64_t size = 0;
    Status s = env_->GetFileSize(path, &size);
    if (!s.ok()) return s;
    if (size != file.file_size) {
      return Status::Corruption("it has " + NumberToString(size) + " bytes, the MANIFEST says " +
                                NumberToString(file.file_size));
    }
    Options options;
    options.env = env_;
    std::unique_ptr<TableFile> table;
    s = TableFile::Open(options, path, /*quiet=*/true, &table);
    if (s.IsNotSupported()) return Status::OK();  // of a comparator that only its program has
    if (s.ok() && file.unique_id != kNullUniqueId) {
      s = CheckUniqueId(file.unique_id, table->properties(), path);
    }
    if (s.ok() && options_.deep) s = table->VerifyChecksum();
    return s;
  }

  void LookAtTables() {
    uint64_t count = 0, bytes = 0, total = 0;
    for (const auto& [id, family] : picture_.families) {
      for (size_t level = 0; level < family.levels.size(); ++level) total += family.Bytes(level);
    }
    std::vector<std::string> bad;
    Progress progress(options_.progress, "tables", total);
    for (const auto& [id, family] : picture_.families) {
      for (const auto& level : family.levels) {
        for (const FileMetaData& file : level) {
          if (file.path_id != 0) continue;  // in another directory (db_paths)
          const std::string path = TableFileName(dbname_, file.number);
          const Status s = LookAtTable(file, path);
          ++count;
          bytes += file.file_size;
          progress.Show(bytes);
          if (s.ok()) continue;
          bad.push_back(path.substr(path.rfind('/') + 1) + " of " + family.name + ": " +
                        s.ToString());
        }
      }
    }
    progress.Done();
    for (const std::string& text : bad) {
      Add(in_use_ && !options_.deep ? Grade::kWarning : Grade::kBad, "tables", text,
          "restore it from a backup; or " + Repair() + " (what it held may be lost)");
    }
    if (bad.empty()) {
      Add(Grade::kGood, "tables",
          Count(count, "table", "tables") + ", " + BytesToHumanString(bytes) +
              (options_.deep
                   ? ": every block is sound"
                   : ": present, of the right size, and open (--deep reads every block)"));
    }
  }

  // What is wrong with a blob file; OK: nothing.
  Status LookAtBlobFile(const BlobFileMeta& blobs, uint32_t family, const std::string& path) {
    uint64_t size = 0;
    Status s = env_->GetFileSize(path, &size);
    if (!s.ok()) return s;
    if (size < blobs.file->file_size()) {
      return Status::Corruption("it has " + NumberToString(size) + " bytes, the MANIFEST says " +
                                NumberToString(blobs.file->file_size()));
    }
    constexpr size_t kAtOnce = 256 << 10;
    std::unique_ptr<BlobFileReader> reader;
    s = BlobFileReader::Open(fs_, FileOptions(), path, family, ReadLimits(), nullptr, &reader);
    return s.ok() && options_.deep ? reader->VerifyAll(ReadLimits(), kAtOnce) : s;
  }

  void LookAtBlobs() {
    size_t count = 0, bad = 0;
    BlobFileTotals totals;
    for (const auto& [id, family] : picture_.families) {
      const BlobFileList files = family.blobs.Build();
      const BlobFileTotals of_family = TotalsOf(files);
      totals.file_bytes += of_family.file_bytes;
      totals.garbage_bytes += of_family.garbage_bytes;
      for (const auto& blobs : files) {
        ++count;
        const std::string path = BlobFileName(dbname_, blobs->number());
        const Status s = LookAtBlobFile(*blobs, id, path);
        if (s.ok()) continue;
        ++bad;
        Add(Grade::kBad, "blob files",
            path.substr(path.rfind('/') + 1) + " of " + family.name + ": " + s.ToString(),
            "restore it from a backup; keys whose values it has cannot be read without it");
      }
    }
    if (count == 0 || bad != 0) return;
    Add(Grade::kGood, "blob files",
        Count(count, "file", "files") + ", " + BytesToHumanString(totals.file_bytes) +
            ", of which " + BytesToHumanString(totals.garbage_bytes) + " are garbage" +
            (options_.deep ? ": every value is sound" : ""));
  }

  uint64_t FirstLogNeeded() const {
    uint64_t first = UINT64_MAX;
    for (const auto& [id, family] : picture_.families) first = std::min(first, family.log_number);
    return picture_.min_log_to_keep != 0 ? std::min(first, picture_.min_log_to_keep) : first;
  }

  struct Damage final : LogReader::Reporter {
    void Corruption(size_t bytes, const Status& reason) override {
      if (dropped == 0) first = reason;
      dropped += bytes;
    }
    Status first;
    uint64_t dropped = 0;
  };

  void LookAtLogs() {
    uint64_t records = 0, logs = 0;
    bool sound = true;
    for (const auto& [number, file] : files_[FileType::kWalFile]) {
      if (number < FirstLogNeeded()) continue;
      ++logs;
      std::unique_ptr<SequentialFileReader> reader_file;
      const std::string path = file.path();
      Status s = SequentialFileReader::Open(fs_, path, FileOptions(), &reader_file);
      Damage damage;
      if (s.ok()) {
        LogReader reader(nullptr, std::move(reader_file), &damage, /*checksum=*/true, number);
        Slice record;
        std::string scratch;
        while (reader.ReadRecord(&record, &scratch, WALRecoveryMode::kPointInTimeRecovery)) {
          if (record.size() >= kBatchHeaderSize) ++records;
        }
        s = reader.status().ok() ? damage.first : reader.status();
      }
      if (s.ok()) continue;
      sound = false;
      // The end of the newest one may be what a crash, or a writer under way, left.
      const bool newest = number == files_[FileType::kWalFile].rbegin()->first;
      Add(newest ? Grade::kNote : Grade::kBad, "logs", file.name + ": " + s.ToString(),
          newest ? "nothing, if a crash came before: an opening keeps what was written before it"
                 : "an opening ends there, or refuses (wal_recovery_mode); what came behind it is "
                   "lost: restore a backup if it matters");
    }
    if (sound) {
      Add(Grade::kGood, "logs",
          Count(logs, "log is", "logs are") + " needed, with " + Count(records, "write", "writes"));
    }
  }

  void LookAtOrphans() {
    std::set<uint64_t> live;
    for (const auto& [id, family] : picture_.families) {
      for (const auto& level : family.levels) {
        for (const FileMetaData& file : level) live.insert(file.number);
      }
      for (const auto& blobs : family.blobs.Build()) live.insert(blobs->number());
    }
    std::vector<std::string> orphans;
    uint64_t bytes = 0;
    const auto add = [&](const File& file) {
      orphans.push_back(file.name);
      bytes += file.size;
    };
    for (const FileType type : {FileType::kTableFile, FileType::kBlobFile}) {
      for (const auto& [number, file] : files_[type]) {
        if (live.count(number) == 0) add(file);
      }
    }
    for (const auto& [number, file] : files_[FileType::kWalFile]) {
      if (number < FirstLogNeeded()) add(file);
    }
    for (const auto& [number, file] : files_[FileType::kDescriptorFile]) {
      if (number != picture_.number) add(file);
    }
    for (const auto& [number, file] : files_[FileType::kTempFile]) add(file);
    if (orphans.empty()) return;
    Add(Grade::kNote, "orphans",
        BytesToHumanString(bytes) + " in " + Count(orphans.size(), "file", "files") +
            " that the database does not need: " + Listed(orphans),
        in_use_ ? "nothing: its process may be making or deleting them"
                : "nothing: the next opening deletes them");
  }

  void LookAtLevels() {
    for (const auto& [id, family] : picture_.families) {
      if (family.levels.empty()) continue;
      const auto found = family_options_.find(family.name);
      const ColumnFamilyOptions options =
          found == family_options_.end() ? ColumnFamilyOptions() : found->second;
      const size_t files = family.levels[0].size();
      if (options.compaction_style == kCompactionStyleLevel &&
          files >= static_cast<size_t>(options.level0_slowdown_writes_trigger)) {
        Add(Grade::kWarning, "levels",
            family.name + " has " + Count(files, "file", "files") +
                " on level 0, which slows or stops writes at " +
                NumberToString(static_cast<uint64_t>(options.level0_slowdown_writes_trigger)),
            options.disable_auto_compactions
                ? "disable_auto_compactions is set: compact it, or set it to false"
                : "compactions are behind: give it more max_background_jobs, or faster storage");
      }
    }
  }

  void LookAtInfoLog() {
    if (files_.count(FileType::kInfoLogFile) == 0) return;
    std::string text;
    if (!ReadFileToString(fs_, InfoLogFileName(dbname_), &text).ok()) return;
    size_t errors = 0;
    std::string last;
    for (size_t begin = 0, end; begin < text.size(); begin = end + 1) {
      end = std::min(text.find('\n', begin), text.size());
      const std::string_view line(text.data() + begin, end - begin);
      if (line.find("[ERROR]") == line.npos && line.find("[FATAL]") == line.npos) continue;
      ++errors;
      last = line;
    }
    if (errors == 0) {
      Add(Grade::kGood, "LOG", "no errors since the last opening");
    } else {
      Add(Grade::kWarning, "LOG", Count(errors, "error", "errors") + ", the last one: " + last,
          "read what is around it in " + InfoLogFileName(dbname_));
    }
  }

  void LookAtSpace() {
    uint64_t free = 0;
    if (!env_->GetFreeSpace(dbname_, &free).ok()) return;
    uint64_t largest = 0;
    for (const auto& [id, family] : picture_.families) {
      uint64_t bytes = 0;
      for (size_t level = 0; level < family.levels.size(); ++level) bytes += family.Bytes(level);
      largest = std::max(largest, bytes);
    }
    const uint64_t wanted = std::max<uint64_t>(largest / 10, uint64_t{64} << 20);
    if (free < wanted) {
      Add(Grade::kWarning, "space", BytesToHumanString(free) + " are free on its disk",
          "make room before compactions and flushes fail: at least " + BytesToHumanString(wanted));
    } else {
      Add(Grade::kGood, "space", BytesToHumanString(free) + " are free on its disk");
    }
  }

  struct File {
    std::string name, directory;
    uint64_t size = 0;  // bytes
    std::string path() const { return directory + "/" + name; }
  };

  Env* const env_;
  FileSystem* const fs_;
  const std::string dbname_;
  const DoctorOptions options_;
  std::vector<Finding> findings_;
  std::map<FileType, std::map<uint64_t, File>> files_;
  std::vector<std::string> unknown_;
  std::map<std::string, ColumnFamilyOptions> family_options_;
  std::string identity_, manifest_path_;
  ManifestPicture picture_;
  bool in_use_ = false;
};

}  // namespace

std::vector<Finding> Examine(Env* env, const std::string& dbname, const DoctorOptions& options) {
  return Doctor(env, dbname, options).Run();
}

}  // namespace cairn
