// The C interface: what can be named and not used. DB::Open says which (options/options_check.cc).
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

extern "C" {

void rocksdb_block_based_options_set_block_cache_compressed(
    rocksdb_block_based_table_options_t* o, rocksdb_cache_t* block_cache_compressed) {
  o->rep.block_cache_compressed =
      block_cache_compressed == nullptr ? nullptr : block_cache_compressed->rep;
}
CAIRN_C_OPTION(fifo_compaction_options, unsigned char, use_kv_ratio_compaction)
CAIRN_C_TABLE_OPTION(unsigned char, separate_key_value_in_data_block)

}  // extern "C"
