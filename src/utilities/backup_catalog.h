// The backups of one directory: which there are, which of them are good, and what each consists of.
// What is said here is on the disk: a backup is added by its file in meta/, once all else is there,
// and deleted by removing that one first.
//
// Called by an engine, whose lock guards it: shared for const calls. All but plain lookups SUSPEND.
//
// Invariants
// 1. Whatever moment a call dies at, each backup that was good before it, and was not to be
//    deleted, is good.
// 2. state_.files has exactly the files of the good and of the corrupt backups; what else lies in
// the
//    directories is garbage.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/utilities/backup_engine.h"
#include "utilities/backup_meta.h"

namespace cairn {

class BackupCatalog {
 public:
  using Backups = std::map<BackupID, std::shared_ptr<const BackupMeta>>;

  // All is borrowed but `dir`; `log` and `limiter` may be null.
  struct Place {
    FileSystem* fs = nullptr;
    std::string dir;
    Logger* info_log = nullptr;
    RateLimiter* limiter = nullptr;
    bool sync = true;
  };
  explicit BackupCatalog(Place place) : place_(std::move(place)) {}
  BackupCatalog(const BackupCatalog&) = delete;
  BackupCatalog& operator=(const BackupCatalog&) = delete;

  // Reads what is there, in place of what was known. NotFound: there is no directory meta/. An
  // error: it cannot be told which backups are good; what was known stays.
  [[nodiscard]] IOStatus Load(int max_good_backups);
  // Load(), if another engine has changed something since.
  [[nodiscard]] IOStatus LoadChanges();

  const Backups& good() const { return state_.good; }
  std::vector<BackupID> corrupt() const;
  // OK: it is a good one. Else NotFound, or why it is corrupt.
  [[nodiscard]] IOStatus Find(BackupID id, std::shared_ptr<const BackupMeta>* backup) const;
  // No number is given twice, but after BeginNumbersAnew(): REQUIRES: there are no backups.
  BackupID NextId() const { return last_id_ + 1; }
  void BeginNumbersAnew() { last_id_ = 0; }
  // A file that a good backup has; null: there is none.
  const BackupFile* FindFile(const std::string& path) const;

  // Makes the backup one, durably with `sync`. REQUIRES: its files are there, as durably. An error:
  // it is none, unless *remains is set: then its file in meta/ could not be removed any more, and
  // the files that it names must stay.
  [[nodiscard]] IOStatus Add(BackupID id, BackupMeta backup, int schema, bool* remains);
  // With what no other one needs. An error: it may still be there. Files that could not be removed
  // are left for Clean().
  [[nodiscard]] IOStatus Delete(BackupID id);
  // Removes garbage: all, as far as it can be removed. The first error.
  [[nodiscard]] IOStatus Clean();
  // Something may be left to be cleaned.
  bool needs_cleaning() const { return needs_cleaning_; }
  void NeedsCleaning() { needs_cleaning_ = true; }

  std::string Path(const std::string& relative) const { return place_.dir + "/" + relative; }
  const std::string& dir() const { return place_.dir; }
  // fsync, with the option. OK where the file system knows no such thing.
  [[nodiscard]] IOStatus SyncDir(const std::string& relative) const;
  // Bytes of all files in the directory, by name; none if there is no such directory.
  [[nodiscard]] IOStatus SizesIn(const std::string& relative,
                                 std::map<std::string, uint64_t>* sizes) const;

 private:
  struct Corrupt {
    IOStatus why;
    std::shared_ptr<const BackupMeta> remains;  // as far as it could be read
    bool has_unknown_files = false;
  };
  struct File {
    std::shared_ptr<const BackupFile> file;
    int good = 0;  // backups that have it
    int corrupt = 0;
  };
  // By directory.
  using Sizes = std::map<std::string, std::map<std::string, uint64_t>>;

  IOStatus ListIds(std::set<BackupID>* ids) const;
  IOStatus ReadMeta(BackupID id, std::string* text) const;
  IOStatus LoadAll(int max_good_backups);
  IOStatus LoadOne(BackupID id, Sizes* sizes);
  // Turns the entries into files. Corruption: one is missing, or has another size.
  IOStatus Resolve(const std::string& meta_name, std::vector<BackupMetaEntry> entries,
                   const Sizes& sizes, BackupMeta* meta) const;
  void Count(const BackupMeta& backup, int File::* by, int change);
  // The names in a directory; none if there is none.
  IOStatus ChildrenOf(const std::string& relative, std::vector<std::string>* names) const;
  IOStatus RemoveFile(const std::string& relative);
  IOStatus RemoveDir(const std::string& relative);
  void CleanShared(const char* dir, IOStatus* first);
  void CleanPrivate(IOStatus* first);
  void CleanMeta(IOStatus* first);

  // What Load() reads.
  struct State {
    Backups good;
    std::map<BackupID, Corrupt> corrupt;
    std::unordered_map<std::string, File> files;
    std::string last_meta;       // the text in meta/ of the largest backup that there is
    bool unknown_files = false;  // a corrupt backup has some
  };

  const Place place_;
  State state_;
  BackupID last_id_ = 0;  // the largest that there is, or was while this knew it
  bool needs_cleaning_ = true;
  std::set<std::string> ignored_;  // fields that were told of
};

}  // namespace cairn
