// What the workloads share: options from the flags, counts of operations, how they fail.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/key.h"
#include "db_bench/runner.h"
#include "rocksdb/options.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/status.h"
#include "rocksdb/write_batch.h"

namespace db_bench {

// Ends the program with `<what> error: <status>`, exit status 1; for an error that
// --tolerate_io_errors_for_remote_dbs excuses with 0, and words that the result is not valid.
[[noreturn]] void Fail(const char* what, const rocksdb::Status& s);

rocksdb::ReadOptions MakeReadOptions();
rocksdb::WriteOptions MakeWriteOptions();
bool UsesTimestamps();

// What the operations of one client go to: of each key the family that its number has, and, with
// --user_timestamp_size, a timestamp. Keys and values stay the caller's.
class Target {
 public:
  explicit Target(Client* client) : client_(client), db_(client->shared->db) {}

  rocksdb::ColumnFamilyHandle* Family(uint64_t number) const {
    const auto& families = client_->shared->families;
    if (families.size() == 1) return families[0];
    return families[by_percent_.empty() ? number % families.size()
                                        : by_percent_[number % by_percent_.size()]];
  }
  rocksdb::Status Get(uint64_t number, const rocksdb::Slice& key, rocksdb::PinnableSlice* value) {
    value->Reset();
    return db_->Get(Reading(), Family(number), key, value);
  }
  rocksdb::Status Put(uint64_t number, const rocksdb::Slice& key, const rocksdb::Slice& value) {
    if (!timestamped_) return db_->Put(write, Family(number), key, value);
    return db_->Put(write, Family(number), key, NextTimestamp(), value);
  }
  rocksdb::Status Put(rocksdb::WriteBatch* batch, uint64_t number, const rocksdb::Slice& key,
                      const rocksdb::Slice& value) {
    // (Without a family the batch asks for no comparator.)
    if (plain_) return batch->Put(key, value);
    if (!timestamped_) return batch->Put(Family(number), key, value);
    return batch->Put(Family(number), key, NextTimestamp(), value);
  }
  rocksdb::Status Delete(rocksdb::WriteBatch* batch, uint64_t number, const rocksdb::Slice& key) {
    if (plain_) return batch->Delete(key);
    if (!timestamped_) return batch->Delete(Family(number), key);
    return batch->Delete(Family(number), key, NextTimestamp());
  }
  // The keys from `begin` to before `end`, in all families.
  rocksdb::Status DeleteRange(rocksdb::WriteBatch* batch, const rocksdb::Slice& begin,
                              const rocksdb::Slice& end);
  rocksdb::Status Merge(uint64_t number, const rocksdb::Slice& key, const rocksdb::Slice& value) {
    return db_->Merge(write, Family(number), key, value);
  }
  // Iterators' and MultiGet's options: `read`, at a timestamp that stands until the next call.
  const rocksdb::ReadOptions& Reading();
  // With --explicit_snapshot: all reads from here on are of the database as it is now.
  void HoldSnapshot();

  rocksdb::ReadOptions read = MakeReadOptions();
  const rocksdb::WriteOptions write = MakeWriteOptions();

 private:
  // Later than all before; valid until the next call.
  rocksdb::Slice NextTimestamp();

  Client* const client_;
  rocksdb::DB* const db_;
  const bool timestamped_ = UsesTimestamps();
  const bool plain_ = !timestamped_ && client_->shared->families.size() == 1;
  const std::vector<size_t>& by_percent_ = FamiliesByPercent();
  std::unique_ptr<rocksdb::ManagedSnapshot> snapshot_;
  std::string written_at_, read_at_;
  rocksdb::Slice read_at_slice_;
};

// How many operations a workload has that reads, that writes, that does both.
int64_t Reads();
int64_t Writes();
int64_t ReadsAndWrites();

// `(<found> of <read> found)`.
void AddFound(Client* client, int64_t found, int64_t read, const char* end);

// `size` bytes: one more piece of the client's text, or, --same_value_percentage of the time,
// always the same.
rocksdb::Slice ValueOf(Client* client, size_t size);

// A value of the size that --value_size, or --value_size_distribution_type, says.
rocksdb::Slice NextValue(Client* client);

// Returns when so many more may be read: --benchmark_read_rate_limit.
inline void LimitReads(Client* client, int64_t reads) {
  rocksdb::RateLimiter* const limit = client->shared->read_limit.get();
  if (limit == nullptr) return;
  Shared::Request(limit, reads);
  client->stats.BeginNextOp();
}

// a * sin(b * x + c) + d of the flags --sine_*.
double SineAt(double seconds);

// Holds the writes of the clients back together: --benchmark_write_rate_limit, and
// --sine_write_rate.
class WriteLimit {
 public:
  explicit WriteLimit(Client* client);
  // Returns when they may be written.
  void Before(uint64_t bytes) {
    if (limiter_ != nullptr) Wait(bytes);
  }

 private:
  void Wait(uint64_t bytes);

  Client* const client_;
  rocksdb::RateLimiter* const limiter_;
  const uint64_t start_;  // nanoseconds
  uint64_t next_;         // when the sine is looked at again
};

// What the client of id 0 does beside the others: `operation` again and again, which returns the
// bytes that it wrote, at --benchmark_write_rate_limit, until all others ended, or, if `times` is
// not negative, so often. Its operations stay out of the report.
void RunBeside(Client* client, const std::function<uint64_t()>& operation, int64_t times = -1);

}  // namespace db_bench
