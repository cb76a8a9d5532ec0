// What can be named and not used: a cache on a faster disk.
#include "rocksdb/persistent_cache.h"

namespace ROCKSDB_NAMESPACE {

Status NewPersistentCache(Env* /*env*/, const std::string& path, uint64_t /*size*/,
                          const std::shared_ptr<Logger>& /*log*/, bool /*optimized_for_nvm*/,
                          std::shared_ptr<PersistentCache>* /*cache*/) {
  return Status::NotSupported(
      "PersistentCache is not supported by this version of Cairn; use a SecondaryCache", path);
}

}  // namespace ROCKSDB_NAMESPACE
