#include "memtable/checked_search.h"

#include <utility>

#include "base/perf.h"

namespace cairn {

namespace {

// `node` stands behind `before`, which is null at the head of the list.
Status CheckNode(const InternalKeyComparator& order, const SkipListCheck& check,
                 const SkipList::Node* before, const SkipList::Node& node) {
  Status s = check.Check(node);
  if (s.ok() && before != nullptr && check.compares_order() &&
      order.Compare(before->key(), node.key()) >= 0) {
    s = Status::Corruption("Out-of-order keys found in skiplist.",
                           "key " + ExtractUserKey(node.key()).ToString(/*hex=*/true));
  }
  return s;
}

class CheckedSkipListIterator final : public InternalIterator {
 public:
  CheckedSkipListIterator(const SkipList* list, const InternalKeyComparator* order,
                          std::unique_ptr<const SkipListCheck> check)
      : list_(list), order_(order), check_(std::move(check)) {}

  bool Valid() const override { return node_ != nullptr; }
  void SeekToFirst() override { Take(nullptr, list_->First()); }
  void SeekToLast() override { Take(nullptr, list_->Last()); }
  void Seek(const Slice& target) override {
    const PerfTimer timer(Perf(), &PerfContext::seek_on_memtable_time);
    Perf().Count(&PerfContext::seek_on_memtable_count);
    const SkipList::Node* at = nullptr;
    Status s = FindChecked(*list_, *order_, *check_, target, &at, nullptr);
    Found(std::move(s), at);
  }
  void SeekForPrev(const Slice& target) override {
    const PerfTimer timer(Perf(), &PerfContext::seek_on_memtable_time);
    Perf().Count(&PerfContext::seek_on_memtable_count);
    const SkipList::Node* at = nullptr;
    const SkipList::Node* before = nullptr;
    Status s = FindChecked(*list_, *order_, *check_, target, &at, &before);
    const bool is_there = s.ok() && at != nullptr && order_->Compare(at->key(), target) == 0;
    Found(std::move(s), is_there ? at : before);
  }
  void Next() override {
    Perf().Count(&PerfContext::next_on_memtable_count);
    Take(node_, node_->Next(0));
  }
  void Prev() override {
    Perf().Count(&PerfContext::prev_on_memtable_count);
    const SkipList::Node* at = nullptr;
    const SkipList::Node* before = nullptr;
    Status s = FindChecked(*list_, *order_, *check_, node_->key(), &at, &before);
    Found(std::move(s), before);
  }
  Slice key() const override { return node_->key(); }
  Slice value() const override { return node_->value(); }
  Status status() const override { return status_; }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  void Found(Status s, const SkipList::Node* node) {
    status_ = std::move(s);
    node_ = status_.ok() ? node : nullptr;
  }
  void Take(const SkipList::Node* before, const SkipList::Node* node) {
    Found(node == nullptr ? Status::OK() : CheckNode(*order_, *check_, before, *node), node);
  }

  const SkipList* const list_;
  const InternalKeyComparator* const order_;
  const std::unique_ptr<const SkipListCheck> check_;
  const SkipList::Node* node_ = nullptr;
  Status status_;
};

}  // namespace

Status FindChecked(const SkipList& list, const InternalKeyComparator& order,
                   const SkipListCheck& check, const Slice& internal_key, const SkipList::Node** at,
                   const SkipList::Node** before) {
  const SkipList::Node* node = list.head();
  const SkipList::Node* behind = nullptr;  // known not to be before the key
  for (int level = list.height() - 1; level >= 0; --level) {
    for (;;) {
      const SkipList::Node* const next = node->Next(level);
      if (next == nullptr || next == behind) break;
      const SkipList::Node* const known = node == list.head() ? nullptr : node;
      Status s = CheckNode(order, check, known, *next);
      if (!s.ok()) return s;
      if (order.Compare(next->key(), internal_key) >= 0) {
        behind = next;
        break;
      }
      node = next;
    }
  }
  *at = node->Next(0);
  // (Somebody inserts: what came meanwhile was not looked at.)
  while (*at != nullptr && *at != behind) {
    Status s = CheckNode(order, check, node == list.head() ? nullptr : node, **at);
    if (!s.ok()) return s;
    if (order.Compare((*at)->key(), internal_key) >= 0) break;
    node = *at;
    *at = node->Next(0);
  }
  // What is shown, or shows that there is nothing, must also come before what follows it.
  if (*at != nullptr && check.compares_order()) {
    if (const SkipList::Node* const next = (*at)->Next(0)) {
      Status s = CheckNode(order, check, *at, *next);
      if (!s.ok()) return s;
    }
  }
  if (before != nullptr) *before = node == list.head() ? nullptr : node;
  return Status::OK();
}

std::unique_ptr<InternalIterator> NewCheckedSkipListIterator(
    const SkipList* list, const InternalKeyComparator* order,
    std::unique_ptr<const SkipListCheck> check) {
  return std::make_unique<CheckedSkipListIterator>(list, order, std::move(check));
}

}  // namespace cairn
