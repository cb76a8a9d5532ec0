#include "server/commands/sorted_set.h"

#include <algorithm>

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

bool ParseScoreBound(std::string_view word, double* score, bool* exclusive) {
  *exclusive = !word.empty() && word[0] == '(';
  if (*exclusive) word.remove_prefix(1);
  return ParseDouble(word, score);
}

}  // namespace

void ReplyScored(Call& call, std::string_view member, double score) {
  if (call.reply.version() >= 3) call.reply.Array(2);
  call.reply.Bulk(member);
  call.reply.Double(score);
}

bool ParseScoreBounds(Call& call, size_t min, size_t max, ScoreBounds* bounds) {
  double low, high;
  bool behind_low, before_high;
  if (!ParseScoreBound(call[min], &low, &behind_low) ||
      !ParseScoreBound(call[max], &high, &before_high)) {
    call.reply.Error("ERR min or max is not a float");
    return false;
  }
  bounds->lower = OrderedScore(low) + (behind_low ? 1 : 0);
  bounds->upper = OrderedScore(high) + (before_high ? 0 : 1);
  return true;
}

bool ParseNameBounds(Call& call, size_t min, size_t max, NameBounds* bounds) {
  const auto parse = [&](std::string_view word, bool is_lower, std::string* name) {
    if (word == "-" || word == "+") {
      const bool least = word == "-";
      if (is_lower != least) bounds->empty = true;
      if (!is_lower && !least) bounds->unbounded = true;
      return true;
    }
    if (word.empty() || (word[0] != '[' && word[0] != '(')) return false;
    *name = word.substr(1);
    // The next name in the order is this one and a zero byte.
    if ((word[0] == '(') == is_lower) name->push_back('\0');
    return true;
  };
  if (!parse(call[min], true, &bounds->lower) || !parse(call[max], false, &bounds->upper)) {
    call.reply.Error("ERR min or max not valid string range item");
    return false;
  }
  if (!bounds->unbounded && bounds->lower >= bounds->upper) bounds->empty = true;
  return true;
}

RankBounds RanksOf(int64_t start, int64_t stop, uint64_t members) {
  const auto count = static_cast<int64_t>(members);
  if (start < 0) start = std::max<int64_t>(start + count, 0);
  if (stop < 0) stop += count;
  stop = std::min(stop, count - 1);
  if (start > stop) return {};
  return {static_cast<uint64_t>(start), static_cast<uint64_t>(stop - start) + 1};
}

bool SortedSet::DecodeScore(std::string_view value, double* score) {
  if (value.size() != 8) return false;
  *score = ScoreOfOrdered(DecodeBigEndian64(value.data()));
  return true;
}

bool SortedSet::Decode(const Transaction::Range& range, Index index, std::string_view* member,
                       double* score) {
  std::string_view rest = range.key().substr(kElementPrefixBytes);
  if (index == Index::kNames) {
    *member = rest;
    return DecodeScore(range.value(), score);
  }
  if (rest.size() < 8) return false;
  *member = rest.substr(8);
  return DecodeScore(rest.substr(0, 8), score);
}

Status SortedSet::Score(std::string_view member, double* score) const {
  PinnableSlice value;
  Status s = Get(member, &value);
  if (s.ok() && !DecodeScore({value.data(), value.size()}, score)) {
    return Status::Corruption("a member of a sorted set has no score");
  }
  return s;
}

void SortedSet::Set(std::string_view member, double score, const double* old) {
  std::string value;
  AppendBigEndian64(&value, OrderedScore(score));
  Put(member, value);
  if (old != nullptr) call_.transaction.Delete(ScoreKey(id(), *old, member));
  call_.transaction.Put(ScoreKey(id(), score, member), std::string_view());
}

void SortedSet::Remove(std::string_view member, double score) {
  Erase(member);
  call_.transaction.Delete(ScoreKey(id(), score, member));
}

void SortedSet::RemoveAndFinish(const std::vector<ScoredMember>& members) {
  if (members.empty()) return;
  const uint64_t left = count() - std::min<uint64_t>(members.size(), count());
  // The last ones go with the entry.
  if (left != 0) {
    for (const auto& [member, score] : members) Remove(member, score);
  }
  Finish(left);
}

std::unique_ptr<Transaction::Range> SortedSet::RangeAtRank(uint64_t rank, bool backward) const {
  const std::string prefix = ScorePrefix(id());
  auto range = call_.transaction.NewRange(prefix, BehindPrefix(prefix));
  const bool from_other_end = rank > count() / 2;
  const uint64_t steps = from_other_end ? count() - 1 - std::min(rank, count() - 1) : rank;
  const bool from_last = backward != from_other_end;
  SeekToEnd(range.get(), from_last);
  for (uint64_t i = 0; i < steps && range->Valid(); ++i) {
    Step(range.get(), from_last);
    if (i % kYieldInterval == kYieldInterval - 1) fiber::yield();
  }
  return range;
}

}  // namespace cairn::server
