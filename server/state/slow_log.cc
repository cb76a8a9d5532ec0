#include "server/state/slow_log.h"

#include <algorithm>
#include <utility>

#include "fiber/clock.h"
#include "server/resp/words.h"

namespace cairn::server {

namespace {

constexpr size_t kMaxWords = 32;
constexpr size_t kMaxWordBytes = 128;

std::string Cut(std::string_view word) {
  if (word.size() <= kMaxWordBytes) return std::string(word);
  return std::string(word.substr(0, kMaxWordBytes)) + "... (" +
         std::to_string(word.size() - kMaxWordBytes) + " more bytes)";
}

}  // namespace

void SlowLog::Add(const Session& session, std::span<const std::string_view> words,
                  uint64_t micros) {
  Entry entry{0, fiber::wall_micros() / 1'000'000, micros, {}, session.address, session.name};
  const size_t shown = words.size() > kMaxWords ? kMaxWords - 1 : words.size();
  for (size_t i = 0; i < shown; ++i) entry.words.push_back(Cut(words[i]));
  if (shown < words.size()) {
    entry.words.push_back("... (" + std::to_string(words.size() - shown) + " more arguments)");
  }
  // What proves who somebody is belongs in no log.
  const auto is = [&](size_t i, std::string_view name) {
    return i < words.size() && EqualsIgnoringCase(words[i], name);
  };
  if (is(0, "AUTH") || is(0, "HELLO")) entry.words.resize(1);
  if ((is(0, "ACL") && is(1, "SETUSER")) || (is(0, "CONFIG") && is(1, "SET"))) {
    entry.words.resize(2);
  }
  const fiber::MutexLock lock(&mutex_);
  entry.id = next_id_++;
  entries_.push_front(std::move(entry));
  while (entries_.size() > length_.load()) entries_.pop_back();
}

void SlowLog::set_length(size_t length) {
  const fiber::MutexLock lock(&mutex_);
  length_.store(length);
  while (entries_.size() > length) entries_.pop_back();
}

std::vector<SlowLog::Entry> SlowLog::Newest(size_t count) {
  const fiber::MutexLock lock(&mutex_);
  const size_t n = std::min(count, entries_.size());
  return {entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(n)};
}

size_t SlowLog::Size() {
  const fiber::MutexLock lock(&mutex_);
  return entries_.size();
}

void SlowLog::Reset() {
  const fiber::MutexLock lock(&mutex_);
  entries_.clear();
}

}  // namespace cairn::server
