// A sorted set as one command reads and changes it: a collection whose elements' values are their
// scores, and with each a pair under its score, in whose order ranges are walked (encoding.h).
//
// A range by rank starts at the end that is nearer to it, so the first and the last ranks are found
// at once and one in the middle of n members takes n/2 steps: nothing counts the members between
// two keys. Ranges of names are walked among the elements, whatever the scores are.

#ifndef CAIRN_SERVER_COMMANDS_SORTED_SET_H_
#define CAIRN_SERVER_COMMANDS_SORTED_SET_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/commands/collection.h"

namespace cairn::server {

// Replies with a member, or with it and its score: as two words or, in version 3, as a pair.
void ReplyScored(Call& call, std::string_view member, double score);

// [lower, upper) of ordered scores (OrderedScore).
struct ScoreBounds {
  uint64_t lower = 0;
  uint64_t upper = UINT64_MAX;
};
// "1.5", "(1.5", "-inf" ... at words `min` and `max`. False: an error was replied.
bool ParseScoreBounds(Call& call, size_t min, size_t max, ScoreBounds* bounds);

// [lower, upper) of names.
struct NameBounds {
  std::string lower, upper;
  bool unbounded = false;  // there is no upper
  bool empty = false;
};
// "-", "+", "[name" or "(name".
bool ParseNameBounds(Call& call, size_t min, size_t max, NameBounds* bounds);

// Ranks from `first` on, `count` of them, whatever the direction they are counted in.
struct RankBounds {
  uint64_t first = 0;
  uint64_t count = 0;
};
// Of words that may be negative, which count from the end. REQUIRES: the words were parsed.
RankBounds RanksOf(int64_t start, int64_t stop, uint64_t members);

using ScoredMember = std::pair<std::string, double>;

class SortedSet : public Collection {
 public:
  SortedSet(Call& call, std::string_view key) : Collection(call, key, Type::kSortedSet) {}

  // The score in an element's value. False: it is none of this server's.
  static bool DecodeScore(std::string_view value, double* score);

  // NotFound also if there is no set.
  rocksdb::Status Score(std::string_view member, double* score) const;

  // Changes. `old`: the score that the member has; null: it is none yet.
  void Set(std::string_view member, double score, const double* old);
  void Remove(std::string_view member, double score);
  // Removes these, all of which are members, and finishes.
  void RemoveAndFinish(const std::vector<ScoredMember>& members);

  // SUSPENDS, all of them. They call `take(member, score)` in the order or, `backward`, in the
  // reverse, until it returns false.
  template <class Take>
  rocksdb::Status WalkScores(const ScoreBounds& bounds, bool backward, const Take& take) const {
    if (!exists() || bounds.lower >= bounds.upper) return rocksdb::Status::OK();
    std::string lower = ScorePrefix(id()), upper = lower;
    AppendBigEndian64(&lower, bounds.lower);
    AppendBigEndian64(&upper, bounds.upper);
    const auto range = call_.transaction.NewRange(std::move(lower), std::move(upper));
    SeekToEnd(range.get(), backward);
    return WalkFrom(range.get(), Index::kScores, backward, take);
  }
  template <class Take>
  rocksdb::Status WalkNames(const NameBounds& bounds, bool backward, const Take& take) const {
    if (!exists() || bounds.empty) return rocksdb::Status::OK();
    const std::string prefix = ElementPrefix(id());
    const auto range = call_.transaction.NewRange(
        prefix + bounds.lower, bounds.unbounded ? BehindPrefix(prefix) : prefix + bounds.upper);
    SeekToEnd(range.get(), backward);
    return WalkFrom(range.get(), Index::kNames, backward, take);
  }
  template <class Take>
  rocksdb::Status WalkRanks(const RankBounds& bounds, bool backward, const Take& take) const {
    if (!exists() || bounds.count == 0) return rocksdb::Status::OK();
    const auto range = RangeAtRank(bounds.first, backward);
    uint64_t left = bounds.count;
    return WalkFrom(
        range.get(), Index::kScores, backward,
        [&](std::string_view member, double score) { return take(member, score) && --left != 0; });
  }

 private:
  enum class Index { kScores, kNames };

  static void SeekToEnd(Transaction::Range* range, bool last) {
    if (last) {
      range->SeekToLast();
    } else {
      range->SeekToFirst();
    }
  }
  static void Step(Transaction::Range* range, bool backward) {
    if (backward) {
      range->Prev();
    } else {
      range->Next();
    }
  }
  // False: the pair is none of this server's.
  static bool Decode(const Transaction::Range& range, Index index, std::string_view* member,
                     double* score);
  // At the member of that rank, counted from the end if `backward`.
  std::unique_ptr<Transaction::Range> RangeAtRank(uint64_t rank, bool backward) const;

  template <class Take>
  static rocksdb::Status WalkFrom(Transaction::Range* range, Index index, bool backward,
                                  const Take& take) {
    for (size_t seen = 1; range->Valid(); ++seen) {
      std::string_view member;
      double score;
      if (!Decode(*range, index, &member, &score)) {
        return rocksdb::Status::Corruption("a member of a sorted set has no score");
      }
      if (!take(member, score)) break;
      Step(range, backward);
      if (seen % kYieldInterval == 0) fiber::yield();
    }
    return range->status();
  }
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_SORTED_SET_H_
