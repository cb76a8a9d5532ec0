#include "server/commands/list_elements.h"

#include <algorithm>
#include <utility>

#include "server/commands/walk.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

// So few elements are read one by one rather than with an iterator.
constexpr uint64_t kFewElements = 4;

Status Missing(const Entry& entry, int64_t index) {
  return Status::Corruption("an element of list " + std::to_string(entry.id) + " is missing",
                            std::to_string(index));
}

using Elements = std::vector<std::pair<int64_t, std::string>>;

// SUSPENDS. Appends [from, to).
Status Read(Transaction& transaction, const Entry& entry, int64_t from, int64_t to,
            Elements* elements) {
  return WalkList(transaction, entry, from, to, false,
                  [elements](int64_t index, std::string_view element) {
                    elements->emplace_back(index, element);
                    return true;
                  });
}

void DeleteRange(Transaction& transaction, const Entry& entry, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; ++i) transaction.Delete(ListKey(entry.id, i));
}

}  // namespace

Status ReadElement(Transaction& transaction, const Entry& entry, int64_t index,
                   PinnableSlice* element) {
  Status s = transaction.Get(ListKey(entry.id, index), element);
  return s.IsNotFound() ? Missing(entry, index) : s;
}

Status WalkList(Transaction& transaction, const Entry& entry, int64_t from, int64_t to,
                bool backward, const TakeListElement& take) {
  if (from >= to) return Status::OK();
  const auto range = transaction.NewRange(ListKey(entry.id, from), ListKey(entry.id, to));
  if (backward) {
    range->SeekToLast();
  } else {
    range->SeekToFirst();
  }
  int64_t index = backward ? to - 1 : from;
  for (size_t seen = 1; index >= from && index < to; ++seen) {
    if (!range->Valid()) {
      Status s = range->status();
      return s.ok() ? Missing(entry, index) : s;
    }
    if (range->key() != ListKey(entry.id, index)) return Missing(entry, index);
    if (!take(index, range->value())) break;
    if (backward) {
      range->Prev();
      --index;
    } else {
      range->Next();
      ++index;
    }
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return range->status();
}

void PushElements(Call& call, std::string_view key, bool there, Entry* entry, ListEnd end,
                  std::span<const std::string_view> elements) {
  if (!there) call.transaction.NewCollection(call.ns(), key, Type::kList, entry);
  for (const std::string_view element : elements) {
    const int64_t index = end == ListEnd::kHead ? --entry->head : entry->tail++;
    call.transaction.Put(ListKey(entry->id, index), element);
  }
  entry->count = static_cast<uint64_t>(entry->tail - entry->head);
  call.transaction.PutEntry(call.ns(), key, *entry);
}

Status PopElements(Call& call, std::string_view key, Entry* entry, ListEnd end, uint64_t count,
                   std::vector<std::string>* popped) {
  const auto taken = static_cast<int64_t>(count);
  const bool at_head = end == ListEnd::kHead;
  const int64_t from = at_head ? entry->head : entry->tail - taken;
  const int64_t to = from + taken;
  Status s;
  if (count <= kFewElements) {
    for (int64_t i = 0; s.ok() && i < taken; ++i) {
      PinnableSlice element;
      s = ReadElement(call.transaction, *entry, at_head ? from + i : to - 1 - i, &element);
      if (s.ok()) popped->push_back(element.ToString());
    }
  } else {
    s = WalkList(call.transaction, *entry, from, to, !at_head,
                 [popped](int64_t, std::string_view element) {
                   popped->emplace_back(element);
                   return true;
                 });
  }
  if (!s.ok()) return s;
  if (count == entry->count) {
    DeleteKey(call, key, *entry);
    return s;
  }
  DeleteRange(call.transaction, *entry, from, to);
  (at_head ? entry->head : entry->tail) += at_head ? taken : -taken;
  entry->count -= count;
  call.transaction.PutEntry(call.ns(), key, *entry);
  return s;
}

Status InsertElement(Call& call, std::string_view key, Entry* entry, int64_t index,
                     std::string_view element) {
  const bool move_head = index - entry->head <= entry->tail - index;
  Elements moved;
  Status s = move_head ? Read(call.transaction, *entry, entry->head, index, &moved)
                       : Read(call.transaction, *entry, index, entry->tail, &moved);
  if (!s.ok()) return s;
  const int64_t by = move_head ? -1 : 1;
  for (const auto& [i, value] : moved) call.transaction.Put(ListKey(entry->id, i + by), value);
  call.transaction.Put(ListKey(entry->id, move_head ? index - 1 : index), element);
  if (move_head) {
    --entry->head;
  } else {
    ++entry->tail;
  }
  ++entry->count;
  call.transaction.PutEntry(call.ns(), key, *entry);
  return s;
}

// The elements between two of the removed ones, or beyond the first or last of these, stay where
// they are: those of the longest such stretch. The others close up to them from both sides.
Status RemoveElements(Call& call, std::string_view key, Entry* entry,
                      const std::vector<int64_t>& indexes) {
  const size_t count = indexes.size();
  if (count == entry->count) {
    DeleteKey(call, key, *entry);
    return Status::OK();
  }
  size_t before = 0;  // of the removed ones, how many are before the stretch
  int64_t longest = -1;
  for (size_t i = 0; i <= count; ++i) {
    const int64_t begin = i == 0 ? entry->head : indexes[i - 1] + 1;
    const int64_t end = i == count ? entry->tail : indexes[i];
    if (end - begin <= longest) continue;
    longest = end - begin;
    before = i;
  }
  Elements left, right;
  Status s;
  if (before > 0) s = Read(call.transaction, *entry, entry->head, indexes[before - 1], &left);
  if (s.ok() && before < count) {
    s = Read(call.transaction, *entry, indexes[before] + 1, entry->tail, &right);
  }
  if (!s.ok()) return s;
  // Each moves by as many as are removed between it and the stretch.
  size_t passed = 0;
  for (const auto& [i, value] : left) {
    while (passed < before && indexes[passed] < i) ++passed;
    if (passed < before && indexes[passed] == i) continue;
    call.transaction.Put(ListKey(entry->id, i + static_cast<int64_t>(before - passed)), value);
  }
  passed = before;
  for (const auto& [i, value] : right) {
    while (passed < count && indexes[passed] < i) ++passed;
    if (passed < count && indexes[passed] == i) continue;
    call.transaction.Put(ListKey(entry->id, i - static_cast<int64_t>(passed - before)), value);
  }
  const int64_t head = entry->head + static_cast<int64_t>(before);
  const int64_t tail = entry->tail - static_cast<int64_t>(count - before);
  DeleteRange(call.transaction, *entry, entry->head, head);
  DeleteRange(call.transaction, *entry, tail, entry->tail);
  entry->head = head;
  entry->tail = tail;
  entry->count -= count;
  call.transaction.PutEntry(call.ns(), key, *entry);
  return s;
}

Status TrimElements(Call& call, std::string_view key, Entry* entry, int64_t from, int64_t to) {
  const auto kept = static_cast<uint64_t>(to - from);
  if (kept < entry->count - kept) {
    // Less is written when the kept ones become a list of their own; what was in the old one
    // belongs to nobody then.
    Elements elements;
    Status s = Read(call.transaction, *entry, from, to, &elements);
    if (!s.ok()) return s;
    const uint64_t expires_at = entry->expires_at;
    call.transaction.Delete(OwnerKey(entry->id));
    call.transaction.NewCollection(call.ns(), key, Type::kList, entry);
    entry->expires_at = expires_at;
    for (const auto& [i, value] : elements) {
      call.transaction.Put(ListKey(entry->id, i - from), value);
    }
    entry->tail = static_cast<int64_t>(kept);
  } else {
    DeleteRange(call.transaction, *entry, entry->head, from);
    DeleteRange(call.transaction, *entry, to, entry->tail);
    entry->head = from;
    entry->tail = to;
  }
  entry->count = kept;
  call.transaction.PutEntry(call.ns(), key, *entry);
  return Status::OK();
}

}  // namespace cairn::server
