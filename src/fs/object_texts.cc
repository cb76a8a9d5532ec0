#include "fs/object_texts.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/string_util.h"
#include "rocksdb/utilities/object_registry.h"

namespace cairn {

namespace {

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

}  // namespace

std::string FormatObject(const Customizable* object) {
  static const ConfigOptions& config = *new ConfigOptions;
  return object == nullptr ? "nullptr" : object->ToString(config);
}

const ConfigOptions& ConfigWithoutRegistry() {
  static const ConfigOptions& config = *[] {
    auto* made = new ConfigOptions;
    made->registry = ObjectRegistry::NewInstance(nullptr);
    return made;
  }();
  return config;
}

std::vector<std::string> ItemsOfList(const std::string& text) {
  std::vector<std::string> items;
  std::string_view rest = WithoutBraces(text);
  while (!rest.empty()) {
    const size_t end = EndOfItem(rest, ':');
    items.emplace_back(WithoutBraces(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return items;
}

}  // namespace cairn
