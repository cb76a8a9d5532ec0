// Intersections, unions and differences of sets: replied, stored or counted.
#include <algorithm>
#include <string_view>
#include <vector>

#include "server/commands/collection.h"
#include "server/commands/command.h"
#include "server/commands/merge.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

enum class Operation { kIntersection, kUnion, kDifference };

// Cursors over the sets that words first ... last - 1 name. False: an error was replied.
bool OpenSets(Call& call, size_t first, size_t last, Operation operation, ElementCursors* cursors) {
  std::vector<std::pair<uint64_t, ElementCursor>> sets;
  for (size_t i = first; i < last; ++i) {
    Collection set(call, call[i], Type::kSet);
    if (!set.Open()) return false;
    sets.emplace_back(set.count(), ElementCursor(set));
  }
  if (operation == Operation::kIntersection) {
    std::sort(sets.begin(), sets.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  for (auto& [count, cursor] : sets) cursors->push_back(std::move(cursor));
  return true;
}

template <class Take>
Status Combine(Operation operation, ElementCursors* cursors, const Take& take) {
  switch (operation) {
    case Operation::kIntersection:
      return Intersect(cursors, take);
    case Operation::kUnion:
      return Unite(cursors, take);
    case Operation::kDifference:
      return Subtract(cursors, take);
  }
  return Status::OK();
}

void Reply(Call& call, Operation operation) {
  ElementCursors cursors;
  if (!OpenSets(call, 1, call.size(), operation, &cursors)) return;
  ReplyCounted(
      call, [&](uint64_t count) { call.reply.Set(count); },
      [&](uint64_t* count) {
        return Combine(operation, &cursors, [&](std::string_view member) {
          ++*count;
          call.reply.Bulk(member);
          return true;
        });
      });
}
void SInter(Call& call) { Reply(call, Operation::kIntersection); }
void SUnion(Call& call) { Reply(call, Operation::kUnion); }
void SDiff(Call& call) { Reply(call, Operation::kDifference); }

void Store(Call& call, Operation operation) {
  ElementCursors cursors;
  if (!OpenSets(call, 2, call.size(), operation, &cursors)) return;
  Collection result(call, call[1], Type::kSet);
  result.ReplaceBy([&](uint64_t* count) {
    return Combine(operation, &cursors, [&](std::string_view member) {
      ++*count;
      result.Put(member, {});
      return true;
    });
  });
}
void SInterStore(Call& call) { Store(call, Operation::kIntersection); }
void SUnionStore(Call& call) { Store(call, Operation::kUnion); }
void SDiffStore(Call& call) { Store(call, Operation::kDifference); }

// SINTERCARD numkeys key [key ...] [LIMIT limit]
void SInterCard(Call& call) {
  size_t keys;
  if (!ParseKeyCount(call, 1, &keys)) return;
  int64_t limit = 0;
  for (size_t i = 2 + keys; i < call.size(); i += 2) {
    if (!call.Is(i, "LIMIT") || i + 1 == call.size()) {
      call.SyntaxError();
      return;
    }
    if (!ParseInteger(call[i + 1], &limit) || limit < 0) {
      call.reply.Error("ERR LIMIT can't be negative");
      return;
    }
  }
  ElementCursors cursors;
  if (!OpenSets(call, 2, 2 + keys, Operation::kIntersection, &cursors)) return;
  int64_t count = 0;
  const Status s = Intersect(&cursors, [&](std::string_view) { return ++count != limit; });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Integer(count);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"sdiff", -2, kReadMany, 1, -1, 1, SDiff, "set"},
    {"sdiffstore", -3, kUpdate, 1, -1, 1, SDiffStore, "set"},
    {"sinter", -2, kReadMany, 1, -1, 1, SInter, "set"},
    {"sintercard", -3, kReadMany, 0, 0, 0, SInterCard, "set", FindCountedKeys<1>},
    {"sinterstore", -3, kUpdate, 1, -1, 1, SInterStore, "set"},
    {"sunion", -2, kReadMany, 1, -1, 1, SUnion, "set"},
    {"sunionstore", -3, kUpdate, 1, -1, 1, SUnionStore, "set"},
};

}  // namespace

std::span<const Command> SetAlgebraCommands() { return kCommands; }

}  // namespace cairn::server
