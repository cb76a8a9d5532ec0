#include "backups.h"

#include <algorithm>
#include <vector>

namespace interop {
namespace {

// A directory of backups, open.
class Backups {
 public:
  Backups(const Engine& engine, const std::string& dir, const std::string& style)
      : engine_(engine) {
    rocksdb_backup_engine_options_t* const options =
        engine.backup_engine_options_create(dir.c_str());
    engine.backup_engine_options_set_max_background_operations(options, 2);
    if (style == "alone") {
      engine.backup_engine_options_set_share_table_files(options, 0);
    } else if (style == "old-names") {
      engine.backup_engine_options_set_share_files_with_checksum_naming(options, 1);
    } else if (style == "flushed") {
      engine.backup_engine_options_set_backup_log_files(options, 0);
    } else if (style != "shared") {
      Die("no such style of backups: " + style);
    }
    engine_of_backups_ = engine.backup_engine_open_opts(options, engine.create_default_env(),
                                                        Checked(engine, "open backups"));
    engine.backup_engine_options_destroy(options);
  }
  ~Backups() { engine_.backup_engine_close(engine_of_backups_); }
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;
  operator rocksdb_backup_engine_t*() const { return engine_of_backups_; }

  std::vector<uint32_t> Numbers() const {
    const rocksdb_backup_engine_info_t* const info =
        engine_.backup_engine_get_backup_info(engine_of_backups_);
    std::vector<uint32_t> numbers;
    for (int i = 0; i < engine_.backup_engine_info_count(info); ++i) {
      numbers.push_back(engine_.backup_engine_info_backup_id(info, i));
      if (engine_.backup_engine_info_size(info, i) == 0 ||
          engine_.backup_engine_info_number_files(info, i) == 0 ||
          engine_.backup_engine_info_timestamp(info, i) <= 0) {
        Die("backup " + std::to_string(numbers.back()) + " has nothing");
      }
    }
    engine_.backup_engine_info_destroy(info);
    return numbers;
  }

 private:
  const Engine& engine_;
  rocksdb_backup_engine_t* engine_of_backups_ = nullptr;
};

}  // namespace

void MakeBackup(const Setup& setup, const std::string& path, const std::string& dir,
                const std::string& style) {
  const Engine& engine = setup.engine;
  // Its tables stay: so the next backup has some in common with this one.
  engine.options_set_disable_auto_compactions(setup.options, 1);
  Database database(setup, path, false);
  {
    const Backups backups(engine, dir, style);
    engine.backup_engine_create_new_backup_flush(backups, database.db, style == "flushed",
                                                 Checked(engine, "make a backup"));
    std::printf("%u\n", backups.Numbers().back());
  }
  database.Close();
}

void ListBackups(const Engine& engine, const std::string& dir) {
  const Backups backups(engine, dir, "shared");
  for (const uint32_t id : backups.Numbers()) {
    engine.backup_engine_verify_backup(backups, id, Checked(engine, "verify a backup"));
    std::printf("%u\n", id);
  }
}

void RestoreBackup(const Engine& engine, const std::string& path, const std::string& dir,
                   uint32_t id) {
  const Backups backups(engine, dir, "shared");
  rocksdb_restore_options_t* const options = engine.restore_options_create();
  engine.backup_engine_restore_db_from_backup(backups, path.c_str(), path.c_str(), options, id,
                                              Checked(engine, "restore a backup"));
  engine.restore_options_destroy(options);
}

void PurgeBackups(const Engine& engine, const std::string& dir, uint32_t keep) {
  const Backups backups(engine, dir, "shared");
  engine.backup_engine_purge_old_backups(backups, keep, Checked(engine, "purge backups"));
}

}  // namespace interop
