// Writes replies of the Redis protocol, version 2 or 3, into a buffer. What version 3 has and
// version 2 has not (maps, sets, doubles, null) becomes what Redis sends to clients of version 2.
//
// A value that the database holds pinned can go out without being copied: Pinned() keeps it beside
// the text, and ForEachPart() gives the pieces in their order.
//
// Used by the connections of cairn-server and by bench/pool_server. Not thread safe.

#ifndef CAIRN_SERVER_RESP_REPLY_H_
#define CAIRN_SERVER_RESP_REPLY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::server {

class ReplyWriter {
 public:
  // A pinned value of at least so many bytes is not copied.
  static constexpr size_t kMinPinnedBytes = 16 << 10;

  void set_version(int version) { version_ = version; }
  int version() const { return version_; }

  void Simple(std::string_view text);  // one line
  void Ok() { text_.append("+OK\r\n"); }
  // "ERR ...": one line, begins with the kind of error; bytes that would end the line become
  // spaces.
  void Error(std::string_view text);
  void Integer(int64_t value);
  void Bulk(std::string_view value);
  // `owner` keeps the bytes until they are sent.
  void Pinned(std::string_view value, std::shared_ptr<const void> owner);
  void BulkInteger(int64_t value);
  void Null();
  void NullArray();
  void Boolean(bool value);
  void Double(double value);
  // `format`: "txt" or "mkd".
  void Verbatim(std::string_view format, std::string_view text);
  // What follows are so many elements; pairs of elements of a map.
  void Array(size_t count) { Header('*', count); }
  void Map(size_t pairs);
  void Set(size_t count) { Header(version_ >= 3 ? '~' : '*', count); }
  void Push(size_t count) { Header(version_ >= 3 ? '>' : '*', count); }
  // What is a reply already, byte for byte.
  void Raw(std::string_view bytes) { text_.append(bytes); }

  // Replies end at so many bytes since Clear(): what would be more is left out, and overflowed()
  // says so until Rewind(). They are of no use then.
  void set_limit(size_t bytes) { limit_ = bytes; }
  bool overflowed() const { return overflowed_; }

  // Bytes written since Clear(), pinned values among them.
  size_t size() const { return text_.size() + pinned_bytes_; }
  bool empty() const { return text_.empty(); }
  // No pinned value is among it: text() is all of it.
  bool contiguous() const { return pinned_.empty(); }
  std::string_view text() const { return text_; }
  // Forgets the first `bytes`, which were sent. REQUIRES: contiguous().
  void DropSent(size_t bytes) {
    if (bytes == text_.size()) {
      text_.clear();
    } else {
      text_.erase(0, bytes);
    }
  }
  // A place to Rewind() to.
  struct Mark {
    size_t text;
    size_t pinned;
  };
  Mark mark() const { return {text_.size(), pinned_.size()}; }
  void Rewind(const Mark& mark);
  // Moves what was written since `later` before what was written since `earlier`: for a header
  // whose count is known last. REQUIRES: nothing is pinned since `later`.
  void MoveBefore(const Mark& earlier, const Mark& later);
  void Clear();
  // Gives back memory beyond `bytes`. REQUIRES: empty().
  void Shrink(size_t bytes);

  // Calls `part(data, size)` for each piece of what was written.
  template <class Part>
  void ForEachPart(const Part& part) const {
    size_t begin = 0;
    for (const PinnedValue& pinned : pinned_) {
      if (pinned.offset > begin) part(text_.data() + begin, pinned.offset - begin);
      part(pinned.value.data(), pinned.value.size());
      begin = pinned.offset;
    }
    if (text_.size() > begin) part(text_.data() + begin, text_.size() - begin);
  }
  // The same as one string, for tests and for replies that are kept.
  std::string ToString() const;

 private:
  struct PinnedValue {
    size_t offset;  // in text_, where it stands
    std::string_view value;
    std::shared_ptr<const void> owner;
  };

  bool Fits(size_t bytes) {
    if (size() + bytes > limit_) [[unlikely]] {
      overflowed_ = true;
    }
    return !overflowed_;
  }
  void Header(char kind, size_t count);
  void Number(int64_t value);

  int version_ = 2;
  std::string text_;
  std::vector<PinnedValue> pinned_;
  size_t pinned_bytes_ = 0;
  size_t limit_ = SIZE_MAX;
  bool overflowed_ = false;
};

// As Redis writes scores and the results of INCRBYFLOAT: the fewest digits that give the same
// number, "inf", "-inf", "nan".
std::string FormatDouble(double value);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_RESP_REPLY_H_
