// TidesDB 10 (where its library and header are installed). Its log is written before a commit
// returns and synced once a second: the promise that the others give without sync, that a killed
// process loses nothing. Its own default does not give it: that is --options=manual_wal_flush=true.

#include "peers/folder.h"
#include "peers/store.h"

extern "C" {
#include <tidesdb/db.h>
}

namespace peers {
namespace {

constexpr const char* kFamily = "default";
// What a write asks of other transactions in the stores beside it: nothing.
constexpr tidesdb_isolation_level_t kIsolation = TDB_ISOLATION_READ_COMMITTED;

std::string ErrorOf(int code) {
  return code == TDB_SUCCESS ? std::string() : tidesdb_strerror(code);
}
const uint8_t* Bytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

class Transaction {
 public:
  explicit Transaction(tidesdb_t* db)
      : error_(tidesdb_txn_begin_with_isolation(db, kIsolation, &txn_)) {}
  ~Transaction() {
    if (txn_ != nullptr) tidesdb_txn_free(txn_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  int error() const { return error_; }
  tidesdb_txn_t* get() { return txn_; }

 private:
  tidesdb_txn_t* txn_ = nullptr;
  const int error_;
};

class TidesDbCursor : public Cursor {
 public:
  TidesDbCursor(tidesdb_t* db, tidesdb_column_family_t* family) : txn_(db), error_(txn_.error()) {
    if (error_ == TDB_SUCCESS) error_ = tidesdb_iter_new(txn_.get(), family, &it_);
  }
  ~TidesDbCursor() override {
    Forget();
    if (it_ != nullptr) tidesdb_iter_free(it_);
  }
  bool Valid() override { return it_ != nullptr && tidesdb_iter_valid(it_) != 0; }
  void First() override { Moved(it_ == nullptr ? error_ : tidesdb_iter_seek_to_first(it_)); }
  void Last() override { Moved(it_ == nullptr ? error_ : tidesdb_iter_seek_to_last(it_)); }
  void Seek(std::string_view key) override {
    Moved(it_ == nullptr ? error_ : tidesdb_iter_seek(it_, Bytes(key), key.size()));
  }
  void Next() override { Moved(tidesdb_iter_next(it_)); }
  void Prev() override { Moved(tidesdb_iter_prev(it_)); }
  std::string_view Key() override {
    Load();
    return {reinterpret_cast<const char*>(key_), key_size_};
  }
  std::string_view Value() override {
    Load();
    return {reinterpret_cast<const char*>(value_), value_size_};
  }
  std::string Error() override { return ErrorOf(error_); }

 private:
  void Moved(int code) {
    Forget();
    if (code != TDB_SUCCESS && code != TDB_ERR_NOT_FOUND) error_ = code;
  }
  // It hands out copies.
  void Load() {
    if (key_ != nullptr) return;
    const int code = tidesdb_iter_key_value(it_, &key_, &key_size_, &value_, &value_size_);
    if (code != TDB_SUCCESS) error_ = code;
  }
  void Forget() {
    tidesdb_free(key_);
    tidesdb_free(value_);
    key_ = value_ = nullptr;
    key_size_ = value_size_ = 0;
  }

  Transaction txn_;
  tidesdb_iter_t* it_ = nullptr;
  uint8_t* key_ = nullptr;
  uint8_t* value_ = nullptr;
  size_t key_size_ = 0;
  size_t value_size_ = 0;
  int error_;
};

class TidesDbStore : public Store {
 public:
  ~TidesDbStore() override {
    if (db_ != nullptr) tidesdb_close(db_);
  }
  std::string OpenAt(const Settings& settings) {
    std::string path = settings.path;
    tidesdb_config_t config = tidesdb_default_config();
    config.db_path = path.data();
    config.log_level = TDB_LOG_ERROR;
    config.block_cache_size = settings.cache_size;
    config.memtable_write_buffer_size = settings.write_buffer_size;
    config.memtable_sync_mode = settings.sync               ? TDB_SYNC_FULL
                                : settings.manual_wal_flush ? TDB_SYNC_NONE
                                                            : TDB_SYNC_INTERVAL;
    int error = tidesdb_open(&config, &db_);
    if (error != TDB_SUCCESS) return ErrorOf(error);
    tidesdb_column_family_config_t family = tidesdb_default_column_family_config();
    family.enable_bloom_filter = settings.bloom_bits > 0;
    family.encoding_count = settings.compression == 0 ? 0 : 1;
    family.encoding_pipeline[0] =
        settings.compression == 1 ? TDB_COMPRESS_SNAPPY : TDB_COMPRESS_LZ4;
    error = tidesdb_create_column_family(db_, kFamily, &family);
    if (error != TDB_SUCCESS && error != TDB_ERR_EXISTS) return ErrorOf(error);
    family_ = tidesdb_get_column_family(db_, kFamily);
    return family_ == nullptr ? "no column family" : "";
  }

  std::string Put(std::string_view key, std::string_view value, bool) override {
    return Commit([&](tidesdb_txn_t* txn) { return PutOne(txn, key, value); });
  }
  std::string Write(const Batch& batch, bool) override {
    return Commit([&](tidesdb_txn_t* txn) {
      return batch.ForEach<int>(TDB_SUCCESS, [&](std::string_view key, std::string_view value) {
        return PutOne(txn, key, value);
      });
    });
  }
  std::string Get(std::string_view key, bool* found, std::string* value) override {
    Transaction txn(db_);
    if (txn.error() != TDB_SUCCESS) return ErrorOf(txn.error());
    uint8_t* copy = nullptr;
    size_t size = 0;
    const int code =
        tidesdb_txn_get_notrack(txn.get(), family_, Bytes(key), key.size(), &copy, &size);
    *found = code == TDB_SUCCESS;
    if (*found) value->assign(reinterpret_cast<const char*>(copy), size);
    tidesdb_free(copy);
    return code == TDB_ERR_NOT_FOUND ? std::string() : ErrorOf(code);
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<TidesDbCursor>(db_, family_);
  }
  std::string Flush() override { return ErrorOf(tidesdb_flush_memtable(db_)); }
  void Compact() override { tidesdb_compact(db_, family_); }

 private:
  int PutOne(tidesdb_txn_t* txn, std::string_view key, std::string_view value) {
    return tidesdb_txn_put(txn, family_, Bytes(key), key.size(), Bytes(value), value.size(),
                           /*ttl=*/0);
  }
  template <class Puts>
  std::string Commit(Puts puts) {
    Transaction txn(db_);
    int code = txn.error();
    if (code == TDB_SUCCESS) code = puts(txn.get());
    if (code == TDB_SUCCESS) code = tidesdb_txn_commit(txn.get());
    return ErrorOf(code);
  }

  tidesdb_t* db_ = nullptr;
  tidesdb_column_family_t* family_ = nullptr;
};

}  // namespace

const char* const kStoreName = "TidesDB";

std::unique_ptr<Store> Open(const Settings& settings, std::string* error) {
  if (settings.compression != 0 && settings.compression != 1 && settings.compression != 4) {
    *error = "--compression_type: of TidesDB none (0), Snappy (1) and LZ4 (4)";
    return nullptr;
  }
  auto store = std::make_unique<TidesDbStore>();
  *error = store->OpenAt(settings);
  return error->empty() ? std::move(store) : nullptr;
}

std::string Destroy(const std::string& path) { return RemoveFolder(path); }

}  // namespace peers
