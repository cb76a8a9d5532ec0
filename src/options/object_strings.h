// Objects as text, in the notation of RocksDB's OPTIONS files. (object_strings.cc has
// CreateFromString() of most of what stands in them: memtable factories, comparators, prefix
// extractors, merge operators and so on.)
//
// Thread safety: pure functions.
#pragma once

#include <string>

#include "base/namespace.h"

namespace cairn {

// The name in "name", "name:N", "id=name;a=1"; empty if it is none of these.
std::string NameInObjectText(const std::string& text);

}  // namespace cairn
