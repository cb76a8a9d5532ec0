// The merge operators that come with the library, by the names that they have in RocksDB's OPTIONS
// files and table properties. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/merge_operator.h"

namespace cairn {

// See MergeOperator::CreateFromString. Null for another name. `delimiter` is what the operators
// that append strings put between them.
std::shared_ptr<MergeOperator> BuiltinMergeOperator(const std::string& id,
                                                    const std::string& delimiter = ",");

}  // namespace cairn
