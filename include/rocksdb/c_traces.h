/* The C interface: traces of operations, and their replay. Part of rocksdb/c.h, which includes it.
   What each does stands in rocksdb/db.h, trace_reader_writer.h and utilities/replayer.h. */
#ifndef ROCKSDB_INCLUDE_C_TRACES_H_
#define ROCKSDB_INCLUDE_C_TRACES_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_block_cache_trace_options_t rocksdb_block_cache_trace_options_t;
typedef struct rocksdb_block_cache_trace_writer_options_t
    rocksdb_block_cache_trace_writer_options_t;
typedef struct rocksdb_replay_options_t rocksdb_replay_options_t;
typedef struct rocksdb_replayer_t rocksdb_replayer_t;
typedef struct rocksdb_trace_options_t rocksdb_trace_options_t;
typedef struct rocksdb_trace_reader_t rocksdb_trace_reader_t;

/* TraceFilterType. */
enum {
  rocksdb_trace_filter_none = 0,
  rocksdb_trace_filter_get = 1 << 0,
  rocksdb_trace_filter_write = 1 << 1,
  rocksdb_trace_filter_iterator_seek = 1 << 2,
  rocksdb_trace_filter_iterator_seek_for_prev = 1 << 3,
  rocksdb_trace_filter_multi_get = 1 << 4
};
/* The fields of TraceOptions; `filter`: bits of these. */
extern ROCKSDB_LIBRARY_API rocksdb_trace_options_t* rocksdb_trace_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_options_destroy(rocksdb_trace_options_t* options);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_trace_options_get_filter(rocksdb_trace_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_trace_options_get_max_trace_file_size(rocksdb_trace_options_t* opt);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_trace_options_get_preserve_write_order(
    rocksdb_trace_options_t* opt);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_trace_options_get_sampling_frequency(rocksdb_trace_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_options_set_filter(rocksdb_trace_options_t* opt,
                                                                 uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_options_set_max_trace_file_size(
    rocksdb_trace_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_options_set_preserve_write_order(
    rocksdb_trace_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_options_set_sampling_frequency(
    rocksdb_trace_options_t* opt, uint64_t v);

/* `env` and `env_options` may be NULL: the default ones. The file is made anew, and complete after
   rocksdb_end_trace(), which has the first error of writing it. */
extern ROCKSDB_LIBRARY_API void rocksdb_end_trace(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_start_trace(rocksdb_t* db, rocksdb_env_t* env,
                                                    const rocksdb_envoptions_t* env_options,
                                                    const rocksdb_trace_options_t* options,
                                                    const char* trace_path, char** errptr);

/* A trace's records, from its header on. NULL and no error: there are no more. The record, *size
   bytes, is malloc()ed: rocksdb_free(). */
extern ROCKSDB_LIBRARY_API void rocksdb_trace_reader_close(rocksdb_trace_reader_t* reader,
                                                           char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_trace_reader_t* rocksdb_trace_reader_create(
    rocksdb_env_t* env, const rocksdb_envoptions_t* env_options, const char* trace_path,
    char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_reader_destroy(rocksdb_trace_reader_t* reader);
extern ROCKSDB_LIBRARY_API char* rocksdb_trace_reader_read(rocksdb_trace_reader_t* reader,
                                                           size_t* size, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_trace_reader_reset(rocksdb_trace_reader_t* reader,
                                                           char** errptr);

/* The handles are borrowed as long as the replayer lives, and so is the database. To replay goes
   on until the trace ends, or an operation fails. */
extern ROCKSDB_LIBRARY_API rocksdb_replayer_t* rocksdb_new_default_replayer(
    rocksdb_t* db, rocksdb_column_family_handle_t** column_families, size_t num_column_families,
    rocksdb_env_t* env, const rocksdb_envoptions_t* env_options, const char* trace_path,
    char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_replay_options_t* rocksdb_replay_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_replay_options_destroy(rocksdb_replay_options_t* options);
extern ROCKSDB_LIBRARY_API double rocksdb_replay_options_get_fast_forward(
    rocksdb_replay_options_t* options);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_replay_options_get_num_threads(rocksdb_replay_options_t* options);
extern ROCKSDB_LIBRARY_API void rocksdb_replay_options_set_fast_forward(
    rocksdb_replay_options_t* options, double fast_forward);
extern ROCKSDB_LIBRARY_API void rocksdb_replay_options_set_num_threads(
    rocksdb_replay_options_t* options, uint32_t num_threads);
extern ROCKSDB_LIBRARY_API void rocksdb_replayer_destroy(rocksdb_replayer_t* replayer);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_replayer_get_header_timestamp(const rocksdb_replayer_t* replayer);
extern ROCKSDB_LIBRARY_API void rocksdb_replayer_prepare(rocksdb_replayer_t* replayer,
                                                         char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_replayer_replay(rocksdb_replayer_t* replayer,
                                                        const rocksdb_replay_options_t* options,
                                                        char** errptr);

/* A trace of the block cache, in a new file: one of `sampling_frequency` blocks is traced (0 and 1:
   each), up to max_trace_file_size bytes. The options are the caller's. Busy: one is running. To
   end one is right also where none is running. */
extern ROCKSDB_LIBRARY_API rocksdb_block_cache_trace_options_t*
rocksdb_block_cache_trace_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_block_cache_trace_options_destroy(
    rocksdb_block_cache_trace_options_t* options);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_block_cache_trace_options_get_sampling_frequency(rocksdb_block_cache_trace_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_cache_trace_options_set_sampling_frequency(
    rocksdb_block_cache_trace_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API rocksdb_block_cache_trace_writer_options_t*
rocksdb_block_cache_trace_writer_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_block_cache_trace_writer_options_destroy(
    rocksdb_block_cache_trace_writer_options_t* options);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_block_cache_trace_writer_options_get_max_trace_file_size(
    rocksdb_block_cache_trace_writer_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_cache_trace_writer_options_set_max_trace_file_size(
    rocksdb_block_cache_trace_writer_options_t* opt, uint64_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_end_block_cache_trace(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_end_io_trace(rocksdb_t* db, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_start_block_cache_trace(
    rocksdb_t* db, rocksdb_env_t* env, const rocksdb_envoptions_t* env_options,
    const rocksdb_trace_options_t* options, const char* trace_path, char** errptr);
extern ROCKSDB_LIBRARY_API void rocksdb_start_block_cache_trace_with_options(
    rocksdb_t* db, rocksdb_env_t* env, const rocksdb_envoptions_t* env_options,
    const rocksdb_block_cache_trace_options_t* options,
    const rocksdb_block_cache_trace_writer_options_t* writer_options, const char* trace_path,
    char** errptr);
/* The calls of the file system: see DB::StartIOTrace. */
extern ROCKSDB_LIBRARY_API void rocksdb_start_io_trace(rocksdb_t* db, rocksdb_env_t* env,
                                                       const rocksdb_envoptions_t* env_options,
                                                       const rocksdb_trace_options_t* options,
                                                       const char* trace_path, char** errptr);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_TRACES_H_ */
