// A backup of the database under test, as its users make one.
#pragma once

#include <string>

#include "kv_bench/engine.h"

namespace kv_bench {

// Flushes and adds a backup to those in `directory`, with the engine's default options: it has
// files in common with the backups before it, and is synced. The seconds from the opening of the
// backups to their closing; *error says what went wrong, or is as it was. `options`: the
// database's.
double MakeBackup(const Engine& engine, const rocksdb_options_t* options, rocksdb_t* db,
                  const std::string& directory, std::string* error);

}  // namespace kv_bench
