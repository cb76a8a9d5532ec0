#include "table/compression_pipeline.h"

#include <algorithm>
#include <utility>

namespace cairn {
namespace {

constexpr uint32_t kMaxThreads = 64;
// Blocks in the pipeline for each thread: one to work on, one that waits for it.
constexpr uint32_t kSlotsPerThread = 2;

}  // namespace

CompressionPipeline::CompressionPipeline(CompressionType type, const MakeCompressor& compressor,
                                         bool verify, uint32_t threads,
                                         const DecompressionDict* verify_dict, bool timed)
    : type_(type),
      verify_(verify),
      verify_dict_(verify_dict),
      timed_(timed),
      slots_(size_t{kSlotsPerThread} * std::clamp<uint32_t>(threads, 1, kMaxThreads)) {
  compressors_.push_back(compressor());
  for (size_t i = 1; i < slots_.size() / kSlotsPerThread; ++i) {
    compressors_.push_back(compressor());
    BlockCompressor* const its = compressors_.back().get();
    fiber::Thread thread;
    // Without it the others, or the caller alone, do the work.
    if (fiber::Thread::create(
            "rocksdb:zip" + std::to_string(i), [this, its] { Work(its); }, /*nice=*/0, &thread) ==
        0) {
      threads_.push_back(std::move(thread));
    }
  }
}

CompressionPipeline::~CompressionPipeline() {
  {
    fiber::MutexLock lock(&mutex_);
    ending_ = true;
    work_.notify_all();
  }
  for (fiber::Thread& thread : threads_) thread.join();
}

void CompressionPipeline::Compress(BlockCompressor* compressor, Slot* slot) const {
  Result& result = slot->result;
  result.raw_size = slot->raw.size();
  result.status =
      CompressBlock(compressor, type_, verify_, verify_dict_, slot->raw, &result.block, timed_);
  if (result.status.ok() && result.block.type != kNoCompression) {
    slot->compressed.assign(result.block.contents.data(), result.block.contents.size());
    result.block.contents = slot->compressed;
  }
}

void CompressionPipeline::Work(BlockCompressor* compressor) {
  fiber::MutexLock lock(&mutex_);
  while (true) {
    while (claimed_ == submitted_ && !ending_) work_.wait(&mutex_);
    if (ending_) return;
    Slot& slot = SlotOf(claimed_++);
    lock.unlock();
    Compress(compressor, &slot);
    lock.lock();
    slot.done = true;
    done_.notify_all();
  }
}

void CompressionPipeline::Submit(const Slice& raw) {
  SlotOf(submitted_).raw.assign(raw.data(), raw.size());
  fiber::MutexLock lock(&mutex_);
  ++submitted_;
  work_.notify_one();
}

CompressionPipeline::Result CompressionPipeline::Take() {
  Slot& slot = SlotOf(taken_);
  fiber::MutexLock lock(&mutex_);
  if (claimed_ == taken_) {
    ++claimed_;
    lock.unlock();
    Compress(compressors_.front().get(), &slot);
    lock.lock();
  } else {
    while (!slot.done) done_.wait(&mutex_);
  }
  slot.done = false;
  ++taken_;
  return slot.result;
}

}  // namespace cairn
