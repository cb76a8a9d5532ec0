// OptionChangeMigration: a database into which another compaction style, or fewer levels, can move.
#pragma once

#include <string>

#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// Makes what was written with `old_opts` such that `new_opts` opens it: other num_levels,
// compaction_style, level_compaction_dynamic_level_bytes. Both are options of the one family that
// the database has; with more it is InvalidArgument, as DB::Open() is. The database must not be
// open. Does nothing where nothing is to be done; else all of it may be written anew, into one
// level, and it needs the disk space for that. After an error, or a crash, the database is still
// one that old_opts open.
//
// For FIFO style with a max_table_files_size the files are made so small that eight of them reach
// it: then the oldest of them go one by one, by the order of keys, not all at once.
Status OptionChangeMigration(std::string dbname, const Options& old_opts, const Options& new_opts);

}  // namespace ROCKSDB_NAMESPACE
