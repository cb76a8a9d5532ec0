// Objects as values of options: their text, and from text by their type's CreateFromString().
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/option_fields.h"
#include "rocksdb/convenience.h"
#include "rocksdb/customizable.h"

namespace cairn {

// The id, or "{id=...;a=1;}"; "nullptr" for null.
std::string FormatObject(const Customizable* object);

// Knows what is built in, and nothing of the user's.
const ConfigOptions& ConfigWithoutRegistry();

inline bool IsNullText(const std::string& value) { return value.empty() || value == "nullptr"; }

// `config` says where objects of the user's are looked up; null: nowhere.
template <typename T, typename Pointer>
SetResult BuildObject(const std::string& value, const ConfigOptions* config, Pointer* object) {
  if (IsNullText(value)) {
    *object = nullptr;
    return SetResult::kSet;
  }
  ConfigOptions strict = config != nullptr ? *config : ConfigWithoutRegistry();
  strict.ignore_unsupported_options = false;
  const Status made = T::CreateFromString(strict, value, object);
  if (made.IsNotSupported()) return SetResult::kUsers;
  return made.ok() ? SetResult::kSet : SetResult::kMalformed;
}

// The items of a list, "A:{id=B;c=1}", which may stand in braces; each without its own.
std::vector<std::string> ItemsOfList(const std::string& text);

// A list of them. What is the user's and not found is left out, and the result is then kUsers.
template <typename T>
SetResult BuildObjects(const std::string& value, const ConfigOptions* config,
                       std::vector<std::shared_ptr<T>>* objects) {
  SetResult all = SetResult::kSet;
  std::vector<std::shared_ptr<T>> made;
  for (const std::string& item : ItemsOfList(value)) {
    std::shared_ptr<T> object;
    const SetResult result = BuildObject<T>(item, config, &object);
    if (result == SetResult::kMalformed) return result;
    if (result == SetResult::kUsers) all = result;
    if (object != nullptr) made.push_back(std::move(object));
  }
  *objects = std::move(made);
  return all;
}

}  // namespace cairn
