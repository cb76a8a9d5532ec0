// Small types that several public headers share.
#pragma once

#include <cstdint>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

using ColumnFamilyId = uint32_t;

// Every write gets the next number; a snapshot is one. 56 bits are used.
using SequenceNumber = uint64_t;

// The smallest number that a write can have; 0 is given to keys that no snapshot can tell apart any
// more.
const SequenceNumber kMinUnCommittedSeq = 1;

enum class TableFileCreationReason {
  kFlush,
  kCompaction,
  kRecovery,
  kMisc,
};

enum class BlobFileCreationReason {
  kFlush,
  kCompaction,
  kRecovery,
};

// What a file in a database's directory is.
enum FileType {
  kWalFile,
  kDBLockFile,
  kTableFile,
  kDescriptorFile,
  kCurrentFile,
  kTempFile,
  kInfoLogFile,
  kMetaDatabase,
  kIdentityFile,
  kOptionsFile,
  kBlobFile
};

// What an entry of a table is, as shown to the user's property collectors.
enum EntryType {
  kEntryPut,
  kEntryDelete,
  kEntrySingleDelete,
  kEntryMerge,
  kEntryRangeDeletion,
  kEntryBlobIndex,
  kEntryDeleteWithTimestamp,
  kEntryWideColumnEntity,
  kEntryOther,
};

// An entry of a table, taken apart: utilities/types_util.h. What the slices point to is the key's.
struct ParsedEntryInfo {
  Slice user_key;   // without its timestamp
  Slice timestamp;  // empty: the comparator has none
  SequenceNumber sequence = 0;
  EntryType type = kEntryOther;
};

// How often a file is expected to be read; a hint to the FileSystem for placing it.
enum class Temperature : uint8_t {
  kUnknown = 0,
  kHot = 0x04,
  kWarm = 0x08,
  kCool = 0x0A,  // this and kIce: of RocksDB 10 and later
  kCold = 0x0C,
  kIce = 0x10,
  kLastTemperature,
};

}  // namespace ROCKSDB_NAMESPACE
