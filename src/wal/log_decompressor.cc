#include "wal/log_decompressor.h"

#include <zstd.h>

#include <algorithm>
#include <cstdint>

#include "base/allocation.h"

namespace cairn {

struct LogDecompressor::Context {
  ZSTD_DCtx* const zstd = ZSTD_createDCtx();
  ~Context() { ZSTD_freeDCtx(zstd); }
};

LogDecompressor::LogDecompressor() : context_(std::make_unique<Context>()) {}
LogDecompressor::~LogDecompressor() = default;

bool LogDecompressor::Decompress(const Slice& stored, std::string* record, bool* lacks_memory) {
  *lacks_memory = false;
  record->clear();
  if (stored.empty()) return true;
  if (context_->zstd == nullptr) return false;
  ZSTD_DCtx_reset(context_->zstd, ZSTD_reset_session_only);
  ZSTD_inBuffer in = {stored.data(), stored.size(), 0};
  ZSTD_outBuffer out = {nullptr, 0, 0};
  while (true) {
    if (out.pos == out.size) {
      // The frame does not always say how long the record is. (A batch is smaller than 4 GiB.)
      constexpr size_t kFirst = size_t{64} << 10;
      if (record->size() > UINT32_MAX) return false;
      const size_t size = std::max({kFirst, 2 * stored.size(), 2 * record->size()});
      if (!WithMemory(size, [&] { record->resize(size); })) {
        *lacks_memory = true;
        return false;
      }
      out.dst = record->data();
      out.size = record->size();
    }
    const size_t before_in = in.pos, before_out = out.pos;
    const size_t left = ZSTD_decompressStream(context_->zstd, &out, &in);
    if (ZSTD_isError(left)) return false;
    if (left == 0) break;
    // It wants more, and there is none.
    if (in.pos == in.size && out.pos < out.size) return false;
    if (in.pos == before_in && out.pos == before_out && out.pos < out.size) return false;
  }
  record->resize(out.pos);
  return in.pos == in.size;
}

}  // namespace cairn
