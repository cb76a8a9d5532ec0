// What the payloads of traces of blocks and of calls of the file system are made of, and the header
// that both have: magic (string), major and minor version of RocksDB (fixed32 each).
//
// Thread safety: functions of their arguments. Nothing of what is decoded is trusted.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "trace/trace_format.h"

namespace cairn {

// Takes the fields off a payload, in their order.
class TraceFields {
 public:
  explicit TraceFields(const Slice& payload) : rest_(payload) {}

  void Take(uint32_t* number) { ok_ = ok_ && GetFixed32(&rest_, number); }
  void Take(uint64_t* number) { ok_ = ok_ && GetFixed64(&rest_, number); }
  void Take(std::string* string) {
    Slice bytes;
    ok_ = ok_ && GetLengthPrefixedSlice(&rest_, &bytes);
    if (ok_) string->assign(bytes.data(), bytes.size());
  }
  void Take(char* byte) {
    ok_ = ok_ && !rest_.empty();
    if (!ok_) return;
    *byte = rest_[0];
    rest_.remove_prefix(1);
  }
  void Take(bool* flag) {
    char byte = 0;
    Take(&byte);
    *flag = byte != 0;
  }
  // All so far was there.
  bool ok() const { return ok_; }
  // And nothing else is.
  bool Finish() const { return ok_ && rest_.empty(); }

 private:
  Slice rest_;
  bool ok_ = true;
};

std::string EncodeVersionHeader();
// Corruption: it is no header of a trace of this kind. `what`, for its words: "a trace of ...".
[[nodiscard]] Status ParseVersionHeader(const TraceEntry& header, const char* what, uint32_t* major,
                                        uint32_t* minor);

}  // namespace cairn
