// LMDB (Debian's liblmdb-dev 0.9.24): a B+tree in a mapped file, one writer at a time. Without sync
// its pages are left to the system, as the others leave their logs: a killed process loses nothing,
// but after a power cut the whole file may be damaged, which no log is.
#include <lmdb.h>

#include <utility>

#include "peers/folder.h"
#include "peers/store.h"

namespace peers {
namespace {

constexpr size_t kMapBytes = size_t{256} << 30;  // of addresses; the file grows as it is filled

MDB_val ValOf(std::string_view text) { return {text.size(), const_cast<char*>(text.data())}; }
std::string_view ViewOf(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}
std::string ErrorOf(int code) { return code == 0 ? std::string() : mdb_strerror(code); }

class Transaction {
 public:
  Transaction(MDB_env* env, unsigned flags) : error_(mdb_txn_begin(env, nullptr, flags, &txn_)) {}
  ~Transaction() {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  int error() const { return error_; }
  MDB_txn* get() { return txn_; }
  int Commit() { return mdb_txn_commit(std::exchange(txn_, nullptr)); }

 private:
  MDB_txn* txn_ = nullptr;
  const int error_;
};

class LmdbCursor : public Cursor {
 public:
  LmdbCursor(MDB_env* env, MDB_dbi dbi) : txn_(env, MDB_RDONLY), error_(txn_.error()) {
    if (error_ == 0) error_ = mdb_cursor_open(txn_.get(), dbi, &cursor_);
  }
  ~LmdbCursor() override {
    if (cursor_ != nullptr) mdb_cursor_close(cursor_);
  }
  bool Valid() override { return valid_; }
  void First() override { Move(MDB_FIRST); }
  void Last() override { Move(MDB_LAST); }
  void Seek(std::string_view key) override {
    key_ = ValOf(key);
    Move(MDB_SET_RANGE);
  }
  void Next() override { Move(MDB_NEXT); }
  void Prev() override { Move(MDB_PREV); }
  std::string_view Key() override { return ViewOf(key_); }
  std::string_view Value() override { return ViewOf(value_); }
  std::string Error() override { return ErrorOf(error_); }

 private:
  void Move(MDB_cursor_op how) {
    if (cursor_ == nullptr) return;
    const int found = mdb_cursor_get(cursor_, &key_, &value_, how);
    valid_ = found == 0;
    if (found != 0 && found != MDB_NOTFOUND) error_ = found;
  }

  Transaction txn_;
  MDB_cursor* cursor_ = nullptr;
  MDB_val key_{};
  MDB_val value_{};
  bool valid_ = false;
  int error_;
};

class LmdbStore : public Store {
 public:
  ~LmdbStore() override {
    if (env_ != nullptr) mdb_env_close(env_);
  }
  std::string OpenAt(const std::string& path) {
    const std::string refusal = MakeFolder(path);
    if (!refusal.empty()) return refusal;
    int error = mdb_env_create(&env_);
    if (error == 0) error = mdb_env_set_mapsize(env_, kMapBytes);
    if (error == 0) error = mdb_env_set_maxreaders(env_, 4096);
    // No readahead, as for stores larger than memory; readers' slots go with transactions.
    if (error == 0)
      error = mdb_env_open(env_, path.c_str(), MDB_NOSYNC | MDB_NORDAHEAD | MDB_NOTLS, 0644);
    if (error != 0) return ErrorOf(error);
    Transaction first(env_, 0);
    error = first.error();
    if (error == 0) error = mdb_dbi_open(first.get(), nullptr, 0, &dbi_);
    if (error == 0) error = first.Commit();
    return ErrorOf(error);
  }

  std::string Put(std::string_view key, std::string_view value, bool sync) override {
    return Commit(sync, [&](MDB_txn* txn) { return PutOne(txn, key, value); });
  }
  std::string Write(const Batch& batch, bool sync) override {
    return Commit(sync, [&](MDB_txn* txn) {
      return batch.ForEach(
          0, [&](std::string_view key, std::string_view value) { return PutOne(txn, key, value); });
    });
  }
  std::string Get(std::string_view key, bool* found, std::string* value) override {
    Transaction txn(env_, MDB_RDONLY);
    if (txn.error() != 0) return ErrorOf(txn.error());
    MDB_val k = ValOf(key);
    MDB_val v{};
    const int result = mdb_get(txn.get(), dbi_, &k, &v);
    *found = result == 0;
    if (*found) value->assign(ViewOf(v));
    return result == MDB_NOTFOUND ? std::string() : ErrorOf(result);
  }
  std::unique_ptr<Cursor> NewCursor() override { return std::make_unique<LmdbCursor>(env_, dbi_); }
  std::string Flush() override { return {}; }  // no memtable
  void Compact() override {}                   // nothing to merge

 private:
  int PutOne(MDB_txn* txn, std::string_view key, std::string_view value) const {
    MDB_val k = ValOf(key);
    MDB_val v = ValOf(value);
    return mdb_put(txn, dbi_, &k, &v, 0);
  }
  template <class Puts>
  std::string Commit(bool sync, Puts puts) {
    Transaction txn(env_, 0);
    int error = txn.error();
    if (error == 0) error = puts(txn.get());
    if (error == 0) error = txn.Commit();
    if (error == 0 && sync) error = mdb_env_sync(env_, 1);
    return ErrorOf(error);
  }

  MDB_env* env_ = nullptr;
  MDB_dbi dbi_ = 0;
};

}  // namespace

const char* const kStoreName = "LMDB";

std::unique_ptr<Store> Open(const Settings& settings, std::string* error) {
  if (settings.manual_wal_flush) {
    *error = "LMDB has no manual_wal_flush";
    return nullptr;
  }
  auto store = std::make_unique<LmdbStore>();
  *error = store->OpenAt(settings.path);
  return error->empty() ? std::move(store) : nullptr;
}

std::string Destroy(const std::string& path) { return RemoveFolder(path); }

}  // namespace peers
