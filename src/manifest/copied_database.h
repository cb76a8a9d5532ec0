// What a copy of a database's files needs to be a database of its own, and not a double of its
// source: another identity, and options that do not name the source's directories.
//
// Called by who copies (utilities/). Stateless. All SUSPEND but WithoutDirectories.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

// Gives the database in `dir`, which nobody has open, a new identity: in its MANIFEST, to which it
// appends a record, and in IDENTITY. (Its tables keep the identity that they were made under.)
// Synced, but for the names in `dir`.
[[nodiscard]] Status GiveNewIdentity(FileSystem* fs, const std::string& dir);

// The text of an OPTIONS file without the directories that it names for logs, the info log and
// tables: what is empty means the database's own. All else stays as it is, byte for byte.
std::string WithoutDirectories(const std::string& options_text);

}  // namespace cairn
