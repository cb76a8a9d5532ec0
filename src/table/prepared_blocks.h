// PreparedBlocks: the data blocks that the ranges of a scan need, of all tables, which were read
// together before an iterator comes to them.
//
// Filled by read/range_preparation.h, maybe in the background; iterators over the tables take their
// blocks from here and give them back when they leave them, until the scan has left the last range
// that needs them. A block that could not be read is not here: the iterator reads it, and meets the
// error.
//
// Thread safety: one may fill it while another takes blocks; what is planned comes before either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "table/block_ref.h"
#include "table/format.h"

namespace cairn {

class PreparedBlocks;

// Those of one table.
class PreparedTable {
 public:
  explicit PreparedTable(PreparedBlocks* all) : all_(all) {}
  PreparedTable(const PreparedTable&) = delete;
  PreparedTable& operator=(const PreparedTable&) = delete;

  // ---- While it is planned: in the order of the file, without repetitions.

  // `last_range`: the index of the last range that needs it. `beyond_limit`: it is not to be read.
  void Plan(const BlockHandle& handle, size_t last_range, bool beyond_limit);
  size_t size() const { return blocks_.size(); }
  const BlockHandle& handle(size_t i) const { return blocks_[i].handle; }

  // ---- Then.

  // The block is here; an empty one could not be read. Once for each that is to be read.
  void Put(size_t i, BlockRef block);

  enum class Answer : uint8_t { kNotHere, kTaken, kBeyondLimit };
  // SUSPENDS while the block is being read.
  Answer Take(uint64_t offset, BlockRef* block);
  // A block that was taken, or any other one, which goes.
  void GiveBack(uint64_t offset, BlockRef block);

 private:
  friend class PreparedBlocks;
  enum class State : uint8_t { kReading, kHere, kNotHere, kBeyondLimit };
  struct Entry {
    BlockHandle handle;
    size_t last_range;
    State state;
    BlockRef block = {};
    bool taken = false;  // ever
  };

  Entry* Find(uint64_t offset);

  PreparedBlocks* const all_;
  std::vector<Entry> blocks_;  // guarded by all_->mutex_ once it is planned, as is:
  size_t let_go_ = 0;          // those before it are of ranges that are over
  uint64_t untaken_ = 0;       // blocks that went with their ranges, and that nobody took
};

class PreparedBlocks {
 public:
  PreparedBlocks() = default;
  PreparedBlocks(const PreparedBlocks&) = delete;
  PreparedBlocks& operator=(const PreparedBlocks&) = delete;

  // While it is planned. One for each file.
  PreparedTable* Add(uint64_t file_number) {
    return &tables_.try_emplace(file_number, this).first->second;
  }
  // Null: nothing is prepared of that file.
  PreparedTable* Find(uint64_t file_number) {
    const auto found = tables_.find(file_number);
    return found == tables_.end() ? nullptr : &found->second;
  }

  // The scan is in range `range` now: what only those before need goes.
  void Enter(size_t range);
  // Blocks that were here and that no iterator took.
  uint64_t UntakenBlocks();

 private:
  friend class PreparedTable;

  fiber::Mutex mutex_;
  fiber::CondVar arrived_;
  size_t range_ = 0;
  std::unordered_map<uint64_t, PreparedTable> tables_;  // by the number of the file
};

}  // namespace cairn
