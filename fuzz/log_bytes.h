// Logs (WAL and MANIFEST) as bytes in memory: written, read, and with their checksums made right
// again after damage, so that the damage is seen behind them.

#ifndef CAIRN_FUZZ_LOG_BYTES_H_
#define CAIRN_FUZZ_LOG_BYTES_H_

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "fuzz/fuzz.h"
#include "wal/log_format.h"
#include "wal/log_reader.h"
#include "wal/log_writer.h"

namespace cairn::fuzz {

// A sequential file over bytes that outlive it.
class BytesFile final : public FSSequentialFile {
 public:
  explicit BytesFile(const std::string* bytes) : bytes_(bytes) {}
  IOStatus Read(size_t n, const IOOptions&, Slice* result, char* scratch,
                IODebugContext*) override {
    n = std::min(n, bytes_->size() - offset_);
    std::memcpy(scratch, bytes_->data() + offset_, n);
    *result = Slice(scratch, n);
    offset_ += n;
    return IOStatus::OK();
  }
  IOStatus Skip(uint64_t n) override {
    offset_ += std::min<uint64_t>(n, bytes_->size() - offset_);
    return IOStatus::OK();
  }

 private:
  const std::string* const bytes_;
  size_t offset_ = 0;
};

inline std::string WriteLog(const std::vector<std::string>& records, bool recyclable,
                            uint64_t number) {
  MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
  std::unique_ptr<FileWriter> file;
  FUZZ_CHECK(FileWriter::Open(&fs, "/log", FileOptions(), &file).ok());
  LogWriter writer(std::move(file), number, recyclable);
  for (const std::string& record : records) FUZZ_CHECK(writer.AddRecord(record).ok());
  FUZZ_CHECK(writer.Close().ok());
  std::string bytes;
  FUZZ_CHECK(ReadFileToString(&fs, "/log", &bytes).ok());
  return bytes;
}

inline void FixLogChecksums(std::string* bytes) {
  for (size_t at = 0; at + log::kHeaderSize <= bytes->size();) {
    const size_t left = log::kBlockSize - at % log::kBlockSize;
    if (left < log::kHeaderSize) {
      at += left;
      continue;
    }
    char* const header = bytes->data() + at;
    const size_t length = static_cast<uint8_t>(header[4]) | static_cast<uint8_t>(header[5]) << 8;
    const bool numbered = static_cast<uint8_t>(header[6]) >= log::kRecyclableFullType &&
                          static_cast<uint8_t>(header[6]) <= log::kRecyclableLastType;
    const size_t size = length + (numbered ? log::kRecyclableHeaderSize : log::kHeaderSize);
    if ((header[6] == 0 && length == 0) || size > left || at + size > bytes->size()) {
      at += left;  // with the next block
      continue;
    }
    EncodeFixed32(header, crc32c::Mask(crc32c::Value(header + 6, size - 6)));
    at += size;
  }
}

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_LOG_BYTES_H_
