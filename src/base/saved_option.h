// What options were before they were set, so that a setting of several that fails changes nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/customizable.h"
#include "rocksdb/utilities/options_type.h"

namespace cairn {

// One option: its text, and of an object that is shared or borrowed the pointer as well. Not
// thread-safe.
class SavedOption {
 public:
  SavedOption(const ConfigOptions& config, const OptionTypeInfo& info, const std::string& name,
              void* opt_ptr);

  // An option without a text (SerializeFunc) stays as it is.
  void Restore() const;

 private:
  bool RestorePointer() const;

  ConfigOptions config_;
  OptionTypeInfo info_;
  std::string name_;
  void* opt_ptr_;
  bool has_text_;
  std::string text_;
  std::shared_ptr<Customizable> shared_;
  Customizable* raw_ = nullptr;
};

// Those that were set, the last one first.
class SavedOptions {
 public:
  explicit SavedOptions(const ConfigOptions& config) : config_(config) {}

  void Save(const OptionTypeInfo& info, const std::string& name, void* opt_ptr) {
    if (!info.IsDeprecated()) saved_.emplace_back(config_, info, name, opt_ptr);
  }
  void Restore() {
    for (; !saved_.empty(); saved_.pop_back()) saved_.back().Restore();
  }

 private:
  const ConfigOptions& config_;
  std::vector<SavedOption> saved_;
};

}  // namespace cairn
