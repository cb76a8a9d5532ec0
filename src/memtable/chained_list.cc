#include "memtable/chained_list.h"

#include <algorithm>
#include <new>
#include <type_traits>

#include "base/perf.h"

namespace cairn {

ChainedList::ChainedList(const InternalKeyComparator* comparator, ConcurrentArena* arena,
                         uint32_t longest)
    : comparator_(comparator), arena_(arena), longest_(std::max<uint32_t>(longest, 3)) {}

void ChainedList::Bracket(const Slice& internal_key, const Node** before, const Node** at) const {
  uint64_t compared = 0;
  *before = nullptr;
  for (*at = chain(); *at != nullptr; *before = *at, *at = (*at)->Next(0)) {
    ++compared;
    if (comparator_->Compare((*at)->key(), internal_key) >= 0) break;
  }
  Perf().Count(&PerfContext::user_key_comparison_count, compared);
}

bool ChainedList::Insert(Node* node) {
  if (count_ >= longest_ && !is_skip_list()) BecomeSkipList();
  if (SkipList* const list = list_.load(std::memory_order_relaxed)) {
    if (!list->Insert(node)) return false;
  } else {
    const Node* before;
    const Node* at;
    Bracket(node->key(), &before, &at);
    if (at != nullptr && comparator_->Compare(at->key(), node->key()) == 0) return false;
    SkipList::Chain(node, const_cast<Node*>(at));
    // The node's bytes before it can be seen.
    auto& link = before == nullptr ? first_ : const_cast<Node*>(before)->link0.next;
    link.store(node, std::memory_order_release);
  }
  ++count_;
  return true;
}

void ChainedList::BecomeSkipList() {
  static_assert(std::is_trivially_destructible_v<SkipList>);
  auto* const list = new (arena_->AllocateAligned(sizeof(SkipList))) SkipList(comparator_, arena_);
  list->AdoptChain(first_.load(std::memory_order_relaxed));
  list_.store(list, std::memory_order_release);
}

const ChainedList::Node* ChainedList::FindGreaterOrEqual(const Slice& internal_key) const {
  if (const SkipList* const skips = list()) return skips->FindGreaterOrEqual(internal_key);
  const Node* before;
  const Node* at;
  Bracket(internal_key, &before, &at);
  return at;
}

const ChainedList::Node* ChainedList::FindLessThan(const Slice& internal_key) const {
  if (const SkipList* const skips = list()) return skips->FindLessThan(internal_key);
  const Node* before;
  const Node* at;
  Bracket(internal_key, &before, &at);
  return before;
}

const ChainedList::Node* ChainedList::First() const {
  const SkipList* const skips = list();
  return skips != nullptr ? skips->First() : chain();
}

const ChainedList::Node* ChainedList::Last() const {
  if (const SkipList* const skips = list()) return skips->Last();
  const Node* last = chain();
  for (const Node* next = last; next != nullptr; next = next->Next(0)) last = next;
  return last;
}

uint64_t ChainedList::EstimateCountBefore(const Slice& internal_key) const {
  if (const SkipList* const skips = list()) return skips->EstimateCountBefore(internal_key);
  uint64_t count = 0;
  for (const Node* node = chain(); node != nullptr; node = node->Next(0), ++count) {
    if (comparator_->Compare(node->key(), internal_key) >= 0) break;
  }
  return count;
}

}  // namespace cairn
