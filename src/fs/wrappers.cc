// What wraps an object of its own type, and has it as an option: EnvWrapper, FileSystemWrapper,
// SystemClockWrapper.
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/namespace.h"
#include "fs/env_file_system.h"
#include "rocksdb/convenience.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {

namespace {

using TypeMap = std::unordered_map<std::string, OptionTypeInfo>;

// The text of the wrapper with that of what it wraps; alone where that is null or the default.
std::string WithTarget(const ConfigOptions& config, const std::string& header, std::string wrapper,
                       const Customizable* target, const char* default_name) {
  if (config.IsShallow() || target == nullptr || target->IsInstanceOf(default_name)) {
    return wrapper;
  }
  std::string text = header;
  if (!wrapper.starts_with("id=")) text += "id=";
  text += wrapper;
  if (!text.ends_with(config.delimiter)) text += config.delimiter;
  return text + "target=" + target->ToString(config);
}

template <typename T>
const TypeMap* SharedTarget() {
  static const auto& kOptions = *new TypeMap{
      {"target", OptionTypeInfo::AsCustomSharedPtr<T>(0, OptionVerificationType::kByName,
                                                      OptionTypeFlags::kDontSerialize)}};
  return &kOptions;
}

const TypeMap* EnvTarget() {
  using Target = EnvWrapper::Target;
  static const auto& kOptions = *new TypeMap{
      {"target",
       OptionTypeInfo(0, OptionType::kUnknown, OptionVerificationType::kByName,
                      OptionTypeFlags::kDontSerialize)
           .SetParseFunc([](const ConfigOptions& config, const std::string& /*name*/,
                            const std::string& value, void* addr) {
             auto* target = static_cast<Target*>(addr);
             return Env::CreateFromString(config, value, &target->env, &target->guard);
           })
           .SetEqualsFunc([](const ConfigOptions& config, const std::string& /*name*/,
                             const void* a, const void* b, std::string* mismatch) {
             const Env* one = static_cast<const Target*>(a)->env;
             const Env* other = static_cast<const Target*>(b)->env;
             return one == nullptr ? other == nullptr : one->AreEquivalent(config, other, mismatch);
           })
           .SetPrepareFunc(
               [](const ConfigOptions& config, const std::string& /*name*/, void* addr) {
                 auto* target = static_cast<Target*>(addr);
                 target->Prepare();
                 return target->env->PrepareOptions(config);
               })
           .SetValidateFunc([](const DBOptions& db_options, const ColumnFamilyOptions& cf_options,
                               const std::string& /*name*/, const void* addr) {
             const Env* env = static_cast<const Target*>(addr)->env;
             return env == nullptr ? Status::InvalidArgument("Target Env not specified")
                                   : env->ValidateOptions(db_options, cf_options);
           })}};
  return &kOptions;
}

}  // namespace

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

// --- Env

void EnvWrapper::Target::Prepare() {
  if (guard != nullptr) {
    env = guard.get();
  } else if (env == nullptr) {
    env = Env::Default();
  }
}

EnvWrapper::EnvWrapper(Env* target) : Env(target), target_(target), files_of_(target) {
  RegisterOptions("", &target_, cairn::EnvTarget());
}

EnvWrapper::EnvWrapper(std::unique_ptr<Env>&& target)
    : EnvWrapper(std::shared_ptr<Env>(std::move(target))) {}

EnvWrapper::EnvWrapper(const std::shared_ptr<Env>& target)
    : Env(target.get()), target_(target), files_of_(target.get()) {
  RegisterOptions("", &target_, cairn::EnvTarget());
}

EnvWrapper::~EnvWrapper() = default;

Status EnvWrapper::PrepareOptions(const ConfigOptions& options) {
  target_.Prepare();
  if (target_.env != files_of_) {
    files_of_ = target_.env;
    file_system_ = std::make_shared<cairn::EnvFileSystem>(this, files_of_->GetFileSystem());
  }
  return Env::PrepareOptions(options);
}

std::string EnvWrapper::SerializeOptions(const ConfigOptions& config_options,
                                         const std::string& header) const {
  return cairn::WithTarget(config_options, header, Env::SerializeOptions(config_options, ""),
                           target_.env, kDefaultName());
}

// --- FileSystem

FileSystemWrapper::FileSystemWrapper(const std::shared_ptr<FileSystem>& t) : target_(t) {
  RegisterOptions("", &target_, cairn::SharedTarget<FileSystem>());
}

Status FileSystemWrapper::PrepareOptions(const ConfigOptions& options) {
  if (target_ == nullptr) target_ = FileSystem::Default();
  return FileSystem::PrepareOptions(options);
}

std::string FileSystemWrapper::SerializeOptions(const ConfigOptions& config_options,
                                                const std::string& header) const {
  return cairn::WithTarget(config_options, header, FileSystem::SerializeOptions(config_options, ""),
                           target_.get(), kDefaultName());
}

// --- SystemClock

SystemClockWrapper::SystemClockWrapper(const std::shared_ptr<SystemClock>& target)
    : target_(target) {
  RegisterOptions("", &target_, cairn::SharedTarget<SystemClock>());
}

Status SystemClockWrapper::PrepareOptions(const ConfigOptions& options) {
  if (target_ == nullptr) target_ = SystemClock::Default();
  return SystemClock::PrepareOptions(options);
}

std::string SystemClockWrapper::SerializeOptions(const ConfigOptions& config_options,
                                                 const std::string& header) const {
  return cairn::WithTarget(config_options, header,
                           SystemClock::SerializeOptions(config_options, ""), target_.get(),
                           kDefaultName());
}

}  // namespace ROCKSDB_NAMESPACE
