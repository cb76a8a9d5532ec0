#include "options/object_strings.h"

#include "base/builtin_merge_operator.h"
#include "base/builtin_slice_transform.h"
#include "base/memtable_factory.h"
#include "base/option_values.h"
#include "fs/object_texts.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/utilities/customizable_util.h"
#include "rocksdb/utilities/table_properties_collectors.h"

namespace cairn {
namespace {

// "name", "name:N", "id=name;a=1;b=2": the name, and the settings ("" for N).
bool SplitObject(const std::string& text, std::string* name, OptionMap* settings) {
  settings->clear();
  if (text.find('=') != std::string::npos) {
    if (!SplitOptions(text, settings).ok() || settings->count("id") == 0) return false;
    *name = (*settings)["id"];
    settings->erase("id");
    return true;
  }
  const size_t colon = text.find(':');
  *name = text.substr(0, colon);
  if (colon != std::string::npos) (*settings)[""] = text.substr(colon + 1);
  return true;
}

// Takes a setting out of the map; false if it is no number.
template <class T>
bool Take(OptionMap* settings, const char* name, T* value) {
  const auto it = settings->find(name);
  if (it == settings->end()) return true;
  const bool ok = ParseValue(it->second, value);
  settings->erase(it);
  return ok;
}

template <class F>
bool IsCalled(const std::string& name) {
  return name == F::kClassName() || name == F::kNickName();
}

}  // namespace

std::string NameInObjectText(const std::string& text) {
  std::string name;
  OptionMap settings;
  return SplitObject(text, &name, &settings) ? name : "";
}

ObjectText ParseMemtableFactoryText(const std::string& text,
                                    std::unique_ptr<MemTableRepFactory>* factory) {
  std::string name;
  OptionMap settings;
  if (!SplitObject(text, &name, &settings)) return ObjectText::kUnknown;
  bool ok = true;
  std::unique_ptr<MemTableRepFactory> made;
  if (IsCalled<SkipListFactory>(name)) {
    size_t lookahead = 0;
    ok = Take(&settings, "", &lookahead) && Take(&settings, "lookahead", &lookahead);
    made = std::make_unique<SkipListFactory>(lookahead);
  } else if (IsCalled<VectorRepFactory>(name)) {
    size_t count = 0;
    ok = Take(&settings, "", &count) && Take(&settings, "count", &count);
    made = std::make_unique<VectorRepFactory>(count);
  } else if (IsCalled<HashSkipListRepFactory>(name)) {
    size_t buckets = 1000000;
    int32_t height = 4;
    int32_t branching = 4;
    ok = Take(&settings, "", &buckets) && Take(&settings, "bucket_count", &buckets) &&
         Take(&settings, "skiplist_height", &height) &&
         Take(&settings, "branching_factor", &branching);
    made = std::make_unique<HashSkipListRepFactory>(buckets, height, branching);
  } else if (IsCalled<HashLinkListRepFactory>(name)) {
    settings.clear();  // DB::Open will say that there is no such memtable
    made = std::make_unique<HashLinkListRepFactory>();
  } else {
    return name == "cuckoo" ? ObjectText::kMalformed : ObjectText::kUnknown;  // as RocksDB
  }
  if (!ok || !settings.empty()) return ObjectText::kMalformed;
  *factory = std::move(made);
  return ObjectText::kParsed;
}

std::string FormatMemtableFactoryText(const MemTableRepFactory& factory) {
  const auto setting = [](const char* name, auto value) {
    return std::string(name) + "=" + FormatValue(value) + ";";
  };
  if (const auto* vector = dynamic_cast<const VectorRepFactory*>(&factory)) {
    return "{id=VectorRepFactory;" + setting("count", vector->count()) + "}";
  }
  if (const auto* hash = dynamic_cast<const HashSkipListRepFactory*>(&factory)) {
    return "{id=HashSkipListRepFactory;" + setting("branching_factor", hash->branching_factor()) +
           setting("skiplist_height", hash->skiplist_height()) +
           setting("bucket_count", hash->bucket_count()) + "}";
  }
  return FormatObject(&factory);
}

namespace {

bool FindComparator(const std::string& id, const Comparator** result) {
  for (const Comparator* known :
       {BytewiseComparator(), ReverseBytewiseComparator(), BytewiseComparatorWithU64Ts(),
        ReverseBytewiseComparatorWithU64Ts()}) {
    if (id != known->Name()) continue;
    *result = known;
    return true;
  }
  return false;
}

bool MakeSliceTransform(const std::string& id, std::shared_ptr<const SliceTransform>* result) {
  *result = BuiltinSliceTransform(id);
  return *result != nullptr;
}

bool MakeMergeOperator(const std::string& id, std::shared_ptr<MergeOperator>* result) {
  *result = BuiltinMergeOperator(id);
  return *result != nullptr;
}

bool MakeFileChecksums(const std::string& id, std::shared_ptr<FileChecksumGenFactory>* result) {
  *result = GetFileChecksumGenCrc32cFactory();
  return (*result)->IsInstanceOf(id);
}

bool MakeSstPartitioner(const std::string& id, std::shared_ptr<SstPartitionerFactory>* result) {
  if (id != SstPartitionerFixedPrefixFactory::kClassName()) return false;
  *result = NewSstPartitionerFixedPrefixFactory(0);
  return true;
}

bool MakeCollectorFactory(const std::string& id,
                          std::shared_ptr<TablePropertiesCollectorFactory>* result) {
  if (id != CompactOnDeletionCollectorFactory::kClassName()) return false;
  *result = NewCompactOnDeletionCollectorFactory(0, 0, 0);
  return true;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status MemTableRepFactory::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& id,
                                            std::unique_ptr<MemTableRepFactory>* factory) {
  if (id.empty() || id == "nullptr") {
    factory->reset();
    return Status::OK();
  }
  switch (cairn::ParseMemtableFactoryText(id, factory)) {
    case cairn::ObjectText::kParsed:
      break;
    case cairn::ObjectText::kUnknown:
      return LoadUniqueObject(config_options, id, factory);
    case cairn::ObjectText::kMalformed:
      return Status::InvalidArgument("Could not load MemTableRepFactory", id);
  }
  return Status::OK();
}

Status MemTableRepFactory::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& id,
                                            std::shared_ptr<MemTableRepFactory>* factory) {
  std::unique_ptr<MemTableRepFactory> made;
  Status s = CreateFromString(config_options, id, &made);
  if (s.ok() && (made != nullptr || id.empty() || id == "nullptr")) *factory = std::move(made);
  return s;
}

Status Comparator::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                    const Comparator** result) {
  if (id == "nullptr") return Status::NotSupported("Cannot reset object", id);
  return LoadStaticObject<const Comparator>(config_options, id, cairn::FindComparator, result);
}

Status SliceTransform::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                        std::shared_ptr<const SliceTransform>* result) {
  return LoadSharedObject<const SliceTransform>(config_options, id, cairn::MakeSliceTransform,
                                                result);
}

Status MergeOperator::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                       std::shared_ptr<MergeOperator>* result) {
  return LoadSharedObject<MergeOperator>(config_options, id, cairn::MakeMergeOperator, result);
}

Status FileChecksumGenFactory::CreateFromString(const ConfigOptions& config_options,
                                                const std::string& value,
                                                std::shared_ptr<FileChecksumGenFactory>* result) {
  return LoadSharedObject<FileChecksumGenFactory>(config_options, value, cairn::MakeFileChecksums,
                                                  result);
}

Status SstPartitionerFactory::CreateFromString(const ConfigOptions& config_options,
                                               const std::string& value,
                                               std::shared_ptr<SstPartitionerFactory>* result) {
  return LoadSharedObject<SstPartitionerFactory>(config_options, value, cairn::MakeSstPartitioner,
                                                 result);
}

Status TablePropertiesCollectorFactory::CreateFromString(
    const ConfigOptions& config_options, const std::string& value,
    std::shared_ptr<TablePropertiesCollectorFactory>* result) {
  return LoadSharedObject<TablePropertiesCollectorFactory>(config_options, value,
                                                           cairn::MakeCollectorFactory, result);
}

}  // namespace ROCKSDB_NAMESPACE
