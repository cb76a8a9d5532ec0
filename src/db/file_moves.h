// Files that change their level, or go, as they are: nothing of them is read or written.
//
// Guards: nothing of its own; the mutex as its functions say.
#pragma once

#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class FileMoves final : public Part {
 public:
  using Part::Part;

  // See convenience.h.
  [[nodiscard]] Status DeleteFilesInRanges(ColumnFamilyHandle*, const RangePtr* ranges, size_t n,
                                           bool include_end);
  // See db.h.
  [[nodiscard]] Status DeleteFile(const std::string& name);
  // See db.h. SUSPENDS.
  [[nodiscard]] Status ClipColumnFamily(ColumnFamilyHandle*, const Slice& begin, const Slice& end);
  // See experimental.h.
  [[nodiscard]] Status SuggestCompactRange(ColumnFamilyHandle*, const Slice* begin,
                                           const Slice* end);
  [[nodiscard]] Status PromoteL0(ColumnFamilyHandle*, int target_level);
  // Moves the deepest level that has files to `target`; -1: the highest that can hold it. Waits for
  // the family's compactions. REQUIRES: no other may begin.
  [[nodiscard]] Status ChangeLevel(ColumnFamily* family, int target) FIBER_REQUIRES(database_mutex);

 private:
  [[nodiscard]] Status DeleteTable(uint64_t number);
  // Applies an edit that takes these files from where they are. Releases the mutex meanwhile.
  [[nodiscard]] Status ApplyMove(ColumnFamily* family, VersionEdit* edit,
                                 const std::vector<FileMetaData*>& files)
      FIBER_REQUIRES(database_mutex);
  [[nodiscard]] Status MoveLevel(ColumnFamily* family, const std::vector<FileMetaData*>& files,
                                 int from, int to) FIBER_REQUIRES(database_mutex);
};

}  // namespace cairn
