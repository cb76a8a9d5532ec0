#include "server/keyspace/expiry_filter.h"

#include <string>
#include <string_view>

#include "rocksdb/db.h"
#include "rocksdb/snapshot.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/keyspace.h"

namespace cairn::server {

namespace {

using rocksdb::Slice;
using rocksdb::Status;

// Of one compaction, which calls it from one thread or fiber at a time. The elements of a
// collection lie side by side, so the last answer is most often the next one.
class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  explicit ExpiryFilter(const ExpiryFilterFactory* factory) : factory_(factory) {}

  const char* Name() const override { return "cairn.server.ExpiryFilter"; }

  bool Filter(int /*level*/, const Slice& key, const Slice& value, std::string* /*new_value*/,
              bool* /*value_changed*/) const override {
    Keyspace* const keyspace = factory_->keyspace();
    if (keyspace == nullptr || key.empty()) return false;
    const char tag = key[0];
    if (tag == kElementTag || tag == kScoreTag || tag == kOwnerTag) {
      if (key.size() < kElementPrefixBytes) return false;
      const uint64_t id = DecodeBigEndian64(key.data() + 1);
      if (id != last_id_) {
        last_id_dead_ = IsDead(*keyspace, id);
        last_id_ = id;
      }
      return last_id_dead_;
    }
    if ((tag & '\xF0') != kEntryTag || key.size() < kEntryPrefixBytes) return false;
    const uint32_t ns = DecodeBigEndian32(key.data()) & kMaxNamespace;
    if (ns != last_ns_) {
      last_ns_dead_ = !keyspace->NamespaceLives(ns);
      last_ns_ = ns;
    }
    Entry entry;
    return last_ns_dead_ || (DecodeEntry(value, &entry) && LongExpired(*keyspace, entry));
  }

 private:
  static bool LongExpired(Keyspace& keyspace, const Entry& entry) {
    return entry.ExpiredAt(keyspace.NowMillis() - ExpiryFilterFactory::kGraceMillis);
  }

  // When in doubt, it lives.
  static bool IsDead(Keyspace& keyspace, uint64_t id) {
    rocksdb::DB* const db = keyspace.db();
    rocksdb::ManagedSnapshot snapshot(db);
    rocksdb::ReadOptions options;
    options.snapshot = snapshot.snapshot();
    options.fill_cache = false;
    std::string owner;
    Status s = db->Get(options, OwnerKey(id), &owner);
    if (s.IsNotFound()) return true;
    if (!s.ok() || owner.size() < 4) return false;
    const uint32_t ns = DecodeBigEndian32(owner.data());
    if (!keyspace.NamespaceLives(ns)) return true;
    std::string bytes;
    s = db->Get(options, EntryKey(ns, std::string_view(owner).substr(4)), &bytes);
    if (s.IsNotFound()) return true;
    Entry entry;
    if (!s.ok() || !DecodeEntry(bytes, &entry)) return false;
    return entry.type == Type::kString || entry.id != id || LongExpired(keyspace, entry);
  }

  const ExpiryFilterFactory* const factory_;
  mutable uint64_t last_id_ = 0;  // no collection's
  mutable bool last_id_dead_ = false;
  mutable uint32_t last_ns_ = 0;  // no database's
  mutable bool last_ns_dead_ = false;
};

}  // namespace

std::unique_ptr<rocksdb::CompactionFilter> ExpiryFilterFactory::CreateCompactionFilter(
    const rocksdb::CompactionFilter::Context& /*context*/) {
  return std::make_unique<ExpiryFilter>(this);
}

}  // namespace cairn::server
