// Where a database writes its LOG.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"

namespace ROCKSDB_NAMESPACE {

// Sets *info_log_list to the names, without a directory, of the LOG and of older ones that are kept
// (LOG.old.1699999999000000), sorted; of a db_log_dir those of this database. InvalidArgument: db
// is null. Else as FileSystem::GetChildren().
Status GetInfoLogList(DB* db, std::vector<std::string>* info_log_list);

}  // namespace ROCKSDB_NAMESPACE
