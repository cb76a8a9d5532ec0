#include "server/resp/reply.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace cairn::server {

void ReplyWriter::Number(int64_t value) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  text_.append(digits, static_cast<size_t>(end - digits));
}

void ReplyWriter::Header(char kind, size_t count) {
  text_.push_back(kind);
  Number(static_cast<int64_t>(count));
  text_.append("\r\n");
}

void ReplyWriter::Simple(std::string_view text) {
  text_.push_back('+');
  text_.append(text);
  text_.append("\r\n");
}

void ReplyWriter::Error(std::string_view text) {
  text_.push_back('-');
  const size_t begin = text_.size();
  text_.append(text);
  for (size_t i = begin; i < text_.size(); ++i) {
    if (text_[i] == '\r' || text_[i] == '\n') text_[i] = ' ';
  }
  text_.append("\r\n");
}

void ReplyWriter::Integer(int64_t value) {
  text_.push_back(':');
  Number(value);
  text_.append("\r\n");
}

void ReplyWriter::Bulk(std::string_view value) {
  if (!Fits(value.size())) return;
  Header('$', value.size());
  text_.append(value);
  text_.append("\r\n");
}

void ReplyWriter::Pinned(std::string_view value, std::shared_ptr<const void> owner) {
  if (value.size() < kMinPinnedBytes) {
    Bulk(value);
    return;
  }
  if (!Fits(value.size())) return;
  Header('$', value.size());
  pinned_bytes_ += value.size();
  pinned_.push_back({text_.size(), value, std::move(owner)});
  text_.append("\r\n");
}

void ReplyWriter::BulkInteger(int64_t value) {
  char digits[24];
  const char* const end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  Bulk({digits, static_cast<size_t>(end - digits)});
}

void ReplyWriter::Null() { text_.append(version_ >= 3 ? "_\r\n" : "$-1\r\n"); }

void ReplyWriter::NullArray() { text_.append(version_ >= 3 ? "_\r\n" : "*-1\r\n"); }

void ReplyWriter::Boolean(bool value) {
  if (version_ >= 3) {
    text_.append(value ? "#t\r\n" : "#f\r\n");
  } else {
    Integer(value ? 1 : 0);
  }
}

void ReplyWriter::Double(double value) {
  const std::string text = FormatDouble(value);
  if (version_ >= 3) {
    text_.push_back(',');
    text_.append(text);
    text_.append("\r\n");
  } else {
    Bulk(text);
  }
}

void ReplyWriter::Verbatim(std::string_view format, std::string_view text) {
  if (version_ < 3) {
    Bulk(text);
    return;
  }
  Header('=', format.size() + 1 + text.size());
  text_.append(format);
  text_.push_back(':');
  text_.append(text);
  text_.append("\r\n");
}

void ReplyWriter::Map(size_t pairs) {
  if (version_ >= 3) {
    Header('%', pairs);
  } else {
    Header('*', 2 * pairs);
  }
}

void ReplyWriter::Rewind(const Mark& mark) {
  overflowed_ = false;
  text_.resize(mark.text);
  while (pinned_.size() > mark.pinned) {
    pinned_bytes_ -= pinned_.back().value.size();
    pinned_.pop_back();
  }
}

void ReplyWriter::MoveBefore(const Mark& earlier, const Mark& later) {
  const std::string moved = text_.substr(later.text);
  text_.resize(later.text);
  text_.insert(earlier.text, moved);
  for (size_t i = earlier.pinned; i < later.pinned; ++i) pinned_[i].offset += moved.size();
}

void ReplyWriter::Clear() {
  text_.clear();
  pinned_.clear();
  pinned_bytes_ = 0;
  overflowed_ = false;
}

void ReplyWriter::Shrink(size_t bytes) {
  if (text_.capacity() > bytes) text_ = std::string();
}

std::string ReplyWriter::ToString() const {
  std::string all;
  all.reserve(size());
  ForEachPart([&all](const char* data, size_t size) { all.append(data, size); });
  return all;
}

std::string FormatDouble(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[64];
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-5 && size < 1e17);
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const char* const end = std::to_chars(text, text + sizeof(text), value, format).ptr;
  return std::string(text, static_cast<size_t>(end - text));
}

}  // namespace cairn::server
