#include "memtable/skiplist.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <optional>

#include "base/coding.h"
#include "base/perf.h"
#include "cairn/compiler.h"
#include "fiber/interleave.h"
#include "fiber/random.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

inline uint64_t LoadBigEndian(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof(v));
  return compiler::ByteSwap(v);
}

inline uint64_t PrefixOf(const char* user_key, size_t size) {
  if (size >= 8) [[likely]]
    return LoadBigEndian(user_key);
  char padded[8] = {};
  std::memcpy(padded, user_key, size);
  return LoadBigEndian(padded);
}

}  // namespace

// The two orders answer, for one sought internal key, where a node lies, or what the prefix beside
// the link to it says of that. Both are value types made once per search.

// Byte order of user keys, without a call: keys are compared eight bytes at a time as big-endian
// integers, the first of which stays in a register for the whole search.
class SkipList::BytewiseOrder {
 public:
  explicit BytewiseOrder(const Slice& internal_key)
      : BytewiseOrder(
            Slice(internal_key.data(), internal_key.size() - kInternalKeyFooterSize),
            DecodeFixed64(internal_key.data() + internal_key.size() - kInternalKeyFooterSize)) {}
  BytewiseOrder(const Slice& user_key, uint64_t footer)
      : user_(user_key.data()),
        size_(user_key.size()),
        footer_(footer),
        prefix_(PrefixOf(user_, size_)) {}

  static constexpr bool kHasPrefix = true;
  uint64_t prefix() const { return prefix_; }

  bool IsBefore(const Node* node) const {  // node < sought
    const char* key = node->key_data();
    const size_t node_size = node->key_size - kInternalKeyFooterSize;
    const size_t common = node_size < size_ ? node_size : size_;
    if (common >= 8) [[likely]] {
      uint64_t a = LoadBigEndian(key);
      if (a != prefix_) return a < prefix_;
      size_t i = 8;
      for (; i + 8 <= common; i += 8) {
        a = LoadBigEndian(key + i);
        const uint64_t b = LoadBigEndian(user_ + i);
        if (a != b) return a < b;
      }
      if (i < common) {  // the last word overlaps what is known to be equal
        a = LoadBigEndian(key + common - 8);
        const uint64_t b = LoadBigEndian(user_ + common - 8);
        if (a != b) return a < b;
      }
    } else {
      const int c = std::memcmp(key, user_, common);
      if (c != 0) return c < 0;
    }
    if (node_size != size_) return node_size < size_;
    return DecodeFixed64(key + node_size) > footer_;  // newer entries come first
  }

  bool IsEqual(const Node* node) const {
    return node->key_size == size_ + kInternalKeyFooterSize &&
           std::memcmp(node->key_data(), user_, node->key_size) == 0;
  }

 private:
  const char* const user_;
  const size_t size_;
  const uint64_t footer_;
  const uint64_t prefix_;
};

class SkipList::GeneralOrder {
 public:
  GeneralOrder(const InternalKeyComparator* comparator, const Slice& internal_key)
      : comparator_(comparator), key_(internal_key) {}

  static constexpr bool kHasPrefix = false;
  static uint64_t prefix() { return UINT64_MAX; }

  bool IsBefore(const Node* node) const { return comparator_->Compare(node->key(), key_) < 0; }
  bool IsEqual(const Node* node) const { return comparator_->Compare(node->key(), key_) == 0; }

 private:
  const InternalKeyComparator* const comparator_;
  const Slice key_;
};

SkipList::SkipList(const InternalKeyComparator* comparator, ConcurrentArena* arena, int max_height)
    : comparator_(comparator),
      arena_(arena),
      bytewise_(comparator->user_comparator() == BytewiseComparator()),
      head_(NewNode(arena, 0, 0, max_height)) {
  head_->link0.next.store(nullptr, std::memory_order_relaxed);  // no stashed height
}

template <class F>
auto SkipList::WithOrder(const Slice& internal_key, F&& f) const {
  assert(internal_key.size() >= kInternalKeyFooterSize);
  return bytewise_ ? f(BytewiseOrder(internal_key)) : f(GeneralOrder(comparator_, internal_key));
}

int SkipList::RandomHeight() {
  static_assert((kBranching & (kBranching - 1)) == 0);
  uint64_t bits = fiber::random_u64();
  int height = 1;
  while (height < kMaxHeight && (bits & (kBranching - 1)) == 0) {
    ++height;
    bits /= kBranching;
  }
  return height;
}

SkipList::Node* SkipList::NewNode(ConcurrentArena* arena, size_t key_size, size_t value_size,
                                  int height) {
  const size_t above = sizeof(Link) * static_cast<size_t>(height - 1);
  char* raw = arena->AllocateAligned(above + sizeof(Node) + key_size + value_size);
  if (raw == nullptr) [[unlikely]]
    return nullptr;
  for (size_t offset = 0; offset < above; offset += sizeof(Link)) new (raw + offset) Link;
  Node* node = new (raw + above) Node;
  node->key_size = static_cast<uint32_t>(key_size);
  node->value_size = static_cast<uint32_t>(value_size);
  node->link0.next.store(reinterpret_cast<Node*>(static_cast<uintptr_t>(height)),
                         std::memory_order_relaxed);
  return node;
}

int SkipList::StashedHeight(const Node* unlinked) {
  return static_cast<int>(
      reinterpret_cast<uintptr_t>(unlinked->link0.next.load(std::memory_order_relaxed)));
}

SkipList::Node* SkipList::AllocateNode(size_t key_size, size_t value_size) {
  return NewNode(arena_, key_size, value_size, RandomHeight());
}

SkipList::Node* SkipList::AllocateNode(ConcurrentArena* arena, size_t key_size, size_t value_size,
                                       int max_height, uint32_t branching) {
  assert(max_height >= 1 && max_height <= kMaxHeight && branching > 1);
  uint64_t bits = max_height == 1 ? 0 : fiber::random_u64();
  int height = 1;
  for (; height < max_height && bits % branching == 0; ++height) bits /= branching;
  return NewNode(arena, key_size, value_size, height);
}

void SkipList::Chain(Node* node, Node* next) {
  node->link0.prefix.store(static_cast<uint64_t>(StashedHeight(node)), std::memory_order_relaxed);
  node->link0.next.store(next, std::memory_order_relaxed);
}

void SkipList::AdoptChain(Node* first) {
  Link* last[kMaxHeight];
  for (int level = 0; level < kMaxHeight; ++level) last[level] = head_->link(level);
  for (Node* node = first; node != nullptr; node = node->Next(0)) {
    const auto height = static_cast<int>(node->link0.prefix.load(std::memory_order_relaxed));
    RaiseHeight(height);
    const uint64_t prefix =
        bytewise_ ? PrefixOf(node->key_data(), node->key_size - kInternalKeyFooterSize)
                  : UINT64_MAX;
    for (int level = 0; level < height; ++level) {
      last[level]->next.store(node, std::memory_order_release);
      last[level]->prefix.store(prefix, std::memory_order_release);
      last[level] = node->link(level);
    }
  }
  // (Behind the last one of a level there is nothing: null above level 0 since it was made.)
  last[0]->prefix.store(UINT64_MAX, std::memory_order_release);
}

void SkipList::RaiseHeight(int height) {
  int seen = height_.load(std::memory_order_relaxed);
  while (seen < height && !height_.compare_exchange_weak(seen, height, std::memory_order_relaxed)) {
  }
}

template <class Order>
inline SkipList::Ahead SkipList::Look(const Order& order, const Node* node, int level) {
  const Link* const link = node->link(level);
  if constexpr (Order::kHasPrefix) {
    const uint64_t prefix = link->prefix.load(std::memory_order_acquire);
    Node* const next = link->next.load(std::memory_order_acquire);
    return {next, prefix < order.prefix()   ? Side::kBefore
                  : prefix > order.prefix() ? Side::kNotBefore
                                            : Side::kUnknown};
  } else {
    return {link->next.load(std::memory_order_acquire), Side::kUnknown};
  }
}

// A search that stops whenever it is about to read a node that may not be in the caches.
class SkipList::Descent {
 public:
  Descent(const Slice& user_key, const Node* head, int height)
      : order_(user_key, UINT64_MAX), at_(head), level_(height - 1) {}

  // False: it has arrived.
  bool Step() {
    while (true) {
      const auto [next, side] = Look(order_, at_, level_);
      if (side == Side::kBefore) return Enter(next);
      if (side == Side::kUnknown && next != nullptr && next != after_) {
        if (next != fetched_) {
          compiler::Prefetch(next->key_data());
          fetched_ = next;
          return true;
        }
        if (order_.IsBefore(next)) return Enter(next);
        after_ = next;
      }
      if (level_ == 0) return false;
      --level_;
    }
  }

 private:
  bool Enter(const Node* node) {
    at_ = node;
    compiler::Prefetch(node->link(level_));
    if (level_ > 2) compiler::Prefetch(node->link(0));
    return true;
  }

  BytewiseOrder order_;
  const Node* at_;
  const Node* after_ = nullptr;    // known not to be before the sought key
  const Node* fetched_ = nullptr;  // on its way into the caches
  int level_;
};

void SkipList::Prefetch(const Slice* user_keys, size_t count) const {
  if (!bytewise_ || count < 2) return;
  count = std::min(count, kPrefetchKeys);
  const int height = height_.load(std::memory_order_relaxed);
  std::optional<Descent> descents[kPrefetchKeys];
  std::optional<Descent>* under_way[kPrefetchKeys];
  for (size_t i = 0; i < count; ++i) {
    descents[i].emplace(user_keys[i], head_, height);
    under_way[i] = &descents[i];
  }
  while (count > 0) {
    for (size_t i = 0; i < count;) {
      if ((*under_way[i])->Step()) {
        ++i;
      } else {
        under_way[i] = under_way[--count];
      }
    }
  }
}

// A prefix may be stale above level 0, where believing it costs a detour at most; on level 0 the
// node itself decides.
template <class Order>
SkipList::Place SkipList::Find(const Order& order) const {
  Node* x = head_;
  int level = height_.load(std::memory_order_relaxed) - 1;
  const Node* known_after = nullptr;  // a node already found not to be before the sought key
  uint32_t compared = 0;
  while (true) {
    const auto [next, side] = Look(order, x, level);
    if (side == Side::kBefore) {
      x = next;
      continue;
    }
    if (side == Side::kNotBefore && level > 0) {
      --level;
      continue;
    }
    if (next != nullptr && next != known_after) {
      ++compared;
      if (order.IsBefore(next)) {
        x = next;
        continue;
      }
    }
    if (level == 0) {
      if (compared != 0) Perf().Count(&PerfContext::user_key_comparison_count, compared);
      return {x, next};
    }
    known_after = next;
    --level;
  }
}

const SkipList::Node* SkipList::FindGreaterOrEqual(const Slice& internal_key) const {
  return WithOrder(internal_key, [this](const auto& order) { return Find(order).at; });
}

const SkipList::Node* SkipList::FindLessThan(const Slice& internal_key) const {
  const Node* node =
      WithOrder(internal_key, [this](const auto& order) { return Find(order).before; });
  return node == head_ ? nullptr : node;
}

bool SkipList::Contains(const Slice& internal_key) const {
  return WithOrder(internal_key, [this](const auto& order) {
    const Node* node = Find(order).at;
    return node != nullptr && order.IsEqual(node);
  });
}

const SkipList::Node* SkipList::Last() const {
  const Node* x = head_;
  for (int level = height_.load(std::memory_order_relaxed) - 1; level >= 0; --level) {
    while (const Node* next = x->Next(level)) x = next;
  }
  return x == head_ ? nullptr : x;
}

uint64_t SkipList::EstimateCountBefore(const Slice& internal_key) const {
  return WithOrder(internal_key, [this](const auto& order) {
    // The highest level that has enough nodes before the key is a sample of the list: its count is
    // off by a fifth, typically. (A sum over the levels of the search's path would not do: a single
    // node of unusual height stands for more than the whole list there.)
    constexpr uint64_t kSample = 32;
    uint64_t per_node = uint64_t{1};
    int level = height_.load(std::memory_order_relaxed) - 1;
    for (int i = 0; i < level; ++i) per_node *= kBranching;
    for (;; --level, per_node /= kBranching) {
      uint64_t count = 0;
      const Node* node = head_->Next(level);
      while (node != nullptr && order.IsBefore(node)) {
        ++count;
        node = node->Next(level);
      }
      if (count >= kSample || level == 0) return count * per_node;
    }
  });
}

// Narrows before < sought <= after to neighbours on `level`.
template <bool kExact, class Order>
void SkipList::FindBracket(const Order& order, Node* before, const Node* after, int level,
                           Node** prev, Node** next) {
  while (true) {
    const auto [n, side] = Look(order, before, level);
    const bool done = (kExact && side == Side::kNotBefore) ||
                      (side != Side::kBefore && (n == after || n == nullptr || !order.IsBefore(n)));
    if (done) {
      *prev = before;
      *next = n;
      return;
    }
    before = n;
  }
}

// Whether the sought key lies between what the splice has on `level` and its present successor,
// which then becomes the splice's.
template <class Order>
bool SkipList::HintHolds(const Order& order, Splice* splice, int level) const {
  Node* const prev = splice->prev[level];
  if (prev != head_ && !order.IsBefore(prev)) return false;
  const auto [next, side] = Look(order, prev, level);
  if (side == Side::kBefore) return false;
  if (side == Side::kUnknown && next != nullptr && order.IsBefore(next)) return false;
  splice->next[level] = next;
  return true;
}

template <bool kExact, class Order>
void SkipList::FindBrackets(const Order& order, Splice* splice, int max_height,
                            bool use_hint) const {
  int from = max_height;  // the lowest level whose bracket can be kept
  if (use_hint && splice->height >= max_height) {
    // Ascending keys hit on level 0; nearly sorted ones a few levels up. Anything else is cheaper
    // from the top than by climbing one level at a time.
    for (int level : {0, 3}) {
      if (level >= max_height) break;
      if (HintHolds(order, splice, level)) {
        from = level;
        break;
      }
    }
  }
  splice->was_useful = from != max_height;
  if (from == max_height) {
    splice->height = max_height;
    splice->prev[max_height] = head_;
    splice->next[max_height] = nullptr;
  }
  for (int level = from - 1; level >= 0; --level) {
    FindBracket<kExact>(order, splice->prev[level + 1], splice->next[level + 1], level,
                        &splice->prev[level], &splice->next[level]);
  }
}

template <bool kConcurrent, class Order>
bool SkipList::InsertIn(const Order& order, Node* node, Splice* splice, bool use_hint) {
  const int height = StashedHeight(node);
  RaiseHeight(height);
  FindBrackets<!kConcurrent>(order, splice, height_.load(std::memory_order_relaxed), use_hint);

  for (int level = 0; level < height; ++level) {
    while (true) {
      Node* prev = splice->prev[level];
      Node* next = splice->next[level];
      if (prev->Next(level) != next) {
        // Others inserted here since the bracket was taken (or it is a kept one of an upper level):
        // narrow it.
        FindBracket<!kConcurrent>(order, prev, next, level, &splice->prev[level],
                                  &splice->next[level]);
        prev = splice->prev[level];
        next = splice->next[level];
      }
      Link* const link = prev->link(level);
      uint64_t next_prefix = UINT64_MAX;
      if constexpr (Order::kHasPrefix && kConcurrent) {
        // The link's own may be stale, and must not become ours.
        if (next != nullptr) {
          next_prefix = PrefixOf(next->key_data(), next->key_size - kInternalKeyFooterSize);
        }
      } else if constexpr (Order::kHasPrefix) {
        next_prefix = link->prefix.load(std::memory_order_relaxed);
      }
      // Only level 0 holds every node, and nothing is linked yet: the last moment to refuse a
      // duplicate.
      const bool may_be_equal = !Order::kHasPrefix || next_prefix == order.prefix();
      if (level == 0 && next != nullptr && may_be_equal && order.IsEqual(next)) [[unlikely]]
        return false;
      node->link(level)->next.store(next, std::memory_order_relaxed);
      node->link(level)->prefix.store(next_prefix, std::memory_order_relaxed);
      if constexpr (kConcurrent) {
        fiber::interleave();
        if (!link->next.compare_exchange_strong(next, node, std::memory_order_release,
                                                std::memory_order_relaxed)) {
          continue;
        }
        if constexpr (Order::kHasPrefix) LowerPrefix(link, order.prefix());
      } else {
        link->next.store(node, std::memory_order_release);
        link->prefix.store(order.prefix(), std::memory_order_release);
      }
      break;
    }
  }
  // The next key probably follows this one. (On upper levels the brackets stay, and still enclose.)
  for (int level = 0; level < height; ++level) splice->prev[level] = node;
  return true;
}

// Two that insert behind one node may come here in either order: the earlier key's prefix stays.
void SkipList::LowerPrefix(Link* link, uint64_t prefix) {
  uint64_t seen = link->prefix.load(std::memory_order_relaxed);
  while (prefix < seen && !link->prefix.compare_exchange_weak(
                              seen, prefix, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

bool SkipList::Insert(Node* node, Splice* hint) {
  return WithOrder(node->key(), [&](const auto& order) {
    return InsertIn<false>(order, node, hint, /*use_hint=*/true);
  });
}

bool SkipList::Insert(Node* node) {
  Splice splice;
  return WithOrder(node->key(), [&](const auto& order) {
    return InsertIn<false>(order, node, &splice, /*use_hint=*/false);
  });
}

bool SkipList::InsertConcurrently(Node* node) {
  Splice splice;
  return WithOrder(node->key(), [&](const auto& order) {
    return InsertIn<true>(order, node, &splice, /*use_hint=*/false);
  });
}

}  // namespace cairn
