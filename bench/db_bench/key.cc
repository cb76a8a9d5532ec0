#include "db_bench/key.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"

namespace db_bench {

namespace {

// Those of --use_existing_keys.
std::vector<std::string>& ExistingKeys() {
  static auto* const keys = new std::vector<std::string>;
  return *keys;
}

constexpr size_t kPrefixNumber = 8;  // bytes of a prefix's number, at most

size_t PrefixNumberSize() {
  return std::min<size_t>(kPrefixNumber, static_cast<size_t>(FLAGS_prefix_size));
}

}  // namespace

Key::Key()
    : existing_(ExistingKeys()),
      prefixes_(FLAGS_keys_per_prefix > 0 ? static_cast<uint64_t>(FLAGS_num / FLAGS_keys_per_prefix)
                                          : 0),
      plain_(existing_.empty() && prefixes_ == 0),
      prefix_(prefixes_ > 0 ? PrefixNumberSize() : 0),
      buffer_(static_cast<size_t>(FLAGS_key_size - (prefixes_ > 0 ? FLAGS_prefix_size : 0))) {}

rocksdb::Slice Key::SetOther(uint64_t number) {
  if (!existing_.empty()) return rocksdb::Slice(existing_[number % existing_.size()]);
  other_ = prefix_.Set(number % prefixes_).ToString();
  other_.resize(static_cast<size_t>(FLAGS_prefix_size), '0');
  const rocksdb::Slice rest = buffer_.Set(number);
  other_.append(rest.data(), rest.size());
  return rocksdb::Slice(other_);
}

rocksdb::Slice Key::SetMissing(uint64_t number) {
  if (plain_) return buffer_.SetMissing(number);
  other_ = Set(number).ToString() + '.';
  return rocksdb::Slice(other_);
}

rocksdb::Slice Key::SetToSeek(uint64_t number) {
  if (!FLAGS_seek_missing_prefix) return Set(number);
  other_ = Set(number).ToString();
  other_[kPrefixNumber] = '1';  // a '0' of all keys that are there
  return rocksdb::Slice(other_);
}

void Key::UseExisting(rocksdb::DB* db) {
  rocksdb::ReadOptions all;
  all.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(all));
  std::vector<std::string>& keys = ExistingKeys();
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) keys.push_back(iter->key().ToString());
  if (!iter->status().ok()) Fail("iterator", iter->status());
  if (keys.empty()) Fail("--use_existing_keys: the database has no keys");
  FLAGS_num = static_cast<int64_t>(keys.size());
}

uint64_t NumberToRead(Random* random) {
  const auto num = static_cast<uint64_t>(FLAGS_num);
  if (FLAGS_read_random_exp_range == 0) return random->Uniform(num);
  // Of rank r a share that falls with exp(-r); neighbours in rank are no neighbours in order.
  const double rank = std::exp(-random->Fraction() * FLAGS_read_random_exp_range);
  constexpr uint64_t kPrime = 0x5bd1e995;
  return static_cast<uint64_t>(rank * static_cast<double>(num)) * kPrime % num;
}

}  // namespace db_bench
