#include "pool_server/store.h"

#include <gflags/gflags.h>

#include <functional>
#include <memory>
#include <unordered_set>
#include <vector>

#include "kv_bench/options.h"

namespace pool_server {

Store::~Store() {
  if (db_ != nullptr) engine_.rocksdb_close(db_);
  if (writing_ != nullptr) engine_.rocksdb_writeoptions_destroy(writing_);
  if (reading_ != nullptr) engine_.rocksdb_readoptions_destroy(reading_);
  if (options_ != nullptr) engine_.rocksdb_options_destroy(options_);
  if (cache_ != nullptr) engine_.rocksdb_cache_destroy(cache_);
}

bool Store::Open(const std::string& library, const std::string& directory, bool sync,
                 std::string* error) {
  if (!kv_bench::Load(library, /*sync=*/false, &engine_, error)) return false;
  if (!kv_bench::MakeOptions(engine_, &cache_, &options_, error)) return false;
  reading_ = engine_.rocksdb_readoptions_create();
  writing_ = engine_.rocksdb_writeoptions_create();
  engine_.rocksdb_writeoptions_set_sync(writing_, sync);
  char* refusal = nullptr;
  db_ = engine_.rocksdb_open(options_, directory.c_str(), &refusal);
  if (refusal != nullptr) *error = directory + ": " + refusal;
  engine_.rocksdb_free(refusal);
  return db_ != nullptr;
}

bool Store::Check(char* error, ReplyWriter* reply) {
  if (error == nullptr) return true;
  reply->Error("ERR " + std::string(error));
  engine_.rocksdb_free(error);
  return false;
}

void Store::Get(std::string_view key, ReplyWriter* reply) {
  char* error = nullptr;
  rocksdb_pinnableslice_t* const pinned =
      engine_.rocksdb_get_pinned(db_, reading_, key.data(), key.size(), &error);
  if (!Check(error, reply)) return;
  if (pinned == nullptr) {
    reply->Null();
    return;
  }
  size_t size;
  const char* const value = engine_.rocksdb_pinnableslice_value(pinned, &size);
  if (size < ReplyWriter::kMinPinnedBytes) {
    reply->Bulk({value, size});
    engine_.rocksdb_pinnableslice_destroy(pinned);
    return;
  }
  reply->Pinned({value, size},
                std::shared_ptr<const void>(
                    pinned, [destroy = engine_.rocksdb_pinnableslice_destroy](const void* it) {
                      destroy(static_cast<rocksdb_pinnableslice_t*>(const_cast<void*>(it)));
                    }));
}

void Store::MultiGet(Words keys, ReplyWriter* reply) {
  const size_t n = keys.size();
  std::vector<const char*> data(n);
  std::vector<size_t> sizes(n);
  std::vector<char*> values(n);
  std::vector<size_t> value_sizes(n);
  std::vector<char*> errors(n);
  for (size_t i = 0; i < n; ++i) {
    data[i] = keys[i].data();
    sizes[i] = keys[i].size();
  }
  engine_.rocksdb_multi_get(db_, reading_, n, data.data(), sizes.data(), values.data(),
                            value_sizes.data(), errors.data());
  const ReplyWriter::Mark mark = reply->mark();
  reply->Array(n);
  std::string failed;
  for (size_t i = 0; i < n; ++i) {
    if (errors[i] != nullptr) {
      failed = errors[i];
    } else if (values[i] == nullptr) {
      reply->Null();
    } else {
      reply->Bulk({values[i], value_sizes[i]});
    }
    engine_.rocksdb_free(values[i]);
    engine_.rocksdb_free(errors[i]);
  }
  if (failed.empty()) return;
  reply->Rewind(mark);
  reply->Error("ERR " + failed);
}

void Store::Put(std::string_view key, std::string_view value, ReplyWriter* reply) {
  char* error = nullptr;
  engine_.rocksdb_put(db_, writing_, key.data(), key.size(), value.data(), value.size(), &error);
  if (Check(error, reply)) reply->Ok();
}

bool Store::Write(rocksdb_writebatch_t* batch, ReplyWriter* reply) {
  char* error = nullptr;
  engine_.rocksdb_write(db_, writing_, batch, &error);
  engine_.rocksdb_writebatch_destroy(batch);
  return Check(error, reply);
}

void Store::MultiPut(Words pairs, ReplyWriter* reply) {
  rocksdb_writebatch_t* const batch = engine_.rocksdb_writebatch_create();
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    engine_.rocksdb_writebatch_put(batch, pairs[i].data(), pairs[i].size(), pairs[i + 1].data(),
                                   pairs[i + 1].size());
  }
  if (Write(batch, reply)) reply->Ok();
}

void Store::Delete(Words keys, ReplyWriter* reply) {
  std::array<bool, kStripes> stripes = {};
  for (const std::string_view key : keys)
    stripes[std::hash<std::string_view>()(key) % kStripes] = true;
  std::vector<std::unique_lock<std::mutex>> locks;
  for (size_t i = 0; i < kStripes; ++i) {
    if (stripes[i]) locks.emplace_back(deleting_[i]);
  }
  rocksdb_writebatch_t* const batch = engine_.rocksdb_writebatch_create();
  std::unordered_set<std::string_view> found;  // a key that is named twice is deleted once
  for (const std::string_view key : keys) {
    char* error = nullptr;
    rocksdb_pinnableslice_t* const value =
        engine_.rocksdb_get_pinned(db_, reading_, key.data(), key.size(), &error);
    if (!Check(error, reply)) {
      engine_.rocksdb_writebatch_destroy(batch);
      return;
    }
    if (value == nullptr) continue;
    engine_.rocksdb_pinnableslice_destroy(value);
    if (found.insert(key).second) {
      engine_.rocksdb_writebatch_delete(batch, key.data(), key.size());
    }
  }
  if (found.empty()) {
    engine_.rocksdb_writebatch_destroy(batch);
    reply->Integer(0);
    return;
  }
  if (Write(batch, reply)) reply->Integer(static_cast<int64_t>(found.size()));
}

std::string Store::EstimatedKeys() {
  char* const text = engine_.rocksdb_property_value(db_, "rocksdb.estimate-num-keys");
  std::string result = text == nullptr ? "0" : text;
  engine_.rocksdb_free(text);
  return result;
}

std::string Store::Statistics() {
  char* const text = engine_.rocksdb_options_statistics_get_string(options_);
  std::string result = text == nullptr ? "" : text;
  engine_.rocksdb_free(text);
  return result;
}

}  // namespace pool_server
