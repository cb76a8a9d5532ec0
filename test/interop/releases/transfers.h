// A column family as files that one engine exports and the other makes a family of. The C interface
// of RocksDB has it since release 11.
#pragma once

#include <string>
#include <vector>

#include "database.h"

namespace interop {

bool CanTransfer(const Engine& engine);

// The default family, flushed, to the directory. Prints what Import() is to be told: lines.
void Export(const Database& database, const std::string& dir);
// A family of that name, of copies of the files.
rocksdb_column_family_handle_t* Import(const Database& database, const std::string& name,
                                       const std::string& dir,
                                       const std::vector<std::string>& lines);

}  // namespace interop
