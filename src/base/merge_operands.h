// MergeOperands: the merge operands of one key that a read or a compaction has met, and what the
// user's operator makes of them. Used by memtables, tables, reads and compactions. Not thread-safe.
//
// Without operands it is two words: nothing is allocated before the first.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace cairn {

// What merge operands stand on, as it is stored.
struct MergeBase {
  Slice value;
  ValueType type = kTypeDeletion;  // kTypeValue, kTypeWideColumnEntity; others: there is no value
};

class MergeOperands {
 public:
  // `merge_operator` is borrowed; null: there is none, and Merge() fails.
  explicit MergeOperands(const MergeOperator* merge_operator) : operator_(merge_operator) {}
  MergeOperands(MergeOperands&&) = default;
  MergeOperands& operator=(MergeOperands&&) = default;

  // The operator is not asked whether the operands suffice (compactions, iterators), and a lookup
  // leaves them as they are (DB::GetMergeOperands).
  void JustCollect() { just_collect_ = true; }
  // The same, as long as `goes_on` (borrowed) says so of the operand that was pushed last.
  void CollectWhile(const std::function<bool(Slice)>* goes_on) {
    just_collect_ = true;
    goes_on_ = goes_on;
  }
  bool just_collects() const { return just_collect_; }

  // There was no memory for the copy of an operand: Merge() says so.
  bool lacks_memory() const { return rep_ != nullptr && rep_->lacks_memory; }

  bool empty() const { return rep_ == nullptr || rep_->operands.empty(); }
  size_t size() const { return rep_ == nullptr ? 0 : rep_->operands.size(); }

  // Adds an operand that is older than those before. `pinned`: its bytes outlive this object,
  // otherwise they are copied. False: what is below need not be asked (MergeOperator::ShouldMerge,
  // or CollectWhile).
  bool PushOlder(const Slice& operand, bool pinned);
  // A copy of a value that lives as long as this object's operands. Null data: there is no memory.
  Slice Keep(const Slice& value);
  // Adds one that is newer than those before.
  void PushNewer(const Slice& operand, bool pinned);
  // Forgets all but the first `size` that were pushed.
  void Truncate(size_t size);
  void Clear() { Truncate(0); }

  // The operands, oldest first. Good until the next change.
  std::vector<Slice> OldestFirst() const;

  // The value of `key` with these operands over `base`, as it is stored, into *result, which no
  // operand and not `base` may be a part of; *type becomes kTypeValue or kTypeWideColumnEntity.
  // InvalidArgument: there is no operator. MemoryLimit: there is no memory for it. Corruption: it
  // failed, or `base` is no entity; *must_keep, if not null, is set if compactions are to leave
  // such entries as they are. `statistics` may be null.
  [[nodiscard]] Status Merge(const Slice& key, const MergeBase& base, Statistics* statistics,
                             Logger* logger, std::string* result, ValueType* type,
                             bool* must_keep = nullptr) const;
  // One operand of all, into *result. False: they must stay apart.
  bool MergePartially(const Slice& key, Logger* logger, std::string* result) const;

 private:
  struct Rep {
    std::vector<Slice> operands;  // in the order they came
    std::deque<std::string> copies;
    bool newest_last = false;
    bool lacks_memory = false;
  };

  void Push(const Slice& operand, bool pinned);

  const MergeOperator* operator_;
  std::unique_ptr<Rep> rep_;
  bool just_collect_ = false;
  const std::function<bool(Slice)>* goes_on_ = nullptr;
};

}  // namespace cairn
