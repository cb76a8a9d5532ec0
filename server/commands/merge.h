// Intersections, unions and differences of collections: all have their elements in the same order,
// so one walk over all of them at once answers without holding any of them in memory.

#ifndef CAIRN_SERVER_COMMANDS_MERGE_H_
#define CAIRN_SERVER_COMMANDS_MERGE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/runtime.h"
#include "server/commands/collection.h"

namespace cairn::server {

// The elements of one collection in their order.
class ElementCursor {
 public:
  explicit ElementCursor(const Collection& collection);

  bool Valid() const { return range_ != nullptr && range_->Valid(); }
  std::string_view element() const { return range_->key().substr(kElementPrefixBytes); }
  std::string_view value() const { return range_->value(); }
  bool IsAt(std::string_view wanted) const { return Valid() && element() == wanted; }
  void Next() { range_->Next(); }
  // To the first element at or behind `wanted`. REQUIRES: not behind it already.
  void SkipTo(std::string_view wanted);
  rocksdb::Status status() const {
    return range_ == nullptr ? rocksdb::Status::OK() : range_->status();
  }

 private:
  std::string prefix_;
  std::unique_ptr<Transaction::Range> range_;  // null: there is no collection
};

using ElementCursors = std::vector<ElementCursor>;

rocksdb::Status FirstFailure(const ElementCursors& cursors);

// SUSPENDS, all three. They call `take(element)` for the elements of the result in their order,
// until it returns false; the cursors then stand at the element or behind it (IsAt).

// The elements that all have. Best with the smallest collection first.
template <class Take>
rocksdb::Status Intersect(ElementCursors* cursors, const Take& take) {
  ElementCursor& first = cursors->front();
  for (size_t seen = 1; first.Valid(); ++seen) {
    const std::string_view element = first.element();
    std::string ahead;  // where another one stands that has no such element
    bool all = true;
    for (size_t i = 1; all && i < cursors->size(); ++i) {
      ElementCursor& other = (*cursors)[i];
      other.SkipTo(element);
      if (!other.Valid()) return FirstFailure(*cursors);
      all = other.element() == element;
      if (!all) ahead = other.element();
    }
    if (all) {
      if (!take(element)) break;
      first.Next();
    } else {
      first.SkipTo(ahead);
    }
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return FirstFailure(*cursors);
}

// The elements that any has.
template <class Take>
rocksdb::Status Unite(ElementCursors* cursors, const Take& take) {
  for (size_t seen = 1;; ++seen) {
    const ElementCursor* least = nullptr;
    for (const ElementCursor& one : *cursors) {
      if (one.Valid() && (least == nullptr || one.element() < least->element())) least = &one;
    }
    if (least == nullptr) break;
    const std::string element(least->element());
    if (!take(std::string_view(element))) break;
    for (ElementCursor& one : *cursors) {
      if (one.IsAt(element)) one.Next();
    }
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return FirstFailure(*cursors);
}

// The elements that the first has and no other.
template <class Take>
rocksdb::Status Subtract(ElementCursors* cursors, const Take& take) {
  ElementCursor& first = cursors->front();
  for (size_t seen = 1; first.Valid(); ++seen) {
    const std::string_view element = first.element();
    bool other_has = false;
    for (size_t i = 1; !other_has && i < cursors->size(); ++i) {
      ElementCursor& other = (*cursors)[i];
      other.SkipTo(element);
      if (!other.status().ok()) return other.status();
      other_has = other.IsAt(element);
    }
    if (!other_has && !take(element)) break;
    first.Next();
    if (seen % kYieldInterval == 0) fiber::yield();
  }
  return FirstFailure(*cursors);
}

}  // namespace cairn::server

#endif  // CAIRN_SERVER_COMMANDS_MERGE_H_
