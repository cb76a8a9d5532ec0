// SecondaryCache: a second, slower tier behind a block cache (ShardedCacheOptions::
// secondary_cache), in memory (NewCompressedSecondaryCache) or of the user's own. Thread-safe, as
// are implementations.
//
// An entry that the primary cache evicts is offered here (Insert), once per eviction. A block that
// the primary does not have is looked up here before its file is read (but for compactions'
// reads). What is found:
// - with SupportForceErase(): the first time it serves the one read, and the primary keeps a note;
//   the second time it enters the primary, and Lookup is told so (advise_erase);
// - else it enters the primary at once.
// Where Lookup says that this cache keeps it, it is not offered again when it is evicted.
//
// Bytes that come back damaged are a miss: blocks carry a checksum here as well.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/cache.h"
#include "rocksdb/customizable.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;

// A lookup on its way. Belongs to the caller of Lookup; not thread-safe.
class SecondaryCacheResultHandle {
 public:
  virtual ~SecondaryCacheResultHandle() = default;

  virtual bool IsReady() = 0;
  // Returns when it is ready. The reader that looks up waits in here: an implementation that blocks
  // its thread blocks the fibers on it, too.
  virtual void Wait() = 0;
  // REQUIRES (both): ready. The object that the create callback made, the caller's from now on;
  // null: not found. And its charge in bytes.
  virtual void* Value() = 0;
  virtual size_t Size() = 0;
};

class SecondaryCache : public Customizable {
 public:
  ~SecondaryCache() override = default;

  static const char* Type() { return "SecondaryCache"; }
  // "compressed_secondary_cache://capacity=8M;num_shard_bits=4;..." with members of
  // CompressedSecondaryCacheOptions, or what is registered under an id
  // (utilities/object_registry.h), "{id=NAME;a=1}".
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& value,
                                 std::shared_ptr<SecondaryCache>* result);

  // Takes a copy of `value`, by the helper's callbacks, or not, as it sees fit. `value` is the
  // caller's, and good only during the call. Called without locks, by whoever evicts.
  virtual Status Insert(const Slice& key, void* value, const Cache::CacheItemHelper* helper) = 0;

  // Null: not here. With `wait` the handle is ready (Wait() is called if it is not).
  // `advise_erase`: the primary is about to have the entry, so that it may go here. Sets
  // `is_in_sec_cache` to whether it stays.
  virtual std::unique_ptr<SecondaryCacheResultHandle> Lookup(const Slice& key,
                                                             const Cache::CreateCallback& create_cb,
                                                             bool wait, bool advise_erase,
                                                             bool& is_in_sec_cache) = 0;

  // Whether advise_erase means anything.
  [[nodiscard]] virtual bool SupportForceErase() const = 0;

  // Drops the entry, if it sees fit.
  virtual void Erase(const Slice& key) = 0;

  // Waits for several handles.
  virtual void WaitAll(std::vector<SecondaryCacheResultHandle*> handles) = 0;

  // Bytes. NotSupported where there is no such limit.
  virtual Status SetCapacity(size_t /*capacity*/) { return Status::NotSupported(); }
  virtual Status GetCapacity(size_t& /*capacity*/) { return Status::NotSupported(); }
};

}  // namespace ROCKSDB_NAMESPACE
