/* The C interface: a column family as files, which another database makes a family of. RocksDB's C
   header has it since release 11. Part of rocksdb/c.h, which includes it. See
   utilities/checkpoint.h and DB::CreateColumnFamilyWithImport. */
#ifndef ROCKSDB_INCLUDE_C_IMPORT_H_
#define ROCKSDB_INCLUDE_C_IMPORT_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_export_import_files_metadata_t rocksdb_export_import_files_metadata_t;
typedef struct rocksdb_import_column_family_options_t rocksdb_import_column_family_options_t;
typedef struct rocksdb_livefile_t rocksdb_livefile_t;

/* Makes the directory, with links to the family's tables in it. NULL on failure. */
extern ROCKSDB_LIBRARY_API rocksdb_export_import_files_metadata_t*
rocksdb_checkpoint_export_column_family(rocksdb_checkpoint_t* checkpoint,
                                        rocksdb_column_family_handle_t* column_family,
                                        const char* export_dir, char** errptr);
/* NULL on failure, which leaves no family. */
extern ROCKSDB_LIBRARY_API rocksdb_column_family_handle_t* rocksdb_create_column_family_with_import(
    rocksdb_t* db, rocksdb_options_t* column_family_options, const char* column_family_name,
    rocksdb_import_column_family_options_t* import_options,
    rocksdb_export_import_files_metadata_t* metadata, char** errptr);

extern ROCKSDB_LIBRARY_API rocksdb_import_column_family_options_t*
rocksdb_import_column_family_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_import_column_family_options_destroy(
    rocksdb_import_column_family_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_import_column_family_options_set_move_files(
    rocksdb_import_column_family_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_import_column_family_options_get_move_files(
    rocksdb_import_column_family_options_t* opt);

/* What is kept between the two. */
extern ROCKSDB_LIBRARY_API rocksdb_export_import_files_metadata_t*
rocksdb_export_import_files_metadata_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_export_import_files_metadata_destroy(
    rocksdb_export_import_files_metadata_t* metadata);
/* For rocksdb_free(). */
extern ROCKSDB_LIBRARY_API char* rocksdb_export_import_files_metadata_get_db_comparator_name(
    rocksdb_export_import_files_metadata_t* metadata);
extern ROCKSDB_LIBRARY_API void rocksdb_export_import_files_metadata_set_db_comparator_name(
    rocksdb_export_import_files_metadata_t* metadata, const char* name);
/* A copy, for rocksdb_livefiles_destroy(). */
extern ROCKSDB_LIBRARY_API rocksdb_livefiles_t* rocksdb_export_import_files_metadata_get_files(
    rocksdb_export_import_files_metadata_t* metadata);
/* Destroys `files`. */
extern ROCKSDB_LIBRARY_API void rocksdb_export_import_files_metadata_set_files(
    rocksdb_export_import_files_metadata_t* metadata, rocksdb_livefiles_t* files);

/* A list of files, and what rocksdb_livefiles_add() puts into it, which destroys `livefile`. */
extern ROCKSDB_LIBRARY_API rocksdb_livefiles_t* rocksdb_livefiles_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_add(rocksdb_livefiles_t* files,
                                                      rocksdb_livefile_t* livefile);
extern ROCKSDB_LIBRARY_API rocksdb_livefile_t* rocksdb_livefile_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_destroy(rocksdb_livefile_t* livefile);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_column_family_name(
    rocksdb_livefile_t* livefile, const char* column_family_name);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_level(rocksdb_livefile_t* livefile, int level);
/* "/000012.sst", in this directory. */
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_name(rocksdb_livefile_t* livefile,
                                                          const char* name);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_directory(rocksdb_livefile_t* livefile,
                                                               const char* directory);
/* Bytes. */
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_size(rocksdb_livefile_t* livefile,
                                                          size_t size);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_smallest_key(rocksdb_livefile_t* livefile,
                                                                  const char* smallest_key,
                                                                  size_t smallest_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_largest_key(rocksdb_livefile_t* livefile,
                                                                 const char* largest_key,
                                                                 size_t largest_key_len);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_smallest_seqno(rocksdb_livefile_t* livefile,
                                                                    uint64_t smallest_seqno);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_largest_seqno(rocksdb_livefile_t* livefile,
                                                                   uint64_t largest_seqno);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_num_entries(rocksdb_livefile_t* livefile,
                                                                 uint64_t num_entries);
extern ROCKSDB_LIBRARY_API void rocksdb_livefile_set_num_deletions(rocksdb_livefile_t* livefile,
                                                                   uint64_t num_deletions);
/* More of what rocksdb_livefiles() returns: see c_monitoring.h. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_directory(const rocksdb_livefiles_t* files,
                                                                   int index);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_livefiles_smallest_seqno(const rocksdb_livefiles_t* files, int index);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_livefiles_largest_seqno(const rocksdb_livefiles_t* files, int index);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_IMPORT_H_ */
