// What the workloads share: options from the flags, counts of operations, how they fail.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "db_bench/runner.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/write_batch.h"

namespace db_bench {

// Ends the program with `<what> error: <status>`.
[[noreturn]] void Fail(const char* what, const rocksdb::Status& s);

rocksdb::ReadOptions MakeReadOptions();
rocksdb::WriteOptions MakeWriteOptions();
bool UsesTimestamps();

// The key of a number: the number itself, or, with --use_existing_keys, the one that has it in the
// order of those that the database had at the start.
class Key {
 public:
  Key();
  // Valid until the next call.
  rocksdb::Slice Set(uint64_t number) {
    return existing_.empty() ? buffer_.Set(number)
                             : rocksdb::Slice(existing_[number % existing_.size()]);
  }
  // One that is not there.
  rocksdb::Slice SetMissing(uint64_t number);

  // Reads all of the database's into memory, and sets --num to how many there are. Before clients
  // run. Exits with a message if there are none.
  static void UseExisting(rocksdb::DB* db);

 private:
  const std::vector<std::string>& existing_;
  KeyBuffer buffer_;
  std::string missing_;
};

// What the operations of one client go to: of each key the family that its number has, and, with
// --user_timestamp_size, a timestamp. Keys and values stay the caller's.
class Target {
 public:
  explicit Target(Client* client) : client_(client), db_(client->shared->db) {}

  rocksdb::ColumnFamilyHandle* Family(uint64_t number) const {
    const auto& families = client_->shared->families;
    return families.size() == 1 ? families[0] : families[number % families.size()];
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
  rocksdb::Status Merge(uint64_t number, const rocksdb::Slice& key, const rocksdb::Slice& value) {
    return db_->Merge(write, Family(number), key, value);
  }
  // Iterators' and MultiGet's options: `read`, at a timestamp that stands until the next call.
  const rocksdb::ReadOptions& Reading();

  rocksdb::ReadOptions read = MakeReadOptions();
  const rocksdb::WriteOptions write = MakeWriteOptions();

 private:
  // Later than all before; valid until the next call.
  rocksdb::Slice NextTimestamp();

  Client* const client_;
  rocksdb::DB* const db_;
  const bool timestamped_ = UsesTimestamps();
  const bool plain_ = !timestamped_ && client_->shared->families.size() == 1;
  std::string written_at_, read_at_;
  rocksdb::Slice read_at_slice_;
};

// How many operations a workload has that reads, that writes, that does both.
int64_t Reads();
int64_t Writes();
int64_t ReadsAndWrites();

// `(<found> of <read> found)`.
void AddFound(Client* client, int64_t found, int64_t read, const char* end);

// A value of the size that --value_size, or --value_size_distribution_type, says.
rocksdb::Slice NextValue(Client* client);

// What the client of id 0 does beside the others, until all of them ended: `operation` again and
// again, which returns the bytes that it wrote, at --benchmark_write_rate_limit. Its operations
// stay out of the report.
void RunBeside(Client* client, const std::function<uint64_t()>& operation);

}  // namespace db_bench
