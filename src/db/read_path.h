// Reads: Get, MultiGet, iterators, entities, snapshots (read_path.cc; entities.cc: of wide
// columns).
//
// Guards: nothing of its own. A reader takes a super version and no lock.
#pragma once

#include <memory>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"
#include "read/super_version.h"

namespace cairn {

class ReadPath final : public Part {
 public:
  using Part::Part;

  [[nodiscard]] Status Get(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                           PinnableSlice* value, std::string* timestamp = nullptr);
  [[nodiscard]] Status GetMergeOperands(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                                        PinnableSlice* operands,
                                        GetMergeOperandsOptions* operands_options,
                                        int* number_of_operands);
  std::vector<Status> MultiGet(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                               const std::vector<Slice>& keys, std::vector<std::string>* values,
                               std::vector<std::string>* timestamps = nullptr);
  void MultiGet(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                PinnableSlice* values, Status* statuses, bool sorted_input);
  void MultiGet(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                const Slice* keys, PinnableSlice* values, Status* statuses, bool sorted_input);
  [[nodiscard]] Status GetEntity(const ReadOptions&, ColumnFamilyHandle*, const Slice& key,
                                 PinnableWideColumns* columns);
  [[nodiscard]] Status GetEntity(const ReadOptions&, const Slice& key,
                                 PinnableAttributeGroups* result);
  void MultiGetEntity(const ReadOptions&, ColumnFamilyHandle*, size_t num_keys, const Slice* keys,
                      PinnableWideColumns* results, Status* statuses, bool sorted_input);
  void MultiGetEntity(const ReadOptions&, size_t num_keys, ColumnFamilyHandle** families,
                      const Slice* keys, PinnableWideColumns* results, Status* statuses,
                      bool sorted_input);
  void MultiGetEntity(const ReadOptions&, size_t num_keys, const Slice* keys,
                      PinnableAttributeGroups* results);
  bool KeyMayExist(const ReadOptions&, ColumnFamilyHandle*, const Slice& key, std::string* value,
                   bool* value_found, std::string* timestamp = nullptr);
  Iterator* NewIterator(const ReadOptions&, ColumnFamilyHandle*);
  std::unique_ptr<Iterator> NewCoalescingIterator(const ReadOptions&,
                                                  const std::vector<ColumnFamilyHandle*>&);
  std::unique_ptr<AttributeGroupIterator> NewAttributeGroupIterator(
      const ReadOptions&, const std::vector<ColumnFamilyHandle*>&);
  [[nodiscard]] Status NewIterators(const ReadOptions&, const std::vector<ColumnFamilyHandle*>&,
                                    std::vector<Iterator*>*);
  const Snapshot* GetSnapshot();
  void ReleaseSnapshot(const Snapshot*);

  // MultiGet and MultiGetEntity; `are_entities` (see GetValue) and `timestamps` may be null.
  void MultiGetValues(const ReadOptions& options, ColumnFamilyHandle* handle, size_t num_keys,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool* are_entities, std::string* timestamps = nullptr);
  void MultiGetValues(const ReadOptions& options, size_t num_keys, ColumnFamilyHandle** handles,
                      const Slice* keys, PinnableSlice* values, Status* statuses,
                      bool* are_entities, std::string* timestamps = nullptr);

 private:
  // Of a family whose keys have timestamps, or options that have one.
  [[nodiscard]] static Status CheckTimestamp(const ColumnFamily& family,
                                             const ReadOptions& options);
  [[nodiscard]] static Status CheckTimestampIfAny(const ColumnFamily& family,
                                                  const ReadOptions& options);
  // What a secondary cannot do.
  [[nodiscard]] Status CheckSnapshot(const ReadOptions& options) const {
    if (db_.mode != OpenMode::kSecondary || options.snapshot == nullptr) [[likely]]
      return Status::OK();
    return Status::NotSupported("snapshot not supported in secondary mode");
  }
  [[nodiscard]] Status CheckIterator(const ReadOptions& options) const;
  [[nodiscard]] Status CheckMultiGet(const ReadOptions& options) const;
  // The sequence number that a read of this super version reads at.
  SequenceNumber SequenceFor(const ReadOptions& options, const SuperVersion& sv) const {
    if (options.snapshot != nullptr) return options.snapshot->GetSequenceNumber();
    return sv.LastVisible(db_.versions->LastSequence());
  }
  // kPersistedTier reads memtables, too, until something was written that is in no log, as in
  // RocksDB.
  bool AllIsPersisted(const ReadOptions& options) const {
    return options.read_tier == kPersistedTier &&
           !db_.has_unlogged_data.load(std::memory_order_relaxed);
  }
  // Get and MultiGet; of an entity the default column, or, with is_entity, all of it as it is
  // stored, and *is_entity is set. ReadValue comes twice so that the usual one has no timers.
  [[nodiscard]] Status GetValue(const ReadOptions& options, ColumnFamilyHandle* handle,
                                const Slice& key, PinnableSlice* value, bool* is_entity,
                                std::string* timestamp = nullptr);
  template <bool kTimed>
  [[nodiscard]] Status ReadValue(const ReadOptions& options, ColumnFamilyHandle* handle,
                                 const Slice& key, PinnableSlice* value, bool* is_entity,
                                 std::string* timestamp);
  // For an iterator over several families, whose comparator *order is. Where there can be none: one
  // that has nothing but the error.
  std::vector<std::unique_ptr<Iterator>> NewIteratorsOfOneOrder(
      const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& handles,
      const Comparator** order);
  void CountMultiGet(size_t num_keys, const PinnableSlice* values, const Status* statuses,
                     uint64_t start_nanos) const;
  // The families' super versions as they were at one moment, and the last sequence number then.
  SequenceNumber AcquireTogether(const std::vector<ColumnFamily*>& families,
                                 std::vector<SuperVersion*>* super_versions) const;
  // first_sequence: what it reads at, at first; null: the present.
  Iterator* NewFamilyIterator(const ReadOptions& options, ColumnFamily* family,
                              const SequenceNumber* first_sequence);
};

}  // namespace cairn
