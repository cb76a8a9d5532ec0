// What RocksJava's sources take from RocksDB's private header of this name: the owner of a
// memtable's iterator.
#pragma once

#include <memory>

#include "rocksjava/memtable.h"

namespace ROCKSDB_NAMESPACE {

using ScopedArenaIterator = std::unique_ptr<InternalIterator>;

}  // namespace ROCKSDB_NAMESPACE
