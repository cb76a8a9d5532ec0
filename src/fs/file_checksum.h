// Reads a whole file for its checksum (rocksdb/file_checksum.h). Thread-safe. SUSPENDS.
#pragma once

#include <cstddef>
#include <string>

#include "base/namespace.h"
#include "fs/read_limits.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

// Corruption if the file has another checksum than `expected`, a checksum of the function
// `func_name`; the status names the file. InvalidArgument: the factory has no such function.
// `readahead`: bytes of each read; 0: as it likes.
[[nodiscard]] Status VerifyFileChecksum(FileSystem* fs, const std::string& path,
                                        const FileOptions& file_options,
                                        FileChecksumGenFactory* factory,
                                        const std::string& expected, const std::string& func_name,
                                        size_t readahead, const ReadLimits& limits);

// The checksum that the factory makes of the file, by the function `requested` ("": any), and its
// name. Those of an unknown one if the factory makes none for this file.
[[nodiscard]] Status MakeFileChecksum(FileSystem* fs, const std::string& path,
                                      const FileOptions& file_options,
                                      FileChecksumGenFactory* factory, const std::string& requested,
                                      size_t readahead, const ReadLimits& limits,
                                      std::string* checksum, std::string* func_name);

}  // namespace cairn
