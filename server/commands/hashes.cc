// Hashes: HSET HGET HINCRBY HSCAN and their family. A field is an element, its value the element's.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "cairn/compiler.h"
#include "server/commands/collection.h"
#include "server/commands/command.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

std::string_view ToView(const PinnableSlice& bytes) { return {bytes.data(), bytes.size()}; }

// HSET and HMSET.
void HSet(Call& call) {
  if (call.size() % 2 != 0) {
    call.WrongArity();
    return;
  }
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  std::vector<std::string_view> added;
  const Status s = hash.Named(2, 2, /*present=*/false, &added);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  for (size_t i = 2; i < call.size(); i += 2) hash.Put(call[i], call[i + 1]);
  hash.Finish(hash.count() + added.size());
  if (call.command.name == "hmset") {
    call.reply.Ok();
  } else {
    call.reply.Integer(static_cast<int64_t>(added.size()));
  }
}

// The value of field call[2]. kFailed: an error was replied.
Found FindField(Call& call, Collection* hash, PinnableSlice* value) {
  if (!hash->Open()) return Found::kFailed;
  const Status s = hash->Get(call[2], value);
  if (s.ok()) return Found::kYes;
  if (s.IsNotFound()) return Found::kNo;
  call.Fail(s);
  return Found::kFailed;
}

void SetField(Collection* hash, std::string_view field, std::string_view value, bool is_new) {
  hash->Put(field, value);
  hash->Finish(hash->count() + (is_new ? 1 : 0));
}

void HSetNx(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice old;
  const Found found = FindField(call, &hash, &old);
  if (found == Found::kFailed) return;
  if (found == Found::kNo) SetField(&hash, call[2], call[3], true);
  call.reply.Integer(found == Found::kNo ? 1 : 0);
}

void HGet(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice value;
  const Found found = FindField(call, &hash, &value);
  if (found == Found::kNo) call.reply.Null();
  const size_t size = value.size();
  if (found == Found::kYes) call.ReplyTail(std::move(value), size);
}

void HExists(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice value;
  const Found found = FindField(call, &hash, &value);
  if (found != Found::kFailed) call.reply.Integer(found == Found::kYes ? 1 : 0);
}

void HStrLen(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice value;
  const Found found = FindField(call, &hash, &value);
  if (found == Found::kFailed) return;
  call.reply.Integer(found == Found::kYes ? static_cast<int64_t>(value.size()) : 0);
}

void HMGet(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  const ReplyWriter::Mark mark = call.reply.mark();
  call.reply.Array(call.size() - 2);
  const Status s = hash.ForEachNamed(2, 1, [&](std::string_view, PinnableSlice* value) {
    if (value == nullptr) {
      call.reply.Null();
    } else {
      const size_t size = value->size();
      call.ReplyTail(std::move(*value), size);
    }
  });
  if (s.ok()) return;
  call.reply.Rewind(mark);
  call.Fail(s);
}

void HDel(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  std::vector<std::string_view> fields;
  const Status s = hash.Named(2, 1, /*present=*/true, &fields);
  if (!s.ok()) {
    call.Fail(s);
    return;
  }
  for (const std::string_view field : fields) hash.Erase(field);
  if (!fields.empty()) hash.Finish(hash.count() - fields.size());
  call.reply.Integer(static_cast<int64_t>(fields.size()));
}

void HLen(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (hash.Open()) call.reply.Integer(static_cast<int64_t>(hash.count()));
}

void HGetAll(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  ReplyWhole(
      hash, [&](uint64_t count) { call.reply.Map(count); },
      [&](std::string_view field, std::string_view value) {
        call.reply.Bulk(field);
        call.reply.Bulk(value);
      });
}

void HKeys(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  ReplyWhole(
      hash, [&](uint64_t count) { call.reply.Array(count); },
      [&](std::string_view field, std::string_view) { call.reply.Bulk(field); });
}

void HVals(Call& call) {
  Collection hash(call, call[1], Type::kHash);
  if (!hash.Open()) return;
  ReplyWhole(
      hash, [&](uint64_t count) { call.reply.Array(count); },
      [&](std::string_view, std::string_view value) { call.reply.Bulk(value); });
}

void HIncrBy(Call& call) {
  int64_t by, value = 0;
  if (!call.Integer(3, &by)) return;
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice old;
  const Found found = FindField(call, &hash, &old);
  if (found == Found::kFailed) return;
  if (found == Found::kYes && !ParseInteger(ToView(old), &value)) {
    call.reply.Error("ERR hash value is not an integer");
    return;
  }
  if (compiler::AddOverflows(value, by, &value)) {
    call.reply.Error("ERR increment or decrement would overflow");
    return;
  }
  SetField(&hash, call[2], std::to_string(value), found == Found::kNo);
  call.reply.Integer(value);
}

void HIncrByFloat(Call& call) {
  long double by, value = 0;
  if (!call.Float(3, &by)) return;
  if (!std::isfinite(by)) {
    call.reply.Error("ERR value is NaN or Infinity");
    return;
  }
  Collection hash(call, call[1], Type::kHash);
  PinnableSlice old;
  const Found found = FindField(call, &hash, &old);
  if (found == Found::kFailed) return;
  if (found == Found::kYes && !ParseLongDouble(ToView(old), &value)) {
    call.reply.Error("ERR hash value is not a float");
    return;
  }
  value += by;
  if (!std::isfinite(value)) {
    call.reply.Error("ERR increment would produce NaN or Infinity");
    return;
  }
  const std::string text = FormatLongDouble(value);
  SetField(&hash, call[2], text, found == Found::kNo);
  call.reply.Bulk(text);
}

void HScan(Call& call) {
  ScanCollection(call, Type::kHash, 2, [&](std::string_view field, std::string_view value) {
    call.reply.Bulk(field);
    call.reply.Bulk(value);
  });
}

void HRandField(Call& call) {
  ReplyRandomElements(call, Type::kHash, "WITHVALUES",
                      [&](std::string_view value) { call.reply.Bulk(value); });
}

constexpr uint32_t kUpdate = kWrite | kReadsEntries;
constexpr uint32_t kReadMany = kRead | kOneState;
constexpr Command kCommands[] = {
    {"hdel", -3, kRemoves | kUpdate | kFast, 1, 1, 1, HDel, "hash"},
    {"hexists", 3, kRead | kFast, 1, 1, 1, HExists, "hash"},
    {"hget", 3, kRead | kFast, 1, 1, 1, HGet, "hash"},
    {"hgetall", 2, kReadMany, 1, 1, 1, HGetAll, "hash"},
    {"hincrby", 4, kUpdate | kFast, 1, 1, 1, HIncrBy, "hash"},
    {"hincrbyfloat", 4, kUpdate | kFast, 1, 1, 1, HIncrByFloat, "hash"},
    {"hkeys", 2, kReadMany, 1, 1, 1, HKeys, "hash"},
    {"hlen", 2, kRead | kFast, 1, 1, 1, HLen, "hash"},
    {"hmget", -3, kReadMany | kFast, 1, 1, 1, HMGet, "hash"},
    {"hmset", -4, kUpdate | kFast, 1, 1, 1, HSet, "hash"},
    {"hrandfield", -2, kReadMany, 1, 1, 1, HRandField, "hash"},
    {"hscan", -3, kReadMany, 1, 1, 1, HScan, "hash"},
    {"hset", -4, kUpdate | kFast, 1, 1, 1, HSet, "hash"},
    {"hsetnx", 4, kUpdate | kFast, 1, 1, 1, HSetNx, "hash"},
    {"hstrlen", 3, kRead | kFast, 1, 1, 1, HStrLen, "hash"},
    {"hvals", 2, kReadMany, 1, 1, 1, HVals, "hash"},
};

}  // namespace

std::span<const Command> HashCommands() { return kCommands; }

}  // namespace cairn::server
