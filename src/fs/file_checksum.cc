#include "fs/file_checksum.h"

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "base/crc32c.h"
#include "fs/file_reader.h"
#include "rocksdb/slice.h"

namespace cairn {
namespace {

constexpr size_t kReadSize = 256 << 10;

Status UpdateFromFile(FileSystem* fs, const std::string& path, const FileOptions& file_options,
                      size_t readahead, const ReadLimits& limits,
                      FileChecksumGenerator* generator) {
  std::unique_ptr<RandomAccessFileReader> file;
  IOStatus io = RandomAccessFileReader::Open(fs, path, file_options, &file);
  const size_t size = readahead != 0 ? readahead : kReadSize;
  const auto buffer = std::make_unique_for_overwrite<char[]>(size);
  Slice piece;
  for (uint64_t offset = 0; io.ok(); offset += piece.size()) {
    IOOptions options;
    io = limits.Apply(&options);
    if (io.ok()) io = file->Read(options, offset, size, &piece, buffer.get());
    if (!io.ok()) break;
    generator->Update(piece.data(), piece.size());
    if (piece.size() < size) break;  // the file's end
  }
  return io;
}

class Crc32cGenerator final : public FileChecksumGenerator {
 public:
  void Update(const char* data, size_t n) override { crc_ = crc32c::Extend(crc_, data, n); }
  void Finalize() override {}
  std::string GetChecksum() const override {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(crc_ >> shift));
    return bytes;
  }
  const char* Name() const override { return kStandardDbFileChecksumFuncName; }

 private:
  uint32_t crc_ = 0;
};

class Crc32cFactory final : public FileChecksumGenFactory {
 public:
  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) override {
    const std::string& requested = context.requested_checksum_func_name;
    if (!requested.empty() && requested != kStandardDbFileChecksumFuncName) return nullptr;
    return std::make_unique<Crc32cGenerator>();
  }
  const char* Name() const override { return "FileChecksumGenCrc32cFactory"; }
};

class ChecksumList final : public FileChecksumList {
 public:
  void reset() override { files_.clear(); }
  size_t size() const override { return files_.size(); }
  Status GetAllFileChecksums(std::vector<uint64_t>* file_numbers,
                             std::vector<std::string>* checksums,
                             std::vector<std::string>* checksum_func_names) override {
    if (file_numbers == nullptr || checksums == nullptr || checksum_func_names == nullptr) {
      return Status::InvalidArgument("Pointer has not been initiated");
    }
    for (const auto& [number, file] : files_) {
      file_numbers->push_back(number);
      checksums->push_back(file.first);
      checksum_func_names->push_back(file.second);
    }
    return Status::OK();
  }
  Status SearchOneFileChecksum(uint64_t file_number, std::string* checksum,
                               std::string* checksum_func_name) override {
    if (checksum == nullptr || checksum_func_name == nullptr) {
      return Status::InvalidArgument("Pointer has not been initiated");
    }
    const auto it = files_.find(file_number);
    if (it == files_.end()) return Status::NotFound();
    std::tie(*checksum, *checksum_func_name) = it->second;
    return Status::OK();
  }
  Status InsertOneFileChecksum(uint64_t file_number, const std::string& checksum,
                               const std::string& checksum_func_name) override {
    files_[file_number] = {checksum, checksum_func_name};
    return Status::OK();
  }
  Status RemoveOneFileChecksum(uint64_t file_number) override {
    return files_.erase(file_number) != 0 ? Status::OK() : Status::NotFound();
  }

 private:
  std::map<uint64_t, std::pair<std::string, std::string>> files_;  // checksum, name of its function
};

}  // namespace

Status MakeFileChecksum(FileSystem* fs, const std::string& path, const FileOptions& file_options,
                        FileChecksumGenFactory* factory, const std::string& requested,
                        size_t readahead, const ReadLimits& limits, std::string* checksum,
                        std::string* func_name) {
  *checksum = kUnknownFileChecksum;
  *func_name = kUnknownFileChecksumFuncName;
  FileChecksumGenContext context;
  context.file_name = path;
  context.requested_checksum_func_name = requested;
  const std::unique_ptr<FileChecksumGenerator> generator =
      factory->CreateFileChecksumGenerator(context);
  if (generator == nullptr) return Status::OK();
  Status s = UpdateFromFile(fs, path, file_options, readahead, limits, generator.get());
  if (!s.ok()) return s;
  generator->Finalize();
  *checksum = generator->GetChecksum();
  *func_name = generator->Name();
  return s;
}

Status VerifyFileChecksum(FileSystem* fs, const std::string& path, const FileOptions& file_options,
                          FileChecksumGenFactory* factory, const std::string& expected,
                          const std::string& func_name, size_t readahead,
                          const ReadLimits& limits) {
  std::string actual, actual_name;
  Status s = MakeFileChecksum(fs, path, file_options, factory, func_name, readahead, limits,
                              &actual, &actual_name);
  if (!s.ok()) return s;
  if (actual_name == kUnknownFileChecksumFuncName) {
    return Status::InvalidArgument(
        "Cannot get the file checksum generator based on the requested checksum function name: " +
        func_name + " from checksum factory: " + factory->Name());
  }
  if (actual_name != func_name) {
    return Status::InvalidArgument("Expected file checksum generator named '" + func_name +
                                   "', while the factory created one named '" + actual_name + "'");
  }
  if (actual == expected) return s;
  return Status::Corruption(path + " file checksum mismatch, expecting " +
                            Slice(expected).ToString(/*hex=*/true) + ", but actual " +
                            Slice(actual).ToString(/*hex=*/true));
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

FileChecksumList* NewFileChecksumList() { return new cairn::ChecksumList; }

std::shared_ptr<FileChecksumGenFactory> GetFileChecksumGenCrc32cFactory() {
  // Never destroyed: static objects may use it until the very end.
  static const auto& factory =
      *new std::shared_ptr<FileChecksumGenFactory>(std::make_shared<cairn::Crc32cFactory>());
  return factory;
}

}  // namespace ROCKSDB_NAMESPACE
