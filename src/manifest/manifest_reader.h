// Reads a MANIFEST edit by edit and decides how its end is to be taken.
//
// Used by VersionSet and ListColumnFamilies. A MANIFEST is synced record by record, so a
// crash can only leave an unfinished last record: that one is dropped. Everything else that is not
// a well-formed record is Corruption with file and offset, also a damaged length that makes an
// intact last record look unfinished, or a damaged type that makes the rest look foreign.
//
// Another process may be writing it meanwhile. A reader reads as far as the file went when it was
// opened, which is a state of the database: who chases the end of a file that is written fast
// enough never comes there. What looks damaged is read once more, and a few times again while the
// file grows: its bytes may come after its size. Who follows a MANIFEST (`growing`) concludes
// nothing from what looks unfinished at its end, which may be whole a moment later: reading goes on
// at position() with a new reader, and damage there is found when records follow it.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "manifest/version_edit.h"
#include "rocksdb/file_system.h"
#include "wal/log_reader.h"

namespace cairn {

class ManifestReader {
 public:
  // `path` is a full path. `fs` outlives the reader.
  [[nodiscard]] static Status Open(FileSystem* fs, const std::string& path, uint64_t number,
                                   std::unique_ptr<ManifestReader>* reader);
  // One that another process may be writing.
  [[nodiscard]] static Status OpenGrowing(FileSystem* fs, const std::string& path, uint64_t number,
                                          std::unique_ptr<ManifestReader>* reader);
  ~ManifestReader();

  // Reading begins at `position`, a former reader's. Before the first Next. SUSPENDS.
  [[nodiscard]] Status SkipTo(uint64_t position);

  // The next edit. false: no more; then status() says whether the file was sound. An incomplete
  // atomic group at the end of the file is dropped. SUSPENDS.
  bool Next(VersionEdit* edit);
  const Status& status() const { return status_; }
  // Where the last edit's record began, bytes.
  uint64_t offset() const { return offset_; }
  // Behind the last edit, or group of edits, that was given out whole: bytes.
  uint64_t position() const { return position_; }
  // The same status with file name and the offset of the last edit.
  [[nodiscard]] Status Locate(const Status& status) const;

 private:
  struct Reporter;

  ManifestReader(FileSystem* fs, std::string path, uint64_t number);
  // The file as far as size_.
  [[nodiscard]] IOStatus OpenFile(std::unique_ptr<SequentialFileReader>* reader) const;
  // Opens the file, or once more, to read on from there.
  [[nodiscard]] Status Reopen(uint64_t position);
  // The next record as it is now, and status_; false at the end or on an error.
  bool ReadRecord(Slice* record);
  // The same of one that may just come. False at the end or on an error.
  bool ReadEdit(VersionEdit* edit);
  // What lies behind the last record must be the start of one that a crash cut off.
  [[nodiscard]] Status CheckTail();

  FileSystem* const fs_;
  const std::string path_;
  const uint64_t number_;
  uint64_t size_ = 0;  // of the file, as far as it is read
  std::unique_ptr<Reporter> reporter_;
  std::unique_ptr<LogReader> log_;
  std::string scratch_;
  Status status_;
  uint64_t offset_ = 0;
  uint64_t position_ = 0;
  bool growing_ = false;
  bool done_ = false;
  std::vector<VersionEdit> group_;  // of a complete atomic group, in reverse order
};

// True if `tail`, the bytes from a record's start at file offset `offset` to the end of the file,
// can be what a crash left of a record: cut off, or zeros of space that was reserved.
// Exposed for tests.
[[nodiscard]] bool IsTornRecord(const Slice& tail, uint64_t offset);

}  // namespace cairn
