#include "rocksdb/version.h"

#define CAIRN_TEXT_(x) #x
#define CAIRN_TEXT(x) CAIRN_TEXT_(x)

namespace ROCKSDB_NAMESPACE {

const std::unordered_map<std::string, std::string>& GetRocksBuildProperties() {
  static const auto* const properties = new std::unordered_map<std::string, std::string>{
      {"cairn_version",
       CAIRN_TEXT(CAIRN_MAJOR) "." CAIRN_TEXT(CAIRN_MINOR) "." CAIRN_TEXT(CAIRN_PATCH)},
      {"rocksdb_compatible_version", GetRocksVersionAsString()},
  };
  return *properties;
}

std::string GetRocksVersionAsString(bool with_patch) {
  std::string version = CAIRN_TEXT(ROCKSDB_MAJOR) "." CAIRN_TEXT(ROCKSDB_MINOR);
  if (with_patch) version += "." CAIRN_TEXT(ROCKSDB_PATCH);
  return version;
}

std::string GetRocksBuildInfoAsString(const std::string& program, bool verbose) {
  std::string info = program + " (Cairn " + GetRocksBuildProperties().at("cairn_version") +
                     ", RocksDB API " + GetRocksVersionAsString() + ")";
  if (verbose) {
    for (const auto& [name, value] : GetRocksBuildProperties())
      info += "\n    " + name + ": " + value;
    info += "\n";
  }
  return info;
}

}  // namespace ROCKSDB_NAMESPACE
