// A command of the Redis protocol, encoded once; a request is a copy of it with its keys and values
// filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "db_bench/generator.h"
#include "kv_load/keys.h"

namespace kv_load {

// What a worker fills requests with. One fiber at a time.
struct Filling {
  db_bench::KeyBuffer key;
  Values values;
};

class Command {
 public:
  // `text`: a command with {key} and {value} where keys and values go, such as "SET {key} {value}";
  // {value} is that of the last {key} before it. False: *error says what is wrong.
  static bool Parse(const std::string& text, size_t key_size, size_t value_size, Command* out,
                    std::string* error);

  // Of an encoded request, in bytes.
  size_t size() const { return encoded_.size(); }
  size_t keys() const { return keys_; }
  // Whether it has a value to store.
  bool writes() const { return writes_; }
  // Whether what comes back is the keys' values, in order: GET and MGET.
  bool returns_values() const { return returns_values_; }

  // Writes a request of size() bytes. `next_key()` gives the number of each key, in order.
  template <typename NextKey>
  void Encode(char* to, Filling* filling, NextKey next_key) const {
    std::memcpy(to, encoded_.data(), encoded_.size());
    uint64_t number = 0;
    for (const Slot& slot : slots_) {
      if (slot.is_value) {
        filling->values.Write(to + slot.offset, number);
        continue;
      }
      number = next_key();
      const rocksdb::Slice key = filling->key.Set(number);
      std::memcpy(to + slot.offset, key.data(), key.size());
    }
  }

 private:
  struct Slot {
    size_t offset;
    bool is_value;
  };

  std::string encoded_;
  std::vector<Slot> slots_;
  size_t keys_ = 0;
  bool writes_ = false;
  bool returns_values_ = false;
};

// The text of a command known by name: get, set, mget, mset, del, exists, incr, ping; `batch` is
// the number of keys of those that take many. Empty: there is no such name.
std::string NamedCommand(const std::string& name, int batch);

}  // namespace kv_load
