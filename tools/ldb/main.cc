// ldb: looks into a database and changes it, by RocksDB's command line. `ldb --help` has the
// commands.
#include "rocksdb/ldb_tool.h"

int main(int argc, char** argv) { rocksdb::LDBTool().Run(argc, argv); }
