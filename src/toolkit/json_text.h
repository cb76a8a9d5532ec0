// A JSON object as text, built member by member. Thread safety: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "base/string_util.h"

namespace cairn {

class JsonObject {
 public:
  void Number(std::string_view name, uint64_t value) { Member(name) += NumberToString(value); }
  void Text(std::string_view name, std::string_view value) { Member(name) += Quoted(value); }
  // `items` are JSON themselves.
  void Array(std::string_view name, const std::vector<std::string>& items) {
    std::string& text = Member(name);
    text += '[';
    for (const std::string& item : items) {
      if (text.back() != '[') text += ", ";
      text += item;
    }
    text += ']';
  }
  // `object` is JSON itself.
  void Object(std::string_view name, std::string_view object) { Member(name) += object; }
  std::string Done() const { return text_ + "}"; }

 private:
  std::string& Member(std::string_view name) {
    if (text_.size() > 1) text_ += ", ";
    text_ += Quoted(name) + ": ";
    return text_;
  }
  // Bytes that are no ASCII stand for the characters of the same numbers.
  static std::string Quoted(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte >= 0x7f) {
        quoted += StringPrintf("\\u%04x", byte);
      } else {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
      }
    }
    return quoted + "\"";
  }

  std::string text_ = "{";
};

}  // namespace cairn
