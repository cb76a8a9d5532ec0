// Sets: SADD SREM SPOP SMOVE SSCAN and their family; what takes several sets is in set_algebra.cc.
// A member is an element without a value.
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/collection.h"
#include "server/commands/command.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

void SAdd(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  std::vector<std::string_view> added;
  const Status s = set.Named(2, 1, /*present=*/false, &added);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  for (const std::string_view member : added) set.Put(member, {});
  if (!added.empty()) set.Finish(set.count() + added.size());
  call.reply.Integer(static_cast<int64_t>(added.size()));
}

void SRem(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  std::vector<std::string_view> removed;
  const Status s = set.Named(2, 1, /*present=*/true, &removed);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  for (const std::string_view member : removed) set.Erase(member);
  if (!removed.empty()) set.Finish(set.count() - removed.size());
  call.reply.Integer(static_cast<int64_t>(removed.size()));
}

// kFailed: an error was replied.
Found FindMember(Call& call, const Collection& set, std::string_view member) {
  PinnableSlice value;
  const Status s = set.Get(member, &value);
  if (s.ok()) return Found::kYes;
  if (s.IsNotFound()) return Found::kNo;
  call.Fail(s);
  return Found::kFailed;
}

void SIsMember(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  const Found found = FindMember(call, set, call[2]);
  if (found != Found::kFailed) call.reply.Integer(found == Found::kYes ? 1 : 0);
}

void SMIsMember(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  ReplyCounted(
      call, [&](uint64_t count) { call.reply.Array(count); },
      [&](uint64_t* count) {
        return set.ForEachNamed(2, 1, [&](std::string_view, const PinnableSlice* value) {
          ++*count;
          call.reply.Integer(value != nullptr ? 1 : 0);
        });
      });
}

void SCard(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (set.Open()) call.reply.Integer(static_cast<int64_t>(set.count()));
}

void SMembers(Call& call) {
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  ReplyWhole(
      set, [&](uint64_t count) { call.reply.Set(count); },
      [&](std::string_view member, std::string_view) { call.reply.Bulk(member); });
}

void SMove(Call& call) {
  Collection from(call, call[1], Type::kSet), to(call, call[2], Type::kSet);
  if (!from.Open()) return;
  if (!from.exists()) {
    call.reply.Integer(0);
    return;
  }
  if (!to.Open()) return;
  const Found found = FindMember(call, from, call[3]);
  if (found == Found::kFailed) return;
  if (found == Found::kYes && call[1] != call[2]) {
    const Found there = FindMember(call, to, call[3]);
    if (there == Found::kFailed) return;
    from.Erase(call[3]);
    from.Finish(from.count() - 1);
    if (there == Found::kNo) {
      to.Put(call[3], {});
      to.Finish(to.count() + 1);
    }
  }
  call.reply.Integer(found == Found::kYes ? 1 : 0);
}

// SPOP key [count]
void SPop(Call& call) {
  if (call.size() > 3) {
    call.SyntaxError();
    return;
  }
  const bool counted = call.size() == 3;
  int64_t wanted = 1;
  if (counted && (!ParseInteger(call[2], &wanted) || wanted < 0)) {
    call.reply.Error("ERR value is out of range, must be positive");
    return;
  }
  Collection set(call, call[1], Type::kSet);
  if (!set.Open()) return;
  std::vector<std::string> popped;
  const Status s = ForRandomElements(
      set, std::min(static_cast<uint64_t>(wanted), set.count()), /*repeats=*/false,
      [&](std::string_view member, std::string_view) { popped.emplace_back(member); });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  if (popped.size() < set.count()) {
    for (const std::string& member : popped) set.Erase(member);
  }
  if (!popped.empty()) set.Finish(set.count() - popped.size());
  if (counted) {
    call.reply.Set(popped.size());
  } else if (popped.empty()) {
    call.reply.Null();
  }
  for (const std::string& member : popped) call.reply.Bulk(member);
}

void SRandMember(Call& call) { ReplyRandomElements(call, Type::kSet, "", nullptr); }

void SScan(Call& call) {
  ScanCollection(call, Type::kSet, 1,
                 [&](std::string_view member, std::string_view) { call.reply.Bulk(member); });
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"sadd", -3, kUpdate | kFast, 1, 1, 1, SAdd, "set"},
    {"scard", 2, kRead | kFast, 1, 1, 1, SCard, "set"},
    {"sismember", 3, kRead | kFast, 1, 1, 1, SIsMember, "set"},
    {"smembers", 2, kReadMany, 1, 1, 1, SMembers, "set"},
    {"smismember", -3, kReadMany | kFast, 1, 1, 1, SMIsMember, "set"},
    {"smove", 4, kUpdate | kFast, 1, 2, 1, SMove, "set"},
    {"spop", -2, kRemoves | kUpdate | kFast, 1, 1, 1, SPop, "set"},
    {"srandmember", -2, kReadMany, 1, 1, 1, SRandMember, "set"},
    {"srem", -3, kRemoves | kUpdate | kFast, 1, 1, 1, SRem, "set"},
    {"sscan", -3, kReadMany, 1, 1, 1, SScan, "set"},
};

}  // namespace

std::span<const Command> SetCommands() { return kCommands; }

}  // namespace cairn::server
