#include "read/run_merger.h"

#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

#include "cairn/compiler.h"
#include "read/merging_iterator.h"
#include "table/block.h"

namespace cairn {
namespace {

constexpr size_t kColumn = 6;                            // bytes
constexpr uint64_t kLastColumn = 0xfffe;                 // keys beyond are compared byte by byte
constexpr uint64_t kExhausted = uint64_t{0xffff} << 48;  // more than any code

// REQUIRES: `at` <= the user key's length: then 8 bytes can be read there, the footer's at the end.
uint64_t Code(const Slice& key, size_t at) {
  const size_t user_size = key.size() - kInternalKeyFooterSize;
  const uint64_t column = at / kColumn;
  if (column >= kLastColumn) [[unlikely]]
    return 0;
  const size_t offset = column * kColumn;
  const size_t left = user_size - offset;
  // Big endian, so that the order of the numbers is that of the bytes.
  uint64_t bytes = compiler::ByteSwap(DecodeFixed64(key.data() + offset)) >> 16;
  if (left < kColumn) bytes &= ~uint64_t{0} << (8 * (kColumn - left));
  return ((kLastColumn - column) << 48) | bytes;
}

// Where equal codes say that the keys can first differ.
size_t ColumnOffset(uint64_t code) { return (kLastColumn - (code >> 48)) * kColumn; }

class RunMerger final : public InternalIterator {
 public:
  explicit RunMerger(std::vector<InternalIterator*> children)
      : runs_(children.size()), losers_(children.size()) {
    for (size_t i = 0; i < children.size(); ++i) runs_[i].iter.reset(children[i]);
  }

  bool Valid() const override { return valid_; }
  void SeekToFirst() override {
    Position([](InternalIterator* iter) { iter->SeekToFirst(); });
  }
  void Seek(const Slice& target) override {
    Position([&target](InternalIterator* iter) { iter->Seek(target); });
  }
  void SeekToLast() override { Refuse(); }
  void SeekForPrev(const Slice& /*target*/) override { Refuse(); }
  void Prev() override { Refuse(); }

  void Next() override {
    assert(valid_);
    Head head{0, winner_};
    if (Advance(&runs_[winner_], &head.code)) [[likely]]
      Replay(head);
  }
  bool NextEntry(Slice* key, Slice* value) override {
    Next();
    if (!valid_) return false;
    const Run& run = runs_[winner_];
    *key = run.key;
    *value = run.value;
    return true;
  }

  Slice key() const override { return runs_[winner_].key; }
  Slice value() const override { return runs_[winner_].value; }
  Status status() const override { return status_; }

 private:
  struct Run {
    std::unique_ptr<InternalIterator> iter;
    Slice key;    // in `bytes`: the iterator may reuse its own memory for the next key
    Slice value;  // the iterator's
    KeyBuffer bytes;
  };
  struct Head {
    uint64_t code;
    uint64_t run;
  };

  void Stop(Status s) {
    status_ = std::move(s);
    valid_ = false;
  }
  void Refuse() { Stop(Status::NotSupported("a merge of runs only moves forward")); }

  // The user keys agree in the first `same` bytes.
  static void TakeKey(Run* run, const Slice& key, size_t same) {
    run->bytes.Reserve(key.size(), same);
    std::memcpy(run->bytes.data() + same, key.data() + same, key.size() - same);
    run->key = Slice(run->bytes.data(), key.size());
  }

  // What the run shows after a seek, with a code relative to what comes before all keys.
  bool Begin(Run* run, uint64_t* code) {
    if (!run->iter->Valid()) return End(run, code);
    const Slice key = run->iter->key();
    if (key.size() < kInternalKeyFooterSize) return TooShort();
    TakeKey(run, key, 0);
    run->value = run->iter->value();
    *code = Code(run->key, 0);
    return true;
  }

  // Moves the run that won, with a code relative to the key that won.
  bool Advance(Run* run, uint64_t* code) {
    Slice key;
    if (!run->iter->NextEntry(&key, &run->value)) [[unlikely]]
      return End(run, code);
    if (key.size() < kInternalKeyFooterSize) [[unlikely]]
      return TooShort();
    const size_t before = run->key.size() - kInternalKeyFooterSize;
    const size_t now = key.size() - kInternalKeyFooterSize;
    const size_t common = before < now ? before : now;
    const size_t same = block_internal::MatchLength(run->key.data(), key.data(), common);
    *code = Code(key, same);
    TakeKey(run, key, same);
    return true;
  }

  // False after an error.
  bool End(Run* run, uint64_t* code) {
    Status s = run->iter->status();
    if (!s.ok()) {
      Stop(std::move(s));
      return false;
    }
    *code = kExhausted;
    return true;
  }
  bool TooShort() {
    Stop(Status::Corruption("internal key too short in a merge"));
    return false;
  }

  // Equal codes: whether `b` goes before `a`. Gives the loser its code relative to the winner.
  [[gnu::noinline]] bool Settle(Head* a, Head* b) {
    if (a->code == kExhausted) return b->run < a->run;
    const Slice x = runs_[a->run].key;
    const Slice y = runs_[b->run].key;
    const size_t x_size = x.size() - kInternalKeyFooterSize;
    const size_t y_size = y.size() - kInternalKeyFooterSize;
    const size_t common = x_size < y_size ? x_size : y_size;
    size_t same = ColumnOffset(a->code);
    // A zero byte and the end look alike in a column: no further than the shorter key.
    if (same < common) {
      same += block_internal::MatchLength(x.data() + same, y.data() + same, common - same);
    } else {
      same = common;
    }
    bool b_first;
    if (same < common) {
      b_first = static_cast<unsigned char>(y[same]) < static_cast<unsigned char>(x[same]);
    } else if (x_size != y_size) {
      b_first = y_size < x_size;
    } else {
      const uint64_t x_footer = ExtractInternalKeyFooter(x);
      const uint64_t y_footer = ExtractInternalKeyFooter(y);
      b_first = y_footer != x_footer ? y_footer > x_footer : b->run < a->run;
    }
    Head* const loser = b_first ? a : b;
    loser->code = Code(runs_[loser->run].key, same);
    return b_first;
  }

  // The new head of the run that won plays its way up. Which of two wins is a coin toss to the
  // branch predictor: they are exchanged by masks.
  void Replay(Head head) {
    Head* const losers = losers_.data();
    for (size_t node = (head.run + runs_.size()) / 2; node > 0; node /= 2) {
      Head& other = losers[node];
      if (other.code == head.code) [[unlikely]] {
        if (Settle(&head, &other)) std::swap(head, other);
        continue;
      }
      const uint64_t exchange = uint64_t{0} - static_cast<uint64_t>(other.code < head.code);
      const uint64_t code = (head.code ^ other.code) & exchange;
      const uint64_t run = (head.run ^ other.run) & exchange;
      head.code ^= code;
      other.code ^= code;
      head.run ^= run;
      other.run ^= run;
    }
    Win(head);
  }

  void Win(const Head& head) {
    winner_ = head.run;
    valid_ = head.code != kExhausted;
  }

  template <class Move>
  void Position(Move&& move) {
    status_ = Status::OK();
    valid_ = false;
    std::vector<uint64_t> codes(runs_.size());
    for (size_t i = 0; i < runs_.size(); ++i) {
      move(runs_[i].iter.get());
      if (!Begin(&runs_[i], &codes[i])) return;
    }
    Win(Play(1, codes));
  }

  // The winner of the part of the tree below `node`; leaves follow the inner nodes.
  Head Play(size_t node, const std::vector<uint64_t>& codes) {
    const size_t n = runs_.size();
    if (node >= n) return {codes[node - n], node - n};
    Head a = Play(2 * node, codes);
    Head b = Play(2 * node + 1, codes);
    if (a.code == b.code ? Settle(&a, &b) : b.code < a.code) std::swap(a, b);
    losers_[node] = b;
    return a;
  }

  std::vector<Run> runs_;
  std::vector<Head> losers_;  // by inner node, 1 to n - 1: the head that lost there
  size_t winner_ = 0;
  bool valid_ = false;
  Status status_;
};

}  // namespace

InternalIterator* NewRunMerger(const InternalKeyComparator* icmp,
                               std::vector<InternalIterator*> children) {
  if (children.size() < 2 || icmp->user_comparator() != BytewiseComparator()) {
    return NewMergingIterator(icmp, std::move(children));
  }
  return new RunMerger(std::move(children));
}

}  // namespace cairn
