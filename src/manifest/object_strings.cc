#include "manifest/object_strings.h"

#include <string_view>

#include "base/memtable_factory.h"
#include "manifest/option_values.h"
#include "rocksdb/convenience.h"

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
bool Names(const std::string& name) {
  return name == F::kClassName() || name == F::kNickName();
}

}  // namespace

ObjectText ParseMemtableFactoryText(const std::string& text,
                                    std::unique_ptr<MemTableRepFactory>* factory) {
  std::string name;
  OptionMap settings;
  if (!SplitObject(text, &name, &settings)) return ObjectText::kUnknown;
  bool ok = true;
  std::unique_ptr<MemTableRepFactory> made;
  if (Names<SkipListFactory>(name)) {
    size_t lookahead = 0;
    ok = Take(&settings, "", &lookahead) && Take(&settings, "lookahead", &lookahead);
    made = std::make_unique<SkipListFactory>(lookahead);
  } else if (Names<VectorRepFactory>(name)) {
    size_t count = 0;
    ok = Take(&settings, "", &count) && Take(&settings, "count", &count);
    made = std::make_unique<VectorRepFactory>(count);
  } else if (Names<HashSkipListRepFactory>(name)) {
    size_t buckets = 1000000;
    int32_t height = 4;
    int32_t branching = 4;
    ok = Take(&settings, "", &buckets) && Take(&settings, "bucket_count", &buckets) &&
         Take(&settings, "skiplist_height", &height) &&
         Take(&settings, "branching_factor", &branching);
    made = std::make_unique<HashSkipListRepFactory>(buckets, height, branching);
  } else if (Names<HashLinkListRepFactory>(name)) {
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
  if (id == "rocksdb.Noop") {
    extractor->reset(NewNoopTransform());
    return ObjectText::kParsed;
  }
  const auto length_behind = [&id](std::string_view start, size_t* length) {
    return id.starts_with(start) && ParseValue(id.substr(start.size()), length);
  };
  size_t length = 0;
  if (length_behind("fixed:", &length) || length_behind("rocksdb.FixedPrefix.", &length)) {
    extractor->reset(NewFixedPrefixTransform(length));
    return ObjectText::kParsed;
  }
  if (length_behind("capped:", &length) || length_behind("rocksdb.CappedPrefix.", &length)) {
    extractor->reset(NewCappedPrefixTransform(length));
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

Status SliceTransform::CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                        std::shared_ptr<const SliceTransform>* result) {
  return StatusOf(cairn::ParsePrefixExtractorText(id, result), config_options, Type(), id);
}

}  // namespace ROCKSDB_NAMESPACE
