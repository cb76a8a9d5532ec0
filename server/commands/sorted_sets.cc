// Sorted sets, member by member: ZADD ZREM ZSCORE ZRANK ZSCAN and their family. Ranges are in
// sorted_set_ranges.cc, ZPOPMIN and its kin in sorted_set_pops.cc, ZUNION and its kin in
// sorted_set_algebra.cc.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/commands/command.h"
#include "server/commands/sorted_set.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

constexpr std::string_view kNotANumber = "ERR resulting score is not a number (NaN)";

struct AddOptions {
  bool if_absent = false;   // NX
  bool if_present = false;  // XX
  bool if_greater = false;  // GT
  bool if_less = false;     // LT
  bool changed = false;     // CH
  bool increment = false;   // INCR
};

struct Added {
  std::string_view member;
  std::optional<double> old, now;
};

// What one pair of ZADD does to a member.
enum class Outcome { kNothing, kSame, kAdded, kUpdated, kNotANumber };
Outcome Apply(const AddOptions& options, double score, std::optional<double>* current) {
  if (!current->has_value()) {
    if (options.if_present) return Outcome::kNothing;
    *current = score;
    return Outcome::kAdded;
  }
  if (options.if_absent) return Outcome::kNothing;
  if (options.increment) score += **current;
  if (std::isnan(score)) return Outcome::kNotANumber;
  if ((options.if_less && score >= **current) || (options.if_greater && score <= **current)) {
    return Outcome::kNothing;
  }
  if (score == **current) return Outcome::kSame;
  *current = score;
  return Outcome::kUpdated;
}

// ZADD and ZINCRBY: score and member from word `first` on.
void Add(Call& call, const AddOptions& options, size_t first) {
  std::vector<double> scores;
  for (size_t i = first; i < call.size(); i += 2) {
    if (!call.Float(i, &scores.emplace_back())) return;
  }
  SortedSet set(call, call[1]);
  if (!set.Open()) return;

  // Each member once, with the score that it has and the one that it gets.
  std::vector<Added> members;
  std::unordered_map<std::string_view, size_t> index;
  const bool several = scores.size() > 1;
  uint64_t added = 0, updated = 0;
  bool corrupt = false;
  size_t next = 0;
  Outcome last = Outcome::kNothing;
  const Status s =
      set.ForEachNamed(first + 1, 2, [&](std::string_view member, const PinnableSlice* value) {
        size_t at = members.size();
        if (several) at = index.emplace(member, at).first->second;
        if (at == members.size()) {
          members.push_back({member, {}, {}});
          if (value != nullptr) {
            double old = 0;
            corrupt = corrupt || !SortedSet::DecodeScore({value->data(), value->size()}, &old);
            members.back().old = members.back().now = old;
          }
        }
        last = Apply(options, scores[next++], &members[at].now);
        added += last == Outcome::kAdded ? 1 : 0;
        updated += last == Outcome::kUpdated ? 1 : 0;
      });
  if (!s.ok() || corrupt) {
    call.Fail(corrupt ? Status::Corruption("a member of a sorted set has no score") : s);
    return;
  }
  if (last == Outcome::kNotANumber) {
    call.reply.Error(kNotANumber);
    return;
  }
  for (const Added& one : members) {
    if (one.now != one.old) set.Set(one.member, *one.now, one.old ? &*one.old : nullptr);
  }
  if (added + updated != 0) set.Finish(set.count() + added);
  if (!options.increment) {
    call.reply.Integer(static_cast<int64_t>(options.changed ? added + updated : added));
  } else if (last == Outcome::kNothing) {
    call.reply.Null();
  } else {
    call.reply.Double(*members[0].now);
  }
}

// ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]
void ZAdd(Call& call) {
  AddOptions options;
  size_t i = 2;
  for (; i < call.size(); ++i) {
    if (call.Is(i, "NX")) {
      options.if_absent = true;
    } else if (call.Is(i, "XX")) {
      options.if_present = true;
    } else if (call.Is(i, "GT")) {
      options.if_greater = true;
    } else if (call.Is(i, "LT")) {
      options.if_less = true;
    } else if (call.Is(i, "CH")) {
      options.changed = true;
    } else if (call.Is(i, "INCR")) {
      options.increment = true;
    } else {
      break;
    }
  }
  const size_t words = call.size() - i;
  if (words == 0 || words % 2 != 0) {
    call.SyntaxError();
  } else if (options.if_absent && options.if_present) {
    call.reply.Error("ERR XX and NX options at the same time are not compatible");
  } else if ((options.if_greater || options.if_less) &&
             (options.if_absent || (options.if_greater && options.if_less))) {
    call.reply.Error("ERR GT, LT, and/or NX options at the same time are not compatible");
  } else if (options.increment && words > 2) {
    call.reply.Error("ERR INCR option supports a single increment-element pair");
  } else {
    Add(call, options, i);
  }
}

void ZIncrBy(Call& call) {
  AddOptions options;
  options.increment = true;
  Add(call, options, 2);
}

void ZRem(Call& call) {
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  std::unordered_map<std::string_view, double> removed;
  bool corrupt = false;
  const Status s = set.ForEachNamed(2, 1, [&](std::string_view member, const PinnableSlice* value) {
    double score = 0;
    if (value == nullptr) return;
    corrupt = corrupt || !SortedSet::DecodeScore({value->data(), value->size()}, &score);
    removed.emplace(member, score);
  });
  if (!s.ok() || corrupt) {
    call.Fail(corrupt ? Status::Corruption("a member of a sorted set has no score") : s);
    return;
  }
  for (const auto& [member, score] : removed) set.Remove(member, score);
  if (!removed.empty()) set.Finish(set.count() - removed.size());
  call.reply.Integer(static_cast<int64_t>(removed.size()));
}

void ZScore(Call& call) {
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  double score;
  const Status s = set.Score(call[2], &score);
  if (s.ok()) {
    call.reply.Double(score);
  } else if (s.IsNotFound()) {
    call.reply.Null();
  } else {
    call.Fail(s);
  }
}

void ZMScore(Call& call) {
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  ReplyCounted(
      call, [&](uint64_t count) { call.reply.Array(count); },
      [&](uint64_t* count) {
        return set.ForEachNamed(2, 1, [&](std::string_view, const PinnableSlice* value) {
          ++*count;
          double score;
          if (value != nullptr && SortedSet::DecodeScore({value->data(), value->size()}, &score)) {
            call.reply.Double(score);
          } else {
            call.reply.Null();
          }
        });
      });
}

void ZCard(Call& call) {
  SortedSet set(call, call[1]);
  if (set.Open()) call.reply.Integer(static_cast<int64_t>(set.count()));
}

// key member [WITHSCORE]. Walks from the end that the rank is counted from.
void Rank(Call& call, bool backward) {
  if (call.size() > 4) {
    call.WrongArity();
    return;
  }
  const bool with_score = call.size() == 4;
  if (with_score && !call.Is(3, "WITHSCORE")) {
    call.SyntaxError();
    return;
  }
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  double score;
  Status s = set.Score(call[2], &score);
  if (s.IsNotFound()) {
    if (with_score) {
      call.reply.NullArray();
    } else {
      call.reply.Null();
    }
    return;
  }
  int64_t rank = -1;
  bool found = false;
  if (s.ok()) {
    s = set.WalkRanks({0, set.count()}, backward, [&](std::string_view member, double) {
      ++rank;
      found = member == call[2];
      return !found;
    });
  }
  if (s.ok() && !found)
    s = Status::Corruption("a member of a sorted set has no place in its order");
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  if (with_score) call.reply.Array(2);
  call.reply.Integer(rank);
  if (with_score) call.reply.Double(score);
}
void ZRank(Call& call) { Rank(call, false); }
void ZRevRank(Call& call) { Rank(call, true); }

void ReplyScoreOf(Call& call, std::string_view value) {
  double score = 0;
  SortedSet::DecodeScore(value, &score);
  call.reply.Double(score);
}

void ZScan(Call& call) {
  ScanCollection(call, Type::kSortedSet, 2, [&](std::string_view member, std::string_view value) {
    call.reply.Bulk(member);
    double score = 0;
    SortedSet::DecodeScore(value, &score);
    call.reply.Bulk(FormatDouble(score));
  });
}

void ZRandMember(Call& call) {
  ReplyRandomElements(call, Type::kSortedSet, "WITHSCORES",
                      [&](std::string_view value) { ReplyScoreOf(call, value); });
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"zadd", -4, kUpdate | kFast, 1, 1, 1, ZAdd, "sorted-set"},
    {"zcard", 2, kRead | kFast, 1, 1, 1, ZCard, "sorted-set"},
    {"zincrby", 4, kUpdate | kFast, 1, 1, 1, ZIncrBy, "sorted-set"},
    {"zmscore", -3, kReadMany | kFast, 1, 1, 1, ZMScore, "sorted-set"},
    {"zrandmember", -2, kReadMany, 1, 1, 1, ZRandMember, "sorted-set"},
    {"zrank", -3, kReadMany, 1, 1, 1, ZRank, "sorted-set"},
    {"zrem", -3, kRemoves | kUpdate | kFast, 1, 1, 1, ZRem, "sorted-set"},
    {"zrevrank", -3, kReadMany, 1, 1, 1, ZRevRank, "sorted-set"},
    {"zscan", -3, kReadMany, 1, 1, 1, ZScan, "sorted-set"},
    {"zscore", 3, kRead | kFast, 1, 1, 1, ZScore, "sorted-set"},
};

}  // namespace

std::span<const Command> SortedSetCommands() { return kCommands; }

}  // namespace cairn::server
