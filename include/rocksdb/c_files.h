/* The C interface: a database's files: sizes, logs, what a copy consists of, compaction of chosen
   files. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_FILES_H_
#define ROCKSDB_INCLUDE_C_FILES_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_compaction_options_t rocksdb_compaction_options_t;
typedef struct rocksdb_livefiles_storage_info_options_t rocksdb_livefiles_storage_info_options_t;
typedef struct rocksdb_livefiles_storage_info_t rocksdb_livefiles_storage_info_t;
typedef struct rocksdb_size_approximation_options_t rocksdb_size_approximation_options_t;
typedef struct rocksdb_wal_file_t rocksdb_wal_file_t;
typedef struct rocksdb_wal_files_t rocksdb_wal_files_t;

/* Checks tables against what the MANIFEST says of them whole (file_checksum_gen_factory). */
extern ROCKSDB_LIBRARY_API void rocksdb_verify_file_checksums(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_verify_file_checksums_with_options(
    rocksdb_t* db, const rocksdb_readoptions_t* options, char** errptr);

/* What DB::GetApproximateSizes() takes: SizeApproximationOptions in options.h, with its defaults.
 */
extern ROCKSDB_LIBRARY_API rocksdb_size_approximation_options_t*
rocksdb_size_approximation_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_size_approximation_options_destroy(
    rocksdb_size_approximation_options_t* options);
extern ROCKSDB_LIBRARY_API void rocksdb_size_approximation_options_set_include_memtables(
    rocksdb_size_approximation_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_size_approximation_options_get_include_memtables(
    rocksdb_size_approximation_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_size_approximation_options_set_include_files(
    rocksdb_size_approximation_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_size_approximation_options_get_include_files(
    rocksdb_size_approximation_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_size_approximation_options_set_files_size_error_margin(
    rocksdb_size_approximation_options_t* opt, double v);
extern ROCKSDB_LIBRARY_API double rocksdb_size_approximation_options_get_files_size_error_margin(
    rocksdb_size_approximation_options_t* opt);
/* sizes: num_ranges numbers of bytes. */
extern ROCKSDB_LIBRARY_API void rocksdb_approximate_sizes_with_options(
    rocksdb_t* db, const rocksdb_size_approximation_options_t* options, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len, uint64_t* sizes,
    char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_approximate_sizes_cf_with_options(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
    const rocksdb_size_approximation_options_t* options, int num_ranges,
    const char* const* range_start_key, const size_t* range_start_key_len,
    const char* const* range_limit_key, const size_t* range_limit_key_len, uint64_t* sizes,
    char** errptr);

/* The write-ahead logs, the oldest first: LogFile in transaction_log.h. Text is zero-terminated,
   and lives as long as its file; index: less than the count. */
extern ROCKSDB_LIBRARY_API rocksdb_wal_files_t* rocksdb_get_sorted_wal_files(rocksdb_t* db,
                                                                             char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_wal_file_t* rocksdb_get_current_wal_file(rocksdb_t* db,
                                                                            char** errptr);
extern ROCKSDB_LIBRARY_API size_t rocksdb_wal_files_count(const rocksdb_wal_files_t* files);
extern ROCKSDB_LIBRARY_API const rocksdb_wal_file_t* rocksdb_wal_files_get_wal_file(
    const rocksdb_wal_files_t* files, size_t index);
extern ROCKSDB_LIBRARY_API void rocksdb_wal_files_destroy(rocksdb_wal_files_t* files);
/* Not of one that rocksdb_wal_files_get_wal_file() gave. */
extern ROCKSDB_LIBRARY_API void rocksdb_wal_file_destroy(rocksdb_wal_file_t* file);
extern ROCKSDB_LIBRARY_API const char* rocksdb_wal_file_path_name(const rocksdb_wal_file_t* file);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_wal_file_log_number(const rocksdb_wal_file_t* file);
enum { rocksdb_wal_file_type_archived_log = 0, rocksdb_wal_file_type_alive_log = 1 };
extern ROCKSDB_LIBRARY_API int rocksdb_wal_file_type(const rocksdb_wal_file_t* file);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_wal_file_start_sequence(const rocksdb_wal_file_t* file);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_wal_file_size_file_bytes(const rocksdb_wal_file_t* file);

/* The files of which a copy of the database consists: LiveFileStorageInfo in metadata.h. Text is
   zero-terminated, and lives as long as the info; index: less than the count. */
extern ROCKSDB_LIBRARY_API rocksdb_livefiles_storage_info_options_t*
rocksdb_livefiles_storage_info_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_storage_info_options_destroy(
    rocksdb_livefiles_storage_info_options_t* options);
extern ROCKSDB_LIBRARY_API size_t
rocksdb_livefiles_storage_info_count(const rocksdb_livefiles_storage_info_t* info);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_storage_info_relative_filename(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_storage_info_directory(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_livefiles_storage_info_file_number(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_storage_info_file_type(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_livefiles_storage_info_size(const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API int rocksdb_livefiles_storage_info_temperature(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_storage_info_file_checksum(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_storage_info_file_checksum_func_name(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API const char* rocksdb_livefiles_storage_info_replacement_contents(
    const rocksdb_livefiles_storage_info_t* info, size_t index, size_t* size);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_livefiles_storage_info_trim_to_size(
    const rocksdb_livefiles_storage_info_t* info, size_t index);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_storage_info_destroy(
    rocksdb_livefiles_storage_info_t* info);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_storage_info_options_set_include_checksum_info(
    rocksdb_livefiles_storage_info_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_livefiles_storage_info_options_get_include_checksum_info(
    rocksdb_livefiles_storage_info_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_storage_info_options_set_wal_size_for_flush(
    rocksdb_livefiles_storage_info_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_livefiles_storage_info_options_get_wal_size_for_flush(
    rocksdb_livefiles_storage_info_options_t* opt);
extern ROCKSDB_LIBRARY_API rocksdb_livefiles_storage_info_t* rocksdb_get_livefiles_storage_info(
    rocksdb_t* db, const rocksdb_livefiles_storage_info_options_t* options, char** errptr);

/* Compacts these files, whose names are those of live files: DB::CompactFiles(). output_path_id: of
   the db_paths; -1 where there is one. The last two results may be NULL; the names are for
   rocksdb_compact_files_output_file_names_destroy(). */
extern ROCKSDB_LIBRARY_API rocksdb_compaction_options_t* rocksdb_compaction_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_destroy(rocksdb_compaction_options_t*);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_compression(
    rocksdb_compaction_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_compaction_options_get_compression(
    rocksdb_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_output_file_size_limit(
    rocksdb_compaction_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_compaction_options_get_output_file_size_limit(rocksdb_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_max_subcompactions(
    rocksdb_compaction_options_t* opt, uint32_t v);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_compaction_options_get_max_subcompactions(rocksdb_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_compact_files(
    rocksdb_t* db, const rocksdb_compaction_options_t* options, const char* const* input_file_names,
    size_t num_input_file_names, int output_level, int output_path_id, char*** output_file_names,
    size_t* num_output_file_names, rocksdb_compactionjobinfo_t* compaction_job_info, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_compact_files_cf(
    rocksdb_t* db, rocksdb_column_family_handle_t* column_family,
    const rocksdb_compaction_options_t* options, const char* const* input_file_names,
    size_t num_input_file_names, int output_level, int output_path_id, char*** output_file_names,
    size_t* num_output_file_names, rocksdb_compactionjobinfo_t* compaction_job_info, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_compact_files_output_file_names_destroy(
    char** output_file_names, size_t num_output_file_names);

/* CompactionOptions, LiveFilesStorageInfoOptions, SizeApproximationOptions, as in options.h. */
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_compaction_options_get_allow_trivial_move(
    rocksdb_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API int rocksdb_compaction_options_get_output_temperature_override(
    rocksdb_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_allow_trivial_move(
    rocksdb_compaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_output_temperature_override(
    rocksdb_compaction_options_t* opt, int v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_livefiles_storage_info_options_get_atomic_flush(
    rocksdb_livefiles_storage_info_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_livefiles_storage_info_options_set_atomic_flush(
    rocksdb_livefiles_storage_info_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_size_approximation_options_get_include_blob_files(
    rocksdb_size_approximation_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_size_approximation_options_set_include_blob_files(
    rocksdb_size_approximation_options_t* opt, unsigned char v);
/* A flag that ends compactions early once it is set, from any thread. It must outlive the calls of
   those whose options have it. NULL: none. */
extern ROCKSDB_LIBRARY_API unsigned char* rocksdb_compaction_options_canceled_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_canceled_destroy(
    unsigned char* canceled);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_canceled_set(unsigned char* canceled,
                                                                        unsigned char value);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_options_set_canceled(
    rocksdb_compaction_options_t* options, unsigned char* canceled);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_FILES_H_ */
