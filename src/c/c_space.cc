// The C interface: the manager of the room that files take, and directories for tables.
#include "c/c_objects.h"
#include "rocksdb/sst_file_manager.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_sst_file_manager_t {
  std::shared_ptr<SstFileManager> rep;
};
struct rocksdb_dbpath_t {
  DbPath rep;
};

namespace {

std::vector<DbPath> PathsOf(const rocksdb_dbpath_t** values, size_t count) {
  std::vector<DbPath> paths;
  for (size_t i = 0; i < count; ++i) paths.push_back(values[i]->rep);
  return paths;
}

}  // namespace

extern "C" {

rocksdb_sst_file_manager_t* rocksdb_sst_file_manager_create(rocksdb_env_t* env) {
  return new rocksdb_sst_file_manager_t{
      std::shared_ptr<SstFileManager>(NewSstFileManager(env->rep))};
}
void rocksdb_sst_file_manager_destroy(rocksdb_sst_file_manager_t* manager) { delete manager; }
void rocksdb_options_set_sst_file_manager(rocksdb_options_t* options,
                                          rocksdb_sst_file_manager_t* manager) {
  options->rep.sst_file_manager = manager == nullptr ? nullptr : manager->rep;
}
void rocksdb_sst_file_manager_set_max_allowed_space_usage(rocksdb_sst_file_manager_t* manager,
                                                          uint64_t max_allowed_space) {
  manager->rep->SetMaxAllowedSpaceUsage(max_allowed_space);
}
void rocksdb_sst_file_manager_set_compaction_buffer_size(rocksdb_sst_file_manager_t* manager,
                                                         uint64_t compaction_buffer_size) {
  manager->rep->SetCompactionBufferSize(compaction_buffer_size);
}
bool rocksdb_sst_file_manager_is_max_allowed_space_reached(rocksdb_sst_file_manager_t* manager) {
  return manager->rep->IsMaxAllowedSpaceReached();
}
bool rocksdb_sst_file_manager_is_max_allowed_space_reached_including_compactions(
    rocksdb_sst_file_manager_t* manager) {
  return manager->rep->IsMaxAllowedSpaceReachedIncludingCompactions();
}
uint64_t rocksdb_sst_file_manager_get_total_size(rocksdb_sst_file_manager_t* manager) {
  return manager->rep->GetTotalSize();
}
int64_t rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(
    rocksdb_sst_file_manager_t* manager) {
  return manager->rep->GetDeleteRateBytesPerSecond();
}
void rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(rocksdb_sst_file_manager_t* manager,
                                                               int64_t delete_rate) {
  manager->rep->SetDeleteRateBytesPerSecond(delete_rate);
}
double rocksdb_sst_file_manager_get_max_trash_db_ratio(rocksdb_sst_file_manager_t* manager) {
  return manager->rep->GetMaxTrashDBRatio();
}
void rocksdb_sst_file_manager_set_max_trash_db_ratio(rocksdb_sst_file_manager_t* manager,
                                                     double ratio) {
  manager->rep->SetMaxTrashDBRatio(ratio);
}
uint64_t rocksdb_sst_file_manager_get_total_trash_size(rocksdb_sst_file_manager_t* manager) {
  return manager->rep->GetTotalTrashSize();
}

rocksdb_dbpath_t* rocksdb_dbpath_create(const char* path, uint64_t target_size) {
  return new rocksdb_dbpath_t{DbPath(path, target_size)};
}
void rocksdb_dbpath_destroy(rocksdb_dbpath_t* path) { delete path; }
void rocksdb_options_set_db_paths(rocksdb_options_t* options, const rocksdb_dbpath_t** path_values,
                                  size_t num_paths) {
  options->rep.db_paths = PathsOf(path_values, num_paths);
}
void rocksdb_options_set_cf_paths(rocksdb_options_t* options, const rocksdb_dbpath_t** path_values,
                                  size_t num_paths) {
  options->rep.cf_paths = PathsOf(path_values, num_paths);
}
void rocksdb_options_set_row_cache(rocksdb_options_t* options, rocksdb_cache_t* cache) {
  options->rep.row_cache = cache == nullptr ? nullptr : cache->rep;
}

}  // extern "C"
