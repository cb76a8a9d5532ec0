/* The C interface: remote compaction. A primary's compactions are handed to a service of the
   program's, and run by workers in other processes. RocksDB's C header has it since release 11.
   Part of rocksdb/c.h, which includes it. See CompactionService in options.h and
   DB::OpenAndCompact. */
#ifndef ROCKSDB_INCLUDE_C_COMPACTION_SERVICE_H_
#define ROCKSDB_INCLUDE_C_COMPACTION_SERVICE_H_

#include "c.h"
#include "c_cuckoo.h"
#include "c_listener.h"
#include "c_newer.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_compactionservice_t rocksdb_compactionservice_t;
typedef struct rocksdb_compactionservice_jobinfo_t rocksdb_compactionservice_jobinfo_t;
typedef struct rocksdb_compactionservice_scheduleresponse_t
    rocksdb_compactionservice_scheduleresponse_t;
typedef struct rocksdb_compaction_service_options_override_t
    rocksdb_compaction_service_options_override_t;
typedef struct rocksdb_open_and_compact_options_t rocksdb_open_and_compact_options_t;

/* What became of a job. */
enum {
  rocksdb_compactionservice_jobstatus_success = 0,
  rocksdb_compactionservice_jobstatus_failure = 1,
  rocksdb_compactionservice_jobstatus_aborted = 2,
  rocksdb_compactionservice_jobstatus_use_local = 3, /* the primary runs it */
};

/* --- The service. Its functions are called from several threads at once. */

/* Hands the job to a worker; the input is for rocksdb_open_and_compact(). The library destroys what
   is returned; NULL is a failure. */
typedef rocksdb_compactionservice_scheduleresponse_t* (*rocksdb_compaction_service_schedule_cb)(
    void* state, const rocksdb_compactionservice_jobinfo_t* info,
    const char* compaction_service_input, size_t input_len);
/* Returns when the job has ended: what became of it, and in *result what the worker gave out, which
   is malloc()ed and the library's from then on, or left alone. */
typedef int (*rocksdb_compaction_service_wait_cb)(void* state, const char* scheduled_job_id,
                                                  char** result, size_t* result_len);
/* The database is closed: from now on nobody waits. */
typedef void (*rocksdb_compaction_service_cancel_awaiting_jobs_cb)(void* state);
/* The tables are in the database, or not: `status` says what became of the job. */
typedef void (*rocksdb_compaction_service_on_installation_cb)(void* state,
                                                              const char* scheduled_job_id,
                                                              int status);

/* Given to options it is theirs; there is no other way to destroy it. `name` is copied, NULL is
   "CompactionService". Each of the functions may be NULL: without `schedule` or `wait` all jobs run
   in the primary. */
extern ROCKSDB_LIBRARY_API rocksdb_compactionservice_t* rocksdb_compactionservice_create(
    void* state, void (*destructor)(void*), rocksdb_compaction_service_schedule_cb schedule,
    const char* name, rocksdb_compaction_service_wait_cb wait,
    rocksdb_compaction_service_cancel_awaiting_jobs_cb cancel_awaiting_jobs,
    rocksdb_compaction_service_on_installation_cb on_installation);
/* Takes the service over. NULL changes nothing. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_compaction_service(
    rocksdb_options_t* opt, rocksdb_compactionservice_t* service);

/* What `schedule` returns: the service's name of the job, which is copied (NULL is ""), and one of
   the statuses above. Another number is an error, and NULL. */
extern ROCKSDB_LIBRARY_API rocksdb_compactionservice_scheduleresponse_t*
rocksdb_compactionservice_scheduleresponse_create(const char* scheduled_job_id, int status,
                                                  char** errptr);
extern ROCKSDB_LIBRARY_API rocksdb_compactionservice_scheduleresponse_t*
rocksdb_compactionservice_scheduleresponse_create_with_status(int status, char** errptr);
extern ROCKSDB_LIBRARY_API int rocksdb_compactionservice_scheduleresponse_getstatus(
    const rocksdb_compactionservice_scheduleresponse_t* response);
/* The response's own: valid as long as it is. */
extern ROCKSDB_LIBRARY_API const char*
rocksdb_compactionservice_scheduleresponse_get_scheduled_job_id(
    const rocksdb_compactionservice_scheduleresponse_t* response, size_t* len);
/* Only of one that `schedule` did not return. */
extern ROCKSDB_LIBRARY_API void rocksdb_compactionservice_scheduleresponse_t_destroy(
    rocksdb_compactionservice_scheduleresponse_t* response);

/* --- The job, valid within `schedule`. Texts are not zero-terminated. */
extern ROCKSDB_LIBRARY_API const char* rocksdb_compactionservice_jobinfo_t_get_db_name(
    const rocksdb_compactionservice_jobinfo_t* info, size_t* len);
extern ROCKSDB_LIBRARY_API const char* rocksdb_compactionservice_jobinfo_t_get_db_id(
    const rocksdb_compactionservice_jobinfo_t* info, size_t* len);
extern ROCKSDB_LIBRARY_API const char* rocksdb_compactionservice_jobinfo_t_get_db_session_id(
    const rocksdb_compactionservice_jobinfo_t* info, size_t* len);
extern ROCKSDB_LIBRARY_API const char* rocksdb_compactionservice_jobinfo_t_get_cf_name(
    const rocksdb_compactionservice_jobinfo_t* info, size_t* len);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_compactionservice_jobinfo_t_get_cf_id(const rocksdb_compactionservice_jobinfo_t* info);
/* Unique as long as the database is open. */
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_compactionservice_jobinfo_t_get_job_id(const rocksdb_compactionservice_jobinfo_t* info);
/* Of the thread pool (Env::Priority): 1 is LOW. */
extern ROCKSDB_LIBRARY_API int rocksdb_compactionservice_jobinfo_t_get_priority(
    const rocksdb_compactionservice_jobinfo_t* info);
/* As rocksdb_compactionjobinfo_compaction_reason(). */
extern ROCKSDB_LIBRARY_API int rocksdb_compactionservice_jobinfo_t_get_compaction_reason(
    const rocksdb_compactionservice_jobinfo_t* info);
extern ROCKSDB_LIBRARY_API int rocksdb_compactionservice_jobinfo_t_get_base_input_level(
    const rocksdb_compactionservice_jobinfo_t* info);
extern ROCKSDB_LIBRARY_API int rocksdb_compactionservice_jobinfo_t_get_output_level(
    const rocksdb_compactionservice_jobinfo_t* info);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_compactionservice_jobinfo_t_is_full_compaction(
    const rocksdb_compactionservice_jobinfo_t* info);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_compactionservice_jobinfo_t_is_manual_compaction(
    const rocksdb_compactionservice_jobinfo_t* info);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_compactionservice_jobinfo_t_is_bottommost_level(
    const rocksdb_compactionservice_jobinfo_t* info);

/* --- The worker */

/* What the OPTIONS file of the database does not have: see CompactionServiceOptionsOverride. By
   default the bytewise comparator, the default environment and nothing else. */
extern ROCKSDB_LIBRARY_API rocksdb_compaction_service_options_override_t*
rocksdb_compaction_service_options_override_create(void);
/* With the objects of the options, which both have then: all that the functions below set. NULL for
   NULL. */
extern ROCKSDB_LIBRARY_API rocksdb_compaction_service_options_override_t*
rocksdb_compaction_service_options_override_create_from_options(rocksdb_options_t* option);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_destroy(
    rocksdb_compaction_service_options_override_t* override_options);
/* NULL changes nothing, here and in all that follow. Environment and comparator are borrowed. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_env(
    rocksdb_compaction_service_options_override_t* override_options, rocksdb_env_t* env);
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_comparator(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_comparator_t* comparator);
/* Taken over. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_merge_operator(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_mergeoperator_t* merge_operator);
/* Borrowed. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_compaction_filter(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_compactionfilter_t* compaction_filter);
/* Taken over. */
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_set_compaction_filter_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_compactionfilterfactory_t* compaction_filter_factory);
/* Taken over. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_prefix_extractor(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_slicetransform_t* prefix_extractor);
/* Copied. By default the tables are as the OPTIONS file says. */
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_set_block_based_table_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_block_based_table_options_t* table_options);
/* Copied; likewise. */
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_set_cuckoo_table_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_cuckoo_table_options_t* table_options);
/* As rocksdb_options_add_eventlistener(). */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_add_event_listener(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_eventlistener_t* event_listener);
/* Those of the options, which both count in. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_statistics(
    rocksdb_compaction_service_options_override_t* override_options, rocksdb_options_t* options);
/* Shared. By default there is a LOG in the output directory. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_info_log(
    rocksdb_compaction_service_options_override_t* override_options, rocksdb_logger_t* logger);
/* An option of the database or of the family, by its name in the OPTIONS file; one that is not
   known is passed over. */
extern ROCKSDB_LIBRARY_API void rocksdb_compaction_service_options_override_set_option(
    rocksdb_compaction_service_options_override_t* override_options, const char* key,
    const char* value);
/* Shared, as the two below. */
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_set_file_checksum_gen_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_file_checksum_gen_factory_t* factory);
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_set_sst_partitioner_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_sst_partitioner_factory_t* factory);
extern ROCKSDB_LIBRARY_API void
rocksdb_compaction_service_options_override_add_table_properties_collector_factory(
    rocksdb_compaction_service_options_override_t* override_options,
    rocksdb_table_properties_collector_factory_t* factory);

/* Set to 1 from any thread it ends the compactions that have it. It must outlive them. */
extern ROCKSDB_LIBRARY_API unsigned char* rocksdb_open_and_compact_canceled_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_open_and_compact_canceled_destroy(unsigned char* canceled);
extern ROCKSDB_LIBRARY_API void rocksdb_open_and_compact_canceled_set(unsigned char* canceled,
                                                                      unsigned char value);

extern ROCKSDB_LIBRARY_API rocksdb_open_and_compact_options_t*
rocksdb_open_and_compact_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_open_and_compact_options_destroy(
    rocksdb_open_and_compact_options_t* options);
/* Of rocksdb_open_and_compact_canceled_create(). By default there is none. */
extern ROCKSDB_LIBRARY_API void rocksdb_open_and_compact_options_set_canceled(
    rocksdb_open_and_compact_options_t* options, unsigned char* canceled);
/* Refused, unless it is 0, the default. */
extern ROCKSDB_LIBRARY_API void rocksdb_open_and_compact_options_set_allow_resumption(
    rocksdb_open_and_compact_options_t* options, unsigned char allow_resumption);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_open_and_compact_options_get_allow_resumption(
    rocksdb_open_and_compact_options_t* opt);

/* The result, for the service's `wait`: malloc()ed, of *output_len bytes (NULL: not told). NULL on
   failure. */
extern ROCKSDB_LIBRARY_API char* rocksdb_open_and_compact(
    const char* db_path, const char* output_directory, const char* input, size_t input_len,
    size_t* output_len, const rocksdb_compaction_service_options_override_t* override_options,
    char** errptr);
extern ROCKSDB_LIBRARY_API char* rocksdb_open_and_compact_with_options(
    const rocksdb_open_and_compact_options_t* options, const char* db_path,
    const char* output_directory, const char* input, size_t input_len, size_t* output_len,
    const rocksdb_compaction_service_options_override_t* override_options, char** errptr);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_COMPACTION_SERVICE_H_ */
