// What an index iterator of the user's own tells of where it stands (rocksdb/user_defined_index.h).
#pragma once

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

enum class IterBoundCheck : char {
  kUnknown = 0,  // it stands nowhere: the end of the file
  kOutOfBound,   // it stands nowhere: what follows is behind the caller's bounds
  kInbound,      // it stands on an entry
};

struct IterateResult {
  // Good until the iterator moves again.
  Slice key;
  IterBoundCheck bound_check_result = IterBoundCheck::kUnknown;
  // Of no effect here.
  bool value_prepared = true;
};

}  // namespace ROCKSDB_NAMESPACE
