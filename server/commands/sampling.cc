// Elements of a collection by chance (collection.h). Nothing tells which element is the n-th, so
// either the collection is walked, or, for a few of many, the way goes down from the first bytes of
// the names to the last, with a random choice at each.
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fiber/random.h"
#include "server/commands/collection.h"

namespace cairn::server {

using rocksdb::Status;

namespace {

// So many elements are walked without much thought.
constexpr uint64_t kWalked = 1024;
// One descent takes about as long as a walk over so many.
constexpr uint64_t kDescentCost = 256;
// Where a descent is among so few elements it takes any of them.
constexpr size_t kWindow = 32;
// For a byte that some name has at a place, a descent guesses so often.
constexpr int kGuesses = 16;
// A reply of more repetitions than this is refused: nothing else bounds it.
constexpr uint64_t kMaxRepeats = uint64_t{1} << 24;

// Below `bound`, which is not 0.
uint64_t RandomBelow(uint64_t bound) { return fiber::random_u64() % bound; }

// Leaves the range on an element by chance. False: there is none, or the range failed.
bool Descend(Transaction::Range* range, std::string prefix) {
  for (;;) {
    range->Seek(prefix);
    if (!range->Valid()) return false;
    const std::string first(range->key());
    // All of a few.
    std::vector<std::string> few;
    while (range->Valid() && few.size() <= kWindow && range->key().starts_with(prefix)) {
      few.emplace_back(range->key());
      range->Next();
    }
    if (!range->status().ok() || few.empty()) return false;
    if (few.size() <= kWindow) {
      range->Seek(few[RandomBelow(few.size())]);
      return range->Valid();
    }
    const std::string behind = BehindPrefix(prefix);
    range->SeekForPrev(behind);
    if (range->Valid() && range->key() == behind) range->Prev();
    if (!range->Valid()) return false;
    const std::string last(range->key());
    size_t common = prefix.size();
    while (common < first.size() && first[common] == last[common]) ++common;
    prefix.assign(last, 0, common);
    // The name that ends here is one choice; the others are the bytes that follow.
    const int low = common == first.size() ? -1 : static_cast<unsigned char>(first[common]);
    const int high = static_cast<unsigned char>(last[common]);
    for (int guess = 0;; ++guess) {
      const int byte = low + static_cast<int>(RandomBelow(static_cast<uint64_t>(high - low + 1)));
      if (byte < 0) {
        range->Seek(first);
        return range->Valid();
      }
      std::string next = prefix;
      next.push_back(static_cast<char>(byte));
      range->Seek(next);
      if (!range->Valid()) return false;
      const char found = range->key()[common];
      if (found == next.back() || guess == kGuesses) {
        prefix.push_back(found);
        break;
      }
    }
  }
}

Status TakeByDescents(const Collection& collection, uint64_t count, bool repeats,
                      const TakeElement& take) {
  const std::string prefix = ElementPrefix(collection.id());
  const auto range = collection.call().transaction.NewRange(prefix, BehindPrefix(prefix));
  std::unordered_set<std::string> taken;
  while (count != 0) {
    if (!Descend(range.get(), prefix)) return range->status();
    std::string name(range->key().substr(prefix.size()));
    if (repeats || !taken.contains(name)) {
      take(name, range->value());
      --count;
      if (!repeats) taken.insert(std::move(name));
    }
    fiber::yield();
  }
  return Status::OK();
}

// One element, by its place in the order, from the end that is nearer.
Status TakeOneByPlace(const Collection& collection, const TakeElement& take) {
  const std::string prefix = ElementPrefix(collection.id());
  const auto range = collection.call().transaction.NewRange(prefix, BehindPrefix(prefix));
  const uint64_t count = collection.count();
  uint64_t place = RandomBelow(count);
  const bool backward = place > count / 2;
  if (backward) place = count - 1 - place;
  if (backward) {
    range->SeekToLast();
  } else {
    range->SeekToFirst();
  }
  for (uint64_t i = 0; i < place && range->Valid(); ++i) {
    if (backward) {
      range->Prev();
    } else {
      range->Next();
    }
    if (i % kYieldInterval == kYieldInterval - 1) fiber::yield();
  }
  if (range->Valid()) take(range->key().substr(prefix.size()), range->value());
  return range->status();
}

// One walk that takes each of the elements that are left with the chance that fills the count.
Status TakeDistinct(const Collection& collection, uint64_t count, const TakeElement& take) {
  uint64_t left = collection.count();
  return collection.Walk("", [&](std::string_view element, std::string_view value) {
    if (left != 0 && RandomBelow(left) < count) {
      take(element, value);
      --count;
    }
    if (left != 0) --left;
    return count != 0;
  });
}

// The places are drawn first, and one walk brings what is at them.
Status TakeRepeating(const Collection& collection, uint64_t count, const TakeElement& take) {
  std::vector<uint64_t> draws(count);
  for (uint64_t& draw : draws) draw = RandomBelow(collection.count());
  std::vector<uint64_t> places = draws;
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<std::pair<std::string, std::string>> elements;
  uint64_t place = 0;
  const Status s = collection.Walk("", [&](std::string_view element, std::string_view value) {
    if (places[elements.size()] == place++) elements.emplace_back(element, value);
    return elements.size() < places.size();
  });
  if (!s.ok()) return s;
  for (const uint64_t draw : draws) {
    const auto at = std::lower_bound(places.begin(), places.end(), draw) - places.begin();
    if (static_cast<size_t>(at) >= elements.size()) continue;
    const auto& [element, value] = elements[static_cast<size_t>(at)];
    take(element, value);
  }
  return s;
}

}  // namespace

Status ForRandomElements(const Collection& collection, uint64_t count, bool repeats,
                         const TakeElement& take) {
  if (count == 0) return Status::OK();
  if (collection.count() > kWalked && count < collection.count() / kDescentCost) {
    return TakeByDescents(collection, count, repeats, take);
  }
  if (count == 1) return TakeOneByPlace(collection, take);
  return repeats ? TakeRepeating(collection, count, take) : TakeDistinct(collection, count, take);
}

void ReplyRandomElements(Call& call, Type type, std::string_view option,
                         const std::function<void(std::string_view value)>& write_value) {
  const bool counted = call.size() > 2, with_values = call.size() > 3;
  if (with_values && option.empty()) {
    call.SyntaxError();
    return;
  }
  int64_t number = 1;
  if (counted) {
    if (!call.Integer(2, &number)) return;
    if (number == INT64_MIN) {
      call.reply.Error(
          "ERR value is out of range, value must between -9223372036854775807 and "
          "9223372036854775807");
      return;
    }
    if (call.size() > 4 || (with_values && !call.Is(3, option))) {
      call.SyntaxError();
      return;
    }
  }
  const bool repeats = number < 0;
  uint64_t count = static_cast<uint64_t>(repeats ? -number : number);
  if (with_values && count > INT64_MAX / 2) {
    call.reply.Error("ERR value is out of range");
    return;
  }
  Collection collection(call, call[1], type);
  if (!collection.Open()) return;
  if (!collection.exists()) count = 0;
  if (!repeats) count = std::min(count, collection.count());
  if (repeats && count > kMaxRepeats) {
    call.reply.Error("ERR value is out of range");
    return;
  }
  const bool pairs = with_values && call.reply.version() >= 3;
  ReplyCounted(
      call,
      [&](uint64_t taken) {
        if (counted) call.reply.Array(with_values && !pairs ? 2 * taken : taken);
        if (!counted && taken == 0) call.reply.Null();
      },
      [&](uint64_t* taken) {
        return ForRandomElements(collection, count, repeats,
                                 [&](std::string_view element, std::string_view value) {
                                   ++*taken;
                                   if (pairs) call.reply.Array(2);
                                   call.reply.Bulk(element);
                                   if (with_values) write_value(value);
                                 });
      });
}

}  // namespace cairn::server
