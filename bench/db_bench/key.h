// The keys of numbers, as the workloads write and read them. Each client has its own; none is
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db_bench/generator.h"
#include "rocksdb/slice.h"

namespace rocksdb {
class DB;
}

namespace db_bench {

// The key of a number: the number itself; with --keys_per_prefix a prefix of --prefix_size bytes,
// which many numbers share, and the number; with --use_existing_keys the key that has this number
// in the order of those that the database had at the start.
class Key {
 public:
  Key();
  // Valid until the next call.
  rocksdb::Slice Set(uint64_t number) { return plain_ ? buffer_.Set(number) : SetOther(number); }
  // One that is not there.
  rocksdb::Slice SetMissing(uint64_t number);
  // Set(), or, with --seek_missing_prefix, one whose prefix is not there.
  rocksdb::Slice SetToSeek(uint64_t number);

  // Reads all of the database's into memory, and sets --num to how many there are. Before clients
  // run. Exits with a message if there are none.
  static void UseExisting(rocksdb::DB* db);

 private:
  rocksdb::Slice SetOther(uint64_t number);

  const std::vector<std::string>& existing_;
  const uint64_t prefixes_;  // how many there are; 0: keys have none of their own
  const bool plain_;
  KeyBuffer prefix_;  // of 8 bytes, at most
  KeyBuffer buffer_;  // what comes behind it
  std::string other_;
};

// A number whose key is to be read: any, or some of them oftener (--read_random_exp_range).
uint64_t NumberToRead(Random* random);

}  // namespace db_bench
