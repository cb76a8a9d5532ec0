// What a call of a file system is told beside its options: the user's request that it is for
// (ReadOptions::request_id), if that has a name.
#pragma once

#include <optional>

#include "base/namespace.h"
#include "rocksdb/file_system.h"

namespace cairn {

class CallContext {
 public:
  explicit CallContext(const IOOptions& options) {
    if (options.request_id != nullptr) [[unlikely]] {
      context_.emplace().SetRequestId(*options.request_id);
    }
  }
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;
  // Null: there is none.
  IODebugContext* get() { return context_.has_value() ? &*context_ : nullptr; }

 private:
  std::optional<IODebugContext> context_;
};

}  // namespace cairn
