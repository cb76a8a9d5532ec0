#include "server/commands/key_count.h"

#include <algorithm>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/keyspace.h"

namespace cairn::server {

namespace {

// Of what is stored in [from, to), in memory and in tables, about.
uint64_t BytesBetween(rocksdb::DB* db, const std::string& from, const std::string& to) {
  const rocksdb::Range range(from, to);
  uint64_t bytes = 0;
  const auto flags = rocksdb::DB::SizeApproximationFlags::INCLUDE_FILES |
                     rocksdb::DB::SizeApproximationFlags::INCLUDE_MEMTABLES;
  return db->GetApproximateSizes(&range, 1, &bytes, flags).ok() ? bytes : 0;
}

KeyCount CountOne(Keyspace& keyspace, int database, uint64_t counted) {
  rocksdb::DB* const db = keyspace.db();
  const std::string prefix = EntryPrefix(keyspace.NamespaceOf(database));
  const std::string behind = BehindPrefix(prefix);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const rocksdb::Slice upper(behind);
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options));
  const uint64_t now = keyspace.NowMillis();
  KeyCount count;
  count.database = database;
  uint64_t seen = 0;
  double ttl_sum = 0;
  for (it->Seek(prefix); it->Valid() && seen < counted; it->Next(), ++seen) {
    Entry entry;
    if (!DecodeEntry(it->value(), &entry) || entry.ExpiredAt(now)) continue;
    ++count.keys;
    if (entry.expires_at == 0) continue;
    ++count.expiring;
    ttl_sum += static_cast<double>(entry.expires_at - now);
  }
  if (count.expiring != 0) {
    count.avg_ttl_ms = static_cast<uint64_t>(ttl_sum / static_cast<double>(count.expiring));
  }
  if (!it->Valid()) return count;
  // As many times more as the whole takes more room than what was looked at.
  count.estimated = true;
  const std::string last = it->key().ToString();
  const uint64_t part = BytesBetween(db, prefix, last);
  const uint64_t whole = part + BytesBetween(db, last, behind);
  const double factor = part == 0 ? 1 : static_cast<double>(whole) / static_cast<double>(part);
  const auto scaled = [factor](uint64_t number) {
    return static_cast<uint64_t>(static_cast<double>(number) * factor);
  };
  count.keys = scaled(count.keys);
  count.expiring = scaled(count.expiring);
  return count;
}

}  // namespace

std::vector<KeyCount> CountKeys(Keyspace& keyspace, uint64_t counted) {
  std::vector<KeyCount> all;
  for (int i = 0; i < keyspace.databases(); ++i) {
    KeyCount count = CountOne(keyspace, i, counted);
    if (count.keys != 0) all.push_back(count);
  }
  return all;
}

}  // namespace cairn::server
