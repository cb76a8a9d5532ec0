#include "server/commands/command.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "server/auth/permissions.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// "[a-z]" at pattern[0]: whether it has `c`, and how long it is. An open one ends with the pattern.
bool MatchesClass(std::string_view pattern, char c, bool ignore_case, size_t* length) {
  size_t i = 1;
  const bool negated = i < pattern.size() && pattern[i] == '^';
  if (negated) ++i;
  const auto fold = [ignore_case](char x) {
    return static_cast<unsigned char>(ignore_case ? Lower(x) : x);
  };
  bool matches = false;
  for (;; ++i) {
    if (i >= pattern.size()) break;
    if (pattern[i] == ']') {
      ++i;
      break;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      ++i;
      matches = matches || fold(pattern[i]) == fold(c);
    } else if (i + 2 < pattern.size() && pattern[i + 1] == '-') {
      const auto [low, high] = std::minmax(fold(pattern[i]), fold(pattern[i + 2]));
      matches = matches || (low <= fold(c) && fold(c) <= high);
      i += 2;
    } else {
      matches = matches || fold(pattern[i]) == fold(c);
    }
  }
  *length = std::min(i, pattern.size());
  return matches != negated;
}

}  // namespace

bool ParseInteger(std::string_view text, int64_t* value) {
  if (text.empty() || text.size() > 20) return false;
  const size_t digits = text[0] == '-' ? 1 : 0;
  if (digits == text.size() || (text[digits] == '0' && text.size() > 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseUnsigned(std::string_view text, uint64_t* value) {
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

namespace {

template <class Number>
bool ParseFloating(std::string_view text, Number* value) {
  if (!text.empty() && text[0] == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size() && !std::isnan(*value);
}

}  // namespace

bool ParseDouble(std::string_view text, double* value) { return ParseFloating(text, value); }

bool ParseLongDouble(std::string_view text, long double* value) {
  return ParseFloating(text, value);
}

std::string FormatLongDouble(long double value) {
  // The largest has 4933 digits before the point.
  std::string text(5120, '\0');
  constexpr int kDigits = 17;
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), value,
                                        std::chars_format::fixed, kDigits)
                              .ptr;
  text.resize(static_cast<size_t>(end - text.data()));
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

bool EqualsIgnoringCase(std::string_view text, std::string_view other) {
  return std::equal(text.begin(), text.end(), other.begin(), other.end(),
                    [](char a, char b) { return Lower(a) == Lower(b); });
}

bool MatchesPattern(std::string_view pattern, std::string_view text, bool ignore_case) {
  // Where to go on when what follows the last * does not match: so the time is bounded by the
  // product of the lengths, however many stars there are.
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, star_text = 0;
  for (;;) {
    bool matches = false;
    size_t length = 1;
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (t == text.size() && p == pattern.size()) return true;
    if (p < pattern.size() && t < text.size()) {
      const char c = pattern[p];
      if (c == '?') {
        matches = true;
      } else if (c == '[') {
        matches = MatchesClass(pattern.substr(p), text[t], ignore_case, &length);
      } else {
        const bool escaped = c == '\\' && p + 1 < pattern.size();
        length = escaped ? 2 : 1;
        const char wanted = escaped ? pattern[p + 1] : c;
        matches = wanted == text[t] || (ignore_case && Lower(wanted) == Lower(text[t]));
      }
    }
    if (matches) {
      p += length;
      ++t;
    } else if (star != std::string_view::npos && star_text < text.size()) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
}

std::string LiteralPrefix(std::string_view pattern) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[') break;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    prefix.push_back(pattern[i]);
  }
  return prefix;
}

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
  const Permission& known = Permissions()[PermissionOf(command, arguments)];
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

std::string_view DurabilityName(Durability durability) {
  switch (durability) {
    case Durability::kMemory:
      return "none";
    case Durability::kSystem:
      return "os";
    case Durability::kDisk:
      return "sync";
  }
  return "?";
}

bool ParseDurability(std::string_view name, Durability* durability) {
  for (const Durability one : {Durability::kMemory, Durability::kSystem, Durability::kDisk}) {
    if (!EqualsIgnoringCase(name, DurabilityName(one))) continue;
    *durability = one;
    return true;
  }
  return false;
}

}  // namespace cairn::server
