#include "read/merging_iterator.h"

#include <cassert>
#include <memory>
#include <utility>

#include "base/perf.h"
#include "read/together.h"

namespace cairn {
namespace {

// A source with what it shows at present.
struct Child {
  std::unique_ptr<InternalIterator> iter;
  Slice key;
  Slice value;
  size_t rank = 0;  // position among the children: settles ties

  // True if it stands on an entry.
  bool Refresh() {
    if (!iter->Valid()) return false;
    key = iter->key();
    value = iter->value();
    return true;
  }
};

// Invariants: forward, every child but the front one stands on its first entry after the front's
// (or is exhausted, and not in the heap); backward, on its last entry before the front's.
class MergingIterator final : public InternalIterator {
 public:
  MergingIterator(const InternalKeyComparator* icmp, std::vector<InternalIterator*> children,
                  bool seek_together)
      : icmp_(icmp), seek_together_(seek_together), children_(children.size()) {
    for (size_t i = 0; i < children.size(); ++i) {
      children_[i].iter.reset(children[i]);
      children_[i].rank = i;
    }
    heap_.reserve(children_.size());
  }

  bool Valid() const override { return front_ != nullptr; }

  void SeekToFirst() override {
    Position<true>([](Child* c) { c->iter->SeekToFirst(); });
  }
  void SeekToLast() override {
    Position<false>([](Child* c) { c->iter->SeekToLast(); });
  }
  void Seek(const Slice& target) override {
    Position<true>([&target](Child* c) { c->iter->Seek(target); });
  }
  void SeekForPrev(const Slice& target) override {
    Position<false>([&target](Child* c) { c->iter->SeekForPrev(target); });
  }

  void Next() override { StepForward(); }
  void Prev() override { StepBackward(); }
  bool NextEntry(Slice* key, Slice* value) override {
    StepForward();
    return Show(key, value);
  }
  bool PrevEntry(Slice* key, Slice* value) override {
    StepBackward();
    return Show(key, value);
  }

  bool SeekOlder(size_t first, const Slice& target, bool forward) override {
    return forward ? SeekChildren<true>(first, target) : SeekChildren<false>(first, target);
  }

  Slice key() const override { return front_->key; }
  Slice value() const override { return front_->value; }
  Status status() const override { return status_; }
  void SetPreparedBlocks(PreparedBlocks* blocks) override {
    for (Child& c : children_) c.iter->SetPreparedBlocks(blocks);
  }
  void AllowUnpreparedValues() override {
    for (Child& c : children_) c.iter->AllowUnpreparedValues();
  }
  bool PrepareValue() override {
    Child* const c = front_;
    if (!IsUnprepared(c->value)) return true;
    if (c->iter->PrepareValue()) return c->Refresh();
    Stop(c->iter->status());
    return false;
  }
  bool IsKeyPinned() const override { return front_ != nullptr && front_->iter->IsKeyPinned(); }
  bool IsValuePinned() const override { return front_ != nullptr && front_->iter->IsValuePinned(); }

 private:
  bool Show(Slice* key, Slice* value) const {
    if (front_ == nullptr) return false;
    *key = front_->key;
    *value = front_->value;
    return true;
  }

  // Whether a comes first in the direction of travel.
  template <bool kForward>
  bool Precedes(const Child* a, const Child* b) {
    ++compared_;
    const int order = icmp_->Compare(a->key, b->key);
    if (order != 0) return kForward ? order < 0 : order > 0;
    return kForward ? a->rank < b->rank : a->rank > b->rank;
  }

  // Fills the hole at `i` with `child`, which nothing above it follows.
  template <bool kForward>
  void SiftDown(size_t i, Child* child) {
    const size_t n = heap_.size();
    while (true) {
      size_t next = 2 * i + 1;
      if (next >= n) break;
      if (next + 1 < n && Precedes<kForward>(heap_[next + 1], heap_[next])) ++next;
      if (!Precedes<kForward>(heap_[next], child)) break;
      heap_[i] = heap_[next];
      i = next;
    }
    heap_[i] = child;
  }

  // Makes the heap's top the front; nothing is in front if the heap is empty.
  template <bool kForward>
  void PopToFront() {
    if (heap_.empty()) {
      front_ = nullptr;
      return;
    }
    front_ = heap_.front();
    Child* const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) SiftDown<kForward>(0, last);
  }

  template <bool kForward>
  void Arrange() {
    const Perf perf;
    const PerfTimer timer(
        perf, kForward ? &PerfContext::seek_min_heap_time : &PerfContext::seek_max_heap_time);
    forward_ = kForward;
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown<kForward>(i, heap_[i]);
    PopToFront<kForward>();
    CountCompared(perf);
  }
  void CountCompared(const Perf& perf) {
    perf.Count(&PerfContext::user_key_comparison_count, std::exchange(compared_, 0));
  }

  // Takes the child into the heap (unordered yet) if it stands on an entry. False: it stopped with
  // an error.
  bool Collect(Child* c) {
    if (c->Refresh()) {
      heap_.push_back(c);
      return true;
    }
    return CheckEnd(c);
  }
  bool CheckEnd(Child* c) {
    Status s = c->iter->status();
    if (s.ok()) [[likely]]
      return true;
    Stop(std::move(s));
    return false;
  }
  void Stop(Status s) {
    status_ = std::move(s);
    front_ = nullptr;
    heap_.clear();
  }

  template <bool kForward, class Move>
  void Position(Move&& move) {
    status_ = Status::OK();
    front_ = nullptr;
    heap_.clear();
    if (!MoveAll(move)) return;
    Arrange<kForward>();
  }

  // Moves and collects. False: one stopped with an error.
  template <class Move>
  bool MoveAll(const Move& move) {
    const Perf perf;
    const PerfTimer timer(perf, &PerfContext::seek_child_seek_time);
    perf.Count(&PerfContext::seek_child_seek_count, children_.size());
    if (seek_together_) MoveTogether(move);
    for (Child& c : children_) {
      if (!seek_together_) move(&c);
      if (!Collect(&c)) return false;
    }
    return true;
  }

  // Two phases: what is in memory, one after the other; then all that must be read.
  template <class Move>
  void MoveTogether(const Move& move) {
    std::vector<Child*> must_read;
    for (Child& c : children_) {
      c.iter->SetReadTier(kBlockCacheTier);
      move(&c);
      c.iter->SetReadTier(kReadAllTier);
      if (!c.iter->Valid() && c.iter->status().IsIncomplete()) must_read.push_back(&c);
    }
    Perf().Count(&PerfContext::number_async_seek, must_read.size());
    ForEachTogether(must_read.size(), [&](size_t i) { move(must_read[i]); });
  }

  void StepForward() {
    assert(Valid());
    if (!forward_ && !Turn<true>()) return;
    Child* const c = front_;
    if (c->iter->NextEntry(&c->key, &c->value)) [[likely]] {
      Overtake<true>();
    } else if (CheckEnd(c)) {
      PopToFront<true>();
    }
    if (compared_ != 0) CountCompared(Perf());
  }

  void StepBackward() {
    assert(Valid());
    if (forward_ && !Turn<false>()) return;
    Child* const c = front_;
    if (c->iter->PrevEntry(&c->key, &c->value)) [[likely]] {
      Overtake<false>();
    } else if (CheckEnd(c)) {
      PopToFront<false>();
    }
    if (compared_ != 0) CountCompared(Perf());
  }

  template <bool kForward>
  bool SeekChildren(size_t first, const Slice& target) {
    if (forward_ != kForward) return false;
    const Child* const front = front_;
    bool moved = false;
    heap_.clear();
    for (Child& c : children_) {
      // (One that is at its end, or stopped with an error, is not Valid().)
      if (c.rank >= first && c.iter->Valid() &&
          (kForward ? icmp_->Compare(c.key, target) < 0 : icmp_->Compare(c.key, target) > 0)) {
        if constexpr (kForward) {
          c.iter->Seek(target);
        } else {
          c.iter->SeekForPrev(target);
        }
        Perf().Count(&PerfContext::internal_range_del_reseek_count);
        moved |= &c == front;
      }
      if (!Collect(&c)) return true;
    }
    Arrange<kForward>();
    return moved || front_ != front;
  }

  // The front child has moved on: lets the runner-up pass if it comes first now.
  template <bool kForward>
  void Overtake() {
    if (heap_.empty() || !Precedes<kForward>(heap_.front(), front_)) return;
    Child* const overtaken = std::exchange(front_, heap_.front());
    SiftDown<kForward>(0, overtaken);
  }

  // Turns round, without moving the front child. By seeking, not by single steps: a memtable may
  // have got entries between the front's key and where its iterator stood. False after an error.
  template <bool kForward>
  bool Turn() {
    Child* const front = front_;
    heap_.clear();
    for (Child& c : children_) {
      if (&c == front) continue;
      if constexpr (kForward) {
        c.iter->Seek(front->key);
        if (c.iter->Valid() && icmp_->Compare(c.iter->key(), front->key) == 0) c.iter->Next();
      } else {
        c.iter->SeekForPrev(front->key);
        if (c.iter->Valid() && icmp_->Compare(c.iter->key(), front->key) == 0) c.iter->Prev();
      }
      Perf().Count(&PerfContext::seek_child_seek_count);
      if (!Collect(&c)) return false;
    }
    forward_ = kForward;
    for (size_t i = heap_.size() / 2; i-- > 0;) SiftDown<kForward>(i, heap_[i]);
    return true;
  }

  const InternalKeyComparator* const icmp_;
  const bool seek_together_;
  std::vector<Child> children_;
  std::vector<Child*> heap_;  // valid children but the front one; the runner-up on top
  Child* front_ = nullptr;    // null: not valid
  bool forward_ = true;
  uint32_t compared_ = 0;  // keys; not counted yet
  Status status_;
};

}  // namespace

InternalIterator* NewMergingIterator(const InternalKeyComparator* icmp,
                                     std::vector<InternalIterator*> children, bool seek_together) {
  if (children.empty()) return NewEmptyInternalIterator();
  if (children.size() == 1) return children.front();
  return new MergingIterator(icmp, std::move(children), seek_together);
}

}  // namespace cairn
