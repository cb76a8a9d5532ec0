#include "utilities/secondary_indices.h"

#include <algorithm>
#include <optional>

#include "rocksdb/db.h"

namespace cairn {
namespace {

// Null: there is none of this name. (Columns to be written are in the caller's order.)
template <class Columns>
auto* FindColumn(Columns& columns, const Slice& name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const WideColumn& column) { return column.name() == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace

bool SecondaryIndices::IsOf(const SecondaryIndex& index, uint32_t family) {
  const ColumnFamilyHandle* const primary = index.GetPrimaryColumnFamily();
  return primary != nullptr && primary->GetID() == family;
}

bool SecondaryIndices::AnyIsOf(uint32_t family) const {
  return std::any_of(indices_.begin(), indices_.end(),
                     [family](const auto& index) { return IsOf(*index, family); });
}

Status SecondaryIndices::MakeKey(const SecondaryIndex& index, const Slice& key, const Slice& value,
                                 Entry* entry) {
  SliceOrString prefix;
  Status s = index.GetSecondaryKeyPrefix(key, value, &prefix);
  if (s.ok()) s = index.FinalizeSecondaryKeyPrefix(&prefix);
  if (!s.ok()) return s;
  const Slice bytes = SliceOf(prefix);
  entry->family = index.GetSecondaryColumnFamily();
  entry->key.reserve(bytes.size() + key.size());
  entry->key.assign(bytes.data(), bytes.size());
  entry->key.append(key.data(), key.size());
  return s;
}

Status SecondaryIndices::TellOld(uint32_t family, const Slice& key, const WideColumns& columns,
                                 std::vector<Entry>* entries) const {
  for (const auto& index : indices_) {
    if (!IsOf(*index, family)) continue;
    const WideColumn* const column = FindColumn(columns, index->GetPrimaryColumnName());
    if (column == nullptr) continue;
    Status s = MakeKey(*index, key, column->value(), &entries->emplace_back());
    if (!s.ok()) return s;
  }
  return Status::OK();
}

// (In two rounds: an entry is found again by the value that is stored, which is what the last index
// of the column left.)
Status SecondaryIndices::TellNew(uint32_t family, const Slice& key, Update* update,
                                 std::vector<Entry>* entries) const {
  struct Given {
    const SecondaryIndex* index;
    const WideColumn* column;
    Slice before;
  };
  std::vector<Given> given;
  for (const auto& index : indices_) {
    if (!IsOf(*index, family)) continue;
    WideColumn* const column = FindColumn(update->columns, index->GetPrimaryColumnName());
    if (column == nullptr) continue;
    given.push_back({index.get(), column, column->value()});
    std::optional<SliceOrString> changed;
    Status s = index->UpdatePrimaryColumnValue(key, column->value(), &changed);
    if (!s.ok()) return s;
    if (!changed.has_value()) continue;
    update->bytes.push_back(std::make_unique<SliceOrString>(std::move(*changed)));
    column->value() = SliceOf(*update->bytes.back());
  }
  for (const auto& [index, column, before] : given) {
    Entry& entry = entries->emplace_back();
    Status s = MakeKey(*index, key, column->value(), &entry);
    std::optional<SliceOrString> value;
    if (s.ok()) s = index->GetSecondaryValue(key, column->value(), before, &value);
    if (!s.ok()) return s;
    if (value.has_value()) entry.value = SliceOf(*value).ToString();
  }
  return Status::OK();
}

}  // namespace cairn
