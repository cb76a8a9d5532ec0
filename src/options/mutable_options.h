// Which options DB::SetOptions and DB::SetDBOptions may change, and how a map of them is applied:
// RocksDB's rules, so far as the engine has the option.
//
// Thread safety: free functions without state.
#pragma once

#include "base/namespace.h"
#include "base/option_values.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

// Sets what the map names. A struct's member may be named
// "compaction_options_universal.size_ratio", and a struct's value may name a part of its members.
// InvalidArgument names the option that is unknown, cannot be changed while the database is open,
// or has a malformed value; *options is then unchanged. Whether the values make sense together is
// the caller's to check.
[[nodiscard]] Status SetMutableOptions(const OptionMap& map, DBOptions* options);
[[nodiscard]] Status SetMutableOptions(const OptionMap& map, ColumnFamilyOptions* options);

}  // namespace cairn
