#include "table/property_collectors.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"

namespace cairn {

EntryType EntryTypeOf(ValueType type) {
  switch (type) {
    case kTypeValue:
      return kEntryPut;
    case kTypeDeletion:
      return kEntryDelete;
    case kTypeDeletionWithTimestamp:
      return kEntryDeleteWithTimestamp;
    case kTypeSingleDeletion:
      return kEntrySingleDelete;
    case kTypeMerge:
      return kEntryMerge;
    case kTypeRangeDeletion:
      return kEntryRangeDeletion;
    case kTypeBlobIndex:
      return kEntryBlobIndex;
    case kTypeWideColumnEntity:
      return kEntryWideColumnEntity;
    default:
      return kEntryOther;  // the builder takes no others
  }
}

PropertyCollectors::PropertyCollectors(const Factories* factories,
                                       TablePropertiesCollectorFactory::Context context,
                                       Logger* info_log)
    : info_log_(info_log), names_("[") {
  if (factories != nullptr) {
    for (const auto& factory : *factories) {
      if (names_.size() > 1) names_.push_back(',');
      names_.append(factory->Name());
      std::unique_ptr<TablePropertiesCollector> made(
          factory->CreateTablePropertiesCollector(context));
      if (made != nullptr) collectors_.push_back({std::move(made)});
    }
  }
  names_.push_back(']');
}

PropertyCollectors::~PropertyCollectors() = default;

void PropertyCollectors::TellError(Collector* collector, const char* method,
                                   const Status& s) const {
  if (std::exchange(collector->error_told, true)) return;
  LogError(info_log_,
           "Encountered error when calling TablePropertiesCollector::%s() with collector name: %s: "
           "%s",
           method, collector->rep->Name(), s.ToString().c_str());
}

void PropertyCollectors::AddToAll(const Slice& internal_key, const Slice& value,
                                  uint64_t file_size) {
  const Slice user_key = ExtractUserKey(internal_key);
  const EntryType type = EntryTypeOf(ExtractValueType(internal_key));
  const SequenceNumber sequence = ExtractSequence(internal_key);
  for (Collector& collector : collectors_) {
    const Status s = collector.rep->AddUserKey(user_key, value, type, sequence, file_size);
    if (!s.ok()) TellError(&collector, "AddUserKey", s);
  }
}

void PropertyCollectors::AddBlock(uint64_t raw_bytes) {
  for (Collector& collector : collectors_) collector.rep->BlockAdd(raw_bytes, 0, 0);
}

void PropertyCollectors::Finish(TableProperties* properties) {
  for (Collector& collector : collectors_) {
    UserCollectedProperties collected;
    const Status s = collector.rep->Finish(&collected);
    if (!s.ok()) {
      collector.error_told = false;
      TellError(&collector, "Finish", s);
      continue;
    }
    properties->user_collected_properties.merge(collected);
    UserCollectedProperties readable = collector.rep->GetReadableProperties();
    properties->readable_properties.merge(readable);
  }
}

bool PropertyCollectors::NeedCompact() const {
  return std::any_of(collectors_.begin(), collectors_.end(),
                     [](const Collector& collector) { return collector.rep->NeedCompact(); });
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

const uint32_t TablePropertiesCollectorFactory::Context::kUnknownColumnFamily =
    TableProperties::kUnknownColumnFamily;

}  // namespace ROCKSDB_NAMESPACE
