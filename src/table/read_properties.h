// The properties of a table of which nothing else is wanted: the footer and two blocks are read,
// whatever comparator it has.
#pragma once

#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"

namespace cairn {

// Corruption: it is no table, or damaged. A properties block whose checksum is wrong since it was
// given a global sequence number is none of that. SUSPENDS.
[[nodiscard]] Status ReadTableProperties(std::unique_ptr<RandomAccessFileReader> file,
                                         uint64_t file_size, TableProperties* properties);

}  // namespace cairn
