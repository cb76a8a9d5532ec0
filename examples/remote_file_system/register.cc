// Linked into a program, makes it know "remote://..." URIs from its start: this is how db_bench,
// which has never heard of this file system, gets it for --fs_uri.

#include "remote_file_system/remote_file_system.h"

namespace {

[[maybe_unused]] const int registered =
    rocksdb::ObjectLibrary::Default()->Register(remote::RegisterRemoteFileSystem, /*arg=*/"");

}  // namespace
