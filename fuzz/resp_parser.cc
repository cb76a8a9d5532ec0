// RequestParser: a request is the same in one piece and in many, its arguments say what came over
// the wire, and limits hold.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzz.h"
#include "server/resp/request_parser.h"

namespace cairn::fuzz {

namespace {

using server::RequestParser;
using Outcome = RequestParser::Outcome;

struct Parsed {
  std::vector<std::vector<std::string>> requests;
  std::string error;
  size_t consumed = 0;
};

void Check(const std::vector<std::string_view>& words, size_t consumed,
           const RequestParser::Limits& limits) {
  FUZZ_CHECK(!words.empty());
  FUZZ_CHECK(words.size() <= std::max(limits.max_arguments, limits.max_inline_bytes));
  for (const std::string_view word : words) {
    FUZZ_CHECK(word.size() <= std::max(limits.max_argument_bytes, limits.max_inline_bytes));
  }
  FUZZ_CHECK(consumed != 0);
}

// `piece(i)`: how many bytes come with the receive number i.
template <class Piece>
Parsed Parse(std::string_view input, const RequestParser::Limits& limits, const Piece& piece) {
  RequestParser parser(limits);
  Parsed parsed;
  size_t begin = 0, end = 0, receives = 0;
  for (;;) {
    // What has come, and nothing behind it.
    const ExactCopy buffer(input.substr(begin, end - begin));
    size_t taken = 0;
    Outcome outcome = Outcome::kRequest;
    while (outcome == Outcome::kRequest) {
      std::vector<std::string_view> words;
      size_t consumed = 0;
      outcome = parser.Next(buffer.view().substr(taken), &consumed, &words);
      taken += consumed;
      FUZZ_CHECK(taken <= buffer.view().size());
      if (outcome != Outcome::kRequest) {
        FUZZ_CHECK(words.empty());
        break;
      }
      Check(words, consumed, limits);
      parsed.requests.emplace_back(words.begin(), words.end());
      parser.ForgetInline();
    }
    begin += taken;
    if (outcome == Outcome::kError) {
      parsed.error = parser.error();
      FUZZ_CHECK(!parsed.error.empty());
      break;
    }
    // It may ask for no more than a request can have, and for something.
    FUZZ_CHECK(parser.bytes_needed() > end - begin);
    FUZZ_CHECK(parser.bytes_needed() <=
               std::max(limits.max_request_bytes, end - begin + limits.max_inline_bytes) + 4);
    if (end == input.size()) break;
    end = std::min(input.size(), end + piece(receives++));
  }
  parsed.consumed = begin;
  return parsed;
}

// As a client's library sends them.
std::string Encode(const std::vector<std::vector<std::string>>& requests) {
  std::string bytes;
  for (const auto& words : requests) {
    bytes += "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& word : words) {
      bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    }
  }
  return bytes;
}

RequestParser::Limits ChooseLimits(uint8_t choice) {
  if (choice % 3 == 0) return {};
  if (choice % 3 == 1) return RequestParser::Unauthenticated();
  return {4, 32, 128, 64};
}

}  // namespace

}  // namespace cairn::fuzz

// The limits, the sizes of the pieces, and what the client sends.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  Input input(data, size);
  const auto limits = ChooseLimits(input.Byte());
  const std::string_view pieces = input.Take(input.Byte() % 8);
  const std::string_view text = input.Rest();
  const auto all = [&](size_t) { return text.size(); };
  const Parsed at_once = Parse(text, limits, all);
  const Parsed in_pieces = Parse(text, limits, [&](size_t i) {
    const uint8_t piece = pieces.empty() ? 0 : static_cast<uint8_t>(pieces[i % pieces.size()]);
    return size_t{1} + piece;
  });
  FUZZ_CHECK(at_once.requests == in_pieces.requests);
  FUZZ_CHECK(at_once.error == in_pieces.error);
  FUZZ_CHECK(at_once.consumed == in_pieces.consumed);

  const std::string encoded = Encode(at_once.requests);
  const Parsed again = Parse(encoded, {}, [&](size_t) { return encoded.size(); });
  FUZZ_CHECK(again.requests == at_once.requests && again.error.empty());
  return 0;
}
