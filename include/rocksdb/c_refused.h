/* The C interface: what Cairn does not have and programs may name, so that bindings of other
   languages link. A database whose options were given one of these does not open (NotSupported);
   the error names the option. Part of rocksdb/c.h, which includes it. */
#ifndef ROCKSDB_INCLUDE_C_REFUSED_H_
#define ROCKSDB_INCLUDE_C_REFUSED_H_

#include "c.h"

#ifdef __cplusplus
extern "C" {
#endif

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
