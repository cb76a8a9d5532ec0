// Whole-file operations over a FileSystem: read or write a small file, replace CURRENT and
// IDENTITY so that a crash leaves either the old one or the new one.
//
// Called by manifest/ and db/. Stateless; every call may SUSPEND.

#ifndef CAIRN_FS_FILE_UTIL_H_
#define CAIRN_FS_FILE_UTIL_H_

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

// The whole file. Fails with the file system's own status; `data` is then empty.
[[nodiscard]] IOStatus ReadFileToString(FileSystem* fs, const std::string& fname,
                                        std::string* data);

// Creates or replaces `fname`. Removes it again if the write fails. Not atomic: a crash can leave
// a part of it.
[[nodiscard]] IOStatus WriteStringToFile(FileSystem* fs, const Slice& data,
                                         const std::string& fname, bool sync = false);

// The first `size` bytes of `from`, as a new file `to`, synced. Corruption: there are fewer.
// Removes `to` again if it fails.
[[nodiscard]] IOStatus CopyFile(FileSystem* fs, const std::string& from, const std::string& to,
                                uint64_t size);

// Writes a temporary file, syncs it, renames it over `fname`, then fsyncs `dir` (skipped when
// null). After a crash the file has either its old contents or `data`.
[[nodiscard]] IOStatus ReplaceFile(FileSystem* fs, const std::string& fname,
                                   const std::string& temp_name, const Slice& data,
                                   FSDirectory* dir);

// Points CURRENT at MANIFEST-<descriptor_number>. `dir_to_sync` may be null.
[[nodiscard]] IOStatus SetCurrentFile(FileSystem* fs, const std::string& dbname,
                                      uint64_t descriptor_number, FSDirectory* dir_to_sync);

// Writes IDENTITY. An empty `db_id` means: make a new one (see GenerateDbId).
[[nodiscard]] IOStatus SetIdentityFile(FileSystem* fs, const std::string& dbname,
                                       const std::string& db_id = {},
                                       FSDirectory* dir_to_sync = nullptr);
// IDENTITY without the newline that some versions end it with.
[[nodiscard]] IOStatus ReadIdentityFile(FileSystem* fs, const std::string& dbname,
                                        std::string* db_id);

// A random UUID (version 4, RFC 4122), in the 36 characters of the files of RocksDB.
std::string GenerateDbId();

// Twenty characters of [A-Z0-9] as in the table property "rocksdb.creating.session.identity": 64
// and 39 random bits, in two numbers of base 36 (table/unique_id.h reads them).
std::string GenerateDbSessionId();

// fsync of the directory that holds `dir`'s entries; null is fine and does nothing.
[[nodiscard]] IOStatus SyncDirectory(FSDirectory* dir);
// The same by its path.
[[nodiscard]] IOStatus SyncDirectoryAt(FileSystem* fs, const std::string& path);

// The directory that has `path`'s name: "/a" of "/a/b" and "/a/b/", "/" of "/a", "." of "a".
std::string ParentOf(const std::string& path);
// What stands behind the last separator: "b" of "/a/b", "" of "/a/".
std::string LastName(const std::string& path);
// The directory `path`, which was made or renamed, has its name after a power cut. OK, too, where
// its parent may not be opened, or the file system knows no such thing: then it is left to others.
[[nodiscard]] IOStatus SyncNameOfDirectory(FileSystem* fs, const std::string& path);
// Makes the directory `path` unless it is there, with a name that lasts: all that makes directories
// in src/ does it so. An empty one may be what somebody made who was killed before its name was
// synced. REQUIRES: its parent exists, unless the file system makes parents.
[[nodiscard]] IOStatus CreateDirDurably(FileSystem* fs, const std::string& path);

}  // namespace cairn

#endif  // CAIRN_FS_FILE_UTIL_H_
