// What is wrong with a database, and what to do: every file of its directory is looked at, none is
// changed. Nothing has to open for that.
//
// Thread safety: none. SUSPENDS.
#pragma once

#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/env.h"

namespace cairn {

struct Finding {
  enum Grade { kGood, kNote, kWarning, kBad };
  Grade grade = kGood;
  std::string part;    // "MANIFEST", "tables", ...
  std::string text;    // what is so
  std::string advice;  // what to do; empty: nothing
};

struct DoctorOptions {
  bool deep = false;      // every block of every table is read
  bool progress = false;  // on the standard error, while tables are looked at
};

// In the order in which one reads them: from the directory to the levels.
std::vector<Finding> Examine(Env* env, const std::string& dbname, const DoctorOptions& options);

}  // namespace cairn
