#include "server/resp/request_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace cairn::server {

namespace {

constexpr size_t kKeptPieces = 1024;  // a request of more arguments gives its memory back

// A whole number without sign or space; "-1" is the null array of old clients.
bool ParseLength(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }

// The character that "\x41" or "\n" stands for, at text[*i] == '\\'; moves *i to its last byte.
char Unescape(std::string_view text, size_t* i) {
  if (*i + 3 < text.size() && text[*i + 1] == 'x') {
    const int high = HexDigit(text[*i + 2]), low = HexDigit(text[*i + 3]);
    if (high >= 0 && low >= 0) {
      *i += 3;
      return static_cast<char>(high << 4 | low);
    }
  }
  const char c = text[++*i];
  switch (c) {
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    default:
      return c;
  }
}

}  // namespace

bool SplitWords(std::string_view line, std::vector<std::string>* words) {
  size_t i = 0;
  for (;;) {
    while (i < line.size() && IsSpace(line[i])) ++i;
    if (i == line.size()) return true;
    std::string word;
    while (i < line.size() && !IsSpace(line[i])) {
      const char quote = line[i];
      if (quote != '"' && quote != '\'') {
        word.push_back(line[i++]);
        continue;
      }
      bool closed = false;
      for (++i; i < line.size() && !closed; ++i) {
        if (line[i] == quote) {
          closed = true;
        } else if (line[i] == '\\' && i + 1 < line.size() && quote == '"') {
          word.push_back(Unescape(line, &i));
        } else if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\'') {
          word.push_back(line[++i]);
        } else {
          word.push_back(line[i]);
        }
      }
      // What follows a closing quote must be the end of the word.
      if (!closed || (i < line.size() && !IsSpace(line[i]))) return false;
    }
    words->push_back(std::move(word));
  }
}

size_t GrownInput(size_t have, size_t needed, size_t least) {
  const size_t doubled = have + std::max(least, have);
  return needed >= have + least ? std::min(needed, doubled) : doubled;
}

void RequestParser::Restart() {
  counted_ = sized_ = false;
  arguments_left_ = argument_size_ = position_ = searched_ = 0;
  pieces_.clear();
  if (pieces_.capacity() > kKeptPieces) std::vector<Piece>().swap(pieces_);
  bytes_needed_ = 1;
}

RequestParser::Outcome RequestParser::Fail(std::string error) {
  error_ = "Protocol error: " + std::move(error);
  return Outcome::kError;
}

RequestParser::Outcome RequestParser::Next(std::string_view input, size_t* consumed,
                                           std::vector<std::string_view>* arguments) {
  *consumed = 0;
  for (;;) {
    if (input.empty()) {
      bytes_needed_ = 1;
      return Outcome::kNeedMore;
    }
    size_t taken = 0;
    const size_t before = arguments->size();
    const Outcome outcome = input[0] == '*' ? NextArray(input, &taken, arguments)
                                            : NextInline(input, &taken, arguments);
    if (outcome != Outcome::kRequest) return outcome;
    Restart();
    *consumed += taken;
    if (arguments->size() != before) return Outcome::kRequest;
    input.remove_prefix(taken);  // an empty one
  }
}

RequestParser::Outcome RequestParser::TakeLine(std::string_view input, const char* too_long,
                                               std::string_view* line) {
  ++steps_;
  searched_ = std::max(searched_, position_);
  const void* const found = searched_ < input.size()
                                ? memchr(input.data() + searched_, '\r', input.size() - searched_)
                                : nullptr;
  if (found == nullptr) {
    searched_ = input.size();
    if (input.size() - position_ > limits_.max_inline_bytes) return Fail(too_long);
    bytes_needed_ = input.size() + 1;
    return Outcome::kNeedMore;
  }
  const size_t end = static_cast<size_t>(static_cast<const char*>(found) - input.data());
  if (end - position_ > limits_.max_inline_bytes) return Fail(too_long);
  if (end + 1 >= input.size()) {
    searched_ = end;
    bytes_needed_ = end + 2;
    return Outcome::kNeedMore;
  }
  *line = input.substr(position_, end - position_);
  position_ = end + 2;
  return Outcome::kRequest;
}

RequestParser::Outcome RequestParser::NextArray(std::string_view input, size_t* consumed,
                                                std::vector<std::string_view>* arguments) {
  std::string_view line;
  if (!counted_) {
    const Outcome outcome = TakeLine(input, "too big mbulk count string", &line);
    if (outcome != Outcome::kRequest) return outcome;
    int64_t count;
    if (!ParseLength(line.substr(1), &count) || count > INT32_MAX) {
      return Fail("invalid multibulk length");
    }
    if (count > 0 && static_cast<uint64_t>(count) > limits_.max_arguments) {
      return Fail(limits_.max_arguments < 1024 ? "unauthenticated multibulk length"
                                               : "invalid multibulk length");
    }
    counted_ = true;
    arguments_left_ = count > 0 ? static_cast<size_t>(count) : 0;
    pieces_.reserve(std::min(arguments_left_, kKeptPieces));
  }
  while (arguments_left_ > 0) {
    if (!sized_) {
      if (position_ < input.size() && input[position_] != '$') {
        return Fail(std::string("expected '$', got '") + input[position_] + "'");
      }
      const Outcome outcome = TakeLine(input, "too big bulk count string", &line);
      if (outcome != Outcome::kRequest) return outcome;
      int64_t size;
      if (!ParseLength(line.substr(1), &size) || size < 0) return Fail("invalid bulk length");
      if (static_cast<uint64_t>(size) > limits_.max_argument_bytes) {
        return Fail(limits_.max_arguments < 1024 ? "unauthenticated bulk length"
                                                 : "invalid bulk length");
      }
      if (static_cast<uint64_t>(size) + position_ > limits_.max_request_bytes) {
        return Fail("the request is larger than this server accepts");
      }
      argument_size_ = static_cast<size_t>(size);
      sized_ = true;
    }
    ++steps_;
    const size_t end = position_ + argument_size_;
    if (input.size() < end + 2) {
      bytes_needed_ = end + 2;
      return Outcome::kNeedMore;
    }
    if (input[end] != '\r' || input[end + 1] != '\n') {
      return Fail("a bulk string does not end where its length says");
    }
    pieces_.push_back({position_, argument_size_});
    position_ = end + 2;
    sized_ = false;
    --arguments_left_;
  }
  for (const Piece& piece : pieces_) {
    arguments->push_back(input.substr(piece.offset, piece.size));
  }
  *consumed = position_;
  return Outcome::kRequest;
}

RequestParser::Outcome RequestParser::NextInline(std::string_view input, size_t* consumed,
                                                 std::vector<std::string_view>* arguments) {
  ++steps_;
  const size_t start = std::max(searched_, position_);
  const void* const found = memchr(input.data() + start, '\n', input.size() - start);
  const size_t end = found != nullptr
                         ? static_cast<size_t>(static_cast<const char*>(found) - input.data())
                         : input.size();
  if (end > limits_.max_inline_bytes) return Fail("too big inline request");
  if (found == nullptr) {
    searched_ = input.size();
    bytes_needed_ = input.size() + 1;
    return Outcome::kNeedMore;
  }
  std::vector<std::string> words;
  if (!SplitWords(input.substr(0, end), &words)) return Fail("unbalanced quotes in request");
  for (std::string& word : words) {
    arguments->push_back(inline_arguments_.emplace_back(std::move(word)));
  }
  *consumed = end + 1;
  return Outcome::kRequest;
}

}  // namespace cairn::server
