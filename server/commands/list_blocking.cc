// The list commands that wait for an element.
#include "server/commands/collection.h"
#include "server/commands/lists.h"

namespace cairn::server {

namespace {

// BLPOP and BRPOP key... timeout
void BlockingPop(Call& call, ListEnd end) {
  uint64_t timeout_nanos;
  if (!ParseTimeout(call, call.size() - 1, &timeout_nanos)) return;
  MultiPop options;
  options.first_key = 1;
  options.keys = call.size() - 2;
  options.from_last = end == ListEnd::kTail;
  options.only_one = true;
  if (PopFromFirst(call, options) == Taken::kYes) return;
  WaitOrGiveUp(call, timeout_nanos, &ReplyWriter::NullArray);
}
void BLPop(Call& call) { BlockingPop(call, ListEnd::kHead); }
void BRPop(Call& call) { BlockingPop(call, ListEnd::kTail); }

// BLMPOP timeout numkeys key... LEFT|RIGHT [COUNT count]
void BLMPop(Call& call) {
  MultiPop options;
  uint64_t timeout_nanos;
  if (!ParseMultiPop(call, 2, "LEFT", "RIGHT", &options) || !ParseTimeout(call, 1, &timeout_nanos))
    return;
  if (PopFromFirst(call, options) == Taken::kYes) return;
  WaitOrGiveUp(call, timeout_nanos, &ReplyWriter::NullArray);
}

void BlockingMove(Call& call, ListEnd from, ListEnd to, uint64_t timeout_nanos) {
  if (MoveElement(call, call[1], call[2], from, to) == Taken::kYes) return;
  // Redis: whose time is over gets the null of arrays, who must not wait that of strings.
  WaitOrGiveUp(call, timeout_nanos,
               call.blocked == nullptr ? &ReplyWriter::Null : &ReplyWriter::NullArray);
}

// BLMOVE source target LEFT|RIGHT LEFT|RIGHT timeout
void BLMove(Call& call) {
  ListEnd from = ListEnd::kHead, to = ListEnd::kHead;
  uint64_t timeout_nanos;
  if (!ParseListEnd(call, 3, &from) || !ParseListEnd(call, 4, &to) ||
      !ParseTimeout(call, 5, &timeout_nanos)) {
    return;
  }
  BlockingMove(call, from, to, timeout_nanos);
}

// BRPOPLPUSH source target timeout
void BRPopLPush(Call& call) {
  uint64_t timeout_nanos;
  if (!ParseTimeout(call, 3, &timeout_nanos)) return;
  BlockingMove(call, ListEnd::kTail, ListEnd::kHead, timeout_nanos);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries | kBlocks;
constexpr Command kCommands[] = {
    {"blmove", 6, kUpdate, 1, 2, 1, BLMove, "list"},
    {"blmpop", -5, kRemoves | kUpdate, 0, 0, 0, BLMPop, "list", FindCountedKeys<2>},
    {"blpop", -3, kRemoves | kUpdate, 1, -2, 1, BLPop, "list"},
    {"brpop", -3, kRemoves | kUpdate, 1, -2, 1, BRPop, "list"},
    {"brpoplpush", 4, kUpdate, 1, 2, 1, BRPopLPush, "list"},
};

}  // namespace

std::span<const Command> BlockingListCommands() { return kCommands; }

}  // namespace cairn::server
