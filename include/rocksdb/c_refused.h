/* The C interface: what Cairn does not have and programs may name, so that bindings of other
   languages link. A database whose options were given one of these does not open (NotSupported);
   the error names the option. Part of rocksdb/c.h, which includes it. Plain tables: c_releases.h.
 */
#ifndef ROCKSDB_INCLUDE_C_REFUSED_H_
#define ROCKSDB_INCLUDE_C_REFUSED_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

extern ROCKSDB_LIBRARY_API rocksdb_cuckoo_table_options_t* rocksdb_cuckoo_options_create(void);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_destroy(
    rocksdb_cuckoo_table_options_t* options);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_hash_ratio(
    rocksdb_cuckoo_table_options_t* options, double v);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_max_search_depth(
    rocksdb_cuckoo_table_options_t* options, uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_cuckoo_block_size(
    rocksdb_cuckoo_table_options_t* options, uint32_t v);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_identity_as_first_hash(
    rocksdb_cuckoo_table_options_t* options, unsigned char v);
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_use_module_hash(
    rocksdb_cuckoo_table_options_t* options, unsigned char v);
/* The former as RocksDB 11 calls it; and what was set. */
extern ROCKSDB_LIBRARY_API void rocksdb_cuckoo_options_set_hash_table_ratio(
    rocksdb_cuckoo_table_options_t* options, double v);
extern ROCKSDB_LIBRARY_API double rocksdb_cuckoo_options_get_hash_table_ratio(
    rocksdb_cuckoo_table_options_t* options);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_cuckoo_options_get_max_search_depth(rocksdb_cuckoo_table_options_t* options);
extern ROCKSDB_LIBRARY_API uint32_t
rocksdb_cuckoo_options_get_cuckoo_block_size(rocksdb_cuckoo_table_options_t* options);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_cuckoo_options_get_identity_as_first_hash(
    rocksdb_cuckoo_table_options_t* options);
extern ROCKSDB_LIBRARY_API unsigned char rocksdb_cuckoo_options_get_use_module_hash(
    rocksdb_cuckoo_table_options_t* options);
/* NULL changes nothing. */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_cuckoo_table_factory(
    rocksdb_options_t* opt, rocksdb_cuckoo_table_options_t* table_options);

/* Refused as memtable_factory: use rocksdb_options_set_hash_skip_list_rep(). */
extern ROCKSDB_LIBRARY_API void rocksdb_options_set_hash_link_list_rep(rocksdb_options_t* opt,
                                                                       size_t bucket_count);
/* The cache is shared, and may be destroyed at once; NULL: none, the default, is not refused. */
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_block_cache_compressed(
    rocksdb_block_based_table_options_t* options, rocksdb_cache_t* block_cache_compressed);
/* The defaults, 0, are not refused. */
extern ROCKSDB_LIBRARY_API void rocksdb_fifo_compaction_options_set_use_kv_ratio_compaction(
    rocksdb_fifo_compaction_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_fifo_compaction_options_get_use_kv_ratio_compaction(rocksdb_fifo_compaction_options_t* opt);
extern ROCKSDB_LIBRARY_API void rocksdb_block_based_options_set_separate_key_value_in_data_block(
    rocksdb_block_based_table_options_t* opt, unsigned char v);
extern ROCKSDB_LIBRARY_API unsigned char
rocksdb_block_based_options_get_separate_key_value_in_data_block(
    rocksdb_block_based_table_options_t* opt);

#ifdef __cplusplus
} /* end extern "C" */
#endif

#endif /* ROCKSDB_INCLUDE_C_REFUSED_H_ */
