// Walks over keys and elements that several families of commands share, and what SCAN and its kin
// have in common.

#ifndef CAIRN_SERVER_COMMANDS_WALK_H_
#define CAIRN_SERVER_COMMANDS_WALK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "fiber/runtime.h"
#include "server/commands/command.h"

namespace cairn::server {

// A long walk lets the worker's other fibers run after so many pairs.
inline constexpr size_t kYieldInterval = 128;

// SUSPENDS. Calls `take(key, entry)` for the keys of the session's database in [lower, upper)
// ("": no bound) that have not expired, in their order or the reverse, until it returns false.
template <class Take>
rocksdb::Status WalkKeys(Call& call, std::string_view lower, std::string_view upper,
                         const Take& take, bool backward = false) {
  const std::string all = EntryPrefix(call.ns());
  const auto range = call.transaction.NewRange(
      EntryKey(call.ns(), lower), upper.empty() ? BehindPrefix(all) : EntryKey(call.ns(), upper));
  if (backward) {
    range->SeekToLast();
  } else {
    range->SeekToFirst();
  }
  for (size_t seen = 1; range->Valid(); ++seen) {
    const std::string_view value = range->value();
    Entry entry;
    if (!DecodeEntry(rocksdb::Slice(value.data(), value.size()), &entry)) {
      return rocksdb::Status::Corruption("the entry of a key is not one of this server's");
    }
    if (!entry.ExpiredAt(call.now_ms()) && !take(range->key().substr(kEntryPrefixBytes), entry)) {
      break;
    }
    if (backward) {
      range->Prev();
    } else {
      range->Next();
    }
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return range->status();
}

// SUSPENDS. Calls `take(rest, value)` for the pairs that begin with `prefix` and are at or behind
// prefix + from, in their order, until it returns false; `rest` is what follows the prefix.
template <class Take>
rocksdb::Status WalkElements(Transaction& transaction, const std::string& prefix,
                             std::string_view from, const Take& take) {
  const auto range = transaction.NewRange(prefix + std::string(from), BehindPrefix(prefix));
  range->SeekToFirst();
  for (size_t seen = 1; range->Valid(); ++seen) {
    if (!take(range->key().substr(prefix.size()), range->value())) break;
    range->Next();
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return range->status();
}

// Deletes a key and what tells whose its elements are.
void DeleteKey(Call& call, std::string_view key, const Entry& entry);

// SUSPENDS. Gives the collection `*entry` a copy of its elements, under a number of their own that
// belongs to `key`; the entry is still to be put.
rocksdb::Status CopyElements(Transaction& transaction, uint32_t ns, std::string_view key,
                             Entry* entry);

// cursor [MATCH pattern] [COUNT n] of SCAN, HSCAN, SSCAN, ZSCAN.
struct ScanOptions {
  std::string position;  // where the scan goes on, "" at its start
  bool has_pattern = false;
  std::string_view pattern;
  uint64_t count = 10;
};
// From word `first`, the cursor. False: an error was replied. `type`: where the name behind TYPE
// goes; null where there is no such option.
bool ParseScanOptions(Call& call, size_t first, ScanOptions* options, std::string_view* type);
// Writes the number that stands for the position; "": the scan is complete.
void ReplyCursor(Call& call, std::string position);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_WALK_H_
