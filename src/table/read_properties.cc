#include "table/read_properties.h"

#include <string>
#include <utility>

#include "table/block.h"
#include "table/block_fetcher.h"
#include "table/flat_table.h"
#include "table/format.h"
#include "table/properties_block.h"

namespace cairn {
namespace {

Status ReadFooter(BlockSource* source) {
  if (source->file_size < kFooterSize) {
    return Status::Corruption(source->file->file_name(), "is too short to have a footer");
  }
  const uint64_t at = source->file_size - kFooterSize;
  Slice footer;
  char scratch[kFooterSize];
  const IOStatus io = source->file->Read(IOOptions(), at, kFooterSize, &footer, scratch);
  if (!io.ok()) return io;
  if (footer.size() != kFooterSize) {
    return Status::Corruption(source->file->file_name(), "is shorter than expected");
  }
  return source->footer.DecodeFrom(footer, at);
}

Status ReadMetaindex(const BlockSource& source, Block::Ptr* block) {
  const BlockHandle& handle = source.footer.metaindex_handle;
  Status s =
      ReadBlock(source, handle, BlockKind::kMetadata, /*verify=*/true, nullptr, nullptr, block);
  if (!s.ok()) return s;
  const char* const error = (*block)->ParseRestarts();
  return error == nullptr ? s : BlockCorruption(source, handle.offset, error);
}

}  // namespace

Status ReadTableProperties(std::unique_ptr<RandomAccessFileReader> file, uint64_t file_size,
                           TableProperties* properties) {
  uint64_t magic = 0;
  Status s = ReadTableMagic(*file, file_size, ReadLimits(), &magic);
  if (!s.ok()) return s;
  if (magic == kPlainTableMagic || magic == kCuckooTableMagic) {
    FlatTail tail;
    s = ReadFlatTail(*file, file_size, magic, ReadLimits(), &tail);
    if (s.ok()) *properties = std::move(tail.properties);
    return s;
  }
  BlockSource source;
  source.file = std::move(file);
  source.file_size = file_size;
  s = ReadFooter(&source);
  Block::Ptr block;
  if (s.ok()) s = ReadMetaindex(source, &block);
  if (!s.ok()) return s;
  BlockHandle handle;
  bool found = false;
  const bool sound = ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    if (key != kPropertiesBlockName && key != kOldPropertiesBlockName) return true;
    Slice input = value;
    return found = handle.DecodeFrom(&input).ok();
  });
  if (!sound || !found) {
    return BlockCorruption(source, source.footer.metaindex_handle.offset, "no properties");
  }
  return ReadPropertiesBlock(source, handle, /*tail=*/nullptr, properties);
}

}  // namespace cairn
