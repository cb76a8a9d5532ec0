// What file names are, and what the machine is called, on this operating system: fs/posix and
// fs/windows each have one body. All the rest of the file system is common, over fiber::io.
//
// Paths are UTF-8 everywhere. On Windows both '/' and '\' separate names, a path may begin with a
// drive ("C:\db", "C:/db") or a share ("\\server\share\db"), and may be longer than 260 characters:
// the calls of fiber::io see to that. Nothing here looks at a file.
//
// Thread-safe. Private to the engine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

#include "base/namespace.h"
#include "fiber/io.h"
#include "rocksdb/io_status.h"

namespace cairn {

// --- names

bool IsSeparator(char c);
// Length in bytes of what names no directory's entry: 1 of "/a"; on Windows also 3 of "C:\a", 2 of
// "C:a" (relative to the drive's own directory), and all of "\\server\share\". 0 if the path is
// relative. "/a" is a root on Windows, too: of the current drive.
size_t RootLength(const std::string& path);
// "/a" of "/a//"; a root stays as it is.
std::string WithoutTrailingSeparators(std::string path);
// An absolute path without "." , ".." and repetitions where that needs no look at the disk; on
// Windows in small letters as far as they are ASCII, since names differ in case there only by
// permission. For comparisons, not for opening.
std::string ComparablePath(const std::string& absolute);
// The path itself if it is absolute, else behind the working directory (on Windows: of its drive).
IOStatus AbsolutePath(const std::string& path, std::string* output);
// Whether no file can be of that name, and why: not UTF-8, with a character that the system has not
// in names, or a device's (CON). OK on POSIX, where the system decides.
IOStatus CheckName(const std::string& path);

// --- the machine

// For a positive errno value, of the system or of fiber::io: "No such file or directory".
std::string ErrorMessage(int err);
// Where tests go: TEST_TMPDIR, else a place for each user. Not created.
std::string TestDirectory();
// False: out of the calendar's range, `*local` is zeroed.
bool ToLocalTime(int64_t unix_seconds, struct tm* local);
// The host's name, ended by a zero. False if it does not fit into `size` bytes or cannot be had.
bool HostName(char* name, size_t size);

// --- what fiber::io passes on

// The volume's or device's number, and the file's on it.
using FileId = std::array<uint64_t, 3>;
FileId IdOf(const fiber::io::FileStatus& file);
bool IsDirectory(const fiber::io::FileStatus& file);

// Opens a directory for file_status() alone, without the right to read it where the system can.
extern const int kOpenDirectoryToIdentify;
// Whether files can be written through a mapping (DBOptions::allow_mmap_writes).
extern const bool kMapsWrites;
// Linux's SYNC_FILE_RANGE_...; elsewhere sync_file_range() is -EOPNOTSUPP.
inline constexpr unsigned kSyncRangeWaitBefore = 1;
inline constexpr unsigned kSyncRangeWrite = 2;

}  // namespace cairn
