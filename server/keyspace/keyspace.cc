#include "server/keyspace/keyspace.h"

#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "rocksdb/convenience.h"
#include "rocksdb/write_batch.h"
#include "server/keyspace/encoding.h"
#include "server/keyspace/expiry_filter.h"

namespace cairn::server {

using rocksdb::Slice;
using rocksdb::Status;

namespace {

constexpr uint64_t kReservedIds = 1'000'000;
constexpr size_t kCursors = 16384;

std::string NamespaceSetting(int database) {
  return SettingKey("namespace/" + std::to_string(database));
}
std::string Number(uint64_t value) {
  std::string bytes;
  AppendBigEndian64(&bytes, value);
  return bytes;
}

Status ReadNumber(rocksdb::DB* db, const std::string& key, uint64_t* value) {
  std::string bytes;
  Status s = db->Get(rocksdb::ReadOptions(), key, &bytes);
  if (s.IsNotFound()) return Status::OK();
  if (!s.ok()) return s;
  if (bytes.size() != 8) {
    return Status::Corruption("a setting of the keyspace has another size than this server writes");
  }
  *value = DecodeBigEndian64(bytes.data());
  return s;
}

}  // namespace

Status Keyspace::Open(const KeyspaceOptions& options, std::unique_ptr<Keyspace>* keyspace) {
  std::unique_ptr<Keyspace> opened(new Keyspace(options.memory_limit));
  opened->directory_ = options.directory;
  opened->filter_ = std::make_shared<ExpiryFilterFactory>();
  rocksdb::Options engine = options.engine;
  engine.compaction_filter_factory = opened->filter_;
  Status s = rocksdb::DB::Open(engine, options.directory, &opened->db_);
  if (s.ok()) s = opened->Load(options.databases);
  if (!s.ok()) return s;
  opened->filter_->set_keyspace(opened.get());
  *keyspace = std::move(opened);
  return s;
}

Status Keyspace::Load(int databases) {
  // A store that is no keyspace is left as it is.
  uint64_t version = 0;
  Status s = ReadNumber(db_.get(), SettingKey("version"), &version);
  if (!s.ok()) return s;
  const bool fresh = version == 0;
  if (fresh) {
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
    it->SeekToFirst();
    if (!it->status().ok()) return it->status();
    if (it->Valid()) {
      return Status::InvalidArgument(
          directory_, "holds a database that cairn-server did not make; give another directory");
    }
  } else if (version != 1) {
    return Status::NotSupported(directory_, "was written by a later version of cairn-server");
  }

  namespaces_ = std::vector<std::atomic<uint32_t>>(static_cast<size_t>(databases));
  uint64_t next_namespace = 1;
  s = ReadNumber(db_.get(), SettingKey("next_namespace"), &next_namespace);
  rocksdb::WriteBatch batch;
  if (fresh && s.ok()) s = batch.Put(SettingKey("version"), Number(1));
  for (int i = 0; s.ok() && i < databases; ++i) {
    uint64_t ns = 0;
    s = ReadNumber(db_.get(), NamespaceSetting(i), &ns);
    if (!s.ok()) return s;
    if (ns == 0) {
      ns = next_namespace++;
      s = batch.Put(NamespaceSetting(i), Number(ns));
    }
    namespaces_[static_cast<size_t>(i)].store(static_cast<uint32_t>(ns));
  }
  next_namespace_ = static_cast<uint32_t>(next_namespace);
  if (s.ok() && batch.Count() != 0) {
    s = batch.Put(SettingKey("next_namespace"), Number(next_namespace));
    rocksdb::WriteOptions durable;
    durable.sync = true;
    if (s.ok()) s = db_->Write(durable, &batch);
  }
  uint64_t next_id = 1;
  if (s.ok()) s = ReadNumber(db_.get(), SettingKey("next_id"), &next_id);
  next_id_.store(next_id);
  ids_end_.store(next_id);
  return s.ok() ? ReserveIds() : s;
}

Keyspace::~Keyspace() {
  if (db_ != nullptr) Close().PermitUncheckedError();
}

Status Keyspace::Close() {
  filter_->set_keyspace(nullptr);
  Status s = db_->SyncWAL();
  // A compaction's filter may hold a snapshot, and with one Close() would refuse.
  rocksdb::CancelAllBackgroundWork(db_.get(), /*wait=*/true);
  Status closed = db_->Close();
  if (s.ok() || s.IsNotSupported()) s = std::move(closed);
  db_.reset();
  return s;
}

bool Keyspace::TakesWrites() {
  // The number only grows: of errors that are over, too.
  uint64_t errors = 0;
  db_->GetIntProperty("rocksdb.background-errors", &errors);
  if (errors == survived_errors_.load(std::memory_order_relaxed)) return true;
  if (!db_->Put(rocksdb::WriteOptions(), SettingKey("probe"), "").ok()) return false;
  survived_errors_.store(errors, std::memory_order_relaxed);
  return true;
}

uint64_t Keyspace::NowMillis() {
  const uint64_t now = fiber::wall_micros() / 1000;
  uint64_t seen = now_ms_.load(std::memory_order_relaxed);
  while (seen < now && !now_ms_.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  return std::max(seen, now);
}

bool Keyspace::NamespaceLives(uint32_t ns) {
  const fiber::MutexLock lock(&namespaces_mutex_);
  return ns >= next_namespace_ ||
         std::any_of(namespaces_.begin(), namespaces_.end(),
                     [ns](const auto& one) { return one.load(std::memory_order_acquire) == ns; });
}

std::vector<std::pair<uint32_t, uint32_t>> Keyspace::DeadNamespaces() {
  const fiber::MutexLock lock(&namespaces_mutex_);
  std::vector<uint32_t> live(namespaces_.begin(), namespaces_.end());
  live.push_back(next_namespace_);
  std::sort(live.begin(), live.end());
  std::vector<std::pair<uint32_t, uint32_t>> dead;
  uint32_t from = 1;  // the first that was ever given out
  for (const uint32_t ns : live) {
    if (ns > from) dead.emplace_back(from, ns);
    from = ns + 1;
  }
  return dead;
}

// What was reserved is synced before it is used: a number that a crash makes free again was never
// seen by anybody.
Status Keyspace::ReserveIds() {
  const uint64_t end = ids_end_.load() + kReservedIds;
  rocksdb::WriteOptions durable;
  durable.sync = true;
  Status s = db_->Put(durable, SettingKey("next_id"), Number(end));
  if (s.ok()) ids_end_.store(end);
  return s;
}

uint64_t Keyspace::NextId() {
  const uint64_t id = next_id_.fetch_add(1);
  // Half a reserve early, so that a store that cannot be written to has failed the commands that
  // would use the numbers long before they are used up.
  if (id + kReservedIds / 2 >= ids_end_.load(std::memory_order_relaxed)) {
    const fiber::MutexLock lock(&ids_mutex_);
    if (id + kReservedIds / 2 >= ids_end_.load()) ReserveIds().PermitUncheckedError();
  }
  return id;
}

void Keyspace::WriteNamespaces(
    const Namespaces& changes, uint32_t fresh,
    const std::function<void(const std::string& key, const std::string& value)>& put) const {
  for (const auto& [database, ns] : changes) put(NamespaceSetting(database), Number(ns));
  if (fresh != 0) put(SettingKey("next_namespace"), Number(next_namespace_ + fresh));
}

void Keyspace::AdoptNamespaces(const Namespaces& changes, uint32_t fresh) {
  const fiber::MutexLock lock(&namespaces_mutex_);
  next_namespace_ += fresh;
  for (const auto& [database, ns] : changes) {
    namespaces_[static_cast<size_t>(database)].store(ns, std::memory_order_release);
  }
}

uint64_t Keyspace::RememberCursor(std::string position) {
  const fiber::MutexLock lock(&cursors_mutex_);
  if (cursors_.empty()) cursors_.resize(kCursors);
  const uint64_t cursor = next_cursor_++;
  cursors_[cursor % kCursors] = {cursor, std::move(position)};
  return cursor;
}

std::string Keyspace::CursorPosition(uint64_t cursor) {
  const fiber::MutexLock lock(&cursors_mutex_);
  if (cursors_.empty() || cursors_[cursor % kCursors].first != cursor) return {};
  return cursors_[cursor % kCursors].second;
}

}  // namespace cairn::server
