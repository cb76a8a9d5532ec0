// The elements of a list as pairs of the store: the list's entry tells the indexes of the first and
// behind the last, an element is found by its index alone. What is put in or taken out between them
// moves the elements of the shorter side.
//
// Used by the list commands (lists.cc, list_blocking.cc) within a run's transaction. All of these
// read first: if one fails it has written nothing.

#ifndef CAIRN_SERVER_COMMANDS_LIST_ELEMENTS_H_
#define CAIRN_SERVER_COMMANDS_LIST_ELEMENTS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "server/commands/command.h"

namespace cairn::server {

enum class ListEnd : uint8_t { kHead, kTail };

// SUSPENDS. The element at an index, entry.head ... entry.tail - 1.
rocksdb::Status ReadElement(Transaction& transaction, const Entry& entry, int64_t index,
                            rocksdb::PinnableSlice* element);

// SUSPENDS. Calls `take(index, element)` for the elements [from, to) in their order, or from the
// last to the first, until it returns false.
using TakeListElement = std::function<bool(int64_t index, std::string_view element)>;
rocksdb::Status WalkList(Transaction& transaction, const Entry& entry, int64_t from, int64_t to,
                         bool backward, const TakeListElement& take);

// Puts elements at an end, one after the other. `there`: the entry is that of a list; else it
// becomes one.
void PushElements(Call& call, std::string_view key, bool there, Entry* entry, ListEnd end,
                  std::span<const std::string_view> elements);

// SUSPENDS. Takes elements off an end, in the order in which they come off; the last one takes the
// key along. REQUIRES: 1 <= count <= entry->count.
rocksdb::Status PopElements(Call& call, std::string_view key, Entry* entry, ListEnd end,
                            uint64_t count, std::vector<std::string>* popped);

// SUSPENDS. Puts an element before the one that is at `index` (entry->tail: behind the last).
rocksdb::Status InsertElement(Call& call, std::string_view key, Entry* entry, int64_t index,
                              std::string_view element);

// SUSPENDS. Takes out the elements at these indexes, which ascend; the last one takes the key
// along.
rocksdb::Status RemoveElements(Call& call, std::string_view key, Entry* entry,
                               const std::vector<int64_t>& indexes);

// SUSPENDS. Keeps [from, to) alone. REQUIRES: there are some, and others.
rocksdb::Status TrimElements(Call& call, std::string_view key, Entry* entry, int64_t from,
                             int64_t to);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_LIST_ELEMENTS_H_
