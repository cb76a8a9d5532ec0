#include "base/memtable_factory.h"

#include <cstddef>
#include <string>
#include <unordered_map>

#include "rocksdb/utilities/options_type.h"

namespace cairn {
namespace {

using TypeMap = std::unordered_map<std::string, OptionTypeInfo>;

OptionTypeInfo Setting(size_t offset, OptionType type,
                       OptionTypeFlags flags = OptionTypeFlags::kNone) {
  return {static_cast<int>(offset), type, OptionVerificationType::kNormal, flags};
}

// The number that may follow a name: "skip_list:16".
const TypeMap* Lookahead() {
  static const auto& kMap =
      *new TypeMap{{"lookahead", Setting(0, OptionType::kSizeT, OptionTypeFlags::kDontSerialize)}};
  return &kMap;
}

const TypeMap* Count() {
  static const auto& kMap = *new TypeMap{{"count", Setting(0, OptionType::kSizeT)}};
  return &kMap;
}

const TypeMap* HashSkipListSettings() {
  using S = HashSkipListRepOptions;
  static const auto& kMap = *new TypeMap{
      {"bucket_count", Setting(offsetof(S, bucket_count), OptionType::kSizeT)},
      {"skiplist_height", Setting(offsetof(S, skiplist_height), OptionType::kInt32T)},
      {"branching_factor", Setting(offsetof(S, branching_factor), OptionType::kInt32T)}};
  return &kMap;
}

const TypeMap* HashLinkListSettings() {
  using S = HashLinkListRepOptions;
  static const auto& kMap = *new TypeMap{
      {"bucket_count", Setting(offsetof(S, bucket_count), OptionType::kSizeT)},
      {"threshold", Setting(offsetof(S, threshold_use_skiplist), OptionType::kUInt32T)},
      {"huge_page_size", Setting(offsetof(S, huge_page_tlb_size), OptionType::kSizeT)},
      {"logging_threshold",
       Setting(offsetof(S, bucket_entries_logging_threshold), OptionType::kInt)},
      {"log_when_flash",
       Setting(offsetof(S, if_log_bucket_dist_when_flash), OptionType::kBoolean)}};
  return &kMap;
}

}  // namespace

HashSkipListRepFactory::HashSkipListRepFactory(const HashSkipListRepOptions& options)
    : options_(options) {
  RegisterOptions(&options_, HashSkipListSettings());
}

HashLinkListRepFactory::HashLinkListRepFactory(const HashLinkListRepOptions& options)
    : options_(options) {
  RegisterOptions(&options_, HashLinkListSettings());
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

SkipListFactory::SkipListFactory(size_t lookahead) : lookahead_(lookahead) {
  RegisterOptions("SkipListFactoryOptions", &lookahead_, cairn::Lookahead());
}

std::string SkipListFactory::GetId() const {
  return lookahead_ == 0 ? kClassName()
                         : std::string(kClassName()) + ":" + std::to_string(lookahead_);
}

VectorRepFactory::VectorRepFactory(size_t count) : count_(count) {
  RegisterOptions("VectorRepFactoryOptions", &count_, cairn::Count());
}

MemTableRepFactory* NewHashSkipListRepFactory(size_t bucket_count, int32_t skiplist_height,
                                              int32_t skiplist_branching_factor) {
  return new cairn::HashSkipListRepFactory(
      {bucket_count, skiplist_height, skiplist_branching_factor});
}

MemTableRepFactory* NewHashLinkListRepFactory(size_t bucket_count, size_t huge_page_tlb_size,
                                              int bucket_entries_logging_threshold,
                                              bool if_log_bucket_dist_when_flash,
                                              uint32_t threshold_use_skiplist) {
  return new cairn::HashLinkListRepFactory({bucket_count, huge_page_tlb_size,
                                            bucket_entries_logging_threshold,
                                            if_log_bucket_dist_when_flash, threshold_use_skiplist});
}

}  // namespace ROCKSDB_NAMESPACE
