#include "fs/file_util.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "fiber/random.h"
#include "fs/fiber_file_system.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "fs/platform.h"

namespace cairn {

IOStatus ReadFileToString(FileSystem* fs, const std::string& fname, std::string* data) {
  data->clear();
  std::unique_ptr<SequentialFileReader> reader;
  IOStatus s = SequentialFileReader::Open(fs, fname, FileOptions(), &reader);
  if (!s.ok()) return s;
  constexpr size_t kChunk = 64 << 10;
  const auto chunk = std::make_unique<char[]>(kChunk);
  while (true) {
    Slice piece;
    s = reader->Read(kChunk, &piece, chunk.get());
    if (!s.ok()) {
      data->clear();
      return s;
    }
    if (piece.empty()) return s;
    data->append(piece.data(), piece.size());
  }
}

IOStatus WriteStringToFile(FileSystem* fs, const Slice& data, const std::string& fname, bool sync) {
  std::unique_ptr<FSWritableFile> file;
  IOStatus s = fs->NewWritableFile(fname, FileOptions(), &file, nullptr);
  if (!s.ok()) return s;
  s = file->Append(data, IOOptions(), nullptr);
  if (s.ok() && sync) s = file->Sync(IOOptions(), nullptr);
  const IOStatus closed = file->Close(IOOptions(), nullptr);
  if (s.ok()) s = closed;
  if (!s.ok()) {
    // Half a file is of no use; the first error is the one to tell.
    (void)fs->DeleteFile(fname, IOOptions(), nullptr);
  }
  return s;
}

IOStatus CopyFile(FileSystem* fs, const std::string& from, const std::string& to, uint64_t size) {
  std::unique_ptr<SequentialFileReader> source;
  IOStatus s = SequentialFileReader::Open(fs, from, FileOptions(), &source);
  if (!s.ok()) return s;
  std::unique_ptr<FSWritableFile> copy;
  s = fs->NewWritableFile(to, FileOptions(), &copy, nullptr);
  if (!s.ok()) return s;
  constexpr size_t kChunk = 256 << 10;
  const auto chunk = std::make_unique<char[]>(kChunk);
  for (uint64_t left = size; s.ok() && left > 0;) {
    Slice piece;
    s = source->Read(static_cast<size_t>(std::min<uint64_t>(kChunk, left)), &piece, chunk.get());
    if (s.ok() && piece.empty()) {
      s = IOStatus::Corruption(from + " has " + std::to_string(size - left) + " bytes instead of " +
                               std::to_string(size));
    }
    if (s.ok()) s = copy->Append(piece, IOOptions(), nullptr);
    left -= piece.size();
  }
  if (s.ok()) s = copy->Sync(IOOptions(), nullptr);
  const IOStatus closed = copy->Close(IOOptions(), nullptr);
  if (s.ok()) s = closed;
  if (!s.ok()) (void)fs->DeleteFile(to, IOOptions(), nullptr);
  return s;
}

IOStatus SyncDirectory(FSDirectory* dir) {
  return dir == nullptr ? IOStatus::OK() : dir->Fsync(IOOptions(), nullptr);
}

IOStatus SyncDirectoryAt(FileSystem* fs, const std::string& path) {
  std::unique_ptr<FSDirectory> directory;
  IOStatus s = fs->NewDirectory(path, IOOptions(), &directory, nullptr);
  return s.ok() ? SyncDirectory(directory.get()) : s;
}

std::string ParentOf(const std::string& path) {
  const size_t root = RootLength(path);
  size_t end = WithoutTrailingSeparators(path).size();
  while (end > root && !IsSeparator(path[end - 1])) --end;
  while (end > root && IsSeparator(path[end - 1])) --end;
  return end == 0 ? "." : path.substr(0, end);
}

std::string LastName(const std::string& path) {
  size_t begin = path.size();
  while (begin > RootLength(path) && !IsSeparator(path[begin - 1])) --begin;
  return path.substr(begin);
}

IOStatus SyncNameOfDirectory(FileSystem* fs, const std::string& path) {
  IOStatus s = SyncDirectoryAt(fs, ParentOf(path));
  if (s.IsNotSupported() || s.IsNotFound() || s.IsPathNotFound() || IsRefusal(s)) {
    return IOStatus::OK();
  }
  return s;
}

IOStatus CreateDirDurably(FileSystem* fs, const std::string& path) {
  const auto exists = [fs](const std::string& dir) {
    return !fs->FileExists(dir, IOOptions(), nullptr).IsNotFound();
  };
  std::vector<std::string> unsynced;
  if (exists(path)) {
    std::vector<std::string> names;
    const IOStatus s = fs->GetChildren(path, IOOptions(), &names, nullptr);
    std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
    if (s.ok() && names.empty()) unsynced.push_back(path);
  } else {
    for (std::string dir = path; dir != ParentOf(dir) && !exists(dir); dir = ParentOf(dir)) {
      unsynced.push_back(dir);
    }
  }
  // style: this is how
  IOStatus s = fs->CreateDirIfMissing(path, IOOptions(), nullptr);
  for (; s.ok() && !unsynced.empty(); unsynced.pop_back()) {
    s = SyncNameOfDirectory(fs, unsynced.back());
  }
  return s;
}

IOStatus ReplaceFile(FileSystem* fs, const std::string& fname, const std::string& temp_name,
                     const Slice& data, FSDirectory* dir) {
  IOStatus s = WriteStringToFile(fs, data, temp_name, /*sync=*/true);
  if (!s.ok()) return s;
  s = fs->RenameFile(temp_name, fname, IOOptions(), nullptr);
  if (!s.ok()) {
    (void)fs->DeleteFile(temp_name, IOOptions(), nullptr);
    return s;
  }
  return SyncDirectory(dir);
}

IOStatus SetCurrentFile(FileSystem* fs, const std::string& dbname, uint64_t descriptor_number,
                        FSDirectory* dir_to_sync) {
  // The MANIFEST's name first: a file system that keeps no order of names could lose it in a power
  // cut, and keep what CURRENT says.
  if (dir_to_sync != nullptr) {
    IOStatus s = SyncDirectory(dir_to_sync);
    if (!s.ok()) return s;
  }
  const std::string manifest = DescriptorFileName("", descriptor_number).substr(1);
  return ReplaceFile(fs, CurrentFileName(dbname), TempFileName(dbname, descriptor_number),
                     manifest + "\n", dir_to_sync);
}

IOStatus SetIdentityFile(FileSystem* fs, const std::string& dbname, const std::string& db_id,
                         FSDirectory* dir_to_sync) {
  const std::string id = db_id.empty() ? GenerateDbId() : db_id;
  return ReplaceFile(fs, IdentityFileName(dbname), TempFileName(dbname, 0), id, dir_to_sync);
}

IOStatus ReadIdentityFile(FileSystem* fs, const std::string& dbname, std::string* db_id) {
  IOStatus s = ReadFileToString(fs, IdentityFileName(dbname), db_id);
  while (s.ok() && !db_id->empty() && db_id->back() == '\n') db_id->pop_back();
  return s;
}

std::string GenerateDbId() {
  uint64_t parts[2] = {fiber::random_u64(), fiber::random_u64()};
  parts[0] = (parts[0] & ~uint64_t{0xf000}) | 0x4000;                  // version 4
  parts[1] = (parts[1] & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);  // variant of the RFC
  char buf[40];
  std::snprintf(buf, sizeof(buf), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(parts[0] >> 32),
                static_cast<unsigned>(parts[0] >> 16) & 0xffff,
                static_cast<unsigned>(parts[0]) & 0xffff, static_cast<unsigned>(parts[1] >> 48),
                static_cast<unsigned long long>(parts[1] & 0xffffffffffffull));
  return buf;
}

std::string GenerateDbSessionId() {
  static constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  // The unique ids of tables keep these bits as they are, and the null id must be none.
  uint64_t lower = 0;
  while (lower == 0) lower = fiber::random_u64();
  const uint64_t upper = fiber::random_u64() >> 25;  // 39 bits: 8 digits hold them and two more
  std::string id(20, '0');
  const auto write = [&id](size_t end, uint64_t value) {
    for (; value > 0; value /= 36) id[--end] = kDigits[value % 36];
  };
  write(8, upper << 2 | lower >> 62);
  write(20, lower & (UINT64_MAX >> 2));
  return id;
}

}  // namespace cairn
