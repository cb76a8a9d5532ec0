// The collector of rocksdb/utilities/table_properties_collectors.h.
//
// The window is a ring of counts, one for each step of a 128th of it: when the newest step is full
// the oldest one is forgotten. So what is looked at is between 127 and 128 steps long.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>

#include "base/namespace.h"
#include "base/option_values.h"
#include "rocksdb/slice.h"
#include "rocksdb/utilities/options_type.h"
#include "rocksdb/utilities/table_properties_collectors.h"

namespace cairn {
namespace {

class CompactOnDeletionCollector final : public TablePropertiesCollector {
 public:
  CompactOnDeletionCollector(size_t window, size_t trigger, double ratio, uint64_t min_file_size)
      : step_size_(window / kSteps + (window % kSteps != 0 ? 1 : 0)),
        trigger_(trigger),
        ratio_(ratio > 0 && ratio <= 1 ? ratio : 0),
        min_file_size_(min_file_size) {}

  Status AddUserKey(const Slice& /*key*/, const Slice& /*value*/, EntryType type,
                    SequenceNumber /*seq*/, uint64_t file_size) override {
    file_size_ = file_size;
    const bool is_tombstone = type == kEntryDelete || type == kEntrySingleDelete;
    ++entries_;
    tombstones_ += is_tombstone;
    if (step_size_ == 0 || too_many_) return Status::OK();
    if (entries_in_step_ == step_size_) {
      newest_ = (newest_ + 1) % kSteps;
      in_window_ -= ring_[newest_];
      ring_[newest_] = 0;
      entries_in_step_ = 0;
    }
    ++entries_in_step_;
    ring_[newest_] += is_tombstone;
    in_window_ += is_tombstone;
    too_many_ = is_tombstone && in_window_ >= trigger_;
    return Status::OK();
  }

  Status Finish(UserCollectedProperties* /*properties*/) override {
    if (ratio_ > 0 && entries_ > 0) {
      too_many_ |= static_cast<double>(tombstones_) / static_cast<double>(entries_) >= ratio_;
    }
    return Status::OK();
  }

  UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return CompactOnDeletionCollectorFactory::kClassName(); }
  bool NeedCompact() const override { return too_many_ && file_size_ >= min_file_size_; }

 private:
  static constexpr size_t kSteps = 128;

  const size_t step_size_;  // entries; 0: no window
  const size_t trigger_;
  const double ratio_;  // 0: none
  const uint64_t min_file_size_;
  std::array<size_t, kSteps> ring_{};
  size_t newest_ = 0;
  size_t entries_in_step_ = 0;
  size_t in_window_ = 0;  // the sum of the ring
  uint64_t entries_ = 0, tombstones_ = 0;
  uint64_t file_size_ = 0;  // when the newest entry came
  bool too_many_ = false;
};

// What is 0 is left out of the text where RocksDB 7.8.3 does not know the option.
template <typename T>
OptionTypeInfo CollectorOption(T (CompactOnDeletionCollectorFactory::*get)() const,
                               void (CompactOnDeletionCollectorFactory::*set)(T),
                               bool later = false) {
  using Factory = CompactOnDeletionCollectorFactory;
  OptionTypeInfo info(0, OptionType::kUnknown, OptionVerificationType::kNormal,
                      OptionTypeFlags::kMutable);
  info.SetParseFunc([set](const ConfigOptions& /*config*/, const std::string& name,
                          const std::string& value, void* addr) {
    T parsed{};
    if (!ParseValue(value, &parsed)) {
      return Status::InvalidArgument("Error parsing " + name, value);
    }
    (static_cast<Factory*>(addr)->*set)(parsed);
    return Status::OK();
  });
  info.SetSerializeFunc([get, later](const ConfigOptions& /*config*/, const std::string& /*name*/,
                                     const void* addr, std::string* value) {
    const T now = (static_cast<const Factory*>(addr)->*get)();
    if (now != T{} || !later) *value = FormatValue(now);
    return Status::OK();
  });
  info.SetEqualsFunc([get](const ConfigOptions& /*config*/, const std::string& /*name*/,
                           const void* a, const void* b, std::string* /*mismatch*/) {
    return (static_cast<const Factory*>(a)->*get)() == (static_cast<const Factory*>(b)->*get)();
  });
  return info;
}

const std::unordered_map<std::string, OptionTypeInfo>* CollectorOptions() {
  using Factory = CompactOnDeletionCollectorFactory;
  static const auto& kOptions = *new std::unordered_map<std::string, OptionTypeInfo>{
      {"window_size", CollectorOption(&Factory::GetWindowSize, &Factory::SetWindowSize)},
      {"deletion_trigger",
       CollectorOption(&Factory::GetDeletionTrigger, &Factory::SetDeletionTrigger)},
      {"deletion_ratio", CollectorOption(&Factory::GetDeletionRatio, &Factory::SetDeletionRatio)},
      {"min_file_size",
       CollectorOption(&Factory::GetMinFileSize, &Factory::SetMinFileSize, /*later=*/true)}};
  return &kOptions;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

CompactOnDeletionCollectorFactory::CompactOnDeletionCollectorFactory(size_t sliding_window_size,
                                                                     size_t deletion_trigger,
                                                                     double deletion_ratio,
                                                                     uint64_t min_file_size)
    : sliding_window_size_(sliding_window_size),
      deletion_trigger_(deletion_trigger),
      deletion_ratio_(deletion_ratio),
      min_file_size_(min_file_size) {
  RegisterOptions("", this, cairn::CollectorOptions());
}

TablePropertiesCollector* CompactOnDeletionCollectorFactory::CreateTablePropertiesCollector(
    TablePropertiesCollectorFactory::Context /*context*/) {
  return new cairn::CompactOnDeletionCollector(GetWindowSize(), GetDeletionTrigger(),
                                               GetDeletionRatio(), GetMinFileSize());
}

std::string CompactOnDeletionCollectorFactory::ToString() const {
  char ratio[32];
  std::snprintf(ratio, sizeof(ratio), "%g", GetDeletionRatio());
  return std::string(Name()) + " (Sliding window size = " + std::to_string(GetWindowSize()) +
         " Deletion trigger = " + std::to_string(GetDeletionTrigger()) +
         " Deletion ratio = " + ratio +
         (GetMinFileSize() == 0 ? "" : " Min file size = " + std::to_string(GetMinFileSize())) +
         ")";
}

std::shared_ptr<CompactOnDeletionCollectorFactory> NewCompactOnDeletionCollectorFactory(
    size_t sliding_window_size, size_t deletion_trigger, double deletion_ratio,
    uint64_t min_file_size) {
  return std::make_shared<CompactOnDeletionCollectorFactory>(sliding_window_size, deletion_trigger,
                                                             deletion_ratio, min_file_size);
}

}  // namespace ROCKSDB_NAMESPACE
