// Commands that take the first or last members of sorted sets: ZPOPMIN ZPOPMAX ZMPOP, and
// BZPOPMIN BZPOPMAX BZMPOP, which wait for them.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/command.h"
#include "server/commands/multi_pop.h"
#include "server/commands/sorted_set.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// Takes up to `count` members. False: an error was replied.
bool Pop(SortedSet* set, bool largest, uint64_t count, std::vector<ScoredMember>* popped) {
  const Status s = set->WalkRanks({0, std::min(count, set->count())}, largest,
                                  [&](std::string_view member, double score) {
                                    popped->emplace_back(member, score);
                                    return true;
                                  });
  if (!s.ok()) return set->call().Fail(s);
  set->RemoveAndFinish(*popped);
  return true;
}

// ZPOPMIN and ZPOPMAX key [count]
void PopOne(Call& call, bool largest) {
  if (call.size() > 3) {
    call.SyntaxError();
    return;
  }
  const bool counted = call.size() == 3;
  int64_t count = 1;
  if (counted && (!ParseInteger(call[2], &count) || count < 0)) {
    call.reply.Error("ERR value is out of range, must be positive");
    return;
  }
  SortedSet set(call, call[1]);
  std::vector<ScoredMember> popped;
  if (!set.Open() || !Pop(&set, largest, static_cast<uint64_t>(count), &popped)) return;
  const bool pairs = counted && call.reply.version() >= 3;
  call.reply.Array(pairs ? popped.size() : 2 * popped.size());
  for (const auto& [member, score] : popped) {
    if (pairs) call.reply.Array(2);
    call.reply.Bulk(member);
    call.reply.Double(score);
  }
}
void ZPopMin(Call& call) { PopOne(call, false); }
void ZPopMax(Call& call) { PopOne(call, true); }

// From the first of the keys that has members.
Taken PopFromFirst(Call& call, const MultiPop& options) {
  for (size_t i = options.first_key; i < options.first_key + options.keys; ++i) {
    SortedSet set(call, call[i]);
    if (!set.OpenAwaited()) return Taken::kYes;
    if (!set.exists()) continue;
    std::vector<ScoredMember> popped;
    if (!Pop(&set, options.from_last, options.count, &popped)) return Taken::kYes;
    call.reply.Array(options.only_one ? 3 : 2);
    call.reply.Bulk(call[i]);
    if (!options.only_one) call.reply.Array(popped.size());
    for (const auto& [member, score] : popped) {
      if (!options.only_one) call.reply.Array(2);
      call.reply.Bulk(member);
      call.reply.Double(score);
    }
    return Taken::kYes;
  }
  return Taken::kNothing;
}

void ZMPop(Call& call) {
  MultiPop options;
  if (!ParseMultiPop(call, 1, "MIN", "MAX", &options)) return;
  if (PopFromFirst(call, options) == Taken::kNothing) call.reply.NullArray();
}

// BZPOPMIN and BZPOPMAX key [key ...] timeout
void BlockingPop(Call& call, bool largest) {
  uint64_t timeout_nanos;
  if (!ParseTimeout(call, call.size() - 1, &timeout_nanos)) return;
  MultiPop options;
  options.first_key = 1;
  options.keys = call.size() - 2;
  options.from_last = largest;
  options.only_one = true;
  if (PopFromFirst(call, options) == Taken::kYes) return;
  WaitOrGiveUp(call, timeout_nanos, &ReplyWriter::NullArray);
}
void BZPopMin(Call& call) { BlockingPop(call, false); }
void BZPopMax(Call& call) { BlockingPop(call, true); }

// BZMPOP timeout numkeys key [key ...] MIN | MAX [COUNT count]
void BZMPop(Call& call) {
  MultiPop options;
  uint64_t timeout_nanos;
  if (!ParseMultiPop(call, 2, "MIN", "MAX", &options) || !ParseTimeout(call, 1, &timeout_nanos)) {
    return;
  }
  if (PopFromFirst(call, options) == Taken::kYes) return;
  WaitOrGiveUp(call, timeout_nanos, &ReplyWriter::NullArray);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kWaits = kUpdate | kBlocks;
constexpr Command kCommands[] = {
    {"bzmpop", -5, kRemoves | kWaits, 0, 0, 0, BZMPop, "sorted-set", FindCountedKeys<2>},
    {"bzpopmax", -3, kRemoves | kWaits | kFast, 1, -2, 1, BZPopMax, "sorted-set"},
    {"bzpopmin", -3, kRemoves | kWaits | kFast, 1, -2, 1, BZPopMin, "sorted-set"},
    {"zmpop", -4, kRemoves | kUpdate, 0, 0, 0, ZMPop, "sorted-set", FindCountedKeys<1>},
    {"zpopmax", -2, kRemoves | kUpdate | kFast, 1, 1, 1, ZPopMax, "sorted-set"},
    {"zpopmin", -2, kRemoves | kUpdate | kFast, 1, 1, 1, ZPopMin, "sorted-set"},
};

}  // namespace

std::span<const Command> SortedSetPopCommands() { return kCommands; }

}  // namespace cairn::server
