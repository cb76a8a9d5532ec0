#include "kv_bench/backup.h"

#include "fiber/clock.h"

namespace kv_bench {

double MakeBackup(const Engine& engine, const rocksdb_options_t* options, rocksdb_t* db,
                  const std::string& directory, std::string* error) {
  const uint64_t start = fiber::now_nanos();
  char* failure = nullptr;
  rocksdb_backup_engine_t* backups =
      engine.rocksdb_backup_engine_open(options, directory.c_str(), &failure);
  if (failure == nullptr) {
    engine.rocksdb_backup_engine_create_new_backup_flush(backups, db, 1, &failure);
    engine.rocksdb_backup_engine_close(backups);
  }
  if (failure != nullptr) *error = directory + ": " + failure;
  engine.rocksdb_free(failure);
  return static_cast<double>(fiber::now_nanos() - start) / 1e9;
}

}  // namespace kv_bench
