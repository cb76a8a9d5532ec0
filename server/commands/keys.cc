// Keys of any type: deleting, expiring, renaming, walking. Deleting a collection deletes its entry;
// its elements then belong to nobody, and a compaction drops them.
#include <algorithm>
#include <string>
#include <utility>

#include "fiber/random.h"
#include "fiber/runtime.h"
#include "server/commands/command.h"
#include "server/commands/expiry.h"
#include "server/commands/walk.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

// DEL and UNLINK, which are the same here.
void Del(Call& call) {
  int64_t deleted = 0;
  for (size_t i = 1; i < call.size(); ++i) {
    Entry entry;
    PinnableSlice bytes;
    const Status s = call.transaction.Find(call.ns(), call[i], &entry, &bytes);
    if (s.IsNotFound()) continue;
    // What this command has deleted so far stays deleted.
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
    DeleteKey(call, call[i], entry);
    ++deleted;
  }
  call.reply.Integer(deleted);
}

// EXISTS and TOUCH.
void Exists(Call& call) {
  int64_t there = 0;
  for (size_t i = 1; i < call.size(); ++i) {
    Entry entry;
    PinnableSlice bytes;
    const Status s = call.transaction.Find(call.ns(), call[i], &entry, &bytes);
    if (!s.ok() && !s.IsNotFound()) {
      call.Fail(s);
      return;
    }
    if (s.ok()) ++there;
  }
  call.reply.Integer(there);
}

void TypeOf(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kYes) call.reply.Simple(TypeName(entry.type));
  if (found == Found::kNo) call.reply.Simple("none");
}

// EXPIRE key n [NX | XX | GT | LT] and its family.
void ExpireIn(Call& call, ExpiryUnit unit) {
  bool nx = false, xx = false, gt = false, lt = false;
  for (size_t i = 3; i < call.size(); ++i) {
    if (call.Is(i, "NX")) {
      nx = true;
    } else if (call.Is(i, "XX")) {
      xx = true;
    } else if (call.Is(i, "GT")) {
      gt = true;
    } else if (call.Is(i, "LT")) {
      lt = true;
    } else {
      call.reply.Error("ERR Unsupported option " + std::string(call[i]));
      return;
    }
  }
  if (nx && (xx || gt || lt)) {
    call.reply.Error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return;
  }
  if (gt && lt) {
    call.reply.Error("ERR GT and LT options at the same time are not compatible");
    return;
  }
  uint64_t expires_at;
  if (!ParseExpiry(call, call[2], unit, &expires_at, /*past=*/true)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kFailed) return;
  const uint64_t old = entry.expires_at != 0 ? entry.expires_at : UINT64_MAX;
  if (found == Found::kNo || (nx && entry.expires_at != 0) || (xx && entry.expires_at == 0) ||
      (gt && expires_at <= old) || (lt && expires_at >= old)) {
    call.reply.Integer(0);
    return;
  }
  if (expires_at <= call.now_ms()) {
    DeleteKey(call, call[1], entry);
  } else {
    entry.expires_at = expires_at;
    call.transaction.PutEntry(call.ns(), call[1], entry);
  }
  call.reply.Integer(1);
}
void Expire(Call& call) { ExpireIn(call, ExpiryUnit::kSeconds); }
void PExpire(Call& call) { ExpireIn(call, ExpiryUnit::kMillis); }
void ExpireAt(Call& call) { ExpireIn(call, ExpiryUnit::kSecondsSince1970); }
void PExpireAt(Call& call) { ExpireIn(call, ExpiryUnit::kMillisSince1970); }

// -2: no such key, -1: it does not expire; else what `convert` makes of the moment.
template <class Convert>
void TellExpiry(Call& call, const Convert& convert) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(-2);
  if (found != Found::kYes) return;
  call.reply.Integer(entry.expires_at == 0 ? -1 : static_cast<int64_t>(convert(entry.expires_at)));
}
void Ttl(Call& call) {
  TellExpiry(call, [&](uint64_t at) { return (at - call.now_ms() + 500) / 1000; });
}
void PTtl(Call& call) {
  TellExpiry(call, [&](uint64_t at) { return at - call.now_ms(); });
}
void ExpireTime(Call& call) {
  TellExpiry(call, [](uint64_t at) { return (at + 500) / 1000; });
}
void PExpireTime(Call& call) {
  TellExpiry(call, [](uint64_t at) { return at; });
}

void Persist(Call& call) {
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kFailed) return;
  const bool expires = found == Found::kYes && entry.expires_at != 0;
  if (expires) {
    entry.expires_at = 0;
    call.transaction.PutEntry(call.ns(), call[1], entry);
  }
  call.reply.Integer(expires ? 1 : 0);
}

void RenameTo(Call& call, bool only_if_absent) {
  Entry entry, target;
  PinnableSlice bytes, target_bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kNo) call.reply.Error("ERR no such key");
  if (found != Found::kYes) return;
  const Found there = call.Find(call[2], &target, &target_bytes);
  if (there == Found::kFailed) return;
  if (only_if_absent && there == Found::kYes) {
    call.reply.Integer(0);
    return;
  }
  if (call[1] != call[2]) {
    if (there == Found::kYes) DeleteKey(call, call[2], target);
    call.transaction.DeleteEntry(call.ns(), call[1]);
    call.transaction.PutEntry(call.ns(), call[2], entry);
    if (entry.type != Type::kString) {
      call.transaction.MoveCollection(entry.id, call.ns(), call[2]);
    }
  }
  if (only_if_absent) {
    call.reply.Integer(1);
  } else {
    call.reply.Ok();
  }
}
void Rename(Call& call) { RenameTo(call, false); }
void RenameNx(Call& call) { RenameTo(call, true); }

void Copy(Call& call) {
  bool replace = false;
  int64_t database = call.session.database;
  for (size_t i = 3; i < call.size(); ++i) {
    if (call.Is(i, "REPLACE")) {
      replace = true;
    } else if (call.Is(i, "DB") && i + 1 < call.size()) {
      if (!call.Integer(++i, &database)) return;
    } else {
      call.SyntaxError();
      return;
    }
  }
  if (database < 0 || database >= call.transaction.keyspace().databases()) {
    call.reply.Error("ERR DB index is out of range");
    return;
  }
  const uint32_t to = call.transaction.keyspace().NamespaceOf(static_cast<int>(database));
  if (to == call.ns() && call[1] == call[2]) {
    call.reply.Error("ERR source and destination objects are the same");
    return;
  }
  Entry entry, target;
  PinnableSlice bytes, target_bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kNo) call.reply.Integer(0);
  if (found != Found::kYes) return;
  Status s = call.transaction.Find(to, call[2], &target, &target_bytes);
  if (s.ok() && !replace) {
    call.reply.Integer(0);
    return;
  }
  if (!s.ok() && !s.IsNotFound()) {
    call.Fail(s);
    return;
  }
  if (s.ok() && target.type != Type::kString) call.transaction.Delete(OwnerKey(target.id));
  if (entry.type != Type::kString) {
    s = CopyElements(call.transaction, to, call[2], &entry);
    if (!s.ok() && !s.IsNotFound()) {
      call.Fail(s);
      return;
    }
  }
  call.transaction.PutEntry(to, call[2], entry);
  call.reply.Integer(1);
}

void DbSize(Call& call) {
  int64_t count = 0;
  const Status s = WalkKeys(call, "", "", [&](std::string_view, const Entry&) {
    ++count;
    return true;
  });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Integer(count);
}

void Keys(Call& call) {
  const std::string_view pattern = call[1];
  const std::string prefix = LiteralPrefix(pattern);
  std::vector<std::string> keys;
  const Status s =
      WalkKeys(call, prefix, BehindPrefix(prefix), [&](std::string_view key, const Entry&) {
        if (MatchesPattern(pattern, key)) keys.emplace_back(key);
        return true;
      });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Array(keys.size());
  for (const std::string& key : keys) call.reply.Bulk(key);
}

// From a random place between the first key and the last, one of the next few.
void RandomKey(Call& call) {
  const std::string prefix = EntryPrefix(call.ns());
  const auto range = call.transaction.NewRange(prefix, BehindPrefix(prefix));
  const auto number = [&](std::string_view key, size_t from) {
    uint64_t value = 0;
    for (size_t i = 0; i < 8; ++i) {
      value = value << 8 | (from + i < key.size() ? static_cast<unsigned char>(key[from + i]) : 0);
    }
    return value;
  };
  std::vector<std::string> candidates;
  range->SeekToLast();
  if (range->Valid()) {
    const std::string last(range->key());
    range->SeekToFirst();
    const std::string first(range->Valid() ? range->key() : std::string_view());
    size_t common = 0;
    while (common < first.size() && common < last.size() && first[common] == last[common]) ++common;
    const uint64_t low = number(first, common), span = number(last, common) - low;
    std::string place = first.substr(0, common);
    AppendBigEndian64(&place, low + (span == UINT64_MAX ? fiber::random_u64()
                                                        : fiber::random_u64() % (span + 1)));
    constexpr size_t kCandidates = 32;
    bool wrapped = false;
    range->Seek(place);
    for (size_t seen = 0; candidates.size() < kCandidates; ++seen) {
      if (!range->Valid()) {
        if (wrapped || !range->status().ok()) break;
        wrapped = true;
        range->SeekToFirst();
        continue;
      }
      if (wrapped && range->key() >= place) break;
      Entry entry;
      const std::string_view value = range->value();
      if (DecodeEntry(Slice(value.data(), value.size()), &entry) &&
          !entry.ExpiredAt(call.now_ms())) {
        candidates.emplace_back(range->key().substr(kEntryPrefixBytes));
      }
      range->Next();
      if (seen % kYieldInterval == kYieldInterval - 1) fiber::yield();
    }
  }
  if (!range->status().ok()) {
    call.Fail(range->status());
  } else if (candidates.empty()) {
    call.reply.Null();
  } else {
    call.reply.Bulk(candidates[fiber::random_u64() % candidates.size()]);
  }
}

bool ParseTypeName(std::string_view name, Type* type) {
  for (const Type one : {Type::kString, Type::kList, Type::kSet, Type::kSortedSet, Type::kHash}) {
    if (!EqualsIgnoringCase(name, TypeName(one))) continue;
    *type = one;
    return true;
  }
  return false;
}

// SCAN cursor [MATCH pattern] [COUNT n] [TYPE name]: in the order of the keys.
void Scan(Call& call) {
  ScanOptions options;
  std::string_view type_name;
  if (!ParseScanOptions(call, 1, &options, &type_name)) return;
  Type type = Type::kString;
  const bool typed = !type_name.empty();
  const bool known = !typed || ParseTypeName(type_name, &type);
  std::string position = options.position;
  const std::string prefix = options.has_pattern ? LiteralPrefix(options.pattern) : "";
  position = std::max(position, prefix);
  std::vector<std::string> keys;
  uint64_t visited = 0;
  std::string next;
  const Status s =
      WalkKeys(call, position, BehindPrefix(prefix), [&](std::string_view key, const Entry& entry) {
        if (visited == options.count) {
          next = key;
          return false;
        }
        ++visited;
        if (known && (!typed || entry.type == type) &&
            (!options.has_pattern || MatchesPattern(options.pattern, key))) {
          keys.emplace_back(key);
        }
        return true;
      });
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  call.reply.Array(2);
  ReplyCursor(call, std::move(next));
  call.reply.Array(keys.size());
  for (const std::string& key : keys) call.reply.Bulk(key);
}

// "-", "+", "[key" or "(key".
bool ParseBound(Call& call, std::string_view word, bool is_lower, std::string* key) {
  if (word == "-" && is_lower) {
    key->clear();
  } else if (word == "+" && !is_lower) {
    key->clear();  // no bound
  } else if (!word.empty() && (word[0] == '[' || word[0] == '(')) {
    *key = word.substr(1);
    // The next key in the order is this one and a zero byte.
    if ((word[0] == '(') == is_lower) key->push_back('\0');
  } else {
    call.reply.Error("ERR min or max is not - or + or [key or (key");
    return false;
  }
  return true;
}

// RANGE min max [REV] [LIMIT offset count] [WITHVALUES]: the keys of the database in their order,
// from min to max whatever the direction; with REV the largest first. WITHVALUES: each key is
// followed by its value, null if it is no string.
void Range(Call& call) {
  bool backward = false, values = false;
  int64_t offset = 0, count = -1;
  for (size_t i = 3; i < call.size(); ++i) {
    if (call.Is(i, "REV")) {
      backward = true;
    } else if (call.Is(i, "WITHVALUES")) {
      values = true;
    } else if (call.Is(i, "LIMIT") && i + 2 < call.size()) {
      if (!call.Integer(++i, &offset) || !call.Integer(++i, &count)) return;
    } else {
      call.SyntaxError();
      return;
    }
  }
  std::string lower, upper;
  if (!ParseBound(call, call[1], true, &lower) || !ParseBound(call, call[2], false, &upper)) return;
  std::vector<std::pair<std::string, std::string>> found;
  std::vector<bool> is_string;
  const bool empty = offset < 0 || count == 0 || (call[2] != "+" && lower >= upper);
  const auto take = [&](std::string_view key, const Entry& entry) {
    if (offset > 0) {
      --offset;
      return true;
    }
    is_string.push_back(entry.type == Type::kString);
    found.emplace_back(key, values ? entry.value : std::string_view());
    return count < 0 || static_cast<int64_t>(found.size()) < count;
  };
  if (!empty) {
    const Status s = WalkKeys(call, lower, upper, take, backward);
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
  }
  call.reply.Array(values ? 2 * found.size() : found.size());
  for (size_t i = 0; i < found.size(); ++i) {
    call.reply.Bulk(found[i].first);
    if (!values) continue;
    if (is_string[i]) {
      call.reply.Bulk(found[i].second);
    } else {
      call.reply.Null();
    }
  }
}

// FLUSHDB and FLUSHALL [ASYNC | SYNC]: both take no longer for more keys.
void FlushDatabases(Call& call, int first, int last) {
  if (call.size() > 2 || (call.size() == 2 && !call.Is(1, "ASYNC") && !call.Is(1, "SYNC"))) {
    call.SyntaxError();
    return;
  }
  for (int database = first; database <= last; ++database) {
    const Status s = call.transaction.FlushDatabase(database);
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
  }
  call.session.ns = call.transaction.NamespaceOf(call.session.database);
  call.reply.Ok();
}
void FlushDb(Call& call) { FlushDatabases(call, call.session.database, call.session.database); }
void FlushAll(Call& call) { FlushDatabases(call, 0, call.transaction.keyspace().databases() - 1); }

bool ParseDatabase(Call& call, size_t i, int* database) {
  int64_t value;
  if (!ParseInteger(call[i], &value)) {
    call.reply.Error(i == 1 ? "ERR invalid first DB index" : "ERR invalid second DB index");
    return false;
  }
  if (value < 0 || value >= call.transaction.keyspace().databases()) {
    call.reply.Error("ERR DB index is out of range");
    return false;
  }
  *database = static_cast<int>(value);
  return true;
}

void SwapDb(Call& call) {
  int first, second;
  if (!ParseDatabase(call, 1, &first) || !ParseDatabase(call, 2, &second)) return;
  call.transaction.SwapDatabases(first, second);
  call.session.ns = call.transaction.NamespaceOf(call.session.database);
  call.reply.Ok();
}

void Move(Call& call) {
  int64_t database;
  if (!ParseInteger(call[2], &database)) {
    call.NotAnInteger();
    return;
  }
  if (database < 0 || database >= call.transaction.keyspace().databases()) {
    call.reply.Error("ERR DB index is out of range");
    return;
  }
  const uint32_t to = call.transaction.NamespaceOf(static_cast<int>(database));
  if (to == call.ns()) {
    call.reply.Error("ERR source and destination objects are the same");
    return;
  }
  Entry entry, target;
  PinnableSlice bytes, target_bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kFailed) return;
  const Status s = call.transaction.Find(to, call[1], &target, &target_bytes);
  if (!s.ok() && !s.IsNotFound()) {
    call.Fail(s);
    return;
  }
  if (found == Found::kNo || s.ok()) {
    call.reply.Integer(0);
    return;
  }
  call.transaction.DeleteEntry(call.ns(), call[1]);
  call.transaction.PutEntry(to, call[1], entry);
  if (entry.type != Type::kString) call.transaction.MoveCollection(entry.id, to, call[1]);
  call.reply.Integer(1);
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr Command kCommands[] = {
    {"copy", -3, kWrite | kWritesAllKeys, 1, 2, 1, Copy, "generic"},
    {"dbsize", 1, kRead, 0, 0, 0, DbSize, "server"},
    {"del", -2, kRemoves | kUpdate, 1, -1, 1, Del, "generic"},
    {"exists", -2, kRead | kFast, 1, -1, 1, Exists, "generic"},
    {"expire", -3, kRemoves | kUpdate | kFast, 1, 1, 1, Expire, "generic"},
    {"expireat", -3, kRemoves | kUpdate | kFast, 1, 1, 1, ExpireAt, "generic"},
    {"expiretime", 2, kRead | kFast, 1, 1, 1, ExpireTime, "generic"},
    {"flushall", -1, kRemoves | kWrite | kWritesAllKeys, 0, 0, 0, FlushAll, "server"},
    {"flushdb", -1, kRemoves | kWrite | kWritesAllKeys, 0, 0, 0, FlushDb, "server"},
    {"keys", 2, kRead, 0, 0, 0, Keys, "generic"},
    {"move", 3, kWrite | kWritesAllKeys | kFast, 1, 1, 1, Move, "generic"},
    {"persist", 2, kUpdate | kFast, 1, 1, 1, Persist, "generic"},
    {"pexpire", -3, kRemoves | kUpdate | kFast, 1, 1, 1, PExpire, "generic"},
    {"pexpireat", -3, kRemoves | kUpdate | kFast, 1, 1, 1, PExpireAt, "generic"},
    {"pexpiretime", 2, kRead | kFast, 1, 1, 1, PExpireTime, "generic"},
    {"pttl", 2, kRead | kFast, 1, 1, 1, PTtl, "generic"},
    {"randomkey", 1, kRead, 0, 0, 0, RandomKey, "generic"},
    {"range", -3, kRead, 0, 0, 0, Range, "generic"},
    {"rename", 3, kUpdate, 1, 2, 1, Rename, "generic"},
    {"renamenx", 3, kUpdate | kFast, 1, 2, 1, RenameNx, "generic"},
    {"scan", -2, kRead, 0, 0, 0, Scan, "generic"},
    {"swapdb", 3, kWrite | kWritesAllKeys | kFast, 0, 0, 0, SwapDb, "server"},
    {"touch", -2, kRead | kFast, 1, -1, 1, Exists, "generic"},
    {"ttl", 2, kRead | kFast, 1, 1, 1, Ttl, "generic"},
    {"type", 2, kRead | kFast, 1, 1, 1, TypeOf, "generic"},
    {"unlink", -2, kRemoves | kUpdate | kFast, 1, -1, 1, Del, "generic"},
};

}  // namespace

std::span<const Command> KeyCommands() { return kCommands; }

}  // namespace cairn::server
