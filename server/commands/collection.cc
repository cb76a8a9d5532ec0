#include "server/commands/collection.h"

#include <unordered_set>
#include <utility>

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

bool Collection::OpenAs(Type other) {
  PinnableSlice bytes;
  const Found found = call_.Find(key_, &entry_, &bytes);
  const bool fits = found == Found::kYes && (entry_.type == type_ || entry_.type == other);
  exists_ = fits;
  if (found == Found::kFailed) return false;
  if (found == Found::kNo || fits) return true;
  call_.reply.Error(kWrongType);
  return false;
}

bool Collection::OpenAwaited() {
  PinnableSlice bytes;
  const Found found = call_.FindAwaited(key_, type_, &entry_, &bytes);
  exists_ = found == Found::kYes;
  return found != Found::kFailed;
}

Status Collection::Get(std::string_view element, PinnableSlice* value) const {
  if (!exists_) return Status::NotFound();
  return call_.transaction.Get(ElementKey(entry_.id, element), value);
}

void Collection::Prefetch(size_t first, size_t last, size_t step, size_t* at_once) const {
  std::vector<std::string> keys;
  keys.reserve((last - first + step - 1) / step);
  for (size_t i = first; i < last; i += step) keys.push_back(ElementKey(entry_.id, call_[i]));
  call_.transaction.Prefetch(std::move(keys));
  if (call_.transaction.prefetched_bytes() > kMaxReadBytes) {
    *at_once = std::max(kMinReadAtOnce, *at_once / 4);
  } else {
    *at_once = std::min(kMaxReadAtOnce, *at_once * 2);
  }
}

Status Collection::Named(size_t first, size_t step, bool present,
                         std::vector<std::string_view>* words) const {
  const bool several = first + step < call_.size();
  std::unordered_set<std::string_view> seen;
  return ForEachNamed(first, step, [&](std::string_view word, const PinnableSlice* value) {
    if ((value != nullptr) == present && (!several || seen.insert(word).second)) {
      words->push_back(word);
    }
  });
}

void Collection::Make() {
  if (exists_ || made_) return;
  made_ = true;
  call_.transaction.NewCollection(call_.ns(), key_, type_, &entry_);
}

void Collection::Put(std::string_view element, std::string_view value) {
  Make();
  call_.transaction.Put(ElementKey(entry_.id, element), value);
}

void Collection::Erase(std::string_view element) {
  call_.transaction.Delete(ElementKey(entry_.id, element));
}

void Collection::Replace(bool there, const Entry& old) {
  exists_ = false;
  replaces_ = there;
  replaced_ = old;
  replaced_.value = {};
}

void Collection::Finish(uint64_t count) {
  if (replaces_) DeleteKey(call_, key_, replaced_);
  if (count == 0) {
    if (exists_) DeleteKey(call_, key_, entry_);
  } else if (made_ || count != entry_.count) {
    entry_.count = count;
    call_.transaction.PutEntry(call_.ns(), key_, entry_);
  } else {
    call_.transaction.Touch(call_.ns(), key_);
  }
}

void ScanCollection(Call& call, Type type, size_t words,
                    const std::function<void(std::string_view, std::string_view)>& write) {
  // Redis looks at the cursor, then at the key, then at the options.
  uint64_t cursor;
  if (!ParseUnsigned(call[2], &cursor)) {
    call.reply.Error("ERR invalid cursor");
    return;
  }
  Collection collection(call, call[1], type);
  if (!collection.Open()) return;
  if (!collection.exists()) {
    call.reply.Array(2);
    call.reply.Bulk("0");
    call.reply.Array(0);
    return;
  }
  ScanOptions options;
  if (!ParseScanOptions(call, 2, &options, nullptr)) return;
  const std::string prefix = options.has_pattern ? LiteralPrefix(options.pattern) : "";
  std::string next;
  ReplyCounted(
      call,
      [&](uint64_t matches) {
        call.reply.Array(2);
        ReplyCursor(call, std::move(next));
        call.reply.Array(matches * words);
      },
      [&](uint64_t* matches) {
        uint64_t visited = 0;
        return collection.Walk(std::max(options.position, prefix), [&](std::string_view element,
                                                                       std::string_view value) {
          if (element.substr(0, prefix.size()) != prefix) return false;
          if (visited == options.count) {
            next = element;
            return false;
          }
          ++visited;
          if (!options.has_pattern || MatchesPattern(options.pattern, element)) {
            write(element, value);
            ++*matches;
          }
          return true;
        });
      });
}

bool ParseKeyCount(Call& call, size_t i, size_t* keys) {
  int64_t count;
  if (!ParseInteger(call[i], &count) || count < 1) {
    call.reply.Error("ERR numkeys should be greater than 0");
    return false;
  }
  if (static_cast<uint64_t>(count) > call.size() - i - 1) {
    call.reply.Error("ERR Number of keys can't be greater than number of args");
    return false;
  }
  *keys = static_cast<size_t>(count);
  return true;
}

void AppendCountedKeys(Arguments arguments, size_t i, std::vector<size_t>* positions) {
  int64_t count;
  if (i >= arguments.size() || !ParseInteger(arguments[i], &count) || count < 1) return;
  const size_t keys = std::min(static_cast<size_t>(count), arguments.size() - i - 1);
  for (size_t key = 0; key < keys; ++key) positions->push_back(i + 1 + key);
}

}  // namespace cairn::server
