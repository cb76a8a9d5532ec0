// A text file that is written from its beginning to its end.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace text_output {

// One caller at a time. The first error stays: what follows is dropped, and Close() returns it.
class OutputFile {
 public:
  // An old file of the name is emptied.
  rocksdb::Status Open(const std::string& path);
  bool IsOpen() const { return file_ != nullptr; }
  void Write(std::string_view text);
  // printf's; at most 4,095 bytes.
  void Print(const char* format, ...) ROCKSDB_PRINTF_FORMAT_ATTR(2, 3);
  // OK if it was never opened.
  rocksdb::Status Close();

 private:
  void Flush();

  std::unique_ptr<rocksdb::FSWritableFile> file_;
  std::string buffer_;
  rocksdb::Status status_;
};

// A whole file: fill(&file) writes it.
template <typename Fill>
rocksdb::Status WriteFile(const std::string& path, const Fill& fill) {
  OutputFile file;
  rocksdb::Status s = file.Open(path);
  if (!s.ok()) return s;
  fill(&file);
  return file.Close();
}

}  // namespace text_output
