/* The C interface, in C: the room that files take, and where the blocks of caches lie. Compiled against Cairn's header and library
   and against RocksDB's, of which 7.8 has the allocator alone. Exit status 0: all that it says holds. The first argument is a
   directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <string.h>

#include "check.h"

static char* error = NULL;

static void PutAndFlush(rocksdb_t* db, const char* key) {
  rocksdb_writeoptions_t* writing = rocksdb_writeoptions_create();
  rocksdb_put(db, writing, key, strlen(key), "value", 5, &error);
  CHECK_OK(error);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
}

#ifdef TEST_NEWER_THAN_7_8
static void TestManager(const char* dir) {
  phase = "the manager of files";
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_sst_file_manager_t* manager = rocksdb_sst_file_manager_create(env);
  CHECK(rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(manager) == 0);
  CHECK(rocksdb_sst_file_manager_get_max_trash_db_ratio(manager) == 0.25);
  rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(manager, 7);
  rocksdb_sst_file_manager_set_max_trash_db_ratio(manager, 0.75);
  CHECK(rocksdb_sst_file_manager_get_delete_rate_bytes_per_second(manager) == 7);
  CHECK(rocksdb_sst_file_manager_get_max_trash_db_ratio(manager) == 0.75);
  rocksdb_sst_file_manager_set_delete_rate_bytes_per_second(manager, 0);

  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_sst_file_manager(options, manager);
  rocksdb_t* db = rocksdb_open(options, dir, &error);
  CHECK_OK(error);
  CHECK(rocksdb_sst_file_manager_get_total_size(manager) == 0);
  PutAndFlush(db, "a");
  const uint64_t size = rocksdb_sst_file_manager_get_total_size(manager);
  CHECK(size > 0);
  CHECK(!rocksdb_sst_file_manager_is_max_allowed_space_reached(manager));
  rocksdb_sst_file_manager_set_max_allowed_space_usage(manager, size + 1);
  CHECK(!rocksdb_sst_file_manager_is_max_allowed_space_reached(manager));
  rocksdb_sst_file_manager_set_compaction_buffer_size(manager, size);
  rocksdb_sst_file_manager_set_max_allowed_space_usage(manager, size);
  CHECK(rocksdb_sst_file_manager_is_max_allowed_space_reached(manager));
  CHECK(rocksdb_sst_file_manager_is_max_allowed_space_reached_including_compactions(manager));
  CHECK(rocksdb_sst_file_manager_get_total_trash_size(manager) == 0);
  rocksdb_close(db);
  rocksdb_sst_file_manager_destroy(manager); /* the options have it, too */
  rocksdb_destroy_db(options, dir, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(options);
  rocksdb_env_destroy(env);
}
#endif

static void TestPaths(const char* dir) {
  phase = "directories for tables";
  char elsewhere[300];
  CHECK(strlen(dir) < 200);
  strcpy(elsewhere, dir);
  strcat(elsewhere, "_tables");
  rocksdb_dbpath_t* path = rocksdb_dbpath_create(elsewhere, 1 << 20);
  const rocksdb_dbpath_t* paths[1] = {path};
  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_db_paths(options, paths, 1);
  rocksdb_dbpath_destroy(path);
  rocksdb_t* db = rocksdb_open(options, dir, &error);
  CHECK_OK(error);
  PutAndFlush(db, "a");
  int count = 0;
  const rocksdb_livefiles_t* files = rocksdb_livefiles(db);
  count = rocksdb_livefiles_count(files);
  CHECK(count == 1);
  rocksdb_livefiles_destroy(files);
  rocksdb_close(db);
  rocksdb_destroy_db(options, dir, &error);
  CHECK_OK(error);
  rocksdb_options_destroy(options);
}

static void TestAllocator(void) {
  phase = "the allocator";
  rocksdb_memory_allocator_t* allocator = rocksdb_jemalloc_nodump_allocator_create(&error);
  if (error != NULL) {
    CHECK(strncmp(error, "Not implemented: ", 17) == 0);
    rocksdb_memory_allocator_destroy(allocator); /* NULL in Cairn */
    rocksdb_free(error);
    error = NULL;
    return;
  }
  rocksdb_lru_cache_options_t* options = rocksdb_lru_cache_options_create();
  rocksdb_lru_cache_options_set_capacity(options, 100000);
  rocksdb_lru_cache_options_set_memory_allocator(options, allocator);
  rocksdb_cache_t* cache = rocksdb_cache_create_lru_opts(options);
  CHECK(rocksdb_cache_get_capacity(cache) == 100000);
  rocksdb_cache_destroy(cache);
  rocksdb_lru_cache_options_destroy(options);
  rocksdb_memory_allocator_destroy(allocator);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
#ifdef TEST_NEWER_THAN_7_8
  TestManager(argv[1]);
#endif
  TestPaths(argv[1]);
  TestAllocator();
  return 0;
}
