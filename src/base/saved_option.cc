#include "base/saved_option.h"

#include <unordered_map>

namespace cairn {

SavedOption::SavedOption(const ConfigOptions& config, const OptionTypeInfo& info,
                         const std::string& name, void* opt_ptr)
    : config_(config), info_(info), name_(name), opt_ptr_(opt_ptr) {
  config_.ignore_unknown_options = true;
  config_.ignore_unsupported_options = true;
  config_.input_strings_escaped = true;
  config_.mutable_options_only = false;
  config_.invoke_prepare_options = false;
  config_.depth = ConfigOptions::kDepthDetailed;
  config_.delimiter = ";";
  if (info_.IsEnabled(OptionTypeFlags::kDontSerialize)) {
    info_.SetFlags(
        static_cast<OptionTypeFlags>(static_cast<uint32_t>(info_.GetFlags()) &
                                     ~static_cast<uint32_t>(OptionTypeFlags::kDontSerialize)));
  }
  has_text_ = info_.Serialize(config_, name_, opt_ptr_, &text_).ok();
  if (!info_.IsCustomizable()) return;
  // As OptionTypeInfo::AsRawPointer(): an object begins with its Customizable.
  if (info_.IsSharedPtr()) {
    shared_ = *info_.GetOffsetAs<std::shared_ptr<Customizable>>(opt_ptr_);
  } else if (info_.IsRawPtr()) {
    raw_ = *info_.GetOffsetAs<Customizable*>(opt_ptr_);
  }
}

bool SavedOption::RestorePointer() const {
  if (!info_.IsCustomizable()) return false;
  if (info_.IsSharedPtr()) {
    *info_.GetOffsetAs<std::shared_ptr<Customizable>>(opt_ptr_) = shared_;
  } else if (info_.IsRawPtr()) {
    *info_.GetOffsetAs<Customizable*>(opt_ptr_) = raw_;
  } else {
    return false;
  }
  return true;
}

void SavedOption::Restore() const {
  if (RestorePointer()) {
    auto* object = info_.AsRawPointer<Customizable>(opt_ptr_);
    std::string id;
    std::unordered_map<std::string, std::string> settings;
    if (object == nullptr || !has_text_ || text_.find('=') == std::string::npos ||
        !Configurable::GetOptionsMap(text_, "", &id, &settings).ok()) {
      return;
    }
    (void)object->ConfigureFromMap(config_, settings);
  } else if (has_text_) {
    (void)info_.Parse(config_, name_, text_, opt_ptr_);
  }
}

}  // namespace cairn
