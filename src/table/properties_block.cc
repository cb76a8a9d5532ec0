#include "table/properties_block.h"

#include <string>

#include "base/coding.h"
#include "table/properties.h"

namespace cairn {

namespace {

Status Decode(const Block& block, TableProperties* properties) {
  *properties = TableProperties();
  const char* const error = const_cast<Block&>(block).ParseRestarts();
  return error != nullptr ? Status::Corruption(error) : DecodeProperties(block, properties);
}

// A file that was ingested may have had its global sequence number written into this block after
// its checksum was made. That number is in the MANIFEST as well: the block is checked with zeros in
// its place.
bool IsSoundButForSeqno(const BlockSource& source, const BlockHandle& handle, PrefetchBuffer* tail,
                        const Block& block, const TableProperties& properties) {
  const uint64_t place = properties.external_sst_file_global_seqno_offset;
  if (place == 0) return false;
  std::string raw(block.data(), block.size());
  raw.replace(place - handle.offset, sizeof(SequenceNumber), sizeof(SequenceNumber), '\0');
  char trailer[kBlockTrailerSize];
  Slice stored;
  IOOptions options;
  IOStatus io = tail != nullptr ? tail->limits().Apply(&options) : IOStatus::OK();
  if (io.ok()) {
    io = source.file->Read(options, handle.offset + handle.size, kBlockTrailerSize, &stored,
                           trailer);
  }
  if (!io.ok() || stored.size() != kBlockTrailerSize || stored[0] != kNoCompression) return false;
  return DecodeFixed32(stored.data() + 1) ==
         ComputeChecksum(source.footer.checksum_type, raw.data(), raw.size(), kNoCompression) +
             ChecksumContextModifier(source.footer.base_context_checksum, handle.offset);
}

}  // namespace

Status ReadPropertiesBlock(const BlockSource& source, const BlockHandle& handle,
                           PrefetchBuffer* tail, TableProperties* properties) {
  Block::Ptr block;
  Status s =
      ReadBlock(source, handle, BlockKind::kMetadata, /*verify=*/false, nullptr, tail, &block);
  if (!s.ok()) return s;
  const Status decoded = Decode(*block, properties);
  // (Of a compressed block nothing lies where it seems to.)
  if (block->size() != handle.size) properties->external_sst_file_global_seqno_offset = 0;
  if (decoded.ok() && source.footer.checksum_type == kNoChecksum) return decoded;
  Block::Ptr checked;
  const Status verified =
      ReadBlock(source, handle, BlockKind::kMetadata, /*verify=*/true, nullptr, tail, &checked);
  if (!decoded.ok()) {
    // A wrong checksum says more.
    return verified.ok() ? BlockCorruption(source, handle.offset, decoded.getState()) : verified;
  }
  if (verified.IsCorruption() && IsSoundButForSeqno(source, handle, tail, *block, *properties)) {
    return Status::OK();
  }
  return verified;
}

}  // namespace cairn
