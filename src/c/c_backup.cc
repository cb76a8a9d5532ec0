// The C interface: backups.
#include "c/c_objects.h"
#include "rocksdb/utilities/backup_engine.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API
using cairn::Report;

struct rocksdb_backup_engine_t {
  std::shared_ptr<Logger> info_log;  // what the engine writes to; may be null
  std::unique_ptr<BackupEngine> rep;
};
struct rocksdb_backup_engine_info_t {
  std::vector<BackupInfo> rep;
};
struct rocksdb_backup_engine_options_t {
  BackupEngineOptions rep;
};
struct rocksdb_restore_options_t {
  RestoreOptions rep;
};
struct rocksdb_create_backup_options_t {
  CreateBackupOptions rep;
};

namespace {

rocksdb_backup_engine_t* Open(const BackupEngineOptions& options, Env* env,
                              std::shared_ptr<Logger> info_log, char** errptr) {
  BackupEngine* made = nullptr;
  if (!Report(errptr, BackupEngine::Open(options, env, &made))) return nullptr;
  return new rocksdb_backup_engine_t{std::move(info_log), std::unique_ptr<BackupEngine>(made)};
}

}  // namespace

extern "C" {

rocksdb_backup_engine_t* rocksdb_backup_engine_open(const rocksdb_options_t* options,
                                                    const char* path, char** errptr) {
  BackupEngineOptions engine(path);
  engine.info_log = options->rep.info_log.get();
  return Open(engine, options->rep.env, options->rep.info_log, errptr);
}
rocksdb_backup_engine_t* rocksdb_backup_engine_open_opts(
    const rocksdb_backup_engine_options_t* options, rocksdb_env_t* env, char** errptr) {
  return Open(options->rep, env->rep, nullptr, errptr);
}
void rocksdb_backup_engine_close(rocksdb_backup_engine_t* be) { delete be; }

void rocksdb_backup_engine_create_new_backup(rocksdb_backup_engine_t* be, rocksdb_t* db,
                                             char** errptr) {
  Report(errptr, be->rep->CreateNewBackup(db->rep.get()));
}
void rocksdb_backup_engine_create_new_backup_flush(rocksdb_backup_engine_t* be, rocksdb_t* db,
                                                   unsigned char flush_before_backup,
                                                   char** errptr) {
  Report(errptr, be->rep->CreateNewBackup(db->rep.get(), flush_before_backup != 0));
}

rocksdb_create_backup_options_t* rocksdb_create_backup_options_create() {
  return new rocksdb_create_backup_options_t;
}
void rocksdb_create_backup_options_destroy(rocksdb_create_backup_options_t* o) { delete o; }
CAIRN_C_OPTION(create_backup_options, unsigned char, flush_before_backup)
CAIRN_C_OPTION(create_backup_options, unsigned char, decrease_background_thread_cpu_priority)
CAIRN_C_OPTION(create_backup_options, int, background_thread_cpu_priority)
void rocksdb_create_backup_options_set_progress_callback(
    rocksdb_create_backup_options_t* o, void* state,
    rocksdb_create_backup_options_progress_cb callback) {
  // The engine calls it unasked, so there always is one.
  o->rep.progress_callback = [state, callback] {
    if (callback != nullptr) callback(state);
  };
}
void rocksdb_backup_engine_create_new_backup_with_options(
    rocksdb_backup_engine_t* be, rocksdb_t* db, const rocksdb_create_backup_options_t* options,
    uint32_t* backup_id, char** errptr) {
  rocksdb_backup_engine_create_new_backup_with_metadata(be, db, options, nullptr, 0, backup_id,
                                                        errptr);
}
void rocksdb_backup_engine_create_new_backup_with_metadata(
    rocksdb_backup_engine_t* be, rocksdb_t* db, const rocksdb_create_backup_options_t* options,
    const char* app_metadata, size_t app_metadata_len, uint32_t* backup_id, char** errptr) {
  std::string metadata;
  if (app_metadata != nullptr) metadata.assign(app_metadata, app_metadata_len);
  BackupID made = 0;
  const Status s = be->rep->CreateNewBackupWithMetadata(
      options == nullptr ? CreateBackupOptions() : options->rep, db->rep.get(), metadata, &made);
  if (Report(errptr, s) && backup_id != nullptr) *backup_id = made;
}
void rocksdb_backup_engine_stop_backup(rocksdb_backup_engine_t* be) { be->rep->StopBackup(); }

void rocksdb_backup_engine_purge_old_backups(rocksdb_backup_engine_t* be,
                                             uint32_t num_backups_to_keep, char** errptr) {
  Report(errptr, be->rep->PurgeOldBackups(num_backups_to_keep));
}
void rocksdb_backup_engine_verify_backup(rocksdb_backup_engine_t* be, uint32_t backup_id,
                                         char** errptr) {
  Report(errptr, be->rep->VerifyBackup(backup_id));
}

rocksdb_restore_options_t* rocksdb_restore_options_create(void) {
  return new rocksdb_restore_options_t{RestoreOptions()};
}
void rocksdb_restore_options_destroy(rocksdb_restore_options_t* opt) { delete opt; }
void rocksdb_restore_options_set_keep_log_files(rocksdb_restore_options_t* opt, int v) {
  opt->rep.keep_log_files = v != 0;
}
CAIRN_C_GETTER(restore_options, unsigned char, keep_log_files)
void rocksdb_backup_engine_restore_db_from_latest_backup(
    rocksdb_backup_engine_t* be, const char* db_dir, const char* wal_dir,
    const rocksdb_restore_options_t* restore_options, char** errptr) {
  Report(errptr, be->rep->RestoreDBFromLatestBackup(restore_options->rep, db_dir, wal_dir));
}
void rocksdb_backup_engine_restore_db_from_backup(rocksdb_backup_engine_t* be, const char* db_dir,
                                                  const char* wal_dir,
                                                  const rocksdb_restore_options_t* restore_options,
                                                  const uint32_t backup_id, char** errptr) {
  Report(errptr, be->rep->RestoreDBFromBackup(restore_options->rep, backup_id, db_dir, wal_dir));
}

const rocksdb_backup_engine_info_t* rocksdb_backup_engine_get_backup_info(
    rocksdb_backup_engine_t* be) {
  auto* const info = new rocksdb_backup_engine_info_t;
  be->rep->GetBackupInfo(&info->rep);
  return info;
}
int rocksdb_backup_engine_info_count(const rocksdb_backup_engine_info_t* info) {
  return static_cast<int>(info->rep.size());
}
int64_t rocksdb_backup_engine_info_timestamp(const rocksdb_backup_engine_info_t* info, int index) {
  return info->rep[static_cast<size_t>(index)].timestamp;
}
uint32_t rocksdb_backup_engine_info_backup_id(const rocksdb_backup_engine_info_t* info, int index) {
  return info->rep[static_cast<size_t>(index)].backup_id;
}
uint64_t rocksdb_backup_engine_info_size(const rocksdb_backup_engine_info_t* info, int index) {
  return info->rep[static_cast<size_t>(index)].size;
}
uint32_t rocksdb_backup_engine_info_number_files(const rocksdb_backup_engine_info_t* info,
                                                 int index) {
  return info->rep[static_cast<size_t>(index)].number_files;
}
const char* rocksdb_backup_engine_info_app_metadata(const rocksdb_backup_engine_info_t* info,
                                                    int index, size_t* len) {
  const std::string& metadata = info->rep[static_cast<size_t>(index)].app_metadata;
  *len = metadata.size();
  return metadata.data();
}
void rocksdb_backup_engine_info_destroy(const rocksdb_backup_engine_info_t* info) { delete info; }

rocksdb_backup_engine_options_t* rocksdb_backup_engine_options_create(const char* backup_dir) {
  return new rocksdb_backup_engine_options_t{BackupEngineOptions(backup_dir)};
}
void rocksdb_backup_engine_options_destroy(rocksdb_backup_engine_options_t* o) { delete o; }
void rocksdb_backup_engine_options_set_backup_dir(rocksdb_backup_engine_options_t* o,
                                                  const char* backup_dir) {
  o->rep.backup_dir = backup_dir;
}
const char* rocksdb_backup_engine_options_get_backup_dir(rocksdb_backup_engine_options_t* o,
                                                         size_t* size) {
  *size = o->rep.backup_dir.size();
  return o->rep.backup_dir.data();
}
void rocksdb_backup_engine_options_set_backup_rate_limiter(rocksdb_backup_engine_options_t* o,
                                                           rocksdb_ratelimiter_t* limiter) {
  o->rep.backup_rate_limiter = limiter == nullptr ? nullptr : limiter->rep;
}
void rocksdb_backup_engine_options_set_restore_rate_limiter(rocksdb_backup_engine_options_t* o,
                                                            rocksdb_ratelimiter_t* limiter) {
  o->rep.restore_rate_limiter = limiter == nullptr ? nullptr : limiter->rep;
}
void rocksdb_backup_engine_options_set_env(rocksdb_backup_engine_options_t* o, rocksdb_env_t* env) {
  o->rep.backup_env = env == nullptr ? nullptr : env->rep;
}
CAIRN_C_OPTION(backup_engine_options, unsigned char, share_table_files)
CAIRN_C_OPTION(backup_engine_options, unsigned char, sync)
CAIRN_C_OPTION(backup_engine_options, unsigned char, destroy_old_data)
CAIRN_C_OPTION(backup_engine_options, unsigned char, backup_log_files)
CAIRN_C_OPTION(backup_engine_options, uint64_t, backup_rate_limit)
CAIRN_C_OPTION(backup_engine_options, uint64_t, restore_rate_limit)
CAIRN_C_OPTION(backup_engine_options, int, max_background_operations)
CAIRN_C_OPTION(backup_engine_options, uint64_t, callback_trigger_interval_size)
CAIRN_C_OPTION(backup_engine_options, int, max_valid_backups_to_open)
CAIRN_C_OPTION(backup_engine_options, int, share_files_with_checksum_naming)
CAIRN_C_OPTION(backup_engine_options, unsigned char, share_files_with_checksum)
CAIRN_C_OPTION(backup_engine_options, int, schema_version)
CAIRN_C_OPTION(backup_engine_options, unsigned char, current_temperatures_override_manifest)

CAIRN_C_OPTION(create_backup_options, unsigned char, atomic_flush)
void rocksdb_create_backup_options_set_exclude_files_callback(
    rocksdb_create_backup_options_t* options, void* state,
    rocksdb_create_backup_options_exclude_files_cb callback) {
  if (callback == nullptr) {
    options->rep.exclude_files_callback = nullptr;
    return;
  }
  options->rep.exclude_files_callback = [state, callback](MaybeExcludeBackupFile* begin,
                                                          MaybeExcludeBackupFile* end) {
    for (MaybeExcludeBackupFile* file = begin; file != end; ++file) {
      const std::string& path = file->info.relative_file;
      file->exclude_decision = callback(state, path.data(), path.size()) != 0;
    }
  };
}
CAIRN_C_OPTION(backup_engine_options, uint64_t, io_buffer_size)
CAIRN_C_OPTION(restore_options, int, mode)

}  // extern "C"
