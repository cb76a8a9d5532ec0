// LDBTool: the program `ldb` as a function, for those who have comparators, merge operators or file
// systems of their own.
//
//   int main(int argc, char** argv) {
//     rocksdb::Options options;
//     options.comparator = MyComparator();
//     rocksdb::LDBTool().Run(argc, argv, options);
//   }
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

// Makes the keys that `scan` prints readable.
class SliceFormatter {
 public:
  virtual ~SliceFormatter() = default;
  virtual std::string Format(const Slice& s) const = 0;
};

// What of the tool can be changed, beside the databases' options.
struct LDBOptions {
  // Not asked where keys are printed in hexadecimal. Null: keys as they are.
  std::shared_ptr<SliceFormatter> key_formatter;

  // The first line of the help.
  std::string print_help_header = "ldb - RocksDB Tool";
};

class LDBTool {
 public:
  // Runs the command line, and ends the program: exit status 0 if the command went well, else 1 and
  // a reason on the standard error. `db_options`: what the command line, and the database's OPTIONS
  // file, do not say otherwise. `column_families` (may be null, borrowed): open these, with these
  // options, in place of those of the OPTIONS file.
  void Run(int argc, char** argv, Options db_options = Options(),
           const LDBOptions& ldb_options = LDBOptions(),
           const std::vector<ColumnFamilyDescriptor>* column_families = nullptr);
};

}  // namespace ROCKSDB_NAMESPACE
