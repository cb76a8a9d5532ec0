// What the built-in factories make for factories of a user's own that wrap or extend them:
// memtables behind the interface of rocksdb/memtablerep.h. (The engine has something faster for the
// built-in kinds, src/memtable/.)
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/memtable_factory.h"
#include "base/memtable_rep.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "rocksdb/slice_transform.h"

namespace cairn {
namespace {

using Order = MemTableRep::KeyComparator;
using Entries = std::vector<const char*>;

// A place among entries, in order, which was sought by an internal key.
class EntryBefore {
 public:
  explicit EntryBefore(const Order* order) : order_(order) {}
  bool operator()(const char* a, const char* b) const { return (*order_)(a, b) < 0; }
  bool operator()(const char* a, const Slice& b) const { return (*order_)(a, b) < 0; }
  bool operator()(const Slice& a, const char* b) const { return (*order_)(b, a) > 0; }

 private:
  const Order* order_;
};

// A skip list of entries. Nodes and entries come from the allocator, and go with it. Readers need
// no lock: a node is linked from the lowest level upward with release, and never unlinked.
class EntryList {
 public:
  static constexpr int kMaxHeight = 12;

  // The links of a level and above lie before the node, the entry behind it. Until it is linked its
  // height stands in `height`.
  struct Node {
    std::atomic<Node*> next0;
    union {
      int height;
      uint64_t aligned;
    };
    std::atomic<Node*>& next(int level) { return *(&next0 - level); }
    Node* Next(int level) const { return (&next0 - level)->load(std::memory_order_acquire); }
    char* entry() { return reinterpret_cast<char*>(this + 1); }
    const char* entry() const { return reinterpret_cast<const char*>(this + 1); }
  };

  // The head is on all levels. Null head: there is no memory.
  EntryList(const Order* order, Allocator* allocator, int max_height)
      : order_(order), max_height_(max_height), head_(NewNode(allocator, 0, max_height)) {
    if (head_ == nullptr) throw std::bad_alloc();
  }

  static Node* NewNode(Allocator* allocator, size_t entry_size, int height) {
    const size_t above = sizeof(std::atomic<Node*>) * static_cast<size_t>(height - 1);
    char* const raw = allocator->AllocateAligned(above + sizeof(Node) + entry_size);
    if (raw == nullptr) return nullptr;
    Node* const node = reinterpret_cast<Node*>(raw + above);
    for (int level = 0; level < height; ++level) {
      new (&node->next(level)) std::atomic<Node*>(nullptr);
    }
    node->height = height;
    return node;
  }
  // MemTableRep::Allocate(): the handle is a node of a random height.
  static KeyHandle AllocateEntry(Allocator* allocator, size_t entry_size, int max_height,
                                 uint32_t branching, char** buf) {
    uint64_t bits = fiber::random_u64();
    int height = 1;
    for (; height < max_height && bits % branching == 0; ++height) bits /= branching;
    Node* const node = NewNode(allocator, entry_size, height);
    *buf = node == nullptr ? nullptr : node->entry();
    return node;
  }

  // Beside any other writers. False: there is an equal one.
  bool Insert(Node* node) {
    Node* before[kMaxHeight] = {};
    Node* at[kMaxHeight] = {};
    Node* from = head_;
    for (int level = max_height_ - 1; level >= 0; --level) {
      Bracket(node->entry(), from, level, &before[level], &at[level]);
      from = before[level];
    }
    for (int level = 0; level < node->height; ++level) {
      while (true) {
        if (level == 0 && at[0] != nullptr && (*order_)(at[0]->entry(), node->entry()) == 0) {
          return false;
        }
        node->next(level).store(at[level], std::memory_order_relaxed);
        if (before[level]->next(level).compare_exchange_strong(
                at[level], node, std::memory_order_release, std::memory_order_acquire)) {
          break;
        }
        Bracket(node->entry(), before[level], level, &before[level], &at[level]);
      }
    }
    return true;
  }

  // Key: an entry, or a Slice that is an internal key. The last node before it, which may be the
  // head; with `equal_too` the last that is not behind it.
  template <class Key>
  Node* LastBefore(const Key& key, bool equal_too = false) const {
    Node* node = head_;
    for (int level = max_height_ - 1; level >= 0; --level) {
      for (Node* next = node->Next(level);
           next != nullptr && (*order_)(next->entry(), key) < (equal_too ? 1 : 0);
           next = node->Next(level)) {
        node = next;
      }
    }
    return node;
  }
  bool Contains(const char* entry) const {
    const Node* const node = LastBefore(entry)->Next(0);
    return node != nullptr && (*order_)(node->entry(), entry) == 0;
  }
  Node* Last() const {
    Node* node = head_;
    for (int level = max_height_ - 1; level >= 0; --level) {
      while (Node* const next = node->Next(level)) node = next;
    }
    return node;
  }
  Node* head() const { return head_; }

 private:
  void Bracket(const char* entry, Node* from, int level, Node** before, Node** at) const {
    Node* next = from->Next(level);
    while (next != nullptr && (*order_)(next->entry(), entry) < 0) {
      from = next;
      next = from->Next(level);
    }
    *before = from;
    *at = next;
  }

  const Order* const order_;
  const int max_height_;
  Node* const head_;
};

class ListIterator final : public MemTableRep::Iterator {
 public:
  explicit ListIterator(const EntryList* list) : list_(list) {}
  bool Valid() const override { return node_ != nullptr; }
  const char* key() const override { return node_->entry(); }
  void Next() override { node_ = node_->Next(0); }
  void Prev() override { Set(list_->LastBefore(key())); }
  void Seek(const Slice& internal_key, const char* /*memtable_key*/) override {
    node_ = list_->LastBefore(internal_key)->Next(0);
  }
  void SeekForPrev(const Slice& internal_key, const char* /*memtable_key*/) override {
    Set(list_->LastBefore(internal_key, /*equal_too=*/true));
  }
  void SeekToFirst() override { node_ = list_->head()->Next(0); }
  void SeekToLast() override { Set(list_->Last()); }

 private:
  void Set(const EntryList::Node* node) { node_ = node == list_->head() ? nullptr : node; }

  const EntryList* const list_;
  const EntryList::Node* node_ = nullptr;
};

// Over what `sort` returns (shared entries in order) when it is first positioned.
template <class Sort>
class SortedIterator final : public MemTableRep::Iterator {
 public:
  SortedIterator(const Order* order, Sort sort) : before_(order), sort_(std::move(sort)) {}
  bool Valid() const override { return entries_ != nullptr && at_ < entries_->size(); }
  const char* key() const override { return (*entries_)[at_]; }
  void Next() override { ++at_; }
  void Prev() override { --at_; }
  void Seek(const Slice& internal_key, const char* /*memtable_key*/) override {
    Load();
    at_ = static_cast<size_t>(
        std::lower_bound(entries_->begin(), entries_->end(), internal_key, before_) -
        entries_->begin());
  }
  void SeekForPrev(const Slice& internal_key, const char* /*memtable_key*/) override {
    Load();
    at_ = static_cast<size_t>(
              std::upper_bound(entries_->begin(), entries_->end(), internal_key, before_) -
              entries_->begin()) -
          1;
  }
  void SeekToFirst() override {
    Load();
    at_ = 0;
  }
  void SeekToLast() override {
    Load();
    at_ = entries_->size() - 1;
  }

 private:
  void Load() {
    if (entries_ == nullptr) entries_ = sort_();
  }

  const EntryBefore before_;
  const Sort sort_;
  std::shared_ptr<const Entries> entries_;
  size_t at_ = 0;
};

template <class Sort>
MemTableRep::Iterator* NewSortedIterator(const Order* order, Sort sort) {
  return new SortedIterator<Sort>(order, std::move(sort));
}

// Counts with an iterator of the representation's own.
uint64_t CountBetween(MemTableRep* rep, const Order& order, const Slice& start, const Slice& end) {
  const std::unique_ptr<MemTableRep::Iterator> iter(rep->GetIterator());
  uint64_t count = 0;
  for (iter->Seek(start, nullptr); iter->Valid() && order(iter->key(), end) < 0; iter->Next()) {
    ++count;
  }
  return count;
}

// Takes concurrent writers. At most `max_height` levels, of which one entry in `branching` reaches
// the next.
class SkipListRep final : public MemTableRep {
 public:
  SkipListRep(const Order& order, Allocator* allocator, int max_height, uint32_t branching)
      : MemTableRep(allocator),
        order_(order),
        max_height_(max_height),
        branching_(branching),
        list_(&order, allocator, max_height) {}

  KeyHandle Allocate(size_t len, char** buf) override {
    return EntryList::AllocateEntry(allocator_, len, max_height_, branching_, buf);
  }
  void Insert(KeyHandle handle) override { (void)InsertKey(handle); }
  bool InsertKey(KeyHandle handle) override {
    return list_.Insert(static_cast<EntryList::Node*>(handle));
  }
  void InsertConcurrently(KeyHandle handle) override { (void)InsertKey(handle); }
  bool InsertKeyConcurrently(KeyHandle handle) override { return InsertKey(handle); }
  bool InsertKeyWithHint(KeyHandle handle, void** /*hint*/) override { return InsertKey(handle); }
  bool InsertKeyWithHintConcurrently(KeyHandle handle, void** /*hint*/) override {
    return InsertKey(handle);
  }
  bool Contains(const char* key) const override { return list_.Contains(key); }
  uint64_t ApproximateNumEntries(const Slice& start, const Slice& end) override {
    return CountBetween(this, order_, start, end);
  }
  size_t ApproximateMemoryUsage() override { return 0; }
  Iterator* GetIterator(ROCKSDB_NAMESPACE::Arena* /*arena*/) override {
    return new ListIterator(&list_);
  }

 private:
  const Order& order_;
  const int max_height_;
  const uint32_t branching_;
  EntryList list_;
};

// Entries as they come, sorted when somebody reads. `count`: room for so many at once.
class VectorRep final : public MemTableRep {
 public:
  VectorRep(const Order& order, Allocator* allocator, size_t count)
      : MemTableRep(allocator), order_(order) {
    entries_.reserve(count);
  }

  void Insert(KeyHandle handle) override {
    fiber::MutexLock lock(&mutex_);
    entries_.push_back(static_cast<const char*>(handle));
    sorted_ = nullptr;
  }
  bool Contains(const char* key) const override {
    const std::shared_ptr<const Entries> sorted = Sorted();
    return std::binary_search(sorted->begin(), sorted->end(), key, EntryBefore(&order_));
  }
  uint64_t ApproximateNumEntries(const Slice& start, const Slice& end) override {
    return CountBetween(this, order_, start, end);
  }
  size_t ApproximateMemoryUsage() override {
    fiber::MutexLock lock(&mutex_);
    return (entries_.capacity() + (sorted_ == nullptr ? 0 : sorted_->capacity())) *
           sizeof(const char*);
  }
  Iterator* GetIterator(ROCKSDB_NAMESPACE::Arena* /*arena*/) override {
    return NewSortedIterator(&order_, [this] { return Sorted(); });
  }

 private:
  std::shared_ptr<const Entries> Sorted() const {
    fiber::MutexLock lock(&mutex_);
    if (sorted_ == nullptr) {
      auto sorted = std::make_shared<Entries>(entries_);
      std::sort(sorted->begin(), sorted->end(), EntryBefore(&order_));
      sorted_ = std::move(sorted);
    }
    return sorted_;
  }

  const Order& order_;
  mutable fiber::Mutex mutex_;
  Entries entries_ FIBER_GUARDED_BY(mutex_);
  mutable std::shared_ptr<const Entries> sorted_ FIBER_GUARDED_BY(mutex_);  // null: not yet
};

// Such a skip list for each of `buckets` hash values of the prefixes (null: of whole user keys),
// for one writer.
class HashRep final : public MemTableRep {
 public:
  HashRep(const Order& order, Allocator* allocator, const SliceTransform* prefix_extractor,
          size_t buckets, int max_height, uint32_t branching)
      : MemTableRep(allocator),
        order_(order),
        prefix_extractor_(prefix_extractor),
        max_height_(max_height),
        branching_(branching),
        buckets_(std::max<size_t>(buckets, 1)) {}

  ~HashRep() override {
    for (const auto& bucket : buckets_) delete bucket.load(std::memory_order_relaxed);
  }

  KeyHandle Allocate(size_t len, char** buf) override {
    return EntryList::AllocateEntry(allocator_, len, max_height_, branching_, buf);
  }
  void Insert(KeyHandle handle) override { (void)InsertKey(handle); }
  bool InsertKey(KeyHandle handle) override {
    auto* const node = static_cast<EntryList::Node*>(handle);
    std::atomic<EntryList*>& bucket = BucketOf(UserKey(node->entry()));
    EntryList* list = bucket.load(std::memory_order_relaxed);
    if (list == nullptr) {
      list = new EntryList(&order_, allocator_, max_height_);
      bucket.store(list, std::memory_order_release);
    }
    return list->Insert(node);
  }
  bool Contains(const char* key) const override {
    const EntryList* const list = ListOf(UserKey(key));
    return list != nullptr && list->Contains(key);
  }
  uint64_t ApproximateNumEntries(const Slice& start, const Slice& end) override {
    return CountBetween(this, order_, start, end);
  }
  size_t ApproximateMemoryUsage() override { return buckets_.size() * sizeof(buckets_[0]); }
  Iterator* GetIterator(ROCKSDB_NAMESPACE::Arena* /*arena*/) override {
    return NewSortedIterator(&order_, [this] { return Sorted(); });
  }
  Iterator* GetDynamicPrefixIterator(ROCKSDB_NAMESPACE::Arena* /*arena*/) override {
    return new PrefixIterator(this);
  }

 private:
  // In the list of what was sought; the ends are those of all.
  class PrefixIterator final : public Iterator {
   public:
    explicit PrefixIterator(HashRep* rep) : rep_(rep) {}
    bool Valid() const override { return at_ != nullptr && at_->Valid(); }
    const char* key() const override { return at_->key(); }
    void Next() override { at_->Next(); }
    void Prev() override { at_->Prev(); }
    void Seek(const Slice& internal_key, const char* memtable_key) override {
      if (Use(internal_key)) at_->Seek(internal_key, memtable_key);
    }
    void SeekForPrev(const Slice& internal_key, const char* memtable_key) override {
      if (Use(internal_key)) at_->SeekForPrev(internal_key, memtable_key);
    }
    void SeekToFirst() override {
      at_.reset(rep_->GetIterator(nullptr));
      at_->SeekToFirst();
    }
    void SeekToLast() override {
      at_.reset(rep_->GetIterator(nullptr));
      at_->SeekToLast();
    }

   private:
    bool Use(const Slice& internal_key) {
      const EntryList* const list = rep_->ListOf(ExtractUserKey(internal_key));
      at_.reset(list == nullptr ? nullptr : new ListIterator(list));
      return at_ != nullptr;
    }

    HashRep* const rep_;
    std::unique_ptr<Iterator> at_;
  };

  std::atomic<EntryList*>& BucketOf(const Slice& user_key) {
    return buckets_[HashSlice64(Hashed(user_key)) % buckets_.size()];
  }
  const EntryList* ListOf(const Slice& user_key) const {
    return buckets_[HashSlice64(Hashed(user_key)) % buckets_.size()].load(
        std::memory_order_acquire);
  }
  Slice Hashed(const Slice& user_key) const {
    return prefix_extractor_ != nullptr && prefix_extractor_->InDomain(user_key)
               ? prefix_extractor_->Transform(user_key)
               : user_key;
  }
  std::shared_ptr<const Entries> Sorted() const {
    auto all = std::make_shared<Entries>();
    for (const auto& bucket : buckets_) {
      const EntryList* const list = bucket.load(std::memory_order_acquire);
      if (list == nullptr) continue;
      for (const auto* n = list->head()->Next(0); n != nullptr; n = n->Next(0)) {
        all->push_back(n->entry());
      }
    }
    std::sort(all->begin(), all->end(), EntryBefore(&order_));
    return all;
  }

  const Order& order_;
  const SliceTransform* const prefix_extractor_;
  const int max_height_;
  const uint32_t branching_;
  std::vector<std::atomic<EntryList*>> buckets_;
};

int Height(int64_t asked) {
  return static_cast<int>(std::clamp<int64_t>(asked, 1, EntryList::kMaxHeight));
}

constexpr uint32_t kBranching = 4;

}  // namespace

MemTableRep* HashSkipListRepFactory::CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                                       Allocator* allocator,
                                                       const SliceTransform* slice_transform,
                                                       Logger* /*logger*/) {
  return new HashRep(key_cmp, allocator, slice_transform, options_.bucket_count,
                     Height(options_.skiplist_height),
                     static_cast<uint32_t>(std::max(options_.branching_factor, 2)));
}

MemTableRep* HashLinkListRepFactory::CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                                       Allocator* allocator,
                                                       const SliceTransform* slice_transform,
                                                       Logger* /*logger*/) {
  return new HashRep(key_cmp, allocator, slice_transform, options_.bucket_count,
                     EntryList::kMaxHeight, kBranching);
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

MemTableRep* SkipListFactory::CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                                Allocator* allocator,
                                                const SliceTransform* /*slice_transform*/,
                                                Logger* /*logger*/) {
  return new cairn::SkipListRep(key_cmp, allocator, cairn::EntryList::kMaxHeight,
                                cairn::kBranching);
}

MemTableRep* VectorRepFactory::CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                                 Allocator* allocator,
                                                 const SliceTransform* /*slice_transform*/,
                                                 Logger* /*logger*/) {
  return new cairn::VectorRep(key_cmp, allocator, count_);
}

}  // namespace ROCKSDB_NAMESPACE
