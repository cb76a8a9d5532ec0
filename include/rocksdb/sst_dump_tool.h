// SSTDumpTool: the program `sst_dump` as a function, for those who have comparators or file systems
// of their own.
#pragma once

#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class SSTDumpTool {
 public:
  // Runs the command line (argv[0] is the program's name) and returns the exit status: 0 if at
  // least one file is a table; 1 otherwise, or if the command line is wrong; -1 for an internal key
  // that is none. Prints to the standard output and error. Changes no file; the command `raw`
  // writes new ones beside the tables. `options`: env; a comparator for tables that name one which
  // is not built in.
  int Run(int argc, char const* const* argv, Options options = Options());
};

}  // namespace ROCKSDB_NAMESPACE
