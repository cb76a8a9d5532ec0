// Names of table files that no two of them share, of whatever database and machine.
#pragma once

#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

// 16 bytes that follow from the table's database, the session in which it was written and its
// number there. They are never all zero, their prefixes are good hashes, and copies of a table have
// the same. NotSupported, with *out_id empty: the table says too little of itself (it is very old,
// or another program's).
Status GetUniqueIdFromTableProperties(const TableProperties& props, std::string* out_id);

// 24 bytes, of which the first 16 are the others: for more files than any fleet has.
Status GetExtendedUniqueIdFromTableProperties(const TableProperties& props, std::string* out_id);

// Of such bytes, or the first of them: hexadecimal, "6474DF650323BDF0-B48E64F3039308CA".
std::string UniqueIdToHumanString(const std::string& id);

}  // namespace ROCKSDB_NAMESPACE
