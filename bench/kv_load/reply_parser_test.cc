#include "kv_load/reply_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace kv_load {
namespace {

using Result = ReplyParser::Result;

class Collector : public ValueSink {
 public:
  void OnPiece(uint64_t element, uint64_t offset, std::string_view piece) override {
    values.resize(element + 1);
    EXPECT_EQ(values[element].size(), offset);
    values[element] += piece;
  }
  void OnEnd(uint64_t element, uint64_t size) override {
    values.resize(element + 1);
    EXPECT_EQ(values[element].size(), size);
  }
  void OnNull(uint64_t element) override {
    values.resize(element + 1);
    values[element] = "(null)";
  }
  std::vector<std::string> values;
};

struct Outcome {
  std::vector<std::string> values;
  uint64_t nulls = 0;
  uint64_t errors = 0;
  std::string error_text;
  bool operator==(const Outcome&) const = default;
};

// All replies in `stream`, which comes in pieces of `piece` bytes. Ends with the first that is
// malformed; then *malformed.
std::vector<Outcome> ParseAll(const std::string& stream, size_t piece, bool* malformed) {
  ReplyParser parser;
  std::vector<Outcome> result;
  Collector collector;
  *malformed = false;
  for (size_t from = 0; from < stream.size(); from += piece) {
    // A copy of its own, so that a sanitizer sees a read beyond the piece.
    const std::string part = stream.substr(from, piece);
    const char* at = part.data();
    const char* const end = at + part.size();
    while (at < end) {
      const Result one = parser.Parse(&at, end, &collector);
      if (one == Result::kMalformed) {
        *malformed = true;
        return result;
      }
      if (one == Result::kMore) {
        EXPECT_EQ(at, end);
        break;
      }
      result.push_back({collector.values, parser.nulls(), parser.errors(),
                        parser.errors() == 0 ? "" : parser.error_text()});
      collector.values.clear();
    }
  }
  return result;
}

std::vector<Outcome> ParseWell(const std::string& stream, size_t piece) {
  bool malformed;
  auto result = ParseAll(stream, piece, &malformed);
  EXPECT_FALSE(malformed) << stream;
  return result;
}

TEST(ReplyParserTest, RepliesAreTheSameHoweverTheStreamIsCut) {
  const std::string stream =
      "+OK\r\n$5\r\nhello\r\n$0\r\n\r\n$-1\r\n:42\r\n-ERR no such thing\r\n"
      "*3\r\n$3\r\none\r\n$-1\r\n$5\r\nt\r\nee\r\n*0\r\n*-1\r\n"
      "*2\r\n*2\r\n$1\r\na\r\n:1\r\n$1\r\nb\r\n+PONG\r\n";
  const std::vector<Outcome> expected = {
      {{}, 0, 0, ""},
      {{"hello"}, 0, 0, ""},
      {{""}, 0, 0, ""},
      {{"(null)"}, 1, 0, ""},
      {{}, 0, 0, ""},
      {{}, 0, 1, "ERR no such thing"},
      {{"one", "(null)", "t\r\nee"}, 1, 0, ""},
      {{}, 0, 0, ""},
      {{"(null)"}, 1, 0, ""},
      {{"a", "", "b"}, 0, 0, ""},
      {{}, 0, 0, ""},
  };
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    EXPECT_EQ(ParseWell(stream, piece), expected) << "in pieces of " << piece;
  }
}

TEST(ReplyParserTest, TypesOfTheThirdVersion) {
  const std::string stream =
      "_\r\n,1.5\r\n#t\r\n(12345678901234567890123\r\n=7\r\ntxt:abc\r\n!9\r\nERR broke\r\n"
      "%2\r\n+a\r\n:1\r\n+b\r\n$1\r\nx\r\n~1\r\n:5\r\n|1\r\n+ttl\r\n:9\r\n$1\r\nv\r\n";
  for (size_t piece = 1; piece <= stream.size(); ++piece) {
    const auto replies = ParseWell(stream, piece);
    ASSERT_EQ(replies.size(), 9u) << "in pieces of " << piece;
    EXPECT_EQ(replies[0].nulls, 1u);
    EXPECT_EQ(replies[4].values, std::vector<std::string>{"txt:abc"});
    EXPECT_EQ(replies[5].errors, 1u);
    EXPECT_EQ(replies[5].error_text, "ERR broke");
    EXPECT_EQ(replies[6].values.back(), "x");
    EXPECT_EQ(replies[8].values.back(), "v");
  }
}

TEST(ReplyParserTest, WhatTheServerSendsUnaskedIsNoReply) {
  const auto replies =
      ParseWell(">2\r\n+message\r\n$5\r\nhello\r\n+OK\r\n>1\r\n_\r\n$1\r\nx\r\n", 3);
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].values.size(), 0u);
  EXPECT_EQ(replies[1].values, std::vector<std::string>{"x"});
}

TEST(ReplyParserTest, OfSeveralErrorsTheFirstIsToldAndLongOnesAreCut) {
  const auto replies =
      ParseWell("*2\r\n-ERR one\r\n-ERR two\r\n-" + std::string(1000, 'e') + "\r\n", 7);
  ASSERT_EQ(replies.size(), 2u);
  EXPECT_EQ(replies[0].errors, 2u);
  EXPECT_EQ(replies[0].error_text, "ERR one");
  EXPECT_EQ(replies[1].error_text, std::string(ReplyParser::kErrorText, 'e'));
}

TEST(ReplyParserTest, MalformedRepliesAreRefused) {
  for (const std::string stream :
       {"HTTP/1.1 400\r\n", "$x\r\n", "$\r\n", "$-2\r\n", "$3\r\nabcd\r\n", "$3\r\nabc\rx", "+OK\n",
        "*99999999999999999999\r\n", "$1-\r\n", "%-1\r\n", "$99999999999999\r\n", "\r\n"}) {
    for (const size_t piece : {size_t{1}, stream.size()}) {
      bool malformed;
      EXPECT_TRUE(ParseAll(stream, piece, &malformed).empty()) << stream;
      EXPECT_TRUE(malformed) << stream;
    }
  }
}

}  // namespace
}  // namespace kv_load
