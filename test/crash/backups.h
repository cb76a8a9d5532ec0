// Backups that crash_writer makes, deletes and restores while it writes, and what must be there of
// them after a kill. What was promised stands in a text file beside the state, which lives append
// to:
//
//   made ID WRITERS LEAST... MOST... STARTS...    the backup ID is there, until
//   deleting ID                                   which comes before the call
//   restoring ID / restored ID                    the restored database's directory is written
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "crash/journal.h"
#include "crash/work.h"
#include "rocksdb/db.h"
#include "rocksdb/utilities/backup_engine.h"

namespace cairn::crash {

// Of a database that is a copy: of each writer, its keys are as after one of these writes.
struct CopyPromise {
  std::vector<uint64_t> least, most;
  std::vector<std::vector<LifeStart>> starts;
};

class Backups {
 public:
  // Whether the database there opens; if so, it must keep one of the promises.
  using VerifyCopy =
      std::function<bool(const std::string& path, const std::vector<const CopyPromise*>& promises)>;
  // The bounds of what a database has: of each writer, its last write that was acknowledged, or
  // that was issued.
  using Numbers = std::function<std::vector<uint64_t>()>;

  // `dir`: of the backups; "<dir>-restored" beside it is where they are restored to. `list`: the
  // file of promises. Ends the program with a violation where something is wrong, as all that
  // follow.
  Backups(const std::string& dir, const std::string& list, uint64_t seed);
  ~Backups();

  // At the beginning of a life: all backups that were promised are there and sound, no other file
  // is, and the latest one restores over what a killed restore left.
  void Verify(const VerifyCopy& verify);
  // From here on Step() may be called, by one thread.
  void Begin(std::vector<std::vector<LifeStart>> starts, bool flush_always);
  // Makes one, deletes some, restores one ... as `random` has it.
  Status Step(DB* db, Random64* random, const Numbers& acknowledged, const Numbers& issued);
  uint64_t made() const { return made_; }

 private:
  struct Promised {
    BackupID id;
    CopyPromise promise;
  };

  void ReadList();
  void CheckFiles();
  const Promised* Find(BackupID id) const;
  Status Make(DB* db, Random64* random, const Numbers& acknowledged, const Numbers& issued);
  Status Delete(Random64* random);
  void TakeBack(BackupID id);  // before it is deleted
  void Forget(BackupID id);
  Status Restore(BackupID id, Random64* random);

  const std::string dir_;
  const std::string restored_;  // directory
  const std::string list_;
  Random64 random_;
  std::unique_ptr<BackupEngine> engine_;
  std::unique_ptr<Journal> journal_;
  std::vector<Promised> promised_;  // ascending
  BackupID restoring_ = 0;          // a life was killed in it; 0: none was
  BackupID in_place_ = 0;           // was restored before that; 0: none
  std::vector<std::vector<LifeStart>> starts_;
  bool flush_always_ = false;
  uint64_t made_ = 0;
};

// The database has something else than it promised: prints it and ends the program, with status 1.
[[noreturn]] void Violation(const std::string& text);
void Say(const std::string& text);

}  // namespace cairn::crash
