#include "wal/log_compressor.h"

#include <zstd.h>

namespace cairn {

struct LogCompressor::Context {
  ZSTD_CCtx* const zstd = ZSTD_createCCtx();
  ZSTD_inBuffer record = {nullptr, 0, 0};
  ~Context() { ZSTD_freeCCtx(zstd); }
};

LogCompressor::LogCompressor() : context_(std::make_unique<Context>()) {}
LogCompressor::~LogCompressor() = default;

bool LogCompressor::Begin(const Slice& record) {
  if (context_->zstd == nullptr) return false;
  context_->record = {record.data(), record.size(), 0};
  ZSTD_CCtx_reset(context_->zstd, ZSTD_reset_session_only);
  // A small record's tables are small, too.
  return ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context_->zstd, record.size())) == 0;
}

bool LogCompressor::Next(char* to, size_t n, size_t* size, bool* end) {
  ZSTD_outBuffer out = {to, n, 0};
  size_t left = 1;
  while (left != 0 && out.pos < out.size) {
    left = ZSTD_compressStream2(context_->zstd, &out, &context_->record, ZSTD_e_end);
    if (ZSTD_isError(left) != 0) return false;
  }
  *size = out.pos;
  *end = left == 0;
  return true;
}

}  // namespace cairn
