// MultiScanArgs: the ranges of a scan, and how they are read (rocksdb/multi_scan.h). Names and
// defaults are those of RocksDB 11.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class Comparator;

// One range: from its start on, up to its limit, which is not in it. Without a limit it goes on to
// the end of the keys.
struct ScanOptions {
  using Properties = std::unordered_map<std::string, std::string>;

  RangeOpt range;  // borrows the bytes
  // For tables of other formats than the block-based one, which has no use for it: ignored.
  std::optional<Properties> property_bag;

  explicit ScanOptions(const Slice& _start) : range(_start, OptSlice()) {}
  ScanOptions(const Slice& _start, const Slice& _upper_bound) : range(_start, _upper_bound) {}
};

// The ranges in the order of their keys, without overlaps. Not thread-safe. Copies borrow the same
// bytes.
class MultiScanArgs {
 public:
  // `comparator`: the family's; borrowed.
  explicit MultiScanArgs(const Comparator* comparator) : comparator_(comparator) {}

  void insert(const Slice& start, const Slice& limit) { ranges_.emplace_back(start, limit); }
  void insert(const Slice& start) { ranges_.emplace_back(start); }
  void insert(const Slice& start, const Slice& limit,
              const std::optional<ScanOptions::Properties>& property_bag) {
    insert(start, limit);
    ranges_.back().property_bag = property_bag;
  }
  void insert(const Slice& start, const std::optional<ScanOptions::Properties>& property_bag) {
    insert(start);
    ranges_.back().property_bag = property_bag;
  }

  size_t size() const { return ranges_.size(); }
  bool empty() const { return ranges_.empty(); }
  void reserve(size_t size) { ranges_.reserve(size); }
  const std::vector<ScanOptions>& GetScanRanges() const { return ranges_; }
  // Not explicit, as in RocksDB. NOLINTBEGIN(google-explicit-constructor)
  operator std::vector<ScanOptions>*() { return &ranges_; }
  operator const std::vector<ScanOptions>*() const { return &ranges_; }
  // NOLINTEND(google-explicit-constructor)
  const Comparator* GetComparator() const { return comparator_; }

  // There are ranges, and each has a start and a limit.
  bool HasBoundedScanRanges() const {
    for (const ScanOptions& scan : ranges_) {
      if (!scan.range.start.has_value() || !scan.range.limit.has_value()) return false;
    }
    return !ranges_.empty();
  }

  // All but the ranges and the comparator.
  void CopyConfigFrom(const MultiScanArgs& other) {
    io_coalesce_threshold = other.io_coalesce_threshold;
    max_prefetch_size = other.max_prefetch_size;
    use_async_io = other.use_async_io;
    reverse = other.reverse;
  }

  // Blocks of a file with at most so many bytes between them are read at once.
  uint64_t io_coalesce_threshold = 16 << 10;

  // Bytes of blocks, as they are in the file, that are read ahead of each file; 0: no limit. What
  // comes beyond ends the scan with Incomplete, sub-code kPrefetchLimitReached.
  uint64_t max_prefetch_size = 0;

  // Prepare() only starts the reads; a scan waits for the blocks that it comes to. (With
  // ReadOptions::deadline or io_timeout, which what goes on in the background does not know, they
  // are waited for at once.) All reads wait together in either case.
  bool use_async_io = false;

  // Each range from its limit down to its start, by SeekForPrev(); the ranges come in the order
  // of their keys all the same. Each must have a limit.
  bool reverse = false;

 private:
  const Comparator* comparator_;
  std::vector<ScanOptions> ranges_;
};

}  // namespace ROCKSDB_NAMESPACE
