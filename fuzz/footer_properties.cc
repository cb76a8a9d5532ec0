// The end of a table file: the footer, the metaindex and the properties, each from bytes alone and,
// where they decode, the same after another round.
#include <cstring>
#include <map>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/format.h"
#include "table/properties.h"

namespace cairn::fuzz {

namespace {

Block::Ptr MakeBlock(const Slice& bytes) {
  Block::Ptr block = Block::Allocate(bytes.size(), 0, 0);
  FUZZ_CHECK(block != nullptr);
  std::memcpy(block->mutable_data(), bytes.data(), bytes.size());
  return block;
}

void CheckFooter(const std::string& bytes, uint64_t offset) {
  Footer footer;
  const ExactCopy copy(bytes);
  if (!footer.DecodeFrom(Slice(copy.view().data(), copy.view().size()), offset).ok()) return;
  FUZZ_CHECK(footer.format_version >= kMinFormatVersion);
  FUZZ_CHECK(footer.format_version <= kMaxFormatVersion);
  std::string encoded;
  footer.EncodeTo(offset, &encoded);
  FUZZ_CHECK(encoded.size() == kFooterSize);
  Footer again;
  FUZZ_CHECK(again.DecodeFrom(encoded, offset).ok());
  FUZZ_CHECK(again.metaindex_handle.offset == footer.metaindex_handle.offset);
  FUZZ_CHECK(again.metaindex_handle.size == footer.metaindex_handle.size);
  FUZZ_CHECK(again.index_handle.offset == footer.index_handle.offset);
  FUZZ_CHECK(again.base_context_checksum == footer.base_context_checksum);
}

void MakeAndDamageFooter(Input* input) {
  Footer footer;
  footer.format_version = kMinFormatVersion + static_cast<uint32_t>(input->Below(6));
  footer.checksum_type = static_cast<ChecksumType>(input->Below(5));
  const uint64_t offset = input->Number(3) + 128;
  footer.metaindex_handle.size = input->Number(1);
  footer.metaindex_handle.offset = offset - kBlockTrailerSize - footer.metaindex_handle.size % 64;
  footer.index_handle = {input->Number(8), input->Number(8)};
  if (footer.format_version >= 6) {
    footer.base_context_checksum = static_cast<uint32_t>(input->Number(4));
    footer.index_handle = {};
  }
  std::string bytes;
  footer.EncodeTo(offset, &bytes);
  if (!input->empty()) DamageOnce(input, &bytes);
  CheckFooter(bytes, offset);
}

void CheckMetaindex(std::string_view bytes) {
  const Block::Ptr block = MakeBlock(Slice(bytes.data(), bytes.size()));
  if (block->ParseRestarts() != nullptr) return;
  (void)ForEachEntry(*block, [](const Slice&, Slice value) {
    BlockHandle handle;
    if (!handle.DecodeFrom(&value).ok()) return true;
    std::string encoded;
    handle.EncodeTo(&encoded);
    Slice rest = encoded;
    BlockHandle again;
    FUZZ_CHECK(again.DecodeFrom(&rest).ok() && rest.empty());
    FUZZ_CHECK(again.offset == handle.offset && again.size == handle.size);
    return true;
  });
}

void CheckProperties(std::string_view bytes) {
  const Block::Ptr block = MakeBlock(Slice(bytes.data(), bytes.size()));
  if (block->ParseRestarts() != nullptr) return;
  TableProperties properties;
  if (!DecodeProperties(*block, &properties).ok()) return;
  (void)properties.ToString();
  const std::map<std::string, std::string> entries = EncodeProperties(properties);
  BlockBuilder builder(/*restart_interval=*/1);
  for (const auto& [name, value] : entries) builder.Add(name, value);
  const Block::Ptr encoded = MakeBlock(builder.Finish());
  FUZZ_CHECK(encoded->ParseRestarts() == nullptr);
  TableProperties again;
  FUZZ_CHECK(DecodeProperties(*encoded, &again).ok());
  FUZZ_CHECK(EncodeProperties(again) == entries);
}

}  // namespace

}  // namespace cairn::fuzz

// What it is, and its bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  Input input(data, size);
  switch (input.Byte() % 4) {
    case 0: {
      const uint64_t offset = input.Number(8);
      CheckFooter(std::string(input.Rest()), offset);
      break;
    }
    case 1:
      MakeAndDamageFooter(&input);
      break;
    case 2:
      CheckMetaindex(input.Rest());
      break;
    default:
      CheckProperties(input.Rest());
  }
  return 0;
}
