#include "server/auth/acl_log.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cairn::server {

void AclLog::Add(Entry entry, uint64_t now_ms) {
  constexpr size_t kMaxBytes = 128;  // of what clients choose
  for (std::string* const text : {&entry.object, &entry.user}) {
    if (text->size() > kMaxBytes) text->resize(kMaxBytes);
  }
  entry.first_at_ms = entry.last_at_ms = now_ms;
  const fiber::MutexLock lock(&mutex_);
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
    return now_ms - one.last_at_ms < kSameMs && std::string_view(one.reason) == entry.reason &&
           std::string_view(one.context) == entry.context && one.object == entry.object &&
           one.user == entry.user;
  });
  if (same != entries_.end()) {
    entry.count = same->count + 1;
    entry.id = same->id;
    entry.first_at_ms = same->first_at_ms;
    entries_.erase(same);
  } else {
    entry.id = next_id_++;
  }
  entries_.push_front(std::move(entry));
  if (entries_.size() > kMaxEntries) entries_.pop_back();
}

std::vector<AclLog::Entry> AclLog::Newest(size_t count) {
  const fiber::MutexLock lock(&mutex_);
  const size_t n = std::min(count, entries_.size());
  return {entries_.begin(), entries_.begin() + static_cast<ptrdiff_t>(n)};
}

void AclLog::Reset() {
  const fiber::MutexLock lock(&mutex_);
  entries_.clear();
}

}  // namespace cairn::server
