/* The C interface, in C: a column family exported, and imported under other names: from what the export says, and from a list that
   the program makes itself. RocksDB 7.8's header has none of it. Exit status 0: all that it says holds. The first argument is a
   directory that it may create and destroys. */
#ifdef TEST_NEWER_THAN_7_8
#include "database.h"

static char exported[512];

static void ExpectIn(rocksdb_t* db, rocksdb_column_family_handle_t* family, const char* key,
                     const char* value) {
  size_t size = 0;
  char* found = rocksdb_get_cf(db, reading, family, key, strlen(key), &size, &error);
  CHECK_OK(error);
  CHECK(found != NULL && size == strlen(value) && memcmp(found, value, size) == 0);
  rocksdb_free(found);
}

static rocksdb_export_import_files_metadata_t* Export(rocksdb_t* db) {
  phase = "export";
  rocksdb_column_family_handle_t* family = rocksdb_get_default_column_family_handle(db);
  rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &error);
  CHECK_OK(error);
  rocksdb_export_import_files_metadata_t* metadata =
      rocksdb_checkpoint_export_column_family(checkpoint, family, exported, &error);
  CHECK_OK(error);
  CHECK(rocksdb_checkpoint_export_column_family(checkpoint, family, exported, &error) == NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_column_family_handle_destroy(family);
  return metadata;
}

static rocksdb_livefiles_t* CopyOf(const rocksdb_livefiles_t* files) {
  rocksdb_livefiles_t* copy = rocksdb_livefiles_create();
  for (int i = 0; i < rocksdb_livefiles_count(files); ++i) {
    rocksdb_livefile_t* file = rocksdb_livefile_create();
    size_t size;
    rocksdb_livefile_set_column_family_name(file, rocksdb_livefiles_column_family_name(files, i));
    rocksdb_livefile_set_level(file, rocksdb_livefiles_level(files, i));
    rocksdb_livefile_set_name(file, rocksdb_livefiles_name(files, i));
    rocksdb_livefile_set_directory(file, rocksdb_livefiles_directory(files, i));
    rocksdb_livefile_set_size(file, rocksdb_livefiles_size(files, i));
    const char* key = rocksdb_livefiles_smallestkey(files, i, &size);
    rocksdb_livefile_set_smallest_key(file, key, size);
    key = rocksdb_livefiles_largestkey(files, i, &size);
    rocksdb_livefile_set_largest_key(file, key, size);
    rocksdb_livefile_set_smallest_seqno(file, rocksdb_livefiles_smallest_seqno(files, i));
    rocksdb_livefile_set_largest_seqno(file, rocksdb_livefiles_largest_seqno(files, i));
    rocksdb_livefile_set_num_entries(file, rocksdb_livefiles_entries(files, i));
    rocksdb_livefile_set_num_deletions(file, rocksdb_livefiles_deletions(files, i));
    rocksdb_livefiles_add(copy, file);
  }
  return copy;
}

static void Import(rocksdb_t* db, rocksdb_export_import_files_metadata_t* metadata) {
  phase = "import";
  rocksdb_import_column_family_options_t* how = rocksdb_import_column_family_options_create();
  CHECK(!rocksdb_import_column_family_options_get_move_files(how));
  rocksdb_column_family_handle_t* one =
      rocksdb_create_column_family_with_import(db, options, "one", how, metadata, &error);
  CHECK_OK(error);
  ExpectIn(db, one, "a", "1");
  ExpectIn(db, one, "b", "3");
  CHECK(rocksdb_create_column_family_with_import(db, options, "one", how, metadata, &error) ==
        NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;

  phase = "import of a list of the program's own";
  rocksdb_export_import_files_metadata_t* own = rocksdb_export_import_files_metadata_create();
  char* comparator = rocksdb_export_import_files_metadata_get_db_comparator_name(metadata);
  CHECK(strcmp(comparator, "leveldb.BytewiseComparator") == 0);
  rocksdb_export_import_files_metadata_set_db_comparator_name(own, comparator);
  rocksdb_free(comparator);
  rocksdb_livefiles_t* files = rocksdb_export_import_files_metadata_get_files(metadata);
  CHECK(rocksdb_livefiles_count(files) == 2);
  CHECK(strcmp(rocksdb_livefiles_directory(files, 0), exported) == 0);
  rocksdb_export_import_files_metadata_set_files(own, CopyOf(files));
  rocksdb_livefiles_destroy(files);
  rocksdb_livefile_destroy(rocksdb_livefile_create());
  rocksdb_import_column_family_options_set_move_files(how, 1);
  CHECK(rocksdb_import_column_family_options_get_move_files(how));
  rocksdb_column_family_handle_t* two =
      rocksdb_create_column_family_with_import(db, options, "two", how, own, &error);
  CHECK_OK(error);
  ExpectIn(db, two, "a", "1");
  ExpectIn(db, two, "b", "3");
  rocksdb_export_import_files_metadata_destroy(own);
  rocksdb_import_column_family_options_destroy(how);

  phase = "import of files that were moved away";
  how = rocksdb_import_column_family_options_create();
  CHECK(rocksdb_create_column_family_with_import(db, options, "three", how, metadata, &error) ==
        NULL);
  CHECK(error != NULL);
  rocksdb_free(error);
  error = NULL;
  rocksdb_import_column_family_options_destroy(how);
  rocksdb_column_family_handle_destroy(one);
  rocksdb_column_family_handle_destroy(two);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  CHECK(snprintf(exported, sizeof(exported), "%s/exported", argv[1]) < (int)sizeof(exported));
  options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_disable_auto_compactions(options, 1);
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  rocksdb_t* db = rocksdb_open(options, argv[1], &error);
  CHECK_OK(error);
  Put(db, "a", "1");
  Put(db, "b", "2");
  rocksdb_flushoptions_t* flush = rocksdb_flushoptions_create();
  rocksdb_flush(db, flush, &error);
  CHECK_OK(error);
  rocksdb_flushoptions_destroy(flush);
  Put(db, "b", "3");
  ExpectGet(db, reading, "b", "3");
  rocksdb_export_import_files_metadata_t* metadata = Export(db);
  Import(db, metadata);
  rocksdb_export_import_files_metadata_destroy(metadata);

  phase = "the end";
  rocksdb_close(db);
  CHECK(remove(exported) == 0);
  rocksdb_destroy_db(options, argv[1], &error);
  CHECK_OK(error);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  return 0;
}
#else
int main(void) { return 0; }
#endif
