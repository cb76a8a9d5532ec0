// Writes a cuckoo table (cuckoo_table_format.h) through a FileWriter: all entries are kept in
// memory until Finish(), which finds their places. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/table.h"
#include "table/cuckoo_table_format.h"
#include "table/flat_table.h"

namespace cairn {

class CuckooTableBuilder final : public FlatTableBuilder {
 public:
  // `file` is borrowed and empty.
  CuckooTableBuilder(const CuckooTableOptions& table_options, const TableBuilderOptions& options,
                     FileWriter* file);

  void Add(const Slice& internal_key, const Slice& value) override;
  Status Finish() override;
  // Nothing is written before the end.
  uint64_t FileSize() const override { return finished_ ? offset_ : EstimatedFileSize(); }
  uint64_t EstimatedFileSize() const override;

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  struct Bucket {
    uint32_t entry = kEmpty;
    uint32_t seen = 0;  // by the search of this number
  };

  uint64_t TableSize(uint64_t entries) const;  // without the last block's rest
  Slice KeyOf(uint32_t entry) const;           // internal
  Slice UserKeyOf(uint32_t entry) const { return ExtractUserKey(KeyOf(entry)); }
  // Puts an entry into the first free bucket of those that function `function` gives it. False:
  // there is none; they were added to *taken.
  bool PutInFree(uint32_t entry, uint32_t function, std::vector<uint64_t>* taken);
  // Frees one of the buckets in `taken` by moving entries on. False: no way was found.
  bool MakeRoom(const std::vector<uint64_t>& taken, uint64_t* freed);
  void Place(uint32_t entry);
  bool FindUnusedKey(std::string* user_key) const;
  void WriteBuckets();
  void SetProperties(const std::string& unused_key);

  const CuckooTableOptions table_options_;
  const uint32_t block_size_;
  CuckooHash hash_;
  uint32_t num_hashes_ = 2;
  std::vector<Bucket> buckets_;
  uint32_t searches_ = 0;

  size_t key_size_ = 0;  // of an internal key
  size_t value_size_ = 0;
  bool has_value_ = false;  // an entry that is no deletion
  bool only_values_of_zero_ = true;
  std::string keys_;                // internal keys, one after the other
  std::string values_;              // likewise, of the entries that have one
  std::vector<uint32_t> value_at_;  // which of them; kEmpty: none
  std::string smallest_, largest_;  // user keys by their bytes
};

}  // namespace cairn
