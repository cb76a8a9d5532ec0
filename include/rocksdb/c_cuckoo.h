/* The C interface: cuckoo tables (see CuckooTableOptions in table.h). Part of rocksdb/c.h, which
   includes it. Plain tables: c_releases.h. */
#ifndef ROCKSDB_INCLUDE_C_CUCKOO_H_
#define ROCKSDB_INCLUDE_C_CUCKOO_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the defaults. The caller destroys it, also after it was given to options, which copy it. */
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

#ifdef __cplusplus
}
#endif

#endif /* ROCKSDB_INCLUDE_C_CUCKOO_H_ */
