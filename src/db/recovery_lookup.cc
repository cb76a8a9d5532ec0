#include "db/recovery_lookup.h"

#include <algorithm>

#include "read/point_lookup.h"

namespace cairn {

RecoveryLookup::RecoveryLookup(const std::vector<ColumnFamily*>* families, FamilyMemTables* sink)
    : families_(families), sink_(sink) {
  sink_->SetFolder(this);
}

RecoveryLookup::~RecoveryLookup() { sink_->SetFolder(nullptr); }

bool RecoveryLookup::IsNeededFor(const ColumnFamily& family) {
  return family.options->inplace_update_support && family.options->inplace_callback != nullptr;
}

Status RecoveryLookup::Existing(uint32_t id, const Slice& key, SequenceNumber sequence,
                                std::string* value) {
  const auto found_family =
      std::ranges::find_if(*families_, [id](const ColumnFamily* one) { return one->id() == id; });
  if (found_family == families_->end()) return Status::NotFound();
  ColumnFamily* const family = *found_family;
  SuperVersion sv;
  sv.mem = family->mem;
  sv.imm = family->imm.current();
  sv.current = family->current();
  sv.merge_operator = family->merge_operator.get();
  sv.blobs = family->blobs.get();
  ReadOptions options;
  options.fill_cache = false;
  return LookupToChange({options, sv, family->tables.get(), sequence - 1, nullptr}, key, value);
}

}  // namespace cairn
