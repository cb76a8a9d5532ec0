#include "server/commands/command.h"

#include <memory>
#include <utility>

#include "server/commands/registry.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

Found Call::Find(std::string_view key, Entry* entry, PinnableSlice* bytes) {
  const Status s = transaction.Find(ns(), key, entry, bytes);
  if (s.ok()) return Found::kYes;
  if (s.IsNotFound()) return Found::kNo;
  Fail(s);
  return Found::kFailed;
}

Found Call::Find(std::string_view key, Type type, Entry* entry, PinnableSlice* bytes) {
  const Found found = Find(key, entry, bytes);
  if (found != Found::kYes || entry->type == type) return found;
  reply.Error(kWrongType);
  return Found::kFailed;
}

Found Call::FindAwaited(std::string_view key, Type type, Entry* entry, PinnableSlice* bytes) {
  if (blocked == nullptr || !blocked->woken) return Find(key, type, entry, bytes);
  const Found found = Find(key, entry, bytes);
  return found == Found::kYes && entry->type != type ? Found::kNo : found;
}

void Call::ReplyTail(PinnableSlice&& bytes, size_t value_size) {
  const size_t from = bytes.size() - value_size;
  if (value_size < ReplyWriter::kMinPinnedBytes) {
    reply.Bulk(std::string_view(bytes.data(), bytes.size()).substr(from));
    return;
  }
  const auto owner = std::make_shared<PinnableSlice>(std::move(bytes));
  reply.Pinned(std::string_view(owner->data(), owner->size()).substr(from), owner);
}

bool Call::Fail(const Status& status) {
  reply.Error("ERR " + status.ToString());
  return false;
}

bool Call::SyntaxError() {
  reply.Error(kSyntaxError);
  return false;
}

bool Call::WrongArity() {
  reply.Error("ERR wrong number of arguments for '" + std::string(command.name) + "' command");
  return false;
}

void Call::NoSuchSubcommand() {
  const Permission& known = CommandPermissions().Of(command, arguments);
  if (known.name != command.name) {
    reply.Error("ERR wrong number of arguments for '" + known.name + "' command");
    return;
  }
  std::string capitals(command.name);
  for (char& c : capitals) c = static_cast<char>(c - ('a' - 'A'));
  reply.Error("ERR unknown subcommand '" + std::string(arguments[1].substr(0, 128)) + "'. Try " +
              capitals + " HELP.");
}

bool Call::NotAnInteger() {
  reply.Error(kNotAnInteger);
  return false;
}

bool Call::Integer(size_t i, int64_t* value) {
  return ParseInteger(arguments[i], value) || NotAnInteger();
}

bool Call::Float(size_t i, double* value) {
  if (ParseDouble(arguments[i], value)) return true;
  reply.Error("ERR value is not a valid float");
  return false;
}

bool Call::Float(size_t i, long double* value) {
  if (ParseLongDouble(arguments[i], value)) return true;
  reply.Error("ERR value is not a valid float");
  return false;
}

bool Call::Is(size_t i, std::string_view name) const {
  return i < size() && EqualsIgnoringCase(arguments[i], name);
}

}  // namespace cairn::server
