// Shortages: errors that go away though nobody mends anything. Something that others use up as well
// (descriptors, memory, room on the disk, room in a cache) comes free again, or the system asks to
// be asked again.
//
// The one place that says which errors these are: the file systems ask for the errno (and mark the
// status retryable), background work and the recovery from its errors for the status.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/io_status.h"
#include "rocksdb/status.h"

namespace cairn {

// Of a positive errno value: EMFILE, ENFILE, ENOMEM, ENOBUFS, EINTR, EAGAIN, ENOSPC, EDQUOT.
bool IsShortage(int err);

// NoSpace, MemoryLimit, and what a file system says is retryable (IOStatus::SetRetryable): one of
// the errnos above, or what a file system of the user's takes for such.
bool IsShortage(const Status& s);

// What says that there is no memory for a file's bytes.
IOStatus NoMemory(const std::string& file);

}  // namespace cairn
