#include "kv_load/reply_parser.h"

#include <algorithm>
#include <cstring>

namespace kv_load {
namespace {

// More elements than any reply has, and few enough that sums of them do not overflow.
constexpr uint64_t kMostElements = uint64_t{1} << 40;
constexpr uint64_t kLongestString = uint64_t{1} << 40;  // bytes

bool IsText(char type) { return std::strchr("+-:,#(_", type) != nullptr && type != '\0'; }
bool IsString(char type) { return type == '$' || type == '=' || type == '!'; }
bool IsCollection(char type) { return std::strchr("*%~>|", type) != nullptr && type != '\0'; }

}  // namespace

void ReplyParser::Reset() {
  state_ = State::kType;
  begun_ = false;
}

void ReplyParser::Begin() {
  begun_ = true;
  push_ = false;
  pending_ = 1;
  elements_ = 0;
  nulls_ = 0;
  errors_ = 0;
}

ReplyParser::Result ReplyParser::Parse(const char** at, const char* end, ValueSink* sink) {
  while (*at < end) {
    if (!begun_) Begin();
    bool complete = true;  // the part that state_ names
    switch (state_) {
      case State::kType:
        type_ = *(*at)++;
        last_ = 0;
        number_ = 0;
        negative_ = false;
        digits_ = false;
        if (IsText(type_)) {
          state_ = State::kText;
          if (type_ == '-') BeginError();
        } else if (IsString(type_) || IsCollection(type_)) {
          state_ = State::kNumber;
        } else {
          return Result::kMalformed;
        }
        continue;
      case State::kText:
        if (!TakeText(at, end)) return Result::kMalformed;
        complete = state_ == State::kType;
        if (complete) EndElement(sink, type_ == '_');
        break;
      case State::kNumber:
        if (!TakeNumber(at, end, &complete)) return Result::kMalformed;
        if (complete && !UseNumber(sink)) return Result::kMalformed;
        break;
      case State::kBody:
        if (!TakeBody(at, end, push_ ? nullptr : sink, &complete)) return Result::kMalformed;
        break;
    }
    if (!complete) return Result::kMore;
    if (pending_ != 0 || state_ != State::kType) continue;
    begun_ = false;
    if (!push_) return Result::kReply;
  }
  return Result::kMore;
}

void ReplyParser::BeginError() {
  if (errors_++ == 0) error_text_.clear();
}

void ReplyParser::AddErrorText(std::string_view piece) {
  if (errors_ == 1) error_text_ += piece.substr(0, kErrorText - error_text_.size());
}

// To the end of the line: state_ is kType then.
bool ReplyParser::TakeText(const char** at, const char* end) {
  const char* const begin = *at;
  const auto* newline =
      static_cast<const char*>(std::memchr(begin, '\n', static_cast<size_t>(end - begin)));
  const char* const stop = newline == nullptr ? end : newline;
  if (type_ == '-') {
    std::string_view text(begin, static_cast<size_t>(stop - begin));
    if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
    AddErrorText(text);
  }
  if (stop > begin) last_ = stop[-1];
  *at = stop;
  if (newline == nullptr) return true;
  ++*at;
  state_ = State::kType;
  return last_ == '\r';
}

bool ReplyParser::TakeNumber(const char** at, const char* end, bool* complete) {
  while (*at < end) {
    const char c = *(*at)++;
    if (last_ == '\r') {
      *complete = true;
      return c == '\n' && digits_;
    }
    if (c >= '0' && c <= '9') {
      number_ = number_ * 10 + static_cast<uint64_t>(c - '0');
      digits_ = true;
      if (number_ > kLongestString) return false;
    } else if (c == '-' && last_ == 0) {
      negative_ = true;
    } else if (c != '\r') {
      return false;
    }
    last_ = c;
  }
  *complete = false;
  return true;
}

// A string's or a collection's size is known.
bool ReplyParser::UseNumber(ValueSink* sink) {
  state_ = State::kType;
  if (negative_) {  // RESP2's nulls
    if (number_ != 1 || (type_ != '$' && type_ != '*')) return false;
    EndElement(sink, true);
    return true;
  }
  if (IsString(type_)) {
    state_ = State::kBody;
    body_size_ = number_;
    body_taken_ = 0;
    if (type_ == '!') BeginError();
    return true;
  }
  if (type_ == '>') push_ = true;
  // An attribute stands before the element that it belongs to, and is none.
  if (type_ != '|') --pending_;
  pending_ += type_ == '%' || type_ == '|' ? 2 * number_ : number_;
  return pending_ <= kMostElements;
}

bool ReplyParser::TakeBody(const char** at, const char* end, ValueSink* sink, bool* complete) {
  const auto there = static_cast<uint64_t>(end - *at);
  if (body_taken_ < body_size_) {
    const uint64_t n = std::min(body_size_ - body_taken_, there);
    const std::string_view piece(*at, n);
    if (sink != nullptr) sink->OnPiece(elements_, body_taken_, piece);
    if (type_ == '!') AddErrorText(piece);
    body_taken_ += n;
    *at += n;
  }
  while (*at < end && body_taken_ < body_size_ + 2) {
    const char expected = body_taken_ == body_size_ ? '\r' : '\n';
    ++body_taken_;
    if (*(*at)++ != expected) return false;
  }
  *complete = body_taken_ == body_size_ + 2;
  if (*complete) {
    state_ = State::kType;
    if (sink != nullptr) sink->OnEnd(elements_, body_size_);
    EndElement(nullptr, false);
  }
  return true;
}

void ReplyParser::EndElement(ValueSink* sink, bool null) {
  if (null) {
    ++nulls_;
    if (sink != nullptr && !push_) sink->OnNull(elements_);
  }
  ++elements_;
  --pending_;
}

}  // namespace kv_load
