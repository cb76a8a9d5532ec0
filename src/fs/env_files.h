// Files of an Env as files of a FileSystem, and the other way round. What was made of a file of a
// FileSystem becomes that one again, where the caller can use it.
//
// Files keep the thread safety of the one that they are made of.
#pragma once

#include <memory>
#include <utility>

#include "base/namespace.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"

namespace cairn {

inline IOStatus ToIO(Status s) { return status_to_io_status(std::move(s)); }

// `owner`: whose file it is.
std::unique_ptr<SequentialFile> ToEnvFile(std::unique_ptr<FSSequentialFile> file,
                                          const FileSystem* owner);
std::unique_ptr<RandomAccessFile> ToEnvFile(std::unique_ptr<FSRandomAccessFile> file,
                                            const FileSystem* owner);
std::unique_ptr<WritableFile> ToEnvFile(std::unique_ptr<FSWritableFile> file,
                                        const FileSystem* owner);
std::unique_ptr<RandomRWFile> ToEnvFile(std::unique_ptr<FSRandomRWFile> file,
                                        const FileSystem* owner);
std::unique_ptr<Directory> ToEnvFile(std::unique_ptr<FSDirectory> file, const FileSystem* owner);

// `usable` (may be null): the FileSystem whose files the caller can use as they are: it polls their
// reads (FileSystem::Poll).
std::unique_ptr<FSSequentialFile> ToFsFile(std::unique_ptr<SequentialFile> file,
                                           const FileSystem* usable);
std::unique_ptr<FSRandomAccessFile> ToFsFile(std::unique_ptr<RandomAccessFile> file,
                                             const FileSystem* usable);
std::unique_ptr<FSWritableFile> ToFsFile(std::unique_ptr<WritableFile> file,
                                         const FileOptions& options, const FileSystem* usable);
std::unique_ptr<FSRandomRWFile> ToFsFile(std::unique_ptr<RandomRWFile> file,
                                         const FileSystem* usable);
std::unique_ptr<FSDirectory> ToFsFile(std::unique_ptr<Directory> file, const FileSystem* usable);

}  // namespace cairn
