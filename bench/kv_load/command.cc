#include "kv_load/command.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace kv_load {
namespace {

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string Times(int n, const std::string& text) {
  std::string result;
  for (int i = 0; i < n; ++i) result += text;
  return result;
}

}  // namespace

bool Command::Parse(const std::string& text, size_t key_size, size_t value_size, Command* out,
                    std::string* error) {
  *out = Command();
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) words.push_back(word);
  if (words.empty()) {
    *error = "--command is empty";
    return false;
  }
  std::string& encoded = out->encoded_;
  encoded = "*" + std::to_string(words.size()) + "\r\n";
  for (std::string word : words) {
    std::vector<Slot> slots;  // offsets within the word
    for (size_t from = 0; (from = word.find('{', from)) != std::string::npos;) {
      const bool is_key = word.compare(from, 5, "{key}") == 0;
      const bool is_value = word.compare(from, 7, "{value}") == 0;
      if (!is_key && !is_value) {
        *error = "--command: '" + word + "': only {key} and {value} are filled in";
        return false;
      }
      if (is_value && out->keys_ == 0) {
        *error = "--command: a {value} is that of the {key} before it, and there is none";
        return false;
      }
      const size_t size = is_key ? key_size : value_size;
      word.replace(from, is_key ? 5 : 7, size, '0');
      slots.push_back({from, is_value});
      from += size;
      out->keys_ += is_key;
      out->writes_ = out->writes_ || is_value;
    }
    encoded += "$" + std::to_string(word.size()) + "\r\n";
    for (const Slot& slot : slots) {
      out->slots_.push_back({encoded.size() + slot.offset, slot.is_value});
    }
    encoded += word + "\r\n";
  }
  const std::string name = Lower(words.front());
  out->returns_values_ = (name == "get" || name == "mget") && out->keys_ == words.size() - 1;
  return true;
}

std::string NamedCommand(const std::string& name, int batch) {
  if (name == "get") return "GET {key}";
  if (name == "set") return "SET {key} {value}";
  if (name == "mget") return "MGET" + Times(batch, " {key}");
  if (name == "mset") return "MSET" + Times(batch, " {key} {value}");
  if (name == "del") return "DEL" + Times(batch, " {key}");
  if (name == "exists") return "EXISTS" + Times(batch, " {key}");
  // Keys of its own: what set wrote is no number.
  if (name == "incr") return "INCR counter:{key}";
  if (name == "ping") return "PING";
  return "";
}

}  // namespace kv_load
