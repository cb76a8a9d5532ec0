// Strings: GET SET MGET MSET INCR and their family. SET of a plain value reads nothing: whatever
// the key held before belongs to nobody then.
#include <algorithm>
#include <cmath>
#include <utility>

#include "cairn/compiler.h"
#include "server/commands/command.h"
#include "server/commands/expiry.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

void ReplyValue(Call& call, const Entry& entry, PinnableSlice&& bytes) {
  call.ReplyTail(std::move(bytes), entry.value.size());
}

void Get(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kYes) ReplyValue(call, entry, std::move(bytes));
  if (found == Found::kNo) call.reply.Null();
}

void Set(Call& call) {
  bool if_absent = false, if_present = false, get = false, keep_ttl = false;
  ExpiryOption expiry;
  for (size_t i = 3; i < call.size(); ++i) {
    if (call.Is(i, "NX") && !if_present) {
      if_absent = true;
    } else if (call.Is(i, "XX") && !if_absent) {
      if_present = true;
    } else if (call.Is(i, "GET")) {
      get = true;
    } else if (call.Is(i, "KEEPTTL") && !expiry.given) {
      keep_ttl = true;
    } else if (keep_ttl || !ParseExpiryOption(call, &i, &expiry)) {
      if (!expiry.failed) call.SyntaxError();
      return;
    }
  }
  uint64_t expires_at = expiry.expires_at;
  if (if_absent || if_present || get || keep_ttl) {
    Entry old;
    PinnableSlice bytes;
    const Found found =
        get ? call.Find(call[1], Type::kString, &old, &bytes) : call.Find(call[1], &old, &bytes);
    if (found == Found::kFailed) return;
    const bool there = found == Found::kYes;
    if (there && keep_ttl) expires_at = old.expires_at;
    const bool set = there ? !if_absent : !if_present;
    if (set) call.transaction.PutString(call.ns(), call[1], call[2], expires_at);
    if (get && there) {
      ReplyValue(call, old, std::move(bytes));
    } else if (get || !set) {
      call.reply.Null();
    } else {
      call.reply.Ok();
    }
    return;
  }
  call.transaction.PutString(call.ns(), call[1], call[2], expires_at);
  call.reply.Ok();
}

void SetNx(Call& call) {
  Entry old;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &old, &bytes);
  if (found == Found::kFailed) return;
  if (found == Found::kNo) call.transaction.PutString(call.ns(), call[1], call[2], 0);
  call.reply.Integer(found == Found::kNo ? 1 : 0);
}

// SETEX and PSETEX.
void SetExpiring(Call& call, ExpiryUnit unit) {
  uint64_t expires_at;
  if (!ParseExpiry(call, call[2], unit, &expires_at)) return;
  call.transaction.PutString(call.ns(), call[1], call[3], expires_at);
  call.reply.Ok();
}
void SetEx(Call& call) { SetExpiring(call, ExpiryUnit::kSeconds); }
void PSetEx(Call& call) { SetExpiring(call, ExpiryUnit::kMillis); }

void GetSet(Call& call) {
  Entry old;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &old, &bytes);
  if (found == Found::kFailed) return;
  call.transaction.PutString(call.ns(), call[1], call[2], 0);
  if (found == Found::kYes) {
    ReplyValue(call, old, std::move(bytes));
  } else {
    call.reply.Null();
  }
}

void GetDel(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kNo) call.reply.Null();
  if (found != Found::kYes) return;
  call.transaction.DeleteEntry(call.ns(), call[1]);
  ReplyValue(call, entry, std::move(bytes));
}

void GetEx(Call& call) {
  ExpiryOption expiry;
  bool persist = false;
  for (size_t i = 2; i < call.size(); ++i) {
    if (call.Is(i, "PERSIST") && !expiry.given && !persist) {
      persist = true;
    } else if (persist || !ParseExpiryOption(call, &i, &expiry)) {
      if (!expiry.failed) call.SyntaxError();
      return;
    }
  }
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kNo) call.reply.Null();
  if (found != Found::kYes) return;
  if (expiry.given && expiry.expires_at <= call.now_ms()) {
    call.transaction.DeleteEntry(call.ns(), call[1]);
  } else if (expiry.given || (persist && entry.expires_at != 0)) {
    call.transaction.PutString(call.ns(), call[1], entry.value, expiry.expires_at);
  }
  ReplyValue(call, entry, std::move(bytes));
}

void MGet(Call& call) {
  call.reply.Array(call.size() - 1);
  for (size_t i = 1; i < call.size(); ++i) {
    Entry entry;
    PinnableSlice bytes;
    const Status s = call.transaction.Find(call.ns(), call[i], &entry, &bytes);
    if (s.ok() && entry.type == Type::kString) {
      ReplyValue(call, entry, std::move(bytes));
    } else if (s.ok() || s.IsNotFound()) {
      call.reply.Null();
    } else {
      call.Fail(s);
    }
  }
}

void MSet(Call& call) {
  if (call.size() % 2 == 0) {
    call.reply.Error("ERR wrong number of arguments for 'mset' command");
    return;
  }
  for (size_t i = 1; i < call.size(); i += 2) {
    call.transaction.PutString(call.ns(), call[i], call[i + 1], 0);
  }
  call.reply.Ok();
}

void MSetNx(Call& call) {
  if (call.size() % 2 == 0) {
    call.reply.Error("ERR wrong number of arguments for 'msetnx' command");
    return;
  }
  for (size_t i = 1; i < call.size(); i += 2) {
    Entry entry;
    PinnableSlice bytes;
    const Found found = call.Find(call[i], &entry, &bytes);
    if (found == Found::kYes) call.reply.Integer(0);
    if (found != Found::kNo) return;
  }
  for (size_t i = 1; i < call.size(); i += 2) {
    call.transaction.PutString(call.ns(), call[i], call[i + 1], 0);
  }
  call.reply.Integer(1);
}

void StrLen(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kFailed) return;
  call.reply.Integer(found == Found::kYes ? static_cast<int64_t>(entry.value.size()) : 0);
}

void Append(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  if (call.Find(call[1], Type::kString, &entry, &bytes) == Found::kFailed) return;
  if (entry.value.size() + call[2].size() > kMaxStringBytes) {
    call.reply.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    return;
  }
  if (!call.transaction.Reserve(entry.value.size() + call[2].size())) return;
  std::string value;
  value.reserve(entry.value.size() + call[2].size());
  value.append(entry.value).append(call[2]);
  call.transaction.PutString(call.ns(), call[1], value, entry.expires_at);
  call.reply.Integer(static_cast<int64_t>(value.size()));
}

// GETRANGE and SUBSTR.
void GetRange(Call& call) {
  int64_t start, end;
  if (!call.Integer(2, &start) || !call.Integer(3, &end)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kFailed) return;
  const auto size = found == Found::kYes ? static_cast<int64_t>(entry.value.size()) : 0;
  if (start < 0 && end < 0 && start > end) {
    call.reply.Bulk("");
    return;
  }
  if (start < 0) start = std::max<int64_t>(start + size, 0);
  if (end < 0) end = std::max<int64_t>(end + size, 0);
  end = std::min(end, size - 1);
  if (start > end || size == 0) {
    call.reply.Bulk("");
    return;
  }
  call.reply.Bulk(
      entry.value.substr(static_cast<size_t>(start), static_cast<size_t>(end - start + 1)));
}

void SetRange(Call& call) {
  int64_t offset;
  if (!call.Integer(2, &offset)) return;
  if (offset < 0) {
    call.reply.Error("ERR offset is out of range");
    return;
  }
  Entry entry;
  PinnableSlice bytes;
  if (call.Find(call[1], Type::kString, &entry, &bytes) == Found::kFailed) return;
  if (call[3].empty()) {
    call.reply.Integer(static_cast<int64_t>(entry.value.size()));
    return;
  }
  const size_t begin = static_cast<size_t>(offset);
  if (begin > kMaxStringBytes || begin + call[3].size() > kMaxStringBytes) {
    call.reply.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    return;
  }
  const size_t size = std::max(entry.value.size(), begin + call[3].size());
  if (!call.transaction.Reserve(size)) return;
  std::string value;
  value.reserve(size);
  value.append(entry.value).resize(size);
  value.replace(begin, call[3].size(), call[3]);
  call.transaction.PutString(call.ns(), call[1], value, entry.expires_at);
  call.reply.Integer(static_cast<int64_t>(value.size()));
}

void Increment(Call& call, int64_t by) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kFailed) return;
  int64_t value = 0;
  if (found == Found::kYes && !ParseInteger(entry.value, &value)) {
    call.NotAnInteger();
    return;
  }
  if (compiler::AddOverflows(value, by, &value)) {
    call.reply.Error("ERR increment or decrement would overflow");
    return;
  }
  call.transaction.PutString(call.ns(), call[1], std::to_string(value), entry.expires_at);
  call.reply.Integer(value);
}
void Incr(Call& call) { Increment(call, 1); }
void Decr(Call& call) { Increment(call, -1); }
void IncrBy(Call& call) {
  int64_t by;
  if (call.Integer(2, &by)) Increment(call, by);
}
void DecrBy(Call& call) {
  int64_t by;
  if (!call.Integer(2, &by)) return;
  if (by == INT64_MIN) {
    call.reply.Error("ERR decrement would overflow");
    return;
  }
  Increment(call, -by);
}

void IncrByFloat(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], Type::kString, &entry, &bytes);
  if (found == Found::kFailed) return;
  long double by, value = 0;
  if (!call.Float(2, &by)) return;
  if (found == Found::kYes && !ParseLongDouble(entry.value, &value)) {
    call.reply.Error("ERR value is not a valid float");
    return;
  }
  value += by;
  if (!std::isfinite(value)) {
    call.reply.Error("ERR increment would produce NaN or Infinity");
    return;
  }
  const std::string text = FormatLongDouble(value);
  call.transaction.PutString(call.ns(), call[1], text, entry.expires_at);
  call.reply.Bulk(text);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr Command kCommands[] = {
    {"append", 3, kUpdate | kFast, 1, 1, 1, Append, "string"},
    {"decr", 2, kUpdate | kFast, 1, 1, 1, Decr, "string"},
    {"decrby", 3, kUpdate | kFast, 1, 1, 1, DecrBy, "string"},
    {"get", 2, kRead | kFast, 1, 1, 1, Get, "string"},
    {"getdel", 2, kRemoves | kUpdate | kFast, 1, 1, 1, GetDel, "string"},
    {"getex", -2, kUpdate | kFast, 1, 1, 1, GetEx, "string"},
    {"getrange", 4, kRead, 1, 1, 1, GetRange, "string"},
    {"getset", 3, kUpdate | kFast, 1, 1, 1, GetSet, "string"},
    {"incr", 2, kUpdate | kFast, 1, 1, 1, Incr, "string"},
    {"incrby", 3, kUpdate | kFast, 1, 1, 1, IncrBy, "string"},
    {"incrbyfloat", 3, kUpdate | kFast, 1, 1, 1, IncrByFloat, "string"},
    {"mget", -2, kRead | kFast, 1, -1, 1, MGet, "string"},
    {"mset", -3, kWrite, 1, -1, 2, MSet, "string"},
    {"msetnx", -3, kUpdate, 1, -1, 2, MSetNx, "string"},
    {"psetex", 4, kWrite, 1, 1, 1, PSetEx, "string"},
    {"set", -3, kWrite, 1, 1, 1, Set, "string"},
    {"setex", 4, kWrite, 1, 1, 1, SetEx, "string"},
    {"setnx", 3, kUpdate | kFast, 1, 1, 1, SetNx, "string"},
    {"setrange", 4, kUpdate, 1, 1, 1, SetRange, "string"},
    {"strlen", 2, kRead | kFast, 1, 1, 1, StrLen, "string"},
    {"substr", 4, kRead, 1, 1, 1, GetRange, "string"},
};

}  // namespace

std::span<const Command> StringCommands() { return kCommands; }

}  // namespace cairn::server
