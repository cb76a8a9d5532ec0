/* The C interface: a filter of the writes that are recovered from the logs (rocksdb/wal_filter.h),
   and properties of tables. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_WAL_FILTER_H_
#define ROCKSDB_INCLUDE_C_WAL_FILTER_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rocksdb_walfilter_t rocksdb_walfilter_t;

/* Once, before all others: by column family the number of the first log that has writes of it that
   are in no table, and the families' names (with lengths) and numbers. The arrays are borrowed. */
typedef void (*rocksdb_walfilter_column_family_log_number_map_cb)(
    void* state, const uint32_t* column_family_ids, const uint64_t* log_numbers,
    size_t column_family_log_number_count, const char* const* column_family_names,
    const size_t* column_family_name_lengths, const uint32_t* column_family_name_ids,
    size_t column_family_name_count);
/* What the next returns: go on; it is dropped; so is all that follows; the log is damaged here. */
enum {
  rocksdb_wal_filter_continue_processing = 0,
  rocksdb_wal_filter_ignore_current_record = 1,
  rocksdb_wal_filter_stop_replay = 2,
  rocksdb_wal_filter_corrupted_record = 3
};
/* One write. To change it, fill new_batch, which is empty, and set *batch_changed. */
typedef int (*rocksdb_walfilter_log_record_found_cb)(void* state, unsigned long long log_number,
                                                     const char* log_file_name,
                                                     size_t log_file_name_len,
                                                     const rocksdb_writebatch_t* batch,
                                                     rocksdb_writebatch_t* new_batch,
                                                     unsigned char* batch_changed);

/* `destructor`, unless NULL, is called with `state` when the filter is destroyed. Both callbacks
   may be NULL. */
extern ROCKSDB_LIBRARY_API rocksdb_walfilter_t* rocksdb_walfilter_create(
    void* state, void (*destructor)(void*),
    rocksdb_walfilter_column_family_log_number_map_cb column_family_log_number_map,
    rocksdb_walfilter_log_record_found_cb log_record_found, const char* (*name)(void*));
extern ROCKSDB_LIBRARY_API void rocksdb_walfilter_destroy(rocksdb_walfilter_t* filter);

/* The filter is borrowed until the database is open. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_wal_filter(rocksdb_options_t* opt,
                                                               rocksdb_walfilter_t* filter);
extern ROCKSDB_LIBRARY_API void rocksdb_options_clear_wal_filter(rocksdb_options_t* opt);

/* RocksDB's header has no function that makes one. */
extern ROCKSDB_LIBRARY_API void rocksdb_table_properties_collector_factory_destroy(
    rocksdb_table_properties_collector_factory_t* factory);
/* The factory is shared, and may be destroyed at once. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_add_table_properties_collector_factory(
    rocksdb_options_t* opt, rocksdb_table_properties_collector_factory_t* factory);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_WAL_FILTER_H_ */
