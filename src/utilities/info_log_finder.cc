#include "rocksdb/utilities/info_log_finder.h"

#include <algorithm>

#include "fs/file_names.h"
#include "rocksdb/file_system.h"

namespace ROCKSDB_NAMESPACE {

Status GetInfoLogList(DB* db, std::vector<std::string>* info_log_list) {
  if (db == nullptr) return Status::InvalidArgument("DB pointer is not valid");
  const std::string log_path = cairn::InfoLogFileName(db->GetName(), db->GetDBOptions().db_log_dir);
  const size_t slash = log_path.rfind('/');
  const std::string dir = log_path.substr(0, slash), base = log_path.substr(slash + 1);
  std::vector<std::string> names;
  const Status s = db->GetFileSystem()->GetChildren(dir, IOOptions(), &names, nullptr);
  if (!s.ok()) return s;
  info_log_list->clear();
  for (const std::string& name : names) {
    uint64_t number;
    cairn::FileType type;
    if (cairn::ParseFileName(name, &number, &type, base) && type == cairn::FileType::kInfoLogFile) {
      info_log_list->push_back(name);
    }
  }
  std::sort(info_log_list->begin(), info_log_list->end());
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
