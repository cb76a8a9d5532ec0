// The C interface: what can be named and not used. DB::Open says which (options/options_check.cc).
#include "c/c_objects.h"
#include "rocksdb/memtablerep.h"
#include "table/refused_formats.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

// The settings are forgotten: nothing comes of them.
struct rocksdb_cuckoo_table_options_t {
  double hash_table_ratio = 0.9;
  uint32_t max_search_depth = 100;
  uint32_t cuckoo_block_size = 5;
  bool identity_as_first_hash = false;
  bool use_module_hash = true;
};

extern "C" {

rocksdb_cuckoo_table_options_t* rocksdb_cuckoo_options_create() {
  return new rocksdb_cuckoo_table_options_t;
}
void rocksdb_cuckoo_options_destroy(rocksdb_cuckoo_table_options_t* o) { delete o; }
void rocksdb_cuckoo_options_set_hash_ratio(rocksdb_cuckoo_table_options_t* o, double v) {
  o->hash_table_ratio = v;
}
#define CAIRN_C_CUCKOO(type, field)                                                    \
  void rocksdb_cuckoo_options_set_##field(rocksdb_cuckoo_table_options_t* o, type v) { \
    o->field = v;                                                                      \
  }                                                                                    \
  type rocksdb_cuckoo_options_get_##field(rocksdb_cuckoo_table_options_t* o) { return o->field; }
CAIRN_C_CUCKOO(double, hash_table_ratio)
CAIRN_C_CUCKOO(uint32_t, max_search_depth)
CAIRN_C_CUCKOO(uint32_t, cuckoo_block_size)
CAIRN_C_CUCKOO(unsigned char, identity_as_first_hash)
CAIRN_C_CUCKOO(unsigned char, use_module_hash)
void rocksdb_options_set_cuckoo_table_factory(rocksdb_options_t* o,
                                              rocksdb_cuckoo_table_options_t* table_options) {
  if (table_options == nullptr) return;
  o->rep.table_factory = cairn::NewRefusedTableFactory(TableFactory::kCuckooTableName());
}

void rocksdb_options_set_plain_table_factory(rocksdb_options_t* o, uint32_t /*user_key_len*/,
                                             int /*bloom_bits_per_key*/,
                                             double /*hash_table_ratio*/,
                                             size_t /*index_sparseness*/,
                                             size_t /*huge_page_tlb_size*/, char /*encoding_type*/,
                                             unsigned char /*full_scan_mode*/,
                                             unsigned char /*store_index_in_file*/) {
  o->rep.table_factory = cairn::NewRefusedTableFactory(TableFactory::kPlainTableName());
}
void rocksdb_options_set_plain_table_factory_7(rocksdb_options_t* o, uint32_t /*user_key_len*/,
                                               int /*bloom_bits_per_key*/,
                                               double /*hash_table_ratio*/,
                                               size_t /*index_sparseness*/) {
  o->rep.table_factory = cairn::NewRefusedTableFactory(TableFactory::kPlainTableName());
}

void rocksdb_options_set_hash_link_list_rep(rocksdb_options_t* o, size_t bucket_count) {
  o->rep.memtable_factory.reset(NewHashLinkListRepFactory(bucket_count));
}
void rocksdb_block_based_options_set_block_cache_compressed(
    rocksdb_block_based_table_options_t* o, rocksdb_cache_t* block_cache_compressed) {
  o->rep.block_cache_compressed =
      block_cache_compressed == nullptr ? nullptr : block_cache_compressed->rep;
}
CAIRN_C_OPTION(fifo_compaction_options, unsigned char, use_kv_ratio_compaction)
CAIRN_C_TABLE_OPTION(unsigned char, separate_key_value_in_data_block)

}  // extern "C"
