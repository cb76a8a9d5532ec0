// What the flags say of the database's options.
#pragma once

#include "rocksdb/options.h"

namespace db_bench {

// Sets what flags name; the rest stays. Exits with a message if a flag's value means nothing (an
// unknown compression, say).
void SetOptions(rocksdb::Options* options);

// Of --compression_type. Exits likewise.
rocksdb::CompressionType CompressionOfFlag();
// As RocksDB's db_bench writes --compression_type in its head. Exits likewise.
const char* CompressionName();

}  // namespace db_bench
