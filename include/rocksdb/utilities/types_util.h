// Keys as tables have them, with sequence number and kind: for those who read tables themselves.
// Stateless.
#pragma once

#include <string>

#include "rocksdb/comparator.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

// *buf becomes the key to seek to for the newest entry of `user_key`, which has no timestamp, or,
// with ...ForPrev, for the oldest. InvalidArgument: one of the pointers is null.
Status GetInternalKeyForSeek(const Slice& user_key, const Comparator* comparator, std::string* buf);
Status GetInternalKeyForSeekForPrev(const Slice& user_key, const Comparator* comparator,
                                    std::string* buf);

// Takes an entry's key apart. InvalidArgument: it is none, or has no room for the comparator's
// timestamp.
Status ParseEntry(const Slice& internal_key, const Comparator* comparator,
                  ParsedEntryInfo* parsed_entry);

}  // namespace ROCKSDB_NAMESPACE
