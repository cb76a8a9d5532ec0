// A backup's file in meta/: any text is read or refused; what is read leads nowhere but to a
// backup's files, and is written again as a file that says the same.
#include "utilities/backup_meta.h"

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "utilities/backup_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  const std::string text(reinterpret_cast<const char*>(data), size);
  BackupMeta meta;
  std::vector<BackupMetaEntry> entries;
  std::vector<std::string> ignored;
  const IOStatus s = ParseBackupMeta("meta/1", text, &meta, &entries, &ignored);
  FUZZ_CHECK(s.ok() || s.IsCorruption() || s.IsNotSupported());
  for (const BackupMetaEntry& entry : entries) {
    FUZZ_CHECK(IsBackupFilePath(entry.file.path));
    FUZZ_CHECK(DatabaseFileName(entry.file.path).find('/') == std::string::npos);
    (void)SizeInName(entry.file.path);
    meta.files.push_back(std::make_shared<BackupFile>(entry.file));
  }
  if (!s.ok()) return 0;
  const std::string written = FormatBackupMeta(meta, kMaxBackupSchema);
  BackupMeta again;
  std::vector<BackupMetaEntry> entries_again;
  ignored.clear();
  FUZZ_CHECK(ParseBackupMeta("meta/1", written, &again, &entries_again, &ignored).ok());
  FUZZ_CHECK(ignored.empty());
  FUZZ_CHECK(entries.size() == entries_again.size());
  for (const BackupMetaEntry& entry : entries_again) {
    again.files.push_back(std::make_shared<BackupFile>(entry.file));
  }
  FUZZ_CHECK(FormatBackupMeta(again, kMaxBackupSchema) == written);
  return 0;
}
