// How many sequence numbers a batch takes where its entries share them, as RocksDB's policies
// WRITE_PREPARED and WRITE_UNPREPARED have it: one, and one more at each entry whose key has come
// since the last step. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>

#include "base/namespace.h"
#include "batch/batch_reader.h"

namespace cairn {

class SubBatches {
 public:
  /// A part begins, whatever came before.
  void Begin() { keys_.clear(); }
  /// False: its key is in this part already.
  bool Insert(const BatchRecord& entry) { return keys_.insert(KeyOf(entry)).second; }
  /// True: the entry is the first of a new part, as its key is in this one.
  bool Add(const BatchRecord& entry) {
    if (Insert(entry)) return false;
    Begin();
    return Insert(entry);
  }
  /// Nothing has come in this part yet.
  bool empty() const { return keys_.empty(); }

 private:
  static std::string KeyOf(const BatchRecord& entry) {
    std::string key(reinterpret_cast<const char*>(&entry.family), sizeof(entry.family));
    key.append(entry.key.data(), entry.key.size());
    return key;
  }

  std::unordered_set<std::string> keys_;  // of the part, behind their families' ids
};

}  // namespace cairn
