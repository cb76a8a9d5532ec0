/* rocksdb/c.h with the arguments that functions have in RocksDB 8.10 (rocksdb/c_releases.h): for
   bindings that are told a folder of headers and no macros, such as rust's ROCKSDB_INCLUDE_DIR. */
#ifndef CAIRN_C_RELEASE
#define CAIRN_C_RELEASE 8
#endif
#include "../../../../rocksdb/c.h"  // IWYU pragma: export
