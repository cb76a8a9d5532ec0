#include "server/commands/walk.h"

#include <utility>
#include <vector>

namespace cairn::server {

using rocksdb::Status;

void DeleteKey(Call& call, std::string_view key, const Entry& entry) {
  call.transaction.DeleteEntry(call.ns(), key);
  if (entry.type != Type::kString) call.transaction.Delete(OwnerKey(entry.id));
}

Status CopyElements(Transaction& transaction, uint32_t ns, std::string_view key, Entry* entry) {
  Entry copy;
  transaction.NewCollection(ns, key, entry->type, &copy);
  copy.expires_at = entry->expires_at;
  copy.count = entry->count;
  copy.head = entry->head;
  copy.tail = entry->tail;
  const auto copy_all = [&](const std::string& from, const std::string& to) {
    return WalkElements(transaction, from, "", [&](std::string_view rest, std::string_view value) {
      transaction.Put(to + std::string(rest), value);
      return true;
    });
  };
  Status s = copy_all(ElementPrefix(entry->id), ElementPrefix(copy.id));
  if (s.ok() && entry->type == Type::kSortedSet) {
    s = copy_all(ScorePrefix(entry->id), ScorePrefix(copy.id));
  }
  *entry = copy;
  return s;
}

bool ParseScanOptions(Call& call, size_t first, ScanOptions* options, std::string_view* type) {
  uint64_t cursor;
  if (!ParseUnsigned(call[first], &cursor)) {
    call.reply.Error("ERR invalid cursor");
    return false;
  }
  if (cursor != 0) options->position = call.transaction.keyspace().CursorPosition(cursor);
  for (size_t i = first + 1; i < call.size(); i += 2) {
    if (i + 1 == call.size()) return call.SyntaxError();
    if (call.Is(i, "MATCH")) {
      options->pattern = call[i + 1];
      options->has_pattern = options->pattern != "*";
    } else if (call.Is(i, "COUNT")) {
      int64_t count;
      if (!call.Integer(i + 1, &count)) return false;
      if (count < 1) return call.SyntaxError();
      options->count = static_cast<uint64_t>(count);
    } else if (call.Is(i, "TYPE") && type != nullptr) {
      *type = call[i + 1];
    } else {
      return call.SyntaxError();
    }
  }
  return true;
}

void ReplyCursor(Call& call, std::string position) {
  const uint64_t cursor =
      position.empty() ? 0 : call.transaction.keyspace().RememberCursor(std::move(position));
  call.reply.Bulk(std::to_string(cursor));
}

}  // namespace cairn::server
