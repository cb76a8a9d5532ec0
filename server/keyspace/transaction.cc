#include "server/keyspace/transaction.h"

#include <algorithm>
#include <utility>

#include "server/keyspace/keyspace.h"
#include "server/keyspace/lock_table.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

// Larger ones the store might write and not be able to read again.
constexpr uint64_t kMaxBatchBytes = uint64_t{1} << 30;
// Of what is written, at a time: the batch, its index, the log's buffer, the memtable, a flush.
constexpr uint64_t kCopies = 5;
// Of what is prefetched: fewer at once where they come to more bytes than that.
constexpr size_t kMaxPrefetchedBytes = 1 << 20;
constexpr size_t kMinPrefetched = 8;
constexpr size_t kMaxPrefetched = 512;

Slice ToSlice(std::string_view text) { return {text.data(), text.size()}; }
std::string_view ToView(const Slice& slice) { return {slice.data(), slice.size()}; }

class Indexer final : public rocksdb::WriteBatch::Handler {
 public:
  explicit Indexer(Transaction::Pending* pending) : pending_(pending) {}
  void Put(const Slice& key, const Slice& value) override {
    pending_->insert_or_assign(key.ToString(), value.ToString());
  }
  void Delete(const Slice& key) override {
    pending_->insert_or_assign(key.ToString(), std::nullopt);
  }

 private:
  Transaction::Pending* const pending_;
};

// Two ordered lists as one: the database's, and the writes on top of it, which hide what they
// replace. Moving in one direction, both stand at or behind the position in that direction; a turn
// seeks anew.
class MergedRange final : public Transaction::Range {
 public:
  MergedRange(rocksdb::DB* db, rocksdb::ReadOptions options, std::string lower, std::string upper,
              Transaction::Pending pending)
      : lower_(std::move(lower)), upper_(std::move(upper)), pending_(std::move(pending)) {
    lower_slice_ = lower_;
    upper_slice_ = upper_;
    if (!lower_.empty()) options.iterate_lower_bound = &lower_slice_;
    if (!upper_.empty()) options.iterate_upper_bound = &upper_slice_;
    base_.reset(db->NewIterator(options));
  }

  void SeekToFirst() override {
    forward_ = true;
    base_->SeekToFirst();
    top_ = pending_.begin();
    Settle();
  }
  void SeekToLast() override {
    forward_ = false;
    base_->SeekToLast();
    top_ = pending_.end();
    StepTopBack();
    Settle();
  }
  void Seek(std::string_view key) override {
    forward_ = true;
    base_->Seek(ToSlice(key));
    top_ = pending_.lower_bound(key);
    Settle();
  }
  void SeekForPrev(std::string_view key) override {
    forward_ = false;
    base_->SeekForPrev(ToSlice(key));
    top_ = pending_.upper_bound(key);
    StepTopBack();
    Settle();
  }
  void Next() override {
    if (!forward_) {
      const std::string here(key());
      Seek(here);
      if (!Valid() || key() != here) return;
    }
    Leave();
    Settle();
  }
  void Prev() override {
    if (forward_) {
      const std::string here(key());
      SeekForPrev(here);
      if (!Valid() || key() != here) return;
    }
    Leave();
    Settle();
  }
  bool Valid() const override { return from_ != From::kNowhere; }
  std::string_view key() const override {
    return from_ == From::kTop ? std::string_view(top_->first) : ToView(base_->key());
  }
  std::string_view value() const override {
    return from_ == From::kTop ? std::string_view(*top_->second) : ToView(base_->value());
  }
  Status status() const override { return base_->status(); }

 private:
  enum class From { kNowhere, kBase, kTop };

  // "Before the first" is end(), too, when walking backward.
  void StepTopBack() {
    if (top_ == pending_.begin()) {
      top_ = pending_.end();
    } else {
      --top_;
    }
  }
  void StepTop() {
    if (forward_) {
      ++top_;
    } else {
      StepTopBack();
    }
  }
  void StepBase() {
    if (forward_) {
      base_->Next();
    } else {
      base_->Prev();
    }
  }
  // From the position to where the next may be.
  void Leave() {
    if (from_ == From::kTop) {
      StepTop();
    } else {
      StepBase();
    }
  }
  // The nearer of both; a write hides the pair below it.
  void Settle() {
    for (;;) {
      if (!base_->Valid() && !base_->status().ok()) {
        from_ = From::kNowhere;
        return;
      }
      if (top_ == pending_.end()) {
        from_ = base_->Valid() ? From::kBase : From::kNowhere;
        return;
      }
      if (base_->Valid()) {
        const int order = base_->key().compare(top_->first);
        if (order != 0 && (order < 0) == forward_) {
          from_ = From::kBase;
          return;
        }
        if (order == 0) StepBase();
      }
      if (top_->second.has_value()) {
        from_ = From::kTop;
        return;
      }
      StepTop();
    }
  }

  const std::string lower_, upper_;
  Slice lower_slice_, upper_slice_;
  const Transaction::Pending pending_;  // within the bounds
  std::unique_ptr<rocksdb::Iterator> base_;
  Transaction::Pending::const_iterator top_;
  bool forward_ = true;
  From from_ = From::kNowhere;
};

}  // namespace

Transaction::Transaction(Keyspace* keyspace, LockSet* locks)
    : keyspace_(keyspace),
      locks_(locks),
      now_ms_(keyspace->NowMillis()),
      share_(&keyspace->memory()) {}

Transaction::~Transaction() {
  if (snapshot_ != nullptr) keyspace_->db()->ReleaseSnapshot(snapshot_);
}

void Transaction::HoldStill() {
  if (snapshot_ == nullptr) snapshot_ = keyspace_->db()->GetSnapshot();
}

rocksdb::ReadOptions Transaction::read_options() const {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot_;
  return options;
}

void Transaction::Prefetch(std::vector<std::string> keys, size_t at_once) {
  PrefetchedRun& run = prefetched_.emplace_back();
  run.at_once = at_once;
  if (has_writes()) {
    IndexWrites();
    std::erase_if(keys, [this](const std::string& key) { return pending_.contains(key); });
  }
  if (keys.size() < 2) return;
  run.tag = keys[0][0];
  run.keys = std::move(keys);
  // A run that writes holds the keys.
  if (run.keys.size() > at_once && locks_ == nullptr) HoldStill();
  ReadNext(&run);
}

void Transaction::ReadNext(PrefetchedRun* run) {
  const size_t count = std::min(run->keys.size() - run->read, run->at_once);
  std::string* const keys = run->keys.data() + run->read;
  std::vector<Slice> slices(keys, keys + count);
  std::vector<PinnableSlice> values(count);
  std::vector<Status> statuses(count);
  rocksdb::ReadOptions options = read_options();
  options.async_io = true;
  keyspace_->db()->MultiGet(options, keyspace_->db()->DefaultColumnFamily(), count, slices.data(),
                            values.data(), statuses.data());
  run->read += count;
  run->pairs.clear();
  run->pairs.reserve(count);
  run->next = run->bytes = 0;
  run->untaken = count;
  for (size_t i = 0; i < count; ++i) {
    run->bytes += values[i].size();
    run->pairs.push_back({std::move(keys[i]), std::move(statuses[i]), std::move(values[i])});
  }
  if (run->bytes > kMaxPrefetchedBytes) {
    run->at_once = std::max(kMinPrefetched, count / 4);
  } else if (count == run->at_once && count < kMaxPrefetched) {
    run->at_once = std::min(kMaxPrefetched, 2 * run->at_once);
  }
}

bool Transaction::TakePrefetched(std::string_view key, PinnableSlice* value, Status* status) {
  // A run has entries or elements alone, so neither is looked for among the others.
  for (auto run = prefetched_.rbegin(); run != prefetched_.rend(); ++run) {
    if (run->tag != key[0]) continue;
    if (run->read < run->keys.size() && run->keys[run->read] == key) ReadNext(&*run);
    const size_t count = run->pairs.size();
    for (size_t i = 0; run->untaken != 0 && i < count; ++i) {
      Prefetched& one = run->pairs[(run->next + i) % count];
      if (one.key != key) continue;
      run->next += i + 1;
      --run->untaken;
      if (one.status.ok()) *value = std::move(one.value);
      *status = std::move(one.status);
      // Whoever asks again finds it in the database.
      one.key.clear();
      return true;
    }
  }
  return false;
}

Status Transaction::Get(std::string_view key, PinnableSlice* value) {
  if (has_writes()) {
    IndexWrites();
    if (const auto it = pending_.find(key); it != pending_.end()) {
      if (!it->second.has_value()) return Status::NotFound();
      value->PinSelf(*it->second);
      return Status::OK();
    }
  }
  Status status;
  if (TakePrefetched(key, value, &status)) return status;
  return keyspace_->db()->Get(read_options(), keyspace_->db()->DefaultColumnFamily(), ToSlice(key),
                              value);
}

void Transaction::IndexWrites() {
  if (indexed_) return;
  indexed_ = true;
  Indexer indexer(&pending_);
  batch_.Iterate(&indexer).PermitUncheckedError();
}

bool Transaction::Reserve(uint64_t bytes) {
  reserved_ += bytes;
  return Charge(0);
}

bool Transaction::Charge(uint64_t bytes) {
  if (!status_.ok()) return false;
  const uint64_t batch = batch_.GetDataSize() + bytes;
  if (batch > kMaxBatchBytes) {
    Fail(Status::MemoryLimit("one write may not have more than " + std::to_string(kMaxBatchBytes) +
                             " bytes"));
  } else if (!share_.Set(reserved_ + kCopies * batch)) {
    Fail(Status::MemoryLimit("not enough memory for so large a value"));
  }
  return status_.ok();
}

void Transaction::Put(std::string_view key, std::string_view value) {
  if (!Charge(key.size() + value.size())) return;
  batch_.Put(ToSlice(key), ToSlice(value)).PermitUncheckedError();
  if (indexed_) Index(key, std::string(value));
}

void Transaction::Put(std::string_view key, const rocksdb::SliceParts& value) {
  const Slice key_slice = ToSlice(key);
  size_t size = 0;
  for (int i = 0; i < value.num_parts; ++i) size += value.parts[i].size();
  if (!Charge(key.size() + size)) return;
  batch_.Put(rocksdb::SliceParts(&key_slice, 1), value).PermitUncheckedError();
  if (!indexed_) return;
  std::string whole;
  whole.reserve(size);
  for (int i = 0; i < value.num_parts; ++i) whole.append(ToView(value.parts[i]));
  Index(key, std::move(whole));
}

void Transaction::Delete(std::string_view key) {
  if (!Charge(key.size())) return;
  batch_.Delete(ToSlice(key)).PermitUncheckedError();
  if (indexed_) Index(key, std::nullopt);
}

Status Transaction::Find(uint32_t ns, std::string_view key, Entry* entry, PinnableSlice* bytes) {
  bytes->Reset();
  Status s = Get(EntryKey(ns, key), bytes);
  if (s.IsNotFound()) ++misses_;
  if (!s.ok()) return s;
  if (!DecodeEntry(*bytes, entry)) {
    return Status::Corruption("the entry of a key is not one of this server's",
                              ToSlice(key).ToString(/*hex=*/true));
  }
  const bool expired = entry->ExpiredAt(now_ms_);
  ++(expired ? misses_ : hits_);
  return expired ? Status::NotFound() : Status::OK();
}

void Transaction::Touch(uint32_t ns, std::string_view key) {
  if (keyspace_->locks().watched()) touched_.emplace_back(ns, key);
}

void Transaction::PutEntry(uint32_t ns, std::string_view key, const Entry& entry) {
  Touch(ns, key);
  Put(EntryKey(ns, key), EncodeEntry(entry));
}

void Transaction::PutString(uint32_t ns, std::string_view key, std::string_view value,
                            uint64_t expires_at) {
  Touch(ns, key);
  const std::string header = EncodeStringHeader(expires_at);
  const Slice parts[] = {header, ToSlice(value)};
  Put(EntryKey(ns, key), rocksdb::SliceParts(parts, 2));
}

void Transaction::DeleteEntry(uint32_t ns, std::string_view key) {
  Touch(ns, key);
  Delete(EntryKey(ns, key));
}

void Transaction::NewCollection(uint32_t ns, std::string_view key, Type type, Entry* entry) {
  *entry = Entry();
  entry->type = type;
  entry->id = keyspace_->NextId();
  MoveCollection(entry->id, ns, key);
}

void Transaction::MoveCollection(uint64_t id, uint32_t ns, std::string_view key) {
  Put(OwnerKey(id), OwnerValue(ns, key));
}

std::unique_ptr<Transaction::Range> Transaction::NewRange(std::string lower, std::string upper) {
  Pending pending;
  if (has_writes()) {
    IndexWrites();
    const auto end = upper.empty() ? pending_.end() : pending_.lower_bound(upper);
    for (auto it = pending_.lower_bound(lower); it != end; ++it) pending.insert(pending.end(), *it);
  }
  rocksdb::ReadOptions options = read_options();
  options.async_io = true;
  return std::make_unique<MergedRange>(keyspace_->db(), std::move(options), std::move(lower),
                                       std::move(upper), std::move(pending));
}

uint32_t Transaction::NamespaceOf(int database) const {
  const auto it = namespaces_.find(database);
  return it != namespaces_.end() ? it->second : keyspace_->NamespaceOf(database);
}

Status Transaction::FlushDatabase(int database) {
  const uint32_t fresh = keyspace_->next_namespace() + fresh_namespaces_;
  if (fresh >= kMaxNamespace) {
    return Status::Aborted("the databases were flushed so often that their numbers are used up");
  }
  ++fresh_namespaces_;
  namespaces_[database] = fresh;
  return Status::OK();
}

void Transaction::SwapDatabases(int first, int second) {
  const uint32_t of_first = NamespaceOf(first);
  namespaces_[first] = NamespaceOf(second);
  namespaces_[second] = of_first;
}

Status Transaction::Commit(const rocksdb::WriteOptions& options,
                           const std::function<bool(const Status&)>& again) {
  Keyspace::Namespaces changes(namespaces_.begin(), namespaces_.end());
  if (!changes.empty()) {
    keyspace_->WriteNamespaces(
        changes, fresh_namespaces_,
        [this](const std::string& key, const std::string& value) { Put(key, value); });
  }
  if (!has_writes()) return Status::OK();
  Status s = keyspace_->db()->Write(options, &batch_);
  if (!s.ok() && again && again(s)) s = keyspace_->db()->Write(options, &batch_);
  if (s.ok() && locks_ != nullptr) {
    for (const auto& [ns, key] : touched_) locks_->Notify(ns, key);
    if (!changes.empty()) {
      if (keyspace_->locks().watched()) {
        for (const auto& change : changes) locks_->NotifyAll(keyspace_->NamespaceOf(change.first));
      }
      keyspace_->AdoptNamespaces(changes, fresh_namespaces_);
    }
  }
  batch_.Clear();
  pending_.clear();
  indexed_ = false;
  touched_.clear();
  namespaces_.clear();
  fresh_namespaces_ = 0;
  return s;
}

}  // namespace cairn::server
