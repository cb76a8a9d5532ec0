// What a table's filter is made of: chosen by the policy when the table is begun, used when it is
// finished. FilterReader reads every kind.
//
// Thread-safe: a recipe is a plain value; what it points to is the policy's, which outlives it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/slice.h"
#include "rocksdb/table.h"
#include "table/bloom.h"
#include "table/ribbon.h"
#include "table/table_options.h"

namespace cairn {

struct FilterRecipe {
  int millibits_per_key = 0;  // of a Bloom filter; 0: no filter
  double ribbon_one_in = 0;   // not 0: a Ribbon filter that lets through one in so many
  // With optimize_filters_for_memory: by how many bytes the filters made so far exceed what the
  // bits per key come to; the next one is larger or smaller. Null: all have just that size.
  // Relaxed: it is an estimate.
  std::atomic<int64_t>* excess = nullptr;

  explicit operator bool() const { return millibits_per_key > 0; }
};

// No filter without a policy, with skip_filters, or where neither keys nor prefixes enter it.
FilterRecipe ChooseFilter(const BlockBasedTableOptions& table_options,
                          const TableBuilderOptions& options);

// A Ribbon policy like `policy` that begins at another level; null if `policy` is none.
std::shared_ptr<const FilterPolicy> WithBloomBeforeLevel(const FilterPolicy* policy, int level);

// Bytes that the filter of so many keys will have, about.
size_t FilterSize(const FilterRecipe& recipe, size_t keys);
// About how many keys a filter of so many bytes has.
size_t KeysInFilter(const FilterRecipe& recipe, size_t bytes);
// The filter of these keys' hashes. Empty without any: a filter that matches nothing.
std::string BuildFilter(const FilterRecipe& recipe, const std::vector<uint64_t>& hashes);

class FilterReader {
 public:
  // Matches everything.
  FilterReader() = default;
  // `filter` must outlive this. One of another kind, or one that makes no sense, matches
  // everything.
  explicit FilterReader(const Slice& filter) : is_ribbon_(RibbonReader::IsRibbon(filter)) {
    if (is_ribbon_) {
      ribbon_ = RibbonReader(filter);
    } else {
      bloom_ = BloomReader(filter);
    }
  }

  bool MayMatch(const Slice& bytes) const {
    if (!is_ribbon_) [[likely]]
      return bloom_.MayMatch(bytes);
    return ribbon_.MayMatchHash(BloomHash(bytes));
  }
  // The same in two steps: Prefetch() asks the processor for what MayMatchHash() touches. `hash`:
  // BloomHash() of the bytes.
  void Prefetch(uint64_t hash) const {
    if (!is_ribbon_) bloom_.Prefetch(hash);
  }
  bool MayMatchHash(uint64_t hash) const {
    return is_ribbon_ ? ribbon_.MayMatchHash(hash) : bloom_.MayMatchAnyHash(hash);
  }
  // Does it ever say no?
  bool is_useful() const { return is_ribbon_ ? ribbon_.is_useful() : bloom_.is_useful(); }

 private:
  bool is_ribbon_ = false;
  BloomReader bloom_;
  RibbonReader ribbon_;
};

}  // namespace cairn
