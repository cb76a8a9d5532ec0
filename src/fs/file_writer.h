// FileWriter: buffered appends over an FSWritableFile. Used for the WAL, the MANIFEST and tables.
//
//   Append -> buffer (64 KiB, grows to writable_file_max_buffer_size) -> Flush -> the operating
//   system -> Sync -> the device.
//
// What it adds to a file: an Append that inlines to a memcpy, preallocation (by the file, which
// gives back at close what was not used), bytes_per_sync (write-back started early by range, so
// that the final sync is short), and, for direct I/O, aligned writes with a padded tail that is
// written again when it grows and cut off at close. Write-behind: a full buffer of a direct file is
// written in the background (fiber/background.h) while the next one is filled; one at a time.
//
// Thread safety: one caller at a time, except SyncWithoutFlush(), which may run beside Append and
// Flush of another caller when the file says IsSyncThreadSafe(). file_size() may be read by any.
//
// Invariants
// 1. filesize_ = bytes accepted by Append = bytes given to the file + bytes being written behind +
//    bytes in the buffer (in direct mode the part of the tail that was written already stays in the
//    buffer).
// 2. After a failed write or sync nothing more is written: what the file then holds is unknown,
//    and a later success would hide the hole. Every later call returns the first error.

#ifndef CAIRN_FS_FILE_WRITER_H_
#define CAIRN_FS_FILE_WRITER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/namespace.h"
#include "fiber/background.h"
#include "fiber/mutex.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"

namespace cairn {

class FileWriter {
 public:
  // `initial_size`: bytes that the file holds already (reopened for append).
  FileWriter(std::unique_ptr<FSWritableFile> file, std::string file_name,
             const FileOptions& options, uint64_t initial_size = 0);
  // Closes; errors are lost here, so call Close() where they matter.
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  [[nodiscard]] static IOStatus Open(FileSystem* fs, const std::string& fname,
                                     const FileOptions& options,
                                     std::unique_ptr<FileWriter>* writer);

  // SUSPENDS only when the buffer is full.
  [[nodiscard]] IOStatus Append(const Slice& data) {
    const size_t n = data.size();
    if (n != 0 && n <= capacity_ - used_ && !failed_.load(std::memory_order_relaxed)) [[likely]] {
      std::memcpy(buffer_ + used_, data.data(), n);
      used_ += n;
      file_size_.store(file_size_.load(std::memory_order_relaxed) + n, std::memory_order_release);
      return IOStatus::OK();
    }
    return AppendSlow(data);
  }

  // From now on full buffers are written behind. Of no effect on a file that is not direct: there
  // a write is a copy into the page cache. Before the first Append.
  void EnableWriteBehind() { write_behind_ = direct_; }

  // How long its writes take, in two histograms, each. Before the first Append. `statistics` is
  // borrowed, and may be null.
  void SetStatistics(Statistics* statistics, Histograms all, Histograms of_its_kind) {
    statistics_ = statistics;
    histograms_ = {all, of_its_kind};
  }

  // All that is appended goes through it. Before the first Append, and not of a file that is
  // reopened. Null: nothing does.
  void SetChecksumGenerator(std::unique_ptr<FileChecksumGenerator> generator) {
    checksum_generator_ = std::move(generator);
  }
  // Each write hands the CRC32C of its bytes to the file (checksum_handoff.h). Before the first
  // Append.
  void EnableChecksumHandoff() { hands_checksums_ = true; }
  bool hands_checksums() const { return hands_checksums_; }
  // An Append of what is guarded from now on: its CRC32C is of the caller's bytes, not of what is
  // in the buffer when that is written. `crc`: where the caller has it already.
  [[nodiscard]] IOStatus AppendSummed(const Slice& data, std::optional<uint32_t> crc = {});

  // Of the whole file, and the name of its function; "" and "Unknown" without a generator. Once,
  // after Close().
  void GetChecksum(std::string* checksum, std::string* func_name);

  // Appends `bytes` zeros.
  [[nodiscard]] IOStatus Pad(size_t bytes);

  // Hands the buffer to the operating system: a killed process loses nothing of it.
  [[nodiscard]] IOStatus Flush();

  // Flush, then fsync (or fdatasync): a power cut loses nothing of it.
  [[nodiscard]] IOStatus Sync(bool use_fsync);

  // Syncs what was flushed before, while another caller may append. NotSupported unless the file
  // can do both at once.
  [[nodiscard]] IOStatus SyncWithoutFlush(bool use_fsync);

  // Flush and close. A second call does nothing and returns OK.
  [[nodiscard]] IOStatus Close();

  // Drops what is buffered and closes without writing it (a file that is about to be deleted).
  void Abandon();

  // Bytes appended so far, buffered ones included.
  uint64_t file_size() const { return file_size_.load(std::memory_order_acquire); }
  // Bytes that the operating system has.
  uint64_t flushed_size() const { return flushed_size_.load(std::memory_order_acquire); }
  bool BufferIsEmpty() const { return flushed_size() == file_size(); }

  const std::string& file_name() const { return file_name_; }
  FSWritableFile* file() const { return file_.get(); }
  bool use_direct_io() const { return direct_; }
  bool seen_error() const { return failed_.load(std::memory_order_acquire); }

 private:
  struct FreeDeleter {
    void operator()(char* p) const;
  };

  IOStatus AppendSlow(const Slice& data);
  void GrowBuffer(size_t want);
  IOStatus WriteOut(const char* data, size_t n);
  // The CRC32C of what is written now: it begins where the buffer does.
  uint32_t TakeSum(const Slice& data);
  // From here on the CRC32C of the buffer is of all of it.
  void SumBuffer();
  IOStatus WriteDirectBuffer();
  // What is new of the n bytes at this offset of the file goes through the generator.
  void UpdateChecksum(const char* data, uint64_t offset, size_t n);
  IOStatus StartWriteBehind();
  IOStatus FinishWriteBehind();
  IOStatus StartWriteback();
  IOStatus FirstError() const;
  IOStatus Fail(IOStatus s);

  std::unique_ptr<FSWritableFile> file_;  // null once closed
  const std::string file_name_;
  const bool direct_;
  const size_t alignment_;
  const size_t max_buffer_size_;
  const uint64_t bytes_per_sync_;

  std::unique_ptr<char[], FreeDeleter> buffer_owner_;
  char* buffer_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  // Direct mode: file offset of buffer_[0], always aligned.
  uint64_t buffer_offset_ = 0;

  // The buffer that is being written behind, of the other's capacity, and what became of it.
  bool write_behind_ = false;
  std::unique_ptr<char[], FreeDeleter> behind_buffer_;
  IOStatus behind_status_;
  fiber::BackgroundCall behind_;

  // One writer; read by others for statistics and file sizes, hence release/acquire only so that a
  // size is never seen before the bytes were accepted.
  std::atomic<uint64_t> file_size_;
  std::atomic<uint64_t> flushed_size_;
  uint64_t last_sync_offset_ = 0;  // end of the last range handed to write-back
  bool pending_sync_ = false;

  Statistics* statistics_ = nullptr;
  std::array<Histograms, 2> histograms_ = {};
  bool hands_checksums_ = false;
  // The CRC32C of the first so many bytes of the buffer, where AppendSummed() has told it.
  uint32_t sum_ = 0;
  size_t summed_ = 0;
  std::unique_ptr<FileChecksumGenerator> checksum_generator_;  // may be null
  uint64_t checksummed_ = 0;                                   // bytes

  std::atomic<bool> failed_{false};  // release after first_error_ is set
  mutable fiber::Mutex error_mu_;
  IOStatus first_error_;
};

}  // namespace cairn

#endif  // CAIRN_FS_FILE_WRITER_H_
