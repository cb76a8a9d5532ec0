#include "read/approximate_size.h"

namespace cairn {
namespace {

uint64_t OverlapOf(const ReadOptions& options, const InternalKeyComparator& icmp,
                   TableCache* tables, const FileSlot& file, int level, const Slice& begin,
                   const Slice& end) {
  const TableFileId id = file.meta->TableId(level);
  uint64_t from = 0;
  uint64_t to = file.file_size;
  if (icmp.Compare(begin, file.smallest) > 0) {
    from = tables->ApproximateOffsetOf(options, id, begin);
  }
  if (icmp.Compare(end, file.largest) <= 0) to = tables->ApproximateOffsetOf(options, id, end);
  return to > from ? to - from : 0;
}

}  // namespace

uint64_t ApproximateSize(const ReadOptions& options, const Version& version, TableCache* tables,
                         const Slice& begin, const Slice& end) {
  const InternalKeyComparator& icmp = version.icmp();
  if (icmp.Compare(begin, end) >= 0) return 0;
  uint64_t bytes = 0;
  for (int level = 0; level < version.num_levels(); ++level) {
    const LevelFiles& files = version.level_files(level);
    // Level 0 overlaps: look at every file. Below, start at the first that reaches the range.
    for (size_t i = level == 0 ? 0 : FindFile(icmp, files, begin); i < files.size; ++i) {
      if (icmp.Compare(files[i].smallest, end) >= 0) {
        if (level == 0) continue;
        break;
      }
      if (icmp.Compare(files[i].largest, begin) < 0) continue;
      bytes += OverlapOf(options, icmp, tables, files[i], level, begin, end);
    }
  }
  return bytes;
}

}  // namespace cairn
