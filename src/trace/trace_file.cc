// A trace in a file: NewFileTraceWriter, NewFileTraceReader. Each is one caller's at a time.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fs/file_writer.h"
#include "rocksdb/file_system.h"
#include "rocksdb/trace_reader_writer.h"
#include "trace/trace_format.h"

namespace cairn {
namespace {

class TraceFileWriter final : public TraceWriter {
 public:
  explicit TraceFileWriter(std::unique_ptr<FileWriter> file) : file_(std::move(file)) {}
  ~TraceFileWriter() override { Close().PermitUncheckedError(); }

  Status Write(const Slice& data) override { return file_->Append(data); }
  Status Close() override { return file_->Close(); }
  uint64_t GetFileSize() override { return file_->file_size(); }

 private:
  const std::unique_ptr<FileWriter> file_;
};

class TraceFileReader final : public TraceReader {
 public:
  TraceFileReader(std::unique_ptr<FSRandomAccessFile> file, std::string name)
      : file_(std::move(file)),
        name_(std::move(name)),
        buffer_(std::make_unique<char[]>(kBufferSize)) {}

  Status Read(std::string* data) override {
    data->clear();
    if (file_ == nullptr) return Closed();
    const uint64_t begin = offset_;
    Status s = Take(kTraceEntryHeader, data);
    if (!s.ok()) return s;
    if (data->empty()) return Status::Incomplete("the trace has ended");
    if (data->size() == kTraceEntryHeader) {
      // Nothing is believed of a length but what the file has.
      const size_t whole = kTraceEntryHeader + size_t{TracePayloadLength(data->data())};
      s = Take(whole - kTraceEntryHeader, data);
      if (!s.ok() || data->size() == whole) return s;
    }
    offset_ = begin;
    return Status::Corruption("Corrupted trace file", "it ends within the record at offset " +
                                                          std::to_string(begin) + " of " + name_);
  }

  Status Close() override {
    file_.reset();
    return Status::OK();
  }

  Status Reset() override {
    if (file_ == nullptr) return Closed();
    offset_ = 0;
    buffered_ = Slice();
    return Status::OK();
  }

 private:
  static constexpr size_t kBufferSize = size_t{64} << 10;

  Status Closed() const { return Status::IOError("TraceReader is closed.", name_); }

  // Appends the next n bytes, or as many as there are.
  Status Take(size_t n, std::string* data) {
    while (n > 0) {
      if (offset_ < buffer_begin_ || offset_ >= buffer_begin_ + buffered_.size()) {
        buffered_ = Slice();
        IOStatus io =
            file_->Read(offset_, kBufferSize, IOOptions(), &buffered_, buffer_.get(), nullptr);
        if (!io.ok()) return io;
        buffer_begin_ = offset_;
        if (buffered_.empty()) return Status::OK();
      }
      const size_t at = static_cast<size_t>(offset_ - buffer_begin_);
      const size_t some = std::min(n, buffered_.size() - at);
      data->append(buffered_.data() + at, some);
      offset_ += some;
      n -= some;
    }
    return Status::OK();
  }

  std::unique_ptr<FSRandomAccessFile> file_;  // null: closed
  const std::string name_;
  const std::unique_ptr<char[]> buffer_;
  uint64_t offset_ = 0;        // of the next record
  uint64_t buffer_begin_ = 0;  // where in the file what is buffered is
  Slice buffered_;
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status NewFileTraceWriter(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceWriter>* trace_writer) {
  trace_writer->reset();
  std::unique_ptr<::cairn::FileWriter> file;
  IOStatus io = ::cairn::FileWriter::Open(env->GetFileSystem().get(), trace_filename,
                                          FileOptions(env_options), &file);
  if (!io.ok()) return io;
  *trace_writer = std::make_unique<::cairn::TraceFileWriter>(std::move(file));
  return Status::OK();
}

Status NewFileTraceReader(Env* env, const EnvOptions& env_options,
                          const std::string& trace_filename,
                          std::unique_ptr<TraceReader>* trace_reader) {
  trace_reader->reset();
  FileOptions options(env_options);
  options.use_direct_reads = false;  // records are not aligned
  std::unique_ptr<FSRandomAccessFile> file;
  IOStatus io = env->GetFileSystem()->NewRandomAccessFile(trace_filename, options, &file, nullptr);
  if (!io.ok()) return io;
  *trace_reader = std::make_unique<::cairn::TraceFileReader>(std::move(file), trace_filename);
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
