// Takes requests of the Redis protocol (RESP2 and RESP3 send them alike) out of the bytes that a
// client has sent: arrays of bulk strings, "*2\r\n$3\r\nGET\r\n$1\r\na\r\n", and inline commands,
// "GET a\r\n", which people type. The protocol: https://redis.io/docs/reference/protocol-spec/.
//
// A request that arrives in pieces is not looked at twice: the parser remembers where it stopped.
// Nothing is copied but inline commands with quotes; arguments are views of the input.
//
// Used by the connections of cairn-server and by bench/pool_server. Not thread safe.

#ifndef CAIRN_SERVER_RESP_REQUEST_PARSER_H_
#define CAIRN_SERVER_RESP_REQUEST_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::server {

class RequestParser {
 public:
  // What a client may ask for; more is a protocol error, which ends the connection.
  struct Limits {
    size_t max_arguments = size_t{1} << 20;
    size_t max_argument_bytes = size_t{512} << 20;
    size_t max_request_bytes = size_t{1} << 30;  // of one request, with its framing
    size_t max_inline_bytes = size_t{64} << 10;  // also of a line that tells a length
  };
  // Until a client has said who it is.
  static Limits Unauthenticated() { return {10, 16384, size_t{64} << 10, 16384}; }

  enum class Outcome { kRequest, kNeedMore, kError };

  RequestParser() = default;
  explicit RequestParser(const Limits& limits) : limits_(limits) {}
  void set_limits(const Limits& limits) { limits_ = limits; }

  // Parses the request at the start of `input`.
  // kRequest: its arguments, at least one, were appended to *arguments, and it took *consumed
  // bytes. The views are of `input`, those of an inline command with quotes of this parser, until
  // ForgetInline().
  // kNeedMore: it is not complete. The next call gets an input that begins with the same bytes. Of
  // empty requests, which are skipped, *consumed tells the bytes.
  // kError: error() says what is wrong; the parser is of no use any more.
  Outcome Next(std::string_view input, size_t* consumed, std::vector<std::string_view>* arguments);

  // After kNeedMore: the bytes that the input must have before Next() can do anything, from the
  // start of the request.
  size_t bytes_needed() const { return bytes_needed_; }
  // "Protocol error: ..."
  const std::string& error() const { return error_; }
  void ForgetInline() { inline_arguments_.clear(); }
  // Lines and arguments looked at so far, those again that were not complete: what parsing costs.
  uint64_t steps() const { return steps_; }

 private:
  struct Piece {
    size_t offset;
    size_t size;
  };

  Outcome NextArray(std::string_view input, size_t* consumed,
                    std::vector<std::string_view>* arguments);
  Outcome NextInline(std::string_view input, size_t* consumed,
                     std::vector<std::string_view>* arguments);
  // Finds the line at position_; on kRequest moves behind it.
  Outcome TakeLine(std::string_view input, const char* too_long, std::string_view* line);
  Outcome Fail(std::string error);
  void Restart();

  Limits limits_;
  // Of the request that is under way, from its first byte.
  bool counted_ = false;  // the number of its arguments is known
  bool sized_ = false;    // so is the size of the one at position_
  size_t arguments_left_ = 0;
  size_t argument_size_ = 0;
  size_t position_ = 0;
  size_t searched_ = 0;  // there is no end of line before this
  std::vector<Piece> pieces_;

  size_t bytes_needed_ = 1;
  uint64_t steps_ = 0;
  std::string error_;
  std::deque<std::string> inline_arguments_;
};

// How large a full buffer of `have` bytes, the start of a request, becomes: twice as large, so that
// the bytes of a request are received, and moved, a few times however many arguments there are; who
// announces a gigabyte gets memory as it comes in. Where the end of a large argument is known
// (`needed`, of bytes_needed()) not more than that. Grows by `least` at least.
size_t GrownInput(size_t have, size_t needed, size_t least);

// Splits a line into words as redis-cli does: "double quoted" with \n \r \t \a \b \xHH, 'single
// quoted' with \'. False: quotes are not balanced.
bool SplitWords(std::string_view line, std::vector<std::string>* words);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_RESP_REQUEST_PARSER_H_
