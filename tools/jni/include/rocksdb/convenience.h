// RocksJava's sources from release 11 on hand over ranges in another form than Cairn's header
// takes.
#pragma once

#include <cstddef>
#include <vector>

#include_next <rocksdb/convenience.h>

namespace ROCKSDB_NAMESPACE {

inline Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* column_family, const RangeOpt* ranges,
                                  size_t count, bool include_end = true) {
  std::vector<RangePtr> pointed;
  for (size_t at = 0; at < count; ++at) {
    const auto pointer = [](const OptSlice& slice) { return slice ? &slice.value() : nullptr; };
    pointed.emplace_back(pointer(ranges[at].start), pointer(ranges[at].limit));
  }
  return DeleteFilesInRanges(db, column_family, pointed.data(), pointed.size(), include_end);
}

}  // namespace ROCKSDB_NAMESPACE
