// RangePreparation: what the ranges of a scan need of a version's tables, read before the scan
// comes to it (Iterator::Prepare).
//
// Reads wait together (together.h), as those of a MultiGet do: first all tables that are not open,
// then what of their indexes is not in memory, then all data blocks of all ranges and levels,
// neighbours with one read. An error is left to the scan, which comes across it again.
#pragma once

#include <memory>
#include <vector>

#include "base/namespace.h"
#include "fiber/background.h"
#include "manifest/version.h"
#include "rocksdb/options.h"
#include "rocksdb/scan_options.h"
#include "table/prepared_blocks.h"
#include "table/table_cache.h"

namespace cairn {

class RangePreparation {
 public:
  // SUSPENDS. All are borrowed. `args`: ranges with limits, in order. Reads nothing where only the
  // cache may be read. With use_async_io the data blocks are still being read when this returns.
  RangePreparation(const Version& version, const ReadOptions& options, TableCache* tables,
                   const MultiScanArgs& args);
  // SUSPENDS until nothing is read any more.
  ~RangePreparation();
  RangePreparation(const RangePreparation&) = delete;
  RangePreparation& operator=(const RangePreparation&) = delete;

  PreparedBlocks* blocks() { return &blocks_; }

 private:
  struct File;
  struct Piece;
  struct Run;

  void FindFiles(const LevelFiles& files, int level);
  void OpenTables();
  void LocateBlocks();
  void Plan(File* file);
  void PinCached(File* file);
  void AddRuns(File* file);
  void Read(const Run& run);
  void Tick(Tickers ticker, uint64_t count) const;
  void CountPlan(const File& file) const;

  const Version& version_;
  const ReadOptions options_;
  ReadOptions in_memory_;
  TableCache* const tables_;
  const MultiScanArgs& args_;
  std::vector<File> files_;
  std::vector<Run> runs_;
  PreparedBlocks blocks_;
  fiber::BackgroundCall reading_;
};

// InvalidArgument: the range, one of several, at `index`, has no start, or one that is not below
// its limit. RocksDB 11.8's texts.
[[nodiscard]] Status CheckScanRange(const Comparator& comparator, const ScanOptions& scan,
                                    size_t index);

// Whether [file's keys] have any in common with one of the ranges.
bool OverlapsRanges(const InternalKeyComparator& icmp, const FileSlot& file,
                    const std::vector<ScanOptions>& ranges);

}  // namespace cairn
