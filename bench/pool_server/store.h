// The engine under the server: a shared library with RocksDB's C interface, called synchronously.
// Answers go straight into a reply. Thread safe.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "kv_bench/engine.h"
#include "server/resp/reply.h"

namespace pool_server {

using cairn::server::ReplyWriter;
using Words = std::span<const std::string_view>;

class Store {
 public:
  Store() = default;
  // Closes the database.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // `sync`: each write is on the disk before it is answered. False: *error says why.
  bool Open(const std::string& library, const std::string& directory, bool sync,
            std::string* error);

  void Get(std::string_view key, ReplyWriter* reply);
  void MultiGet(Words keys, ReplyWriter* reply);
  void Put(std::string_view key, std::string_view value, ReplyWriter* reply);
  // Keys and values in turn; all or none are written.
  void MultiPut(Words pairs, ReplyWriter* reply);
  void Delete(Words keys, ReplyWriter* reply);

  std::string EstimatedKeys();
  // The library's counts; empty without --statistics.
  std::string Statistics();

 private:
  static constexpr size_t kStripes = 64;

  // Writes the batch and gives it back. False: the reply has the error.
  bool Write(rocksdb_writebatch_t* batch, ReplyWriter* reply);
  // Whether all went well; else the reply has the error, which is given back.
  bool Check(char* error, ReplyWriter* reply);

  kv_bench::Engine engine_;
  rocksdb_cache_t* cache_ = nullptr;
  rocksdb_options_t* options_ = nullptr;
  rocksdb_readoptions_t* reading_ = nullptr;
  rocksdb_writeoptions_t* writing_ = nullptr;
  rocksdb_t* db_ = nullptr;
  // Of two that delete a key one is told that it was there: each holds the key's stripe while it
  // looks and deletes. Taken in the order of the array.
  std::array<std::mutex, kStripes> deleting_;
};

}  // namespace pool_server
