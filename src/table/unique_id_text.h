// The public form of a table's unique id, for people. Stateless.
#pragma once

#include <string>

#include "base/namespace.h"
#include "table/unique_id.h"

namespace cairn {

// As rocksdb/unique_id.h shows it: "6474DF650323BDF0-B48E64F3039308CA".
std::string PublicUniqueIdText(const UniqueId& id);

}  // namespace cairn
