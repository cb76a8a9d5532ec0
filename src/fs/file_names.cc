#include "fs/file_names.h"

#include <cstdio>
#include <string_view>

namespace cairn {

namespace {

// Six digits at least, more where the number needs them.
std::string Numbered(const std::string& dir, const char* prefix, uint64_t number,
                     const char* suffix) {
  char buf[64];
  std::snprintf(buf, sizeof(buf), "/%s%06llu%s", prefix, static_cast<unsigned long long>(number),
                suffix);
  return dir + buf;
}

// Takes decimal digits off the front. False without a digit or when 64 bits do not hold them.
bool ConsumeNumber(std::string_view* in, uint64_t* number) {
  uint64_t value = 0;
  size_t digits = 0;
  while (digits < in->size() && (*in)[digits] >= '0' && (*in)[digits] <= '9') {
    const uint64_t digit = static_cast<uint64_t>((*in)[digits] - '0');
    if (value > (UINT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
    ++digits;
  }
  in->remove_prefix(digits);
  *number = value;
  return digits > 0;
}

bool ConsumePrefix(std::string_view* in, std::string_view prefix) {
  if (in->substr(0, prefix.size()) != prefix) return false;
  in->remove_prefix(prefix.size());
  return true;
}

// With a log directory several databases share it, so the database's path becomes part of the name.
std::string InfoLogBaseName(const std::string& dbname, const std::string& log_dir) {
  if (log_dir.empty()) return "LOG";
  std::string name;
  for (size_t i = 0; i < dbname.size(); ++i) {
    const char c = dbname[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_';
    if (plain) {
      name.push_back(c);
    } else if (i > 0) {
      name.push_back('_');
    }
  }
  return name + "_LOG";
}

}  // namespace

std::string TableFileName(const std::string& dir, uint64_t number) {
  return Numbered(dir, "", number, ".sst");
}

std::string TableFileName(const std::vector<std::string>& dirs, uint64_t number, uint32_t path_id) {
  if (dirs.empty()) return TableFileName(std::string("."), number);
  return TableFileName(path_id < dirs.size() ? dirs[path_id] : dirs.back(), number);
}

std::string BlobFileName(const std::string& dir, uint64_t number) {
  return Numbered(dir, "", number, ".blob");
}

std::string LogFileName(const std::string& dir, uint64_t number) {
  return Numbered(dir, "", number, ".log");
}

std::string ArchiveDirName(const std::string& wal_dir) { return wal_dir + "/archive"; }

std::string DescriptorFileName(const std::string& dbname, uint64_t number) {
  return Numbered(dbname, "MANIFEST-", number, "");
}

std::string CurrentFileName(const std::string& dbname) { return dbname + "/CURRENT"; }

std::string LockFileName(const std::string& dbname) { return dbname + "/LOCK"; }

std::string IdentityFileName(const std::string& dbname) { return dbname + "/IDENTITY"; }

std::string OwnerFileName(const std::string& dir) { return dir + "/OWNER"; }

std::string OptionsFileName(const std::string& dbname, uint64_t number) {
  return Numbered(dbname, "OPTIONS-", number, "");
}

std::string TempOptionsFileName(const std::string& dbname, uint64_t number) {
  return Numbered(dbname, "OPTIONS-", number, ".dbtmp");
}

std::string TempFileName(const std::string& dbname, uint64_t number) {
  return Numbered(dbname, "", number, ".dbtmp");
}

std::string InfoLogFileName(const std::string& dbname, const std::string& log_dir) {
  return (log_dir.empty() ? dbname : log_dir) + "/" + InfoLogBaseName(dbname, log_dir);
}

std::string OldInfoLogFileName(const std::string& dbname, uint64_t micros,
                               const std::string& log_dir) {
  return InfoLogFileName(dbname, log_dir) + ".old." + std::to_string(micros);
}

std::string TableFileBaseName(uint64_t number) {
  return Numbered("", "", number, ".sst").substr(1);
}

bool ParseFileName(const std::string& base_name, uint64_t* number, FileType* type,
                   const Slice& info_log_prefix) {
  std::string_view rest(base_name);
  *number = 0;
  if (rest == "CURRENT") {
    *type = FileType::kCurrentFile;
    return true;
  }
  if (rest == "LOCK") {
    *type = FileType::kLockFile;
    return true;
  }
  if (rest == "IDENTITY") {
    *type = FileType::kIdentityFile;
    return true;
  }
  if (!info_log_prefix.empty() &&
      ConsumePrefix(&rest, std::string_view(info_log_prefix.data(), info_log_prefix.size()))) {
    *type = FileType::kInfoLogFile;
    if (rest.empty() || rest == ".old") return true;
    return ConsumePrefix(&rest, ".old.") && ConsumeNumber(&rest, number) && rest.empty();
  }
  if (ConsumePrefix(&rest, "MANIFEST-")) {
    *type = FileType::kDescriptorFile;
    return ConsumeNumber(&rest, number) && rest.empty();
  }
  if (ConsumePrefix(&rest, "METADB-")) {
    *type = FileType::kMetaDatabase;
    return ConsumeNumber(&rest, number) && rest.empty();
  }
  if (ConsumePrefix(&rest, "OPTIONS-")) {
    if (!ConsumeNumber(&rest, number)) return false;
    *type = rest.empty() ? FileType::kOptionsFile : FileType::kTempFile;
    return rest.empty() || rest == ".dbtmp";
  }
  if (!ConsumeNumber(&rest, number)) return false;
  if (rest == ".log") {
    *type = FileType::kWalFile;
  } else if (rest == ".sst" || rest == ".ldb") {
    *type = FileType::kTableFile;
  } else if (rest == ".blob") {
    *type = FileType::kBlobFile;
  } else if (rest == ".dbtmp") {
    *type = FileType::kTempFile;
  } else {
    return false;
  }
  return true;
}

}  // namespace cairn
