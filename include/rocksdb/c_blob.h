/* The C interface: values in blob files. Part of rocksdb/c.h, which includes it. The fields of
   these names in rocksdb/advanced_options.h and options.h say what each option is. */
#ifndef ROCKSDB_INCLUDE_C_BLOB_H_
#define ROCKSDB_INCLUDE_C_BLOB_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enable_blob_files(rocksdb_options_t* opt,
                                                                      unsigned char val);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_enable_blob_files(
    rocksdb_options_t* opt);
/* Bytes. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_min_blob_size(rocksdb_options_t* opt,
                                                                  uint64_t val);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_min_blob_size(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_file_size(rocksdb_options_t* opt,
                                                                   uint64_t val);
extern ROCKSDB_LIBRARY_API uint64_t rocksdb_options_get_blob_file_size(rocksdb_options_t* opt);
/* One of rocksdb_no_compression and its kin. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_compression_type(rocksdb_options_t* opt,
                                                                          int val);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_blob_compression_type(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_enable_blob_gc(rocksdb_options_t* opt,
                                                                   unsigned char val);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_options_get_enable_blob_gc(rocksdb_options_t* opt);
/* 0 to 1, both. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_gc_age_cutoff(rocksdb_options_t* opt,
                                                                       double val);
extern ROCKSDB_LIBRARY_API double rocksdb_options_get_blob_gc_age_cutoff(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_gc_force_threshold(rocksdb_options_t* opt,
                                                                            double val);
extern ROCKSDB_LIBRARY_API double rocksdb_options_get_blob_gc_force_threshold(
    rocksdb_options_t* opt);
/* Bytes. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_compaction_readahead_size(
    rocksdb_options_t* opt, uint64_t val);
extern ROCKSDB_LIBRARY_API uint64_t
rocksdb_options_get_blob_compaction_readahead_size(rocksdb_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_file_starting_level(rocksdb_options_t* opt,
                                                                             int val);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_blob_file_starting_level(rocksdb_options_t* opt);
/* Shares the cache: the caller may destroy its own. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_blob_cache(rocksdb_options_t* opt,
                                                               rocksdb_cache_t* blob_cache);

enum { rocksdb_prepopulate_blob_disable = 0, rocksdb_prepopulate_blob_flush_only = 1 };

extern ROCKSDB_LIBRARY_API void rocksdb_options_set_prepopulate_blob_cache(rocksdb_options_t* opt,
                                                                           int val);
extern ROCKSDB_LIBRARY_API int rocksdb_options_get_prepopulate_blob_cache(rocksdb_options_t* opt);

/* Of a manual compaction, instead of what the options say. The policy: values of the oldest blob
   files are written anew, are not, or as the options say. The share of these files: 0 to 1; others:
   as the options say. Since release 11 of RocksDB. */
enum {
  rocksdb_blob_garbage_collection_force = 0,
  rocksdb_blob_garbage_collection_disable = 1,
  rocksdb_blob_garbage_collection_use_default = 2
};

extern ROCKSDB_LIBRARY_API void rocksdb_compactoptions_set_blob_garbage_collection_policy(
    rocksdb_compactoptions_t* opt, int v);
extern ROCKSDB_LIBRARY_API int rocksdb_compactoptions_get_blob_garbage_collection_policy(
    rocksdb_compactoptions_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_compactoptions_set_blob_garbage_collection_age_cutoff(
    rocksdb_compactoptions_t* opt, double v);
extern ROCKSDB_LIBRARY_API double rocksdb_compactoptions_get_blob_garbage_collection_age_cutoff(
    rocksdb_compactoptions_t* opt);

extern ROCKSDB_LIBRARY_API void rocksdb_readoptions_set_allow_unprepared_value(
    rocksdb_readoptions_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_readoptions_get_allow_unprepared_value(
    rocksdb_readoptions_t* opt);

#ifdef __cplusplus
}
#endif

#endif /* ROCKSDB_INCLUDE_C_BLOB_H_ */
