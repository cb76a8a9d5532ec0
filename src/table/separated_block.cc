#include "table/separated_block.h"

#include <cstring>
#include <vector>

#include "base/coding.h"
#include "table/block_builder.h"

namespace cairn {

bool HasSeparateValues(const Block& block) {
  return block.size() >= 4 &&
         (DecodeFixed32(block.data() + block.size() - 4) & block_footer::kSeparateValues) != 0;
}

const char* JoinValues(const Block& apart, Block* joined) {
  const char* const begin = apart.data();
  const char* const end = begin + apart.size();
  if (apart.size() < 12 || apart.size() > UINT32_MAX) return "block of impossible size";
  const uint32_t word = DecodeFixed32(end - 4);
  const uint32_t count = word & block_footer::kCountMask;
  const uint32_t keys_size = DecodeFixed32(end - 8);
  size_t hash_size = 0;
  if ((word & block_hash::kFlag) != 0) {
    hash_size = size_t{2} + static_cast<unsigned char>(end[-10]) +
                (size_t{static_cast<unsigned char>(end[-9])} << 8);
  }
  const uint64_t tail = 8 + hash_size + uint64_t{count} * 4;
  if (count == 0 || tail > apart.size()) return "bad restart count";
  const char* const restarts = end - tail;
  if (keys_size > static_cast<size_t>(restarts - begin)) return "values outside of their block";
  const char* const values = begin + keys_size;

  char* const out = joined->mutable_data();
  // Nothing is written beyond what has been read: the lengths are the shortest that say the same,
  // values are taken in a row, and what a restart point has more is left out.
  char* to = out;
  std::vector<uint32_t> new_restarts;
  new_restarts.reserve(count);
  const char* value = values;
  for (const char* p = begin; p < values;) {
    const bool restart =
        new_restarts.size() < count &&
        DecodeFixed32(restarts + new_restarts.size() * 4) == static_cast<size_t>(p - begin);
    uint32_t shared, other, value_size;
    if ((p = GetVarint32Ptr(p, values, &shared)) == nullptr ||
        (p = GetVarint32Ptr(p, values, &other)) == nullptr ||
        (p = GetVarint32Ptr(p, values, &value_size)) == nullptr) {
      return "bad entry in a block with separate values";
    }
    if (restart) {
      uint32_t offset;
      if ((p = GetVarint32Ptr(p, values, &offset)) == nullptr ||
          offset != static_cast<size_t>(value - values)) {
        return "bad place of a value in a block with separate values";
      }
      new_restarts.push_back(static_cast<uint32_t>(to - out));
    }
    if (other > static_cast<size_t>(values - p) ||
        value_size > static_cast<size_t>(restarts - value)) {
      return "bad entry in a block with separate values";
    }
    to = EncodeVarint32(to, shared);
    to = EncodeVarint32(to, other);
    to = EncodeVarint32(to, value_size);
    std::memcpy(to, p, other);
    std::memcpy(to + other, value, value_size);
    to += other + value_size;
    p += other;
    value += value_size;
  }
  // (A block without entries has one restart point, at its end.)
  if (keys_size == 0 && count == 1 && DecodeFixed32(restarts) == 0) new_restarts.push_back(0);
  if (new_restarts.size() != count) return "bad restart point";
  if (value != restarts) return "values without keys";
  for (const uint32_t offset : new_restarts) {
    EncodeFixed32(to, offset);
    to += 4;
  }
  std::memcpy(to, restarts + uint64_t{count} * 4, hash_size);
  to += hash_size;
  EncodeFixed32(to, word & ~block_footer::kSeparateValues);
  to += 4;
  joined->Shrink(static_cast<size_t>(to - out));
  return nullptr;
}

}  // namespace cairn
