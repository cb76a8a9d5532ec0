// Wide columns: what the calls for entities have that those for plain values have not. The way of
// both through the engine is the same (read_path.cc, write_path.cc); an entity is a type of value.
#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "batch/write_batch_internal.h"
#include "db/database.h"
#include "db/families.h"
#include "db/read_path.h"
#include "db/write_path.h"
#include "read/multi_family_iterator.h"
#include "rocksdb/attribute_groups.h"
#include "rocksdb/wide_columns.h"

namespace cairn {
namespace {

// What a read has found, as columns. *s is that of the read.
void Show(PinnableSlice&& value, bool is_entity, const Slice& key, Status* s,
          PinnableWideColumns* columns) {
  columns->Reset();
  if (!s->ok()) return;
  if (!is_entity) return columns->SetPlainValue(std::move(value));
  *s = columns->SetWideColumnValue(std::move(value));
  if (s->ok()) return;
  *s = Status::CopyAppendMessage(*s, " of key ", key.ToString(/*hex=*/true));
}

// What `look_up` gives of `count` keys, as columns.
template <class LookUp>
void ShowAll(size_t count, const Slice* keys, PinnableWideColumns* results, Status* statuses,
             const LookUp& look_up) {
  std::vector<PinnableSlice> values(count);
  const auto are_entities = std::make_unique<bool[]>(count);
  look_up(values.data(), are_entities.get());
  for (size_t i = 0; i < count; ++i) {
    Show(std::move(values[i]), are_entities[i], keys[i], &statuses[i], &results[i]);
  }
}

}  // namespace

Status WritePath::PutEntity(const WriteOptions& options, ColumnFamilyHandle* family,
                            const Slice& key, const WideColumns& columns) {
  ColumnFamily* found;
  Status s = db_.families->FamilyOf(family, &found);
  if (!s.ok()) return s;
  WriteBatch batch(0, 0, options.protection_bytes_per_key,
                   db_.families->default_family()->icmp.timestamp_size());
  s = batch.PutEntity(family, key, columns);
  return s.ok() ? Write(options, &batch) : s;
}

Status WritePath::PutEntity(const WriteOptions& options, const Slice& key,
                            const AttributeGroups& attribute_groups) {
  WriteBatch batch(0, 0, options.protection_bytes_per_key,
                   db_.families->default_family()->icmp.timestamp_size());
  for (const AttributeGroup& group : attribute_groups) {
    ColumnFamily* found;
    Status s = db_.families->FamilyOf(group.column_family(), &found);
    if (!s.ok()) return s;
  }
  Status s = batch.PutEntity(key, attribute_groups);
  return s.ok() ? Write(options, &batch) : s;
}

Status ReadPath::GetEntity(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                           PinnableWideColumns* columns) {
  if (columns == nullptr) {
    return Status::InvalidArgument("Cannot call GetEntity without a PinnableWideColumns object");
  }
  columns->Reset();
  PinnableSlice value;
  bool is_entity = false;
  Status s = GetValue(options, family, key, &value, &is_entity);
  Show(std::move(value), is_entity, key, &s, columns);
  return s;
}

void ReadPath::MultiGetEntity(const ReadOptions& options, ColumnFamilyHandle* family,
                              size_t num_keys, const Slice* keys, PinnableWideColumns* results,
                              Status* statuses, bool /*sorted_input*/) {
  ShowAll(num_keys, keys, results, statuses, [&](PinnableSlice* values, bool* are_entities) {
    MultiGetValues(options, family, num_keys, keys, values, statuses, are_entities);
  });
}

void ReadPath::MultiGetEntity(const ReadOptions& options, size_t num_keys,
                              ColumnFamilyHandle** families, const Slice* keys,
                              PinnableWideColumns* results, Status* statuses,
                              bool /*sorted_input*/) {
  ShowAll(num_keys, keys, results, statuses, [&](PinnableSlice* values, bool* are_entities) {
    MultiGetValues(options, num_keys, families, keys, values, statuses, are_entities);
  });
}

Status ReadPath::GetEntity(const ReadOptions& options, const Slice& key,
                           PinnableAttributeGroups* result) {
  if (result == nullptr) {
    return Status::InvalidArgument("Cannot call GetEntity without PinnableAttributeGroups object");
  }
  const bool all_have_families = std::all_of(
      result->begin(), result->end(),
      [](const PinnableAttributeGroup& group) { return group.column_family() != nullptr; });
  if (!all_have_families) {
    for (PinnableAttributeGroup& group : *result) {
      group.Reset();
      group.SetStatus(group.column_family() == nullptr
                          ? Status::InvalidArgument("Column family handle cannot be null")
                          : Status::Incomplete("DB not queried due to invalid argument(s) in one "
                                               "or more of the attribute groups"));
    }
    return Status::InvalidArgument(
        "DB failed to query because one or more group(s) have null column family handle");
  }
  MultiGetEntity(options, 1, &key, result);
  return Status::OK();
}

void ReadPath::MultiGetEntity(const ReadOptions& options, size_t num_keys, const Slice* keys,
                              PinnableAttributeGroups* results) {
  std::vector<ColumnFamilyHandle*> families;
  std::vector<Slice> all_keys;
  for (size_t i = 0; i < num_keys; ++i) {
    for (const PinnableAttributeGroup& group : results[i]) {
      families.push_back(group.column_family());
      all_keys.push_back(keys[i]);
    }
  }
  std::vector<PinnableWideColumns> columns(all_keys.size());
  std::vector<Status> statuses(all_keys.size());
  MultiGetEntity(options, all_keys.size(), families.data(), all_keys.data(), columns.data(),
                 statuses.data(), /*sorted_input=*/false);
  size_t at = 0;
  for (size_t i = 0; i < num_keys; ++i) {
    for (PinnableAttributeGroup& group : results[i]) {
      group.SetStatus(statuses[at]);
      group.SetColumns(std::move(columns[at]));
      ++at;
    }
  }
}

std::vector<std::unique_ptr<Iterator>> ReadPath::NewIteratorsOfOneOrder(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& handles,
    const Comparator** order) {
  *order = nullptr;
  Status s;
  if (handles.empty()) s = Status::InvalidArgument("No Column Family was provided");
  for (ColumnFamilyHandle* const handle : handles) {
    ColumnFamily* family;
    s = db_.families->FamilyOf(handle, &family);
    if (!s.ok()) break;
    const Comparator* const its = family->icmp.user_comparator();
    if (*order == nullptr) *order = its;
    if (std::string_view(its->Name()) != (*order)->Name()) {
      s = Status::InvalidArgument("Different comparators are being used across CFs");
      break;
    }
  }
  std::vector<Iterator*> made;
  if (s.ok()) s = NewIterators(options, handles, &made);
  if (!s.ok()) made = {NewErrorIterator(s)};
  std::vector<std::unique_ptr<Iterator>> iterators;
  for (Iterator* const one : made) iterators.emplace_back(one);
  return iterators;
}

std::unique_ptr<Iterator> ReadPath::NewCoalescingIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& handles) {
  const Comparator* order;
  auto iterators = NewIteratorsOfOneOrder(options, handles, &order);
  return MakeCoalescingIterator(order, std::move(iterators));
}

std::unique_ptr<AttributeGroupIterator> ReadPath::NewAttributeGroupIterator(
    const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& handles) {
  const Comparator* order;
  auto iterators = NewIteratorsOfOneOrder(options, handles, &order);
  return MakeAttributeGroupIterator(order, std::move(iterators), handles);
}

}  // namespace cairn
