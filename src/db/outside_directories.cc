#include "db/outside_directories.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/logging.h"
#include "base/option_values.h"
#include "base/string_util.h"
#include "fs/file_names.h"
#include "fs/file_util.h"

namespace cairn {
namespace {

constexpr char kIdKey[] = "db_id";
constexpr char kPathKey[] = "db_path";
constexpr char kLogsKey[] = "foreign_logs_below";
constexpr char kTablesKey[] = "foreign_tables_below";

// "a//b/./c/" -> "a/b/c". ".." stays: where it leads a symbolic link may decide.
std::string Normalized(const std::string& path) {
  std::string out;
  size_t begin = 0;
  while (begin <= path.size()) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part(path.data() + begin, end - begin);
    if (!part.empty() && part != ".") out.append(begin == 0 ? "" : "/").append(part);
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string DirectoryOwner::Encode() const {
  std::string text =
      "# The files in here belong to one database. Where it is gone or was another one, and they\n"
      "# are to be used all the same: empty this file.\n";
  text.append(kIdKey).append("=").append(db_id).append("\n");
  text.append(kPathKey).append("=").append(EscapeOptionString(db_path)).append("\n");
  text.append(kLogsKey).append("=").append(std::to_string(foreign_logs_below)).append("\n");
  text.append(kTablesKey).append("=").append(std::to_string(foreign_tables_below)).append("\n");
  return text;
}

bool DirectoryOwner::Decode(const std::string& text, DirectoryOwner* owner) {
  *owner = DirectoryOwner();
  if (Trim(text).empty()) return true;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = Trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    bool sound = true;
    if (key == kIdKey) {
      owner->db_id = value;
    } else if (key == kPathKey) {
      owner->db_path = UnescapeOptionString(value);
    } else if (key == kLogsKey) {
      sound = ParseUint64(value, &owner->foreign_logs_below);
    } else if (key == kTablesKey) {
      sound = ParseUint64(value, &owner->foreign_tables_below);
    }
    if (!sound) return false;
  }
  return !owner->db_id.empty() && !owner->db_path.empty();
}

OutsideDirectories::OutsideDirectories(FileSystem* fs, std::string dbname, Logger* info_log)
    : fs_(fs), dbname_(std::move(dbname)), info_log_(info_log) {}

OutsideDirectories::~OutsideDirectories() { Unlock(); }

// --- Which they are

bool OutsideDirectories::SameDirectory(const std::string& a, const std::string& b) const {
  if (a == b) return true;
  bool same = false;
  if (fs_->AreFilesSame(a, b, IOOptions(), &same, nullptr).ok()) return same;
  std::string absolute[2];
  if (!fs_->GetAbsolutePath(a, IOOptions(), &absolute[0], nullptr).ok() ||
      !fs_->GetAbsolutePath(b, IOOptions(), &absolute[1], nullptr).ok()) {
    return false;
  }
  return Normalized(absolute[0]) == Normalized(absolute[1]);
}

void OutsideDirectories::Add(const std::string& path, const char* option, bool logs, bool tables) {
  if (path.empty() || SameDirectory(path, dbname_)) return;
  for (Directory& known : all_) {
    if (!SameDirectory(known.path, path)) continue;
    known.logs |= logs;
    known.tables |= tables;
    return;
  }
  Directory& added = all_.emplace_back();
  added.path = path;
  added.option = option;
  added.logs = logs;
  added.tables = tables;
}

void OutsideDirectories::AddFamily(const ColumnFamilyOptions& options) {
  for (const DbPath& path : options.cf_paths) {
    Add(path.path, "cf_paths", /*logs=*/false, /*tables=*/true);
  }
}

Status OutsideDirectories::Find(const DBOptions& options,
                                const std::vector<ColumnFamilyDescriptor>& families) {
  Add(options.wal_dir, "wal_dir", /*logs=*/true, /*tables=*/false);
  for (const DbPath& path : options.db_paths) {
    Add(path.path, "db_paths", /*logs=*/false, /*tables=*/true);
  }
  for (const ColumnFamilyDescriptor& family : families) AddFamily(family.options);
  return RefuseOthers();
}

Status OutsideDirectories::RefuseOthers() const {
  for (const Directory& dir : all_) {
    if (!fs_->FileExists(CurrentFileName(dir.path), IOOptions(), nullptr).ok()) continue;
    return Status::InvalidArgument(
        std::string(dir.option) + " " + dir.path + " is the directory of another database",
        "this one is " + dbname_ + ": give it a directory of its own");
  }
  return Status::OK();
}

const OutsideDirectories::Directory* OutsideDirectories::Named(const std::string& path) const {
  for (const Directory& dir : all_) {
    if (SameDirectory(dir.path, path)) return &dir;
  }
  return nullptr;
}

// --- Locks

Status OutsideDirectories::LockOne(Directory* dir) const {
  const IOStatus io = fs_->LockFile(LockFileName(dir->path), IOOptions(), &dir->lock, nullptr);
  if (io.ok()) return io;
  dir->lock = nullptr;
  if (ReadOwner(dir).ok() && dir->owner && !SameDirectory(dir->owner->db_path, dbname_)) {
    return Status::InvalidArgument(
        std::string(dir->option) + " " + dir->path + " is in use by the database " +
            Them(*dir->owner),
        "this one is " + dbname_ + ": give it a directory of its own. " + io.ToString());
  }
  return io;
}

Status OutsideDirectories::Lock() {
  for (Directory& dir : all_) {
    if (Status s = LockOne(&dir); !s.ok()) return s;
  }
  return Status::OK();
}

void OutsideDirectories::Unlock() {
  for (Directory& dir : all_) {
    if (dir.lock == nullptr) continue;
    fs_->UnlockFile(std::exchange(dir.lock, nullptr), IOOptions(), nullptr).PermitUncheckedError();
  }
}

// --- Owners

Status OutsideDirectories::ReadOwner(Directory* dir) const {
  dir->owner.reset();
  const std::string path = OwnerFileName(dir->path);
  std::string text;
  const IOStatus io = ReadFileToString(fs_, path, &text);
  if (io.IsNotFound() || io.IsPathNotFound()) return Status::OK();
  if (!io.ok()) return io;
  DirectoryOwner owner;
  if (!DirectoryOwner::Decode(text, &owner)) {
    return Status::Corruption(path + " does not say which database the files beside it belong to",
                              "if it is " + dbname_ + ", empty that file");
  }
  dir->owner = std::move(owner);
  return Status::OK();
}

Status OutsideDirectories::ReadOwners() {
  for (Directory& dir : all_) {
    if (Status s = ReadOwner(&dir); !s.ok()) return s;
  }
  return Status::OK();
}

bool OutsideDirectories::OwnerIsThere(const DirectoryOwner& owner) const {
  if (!fs_->FileExists(CurrentFileName(owner.db_path), IOOptions(), nullptr).ok()) return false;
  std::string id;
  // One that does not say who it is may be the one.
  return !ReadIdentityFile(fs_, owner.db_path, &id).ok() || id.empty() || id == owner.db_id;
}

Status OutsideDirectories::FindFile(const Directory& dir, std::string* name) const {
  name->clear();
  std::vector<std::string> names;
  const IOStatus io = fs_->GetChildren(dir.path, IOOptions(), &names, nullptr);
  if (io.IsNotFound() || io.IsPathNotFound()) return Status::OK();
  if (!io.ok()) return io;
  std::sort(names.begin(), names.end());
  for (const std::string& child : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(child, &number, &type)) continue;
    if ((type == FileType::kTableFile || type == FileType::kBlobFile) && dir.tables) {
      *name = child;
      return Status::OK();
    }
    if (type != FileType::kWalFile || !dir.logs) continue;
    uint64_t bytes = 0;
    if (fs_->GetFileSize(dir.path + "/" + child, IOOptions(), &bytes, nullptr).ok() && bytes == 0) {
      continue;  // nothing was ever written to it
    }
    *name = child;
    return Status::OK();
  }
  return Status::OK();
}

Status OutsideDirectories::LargestTable(const Directory& dir, uint64_t* number) const {
  *number = 0;
  std::vector<std::string> names;
  const IOStatus io = fs_->GetChildren(dir.path, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& child : names) {
    uint64_t found;
    FileType type;
    if (ParseFileName(child, &found, &type) &&
        (type == FileType::kTableFile || type == FileType::kBlobFile)) {
      *number = std::max(*number, found);
    }
  }
  return Status::OK();
}

std::string OutsideDirectories::Us(const std::string& db_id) const {
  return dbname_ + (db_id.empty() ? "" : " (id " + db_id + ")");
}

std::string OutsideDirectories::Them(const DirectoryOwner& owner) {
  return owner.db_path + " (id " + owner.db_id + ")";
}

// It is another database's.
Status OutsideDirectories::CheckOther(const std::string& db_id, const Directory& dir) const {
  const std::string what = std::string(dir.option) + " " + dir.path;
  if (!SameDirectory(dir.owner->db_path, dbname_) && OwnerIsThere(*dir.owner)) {
    return Status::InvalidArgument(what + " belongs to the database " + Them(*dir.owner),
                                   "this one is " + Us(db_id) +
                                       ": give it a directory of its own (the options of a copy " +
                                       "name its source's)");
  }
  std::string remains;
  if (Status s = FindFile(dir, &remains); !s.ok()) return s;
  if (remains.empty()) return Status::OK();
  return Status::InvalidArgument(
      what + " has files (" + remains + ") of a database that is not there any more, " +
          Them(*dir.owner),
      "this one is " + Us(db_id) + ": move them away, or delete them if nobody wants them");
}

Status OutsideDirectories::CheckNew() {
  if (Status s = ReadOwners(); !s.ok()) return s;
  for (const Directory& dir : all_) {
    if (Status s = CheckNewOne(dir); !s.ok()) return s;
  }
  return Status::OK();
}

Status OutsideDirectories::CheckNewOne(const Directory& dir) const {
  if (dir.owner && !dir.owner->db_id.empty()) return CheckOther("", dir);
  std::string remains;
  if (Status s = FindFile(dir, &remains); !s.ok()) return s;
  if (remains.empty() || dir.owner) return Status::OK();
  return Status::InvalidArgument(
      std::string(dir.option) + " " + dir.path + " has files (" + remains + ") of another database",
      dbname_ + " has none there: give it a directory of its own, or move them away");
}

Status OutsideDirectories::Join(const ColumnFamilyOptions& options, const std::string& db_id,
                                uint64_t* largest) {
  *largest = 0;
  const size_t known = all_.size();
  Status s;
  for (const DbPath& path : options.cf_paths) {
    if (s.ok()) s = CreateDirDurably(fs_, path.path);
  }
  if (s.ok()) AddFamily(options);
  if (s.ok()) s = RefuseOthers();
  for (size_t i = known; s.ok() && i < all_.size(); ++i) {
    Directory& dir = all_[i];
    s = LockOne(&dir);
    if (s.ok()) s = ReadOwner(&dir);
    // (What is ours is of a family that was dropped.)
    if (s.ok()) s = CheckOne(db_id, &dir);
    if (s.ok() && !dir.ours) s = CheckNewOne(dir);
    uint64_t last = 0;
    if (s.ok()) s = LargestTable(dir, &last);
    *largest = std::max(*largest, last);
  }
  uint64_t foreign = 0;
  if (s.ok()) s = Claim(db_id, /*first_log=*/0, &foreign);
  *largest = std::max(*largest, foreign);
  if (s.ok()) return s;
  while (all_.size() > known) {
    if (all_.back().lock != nullptr) {
      fs_->UnlockFile(all_.back().lock, IOOptions(), nullptr).PermitUncheckedError();
    }
    all_.pop_back();
  }
  return s;
}

Status OutsideDirectories::CheckOne(const std::string& db_id, Directory* dir) const {
  dir->ours = false;
  if (!dir->owner || dir->owner->db_id.empty()) return Status::OK();  // to be adopted
  const bool here = SameDirectory(dir->owner->db_path, dbname_);
  if (db_id.empty() ? here : db_id == dir->owner->db_id) {
    if (here) {
      dir->ours = true;
      return Status::OK();
    }
    if (!OwnerIsThere(*dir->owner)) return Status::OK();  // we were moved
    return Status::InvalidArgument(
        std::string(dir->option) + " " + dir->path + " belongs to the database " +
            Them(*dir->owner),
        dbname_ + " is a copy of it: give it a directory of its own, with a copy of the files");
  }
  return CheckOther(db_id, *dir);
}

Status OutsideDirectories::Check(const std::string& db_id) {
  if (Status s = ReadOwners(); !s.ok()) return s;
  for (Directory& dir : all_) {
    if (Status s = CheckOne(db_id, &dir); !s.ok()) return s;
  }
  return Status::OK();
}

bool OutsideDirectories::LogsAreUnowned() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Directory& dir) { return dir.logs && !dir.owner; });
}

std::string OutsideDirectories::FormerIdentity() {
  if (!ReadOwners().ok()) return "";
  for (const Directory& dir : all_) {
    if (dir.owner && !dir.owner->db_id.empty() && SameDirectory(dir.owner->db_path, dbname_)) {
      return dir.owner->db_id;
    }
  }
  return "";
}

Status OutsideDirectories::Claim(const std::string& db_id, uint64_t first_log, uint64_t* largest) {
  *largest = 0;
  for (Directory& dir : all_) {
    if (dir.ours) continue;
    DirectoryOwner owner;
    if (!dir.owner) {
      uint64_t last = 0;
      if (Status s = LargestTable(dir, &last); !s.ok()) return s;
      *largest = std::max(*largest, last);
      if (dir.logs) owner.foreign_logs_below = first_log;
      if (dir.tables) owner.foreign_tables_below = last + 1;
    } else if (dir.owner->db_id == db_id) {
      owner = *dir.owner;
    }
    owner.db_id = db_id;
    IOStatus io = fs_->GetAbsolutePath(dbname_, IOOptions(), &owner.db_path, nullptr);
    std::unique_ptr<FSDirectory> directory;
    if (io.ok()) io = fs_->NewDirectory(dir.path, IOOptions(), &directory, nullptr);
    const std::string path = OwnerFileName(dir.path);
    if (io.ok()) io = ReplaceFile(fs_, path, path + ".tmp", owner.Encode(), directory.get());
    if (!io.ok()) return io;
    LogInfo(info_log_, "%s %s: %s", dir.option, dir.path.c_str(),
            !dir.owner                 ? "adopted"
            : dir.owner->db_id.empty() ? "adopted, as its empty OWNER asks for"
                                       : ("taken over from " + Them(*dir.owner)).c_str());
    dir.owner = std::move(owner);
    dir.ours = true;
  }
  return Status::OK();
}

uint64_t OutsideDirectories::foreign_logs_below(const std::string& dir) const {
  const Directory* const found = Named(dir);
  return found != nullptr && found->owner ? found->owner->foreign_logs_below : 0;
}

uint64_t OutsideDirectories::foreign_tables_below(const std::string& dir) const {
  const Directory* const found = Named(dir);
  return found != nullptr && found->owner ? found->owner->foreign_tables_below : 0;
}

// --- Their end

bool OutsideDirectories::MayDestroy(const std::string& dir, const std::string& db_id) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Directory& known) {
    return SameDirectory(known.path, dir);
  });
  if (found == all_.end()) return true;
  if (found->lock == nullptr) {
    const std::string lock = LockFileName(found->path);
    // (A directory that is not there has nothing to destroy.)
    if (!fs_->LockFile(lock, IOOptions(), &found->lock, nullptr).ok()) {
      found->lock = nullptr;
      return false;
    }
  }
  if (!ReadOwner(&*found).ok()) return false;
  if (!found->owner || found->owner->db_id.empty()) return true;
  const bool here = SameDirectory(found->owner->db_path, dbname_);
  if (!db_id.empty() && found->owner->db_id != db_id) return false;
  return here || (!db_id.empty() && !OwnerIsThere(*found->owner));
}

void OutsideDirectories::RemoveFiles(const std::string& dir) {
  for (Directory& known : all_) {
    if (known.lock == nullptr || !SameDirectory(known.path, dir)) continue;
    fs_->DeleteFile(OwnerFileName(dir), IOOptions(), nullptr).PermitUncheckedError();
    fs_->UnlockFile(std::exchange(known.lock, nullptr), IOOptions(), nullptr)
        .PermitUncheckedError();
    fs_->DeleteFile(LockFileName(dir), IOOptions(), nullptr).PermitUncheckedError();
  }
}

}  // namespace cairn
