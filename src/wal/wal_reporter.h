// What readers of write-ahead logs do with the damage that a LogReader finds.
#pragma once

#include <string>

#include "base/logging.h"
#include "base/namespace.h"
#include "wal/log_reader.h"

namespace cairn {

// Keeps the first corruption where the recovery mode cares, and tells the operator of all.
struct WalReporter final : LogReader::Reporter {
  Logger* info_log = nullptr;
  bool ignore = false;
  Status first;

  void Corruption(size_t bytes, const Status& reason) override {
    LogWarn(info_log, "%s: dropping %zu bytes; %s", ignore ? "(ignoring error)" : "WAL damaged",
            bytes, reason.ToString().c_str());
    if (!ignore && first.ok()) first = reason;
  }
};

// The same kind of error, saying where.
inline Status AtOffset(const Status& s, const std::string& path, uint64_t offset) {
  const std::string where = path + " at offset " + std::to_string(offset);
  const std::string what = s.getState() == nullptr ? "" : s.getState();
  if (s.IsCorruption()) return Status::Corruption(what, where);
  if (s.IsNotSupported()) return Status::NotSupported(what, where);
  if (s.IsInvalidArgument()) return Status::InvalidArgument(what, where);
  return s;
}

}  // namespace cairn
