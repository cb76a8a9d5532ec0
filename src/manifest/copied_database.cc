#include "manifest/copied_database.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/string_util.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "manifest/version_edit.h"
#include "manifest/version_set.h"
#include "wal/log_writer.h"

namespace cairn {

Status GiveNewIdentity(FileSystem* fs, const std::string& dir) {
  std::string path;
  uint64_t number = 0;
  if (Status s = VersionSet::GetCurrentManifestPath(dir, fs, &path, &number); !s.ok()) return s;
  const std::string id = GenerateDbId();
  VersionEdit edit;
  edit.SetDBId(id);
  std::string record;
  if (!edit.EncodeTo(&record)) return Status::Corruption(path, "cannot encode an identity");
  uint64_t size = 0;
  IOStatus io = fs->GetFileSize(path, IOOptions(), &size, nullptr);
  std::unique_ptr<FSWritableFile> file;
  const FileOptions options;
  if (io.ok()) io = fs->ReopenWritableFile(path, options, &file, nullptr);
  if (!io.ok()) return io;
  LogWriter manifest(std::make_unique<FileWriter>(std::move(file), path, options, size), number,
                     /*recycle_log_files=*/false);
  io = manifest.AddRecord(record);
  if (io.ok()) io = manifest.Sync(/*use_fsync=*/false);
  const IOStatus closed = manifest.Close();
  if (io.ok()) io = closed;
  if (io.ok()) io = SetIdentityFile(fs, dir, id);
  return io;
}

std::string WithoutDirectories(const std::string& options_text) {
  constexpr std::string_view kNames[] = {"wal_dir", "db_log_dir", "db_paths", "cf_paths"};
  std::string out;
  for (std::string_view rest = options_text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const size_t equals = line.find('=');
    const bool named = equals != std::string_view::npos &&
                       std::find(std::begin(kNames), std::end(kNames),
                                 Trim(line.substr(0, equals))) != std::end(kNames);
    out.append(named ? line.substr(0, equals + 1) : line);
    if (end < rest.size()) out.push_back('\n');
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace cairn
