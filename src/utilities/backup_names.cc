#include "utilities/backup_names.h"

#include <algorithm>

#include "base/string_util.h"

namespace cairn {
namespace {

constexpr std::string_view kTemporarySuffix = ".tmp";

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsIn(const char* dir, std::string_view path) {
  const size_t slash = path.find('/');
  return slash != std::string_view::npos && path.substr(0, slash) == dir;
}

}  // namespace

std::string BackupMetaPath(BackupID id) {
  return std::string(kBackupMetaDir) + "/" + std::to_string(id);
}

std::string PrivateBackupDir(BackupID id) {
  return std::string(kBackupPrivateDir) + "/" + std::to_string(id);
}

std::string TemporaryBackupPath(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." + path.substr(name) + std::string(kTemporarySuffix);
}

bool IsTemporaryBackupName(const std::string& name) {
  return name.starts_with('.') && name.ends_with(kTemporarySuffix);
}

bool ParseBackupId(std::string_view name, BackupID* id) {
  uint64_t number = 0;
  if (!ParseUint64(name, &number) || number == 0 || number > UINT32_MAX) return false;
  *id = static_cast<BackupID>(number);
  return std::to_string(number) == name;
}

bool NamedByChecksum(BackupEngineOptions::ShareFilesNaming naming, const std::string& session) {
  return (naming & BackupEngineOptions::kMaskNoNamingFlags) ==
             BackupEngineOptions::kLegacyCrc32cAndFileSize ||
         session.empty();
}

std::string SharedChecksumPath(const std::string& database_name,
                               BackupEngineOptions::ShareFilesNaming naming,
                               const SharedFileMarks& marks) {
  std::string middle;
  if (NamedByChecksum(naming, marks.session)) {
    middle = "_" + std::to_string(marks.crc32c) + "_" + std::to_string(marks.size);
  } else {
    middle = "_s" + marks.session;
    if ((naming & BackupEngineOptions::kFlagIncludeFileSize) != 0) {
      middle += "_" + std::to_string(marks.size);
    }
  }
  std::string name = database_name;
  name.insert(std::min(name.rfind('.'), name.size()), middle);
  return std::string(kBackupSharedChecksumDir) + "/" + name;
}

bool IsBackupFilePath(const std::string& path) {
  const size_t slashes = static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
  const std::string_view name = BaseName(path);
  if (name.empty() || name == "." || name == "..") return false;
  if (IsSharedBackupFile(path)) return slashes == 1;
  if (!IsIn(kBackupPrivateDir, path) || slashes != 2) return false;
  const size_t begin = path.find('/') + 1;
  BackupID id;
  return ParseBackupId(std::string_view(path).substr(begin, path.rfind('/') - begin), &id);
}

bool IsSharedBackupFile(const std::string& path) {
  return IsIn(kBackupSharedDir, path) || IsIn(kBackupSharedChecksumDir, path);
}

std::string DatabaseFileName(const std::string& path) {
  std::string name(BaseName(path));
  if (!IsIn(kBackupSharedChecksumDir, path)) return name;
  const size_t begin = name.find('_');
  const size_t end = name.rfind('.');
  if (begin != std::string::npos && end != std::string::npos && begin < end) {
    name.erase(begin, end - begin);
  }
  return name;
}

std::string SessionInName(const std::string& path) {
  if (!IsIn(kBackupSharedChecksumDir, path)) return "";
  const std::string_view name = BaseName(path);
  const size_t first = name.find("_s");
  if (first == std::string_view::npos || first != name.find('_')) return "";
  const size_t begin = first + 2;
  return std::string(name.substr(begin, name.find_first_of("_.", begin) - begin));
}

std::optional<uint64_t> SizeInName(const std::string& path) {
  if (!IsIn(kBackupSharedChecksumDir, path)) return std::nullopt;
  const std::string_view name = BaseName(path);
  const size_t first = name.find('_');
  const size_t last = name.rfind('_');
  const size_t end = name.rfind('.');
  // (What stands behind the only one is a session.)
  if (first == last || end == std::string_view::npos || end < last) return std::nullopt;
  uint64_t size = 0;
  if (!ParseUint64(name.substr(last + 1, end - last - 1), &size)) return std::nullopt;
  return size;
}

}  // namespace cairn
