#include "memtable/memtable_index.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/histogram.h"
#include "base/logging.h"
#include "base/perf.h"
#include "cairn/compiler.h"
#include "fiber/mutex.h"
#include "memtable/chained_list.h"

namespace cairn {
namespace {

using Node = SkipList::Node;
using Nodes = std::vector<const Node*>;

struct NodeBefore {
  const InternalKeyComparator* comparator;
  bool operator()(const Node* a, const Node* b) const {
    return comparator->Compare(a->key(), b->key()) < 0;
  }
  bool operator()(const Node* a, const Slice& key) const {
    return comparator->Compare(a->key(), key) < 0;
  }
  bool operator()(const Slice& key, const Node* a) const {
    return comparator->Compare(key, a->key()) < 0;
  }
};

// Counts a seek of an iterator, and times it.
class SeekCount {
 public:
  SeekCount() : timer_(perf_, &PerfContext::seek_on_memtable_time) {
    perf_.Count(&PerfContext::seek_on_memtable_count);
  }

 private:
  const Perf perf_;
  const PerfTimer timer_;
};
void CountNext() { Perf().Count(&PerfContext::next_on_memtable_count); }
void CountPrev() { Perf().Count(&PerfContext::prev_on_memtable_count); }

// Over a SkipList or a ChainedList.
template <class List>
class ListIterator final : public InternalIterator {
 public:
  explicit ListIterator(const List* list) : list_(list) {}

  bool Valid() const override { return node_ != nullptr; }
  void SeekToFirst() override { node_ = list_->First(); }
  void SeekToLast() override { node_ = list_->Last(); }
  void Seek(const Slice& target) override {
    const SeekCount count;
    node_ = list_->FindGreaterOrEqual(target);
  }
  void SeekForPrev(const Slice& target) override {
    const SeekCount count;
    node_ = list_->FindGreaterOrEqual(target);
    // Internal keys are equal only byte by byte. Where nothing is behind the target the last entry
    // is not the answer: one that has been inserted since may lie behind it.
    if (node_ == nullptr || node_->key() != target) node_ = list_->FindLessThan(target);
  }
  void Next() override {
    assert(Valid());
    CountNext();
    node_ = node_->Next(0);
    if (node_ != nullptr) compiler::Prefetch(node_->Next(0));
  }
  void Prev() override {
    assert(Valid());
    CountPrev();
    node_ = list_->FindLessThan(node_->key());
  }
  bool NextEntry(Slice* key, Slice* value) override {
    Next();
    if (node_ == nullptr) return false;
    *key = node_->key();
    *value = node_->value();
    return true;
  }
  Slice key() const override { return node_->key(); }
  Slice value() const override { return node_->value(); }
  Status status() const override { return Status::OK(); }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  const List* const list_;
  const Node* node_ = nullptr;
};

// Over sorted entries; `sort` gives them when they are first needed.
template <class Sort>
class SortedIterator final : public InternalIterator {
 public:
  SortedIterator(const InternalKeyComparator* comparator, Sort sort)
      : comparator_(comparator), sort_(std::move(sort)) {}

  bool Valid() const override { return nodes_ != nullptr && at_ < nodes_->size(); }
  void SeekToFirst() override {
    Load();
    at_ = 0;
  }
  void SeekToLast() override {
    Load();
    at_ = nodes_->size() - 1;  // of none: the largest number, not valid
  }
  void Seek(const Slice& target) override {
    const SeekCount count;
    Load();
    const auto it =
        std::lower_bound(nodes_->begin(), nodes_->end(), target, NodeBefore{comparator_});
    at_ = static_cast<size_t>(it - nodes_->begin());
  }
  void SeekForPrev(const Slice& target) override {
    const SeekCount count;
    Load();
    const auto it =
        std::upper_bound(nodes_->begin(), nodes_->end(), target, NodeBefore{comparator_});
    at_ = static_cast<size_t>(it - nodes_->begin()) - 1;
  }
  void Next() override {
    assert(Valid());
    CountNext();
    ++at_;
  }
  void Prev() override {
    assert(Valid());
    CountPrev();
    --at_;
  }
  Slice key() const override { return (*nodes_)[at_]->key(); }
  Slice value() const override { return (*nodes_)[at_]->value(); }
  Status status() const override { return Status::OK(); }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  void Load() {
    if (nodes_ == nullptr) nodes_ = sort_();
  }

  const InternalKeyComparator* const comparator_;
  const Sort sort_;
  std::shared_ptr<const Nodes> nodes_;
  size_t at_ = 0;
};

// --- Vector

class VectorIndex final : public MemTableIndex {
 public:
  VectorIndex(const InternalKeyComparator* comparator, ConcurrentArena* arena, size_t expected)
      : comparator_(comparator),
        arena_(arena),
        first_chunk_(std::bit_ceil(std::max(expected, kLeastChunk))) {}

  Node* AllocateNode(size_t key_size, size_t value_size) override {
    return SkipList::AllocateNode(arena_, key_size, value_size, /*max_height=*/1, /*branching=*/2);
  }

  bool Insert(Node* node) override {
    const size_t n = size_.load(std::memory_order_relaxed);
    const auto [chunk, offset] = PlaceOf(n);
    const Node** slots = chunks_[chunk].load(std::memory_order_relaxed);
    if (slots == nullptr) {
      slots = reinterpret_cast<const Node**>(
          arena_->AllocateAligned((first_chunk_ << chunk) * sizeof(Node*)));
      chunks_[chunk].store(slots, std::memory_order_relaxed);
    }
    slots[offset] = node;
    size_.store(n + 1, std::memory_order_release);  // the readers' acquire sees all of the above
    return true;
  }

  bool IsEmpty() const override { return size_.load(std::memory_order_acquire) == 0; }

  const Node* Find(const Slice& internal_key) const override {
    std::shared_ptr<const Nodes> sorted;
    const size_t n = size_.load(std::memory_order_acquire);
    {
      fiber::MutexLock lock(&mutex_);
      sorted = sorted_;
    }
    // A few that are not sorted yet are looked through, one by one.
    const size_t known = sorted == nullptr ? 0 : sorted->size();
    if (n > known && n - known > kLeastUnsorted &&
        (n - known) * (n - known) > kUnsortedFactor * n) {
      sorted = Sorted();
    }
    const NodeBefore before{comparator_};
    const Node* best = nullptr;
    if (sorted != nullptr) {
      const auto it = std::lower_bound(sorted->begin(), sorted->end(), internal_key, before);
      if (it != sorted->end()) best = *it;
    }
    for (size_t i = sorted == nullptr ? 0 : sorted->size(); i < n; ++i) {
      const Node* const node = At(i);
      if (!before(node, internal_key) && (best == nullptr || before(node, best))) best = node;
    }
    return best;
  }

  InternalIterator* NewIterator(bool /*one_prefix*/) const override {
    const auto sort = [this] { return Sorted(); };
    return new SortedIterator<decltype(sort)>(comparator_, sort);
  }

  uint64_t EstimateCountBefore(const Slice& internal_key) const override {
    const std::shared_ptr<const Nodes> sorted = Sorted();
    return static_cast<uint64_t>(
        std::lower_bound(sorted->begin(), sorted->end(), internal_key, NodeBefore{comparator_}) -
        sorted->begin());
  }

 private:
  static constexpr size_t kLeastChunk = 64;
  static constexpr int kChunks = 48;
  static constexpr size_t kLeastUnsorted = 128;
  static constexpr size_t kUnsortedFactor = 64;  // look through up to 8 * sqrt(n) entries

  struct Place {
    size_t chunk, offset;
  };
  // Chunk i has first_chunk_ << i slots.
  Place PlaceOf(size_t i) const {
    const size_t from_first = i + first_chunk_;
    const auto chunk =
        static_cast<size_t>(std::bit_width(from_first) - std::bit_width(first_chunk_));
    return {chunk, from_first - (first_chunk_ << chunk)};
  }
  const Node* At(size_t i) const {
    const auto [chunk, offset] = PlaceOf(i);
    return chunks_[chunk].load(std::memory_order_relaxed)[offset];
  }

  // All entries there are. The mutex is held while they are sorted: who comes then wants the same.
  std::shared_ptr<const Nodes> Sorted() const {
    fiber::MutexLock lock(&mutex_);
    const size_t n = size_.load(std::memory_order_acquire);
    const size_t known = sorted_ == nullptr ? 0 : sorted_->size();
    if (sorted_ != nullptr && known == n) return sorted_;
    Nodes nodes;
    nodes.reserve(n - known);
    for (size_t i = known; i < n; ++i) nodes.push_back(At(i));
    std::sort(nodes.begin(), nodes.end(), NodeBefore{comparator_});
    if (known != 0) {
      Nodes merged(n);
      std::merge(sorted_->begin(), sorted_->end(), nodes.begin(), nodes.end(), merged.begin(),
                 NodeBefore{comparator_});
      nodes = std::move(merged);
    }
    sorted_ = std::make_shared<const Nodes>(std::move(nodes));
    return sorted_;
  }

  const InternalKeyComparator* const comparator_;
  ConcurrentArena* const arena_;
  const size_t first_chunk_;
  std::atomic<const Node**> chunks_[kChunks] = {};  // relaxed: published by size_
  std::atomic<size_t> size_{0};

  mutable fiber::Mutex mutex_;
  // The first entries, in order; shared with iterators.
  mutable std::shared_ptr<const Nodes> sorted_ FIBER_GUARDED_BY(mutex_);
};

// --- Hashes of lists

// Over prefixes, a List (SkipList, ChainedList) for each hash value that there is.
template <class List>
class HashIndex : public MemTableIndex {
 public:
  HashIndex(const InternalKeyComparator* comparator, ConcurrentArena* arena,
            const SliceTransform* prefix_extractor, size_t buckets)
      : comparator_(comparator),
        arena_(arena),
        prefix_extractor_(prefix_extractor),
        bucket_count_(std::max<size_t>(buckets, 1)),
        buckets_(reinterpret_cast<std::atomic<List*>*>(
            arena->AllocateAligned(bucket_count_ * sizeof(std::atomic<List*>)))) {
    for (size_t i = 0; i < bucket_count_; ++i) new (&buckets_[i]) std::atomic<List*>(nullptr);
  }

  bool Insert(Node* node) override {
    const size_t bucket = BucketOf(ExtractUserKey(node->key()));
    List* list = buckets_[bucket].load(std::memory_order_relaxed);
    if (list == nullptr) {
      static_assert(std::is_trivially_destructible_v<List>);
      list = NewList(arena_->AllocateAligned(sizeof(List)));
      buckets_[bucket].store(list, std::memory_order_release);
    }
    if (!list->Insert(node)) return false;
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    OnInsert(bucket, *list, *node);
    return true;
  }

  bool IsEmpty() const override { return size_.load(std::memory_order_acquire) == 0; }

  const Node* Find(const Slice& internal_key) const override {
    const List* const list = ListOf(internal_key);
    return list == nullptr ? nullptr : list->FindGreaterOrEqual(internal_key);
  }

  InternalIterator* NewIterator(bool one_prefix) const override;

  uint64_t EstimateCountBefore(const Slice& internal_key) const override {
    uint64_t count = 0;
    ForEachList([&](const List* list) { count += list->EstimateCountBefore(internal_key); });
    return count;
  }

  // Null: nothing has been inserted that hashes like it.
  const List* ListOf(const Slice& internal_key) const {
    return buckets_[BucketOf(ExtractUserKey(internal_key))].load(std::memory_order_acquire);
  }
  bool HasPrefix(const Slice& internal_key) const {
    return prefix_extractor_->InDomain(comparator_->BareKey(ExtractUserKey(internal_key)));
  }

 protected:
  virtual List* NewList(char* memory) = 0;
  virtual void OnInsert(size_t /*bucket*/, const List& /*list*/, const Node& /*node*/) {}

  template <class F>
  void ForEachList(F f) const {
    for (size_t i = 0; i < bucket_count_; ++i) {
      if (const List* list = buckets_[i].load(std::memory_order_acquire)) f(list);
    }
  }
  size_t bucket_count() const { return bucket_count_; }

  const InternalKeyComparator* const comparator_;
  ConcurrentArena* const arena_;

 private:
  size_t BucketOf(const Slice& user_key) const {
    const Slice bare = comparator_->BareKey(user_key);
    const Slice hashed =
        prefix_extractor_->InDomain(bare) ? prefix_extractor_->Transform(bare) : bare;
    return HashSlice64(hashed) % bucket_count_;
  }

  std::shared_ptr<const Nodes> Sorted() const {
    auto nodes = std::make_shared<Nodes>();
    nodes->reserve(size_.load(std::memory_order_relaxed));
    ForEachList([&nodes](const List* list) {
      for (const Node* n = list->First(); n != nullptr; n = n->Next(0)) nodes->push_back(n);
    });
    std::sort(nodes->begin(), nodes->end(), NodeBefore{comparator_});
    return nodes;
  }

  const SliceTransform* const prefix_extractor_;
  const size_t bucket_count_;
  std::atomic<List*>* const buckets_;  // bucket_count_ of them
  std::atomic<size_t> size_{0};
};

// Within the list of the prefix that was sought; a target without a prefix, and the ends, need the
// order of all.
template <class List>
class HashPrefixIterator final : public InternalIterator {
 public:
  HashPrefixIterator(const HashIndex<List>* index, std::unique_ptr<InternalIterator> all)
      : index_(index), all_(std::move(all)) {}

  bool Valid() const override { return at_ != nullptr && at_->Valid(); }
  void SeekToFirst() override { UseAll()->SeekToFirst(); }
  void SeekToLast() override { UseAll()->SeekToLast(); }
  void Seek(const Slice& target) override {
    if (Use(target)) at_->Seek(target);
  }
  void SeekForPrev(const Slice& target) override {
    if (Use(target)) at_->SeekForPrev(target);
  }
  void Next() override { at_->Next(); }
  void Prev() override { at_->Prev(); }
  Slice key() const override { return at_->key(); }
  Slice value() const override { return at_->value(); }
  Status status() const override { return Status::OK(); }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  InternalIterator* UseAll() { return at_ = all_.get(); }
  // False: there is nothing with that prefix.
  bool Use(const Slice& target) {
    if (!index_->HasPrefix(target)) return UseAll() != nullptr;
    const List* const list = index_->ListOf(target);
    one_.reset(list == nullptr ? nullptr : new ListIterator<List>(list));
    at_ = one_.get();
    return at_ != nullptr;
  }

  const HashIndex<List>* const index_;
  const std::unique_ptr<InternalIterator> all_;
  std::unique_ptr<InternalIterator> one_;
  InternalIterator* at_ = nullptr;
};

template <class List>
InternalIterator* HashIndex<List>::NewIterator(bool one_prefix) const {
  const auto sort = [this] { return Sorted(); };
  std::unique_ptr<InternalIterator> all(new SortedIterator<decltype(sort)>(comparator_, sort));
  return one_prefix ? new HashPrefixIterator<List>(this, std::move(all)) : all.release();
}

class HashSkipListIndex final : public HashIndex<SkipList> {
 public:
  HashSkipListIndex(const InternalKeyComparator* comparator, ConcurrentArena* arena,
                    const SliceTransform* prefix_extractor, const HashSkipListOptions& options)
      : HashIndex(comparator, arena, prefix_extractor, options.buckets),
        max_height_(std::clamp(options.max_height, 1, SkipList::kMaxHeight)),
        branching_(std::max<uint32_t>(options.branching, 2)) {}

  Node* AllocateNode(size_t key_size, size_t value_size) override {
    return SkipList::AllocateNode(arena_, key_size, value_size, max_height_, branching_);
  }

 protected:
  SkipList* NewList(char* memory) override {
    return new (memory) SkipList(comparator_, arena_, max_height_);
  }

 private:
  const int max_height_;
  const uint32_t branching_;
};

class HashLinkListIndex final : public HashIndex<ChainedList> {
 public:
  HashLinkListIndex(const InternalKeyComparator* comparator, ConcurrentArena* arena,
                    const SliceTransform* prefix_extractor, const HashLinkListOptions& options)
      : HashIndex(comparator, arena, prefix_extractor, options.buckets), options_(options) {}

  Node* AllocateNode(size_t key_size, size_t value_size) override {
    return SkipList::AllocateNode(arena_, key_size, value_size, SkipList::kMaxHeight,
                                  SkipList::kBranching);
  }

  void LogDistribution() const override {
    if (!options_.log_distribution || options_.info_log == nullptr) return;
    Histogram entries;
    size_t empty = bucket_count();
    ForEachList([&](const ChainedList* list) {
      entries.Add(list->count());
      --empty;
    });
    for (; empty > 0; --empty) entries.Add(0);
    LogInfo(options_.info_log, "hashLinkedList Entry distribution among buckets: %s",
            entries.ToString().c_str());
  }

 protected:
  ChainedList* NewList(char* memory) override {
    return new (memory) ChainedList(comparator_, arena_, options_.longest);
  }
  void OnInsert(size_t bucket, const ChainedList& list, const Node& node) override {
    const int limit = options_.log_bucket_above;
    if (limit <= 0 || list.count() != static_cast<uint32_t>(limit) + 1) return;
    LogInfo(options_.info_log,
            "HashLinkedList bucket %zu has more than %d entries. Key inserted: %s", bucket, limit,
            ExtractUserKey(node.key()).ToString(/*hex=*/true).c_str());
  }

 private:
  const HashLinkListOptions options_;
};

}  // namespace

std::unique_ptr<MemTableIndex> NewVectorIndex(const InternalKeyComparator* comparator,
                                              ConcurrentArena* arena, size_t expected) {
  return std::make_unique<VectorIndex>(comparator, arena, expected);
}

std::unique_ptr<MemTableIndex> NewHashSkipListIndex(const InternalKeyComparator* comparator,
                                                    ConcurrentArena* arena,
                                                    const SliceTransform* prefix_extractor,
                                                    const HashSkipListOptions& options) {
  return std::make_unique<HashSkipListIndex>(comparator, arena, prefix_extractor, options);
}

std::unique_ptr<MemTableIndex> NewHashLinkListIndex(const InternalKeyComparator* comparator,
                                                    ConcurrentArena* arena,
                                                    const SliceTransform* prefix_extractor,
                                                    const HashLinkListOptions& options) {
  return std::make_unique<HashLinkListIndex>(comparator, arena, prefix_extractor, options);
}

InternalIterator* NewSkipListIterator(const SkipList* list) {
  return new ListIterator<SkipList>(list);
}

}  // namespace cairn
