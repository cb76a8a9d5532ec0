#include "rocksdb/sst_partitioner.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "rocksdb/utilities/options_type.h"

namespace ROCKSDB_NAMESPACE {

PartitionerResult SstPartitionerFixedPrefix::ShouldPartition(const PartitionerRequest& request) {
  const auto prefix = [this](const Slice& key) {
    return Slice(key.data(), std::min(key.size(), len_));
  };
  return prefix(*request.prev_user_key) == prefix(*request.current_user_key) ? kNotRequired
                                                                             : kRequired;
}

bool SstPartitionerFixedPrefix::CanDoTrivialMove(const Slice& smallest_user_key,
                                                 const Slice& largest_user_key) {
  return ShouldPartition(PartitionerRequest(smallest_user_key, largest_user_key, 0)) ==
         kNotRequired;
}

SstPartitionerFixedPrefixFactory::SstPartitionerFixedPrefixFactory(size_t len) : len_(len) {
  static const auto& kOptions =
      *new std::unordered_map<std::string, OptionTypeInfo>{{"length", {0, OptionType::kSizeT}}};
  RegisterOptions("Length", &len_, &kOptions);
}

std::unique_ptr<SstPartitioner> SstPartitionerFixedPrefixFactory::CreatePartitioner(
    const SstPartitioner::Context& /*context*/) const {
  return std::make_unique<SstPartitionerFixedPrefix>(len_);
}

std::shared_ptr<SstPartitionerFactory> NewSstPartitionerFixedPrefixFactory(size_t prefix_len) {
  return std::make_shared<SstPartitionerFixedPrefixFactory>(prefix_len);
}

}  // namespace ROCKSDB_NAMESPACE
