// LevelDB (Debian's libleveldb-dev 1.23).
#include <leveldb/cache.h>
#include <leveldb/db.h>
#include <leveldb/filter_policy.h>
#include <leveldb/write_batch.h>

#include "peers/store.h"

namespace peers {
namespace {

leveldb::Slice SliceOf(std::string_view text) { return {text.data(), text.size()}; }
std::string_view ViewOf(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }
std::string ErrorOf(const leveldb::Status& s) { return s.ok() ? std::string() : s.ToString(); }

class LevelDbCursor : public Cursor {
 public:
  explicit LevelDbCursor(leveldb::Iterator* it) : it_(it) {}
  bool Valid() override { return it_->Valid(); }
  void First() override { it_->SeekToFirst(); }
  void Last() override { it_->SeekToLast(); }
  void Seek(std::string_view key) override { it_->Seek(SliceOf(key)); }
  void Next() override { it_->Next(); }
  void Prev() override { it_->Prev(); }
  std::string_view Key() override { return ViewOf(it_->key()); }
  std::string_view Value() override { return ViewOf(it_->value()); }
  std::string Error() override { return ErrorOf(it_->status()); }

 private:
  const std::unique_ptr<leveldb::Iterator> it_;
};

class LevelDbStore : public Store {
 public:
  explicit LevelDbStore(const Settings& settings) {
    if (settings.bloom_bits > 0) {
      filter_.reset(leveldb::NewBloomFilterPolicy(static_cast<int>(settings.bloom_bits)));
    }
    cache_.reset(leveldb::NewLRUCache(settings.cache_size));
    options_.create_if_missing = true;
    options_.write_buffer_size = settings.write_buffer_size;
    options_.block_size = settings.block_size;
    options_.block_cache = cache_.get();
    options_.filter_policy = filter_.get();
    options_.compression =
        settings.compression == 1 ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  }
  std::string OpenAt(const std::string& path) {
    leveldb::DB* db = nullptr;
    const leveldb::Status s = leveldb::DB::Open(options_, path, &db);
    db_.reset(db);
    return ErrorOf(s);
  }

  std::string Put(std::string_view key, std::string_view value, bool sync) override {
    return ErrorOf(db_->Put(Writing(sync), SliceOf(key), SliceOf(value)));
  }
  std::string Write(const Batch& batch, bool sync) override {
    leveldb::WriteBatch all;
    batch.ForEach(true, [&all](std::string_view key, std::string_view value) {
      all.Put(SliceOf(key), SliceOf(value));
      return true;
    });
    return ErrorOf(db_->Write(Writing(sync), &all));
  }
  std::string Get(std::string_view key, bool* found, std::string* value) override {
    const leveldb::Status s = db_->Get({}, SliceOf(key), value);
    *found = s.ok();
    return s.IsNotFound() ? std::string() : ErrorOf(s);
  }
  std::unique_ptr<Cursor> NewCursor() override {
    return std::make_unique<LevelDbCursor>(db_->NewIterator({}));
  }
  std::string Flush() override {
    Compact();  // It has nothing less.
    return {};
  }
  void Compact() override { db_->CompactRange(nullptr, nullptr); }

 private:
  static leveldb::WriteOptions Writing(bool sync) {
    leveldb::WriteOptions options;
    options.sync = sync;
    return options;
  }

  leveldb::Options options_;
  std::unique_ptr<const leveldb::FilterPolicy> filter_;
  std::unique_ptr<leveldb::Cache> cache_;
  std::unique_ptr<leveldb::DB> db_;  // goes first
};

}  // namespace

const char* const kStoreName = "LevelDB";

std::unique_ptr<Store> Open(const Settings& settings, std::string* error) {
  if (settings.manual_wal_flush) {
    *error = "LevelDB has no manual_wal_flush";
    return nullptr;
  }
  if (settings.compression > 1) {
    *error = "--compression_type: LevelDB has none (0) and Snappy (1)";
    return nullptr;
  }
  auto store = std::make_unique<LevelDbStore>(settings);
  *error = store->OpenAt(settings.path);
  return error->empty() ? std::move(store) : nullptr;
}

std::string Destroy(const std::string& path) { return ErrorOf(leveldb::DestroyDB(path, {})); }

}  // namespace peers
