// Options that change while the database is open, and the OPTIONS file that keeps them.
//
// Guards: a mutex of its own is held through a whole change, another while the file is written;
// what is in force belongs to the families, under the database's mutex.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "fiber/mutex.h"
#include "options/options_keeper.h"

namespace cairn {

class OptionsChanges final : public Part {
 public:
  explicit OptionsChanges(Database* db);

  uint64_t OptionsBytes();  // for tests: OptionsKeeper::bytes_written
  Options GetOptions(ColumnFamilyHandle*) const;
  DBOptions GetDBOptions() const;
  [[nodiscard]] Status SetOptions(ColumnFamilyHandle*,
                                  const std::unordered_map<std::string, std::string>&);
  [[nodiscard]] Status SetDBOptions(const std::unordered_map<std::string, std::string>&);
  int NumberLevels(ColumnFamilyHandle*);
  int Level0StopWriteTrigger(ColumnFamilyHandle*);
  // Writes a new OPTIONS file. `changed`: nothing but the options of these families is new, some of
  // which may be dropped; null: anything may be. REQUIRES: changes_mutex(), or nothing else runs
  // yet.
  [[nodiscard]] Status PersistLiveOptions(const std::vector<ColumnFamily*>* changed = nullptr);

  // Held through a whole change of options or of the list of families; taken before the database's.
  fiber::Mutex* changes_mutex() { return &set_options_mutex_; }
  // The newest one's name in the directory; empty if it could not be written.
  const std::string& options_file() const FIBER_REQUIRES(database_mutex) { return options_file_; }
  // Its number; 0: likewise.
  uint64_t options_file_number() const FIBER_REQUIRES(database_mutex) {
    return options_file_number_;
  }

 private:
  // What depends on them and is recomputed rather than asked.
  void ApplyLiveOptions(const std::vector<ColumnFamily*>& families) FIBER_REQUIRES(database_mutex);

  fiber::Mutex set_options_mutex_;
  std::string options_file_ FIBER_GUARDED_BY(database_mutex);
  uint64_t options_file_number_ FIBER_GUARDED_BY(database_mutex) = 0;
  // Held while an OPTIONS file is written; before FilePurger::purge_mutex() and the database's.
  fiber::Mutex options_file_mutex_;
  std::unique_ptr<OptionsKeeper> options_keeper_ FIBER_GUARDED_BY(options_file_mutex_);
};

}  // namespace cairn
