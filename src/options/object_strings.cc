#include "options/object_strings.h"

#include <algorithm>
#include <string_view>

#include "base/builtin_merge_operator.h"
#include "base/builtin_slice_transform.h"
#include "base/memtable_factory.h"
#include "options/option_values.h"
#include "rocksdb/convenience.h"
#include "rocksdb/utilities/object_registry.h"
#include "rocksdb/utilities/table_properties_collectors.h"
#include "table/flush_block_policy.h"

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

// Where the first item of a list ends: at `separator`, braces aside.
size_t EndOfItem(std::string_view text, char separator) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (text[i] == separator && depth == 0) return i;
  }
  return text.size();
}

// Takes off braces that stand around all of it.
std::string_view WithoutBraces(std::string_view text) {
  for (text = Trim(text); text.size() >= 2 && text.front() == '{';) {
    int depth = 0;
    size_t end = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '{') ++depth;
      if (text[end] == '}' && --depth == 0) break;
    }
    if (end + 1 != text.size()) break;
    text = Trim(text.substr(1, text.size() - 2));
  }
  return text;
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
  return factory.GetId();
}

ObjectText ParsePrefixExtractorText(const std::string& text,
                                    std::shared_ptr<const SliceTransform>* extractor) {
  if (text.empty() || text == "nullptr") {
    extractor->reset();
    return ObjectText::kParsed;
  }
  std::string id = text;
  if (text.find('=') != std::string::npos) {
    OptionMap settings;
    if (!SplitOptions(text, &settings).ok() || settings.size() != 1) return ObjectText::kUnknown;
    id = settings["id"];
  }
  if (auto made = BuiltinSliceTransform(id)) {
    *extractor = std::move(made);
    return ObjectText::kParsed;
  }
  return ObjectText::kUnknown;
}

ObjectText ParseMergeOperatorText(const std::string& text,
                                  std::shared_ptr<MergeOperator>* merge_operator) {
  if (text.empty() || text == "nullptr") {
    merge_operator->reset();
    return ObjectText::kParsed;
  }
  std::string name = text;
  std::string delimiter = ",";
  if (text.find('=') != std::string::npos) {
    OptionMap settings;
    if (!SplitObject(text, &name, &settings)) return ObjectText::kUnknown;
    const auto it = settings.find("delimiter");
    if (it != settings.end()) {
      delimiter = it->second;
      settings.erase(it);
    }
    if (BuiltinMergeOperator(name) != nullptr && !settings.empty()) return ObjectText::kMalformed;
  }
  auto made = BuiltinMergeOperator(name, delimiter);
  if (made == nullptr) return ObjectText::kUnknown;
  *merge_operator = std::move(made);
  return ObjectText::kParsed;
}

ObjectText ParseCollectorFactoryText(const std::string& text,
                                     std::shared_ptr<TablePropertiesCollectorFactory>* factory) {
  std::string name;
  OptionMap settings;
  if (!SplitObject(text, &name, &settings)) return ObjectText::kUnknown;
  if (name != CompactOnDeletionCollectorFactory::kClassName()) return ObjectText::kUnknown;
  size_t window = 0;
  size_t trigger = 0;
  double ratio = 0;
  uint64_t min_file_size = 0;
  if (!Take(&settings, "window_size", &window) || !Take(&settings, "deletion_trigger", &trigger) ||
      !Take(&settings, "deletion_ratio", &ratio) ||
      !Take(&settings, "min_file_size", &min_file_size) || !settings.empty()) {
    return ObjectText::kMalformed;
  }
  *factory = NewCompactOnDeletionCollectorFactory(window, trigger, ratio, min_file_size);
  return ObjectText::kParsed;
}

ObjectText ParseFileChecksumsText(const std::string& text,
                                  std::shared_ptr<FileChecksumGenFactory>* factory) {
  if (text.empty() || text == "nullptr") {
    factory->reset();
    return ObjectText::kParsed;
  }
  std::string name;
  OptionMap settings;
  auto standard = GetFileChecksumGenCrc32cFactory();
  if (!SplitObject(text, &name, &settings) || name != standard->Name()) return ObjectText::kUnknown;
  if (!settings.empty()) return ObjectText::kMalformed;
  *factory = std::move(standard);
  return ObjectText::kParsed;
}

ObjectText ParseSstPartitionerText(const std::string& text,
                                   std::shared_ptr<SstPartitionerFactory>* factory) {
  std::string name;
  OptionMap settings;
  if (!SplitObject(std::string(WithoutBraces(text)), &name, &settings) ||
      name != SstPartitionerFixedPrefixFactory::kClassName()) {
    return ObjectText::kUnknown;
  }
  size_t length = 0;
  if (!Take(&settings, "length", &length) || !settings.empty()) return ObjectText::kMalformed;
  *factory = NewSstPartitionerFixedPrefixFactory(length);
  return ObjectText::kParsed;
}

ObjectText ParseFlushBlockPolicyText(const std::string& text,
                                     std::shared_ptr<FlushBlockPolicyFactory>* factory) {
  const std::string name = NameInObjectText(text);
  if (text.empty() || text == "nullptr" || name == FlushBlockBySizePolicyFactory::kClassName()) {
    factory->reset();
  } else if (name == "FlushBlockEveryKeyPolicyFactory") {
    *factory = NewFlushBlockEveryKeyPolicyFactory();
  } else {
    return ObjectText::kUnknown;
  }
  return ObjectText::kParsed;
}

ObjectText ParseCollectorFactoriesText(const std::string& text, CollectorFactories* factories) {
  ObjectText all = ObjectText::kParsed;
  CollectorFactories parsed;
  std::string_view rest = WithoutBraces(text);
  while (!rest.empty()) {
    const size_t end = EndOfItem(rest, ':');
    const std::string item(WithoutBraces(rest.substr(0, end)));
    std::shared_ptr<TablePropertiesCollectorFactory> factory;
    const ObjectText result = ParseCollectorFactoryText(item, &factory);
    if (result == ObjectText::kMalformed) return result;
    if (result == ObjectText::kUnknown) all = result;
    if (factory != nullptr) parsed.push_back(std::move(factory));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  *factories = std::move(parsed);
  return all;
}

std::string FormatCollectorFactoriesText(const CollectorFactories& factories) {
  std::string list;
  for (const auto& factory : factories) {
    if (!list.empty()) list.push_back(':');
    if (const auto* on_deletion =
            dynamic_cast<const CompactOnDeletionCollectorFactory*>(factory.get())) {
      list += std::string("{id=") + on_deletion->Name() +
              ";deletion_ratio=" + FormatValue(on_deletion->GetDeletionRatio()) +
              ";deletion_trigger=" + FormatValue(on_deletion->GetDeletionTrigger()) +
              (on_deletion->GetMinFileSize() == 0
                   ? std::string()
                   : ";min_file_size=" + FormatValue(on_deletion->GetMinFileSize())) +
              ";window_size=" + FormatValue(on_deletion->GetWindowSize()) + ";}";
    } else {
      list += factory->GetId();
    }
  }
  return list.empty() ? list : "{" + list + "}";
}

ObjectText ParseComparatorText(const std::string& text, const Comparator** comparator) {
  const std::string name = NameInObjectText(text);
  for (const Comparator* known :
       {BytewiseComparator(), ReverseBytewiseComparator(), BytewiseComparatorWithU64Ts(),
        ReverseBytewiseComparatorWithU64Ts()}) {
    if (name != known->Name()) continue;
    *comparator = known;
    return ObjectText::kParsed;
  }
  return ObjectText::kUnknown;
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

namespace {

Status StatusOf(cairn::ObjectText result, const ConfigOptions& options, const char* type,
                const std::string& id) {
  switch (result) {
    case cairn::ObjectText::kParsed:
      return Status::OK();
    case cairn::ObjectText::kUnknown:
      return options.ignore_unsupported_options
                 ? Status::OK()
                 : Status::NotSupported(std::string("Could not load ") + type, id);
    case cairn::ObjectText::kMalformed:
      break;
  }
  return Status::InvalidArgument(std::string("Could not load ") + type, id);
}

}  // namespace

Status MemTableRepFactory::CreateFromString(const ConfigOptions& config_options,
                                            const std::string& id,
                                            std::unique_ptr<MemTableRepFactory>* factory) {
  if (id.empty() || id == "nullptr") {
    factory->reset();
    return Status::OK();
  }
  return StatusOf(cairn::ParseMemtableFactoryText(id, factory), config_options, Type(), id);
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
  if (id.empty()) {
    *result = nullptr;
    return Status::OK();
  }
  if (id == "nullptr") return Status::NotSupported("Cannot reset object", id);
  cairn::ObjectText found = cairn::ParseComparatorText(id, result);
  const Comparator* registered = nullptr;
  if (found == cairn::ObjectText::kUnknown && config_options.registry != nullptr &&
      config_options.registry->NewStaticObject(cairn::NameInObjectText(id), &registered).ok()) {
    *result = registered;
    found = cairn::ObjectText::kParsed;
  }
  return StatusOf(found, config_options, Type(), id);
}

Status SliceTransform::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                        std::shared_ptr<const SliceTransform>* result) {
  return StatusOf(cairn::ParsePrefixExtractorText(id, result), config_options, Type(), id);
}

Status MergeOperator::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                       std::shared_ptr<MergeOperator>* result) {
  return StatusOf(cairn::ParseMergeOperatorText(id, result), config_options, Type(), id);
}

Status FileChecksumGenFactory::CreateFromString(const ConfigOptions& config_options,
                                                const std::string& value,
                                                std::shared_ptr<FileChecksumGenFactory>* result) {
  return StatusOf(cairn::ParseFileChecksumsText(value, result), config_options, Type(), value);
}

namespace {

// What no library of ours makes may be registered under its name.
template <typename T>
Status CreateRegistered(const ConfigOptions& config_options, const std::string& value,
                        std::shared_ptr<T>* result) {
  const std::string name = cairn::NameInObjectText(value);
  ObjectRegistry& registry =
      config_options.registry != nullptr ? *config_options.registry : *ObjectRegistry::Default();
  Status s = registry.NewSharedObject(name.empty() ? value : name, result);
  return s.IsNotSupported() && config_options.ignore_unsupported_options ? Status::OK() : s;
}

}  // namespace

// The default has an object, unlike in the options.
Status FlushBlockPolicyFactory::CreateFromString(const ConfigOptions& config_options,
                                                 const std::string& value,
                                                 std::shared_ptr<FlushBlockPolicyFactory>* result) {
  if (cairn::NameInObjectText(value) == FlushBlockBySizePolicyFactory::kClassName()) {
    *result = std::make_shared<FlushBlockBySizePolicyFactory>();
    return Status::OK();
  }
  const cairn::ObjectText builtin = cairn::ParseFlushBlockPolicyText(value, result);
  return builtin != cairn::ObjectText::kUnknown ? StatusOf(builtin, config_options, Type(), value)
                                                : CreateRegistered(config_options, value, result);
}

Status SstPartitionerFactory::CreateFromString(const ConfigOptions& config_options,
                                               const std::string& value,
                                               std::shared_ptr<SstPartitionerFactory>* result) {
  if (value.empty() || value == "nullptr") {
    result->reset();
    return Status::OK();
  }
  const cairn::ObjectText builtin = cairn::ParseSstPartitionerText(value, result);
  if (builtin != cairn::ObjectText::kUnknown) {
    return StatusOf(builtin, config_options, Type(), value);
  }
  return CreateRegistered(config_options, value, result);
}

Status TablePropertiesCollectorFactory::CreateFromString(
    const ConfigOptions& config_options, const std::string& value,
    std::shared_ptr<TablePropertiesCollectorFactory>* result) {
  result->reset();
  if (value.empty() || value == "nullptr") return Status::OK();
  return StatusOf(cairn::ParseCollectorFactoryText(value, result), config_options, Type(), value);
}

}  // namespace ROCKSDB_NAMESPACE
