#include "options/object_strings.h"

#include "base/builtin_merge_operator.h"
#include "base/builtin_slice_transform.h"
#include "base/option_values.h"
#include "fs/object_texts.h"
#include "rocksdb/comparator.h"
#include "rocksdb/convenience.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/sst_partitioner.h"
#include "rocksdb/utilities/customizable_util.h"
#include "rocksdb/utilities/table_properties_collectors.h"

namespace cairn {

std::string NameInObjectText(const std::string& text) {
  if (text.find('=') == std::string::npos) return text.substr(0, text.find(':'));
  OptionMap settings;
  return SplitOptions(text, &settings).ok() ? settings["id"] : "";
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
  return LoadUniqueObject(config_options, id, factory);
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
