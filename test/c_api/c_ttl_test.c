/* The C interface, in C: databases whose values expire. Compiled against Cairn's header and library and against
   RocksDB's. Exit status 0: all that it says holds. The first argument is a directory that it may create and destroys. */
#include <rocksdb/c.h>
#include <string.h>

#include "database.h"

static void TestTtl(const char* dir) {
  phase = "values that expire";
  rocksdb_t* db = rocksdb_open_with_ttl(options, dir, 1000, &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  ExpectGet(db, reading, "a", "1");
  rocksdb_column_family_handle_t* family = rocksdb_create_column_family_with_ttl(db, options, "family", 100, &error);
  CHECK_OK(error);
  rocksdb_put_cf(db, writing, family, "b", 1, "2", 1, &error);
  CHECK_OK(error);
  rocksdb_column_family_handle_destroy(family);
  rocksdb_close(db);

  const char* const names[] = {"default", "family"};
  const rocksdb_options_t* const of_families[] = {options, options};
  const int ttls[] = {1000, 0};
  rocksdb_column_family_handle_t* handles[2];
  db = rocksdb_open_column_families_with_ttl(options, dir, 2, names, of_families, handles, ttls, &error);
  CHECK_OK(error);
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  ExpectGet(db, reading, "a", "1");
  size_t size = 0;
  char* value = rocksdb_get_cf(db, reading, handles[1], "b", 1, &size, &error);
  CHECK_OK(error);
  CHECK(size == 1 && value[0] == '2');
  rocksdb_free(value);
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, reading);
  rocksdb_iter_seek_to_first(it);
  ExpectAt(it, "a", "1");
  rocksdb_iter_destroy(it);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_close(db);

  /* Four bytes more without it. */
  db = rocksdb_open_column_families(options, dir, 2, names, of_families, handles, &error);
  CHECK_OK(error);
  value = rocksdb_get(db, reading, "a", 1, &size, &error);
  CHECK_OK(error);
  CHECK(size == 5 && value[0] == '1');
  rocksdb_free(value);
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(handles[i]);
#ifdef TEST_NEWER_THAN_7_8
  /* (RocksDB does not look what it was given.) */
  CHECK(rocksdb_create_column_family_with_ttl(db, options, "another", 100, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
#endif
  rocksdb_close(db);
  rocksdb_destroy_db(options, dir, &error);
  CHECK_OK(error);

  CHECK(rocksdb_open_with_ttl(options, "/no/such/directory/at/all", 1, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: c_ttl_test DIRECTORY\n");
    return 2;
  }
  options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  TestTtl(argv[1]);
  rocksdb_writeoptions_destroy(writing);
  rocksdb_readoptions_destroy(reading);
  rocksdb_options_destroy(options);
  printf("the C interface has values that expire\n");
  return 0;
}
