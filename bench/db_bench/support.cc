#include "db_bench/support.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "db_bench/flags.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "rocksdb/rate_limiter.h"

namespace db_bench {

void Fail(const char* what, const rocksdb::Status& s) {
  // (A file system by name is somebody else's, far away perhaps.)
  if (FLAGS_tolerate_io_errors_for_remote_dbs && s.IsIOError() &&
      !(FLAGS_env_uri.empty() && FLAGS_fs_uri.empty())) {
    std::printf("INVALID result: tolerated %s error: %s\n", what, s.ToString().c_str());
    std::exit(0);
  }
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

void Target::HoldSnapshot() {
  if (!FLAGS_explicit_snapshot) return;
  snapshot_ = std::make_unique<rocksdb::ManagedSnapshot>(db_);
  read.snapshot = snapshot_->snapshot();
  read.auto_refresh_iterator_with_snapshot = FLAGS_auto_refresh_iterator_with_snapshot;
}

rocksdb::Status Target::DeleteRange(rocksdb::WriteBatch* batch, const rocksdb::Slice& begin,
                                    const rocksdb::Slice& end) {
  if (plain_) return batch->DeleteRange(begin, end);
  rocksdb::Status s;
  for (rocksdb::ColumnFamilyHandle* family : client_->shared->families) {
    if (!s.ok()) break;
    s = timestamped_ ? batch->DeleteRange(family, begin, end, NextTimestamp())
                     : batch->DeleteRange(family, begin, end);
  }
  return s;
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

rocksdb::Slice ValueOf(Client* client, size_t size) {
  const auto same = static_cast<uint64_t>(FLAGS_same_value_percentage);
  return same > 0 && client->random.Uniform(100) < same ? client->values->First(size)
                                                        : client->values->Next(size);
}

rocksdb::Slice NextValue(Client* client) {
  if (FLAGS_value_size_distribution_type == "fixed") {
    return ValueOf(client, static_cast<size_t>(FLAGS_value_size));
  }
  const auto min = static_cast<uint64_t>(FLAGS_value_size_min);
  const auto max = static_cast<uint64_t>(FLAGS_value_size_max);
  if (FLAGS_value_size_distribution_type == "uniform") {
    return ValueOf(client, min + client->random.Uniform(max - min + 1));
  }
  // "normal": of all sizes 99.7% lie between the bounds, the others are taken to them.
  const double middle = static_cast<double>(min + max) / 2;
  const double size = middle + client->random.Normal() * static_cast<double>(max - min) / 6;
  return ValueOf(client,
                 std::clamp(static_cast<uint64_t>(std::max(0.0, std::round(size))), min, max));
}

double SineAt(double seconds) {
  return FLAGS_sine_a * std::sin(FLAGS_sine_b * seconds + FLAGS_sine_c) + FLAGS_sine_d;
}

WriteLimit::WriteLimit(Client* client)
    : client_(client),
      limiter_(client->shared->write_limit.get()),
      start_(fiber::now_nanos()),
      next_(start_) {}

void WriteLimit::Wait(uint64_t bytes) {
  if (FLAGS_sine_write_rate && fiber::now_nanos() >= next_) {
    const uint64_t now = fiber::now_nanos();
    next_ = now + FLAGS_sine_write_rate_interval_milliseconds * 1000000;
    const double rate = SineAt(static_cast<double>(now - start_) / 1e9);
    limiter_->SetBytesPerSecond(std::max<int64_t>(1, static_cast<int64_t>(rate)));
  }
  Shared::Request(limiter_, static_cast<int64_t>(bytes));
  client_->stats.BeginNextOp();
}

void RunBeside(Client* client, const std::function<uint64_t()>& operation, int64_t times) {
  client->stats.SetExcludedFromMerge();
  const uint64_t start = fiber::now_nanos();
  uint64_t bytes = 0;
  // Relaxed: the count only says when to stop, no data hangs on it.
  while (times < 0
             ? client->shared->ended.load(std::memory_order_relaxed) + 1 < client->shared->clients
             : times-- > 0) {
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
