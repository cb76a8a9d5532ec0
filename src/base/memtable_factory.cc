#include "base/memtable_factory.h"

namespace ROCKSDB_NAMESPACE {

std::string SkipListFactory::GetId() const {
  return lookahead_ == 0 ? kClassName()
                         : std::string(kClassName()) + ":" + std::to_string(lookahead_);
}

MemTableRepFactory* NewHashSkipListRepFactory(size_t bucket_count, int32_t skiplist_height,
                                              int32_t skiplist_branching_factor) {
  return new cairn::HashSkipListRepFactory(bucket_count, skiplist_height,
                                           skiplist_branching_factor);
}

MemTableRepFactory* NewHashLinkListRepFactory(size_t /*bucket_count*/,
                                              size_t /*huge_page_tlb_size*/,
                                              int /*bucket_entries_logging_threshold*/,
                                              bool /*if_log_bucket_dist_when_flash*/,
                                              uint32_t /*threshold_use_skiplist*/) {
  return new cairn::HashLinkListRepFactory;
}

}  // namespace ROCKSDB_NAMESPACE
