#include "memtable/skiplist_traversal.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "cairn/compiler.h"

namespace cairn {
namespace {

using Node = SkipList::Node;

// One node in 64 reaches it; two gaps of it are a chunk.
constexpr int kTopLevel = 3;
constexpr size_t kTopGaps = 2;
// Values are fetched so many entries before they are shown.
constexpr size_t kValuesAhead = 8;
constexpr size_t kCacheLine = 64;

class Traversal final : public InternalIterator {
 public:
  explicit Traversal(const SkipList* list) : list_(list) {}

  bool Valid() const override { return at_ < chunk_.size(); }
  void SeekToFirst() override {
    status_ = Status::OK();
    next_ = list_->head();
    chunk_.clear();
    at_ = 0;
    ReadChunk();
  }
  void Next() override {
    assert(Valid());
    if (++at_ == chunk_.size()) ReadChunk();
    const size_t ahead = at_ + kValuesAhead;
    if (ahead < chunk_.size()) FetchEntry(chunk_[ahead]);
  }
  bool NextEntry(Slice* key, Slice* value) override {
    Next();
    if (!Valid()) return false;
    *key = chunk_[at_]->key();
    *value = chunk_[at_]->value();
    return true;
  }
  void SeekToLast() override { Refuse(); }
  void Seek(const Slice& /*target*/) override { Refuse(); }
  void SeekForPrev(const Slice& /*target*/) override { Refuse(); }
  void Prev() override { Refuse(); }

  Slice key() const override { return chunk_[at_]->key(); }
  Slice value() const override { return chunk_[at_]->value(); }
  Status status() const override { return status_; }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  struct Gap {
    const Node* at;   // the last node that was found
    const Node* end;  // where the gap ends; null: with the list
    std::vector<const Node*> found;
  };

  void Refuse() {
    status_ = Status::NotSupported("a traversal only goes forward");
    chunk_.clear();
    at_ = 0;
  }

  static void FetchEntry(const Node* node) {
    const char* const key = node->key_data();
    compiler::Prefetch(key + kCacheLine);
    compiler::Prefetch(key + 2 * kCacheLine);
  }

  // The entries of the next chunk that has any; none at the end.
  void ReadChunk() {
    at_ = 0;
    do {
      chunk_.clear();
      if (next_ == nullptr) return;
      ReadChunkFrom(next_);
    } while (chunk_.empty());
    for (size_t i = 0; i < std::min(kValuesAhead, chunk_.size()); ++i) FetchEntry(chunk_[i]);
  }

  void ReadChunkFrom(const Node* first) {
    const int top = std::min(kTopLevel, list_->height() - 1);
    const Node* end = first;
    chunk_.push_back(first);
    for (size_t i = 0; i < kTopGaps && end != nullptr; ++i) {
      end = end->Next(top);
      if (end != nullptr && i + 1 < kTopGaps) chunk_.push_back(end);
    }
    for (int level = top - 1; level >= 0; --level) FillGaps(level, end);
    if (first == list_->head()) chunk_.erase(chunk_.begin());
    next_ = end;
  }

  // chunk_: the nodes of the level above, up to `end`; then those of `level`.
  void FillGaps(int level, const Node* end) {
    const size_t gaps = chunk_.size();
    if (gaps_.size() < gaps) gaps_.resize(gaps);
    open_.clear();
    for (size_t i = 0; i < gaps; ++i) {
      gaps_[i].at = chunk_[i];
      gaps_[i].end = i + 1 < gaps ? chunk_[i + 1] : end;
      gaps_[i].found.clear();
      open_.push_back(i);
    }
    while (!open_.empty()) {
      size_t still_open = 0;
      for (const size_t i : open_) {
        Gap& gap = gaps_[i];
        const Node* const next = gap.at->Next(level);
        if (next == gap.end) continue;
        compiler::Prefetch(next->link(level));
        gap.found.push_back(next);
        gap.at = next;
        open_[still_open++] = i;
      }
      open_.resize(still_open);
    }
    filled_.clear();
    for (size_t i = 0; i < gaps; ++i) {
      filled_.push_back(chunk_[i]);
      filled_.insert(filled_.end(), gaps_[i].found.begin(), gaps_[i].found.end());
    }
    chunk_.swap(filled_);
  }

  const SkipList* const list_;
  const Node* next_ = nullptr;  // where the next chunk begins; null: at the end
  std::vector<const Node*> chunk_;
  size_t at_ = 0;
  Status status_;

  // FillGaps'.
  std::vector<Gap> gaps_;
  std::vector<size_t> open_;
  std::vector<const Node*> filled_;
};

}  // namespace

InternalIterator* NewSkipListTraversal(const SkipList* list) { return new Traversal(list); }

}  // namespace cairn
