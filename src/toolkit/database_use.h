// Whether a directory holds a database, and whether somebody has it open.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/status.h"

namespace cairn {

// InvalidArgument, in the words of DB::Open(): there is no database in `dbname`.
[[nodiscard]] Status CheckExists(Env* env, const std::string& dbname);
// IOError that names the lock: another process, or this one, has the database open for writing. An
// opening would say so, too, but moves the LOG of the other one aside before. SUSPENDS.
[[nodiscard]] Status CheckUnused(Env* env, const std::string& dbname);

}  // namespace cairn
