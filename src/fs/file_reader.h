// Readers that know their file's name and hide the alignment that direct I/O asks for.
//
// RandomAccessFileReader serves tables (thread-safe, no state but the file);
// SequentialFileReader serves logs, the MANIFEST and small files (one caller at a time).
// Every read may SUSPEND. Statuses name the file.

#ifndef CAIRN_FS_FILE_READER_H_
#define CAIRN_FS_FILE_READER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"

namespace cairn {

// What is counted of the reads of a file, beside what IOStatsContext has of all.
struct ReadStatistics {
  Statistics* statistics = nullptr;  // borrowed
  bool last_level = false;           // it is a table of the last level there is
  Temperature temperature = Temperature::kUnknown;
};

class RandomAccessFileReader {
 public:
  // `fs`: whose Poll() and AbortIO() serve the file's ReadAsync; outlives this. Null: it has none.
  RandomAccessFileReader(std::unique_ptr<FSRandomAccessFile> file, std::string file_name,
                         FileSystem* fs = nullptr);
  RandomAccessFileReader(const RandomAccessFileReader&) = delete;
  RandomAccessFileReader& operator=(const RandomAccessFileReader&) = delete;

  [[nodiscard]] static IOStatus Open(FileSystem* fs, const std::string& fname,
                                     const FileOptions& options,
                                     std::unique_ptr<RandomAccessFileReader>* reader);

  // Reads up to `n` bytes at `offset` into `scratch` (at least `n` bytes). `*result` is shorter
  // than `n` only at the end of the file; it may point into `scratch` or into memory of the file.
  [[nodiscard]] IOStatus Read(const IOOptions& options, uint64_t offset, size_t n, Slice* result,
                              char* scratch) const;

  // All requests at once; each carries its own status. The call's status is the first error of a
  // kind that has nothing to do with one request.
  [[nodiscard]] IOStatus MultiRead(const IOOptions& options, FSReadRequest* requests,
                                   size_t count) const;

  // Before the first read.
  void SetStatistics(const ReadStatistics& statistics) { counted_ = statistics; }
  bool of_last_level() const { return counted_.last_level; }
  // Another read of so many bytes, which was not made through this, has come.
  void CountRead(size_t bytes) const;

  // A hint: these bytes are wanted soon. NotSupported is no error.
  IOStatus Prefetch(const IOOptions& options, uint64_t offset, size_t n) const;

  const std::string& file_name() const { return file_name_; }
  FSRandomAccessFile* file() const { return file_.get(); }
  bool use_direct_io() const { return direct_; }
  // Of offsets, lengths and memory, where the file is read directly; 1: any will do.
  size_t alignment() const { return direct_ ? file_->GetRequiredBufferAlignment() : 1; }

  // For PendingFileRead: whether ReadAsync is known not to read in the background.
  FileSystem* file_system() const { return fs_; }
  bool ReadsWithinReadAsync() const {
    return fs_ == nullptr || reads_within_.load(std::memory_order_relaxed);
  }
  void NoteReadWithinReadAsync() const { reads_within_.store(true, std::memory_order_relaxed); }

 private:
  IOStatus ReadDirect(const IOOptions& options, uint64_t offset, size_t n, Slice* result,
                      char* scratch) const;
  IOStatus ReadOnce(const IOOptions& options, uint64_t offset, size_t n, Slice* result,
                    char* scratch) const;

  const std::unique_ptr<FSRandomAccessFile> file_;
  const std::string file_name_;
  const bool direct_;
  // Whether file_->Read() parks a fiber that has to wait. A user's own may block the thread, and so
  // all that waits together with this read.
  const bool parks_;
  FileSystem* const fs_;
  ReadStatistics counted_;
  mutable std::atomic<bool> reads_within_{false};
};

class SequentialFileReader {
 public:
  SequentialFileReader(std::unique_ptr<FSSequentialFile> file, std::string file_name);
  SequentialFileReader(const SequentialFileReader&) = delete;
  SequentialFileReader& operator=(const SequentialFileReader&) = delete;

  [[nodiscard]] static IOStatus Open(FileSystem* fs, const std::string& fname,
                                     const FileOptions& options,
                                     std::unique_ptr<SequentialFileReader>* reader);

  // The next `n` bytes. `*result` is shorter only at the end of the file.
  [[nodiscard]] IOStatus Read(size_t n, Slice* result, char* scratch);
  [[nodiscard]] IOStatus Skip(uint64_t n);

  // Bytes from the start of the file to the next Read.
  uint64_t offset() const { return offset_; }
  const std::string& file_name() const { return file_name_; }
  bool use_direct_io() const { return direct_; }

 private:
  const std::unique_ptr<FSSequentialFile> file_;
  const std::string file_name_;
  const bool direct_;
  uint64_t offset_ = 0;
};

}  // namespace cairn

#endif  // CAIRN_FS_FILE_READER_H_
