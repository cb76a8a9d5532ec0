// Lists: pushing and popping at both ends, reading and changing what is between. Those that wait
// are in list_blocking.cc.
#include "server/commands/lists.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/commands/collection.h"
#include "server/commands/walk.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

// Where an index of a user (negative: from the end) is; perhaps beyond the ends.
int64_t IndexOf(const Entry& entry, int64_t index) {
  const auto count = static_cast<int64_t>(entry.count);
  if (index < 0) return index < -count ? entry.head - 1 : entry.tail + index;
  return index >= count ? entry.tail : entry.head + index;
}

// first and last of a user to [*from, *to); empty if from >= to.
void RangeOf(const Entry& entry, int64_t first, int64_t last, int64_t* from, int64_t* to) {
  *from = std::max(IndexOf(entry, first), entry.head);
  *to = std::min(IndexOf(entry, last), entry.tail - 1) + 1;
}

void Push(Call& call, ListEnd end, bool only_if_there) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  if (found == Found::kNo && only_if_there) {
    call.reply.Integer(0);
    return;
  }
  PushElements(call, call[1], found == Found::kYes, &entry, end, call.arguments.subspan(2));
  call.reply.Integer(static_cast<int64_t>(entry.count));
}
void LPush(Call& call) { Push(call, ListEnd::kHead, false); }
void RPush(Call& call) { Push(call, ListEnd::kTail, false); }
void LPushX(Call& call) { Push(call, ListEnd::kHead, true); }
void RPushX(Call& call) { Push(call, ListEnd::kTail, true); }

void ReplyElements(Call& call, const std::vector<std::string>& elements) {
  call.reply.Array(elements.size());
  for (const std::string& element : elements) call.reply.Bulk(element);
}

// LPOP and RPOP key [count].
void Pop(Call& call, ListEnd end) {
  if (call.size() > 3) {
    call.reply.Error("ERR wrong number of arguments for '" + std::string(call.command.name) +
                     "' command");
    return;
  }
  const bool many = call.size() == 3;
  int64_t count = 1;
  if (many && (!ParseInteger(call[2], &count) || count < 0)) {
    call.reply.Error("ERR value is out of range, must be positive");
    return;
  }
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  if (found == Found::kNo) {
    if (many) {
      call.reply.NullArray();
    } else {
      call.reply.Null();
    }
    return;
  }
  std::vector<std::string> popped;
  if (count > 0) {
    const Status s = PopElements(call, call[1], &entry, end,
                                 std::min(static_cast<uint64_t>(count), entry.count), &popped);
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
  }
  if (many) {
    ReplyElements(call, popped);
  } else {
    call.reply.Bulk(popped[0]);
  }
}
void LPop(Call& call) { Pop(call, ListEnd::kHead); }
void RPop(Call& call) { Pop(call, ListEnd::kTail); }

void LLen(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  call.reply.Integer(found == Found::kYes ? static_cast<int64_t>(entry.count) : 0);
}

void LIndex(Call& call) {
  Entry entry;
  PinnableSlice bytes, element;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kNo) call.reply.Null();
  int64_t index;
  if (found != Found::kYes || !call.Integer(2, &index)) return;
  index = IndexOf(entry, index);
  if (index < entry.head || index >= entry.tail) {
    call.reply.Null();
    return;
  }
  const Status s = ReadElement(call.transaction, entry, index, &element);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Bulk({element.data(), element.size()});
}

void LSet(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kNo) call.reply.Error("ERR no such key");
  int64_t index;
  if (found != Found::kYes || !call.Integer(2, &index)) return;
  index = IndexOf(entry, index);
  if (index < entry.head || index >= entry.tail) {
    call.reply.Error("ERR index out of range");
    return;
  }
  call.transaction.Put(ListKey(entry.id, index), call[3]);
  call.transaction.Touch(call.ns(), call[1]);
  call.reply.Ok();
}

void LRange(Call& call) {
  int64_t first, last;
  if (!call.Integer(2, &first) || !call.Integer(3, &last)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  int64_t from = 0, to = 0;
  if (found == Found::kYes) RangeOf(entry, first, last, &from, &to);
  const ReplyWriter::Mark mark = call.reply.mark();
  call.reply.Array(from < to ? static_cast<size_t>(to - from) : 0);
  if (from >= to) return;
  const Status s = WalkList(call.transaction, entry, from, to, false,
                            [&call](int64_t, std::string_view element) {
                              call.reply.Bulk(element);
                              return true;
                            });
  if (s.ok()) return;
  call.reply.Rewind(mark);
  call.Fail(s);
}

// LINSERT key BEFORE|AFTER pivot element
void LInsert(Call& call) {
  const bool after = call.Is(2, "AFTER");
  if (!after && !call.Is(2, "BEFORE")) {
    call.SyntaxError();
    return;
  }
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(0);
  if (found != Found::kYes) return;
  bool there = false;
  int64_t pivot = 0;
  Status s = WalkList(call.transaction, entry, entry.head, entry.tail, false,
                      [&](int64_t index, std::string_view element) {
                        there = element == call[3];
                        pivot = index;
                        return !there;
                      });
  if (s.ok() && there) s = InsertElement(call, call[1], &entry, after ? pivot + 1 : pivot, call[4]);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Integer(there ? static_cast<int64_t>(entry.count) : -1);
}

// LREM key count element: a negative count from the tail, 0 all.
void LRem(Call& call) {
  int64_t count;
  if (!call.Integer(2, &count)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(0);
  if (found != Found::kYes) return;
  const bool backward = count < 0;
  const uint64_t limit = count == 0 ? UINT64_MAX
                         : backward ? uint64_t{0} - static_cast<uint64_t>(count)
                                    : static_cast<uint64_t>(count);
  std::vector<int64_t> indexes;
  Status s = WalkList(call.transaction, entry, entry.head, entry.tail, backward,
                      [&](int64_t index, std::string_view element) {
                        if (element == call[3]) indexes.push_back(index);
                        return indexes.size() < limit;
                      });
  if (backward) std::reverse(indexes.begin(), indexes.end());
  if (s.ok() && !indexes.empty()) s = RemoveElements(call, call[1], &entry, indexes);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Integer(static_cast<int64_t>(indexes.size()));
}

void LTrim(Call& call) {
  int64_t first, last;
  if (!call.Integer(2, &first) || !call.Integer(3, &last)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  if (found == Found::kYes) {
    int64_t from, to;
    RangeOf(entry, first, last, &from, &to);
    if (from >= to) {
      DeleteKey(call, call[1], entry);
    } else if (from > entry.head || to < entry.tail) {
      const Status s = TrimElements(call, call[1], &entry, from, to);
      if (!s.ok()) {
        call.Fail(s);
        return;
      }
    }
  }
  call.reply.Ok();
}

// LPOS key element [RANK rank] [COUNT count] [MAXLEN length]
void LPos(Call& call) {
  int64_t rank = 1, count = -1, max_length = 0;
  const auto natural = [&call](size_t i, const char* error, int64_t* value) {
    if (ParseInteger(call[i], value) && *value >= 0) return true;
    call.reply.Error(error);
    return false;
  };
  for (size_t i = 3; i < call.size(); ++i) {
    const bool more = i + 1 < call.size();
    if (call.Is(i, "RANK") && more) {
      if (!call.Integer(++i, &rank)) return;
      if (rank == 0) {
        call.reply.Error(
            "ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... "
            "or use negative to start from the end of the list");
        return;
      }
    } else if (call.Is(i, "COUNT") && more) {
      if (!natural(++i, "ERR COUNT can't be negative", &count)) return;
    } else if (call.Is(i, "MAXLEN") && more) {
      if (!natural(++i, "ERR MAXLEN can't be negative", &max_length)) return;
    } else {
      call.SyntaxError();
      return;
    }
  }
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kList, &entry, &bytes);
  if (found == Found::kFailed) return;
  std::vector<int64_t> positions;
  if (found == Found::kYes) {
    const uint64_t limit = count < 0 ? 1 : count == 0 ? UINT64_MAX : static_cast<uint64_t>(count);
    const bool backward = rank < 0;
    uint64_t skipped = backward ? ~static_cast<uint64_t>(rank) : static_cast<uint64_t>(rank) - 1;
    int64_t from = entry.head, to = entry.tail;
    if (max_length != 0 && static_cast<uint64_t>(max_length) < entry.count) {
      (backward ? from : to) = backward ? to - max_length : from + max_length;
    }
    const Status s = WalkList(call.transaction, entry, from, to, backward,
                              [&](int64_t index, std::string_view element) {
                                if (element == call[2] && skipped-- == 0) {
                                  positions.push_back(index - entry.head);
                                  skipped = 0;
                                }
                                return positions.size() < limit;
                              });
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
  }
  if (count < 0) {
    if (positions.empty()) {
      call.reply.Null();
    } else {
      call.reply.Integer(positions[0]);
    }
    return;
  }
  call.reply.Array(positions.size());
  for (const int64_t position : positions) call.reply.Integer(position);
}

void LMove(Call& call) {
  ListEnd from = ListEnd::kHead, to = ListEnd::kHead;
  if (!ParseListEnd(call, 3, &from) || !ParseListEnd(call, 4, &to)) return;
  if (MoveElement(call, call[1], call[2], from, to) == Taken::kNothing) call.reply.Null();
}

void RPopLPush(Call& call) {
  if (MoveElement(call, call[1], call[2], ListEnd::kTail, ListEnd::kHead) == Taken::kNothing) {
    call.reply.Null();
  }
}

void LMPop(Call& call) {
  MultiPop options;
  if (!ParseMultiPop(call, 1, "LEFT", "RIGHT", &options)) return;
  if (PopFromFirst(call, options) == Taken::kNothing) call.reply.NullArray();
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
// The entry and the elements must be of one moment.
constexpr uint32_t kReadElements = kRead | kOneState;
constexpr Command kCommands[] = {
    {"lindex", 3, kReadElements, 1, 1, 1, LIndex, "list"},
    {"linsert", 5, kUpdate, 1, 1, 1, LInsert, "list"},
    {"llen", 2, kRead | kFast, 1, 1, 1, LLen, "list"},
    {"lmove", 5, kUpdate, 1, 2, 1, LMove, "list"},
    {"lmpop", -4, kRemoves | kUpdate, 0, 0, 0, LMPop, "list", FindCountedKeys<1>},
    {"lpop", -2, kRemoves | kUpdate | kFast, 1, 1, 1, LPop, "list"},
    {"lpos", -3, kReadElements, 1, 1, 1, LPos, "list"},
    {"lpush", -3, kUpdate | kFast, 1, 1, 1, LPush, "list"},
    {"lpushx", -3, kUpdate | kFast, 1, 1, 1, LPushX, "list"},
    {"lrange", 4, kReadElements, 1, 1, 1, LRange, "list"},
    {"lrem", 4, kRemoves | kUpdate, 1, 1, 1, LRem, "list"},
    {"lset", 4, kUpdate, 1, 1, 1, LSet, "list"},
    {"ltrim", 4, kRemoves | kUpdate, 1, 1, 1, LTrim, "list"},
    {"rpop", -2, kRemoves | kUpdate | kFast, 1, 1, 1, RPop, "list"},
    {"rpoplpush", 3, kUpdate, 1, 2, 1, RPopLPush, "list"},
    {"rpush", -3, kUpdate | kFast, 1, 1, 1, RPush, "list"},
    {"rpushx", -3, kUpdate | kFast, 1, 1, 1, RPushX, "list"},
};

}  // namespace

bool ParseListEnd(Call& call, size_t i, ListEnd* end) {
  if (!call.Is(i, "LEFT") && !call.Is(i, "RIGHT")) return call.SyntaxError();
  *end = call.Is(i, "LEFT") ? ListEnd::kHead : ListEnd::kTail;
  return true;
}

Taken MoveElement(Call& call, std::string_view source, std::string_view target, ListEnd from,
                  ListEnd to) {
  Entry entry, target_entry;
  PinnableSlice bytes, target_bytes, element;
  const Found found = call.FindAwaited(source, Type::kList, &entry, &bytes);
  if (found != Found::kYes) return found == Found::kNo ? Taken::kNothing : Taken::kYes;
  const bool same = source == target;
  Found target_found = Found::kYes;
  if (!same) {
    target_found = call.Find(target, Type::kList, &target_entry, &target_bytes);
    if (target_found == Found::kFailed) return Taken::kYes;
  }
  std::vector<std::string> moved;
  // A list of one that is moved to itself is neither emptied nor deleted.
  if (same && entry.count == 1) {
    const Status s = ReadElement(call.transaction, entry, entry.head, &element);
    if (!s.ok()) {
      call.Fail(s);
      return Taken::kYes;
    }
    moved.push_back(element.ToString());
    call.transaction.Touch(call.ns(), source);
  } else {
    const Status s = PopElements(call, source, &entry, from, 1, &moved);
    if (!s.ok()) {
      call.Fail(s);
      return Taken::kYes;
    }
    const std::string_view one = moved[0];
    PushElements(call, target, target_found == Found::kYes, same ? &entry : &target_entry, to,
                 {&one, 1});
  }
  call.reply.Bulk(moved[0]);
  return Taken::kYes;
}

Taken PopFromFirst(Call& call, const MultiPop& options) {
  for (size_t i = options.first_key; i < options.first_key + options.keys; ++i) {
    Entry entry;
    PinnableSlice bytes;
    const Found found = call.FindAwaited(call[i], Type::kList, &entry, &bytes);
    if (found == Found::kFailed) return Taken::kYes;
    if (found == Found::kNo) continue;
    std::vector<std::string> popped;
    const Status s =
        PopElements(call, call[i], &entry, options.from_last ? ListEnd::kTail : ListEnd::kHead,
                    std::min(options.count, entry.count), &popped);
    if (!s.ok()) {
      call.Fail(s);
      return Taken::kYes;
    }
    call.reply.Array(2);
    call.reply.Bulk(call[i]);
    if (options.only_one) {
      call.reply.Bulk(popped[0]);
    } else {
      ReplyElements(call, popped);
    }
    return Taken::kYes;
  }
  return Taken::kNothing;
}

std::span<const Command> ListCommands() { return kCommands; }

}  // namespace cairn::server
