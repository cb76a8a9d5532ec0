#include "text_output/output_file.h"

#include <cstdarg>
#include <cstdio>

namespace text_output {
namespace {
constexpr size_t kBufferSize = size_t{64} << 10;
}  // namespace

rocksdb::Status OutputFile::Open(const std::string& path) {
  return rocksdb::FileSystem::Default()->NewWritableFile(path, rocksdb::FileOptions(), &file_,
                                                         nullptr);
}

void OutputFile::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) Flush();
}

void OutputFile::Print(const char* format, ...) {
  char text[4096];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof(text), format, values);
  va_end(values);
  Write(text);
}

void OutputFile::Flush() {
  if (file_ != nullptr && status_.ok())
    status_ = file_->Append(buffer_, rocksdb::IOOptions(), nullptr);
  buffer_.clear();
}

rocksdb::Status OutputFile::Close() {
  if (file_ == nullptr) return rocksdb::Status::OK();
  Flush();
  rocksdb::Status closed = file_->Close(rocksdb::IOOptions(), nullptr);
  file_.reset();
  return status_.ok() ? closed : status_;
}

}  // namespace text_output
