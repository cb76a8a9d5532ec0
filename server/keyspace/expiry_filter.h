// What compactions drop of a keyspace: keys that have expired, keys of namespaces that were
// flushed, and elements that belong to nobody because their collection was deleted, replaced or
// has expired.
//
// An element's owner record leads to a key's entry, and the entry has to name the collection's
// number. Once that is not so it is never so again (a number is used once, and only a living
// collection is moved), so an answer of "nobody's" stays true; both records are read from one
// snapshot, for a RENAME moves them together. Thread safe.

#ifndef CAIRN_SERVER_KEYSPACE_EXPIRY_FILTER_H_
#define CAIRN_SERVER_KEYSPACE_EXPIRY_FILTER_H_

#include <atomic>
#include <memory>

#include "rocksdb/compaction_filter.h"

namespace cairn::server {

class Keyspace;

class ExpiryFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  // What expired is kept for so long, in case the clock is set back.
  static constexpr uint64_t kGraceMillis = 60'000;

  const char* Name() const override { return "cairn.server.ExpiryFilterFactory"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override;

  // Until it is set, and after it is taken away (null), everything is kept. The keyspace's store
  // has no compaction under way when the keyspace goes.
  void set_keyspace(Keyspace* keyspace) { keyspace_.store(keyspace, std::memory_order_release); }
  Keyspace* keyspace() const { return keyspace_.load(std::memory_order_acquire); }

 private:
  std::atomic<Keyspace*> keyspace_{nullptr};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_EXPIRY_FILTER_H_
