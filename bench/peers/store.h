// A store that is no library with RocksDB's C interface, as a peer of kv_bench: what its workloads
// need, in the fewest words. Each peer is a shared library of one Store and FillEngine().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace peers {

// Of kv_bench's flags, those that have a meaning for such stores.
struct Settings {
  std::string path;                // a directory, made if it is missing
  uint64_t cache_size = 0;         // bytes of the block cache, where the store has its own
  uint64_t write_buffer_size = 0;  // bytes
  uint64_t block_size = 0;         // bytes
  double bloom_bits = 0;           // per key; 0: no filter
  int compression = 0;             // as in rocksdb/c.h
  bool manual_wal_flush = false;   // the log stays in memory for a while: a killed process loses it
  bool sync = false;               // each write will be synced, which some have to know beforehand
};

// Keys and values to be written together, in order.
struct Batch {
  struct Entry {
    size_t key_size;
    size_t value_size;
  };
  std::string bytes;  // each entry's key, then its value
  std::vector<Entry> entries;

  void Put(std::string_view key, std::string_view value) {
    bytes.append(key).append(value);
    entries.push_back({key.size(), value.size()});
  }
  void Clear() {
    bytes.clear();
    entries.clear();
  }
  // Calls `put(key, value)` for each entry until one call returns something else than `done`.
  template <class Result, class PutOne>
  Result ForEach(Result done, PutOne put) const {
    const char* at = bytes.data();
    for (const Entry& entry : entries) {
      const std::string_view key(at, entry.key_size);
      const std::string_view value(at + entry.key_size, entry.value_size);
      at += entry.key_size + entry.value_size;
      const Result result = put(key, value);
      if (result != done) return result;
    }
    return done;
  }
};

// One thread's. Sees the store as it was when the cursor was made.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual bool Valid() = 0;
  virtual void First() = 0;
  virtual void Last() = 0;
  virtual void Seek(std::string_view key) = 0;
  virtual void Next() = 0;
  virtual void Prev() = 0;
  // Until the next move.
  virtual std::string_view Key() = 0;
  virtual std::string_view Value() = 0;
  virtual std::string Error() = 0;
};

// Any number of threads. What returns a string returns an error, or nothing.
class Store {
 public:
  virtual ~Store() = default;
  virtual std::string Put(std::string_view key, std::string_view value, bool sync) = 0;
  virtual std::string Write(const Batch& batch, bool sync) = 0;
  // *found: whether there is one, and then *value is it.
  virtual std::string Get(std::string_view key, bool* found, std::string* value) = 0;
  virtual std::unique_ptr<Cursor> NewCursor() = 0;
  virtual std::string Flush() = 0;
  virtual void Compact() = 0;
};

// Each peer defines these three. Open: null, and *error says why.
std::unique_ptr<Store> Open(const Settings& settings, std::string* error);
std::string Destroy(const std::string& path);
extern const char* const kStoreName;

}  // namespace peers
