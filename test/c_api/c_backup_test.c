/* The C interface, in C: backups. Compiled against Cairn's header and library and against RocksDB's.
   Exit status 0: all that it says holds. The first argument is a directory that it may create and
   destroys. */
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "database.h"

static char backups[1024], restored[1024];

static void ExpectRestored(const char* key, const char* value) {
  rocksdb_t* db = rocksdb_open(options, restored, &error);
  CHECK_OK(error);
  ExpectGet(db, reading, key, value);
  rocksdb_close(db);
}

static void TestOptions(rocksdb_env_t* env) {
  phase = "options";
  rocksdb_backup_engine_options_t* o = rocksdb_backup_engine_options_create("nowhere");
#define CHECK_OPTION(name, byDefault, other)                             \
  CHECK(rocksdb_backup_engine_options_get_##name(o) == (byDefault));     \
  rocksdb_backup_engine_options_set_##name(o, other);                    \
  CHECK(rocksdb_backup_engine_options_get_##name(o) == (other));         \
  rocksdb_backup_engine_options_set_##name(o, byDefault)
  CHECK_OPTION(share_table_files, 1, 0);
  CHECK_OPTION(sync, 1, 0);
  CHECK_OPTION(destroy_old_data, 0, 1);
  CHECK_OPTION(backup_log_files, 1, 0);
  CHECK_OPTION(backup_rate_limit, 0, 1000000);
  CHECK_OPTION(restore_rate_limit, 0, 2000000);
  CHECK_OPTION(max_background_operations, 1, 3);
  CHECK_OPTION(callback_trigger_interval_size, 4 << 20, 1000);
  CHECK_OPTION(max_valid_backups_to_open, 2147483647, 7);
  CHECK_OPTION(share_files_with_checksum_naming, (int)(2u | 1u << 31), 1);
  rocksdb_backup_engine_options_set_backup_dir(o, backups);
  rocksdb_backup_engine_options_set_env(o, env);
  rocksdb_backup_engine_options_set_destroy_old_data(o, 1);
  rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open_opts(o, env, &error);
  CHECK_OK(error);
  const rocksdb_backup_engine_info_t* info = rocksdb_backup_engine_get_backup_info(engine);
  CHECK(rocksdb_backup_engine_info_count(info) == 0);
  rocksdb_backup_engine_info_destroy(info);
  rocksdb_backup_engine_close(engine);
  rocksdb_backup_engine_options_destroy(o);
}

static void TestBackups(const char* path) {
  phase = "backups";
  rocksdb_t* db = rocksdb_open(options, path, &error);
  CHECK_OK(error);
  rocksdb_backup_engine_t* engine = rocksdb_backup_engine_open(options, backups, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  rocksdb_backup_engine_create_new_backup(engine, db, &error);
  CHECK_OK(error);
  Put(db, "a", "2");
  rocksdb_backup_engine_create_new_backup_flush(engine, db, 1, &error);
  CHECK_OK(error);
  rocksdb_close(db);
  const rocksdb_backup_engine_info_t* info = rocksdb_backup_engine_get_backup_info(engine);
  CHECK(rocksdb_backup_engine_info_count(info) == 2);
  for (int i = 0; i < 2; i++) {
    CHECK(rocksdb_backup_engine_info_backup_id(info, i) == (uint32_t)i + 1);
    CHECK(rocksdb_backup_engine_info_timestamp(info, i) > 1600000000);
    CHECK(rocksdb_backup_engine_info_size(info, i) > 0);
    CHECK(rocksdb_backup_engine_info_number_files(info, i) == 4);
  }
  rocksdb_backup_engine_info_destroy(info);
  rocksdb_restore_options_t* how = rocksdb_restore_options_create();
  rocksdb_restore_options_set_keep_log_files(how, 0);
  rocksdb_backup_engine_restore_db_from_latest_backup(engine, restored, restored, how, &error);
  CHECK_OK(error);
  ExpectRestored("a", "2");
  rocksdb_backup_engine_restore_db_from_backup(engine, restored, restored, how, 1, &error);
  CHECK_OK(error);
  ExpectRestored("a", "1");
  rocksdb_restore_options_destroy(how);
  rocksdb_backup_engine_purge_old_backups(engine, 1, &error);
  CHECK_OK(error);
  rocksdb_backup_engine_verify_backup(engine, 2, &error);
  CHECK_OK(error);
  rocksdb_backup_engine_verify_backup(engine, 1, &error);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_backup_engine_close(engine);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  snprintf(backups, sizeof(backups), "%s.backups", argv[1]);
  snprintf(restored, sizeof(restored), "%s.restored", argv[1]);
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_env_t* env = rocksdb_create_default_env();
  TestOptions(env);
  TestBackups(argv[1]);
  TestOptions(env); /* Empties the directory. */
  for (int i = 0; i < 2; i++) {
    rocksdb_destroy_db(options, i == 0 ? argv[1] : restored, &error);
    CHECK_OK(error);
  }
  rocksdb_env_destroy(env);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  return 0;
}
