// Table files as bytes in memory: where their blocks are, and their checksums made right again
// after damage, so that the damage is seen behind them.

#ifndef CAIRN_FUZZ_TABLE_BYTES_H_
#define CAIRN_FUZZ_TABLE_BYTES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_util.h"
#include "fs/file_writer.h"
#include "fs/memory_file_system.h"
#include "fuzz/fuzz.h"
#include "rocksdb/table.h"
#include "table/block_based_table_factory.h"
#include "table/format.h"
#include "table/table_builder.h"

namespace cairn::fuzz {

// What a table is made with that the checksums of its blocks depend on.
struct TableChecksums {
  ChecksumType type = kNoChecksum;
  uint32_t base_context = 0;
};

inline uint32_t BlockChecksum(const std::string& file, const TableChecksums& checksums,
                              const BlockHandle& handle) {
  const char* const block = file.data() + handle.offset;
  return ComputeChecksum(checksums.type, block, handle.size, block[handle.size]) +
         ChecksumContextModifier(checksums.base_context, handle.offset);
}

// False if the file has no footer that decodes.
inline bool FindChecksums(const std::string& file, TableChecksums* checksums) {
  if (file.size() < kFooterSize) return false;
  const size_t at = file.size() - kFooterSize;
  Footer footer;
  if (!footer.DecodeFrom(Slice(file.data() + at, kFooterSize), at).ok()) return false;
  *checksums = {footer.checksum_type, footer.base_context_checksum};
  return footer.checksum_type != kNoChecksum;
}

// The blocks of a sound table: one begins where the one before ends, and is as long as makes its
// checksum right.
inline std::vector<BlockHandle> FindBlocks(const std::string& file) {
  std::vector<BlockHandle> blocks;
  TableChecksums checksums;
  if (!FindChecksums(file, &checksums)) return blocks;
  BlockHandle handle;
  while (handle.offset + handle.size + kBlockTrailerSize <= file.size() - kFooterSize) {
    const char* const trailer = file.data() + handle.offset + handle.size;
    if (DecodeFixed32(trailer + 1) == BlockChecksum(file, checksums, handle)) {
      blocks.push_back(handle);
      handle = {handle.offset + handle.size + kBlockTrailerSize, 0};
    } else {
      ++handle.size;
    }
  }
  return blocks;
}

inline void FixTableChecksums(const std::vector<BlockHandle>& blocks, std::string* file) {
  TableChecksums checksums;
  if (!FindChecksums(*file, &checksums)) return;
  for (const BlockHandle& handle : blocks) {
    if (handle.offset > file->size() || handle.size > file->size() - handle.offset ||
        file->size() - handle.offset - handle.size < kBlockTrailerSize) {
      continue;
    }
    EncodeFixed32(file->data() + handle.offset + handle.size + 1,
                  BlockChecksum(*file, checksums, handle));
  }
}

}  // namespace cairn::fuzz

#endif  // CAIRN_FUZZ_TABLE_BYTES_H_
