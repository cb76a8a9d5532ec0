#include "kv_load/keys.h"

#include <algorithm>
#include <cstring>

namespace kv_load {

rocksdb::Slice Values::WindowOf(uint64_t number) {
  text_.Jump(StampOf(number) >> 20);
  return text_.Next(size_);
}

void Values::Write(char* to, uint64_t number) {
  const uint64_t stamp = StampOf(number);
  std::memcpy(to, WindowOf(number).data(), size_);
  std::memcpy(to, &stamp, std::min(size_, sizeof(stamp)));
}

bool Values::Matches(uint64_t number, uint64_t offset, std::string_view piece) {
  if (offset > size_ || piece.size() > size_ - offset) return false;
  const uint64_t stamp = StampOf(number);
  if (offset < sizeof(stamp)) {
    const size_t n = std::min(piece.size(), sizeof(stamp) - offset);
    if (std::memcmp(piece.data(), reinterpret_cast<const char*>(&stamp) + offset, n) != 0) {
      return false;
    }
    piece.remove_prefix(n);
    offset += n;
  }
  if (piece.empty()) return true;
  return std::memcmp(piece.data(), WindowOf(number).data() + offset, piece.size()) == 0;
}

}  // namespace kv_load
