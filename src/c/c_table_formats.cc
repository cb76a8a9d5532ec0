// The C interface: plain and cuckoo tables.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

struct rocksdb_cuckoo_table_options_t {
  CuckooTableOptions rep;
};

extern "C" {

rocksdb_cuckoo_table_options_t* rocksdb_cuckoo_options_create() {
  return new rocksdb_cuckoo_table_options_t;
}
void rocksdb_cuckoo_options_destroy(rocksdb_cuckoo_table_options_t* o) { delete o; }
void rocksdb_cuckoo_options_set_hash_ratio(rocksdb_cuckoo_table_options_t* o, double v) {
  o->rep.hash_table_ratio = v;
}
#define CAIRN_C_CUCKOO(type, field)                                                    \
  void rocksdb_cuckoo_options_set_##field(rocksdb_cuckoo_table_options_t* o, type v) { \
    o->rep.field = static_cast<decltype(o->rep.field)>(v);                             \
  }                                                                                    \
  type rocksdb_cuckoo_options_get_##field(rocksdb_cuckoo_table_options_t* o) {         \
    return static_cast<type>(o->rep.field);                                            \
  }
CAIRN_C_CUCKOO(double, hash_table_ratio)
CAIRN_C_CUCKOO(uint32_t, max_search_depth)
CAIRN_C_CUCKOO(uint32_t, cuckoo_block_size)
CAIRN_C_CUCKOO(unsigned char, identity_as_first_hash)
CAIRN_C_CUCKOO(unsigned char, use_module_hash)
void rocksdb_options_set_cuckoo_table_factory(rocksdb_options_t* o,
                                              rocksdb_cuckoo_table_options_t* table_options) {
  if (table_options == nullptr) return;
  o->rep.table_factory.reset(NewCuckooTableFactory(table_options->rep));
}

}  // extern "C"
