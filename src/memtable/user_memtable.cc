#include "memtable/user_memtable.h"

#include <cassert>
#include <exception>
#include <utility>

#include "base/coding.h"
#include "base/logging.h"

namespace cairn {

UserMemTable::Decoded UserMemTable::Decode(const char* entry) {
  const Slice key = GetLengthPrefixedSlice(entry);
  return {key, GetLengthPrefixedSlice(key.data() + key.size())};
}

class UserMemTable::KeyOrder final : public MemTableRep::KeyComparator {
 public:
  explicit KeyOrder(const InternalKeyComparator* comparator) : comparator_(comparator) {}
  int operator()(const char* a, const char* b) const override {
    return comparator_->Compare(GetLengthPrefixedSlice(a), GetLengthPrefixedSlice(b));
  }
  int operator()(const char* a, const Slice& b) const override {
    return comparator_->Compare(GetLengthPrefixedSlice(a), b);
  }

 private:
  const InternalKeyComparator* const comparator_;
};

Status UserMemTable::Threw(const char* function, const char* what) const {
  return Status::Aborted(
      std::string("memtable_factory ") + factory_->Name() + ": " + function + "() threw", what);
}

template <class F>
Status UserMemTable::Guarded(const char* function, F f) const {
  try {
    f();
    return Status::OK();
  } catch (const std::exception& e) {
    return Threw(function, e.what());
  } catch (...) {
    return Threw(function, "something");
  }
}

// Over the object's iterator. Entries that do not ascend, or none where it says that it stands at
// one, are Corruption.
class UserMemTable::RepIterator final : public InternalIterator {
 public:
  RepIterator(const UserMemTable* table, bool one_prefix)
      : table_(table), one_prefix_(one_prefix), status_(table->status()) {
    if (!status_.ok()) return;
    const char* const function = one_prefix ? "GetDynamicPrefixIterator" : "GetIterator";
    status_ = table_->Guarded(function, [&] {
      base_.reset(one_prefix ? table_->rep_->GetDynamicPrefixIterator(nullptr)
                             : table_->rep_->GetIterator(nullptr));
    });
    if (status_.ok() && base_ == nullptr) {
      status_ = Status::Aborted(std::string("memtable_factory ") + table_->factory_->Name() + ": " +
                                function + "() returned null");
    }
  }

  bool Valid() const override { return valid_; }
  void SeekToFirst() override {
    Move("SeekToFirst", Way::kAnywhere, [this] { base_->SeekToFirst(); });
  }
  void SeekToLast() override {
    Move("SeekToLast", Way::kAnywhere, [this] { base_->SeekToLast(); });
  }
  void Seek(const Slice& target) override {
    Encode(target);
    Move("Seek", Way::kAnywhere, [&] { base_->Seek(target, encoded_.data()); });
  }
  void SeekForPrev(const Slice& target) override {
    Encode(target);
    Move("SeekForPrev", Way::kAnywhere, [&] { base_->SeekForPrev(target, encoded_.data()); });
  }
  void Next() override {
    assert(valid_);
    Move("Next", Way::kForward, [this] { base_->Next(); });
  }
  void Prev() override {
    assert(valid_);
    Move("Prev", Way::kBackward, [this] { base_->Prev(); });
  }
  Slice key() const override { return at_.key; }
  Slice value() const override { return at_.value; }
  Status status() const override { return status_; }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  enum class Way { kAnywhere, kForward, kBackward };

  void Encode(const Slice& target) {
    encoded_.clear();
    PutLengthPrefixedSlice(&encoded_, target);
  }

  template <class F>
  void Move(const char* function, Way way, F f) {
    valid_ = false;
    if (base_ == nullptr) return;
    if (way == Way::kAnywhere) status_ = table_->status();
    if (!status_.ok()) return;
    const Slice last = at_.key;
    const char* entry = nullptr;
    status_ = table_->Guarded(function, [&] {
      f();
      valid_ = base_->Valid();
      if (valid_) entry = base_->key();
    });
    if (status_.ok() && !valid_) return;
    valid_ = false;
    if (!status_.ok()) return;
    if (entry == nullptr) {
      status_ = Wrong(function, "stands at no entry", Slice());
      return;
    }
    at_ = Decode(entry);
    if (at_.key.size() < kInternalKeyFooterSize) {
      status_ = Wrong(function, "came to an entry that was not inserted", Slice());
      return;
    }
    // (Behind the prefix that was sought an iterator of one prefix may show anything.)
    if (way != Way::kAnywhere && !one_prefix_) {
      const int order = table_->comparator_->Compare(at_.key, last);
      if (way == Way::kForward ? order <= 0 : order >= 0) {
        status_ = Wrong(function, "left the order of keys", last);
        return;
      }
    }
    valid_ = true;
  }

  Status Wrong(const char* function, const char* what, const Slice& after) const {
    std::string where =
        after.empty() ? std::string() : "after " + ExtractUserKey(after).ToString(/*hex=*/true);
    return Status::Corruption(std::string("memtable_factory ") + table_->factory_->Name() + ": " +
                                  function + "() of an iterator " + what,
                              where);
  }

  const UserMemTable* const table_;
  const bool one_prefix_;
  Status status_;
  std::unique_ptr<MemTableRep::Iterator> base_;
  std::string encoded_;
  bool valid_ = false;
  Decoded at_;
};

UserMemTable::UserMemTable(std::shared_ptr<MemTableRepFactory> factory,
                           const InternalKeyComparator* comparator, ConcurrentArena* arena,
                           const SliceTransform* prefix_extractor, Logger* info_log,
                           uint32_t column_family)
    : factory_(std::move(factory)),
      comparator_(comparator),
      info_log_(info_log),
      order_(std::make_unique<const KeyOrder>(comparator)),
      allocator_(arena) {
  Status s = Guarded("CreateMemTableRep", [&] {
    rep_.reset(factory_->CreateMemTableRep(*order_, &allocator_, prefix_extractor, info_log,
                                           column_family));
    if (rep_ == nullptr) return;
    supports_merge_ = rep_->IsMergeOperatorSupported();
    supports_snapshots_ = rep_->IsSnapshotSupported();
  });
  if (s.ok() && rep_ == nullptr) {
    s = Status::Aborted(std::string("memtable_factory ") + factory_->Name() +
                        ": CreateMemTableRep() returned null");
  }
  if (!s.ok()) {
    rep_.reset();
    Fail(s);
  }
}

UserMemTable::~UserMemTable() = default;

Status UserMemTable::status() const {
  if (!failed_.load(std::memory_order_acquire)) [[likely]]
    return Status::OK();
  fiber::MutexLock lock(&mutex_);
  return failure_;
}

void UserMemTable::Fail(const Status& status) {
  LogError(info_log_, "%s", status.ToString().c_str());
  fiber::MutexLock lock(&mutex_);
  if (failure_.ok()) failure_ = status;
  failed_.store(true, std::memory_order_release);
}

Status UserMemTable::Allocate(size_t key_size, size_t value_size, size_t extra, Entry* entry) {
  if (Status s = status(); !s.ok()) return s;
  const size_t size = static_cast<size_t>(VarintLength(key_size)) + key_size +
                      static_cast<size_t>(VarintLength(value_size)) + value_size + extra;
  char* buffer = nullptr;
  Status s = Guarded("Allocate", [&] { entry->handle = rep_->Allocate(size, &buffer); });
  if (!s.ok()) return s;
  if (buffer == nullptr) return Status::MemoryLimit("no memory for an entry of the memtable");
  entry->key = EncodeVarint32(buffer, static_cast<uint32_t>(key_size));
  entry->value = EncodeVarint32(entry->key + key_size, static_cast<uint32_t>(value_size));
  return s;
}

Status UserMemTable::Insert(const Entry& entry, bool concurrent) {
  used_.store(true, std::memory_order_release);
  bool inserted = false;
  Status s = Guarded(concurrent ? "InsertKeyConcurrently" : "InsertKey", [&] {
    inserted =
        concurrent ? rep_->InsertKeyConcurrently(entry.handle) : rep_->InsertKey(entry.handle);
  });
  if (!s.ok()) {
    Fail(s);
    return s;
  }
  return inserted ? s : Status::TryAgain("Entry with this key and sequence number exists");
}

void UserMemTable::FinishConcurrentBatch() {
  if (rep_ == nullptr) return;
  if (Status s = Guarded("BatchPostProcess", [this] { rep_->BatchPostProcess(); }); !s.ok()) {
    Fail(s);
  }
}

Status UserMemTable::Get(const LookupKey& key, const Step& step) const {
  if (Status s = status(); !s.ok()) return IsEmpty() ? Status::OK() : s;
  struct Call {
    const Step* step;
    bool no_entry;
  } call{&step, false};
  Status s = Guarded("Get", [&] {
    rep_->Get(ROCKSDB_NAMESPACE::LookupKey(key), &call, [](void* arg, const char* entry) {
      auto* const of = static_cast<Call*>(arg);
      if (entry == nullptr) {
        of->no_entry = true;
        return false;
      }
      const Decoded at = Decode(entry);
      return (*of->step)(at.key, at.value);
    });
  });
  if (s.ok() && call.no_entry) {
    s = Status::Corruption(std::string("memtable_factory ") + factory_->Name() +
                           ": Get() gave no entry");
  }
  return s;
}

InternalIterator* UserMemTable::NewIterator(bool one_prefix) const {
  if (IsEmpty() && rep_ == nullptr) return NewEmptyInternalIterator();
  return new RepIterator(this, one_prefix);
}

uint64_t UserMemTable::CountBetween(const Slice& start, const Slice& end) const {
  uint64_t count = 0;
  if (!status().ok()) return count;
  // (An estimate: what throws is none.)
  (void)Guarded("ApproximateNumEntries", [&] { count = rep_->ApproximateNumEntries(start, end); });
  return count;
}

size_t UserMemTable::ApproximateMemoryUsage() const {
  size_t bytes = 0;
  if (rep_ == nullptr) return bytes;
  (void)Guarded("ApproximateMemoryUsage", [&] { bytes = rep_->ApproximateMemoryUsage(); });
  return bytes;
}

void UserMemTable::MarkReadOnly() {
  if (rep_ == nullptr) return;
  Status s = Guarded("MarkReadOnly", [this] { rep_->MarkReadOnly(); });
  if (!s.ok()) LogError(info_log_, "%s", s.ToString().c_str());
}

void UserMemTable::MarkFlushed() {
  if (rep_ == nullptr) return;
  Status s = Guarded("MarkFlushed", [this] { rep_->MarkFlushed(); });
  if (!s.ok()) LogError(info_log_, "%s", s.ToString().c_str());
}

}  // namespace cairn
