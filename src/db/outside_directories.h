// The directories of a database outside of its own: wal_dir, db_paths, cf_paths. Each is owned.
//
// Options are copied more easily than directories: those of a copy (a checkpoint's by hand, cp -r,
// an OPTIONS file) name the logs and tables of its source. Replayed, they are a history that
// the copy does not have; and what a database does not know it deletes. So such a directory says
// whose it is, in two files whose names RocksDB passes over:
//
//   OWNER   the database's identity and its path
//   LOCK    held as long as the database is open for writing
//
// What is found                                     what becomes of it
//   our identity, our path                          it is ours
//   our identity, another path, where the database  refused: we are a copy of that one
//   still is
//   our identity, another path, where it is not     we were moved: OWNER is rewritten
//   any more
//   another identity, whose database is where       refused
//   OWNER says
//   another identity, whose database is gone        refused while something of it is left there,
//                                                   else taken over
//   no OWNER (RocksDB or an older release wrote     adopted, if what is there continues our
//   the files)                                      history; what does not belong to it is never
//                                                   deleted (foreign_logs_below() and the like)
//   an empty OWNER                                  adopted without a look at the history
//
// Refused means InvalidArgument, with both databases' names, before anything there is read or
// changed. A new database adopts only what has no files of another.
//
// Called by the opening (opening.cc, recovery.cc), RepairDB and DestroyDB. Thread safety: none.
// All but the plain accessors SUSPEND.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

// What an OWNER file says.
struct DirectoryOwner {
  std::string db_id;    // empty: the file was made to have its directory adopted
  std::string db_path;  // absolute
  // Files with smaller numbers that the database does not know were there before it.
  uint64_t foreign_logs_below = 0;
  uint64_t foreign_tables_below = 0;

  std::string Encode() const;
  // False: it is damaged.
  [[nodiscard]] static bool Decode(const std::string& text, DirectoryOwner* owner);
};

class OutsideDirectories {
 public:
  // `fs` and `log`, which may be null, are borrowed.
  OutsideDirectories(FileSystem* fs, std::string dbname, Logger* info_log);
  ~OutsideDirectories();  // Unlock()
  OutsideDirectories(const OutsideDirectories&) = delete;
  OutsideDirectories& operator=(const OutsideDirectories&) = delete;

  // Which they are, by sanitized options. InvalidArgument: one is another database's own.
  [[nodiscard]] Status Find(const DBOptions& options,
                            const std::vector<ColumnFamilyDescriptor>& families = {});
  bool empty() const { return all_.empty(); }

  // Whoever deletes or writes there holds the locks. InvalidArgument: another database does.
  [[nodiscard]] Status Lock();
  void Unlock();

  // Before a database is created: nothing of another one is there.
  [[nodiscard]] Status CheckNew();
  // All are ours, or may become ours. `db_id`: of the database that is opened; empty: unknown.
  [[nodiscard]] Status Check(const std::string& db_id);
  // The logs' directory has nobody's name yet: whether they are ours only they can tell.
  bool LogsAreUnowned() const;
  // Of a database that lost its own: what the OWNER files say to be at our path.
  std::string FormerIdentity();
  // Durably makes them ours. REQUIRES: Check() returned OK, and Lock(). In those that had no owner
  // the logs before `first_log` are foreign, and the tables that are there now, if the database
  // does not know them. *largest: the largest number of such a table, which no new one may get; 0.
  [[nodiscard]] Status Claim(const std::string& db_id, uint64_t first_log, uint64_t* largest);

  // Of a new family, while the database is open: makes the directories, which nobody else may have,
  // and claims those that are not ours yet. *largest: the largest number of a table in them; 0.
  [[nodiscard]] Status Join(const ColumnFamilyOptions& options, const std::string& db_id,
                            uint64_t* largest);

  // By the directory's name in the options; 0 where nothing is foreign.
  uint64_t foreign_logs_below(const std::string& dir) const;
  uint64_t foreign_tables_below(const std::string& dir) const;

  // By their absolute names. (That two names lead to one directory by a link the locks find.)
  bool SameDirectory(const std::string& a, const std::string& b) const;

  // For DestroyDB: whether what is in `dir` goes with the database. True for its own directory.
  bool MayDestroy(const std::string& dir, const std::string& db_id);
  // Removes OWNER and LOCK of what was Lock()ed and, where they are empty then, the directories.
  void RemoveFiles(const std::string& dir);

 private:
  struct Directory {
    std::string path;
    const char* option = "";  // that names it
    bool logs = false;
    bool tables = false;
    FileLock* lock = nullptr;
    std::optional<DirectoryOwner> owner;
    bool ours = false;  // Check() found it so: nothing is to be written
  };

  void Add(const std::string& path, const char* option, bool logs, bool tables);
  void AddFamily(const ColumnFamilyOptions& options);
  [[nodiscard]] Status RefuseOthers() const;
  [[nodiscard]] Status LockOne(Directory* dir) const;
  [[nodiscard]] Status CheckNewOne(const Directory& dir) const;
  const Directory* Named(const std::string& path) const;
  [[nodiscard]] Status ReadOwner(Directory* dir) const;
  [[nodiscard]] Status ReadOwners();
  // The database that owns it is where it was when it said so.
  bool OwnerIsThere(const DirectoryOwner& owner) const;
  // A log (that is not empty) or a table in there; empty: there is none.
  [[nodiscard]] Status FindFile(const Directory& dir, std::string* name) const;
  [[nodiscard]] Status LargestTable(const Directory& dir, uint64_t* number) const;
  [[nodiscard]] Status CheckOne(const std::string& db_id, Directory* dir) const;
  [[nodiscard]] Status CheckOther(const std::string& db_id, const Directory& dir) const;
  // "/path/to/db (id ...)".
  std::string Us(const std::string& db_id) const;
  static std::string Them(const DirectoryOwner& owner);

  FileSystem* const fs_;
  const std::string dbname_;
  Logger* const info_log_;
  std::vector<Directory> all_;
};

}  // namespace cairn
