// Configurable and Customizable: what their settings are as a whole.
#include "rocksdb/configurable.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/option_values.h"
#include "base/process_id.h"
#include "base/saved_option.h"
#include "rocksdb/customizable.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {

namespace {

constexpr const char* kNullObject = "nullptr";

// "id", "outer.id": the object itself.
bool IsId(const std::string& name) {
  return name == OptionTypeInfo::kIdPropName() || name.ends_with(OptionTypeInfo::kIdPropSuffix());
}

bool IsOfObject(const std::string& name) {
  return name.find('.') != std::string::npos && !IsId(name);
}

Status NotChangeable(const std::string& name) {
  return Status::InvalidArgument("Option not changeable", name);
}

Status NoSuchOption(const std::string& name) {
  return Status::NotFound("Could not find option", name);
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

// What works on the registered options of any object.
class ConfigurableHelper {
 public:
  // An option of an object, found by its name.
  struct Found {
    const OptionTypeInfo* info = nullptr;
    std::string name;    // as the object knows it
    std::string member;  // of a struct or an object, what follows the point; else `name`
    void* opt_ptr = nullptr;

    // The option that it is, or is a member of.
    std::string Option() const { return member == name ? name : name.substr(0, name.find('.')); }
  };

  static void* PlaceOf(const Configurable& object, const Configurable::RegisteredOptions& options) {
    return reinterpret_cast<void*>(reinterpret_cast<intptr_t>(&object) + options.opt_offset);
  }

  static bool Find(const Configurable& object, const std::string& name, Found* found) {
    found->name = object.GetOptionName(name);
    for (const auto& options : object.options_) {
      if (options.type_map == nullptr) continue;
      found->info = OptionTypeInfo::Find(found->name, *options.type_map, &found->member);
      if (found->info == nullptr) continue;
      found->opt_ptr = PlaceOf(object, options);
      return true;
    }
    return false;
  }

  // Calls f(info, name, opt_ptr) for each option until it returns false; whether it never did.
  template <typename F>
  static bool ForEach(const Configurable& object, F f) {
    for (const auto& options : object.options_) {
      if (options.type_map == nullptr) continue;
      for (const auto& [name, info] : *options.type_map) {
        if (!f(info, name, PlaceOf(object, options))) return false;
      }
    }
    return true;
  }

  // Objects that hold one another in a circle have no text, and nothing that goes through them
  // would end. InvalidArgument names the way round.
  static Status CheckForCircle(const Configurable& object) {
    std::vector<const Configurable*> way;
    std::vector<const Configurable*> done;
    std::string names;
    if (IsFreeOfCircles(object, &way, &done, &names)) return Status::OK();
    return Status::InvalidArgument("An object holds itself", names);
  }

  static Status Configure(const ConfigOptions& config, Configurable* object, const Found& found,
                          const std::string& value) {
    const OptionTypeInfo& info = *found.info;
    if (info.IsCustomizable()) return ConfigureObject(config, object, found, value);
    if (found.member == found.name || info.IsStruct() || info.IsConfigurable()) {
      return object->ParseOption(config, info, found.member, value, found.opt_ptr);
    }
    return cairn::NoSuchOption(found.name);
  }

  static Status Serialize(const ConfigOptions& config, const Configurable& object,
                          const std::string& prefix, std::string* result) {
    Status s;
    ForEach(object, [&](const OptionTypeInfo& info, const std::string& name, void* opt_ptr) {
      if (!info.ShouldSerialize()) return true;
      ConfigOptions single = config;
      if (config.mutable_options_only) {
        if (info.IsMutable()) {
          single.mutable_options_only = false;
        } else if (!info.IsConfigurable() ||
                   (info.IsEnabled(OptionTypeFlags::kStringNameOnly) && !config.IsDetailed())) {
          return true;
        }
      }
      std::string value;
      s = info.Serialize(single, prefix + name, opt_ptr, &value);
      if (!value.empty()) {
        result->append(prefix).append(name).append("=").append(value).append(config.delimiter);
      }
      return s.ok();
    });
    return s;
  }

 private:
  // Sets an option whose value is a Customizable, or one of that object's.
  static Status ConfigureObject(const ConfigOptions& config, Configurable* object,
                                const Found& found, const std::string& value) {
    const OptionTypeInfo& info = *found.info;
    auto* custom = info.AsRawPointer<Customizable>(found.opt_ptr);
    const bool whole = found.member == found.name;
    const bool is_id = cairn::IsId(found.member) || cairn::IsId(found.name);
    ConfigOptions nested = config;
    if (info.IsMutable()) nested.mutable_options_only = false;
    if (!nested.mutable_options_only) {
      if (whole || is_id) {
        return object->ParseOption(nested, info, found.member, value, found.opt_ptr);
      }
      if (value.empty()) return Status::OK();
      if (custom == nullptr) {
        return Status::NotFound("There is no object with the option", found.name);
      }
      return ConfigureOptionOf(nested, custom, found, value);
    }
    // The object stays; what of it is mutable may change.
    if (custom == nullptr) {
      return value.empty() || value == cairn::kNullObject ? Status::OK()
                                                          : cairn::NotChangeable(found.name);
    }
    if (is_id) return custom->GetId() == value ? Status::OK() : cairn::NotChangeable(found.name);
    if (!whole) return custom->ConfigureOption(nested, found.member, value);
    std::string id;
    cairn::OptionMap settings;
    Status s = Configurable::GetOptionsMap(value, custom->GetId(), &id, &settings);
    if (!s.ok()) return s;
    if (id != custom->GetId()) return cairn::NotChangeable(found.name);
    return settings.empty() ? Status::OK() : custom->ConfigureFromMap(nested, settings);
  }

  static Status ConfigureOptionOf(const ConfigOptions& config, Customizable* custom,
                                  const Found& found, const std::string& value) {
    // "ID={a=1;b=2}" as well as "ID.a".
    if (found.member == custom->GetId()) return custom->ConfigureFromString(config, value);
    std::string member = found.member;
    if (member.starts_with(custom->GetId() + ".")) member.erase(0, custom->GetId().size() + 1);
    return custom->ConfigureOption(config, member, value);
  }

  static bool IsFreeOfCircles(const Configurable& object, std::vector<const Configurable*>* way,
                              std::vector<const Configurable*>* done, std::string* names) {
    if (std::find(way->begin(), way->end(), &object) != way->end()) return false;
    if (std::find(done->begin(), done->end(), &object) != done->end()) return true;
    way->push_back(&object);
    const bool is_free = ForEach(
        object, [&](const OptionTypeInfo& info, const std::string& name, const void* opt_ptr) {
          if (!info.IsConfigurable() || info.IsDeprecated()) return true;
          const auto* nested = info.AsRawPointer<Configurable>(opt_ptr);
          if (nested == nullptr || IsFreeOfCircles(*nested, way, done, names)) return true;
          *names = names->empty() ? name : name + "." + *names;
          return false;
        });
    way->pop_back();
    done->push_back(&object);
    return is_free;
  }
};

// --- Configurable

void Configurable::RegisterOptions(const std::string& name, void* opt_ptr,
                                   const std::unordered_map<std::string, OptionTypeInfo>* opt_map) {
  options_.push_back(
      {name, reinterpret_cast<intptr_t>(opt_ptr) - reinterpret_cast<intptr_t>(this), opt_map});
}

const void* Configurable::GetOptionsPtr(const std::string& name) const {
  for (const RegisteredOptions& options : options_) {
    if (options.name == name) return ConfigurableHelper::PlaceOf(*this, options);
  }
  return nullptr;
}

std::string Configurable::GetOptionName(const std::string& long_name) const { return long_name; }

Status Configurable::ParseStringOptions(const ConfigOptions& /*config_options*/,
                                        const std::string& opts_str) {
  return Status::InvalidArgument("Options are name=value pairs", opts_str);
}

Status Configurable::ParseOption(const ConfigOptions& config_options,
                                 const OptionTypeInfo& opt_info, const std::string& opt_name,
                                 const std::string& opt_value, void* opt_ptr) {
  if (!opt_info.IsEditable(config_options)) return cairn::NotChangeable(opt_name);
  ConfigOptions all = config_options;
  all.mutable_options_only = false;  // what is in it may change with it
  return opt_info.Parse(all, opt_name, opt_value, opt_ptr);
}

Status Configurable::ConfigureFromMap(const ConfigOptions& config_options,
                                      const std::unordered_map<std::string, std::string>& opt_map) {
  return ConfigureFromMap(config_options, opt_map, nullptr);
}

Status Configurable::ConfigureFromMap(const ConfigOptions& config_options,
                                      const std::unordered_map<std::string, std::string>& opt_map,
                                      std::unordered_map<std::string, std::string>* unused) {
  return ConfigureOptions(config_options, opt_map, unused);
}

Status Configurable::ConfigureFromString(const ConfigOptions& config_options,
                                         const std::string& opts) {
  if (opts.find_first_of("=;") != std::string::npos) {
    cairn::OptionMap map;
    Status s = cairn::SplitOptions(opts, &map);
    return s.ok() ? ConfigureFromMap(config_options, map) : s;
  }
  Status s = opts.empty() ? Status::OK() : ParseStringOptions(config_options, opts);
  if (s.ok() && config_options.invoke_prepare_options) s = PrepareOptions(config_options);
  return s;
}

Status Configurable::ConfigureOptions(const ConfigOptions& config_options,
                                      const std::unordered_map<std::string, std::string>& opts_map,
                                      std::unordered_map<std::string, std::string>* unused) {
  // First the objects, then what belongs to them; and always in the same order.
  std::vector<std::pair<std::string, std::string>> ordered(opts_map.begin(), opts_map.end());
  std::sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return std::pair(cairn::IsOfObject(a.first), a.first) <
           std::pair(cairn::IsOfObject(b.first), b.first);
  });
  Status s = ordered.empty() ? Status::OK() : ConfigurableHelper::CheckForCircle(*this);
  ConfigOptions single = config_options;
  single.invoke_prepare_options = false;
  cairn::SavedOptions saved(config_options);
  for (const auto& [name, value] : ordered) {
    if (!s.ok()) break;
    ConfigurableHelper::Found found;
    if (ConfigurableHelper::Find(*this, name, &found)) {
      saved.Save(*found.info, found.Option(), found.opt_ptr);
      s = ConfigurableHelper::Configure(single, this, found, value);
      if (s.IsNotSupported() && config_options.ignore_unsupported_options) s = Status::OK();
    } else {
      s = cairn::NoSuchOption(name);
    }
    if (s.IsNotFound()) {
      if (unused != nullptr) {
        unused->emplace(name, value);
        s = Status::OK();
      } else if (config_options.ignore_unknown_options) {
        s = Status::OK();
      }
    }
  }
  bool prepare_again = false;
  if (s.ok() && config_options.invoke_prepare_options) {
    s = PrepareOptions(config_options);
    prepare_again = !s.ok() && !ordered.empty();
  }
  if (!s.ok()) {
    saved.Restore();
    if (prepare_again) (void)PrepareOptions(config_options);  // for what it was
  }
  return s;
}

Status Configurable::ConfigureOption(const ConfigOptions& config_options, const std::string& name,
                                     const std::string& value) {
  ConfigurableHelper::Found found;
  if (!ConfigurableHelper::Find(*this, name, &found)) return cairn::NoSuchOption(name);
  return ConfigurableHelper::Configure(config_options, this, found, value);
}

Status Configurable::GetOptionString(const ConfigOptions& config_options,
                                     std::string* result) const {
  result->clear();
  Status s = ConfigurableHelper::CheckForCircle(*this);
  return s.ok() ? ConfigurableHelper::Serialize(config_options, *this, "", result) : s;
}

std::string Configurable::ToString(const ConfigOptions& config_options,
                                   const std::string& prefix) const {
  const std::string text = SerializeOptions(config_options, prefix);
  return text.find('=') == std::string::npos ? text : "{" + text + "}";
}

std::string Configurable::SerializeOptions(const ConfigOptions& config_options,
                                           const std::string& header) const {
  std::string text;
  if (!ConfigurableHelper::CheckForCircle(*this).ok()) return text;
  const Status s = ConfigurableHelper::Serialize(config_options, *this, header, &text);
  return s.ok() ? text : std::string();
}

Status Configurable::GetOptionNames(const ConfigOptions& config_options,
                                    std::unordered_set<std::string>* result) const {
  ConfigurableHelper::ForEach(
      *this, [&](const OptionTypeInfo& info, const std::string& name, const void* /*opt_ptr*/) {
        if (!info.IsDeprecated() && !info.IsAlias() && info.IsEditable(config_options)) {
          result->insert(name);
        }
        return true;
      });
  return Status::OK();
}

Status Configurable::GetOption(const ConfigOptions& config_options, const std::string& name,
                               std::string* value) const {
  value->clear();
  ConfigurableHelper::Found found;
  if (!ConfigurableHelper::Find(*this, name, &found)) {
    return Status::NotFound("Cannot find option", name);
  }
  Status s = ConfigurableHelper::CheckForCircle(*this);
  if (!s.ok()) return s;
  ConfigOptions embedded = config_options;
  embedded.delimiter = ";";
  if (found.member == found.name || found.info->IsStruct()) {
    return found.info->Serialize(embedded, found.member, found.opt_ptr, value);
  }
  const auto* nested = found.info->AsRawPointer<Configurable>(found.opt_ptr);
  return nested != nullptr ? nested->GetOption(embedded, found.member, value)
                           : Status::NotFound("Cannot find option", name);
}

bool Configurable::OptionsAreEqual(const ConfigOptions& config_options,
                                   const OptionTypeInfo& opt_info, const std::string& name,
                                   const void* this_ptr, const void* that_ptr,
                                   std::string* bad_name) const {
  if (opt_info.AreEqual(config_options, name, this_ptr, that_ptr, bad_name)) return true;
  if (!opt_info.AreEqualByName(config_options, name, this_ptr, that_ptr)) return false;
  bad_name->clear();
  return true;
}

bool Configurable::AreEquivalent(const ConfigOptions& config_options, const Configurable* other,
                                 std::string* name) const {
  name->clear();
  if (this == other || config_options.IsCheckDisabled()) return true;
  if (other == nullptr || !ConfigurableHelper::CheckForCircle(*this).ok() ||
      !ConfigurableHelper::CheckForCircle(*other).ok()) {
    return false;
  }
  ConfigOptions single = config_options;
  single.mutable_options_only = false;
  for (const RegisteredOptions& options : options_) {
    const void* ours = GetOptionsPtr(options.name);
    const void* theirs = other->GetOptionsPtr(options.name);
    if (ours == theirs) continue;
    if (ours == nullptr || theirs == nullptr) return false;
    if (options.type_map == nullptr) continue;
    for (const auto& [option, info] : *options.type_map) {
      if (info.IsEditable(config_options) && config_options.IsCheckEnabled(info.GetSanityLevel()) &&
          !OptionsAreEqual(single, info, option, ours, theirs, name)) {
        return false;
      }
    }
  }
  return true;
}

Status Configurable::PrepareOptions(const ConfigOptions& config_options) {
  Status s = ConfigurableHelper::CheckForCircle(*this);
  if (!s.ok()) return s;
  ConfigurableHelper::ForEach(
      *this, [&](const OptionTypeInfo& info, const std::string& name, void* opt_ptr) {
        s = info.Prepare(config_options, name, opt_ptr);
        return s.ok();
      });
  return s;
}

Status Configurable::ValidateOptions(const DBOptions& db_opts,
                                     const ColumnFamilyOptions& cf_opts) const {
  Status s = ConfigurableHelper::CheckForCircle(*this);
  if (!s.ok()) return s;
  ConfigurableHelper::ForEach(
      *this, [&](const OptionTypeInfo& info, const std::string& name, const void* opt_ptr) {
        s = info.Validate(db_opts, cf_opts, name, opt_ptr);
        return s.ok();
      });
  return s;
}

Status Configurable::GetOptionsMap(const std::string& opt_value, const std::string& default_id,
                                   std::string* id,
                                   std::unordered_map<std::string, std::string>* options) {
  options->clear();
  *id = opt_value;
  if (opt_value.empty() || opt_value == cairn::kNullObject) *id = default_id;
  if (opt_value.find('=') == std::string::npos) return Status::OK();
  Status s = cairn::SplitOptions(opt_value, options);
  const bool is_list = opt_value.find('{') != std::string::npos ||
                       opt_value.find(std::string(OptionTypeInfo::kIdPropName()) + "=") == 0;
  if (!s.ok()) {
    options->clear();
    return is_list ? s : Status::OK();  // a URI, say, is an id with "=" in it
  }
  const auto named = options->find(OptionTypeInfo::kIdPropName());
  if (named != options->end()) {
    *id = named->second == cairn::kNullObject ? "" : named->second;
    options->erase(named);
  } else if (!default_id.empty()) {
    *id = default_id;
  } else {
    options->clear();
  }
  return Status::OK();
}

// --- Customizable

std::string Customizable::GetOptionName(const std::string& long_name) const {
  const std::string prefix = std::string(Name()) + ".";
  return long_name.size() > prefix.size() && long_name.starts_with(prefix)
             ? long_name.substr(prefix.size())
             : Configurable::GetOptionName(long_name);
}

std::string Customizable::GenerateIndividualId() const {
  char place[32];
  std::snprintf(place, sizeof(place), "@%p#", static_cast<const void*>(this));
  return Name() + (place + std::to_string(cairn::ProcessId()));
}

Status Customizable::GetOption(const ConfigOptions& config_options, const std::string& name,
                               std::string* value) const {
  if (name != OptionTypeInfo::kIdPropName()) {
    return Configurable::GetOption(config_options, name, value);
  }
  *value = GetId();
  return Status::OK();
}

std::string Customizable::SerializeOptions(const ConfigOptions& config_options,
                                           const std::string& prefix) const {
  const std::string id = GetId();
  std::string settings;
  if (!config_options.IsShallow() && !id.empty()) {
    settings = Configurable::SerializeOptions(config_options, "");
  }
  if (settings.empty()) return id;
  return prefix + OptionTypeInfo::kIdPropName() + "=" + id + config_options.delimiter + settings;
}

bool Customizable::AreEquivalent(const ConfigOptions& config_options, const Configurable* other,
                                 std::string* mismatch) const {
  if (this == other || config_options.IsCheckDisabled()) return true;
  // (Of this class, the caller says.)
  const auto* custom = static_cast<const Customizable*>(other);
  if (custom == nullptr) return false;
  if (GetId() != custom->GetId()) {
    *mismatch = OptionTypeInfo::kIdPropName();
    return false;
  }
  return config_options.sanity_level <= ConfigOptions::kSanityLevelLooselyCompatible ||
         Configurable::AreEquivalent(config_options, other, mismatch);
}

Status Customizable::GetOptionsMap(const ConfigOptions& config_options, const Customizable* custom,
                                   const std::string& opt_value, std::string* id,
                                   std::unordered_map<std::string, std::string>* options) {
  if (opt_value.empty() || opt_value == cairn::kNullObject) {
    id->clear();
    options->clear();
    return Status::OK();
  }
  if (custom == nullptr) return Configurable::GetOptionsMap(opt_value, "", id, options);
  Status s = Configurable::GetOptionsMap(opt_value, custom->GetId(), id, options);
  if (!s.ok() || !custom->IsInstanceOf(*id)) return s;
  ConfigOptions embedded = config_options;
  embedded.delimiter = ";";
  std::string text;
  cairn::OptionMap current;
  if (custom->GetOptionString(embedded, &text).ok() && cairn::SplitOptions(text, &current).ok()) {
    options->insert(current.begin(), current.end());
  }
  return s;
}

Status Customizable::ConfigureNewObject(
    const ConfigOptions& config_options, Customizable* object,
    const std::unordered_map<std::string, std::string>& options) {
  if (object != nullptr) return object->ConfigureFromMap(config_options, options);
  return options.empty()
             ? Status::OK()
             : Status::InvalidArgument("There is no object to configure", options.begin()->first);
}

}  // namespace ROCKSDB_NAMESPACE
