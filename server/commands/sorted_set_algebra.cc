// Unions, intersections and differences of sorted sets, plain sets among them (whose members have
// the score 1): ZUNION ZINTER ZDIFF, stored and counted.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "server/commands/command.h"
#include "server/commands/merge.h"
#include "server/commands/sorted_set.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

enum class Operation { kUnion, kIntersection, kDifference };
enum class Form { kReply, kStore, kCount };
enum class Aggregate { kSum, kMin, kMax };

struct Query {
  Query(Operation what, Form how) : operation(what), form(how) {}

  const Operation operation;
  const Form form;
  size_t keys = 0;
  std::vector<double> weights;
  Aggregate aggregate = Aggregate::kSum;
  bool with_scores = false;
  int64_t limit = 0;  // 0: none
  // In the order of the keys, or, but for a difference, of the collections' sizes: in that order
  // scores are added up.
  ElementCursors cursors;
};

// The numkeys at word `at` and the keys. False: an error was replied.
bool ParseKeys(Call& call, size_t at, Query* query) {
  int64_t keys;
  if (!call.Integer(at, &keys)) return false;
  if (keys < 1) {
    call.reply.Error("ERR at least 1 input key is needed for '" + std::string(call.command.name) +
                     "' command");
    return false;
  }
  if (static_cast<uint64_t>(keys) > call.size() - at - 1) return call.SyntaxError();
  query->keys = static_cast<size_t>(keys);
  return true;
}

bool ParseOptions(Call& call, size_t first, Query* query) {
  const bool combines = query->operation != Operation::kDifference && query->form != Form::kCount;
  query->weights.assign(query->keys, 1);
  for (size_t i = first; i < call.size(); ++i) {
    const size_t behind = call.size() - i - 1;
    if (combines && behind >= query->keys && call.Is(i, "WEIGHTS")) {
      for (double& weight : query->weights) {
        if (ParseDouble(call[++i], &weight)) continue;
        call.reply.Error("ERR weight value is not a float");
        return false;
      }
    } else if (combines && behind >= 1 && call.Is(i, "AGGREGATE")) {
      ++i;
      if (call.Is(i, "SUM")) {
        query->aggregate = Aggregate::kSum;
      } else if (call.Is(i, "MIN")) {
        query->aggregate = Aggregate::kMin;
      } else if (call.Is(i, "MAX")) {
        query->aggregate = Aggregate::kMax;
      } else {
        return call.SyntaxError();
      }
    } else if (query->form == Form::kReply && call.Is(i, "WITHSCORES")) {
      query->with_scores = true;
    } else if (query->form == Form::kCount && behind >= 1 && call.Is(i, "LIMIT")) {
      if (!ParseInteger(call[++i], &query->limit) || query->limit < 0) {
        call.reply.Error("ERR LIMIT can't be negative");
        return false;
      }
    } else {
      return call.SyntaxError();
    }
  }
  return true;
}

// Numkeys at word `at`. False: an error was replied.
bool Parse(Call& call, size_t at, Query* query) {
  if (!ParseKeys(call, at, query)) return false;
  std::vector<std::pair<uint64_t, ElementCursor>> sources;
  for (size_t i = at + 1; i <= at + query->keys; ++i) {
    Collection source(call, call[i], Type::kSortedSet);
    if (!source.OpenAs(Type::kSet)) return false;
    sources.emplace_back(source.count(), ElementCursor(source));
  }
  if (!ParseOptions(call, at + 1 + query->keys, query)) return false;
  std::vector<size_t> order(query->keys);
  std::iota(order.begin(), order.end(), 0);
  if (query->operation != Operation::kDifference) {
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tie(sources[a].first, a) < std::tie(sources[b].first, b);
    });
  }
  std::vector<double> weights;
  for (const size_t i : order) {
    query->cursors.push_back(std::move(sources[i].second));
    weights.push_back(query->weights[i]);
  }
  query->weights = std::move(weights);
  return true;
}

// Perhaps not a number: zero times infinity. False: the value is no score.
bool WeightedScore(const ElementCursor& cursor, double weight, double* score) {
  *score = 1;
  if (!cursor.value().empty() && !SortedSet::DecodeScore(cursor.value(), score)) return false;
  *score *= weight;
  return true;
}

void AddUp(Aggregate aggregate, double score, double* sum) {
  switch (aggregate) {
    case Aggregate::kSum:
      *sum += score;
      if (std::isnan(*sum)) *sum = 0;  // infinity and minus infinity
      break;
    case Aggregate::kMin:
      *sum = std::min(*sum, score);
      break;
    case Aggregate::kMax:
      *sum = std::max(*sum, score);
      break;
  }
}

// SUSPENDS. Calls `take(member, score)` for the result, in the order of the names, until it returns
// false.
template <class Take>
Status Combine(Query* query, const Take& take) {
  bool corrupt = false;
  const auto combine = [&](std::string_view member) {
    double sum = 0;
    bool first = true;
    for (size_t i = 0; i < query->cursors.size(); ++i) {
      const ElementCursor& cursor = query->cursors[i];
      if (!cursor.IsAt(member)) continue;
      double score;
      if (!WeightedScore(cursor, query->weights[i], &score)) {
        corrupt = true;
        return false;
      }
      // As Redis has it, what is not a number in an intersection makes the sum so far 0, too.
      if (std::isnan(score) && (first || query->operation == Operation::kUnion)) score = 0;
      if (first) {
        sum = score;
        first = false;
      } else {
        AddUp(query->aggregate, score, &sum);
      }
    }
    return take(member, sum);
  };
  Status s;
  switch (query->operation) {
    case Operation::kUnion:
      s = Unite(&query->cursors, combine);
      break;
    case Operation::kIntersection:
      s = Intersect(&query->cursors, combine);
      break;
    case Operation::kDifference:
      s = Subtract(&query->cursors, combine);
      break;
  }
  return corrupt ? Status::Corruption("a member of a sorted set has no score") : s;
}

void Reply(Call& call, Operation operation) {
  Query query(operation, Form::kReply);
  if (!Parse(call, 1, &query)) return;
  std::vector<ScoredMember> result;
  const Status s = Combine(&query, [&](std::string_view member, double score) {
    result.emplace_back(member, score);
    return true;
  });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  // Members of one score in the order of their names.
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second, a.first) < std::tie(b.second, b.first);
  });
  call.reply.Array(query.with_scores && call.reply.version() < 3 ? 2 * result.size()
                                                                 : result.size());
  for (const auto& [member, score] : result) {
    if (query.with_scores) {
      ReplyScored(call, member, score);
    } else {
      call.reply.Bulk(member);
    }
  }
}
void ZUnion(Call& call) { Reply(call, Operation::kUnion); }
void ZInter(Call& call) { Reply(call, Operation::kIntersection); }
void ZDiff(Call& call) { Reply(call, Operation::kDifference); }

void Store(Call& call, Operation operation) {
  Query query(operation, Form::kStore);
  if (!Parse(call, 2, &query)) return;
  SortedSet result(call, call[1]);
  result.ReplaceBy([&](uint64_t* count) {
    return Combine(&query, [&](std::string_view member, double score) {
      ++*count;
      result.Set(member, score, nullptr);
      return true;
    });
  });
}
void ZUnionStore(Call& call) { Store(call, Operation::kUnion); }
void ZInterStore(Call& call) { Store(call, Operation::kIntersection); }
void ZDiffStore(Call& call) { Store(call, Operation::kDifference); }

// ZINTERCARD numkeys key [key ...] [LIMIT limit]
void ZInterCard(Call& call) {
  Query query(Operation::kIntersection, Form::kCount);
  if (!Parse(call, 1, &query)) return;
  int64_t count = 0;
  const Status s =
      Intersect(&query.cursors, [&](std::string_view) { return ++count != query.limit; });
  if (s.ok()) {
    call.reply.Integer(count);
  } else {
    call.Fail(s);
  }
}

void FindStoreKeys(Arguments arguments, std::vector<size_t>* positions) {
  positions->push_back(1);
  AppendCountedKeys(arguments, 2, positions);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"zdiff", -3, kReadMany, 0, 0, 0, ZDiff, "sorted-set", FindCountedKeys<1>},
    {"zdiffstore", -4, kUpdate, 1, 1, 1, ZDiffStore, "sorted-set", FindStoreKeys},
    {"zinter", -3, kReadMany, 0, 0, 0, ZInter, "sorted-set", FindCountedKeys<1>},
    {"zintercard", -3, kReadMany, 0, 0, 0, ZInterCard, "sorted-set", FindCountedKeys<1>},
    {"zinterstore", -4, kUpdate, 1, 1, 1, ZInterStore, "sorted-set", FindStoreKeys},
    {"zunion", -3, kReadMany, 0, 0, 0, ZUnion, "sorted-set", FindCountedKeys<1>},
    {"zunionstore", -4, kUpdate, 1, 1, 1, ZUnionStore, "sorted-set", FindStoreKeys},
};

}  // namespace

std::span<const Command> SortedSetAlgebraCommands() { return kCommands; }

}  // namespace cairn::server
