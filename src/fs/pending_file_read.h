// A read of a table's file that is started, goes on while its owner does other things, and is
// waited for later: FSRandomAccessFile::ReadAsync with FileSystem::Poll and AbortIO. Used by the
// readahead of iterators (table/read_ahead.h).
//
// A file system without a ReadAsync of its own reads within the call; after the first such answer
// the reads of that file are made by a fiber or, on a plain thread, by a thread of the blocking
// pool, so that they too go on in the background.
//
// The file and the scratch are borrowed until the read is over: Wait(), Abort() or the destructor
// have returned. Thread safety: one caller at a time.

#ifndef CAIRN_FS_PENDING_FILE_READ_H_
#define CAIRN_FS_PENDING_FILE_READ_H_

#include <cstdint>

#include "base/namespace.h"
#include "fiber/background.h"
#include "fs/file_reader.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"

namespace cairn {

class PendingFileRead {
 public:
  PendingFileRead() = default;
  // SUSPENDS. Abort().
  ~PendingFileRead() { Abort(); }
  PendingFileRead(const PendingFileRead&) = delete;
  PendingFileRead& operator=(const PendingFileRead&) = delete;

  // Of a file with direct I/O all three must be aligned. REQUIRES: no read is under way.
  void Start(const RandomAccessFileReader& file, const IOOptions& options, uint64_t offset,
             size_t n, char* scratch);

  // Whether Wait() may have to wait. Does not ask the file system.
  bool under_way() const { return under_way_; }

  // SUSPENDS until the read is over. `*result` as of RandomAccessFileReader::Read. Once for each
  // Start().
  [[nodiscard]] IOStatus Wait(Slice* result);

  // SUSPENDS until nobody writes to the scratch any more.
  void Abort();

 private:
  void Take(const FSReadRequest& answer);

  bool under_way_ = false;
  FSReadRequest request_;
  FileSystem* fs_ = nullptr;
  void* handle_ = nullptr;
  IOHandleDeleter deleter_;
  fiber::BackgroundCall call_;
};

}  // namespace cairn

#endif  // CAIRN_FS_PENDING_FILE_READ_H_
