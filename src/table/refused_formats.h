// Tables that are not block-based can be named, by C++ and C, and not used.
#pragma once

#include <memory>

#include "rocksdb/table.h"

namespace cairn {

// A factory of this name (TableFactory::kPlainTableName() ..., which must outlive it), with which
// no database opens.
std::unique_ptr<rocksdb::TableFactory> NewRefusedTableFactory(const char* name);

}  // namespace cairn
