// sst_dump: shows, verifies and recompresses table files, by RocksDB's command line.
// `sst_dump --help` has it.
#include "rocksdb/sst_dump_tool.h"

int main(int argc, char** argv) { return rocksdb::SSTDumpTool().Run(argc, argv); }
