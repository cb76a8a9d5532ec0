// SORT and SORT_RO: the elements of a list, set or sorted set by their own values or by those of
// other keys, replied or stored as a list.
//
// SORT holds the stripes of the keys that it names. What BY and GET lead to is known only when the
// elements are, so these keys are read without, each as it then is; SORT_RO sees all of one moment.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/runtime.h"
#include "server/commands/command.h"
#include "server/commands/sorted_set.h"
#include "server/commands/walk.h"

namespace cairn::server {

using rocksdb::PinnableSlice;
using rocksdb::Status;

namespace {

// So many keys of a pattern are read at once.
constexpr size_t kLookUpAtOnce = 32;
// A long sort lets the worker's other fibers run after so many comparisons.
constexpr size_t kCompareInterval = 1024;

// Of BY or GET: "before*after", perhaps with "->field" behind it; or "#", the element itself.
struct Pattern {
  std::string_view before, after, field;
  bool varies = false;  // there is a star
  bool is_element = false;
};

Pattern ParsePattern(std::string_view word) {
  Pattern pattern;
  pattern.is_element = word == "#";
  const size_t star = word.find('*');
  if (star == std::string_view::npos) return pattern;
  pattern.varies = true;
  pattern.before = word.substr(0, star);
  pattern.after = word.substr(star + 1);
  const size_t arrow = pattern.after.find("->");
  if (arrow != std::string_view::npos && arrow + 2 < pattern.after.size()) {
    pattern.field = pattern.after.substr(arrow + 2);
    pattern.after = pattern.after.substr(0, arrow);
  }
  return pattern;
}

struct Query {
  Pattern by;
  bool has_by = false;
  std::vector<Pattern> gets;
  int64_t offset = 0;
  int64_t limit = -1;  // negative: none
  bool descending = false;
  bool by_text = false;  // ALPHA
  bool stores = false;
  std::string_view to;

  bool sorts() const { return !has_by || by.varies; }
};

struct Item {
  std::string element;
  double number = 0;
  std::optional<std::string> text;  // what BY leads to, if there is such a key
};

// From word 2 on. False: an error was replied.
bool Parse(Call& call, bool read_only, Query* query) {
  for (size_t i = 2; i < call.size(); ++i) {
    const size_t behind = call.size() - i - 1;
    if (call.Is(i, "ASC")) {
      query->descending = false;
    } else if (call.Is(i, "DESC")) {
      query->descending = true;
    } else if (call.Is(i, "ALPHA")) {
      query->by_text = true;
    } else if (call.Is(i, "LIMIT") && behind >= 2) {
      if (!call.Integer(i + 1, &query->offset) || !call.Integer(i + 2, &query->limit)) return false;
      i += 2;
    } else if (call.Is(i, "STORE") && behind >= 1 && !read_only) {
      query->stores = true;
      query->to = call[++i];
    } else if (call.Is(i, "BY") && behind >= 1) {
      query->has_by = true;
      query->by = ParsePattern(call[++i]);
    } else if (call.Is(i, "GET") && behind >= 1) {
      query->gets.push_back(ParsePattern(call[++i]));
    } else {
      return call.SyntaxError();
    }
  }
  return true;
}

// The value that a pattern leads to from one element.
Status LookUpOne(Call& call, const Pattern& pattern, std::string_view element,
                 std::optional<std::string>* value) {
  value->reset();
  if (pattern.is_element) *value = element;
  if (!pattern.varies) return Status::OK();
  std::string key(pattern.before);
  key.append(element).append(pattern.after);
  Entry entry;
  PinnableSlice bytes;
  Status s = call.transaction.Find(call.ns(), key, &entry, &bytes);
  if (s.ok() && pattern.field.empty() && entry.type == Type::kString) *value = entry.value;
  if (s.ok() && !pattern.field.empty() && entry.type == Type::kHash) {
    PinnableSlice field;
    s = call.transaction.Get(ElementKey(entry.id, pattern.field), &field);
    if (s.ok()) *value = std::string(field.data(), field.size());
  }
  return s.IsNotFound() ? Status::OK() : s;
}

// SUSPENDS. The same for several; the keys are read at once.
Status LookUp(Call& call, const Pattern& pattern, std::span<const Item> items,
              std::vector<std::optional<std::string>>* values) {
  values->resize(items.size());
  if (pattern.varies) {
    std::vector<std::string> keys;
    for (const Item& item : items) {
      std::string key(pattern.before);
      keys.push_back(EntryKey(call.ns(), key.append(item.element).append(pattern.after)));
    }
    call.transaction.Prefetch(std::move(keys));
  }
  Status s;
  for (size_t i = 0; i < items.size() && s.ok(); ++i) {
    s = LookUpOne(call, pattern, items[i].element, &(*values)[i]);
  }
  if (pattern.varies) call.transaction.ForgetPrefetched();
  return s;
}

// Calls `use(items)` for a few at a time until it fails.
template <class Use>
Status ForEachFew(std::span<Item> items, const Use& use) {
  for (size_t begin = 0; begin < items.size(); begin += kLookUpAtOnce) {
    const Status s = use(items.subspan(begin, std::min(kLookUpAtOnce, items.size() - begin)));
    if (!s.ok()) return s;
    fiber::yield();
  }
  return Status::OK();
}

// SUSPENDS. Up to `most` elements, in the order in which they are stored; a list's and a sorted
// set's that are not to be sorted in the direction that was asked for.
Status Collect(Call& call, const Query& query, const Entry& entry, uint64_t most,
               std::vector<Item>* items) {
  const auto take = [&](std::string_view element) {
    if (items->size() < most) items->push_back({std::string(element), 0, {}});
    return items->size() < most;
  };
  if (entry.type == Type::kSortedSet && !query.sorts()) {
    SortedSet set(call, call[1]);
    if (!set.Open()) return Status::Aborted();
    return set.WalkRanks({0, set.count()}, query.descending,
                         [&](std::string_view member, double) { return take(member); });
  }
  const bool is_list = entry.type == Type::kList;
  if (is_list && !query.sorts() && query.descending) {
    const std::string prefix = ElementPrefix(entry.id);
    const auto range = call.transaction.NewRange(prefix, BehindPrefix(prefix));
    size_t seen = 1;
    for (range->SeekToLast(); range->Valid() && take(range->value()); range->Prev()) {
      if (seen++ % kYieldInterval == 0) fiber::yield();
    }
    return range->status();
  }
  return WalkElements(
      call.transaction, ElementPrefix(entry.id), "",
      [&](std::string_view rest, std::string_view value) { return take(is_list ? value : rest); });
}

// What the items are sorted by. False: an error was replied.
bool FindWeights(Call& call, const Query& query, std::vector<Item>* items) {
  bool numbers = true;
  const auto set_number = [&](std::string_view text, Item* item) {
    // An empty string is a zero.
    numbers = numbers && (text.empty() || ParseDouble(text, &item->number));
  };
  std::vector<std::optional<std::string>> values;
  Status s;
  if (query.has_by) {
    s = ForEachFew(*items, [&](std::span<Item> few) {
      const Status found = LookUp(call, query.by, few, &values);
      for (size_t i = 0; i < few.size() && found.ok(); ++i) {
        if (query.by_text) {
          few[i].text = std::move(values[i]);
        } else if (values[i]) {
          set_number(*values[i], &few[i]);
        }
      }
      return found;
    });
  } else if (!query.by_text) {
    for (Item& item : *items) set_number(item.element, &item);
  }
  if (!s.ok()) return call.Fail(s);
  if (!numbers) call.reply.Error("ERR One or more scores can't be converted into double");
  return numbers;
}

// SUSPENDS. Those at `first` ... `last` - 1 come to their places.
void Sort(const Query& query, size_t last, std::vector<Item>* items) {
  size_t compared = 0;
  const auto before = [&](const Item& a, const Item& b) {
    if (++compared % kCompareInterval == 0) fiber::yield();
    const Item& low = query.descending ? b : a;
    const Item& high = query.descending ? a : b;
    if (!query.by_text && low.number != high.number) return low.number < high.number;
    if (query.by_text && query.has_by && low.text != high.text) return low.text < high.text;
    return low.element < high.element;
  };
  if (last == items->size()) {
    std::sort(items->begin(), items->end(), before);
  } else {
    std::partial_sort(items->begin(), items->begin() + static_cast<std::ptrdiff_t>(last),
                      items->end(), before);
  }
}

// SUSPENDS. Calls `put(value)` for all that the items come to, null where GET finds nothing.
template <class Put>
Status Output(Call& call, const Query& query, std::span<Item> items, const Put& put) {
  return ForEachFew(items, [&](std::span<Item> few) {
    std::vector<std::vector<std::optional<std::string>>> values(query.gets.size());
    for (size_t i = 0; i < query.gets.size(); ++i) {
      const Status s = LookUp(call, query.gets[i], few, &values[i]);
      if (!s.ok()) return s;
    }
    for (size_t item = 0; item < few.size(); ++item) {
      if (query.gets.empty()) put(&few[item].element);
      for (const auto& of_pattern : values) {
        put(of_pattern[item] ? &*of_pattern[item] : nullptr);
      }
    }
    return Status::OK();
  });
}

void Reply(Call& call, const Query& query, std::span<Item> items) {
  const ReplyWriter::Mark mark = call.reply.mark();
  call.reply.Array(items.size() * std::max<size_t>(query.gets.size(), 1));
  const Status s = Output(call, query, items, [&](const std::string* value) {
    if (value != nullptr) {
      call.reply.Bulk(*value);
    } else {
      call.reply.Null();
    }
  });
  if (s.ok()) return;
  call.reply.Rewind(mark);
  call.Fail(s);
}

void Store(Call& call, const Query& query, std::span<Item> items) {
  Entry old;
  PinnableSlice bytes;
  const Found found = call.Find(query.to, &old, &bytes);
  if (found == Found::kFailed) return;
  Entry list;
  if (!items.empty()) {
    call.transaction.NewCollection(call.ns(), query.to, Type::kList, &list);
    const Status s = Output(call, query, items, [&](const std::string* value) {
      call.transaction.Put(ListKey(list.id, list.tail++),
                           value != nullptr ? std::string_view(*value) : std::string_view());
    });
    if (!s.ok()) {
      // What was put is under a number that no entry has: nobody sees it.
      call.Fail(s);
      return;
    }
  }
  if (found == Found::kYes) DeleteKey(call, query.to, old);
  if (!items.empty()) {
    list.count = static_cast<uint64_t>(list.tail);
    call.transaction.PutEntry(call.ns(), query.to, list);
  }
  call.reply.Integer(list.tail);
}

// key [BY pattern] [LIMIT offset count] [GET pattern ...] [ASC | DESC] [ALPHA] [STORE to]
void SortKey(Call& call, bool read_only) {
  Query query;
  if (!Parse(call, read_only, &query)) return;
  Entry entry;
  PinnableSlice bytes;
  const Found found = call.Find(call[1], &entry, &bytes);
  if (found == Found::kFailed) return;
  const bool there = found == Found::kYes;
  if (there && (entry.type == Type::kString || entry.type == Type::kHash)) {
    call.reply.Error(kWrongType);
    return;
  }
  // A list of what has no order must have one, as Redis has it.
  if (there && entry.type == Type::kSet && !query.sorts() && query.stores) {
    query.has_by = false;
    query.by_text = true;
  }
  const uint64_t first = static_cast<uint64_t>(std::max<int64_t>(query.offset, 0));
  const uint64_t most = query.limit < 0 ? UINT64_MAX : first + static_cast<uint64_t>(query.limit);
  std::vector<Item> items;
  if (there) {
    const Status s = Collect(call, query, entry, query.sorts() ? UINT64_MAX : most, &items);
    if (!s.ok()) {
      call.Fail(s);
      return;
    }
  }
  const size_t last = std::min<uint64_t>(most, items.size());
  if (query.sorts()) {
    if (!FindWeights(call, query, &items)) return;
    Sort(query, last, &items);
  }
  const size_t begin = std::min<uint64_t>(first, last);
  const std::span<Item> chosen = std::span(items).subspan(begin, last - begin);
  if (query.stores) {
    Store(call, query, chosen);
  } else {
    Reply(call, query, chosen);
  }
}
void SortCommand(Call& call) { SortKey(call, false); }
void SortRo(Call& call) { SortKey(call, true); }

void FindSortKeys(Arguments arguments, std::vector<size_t>* positions) {
  positions->push_back(1);
  std::optional<size_t> to;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (EqualsIgnoringCase(arguments[i], "LIMIT")) {
      i += 2;
    } else if (EqualsIgnoringCase(arguments[i], "GET") || EqualsIgnoringCase(arguments[i], "BY")) {
      ++i;
    } else if (EqualsIgnoringCase(arguments[i], "STORE") && i + 1 < arguments.size()) {
      to = ++i;
    }
  }
  if (to) positions->push_back(*to);
}

constexpr Command kCommands[] = {
    {"sort", -2, kWrite | kReadsEntries, 1, 1, 1, SortCommand, "generic", FindSortKeys},
    {"sort_ro", -2, kRead | kOneState, 1, 1, 1, SortRo, "generic"},
};

}  // namespace

std::span<const Command> SortCommands() { return kCommands; }

}  // namespace cairn::server
