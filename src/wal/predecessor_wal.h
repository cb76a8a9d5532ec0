// What a log says of the one that was written before it, with DBOptions::track_and_verify_wals:
// RocksDB's record (since release 9.11), the first one behind that of the compression. RocksDB 7
// takes it for damage; releases between pass over it.
//
//   number of the log, fixed64 | bytes of its file, fixed64 | the sequence number with which its
//   last record begins, fixed64 (0: it has none)
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/types.h"

namespace cairn {

struct PredecessorWal {
  uint64_t number = 0;
  uint64_t bytes = 0;
  SequenceNumber last_record = 0;

  static constexpr size_t kSize = 3 * sizeof(uint64_t);

  std::string Encode() const {
    std::string payload;
    PutFixed64(&payload, number);
    PutFixed64(&payload, bytes);
    PutFixed64(&payload, last_record);
    return payload;
  }
  // False: it is too short. What follows is ignored, as in RocksDB.
  static bool Decode(const Slice& payload, PredecessorWal* wal) {
    if (payload.size() < kSize) return false;
    wal->number = DecodeFixed64(payload.data());
    wal->bytes = DecodeFixed64(payload.data() + sizeof(uint64_t));
    wal->last_record = DecodeFixed64(payload.data() + 2 * sizeof(uint64_t));
    return true;
  }
};

}  // namespace cairn
