/* rocksdb/c.h with the arguments that functions have in RocksDB 7.8 to 8.1 (rocksdb/c_releases.h):
   for bindings that are told a folder of headers and no macros, such as rust's ROCKSDB_INCLUDE_DIR.
 */
#ifndef CAIRN_C_RELEASE
#define CAIRN_C_RELEASE 7
#endif
#include "../../../../rocksdb/c.h"  // IWYU pragma: export
