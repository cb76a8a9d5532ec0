#include "table/flush_block_policy.h"

#include <algorithm>

#include "table/format.h"

namespace cairn {

namespace {

class BySizePolicy final : public FlushBlockPolicy {
 public:
  BySizePolicy(const BlockSizeLimit& limit, const BlockBuilder& block)
      : limit_(limit), block_(block) {}
  bool Update(const Slice& key, const Slice& value) override {
    return limit_.IsFull(block_, key, value);
  }

 private:
  const BlockSizeLimit limit_;
  const BlockBuilder& block_;
};

class EveryKeyPolicy final : public FlushBlockPolicy {
 public:
  bool Update(const Slice& /*key*/, const Slice& /*value*/) override { return true; }
};

class EveryKeyPolicyFactory final : public FlushBlockPolicyFactory {
 public:
  const char* Name() const override { return "FlushBlockEveryKeyPolicyFactory"; }
  FlushBlockPolicy* NewFlushBlockPolicy(
      const BlockBasedTableOptions& /*options*/,
      const ROCKSDB_NAMESPACE::BlockBuilder& /*block*/) const override {
    return new EveryKeyPolicy();
  }
};

}  // namespace

BlockSizeLimit::BlockSizeLimit(uint64_t size, int deviation, bool aligned)
    : size_(size),
      deviates_(deviation > 0),
      trailer_(aligned ? kBlockTrailerSize : 0),
      least_(aligned ? 0
                     : size * static_cast<uint64_t>(100 - std::clamp(deviation, 0, 100)) / 100) {}

std::shared_ptr<FlushBlockPolicyFactory> NewFlushBlockEveryKeyPolicyFactory() {
  return std::make_shared<EveryKeyPolicyFactory>();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

FlushBlockBySizePolicyFactory::FlushBlockBySizePolicyFactory() = default;

FlushBlockPolicy* FlushBlockBySizePolicyFactory::NewFlushBlockPolicy(
    const BlockBasedTableOptions& table_options, const BlockBuilder& data_block_builder) const {
  return new cairn::BySizePolicy(
      cairn::BlockSizeLimit(table_options.block_size, table_options.block_size_deviation,
                            table_options.block_align),
      data_block_builder.block());
}

FlushBlockPolicy* FlushBlockBySizePolicyFactory::NewFlushBlockPolicy(
    uint64_t size, int deviation, const BlockBuilder& data_block_builder) {
  return new cairn::BySizePolicy(cairn::BlockSizeLimit(size, deviation),
                                 data_block_builder.block());
}

}  // namespace ROCKSDB_NAMESPACE
