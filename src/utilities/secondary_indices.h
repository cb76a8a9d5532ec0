// SecondaryIndices: the indices of a database, and which entries of theirs a primary key has by its
// columns. It reads and writes nothing: IndexedTransaction does, by what is told here.
//
// Thread safety: all functions from anywhere; constant after construction, but for the families,
// which the user sets before he writes (rocksdb/utilities/secondary_index.h).
#ifndef CAIRN_UTILITIES_SECONDARY_INDICES_H_
#define CAIRN_UTILITIES_SECONDARY_INDICES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/secondary_index.h"
#include "rocksdb/wide_columns.h"

namespace cairn {

// What an index gives back: bytes that live elsewhere, or its own.
using SliceOrString = std::variant<Slice, std::string>;
inline Slice SliceOf(const SliceOrString& bytes) {
  const Slice* const elsewhere = std::get_if<Slice>(&bytes);
  return elsewhere != nullptr ? *elsewhere : Slice(std::get<std::string>(bytes));
}

class SecondaryIndices {
 public:
  struct Entry {
    ColumnFamilyHandle* family;  // borrowed; null: the default one
    std::string key;
    std::string value;
  };

  // None of them null.
  explicit SecondaryIndices(std::vector<std::shared_ptr<SecondaryIndex>> indices)
      : indices_(std::move(indices)) {}

  bool empty() const { return indices_.empty(); }
  // Whether any of them is of this family.
  bool Cover(uint32_t family) const { return !empty() && AnyIsOf(family); }

  // Adds the entries of what is stored, without their values.
  [[nodiscard]] Status TellOld(uint32_t family, const Slice& key, const WideColumns& columns,
                               std::vector<Entry>* entries) const;

  // What is to be stored. Some columns' values are the indices' then, and may lie in *bytes.
  struct Update {
    WideColumns columns;
    std::vector<std::unique_ptr<SliceOrString>> bytes;
  };
  // Has the indices change what is to be stored, and adds the entries of that.
  [[nodiscard]] Status TellNew(uint32_t family, const Slice& key, Update* update,
                               std::vector<Entry>* entries) const;

 private:
  bool AnyIsOf(uint32_t family) const;
  static bool IsOf(const SecondaryIndex& index, uint32_t family);
  [[nodiscard]] static Status MakeKey(const SecondaryIndex& index, const Slice& key,
                                      const Slice& value, Entry* entry);

  const std::vector<std::shared_ptr<SecondaryIndex>> indices_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_SECONDARY_INDICES_H_
