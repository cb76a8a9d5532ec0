// Ranges of sorted sets, by rank, score or name: read, counted, stored and removed.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/command.h"
#include "server/commands/sorted_set.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

enum class RangeBy { kUnsaid, kRank, kScore, kName };
enum class Direction { kUnsaid, kForward, kBackward };

struct RangeQuery {
  RangeBy by = RangeBy::kUnsaid;
  Direction direction = Direction::kUnsaid;
  bool with_scores = false;
  int64_t offset = 0;
  int64_t limit = -1;  // negative: none
  int64_t start = 0, stop = 0;
  ScoreBounds scores;
  NameBounds names;

  bool backward() const { return direction == Direction::kBackward; }
};

bool ParseBounds(Call& call, size_t min, RangeQuery* query) {
  switch (query->by) {
    case RangeBy::kUnsaid:
    case RangeBy::kRank:
      return call.Integer(min, &query->start) && call.Integer(min + 1, &query->stop);
    case RangeBy::kScore:
      return query->backward() ? ParseScoreBounds(call, min + 1, min, &query->scores)
                               : ParseScoreBounds(call, min, min + 1, &query->scores);
    case RangeBy::kName:
      return query->backward() ? ParseNameBounds(call, min + 1, min, &query->names)
                               : ParseNameBounds(call, min, min + 1, &query->names);
  }
  return false;
}

// min max [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES] from word `min` on, as far as
// the command leaves it open. False: an error was replied.
bool ParseRange(Call& call, size_t min, bool store, RangeQuery* query) {
  const bool says_direction = query->direction == Direction::kUnsaid;
  const bool says_by = query->by == RangeBy::kUnsaid;
  for (size_t i = min + 2; i < call.size(); ++i) {
    if (!store && call.Is(i, "WITHSCORES")) {
      query->with_scores = true;
    } else if (call.Is(i, "LIMIT") && i + 2 < call.size()) {
      if (!call.Integer(i + 1, &query->offset) || !call.Integer(i + 2, &query->limit)) return false;
      i += 2;
    } else if (says_direction && call.Is(i, "REV")) {
      query->direction = Direction::kBackward;
    } else if (says_by && query->by == RangeBy::kUnsaid && call.Is(i, "BYLEX")) {
      query->by = RangeBy::kName;
    } else if (says_by && query->by == RangeBy::kUnsaid && call.Is(i, "BYSCORE")) {
      query->by = RangeBy::kScore;
    } else {
      return call.SyntaxError();
    }
  }
  if (query->by == RangeBy::kUnsaid) query->by = RangeBy::kRank;
  if (query->limit != -1 && query->by == RangeBy::kRank) {
    call.reply.Error(
        "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
    return false;
  }
  if (query->with_scores && query->by == RangeBy::kName) {
    call.reply.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX");
    return false;
  }
  return ParseBounds(call, min, query);
}

// SUSPENDS. Calls `take(member, score)` for the members of the range.
template <class Take>
Status WalkRange(const SortedSet& set, const RangeQuery& query, const Take& take) {
  if (query.by == RangeBy::kRank) {
    return set.WalkRanks(RanksOf(query.start, query.stop, set.count()), query.backward(),
                         [&](std::string_view member, double score) {
                           take(member, score);
                           return true;
                         });
  }
  if (query.offset < 0 || query.limit == 0) return Status::OK();
  // A negative limit is none.
  int64_t skip = query.offset, left = query.limit < 0 ? INT64_MAX : query.limit;
  const auto limited = [&](std::string_view member, double score) {
    if (skip > 0) {
      --skip;
      return true;
    }
    take(member, score);
    return --left != 0;
  };
  return query.by == RangeBy::kScore ? set.WalkScores(query.scores, query.backward(), limited)
                                     : set.WalkNames(query.names, query.backward(), limited);
}

void ReplyRange(Call& call, RangeBy by, Direction direction) {
  RangeQuery query;
  query.by = by;
  query.direction = direction;
  if (!ParseRange(call, 2, /*store=*/false, &query)) return;
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  ReplyCounted(
      call,
      [&](uint64_t count) {
        call.reply.Array(query.with_scores && call.reply.version() < 3 ? 2 * count : count);
      },
      [&](uint64_t* count) {
        return WalkRange(set, query, [&](std::string_view member, double score) {
          ++*count;
          if (query.with_scores) {
            ReplyScored(call, member, score);
          } else {
            call.reply.Bulk(member);
          }
        });
      });
}
void ZRange(Call& call) { ReplyRange(call, RangeBy::kUnsaid, Direction::kUnsaid); }
void ZRevRange(Call& call) { ReplyRange(call, RangeBy::kRank, Direction::kBackward); }
void ZRangeByScore(Call& call) { ReplyRange(call, RangeBy::kScore, Direction::kForward); }
void ZRevRangeByScore(Call& call) { ReplyRange(call, RangeBy::kScore, Direction::kBackward); }
void ZRangeByLex(Call& call) { ReplyRange(call, RangeBy::kName, Direction::kForward); }
void ZRevRangeByLex(Call& call) { ReplyRange(call, RangeBy::kName, Direction::kBackward); }

// ZRANGESTORE to from min max ...
void ZRangeStore(Call& call) {
  RangeQuery query;
  if (!ParseRange(call, 3, /*store=*/true, &query)) return;
  SortedSet set(call, call[2]);
  if (!set.Open()) return;
  SortedSet result(call, call[1]);
  result.ReplaceBy([&](uint64_t* count) {
    return WalkRange(set, query, [&](std::string_view member, double score) {
      ++*count;
      result.Set(member, score, nullptr);
    });
  });
}

void CountRange(Call& call, RangeBy by) {
  RangeQuery query;
  query.by = by;
  if (!ParseBounds(call, 2, &query)) return;
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  int64_t count = 0;
  const Status s = WalkRange(set, query, [&](std::string_view, double) { ++count; });
  if (s.ok()) {
    call.reply.Integer(count);
  } else {
    call.Fail(s);
  }
}
void ZCount(Call& call) { CountRange(call, RangeBy::kScore); }
void ZLexCount(Call& call) { CountRange(call, RangeBy::kName); }

void RemoveRange(Call& call, RangeBy by) {
  RangeQuery query;
  query.by = by;
  if (!ParseBounds(call, 2, &query)) return;
  SortedSet set(call, call[1]);
  if (!set.Open()) return;
  std::vector<ScoredMember> members;
  const Status s = WalkRange(set, query, [&](std::string_view member, double score) {
    members.emplace_back(member, score);
  });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  set.RemoveAndFinish(members);
  call.reply.Integer(static_cast<int64_t>(members.size()));
}
void ZRemRangeByRank(Call& call) { RemoveRange(call, RangeBy::kRank); }
void ZRemRangeByScore(Call& call) { RemoveRange(call, RangeBy::kScore); }
void ZRemRangeByLex(Call& call) { RemoveRange(call, RangeBy::kName); }

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"zcount", 4, kReadMany, 1, 1, 1, ZCount, "sorted-set"},
    {"zlexcount", 4, kReadMany, 1, 1, 1, ZLexCount, "sorted-set"},
    {"zrange", -4, kReadMany, 1, 1, 1, ZRange, "sorted-set"},
    {"zrangebylex", -4, kReadMany, 1, 1, 1, ZRangeByLex, "sorted-set"},
    {"zrangebyscore", -4, kReadMany, 1, 1, 1, ZRangeByScore, "sorted-set"},
    {"zrangestore", -5, kUpdate, 1, 2, 1, ZRangeStore, "sorted-set"},
    {"zremrangebylex", 4, kRemoves | kUpdate, 1, 1, 1, ZRemRangeByLex, "sorted-set"},
    {"zremrangebyrank", 4, kRemoves | kUpdate, 1, 1, 1, ZRemRangeByRank, "sorted-set"},
    {"zremrangebyscore", 4, kRemoves | kUpdate, 1, 1, 1, ZRemRangeByScore, "sorted-set"},
    {"zrevrange", -4, kReadMany, 1, 1, 1, ZRevRange, "sorted-set"},
    {"zrevrangebylex", -4, kReadMany, 1, 1, 1, ZRevRangeByLex, "sorted-set"},
    {"zrevrangebyscore", -4, kReadMany, 1, 1, 1, ZRevRangeByScore, "sorted-set"},
};

}  // namespace

std::span<const Command> SortedSetRangeCommands() { return kCommands; }

}  // namespace cairn::server
