// The C interface: values in blob files.
#include "c/c_objects.h"

using namespace rocksdb;  // NOLINT(google-build-using-namespace): all below is of the API

// Options whose C name is shorter than their own.
#define CAIRN_C_OPTION_NAMED(type, name, field)                   \
  void rocksdb_options_set_##name(rocksdb_options_t* o, type v) { \
    o->rep.field = static_cast<decltype(o->rep.field)>(v);        \
  }                                                               \
  type rocksdb_options_get_##name(rocksdb_options_t* o) { return static_cast<type>(o->rep.field); }

extern "C" {

CAIRN_C_OPTION(options, unsigned char, enable_blob_files)
CAIRN_C_OPTION(options, uint64_t, min_blob_size)
CAIRN_C_OPTION(options, uint64_t, blob_file_size)
CAIRN_C_OPTION(options, int, blob_compression_type)
CAIRN_C_OPTION_NAMED(unsigned char, enable_blob_gc, enable_blob_garbage_collection)
CAIRN_C_OPTION_NAMED(double, blob_gc_age_cutoff, blob_garbage_collection_age_cutoff)
CAIRN_C_OPTION_NAMED(double, blob_gc_force_threshold, blob_garbage_collection_force_threshold)
CAIRN_C_OPTION(options, uint64_t, blob_compaction_readahead_size)
CAIRN_C_OPTION(options, int, blob_file_starting_level)
CAIRN_C_OPTION(options, int, prepopulate_blob_cache)

void rocksdb_options_set_blob_cache(rocksdb_options_t* opt, rocksdb_cache_t* blob_cache) {
  opt->rep.blob_cache = blob_cache->rep;
}

CAIRN_C_OPTION(compactoptions, int, blob_garbage_collection_policy)
CAIRN_C_OPTION(compactoptions, double, blob_garbage_collection_age_cutoff)

CAIRN_C_OPTION(readoptions, unsigned char, allow_unprepared_value)

}  // extern "C"
