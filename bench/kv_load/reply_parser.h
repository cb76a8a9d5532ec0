// Reads the replies of a server of the Redis protocol (RESP2 and RESP3) as they come in, piece by
// piece, keeping nothing but where it stands: a value is looked at where the socket put it, however
// large. The format: https://redis.io/docs/latest/develop/reference/protocol-spec/.
//
// Used by one connection; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kv_load {

// Looks at the values of a reply. `element` counts the values that are no collections, from 0.
class ValueSink {
 public:
  virtual ~ValueSink() = default;
  // A piece of a string that stands `offset` bytes from its beginning.
  virtual void OnPiece(uint64_t element, uint64_t offset, std::string_view piece) = 0;
  virtual void OnEnd(uint64_t element, uint64_t size) = 0;
  virtual void OnNull(uint64_t element) = 0;
};

class ReplyParser {
 public:
  enum class Result {
    kReply,  // one reply is complete
    kMore,   // all was taken, the reply is not complete
    kMalformed
  };

  // Takes bytes from `*at` on, to the end of one reply at most, and moves `*at` behind them.
  // `sink` may be null. What a server sends unasked (push) is skipped. REQUIRES after kMalformed:
  // Reset().
  Result Parse(const char** at, const char* end, ValueSink* sink);
  void Reset();

  // Of the reply that is complete. `error_text`: the first error's, cut to kErrorText bytes.
  uint64_t nulls() const { return nulls_; }
  uint64_t errors() const { return errors_; }
  const std::string& error_text() const { return error_text_; }

  static constexpr size_t kErrorText = 160;

 private:
  enum class State : uint8_t { kType, kText, kNumber, kBody };

  void Begin();
  bool TakeText(const char** at, const char* end);
  bool TakeNumber(const char** at, const char* end, bool* complete);
  bool TakeBody(const char** at, const char* end, ValueSink* sink, bool* complete);
  bool UseNumber(ValueSink* sink);
  void EndElement(ValueSink* sink, bool null);
  void BeginError();
  void AddErrorText(std::string_view piece);

  State state_ = State::kType;
  bool begun_ = false;  // a reply, which is not complete
  bool push_ = false;   // it is one that nobody asked for
  char type_ = 0;       // of the element
  char last_ = 0;       // byte before *at, of a text or a number
  bool negative_ = false;
  bool digits_ = false;
  uint64_t number_ = 0;
  uint64_t body_size_ = 0;
  uint64_t body_taken_ = 0;  // with the two bytes behind it
  uint64_t pending_ = 0;     // elements that are still to come
  uint64_t elements_ = 0;    // that ended, collections not counted
  uint64_t nulls_ = 0;
  uint64_t errors_ = 0;
  std::string error_text_;
};

}  // namespace kv_load
