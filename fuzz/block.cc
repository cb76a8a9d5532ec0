// A block that no checksum guards: cursors over data and index blocks and the walk of metadata
// blocks stay inside it, end, and go backwards as they go forwards.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "rocksdb/comparator.h"
#include "table/block.h"

namespace cairn::fuzz {

namespace {

constexpr size_t kMaxTargets = 8;

struct Choice {
  bool bytewise;
  InternalKeyComparator icmp;
};

Block::Ptr MakeBlock(std::string_view bytes) {
  Block::Ptr block = Block::Allocate(bytes.size(), 0, 4711);
  FUZZ_CHECK(block != nullptr);
  std::memcpy(block->mutable_data(), bytes.data(), bytes.size());
  return block;
}

// No block has more entries than bytes. Reads what the cursor shows.
class Steps {
 public:
  explicit Steps(size_t block_bytes) : left_(block_bytes + 1) {}
  template <class Slices>
  void Take(const Slices& slices) {
    FUZZ_CHECK(left_-- != 0);
    for (const Slice& slice : slices) {
      for (size_t i = 0; i < slice.size(); ++i) sum_ = sum_ * 31 + static_cast<uint8_t>(slice[i]);
    }
  }
  uint64_t sum() const { return sum_; }

 private:
  size_t left_;
  uint64_t sum_ = 0;
};

// Whole walks, then a few steps around each target.
template <class Iter, class Show>
void Walk(Iter* iter, size_t block_bytes, const std::vector<std::string>& targets,
          const Show& show) {
  Steps forward(block_bytes);
  for (iter->SeekToFirst(); iter->Valid(); iter->Next()) forward.Take(show());
  Steps backward(block_bytes);
  for (iter->SeekToLast(); iter->Valid(); iter->Prev()) backward.Take(show());
  for (const std::string& target : targets) {
    Steps some(block_bytes);
    iter->Seek(target);
    for (int i = 0; i < 3 && iter->Valid(); ++i, iter->Next()) some.Take(show());
    iter->Seek(target);
    for (int i = 0; i < 3 && iter->Valid(); ++i, iter->Prev()) some.Take(show());
  }
}

void WalkData(Block::Ptr block, const Choice& choice, const std::vector<std::string>& targets) {
  if (block->ParseRestarts() != nullptr) return;
  DataBlockIter iter;
  iter.Init(block.get(), &choice.icmp, choice.bytewise);
  Walk(&iter, block->size(), targets, [&] { return std::vector<Slice>{iter.key(), iter.value()}; });
  for (const std::string& target : targets) {
    iter.SeekForPrev(target);
    if (iter.Valid()) iter.Prev();
    if (iter.Valid()) iter.Next();
  }
}

void WalkIndex(Block::Ptr block, const IndexFormat& format, const Choice& choice,
               const std::vector<std::string>& targets) {
  const size_t size = block->size();
  IndexBlock index(std::move(block), format);
  if (index.Init(choice.bytewise) != nullptr) return;
  IndexBlockIter iter;
  iter.Init(&index, &choice.icmp, choice.bytewise);
  Walk(&iter, size, targets, [&] { return std::vector<Slice>{iter.key()}; });
}

void WalkMetadata(Block::Ptr block) {
  if (block->ParseRestarts() != nullptr) return;
  Steps steps(block->size());
  (void)ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    steps.Take(std::vector<Slice>{key, value});
    return true;
  });
}

}  // namespace

}  // namespace cairn::fuzz

// What kind of block; keys to seek, each a length and its bytes; the block.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t kind = input.Byte();
  const bool bytewise = (kind & 4) == 0;
  const Choice choice{bytewise, InternalKeyComparator(bytewise ? BytewiseComparator()
                                                               : ReverseBytewiseComparator())};
  std::vector<std::string> targets(input.Byte() % kMaxTargets);
  for (std::string& target : targets) {
    target = input.Take(input.Byte());
    // A footer, where there is none: a seek's key is the engine's own.
    AppendInternalKeyFooter(&target, input.Byte(), kValueTypeForSeek);
  }
  Block::Ptr block = MakeBlock(input.Rest());
  switch (kind & 3) {
    case 0:
    case 1:
      WalkData(std::move(block), choice, targets);
      break;
    case 2:
      WalkIndex(std::move(block), {(kind & 8) != 0, (kind & 16) != 0, (kind & 32) != 0}, choice,
                targets);
      break;
    default:
      WalkMetadata(std::move(block));
  }
  return 0;
}
