#include "db_bench/support.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "db_bench/flags.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/iterator.h"

namespace db_bench {

void Fail(const char* what, const rocksdb::Status& s) {
  Fail(std::string(what) + " error: " + s.ToString());
}

rocksdb::ReadOptions MakeReadOptions() {
  rocksdb::ReadOptions options;
  options.verify_checksums = FLAGS_verify_checksum;
  options.readahead_size = FLAGS_readahead_size;
  options.adaptive_readahead = FLAGS_adaptive_readahead;
  options.async_io = FLAGS_async_io;
  options.auto_readahead_size = FLAGS_auto_readahead_size;
  if (FLAGS_rate_limit_user_ops) options.rate_limiter_priority = rocksdb::Env::IO_USER;
  options.optimize_multiget_for_io = FLAGS_optimize_multiget_for_io;
  options.tailing = FLAGS_use_tailing_iterator;
  options.total_order_seek = FLAGS_total_order_seek;
  options.prefix_same_as_start = FLAGS_prefix_same_as_start;
  options.auto_prefix_mode = FLAGS_auto_prefix_mode;
  return options;
}

rocksdb::WriteOptions MakeWriteOptions() {
  rocksdb::WriteOptions options;
  options.sync = FLAGS_sync;
  options.disableWAL = FLAGS_disable_wal;
  if (FLAGS_rate_limit_auto_wal_flush) options.rate_limiter_priority = rocksdb::Env::IO_USER;
  return options;
}

namespace {

// Those of --use_existing_keys.
std::vector<std::string>& ExistingKeys() {
  static auto* const keys = new std::vector<std::string>;
  return *keys;
}

}  // namespace

Key::Key() : existing_(ExistingKeys()), buffer_(static_cast<size_t>(FLAGS_key_size)) {}

rocksdb::Slice Key::SetMissing(uint64_t number) {
  if (existing_.empty()) return buffer_.SetMissing(number);
  missing_ = existing_[number % existing_.size()] + '.';
  return rocksdb::Slice(missing_);
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

bool UsesTimestamps() { return FLAGS_user_timestamp_size > 0; }

namespace {

// Timestamps begin at the wall clock's microseconds and count writes: those of the next run of the
// program, over the same database, are later still.
uint64_t FirstTimestamp() {
  static const uint64_t first = fiber::wall_micros();
  return first;
}
std::atomic<uint64_t> timestamps{0};  // that were given

// As the comparator leveldb.BytewiseComparator.u64ts has them: the least byte first.
rocksdb::Slice Encode(uint64_t timestamp, std::string* buffer) {
  buffer->resize(sizeof(timestamp));
  for (char& byte : *buffer) {
    byte = static_cast<char>(timestamp);
    timestamp >>= 8;
  }
  return rocksdb::Slice(*buffer);
}

}  // namespace

rocksdb::Slice Target::NextTimestamp() {
  // Relaxed: the number alone is shared.
  return Encode(FirstTimestamp() + timestamps.fetch_add(1, std::memory_order_relaxed) + 1,
                &written_at_);
}

const rocksdb::ReadOptions& Target::Reading() {
  if (timestamped_) {
    uint64_t at = timestamps.load(std::memory_order_relaxed);
    if (!FLAGS_read_with_latest_user_timestamp) at = client_->random.Uniform(at + 1);
    read_at_slice_ = Encode(FirstTimestamp() + at, &read_at_);
    read.timestamp = &read_at_slice_;
  }
  return read;
}

int64_t Reads() { return FLAGS_reads >= 0 ? FLAGS_reads : FLAGS_num; }

int64_t Writes() { return FLAGS_writes >= 0 ? FLAGS_writes : FLAGS_num; }

int64_t ReadsAndWrites() {
  if (FLAGS_reads < 0 && FLAGS_writes < 0) return FLAGS_num;
  return std::max(FLAGS_reads, FLAGS_writes);
}

void AddFound(Client* client, int64_t found, int64_t read, const char* end) {
  client->stats.AddMessage("(" + std::to_string(found) + " of " + std::to_string(read) + " found)" +
                           end);
}

rocksdb::Slice NextValue(Client* client) {
  if (FLAGS_value_size_distribution_type == "fixed") {
    return client->values->Next(static_cast<size_t>(FLAGS_value_size));
  }
  const auto min = static_cast<uint64_t>(FLAGS_value_size_min);
  const auto max = static_cast<uint64_t>(FLAGS_value_size_max);
  if (FLAGS_value_size_distribution_type == "uniform") {
    return client->values->Next(min + client->random.Uniform(max - min + 1));
  }
  // "normal": of all sizes 99.7% lie between the bounds, the others are taken to them.
  const double middle = static_cast<double>(min + max) / 2;
  const double size = middle + client->random.Normal() * static_cast<double>(max - min) / 6;
  return client->values->Next(
      std::clamp(static_cast<uint64_t>(std::max(0.0, std::round(size))), min, max));
}

void RunBeside(Client* client, const std::function<uint64_t()>& operation) {
  client->stats.SetExcludedFromMerge();
  const uint64_t start = fiber::now_nanos();
  uint64_t bytes = 0;
  // Relaxed: the count only says when to stop, no data hangs on it.
  while (client->shared->ended.load(std::memory_order_relaxed) + 1 < client->shared->clients) {
    bytes += operation();
    if (FLAGS_benchmark_write_rate_limit > 0) {
      const double due =
          static_cast<double>(bytes) / static_cast<double>(FLAGS_benchmark_write_rate_limit) * 1e9;
      fiber::sleep_until(start + static_cast<uint64_t>(due));
    } else if (fiber::in_fiber()) {
      fiber::yield();  // one without a wait must not keep the others off this worker
    }
  }
}

}  // namespace db_bench
