// CompressionPipeline: the blocks of one table, compressed on several threads while their builder
// fills the next ones; given back in order. For CompressionOptions::parallel_threads.
//
// What comes back, and when the builder must wait for it, does not depend on the threads' speed: a
// table is the same, byte for byte, as without them, and ends at the same key each time.
//
// Thread safety: one caller, who SUSPENDS in Take().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/advanced_options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "table/compression.h"

namespace cairn {

class CompressionPipeline {
 public:
  // `compressor`: makes one for `type`, of which each thread has its own. `threads`: that compress
  // at once, at most; the caller is one of them while it waits. `verify`: every block is
  // decompressed again, with `verify_dict`, and compared (see CompressBlock). `timed`: as there.
  using MakeCompressor = std::function<std::unique_ptr<BlockCompressor>()>;
  CompressionPipeline(CompressionType type, const MakeCompressor& compressor, bool verify,
                      uint32_t threads, const DecompressionDict* verify_dict, bool timed = false);
  ~CompressionPipeline();
  CompressionPipeline(const CompressionPipeline&) = delete;
  CompressionPipeline& operator=(const CompressionPipeline&) = delete;

  struct Result {
    size_t raw_size = 0;
    StoredBlock block;  // good until the next Submit
    Status status;
  };

  bool Empty() const { return submitted_ == taken_; }
  bool Full() const { return submitted_ - taken_ == slots_.size(); }
  // Takes a copy. REQUIRES: !Full()
  void Submit(const Slice& raw);
  // The oldest block that was not taken. REQUIRES: !Empty(). SUSPENDS.
  Result Take();

 private:
  struct Slot {
    std::string raw;
    std::string compressed;
    Result result;
    bool done = false;  // under mutex_
  };

  Slot& SlotOf(uint64_t number) { return slots_[number % slots_.size()]; }
  void Compress(BlockCompressor* compressor, Slot* slot) const;
  void Work(BlockCompressor* compressor);

  const CompressionType type_;
  const bool verify_;
  const DecompressionDict* const verify_dict_;
  const bool timed_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<BlockCompressor>> compressors_;  // the first is the caller's

  fiber::Mutex mutex_;
  fiber::CondVar work_;  // there is some, or it ends
  fiber::CondVar done_;
  // Blocks are numbered: those below taken_ are the builder's again, those below claimed_ are being
  // compressed, or are. submitted_ and taken_ are changed by the caller alone, under mutex_.
  uint64_t submitted_ = 0;
  uint64_t claimed_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t taken_ = 0;
  bool ending_ FIBER_GUARDED_BY(mutex_) = false;
  std::vector<fiber::Thread> threads_;
};

}  // namespace cairn
