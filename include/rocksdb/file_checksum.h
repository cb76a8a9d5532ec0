// Checksums of whole table files: made while a file is written, kept in the MANIFEST, checked by
// DB::VerifyFileChecksums() and by whoever copies files.
//
// DBOptions::file_checksum_gen_factory makes a generator for each file. Its name is kept with the
// checksum, so a file can still be checked when the database makes others by now, as long as the
// factory has the older generator, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;

// Of a file without a checksum.
constexpr char kUnknownFileChecksum[] = "";
constexpr char kUnknownFileChecksumFuncName[] = "Unknown";
// The name of the generators of GetFileChecksumGenCrc32cFactory().
constexpr char kStandardDbFileChecksumFuncName[] = "FileChecksumCrc32c";

struct FileChecksumGenContext {
  std::string file_name;  // the path
  // Not empty: a checksum of this name is to be compared with.
  std::string requested_checksum_func_name;
};

// Of one file, used by one thread at a time: Update() with all its bytes in their order, in pieces
// of any size; Finalize() once; then GetChecksum(). Exceptions must not leave it.
class FileChecksumGenerator {
 public:
  virtual ~FileChecksumGenerator() = default;

  virtual void Update(const char* data, size_t n) = 0;
  virtual void Finalize() = 0;
  // Any bytes, but not none.
  virtual std::string GetChecksum() const = 0;
  // Names the function; is stored with the checksum.
  virtual const char* Name() const = 0;
};

// Thread-safe.
class FileChecksumGenFactory : public Customizable {
 public:
  ~FileChecksumGenFactory() override = default;
  static const char* Type() { return "FileChecksumGenFactory"; }
  // "FileChecksumGenCrc32cFactory". Another name leaves *result null: OK, or NotSupported without
  // ignore_unsupported_options.
  static Status CreateFromString(const ConfigOptions& options, const std::string& value,
                                 std::shared_ptr<FileChecksumGenFactory>* result);

  // Null: the file gets no checksum; where one was requested, it cannot be checked.
  virtual std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) = 0;

  const char* Name() const override = 0;
};

// The checksums of files, by number: see DB::GetLiveFilesChecksumInfo(). Not thread-safe.
class FileChecksumList {
 public:
  virtual ~FileChecksumList() = default;

  virtual void reset() = 0;
  virtual size_t size() const = 0;
  // InvalidArgument: a null pointer.
  virtual Status GetAllFileChecksums(std::vector<uint64_t>* file_numbers,
                                     std::vector<std::string>* checksums,
                                     std::vector<std::string>* checksum_func_names) = 0;
  // NotFound: no such file. InvalidArgument: a null pointer.
  virtual Status SearchOneFileChecksum(uint64_t file_number, std::string* checksum,
                                       std::string* checksum_func_name) = 0;
  // Replaces what is there.
  virtual Status InsertOneFileChecksum(uint64_t file_number, const std::string& checksum,
                                       const std::string& checksum_func_name) = 0;
  // NotFound: no such file.
  virtual Status RemoveOneFileChecksum(uint64_t file_number) = 0;
};

// The caller owns it.
extern FileChecksumList* NewFileChecksumList();

// CRC32C of the bytes: 4 bytes, the highest first. One for the process.
extern std::shared_ptr<FileChecksumGenFactory> GetFileChecksumGenCrc32cFactory();

}  // namespace ROCKSDB_NAMESPACE
