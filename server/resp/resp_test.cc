// The parser and the writer of the Redis protocol: every way to cut a request into pieces, what
// clients send wrongly, and both versions of every reply.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/resp/reply.h"
#include "server/resp/request_parser.h"

namespace cairn::server {
namespace {

using Outcome = RequestParser::Outcome;
using Words = std::vector<std::string>;

// All requests of `input`, which arrives in pieces of `step` bytes.
std::vector<Words> ParseAll(std::string_view input, size_t step, std::string* error = nullptr,
                            RequestParser parser = RequestParser()) {
  std::vector<Words> all;
  std::string buffer;
  size_t begin = 0;
  while (true) {
    std::vector<std::string_view> arguments;
    size_t consumed = 0;
    const Outcome outcome =
        parser.Next(std::string_view(buffer).substr(begin), &consumed, &arguments);
    if (outcome == Outcome::kError) {
      if (error != nullptr) *error = parser.error();
      return all;
    }
    begin += consumed;
    if (outcome == Outcome::kRequest) {
      all.emplace_back(arguments.begin(), arguments.end());
      parser.ForgetInline();
      continue;
    }
    EXPECT_TRUE(arguments.empty());
    EXPECT_GT(parser.bytes_needed(), buffer.size() - begin);
    if (input.empty()) return all;
    buffer.erase(0, begin);
    begin = 0;
    buffer.append(input.substr(0, step));
    input.remove_prefix(std::min(step, input.size()));
  }
}

TEST(RequestParserTest, TakesRequestsInPiecesOfAnySize) {
  const std::string whole =
      std::string("*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$0\r\n\r\n$5\r\na\r\nb") +
      std::string(1, '\0') +
      "\r\nGET key\r\n\r\n*0\r\n*-1\r\nset \"a b\\x41\\n\" 'it\\'s'\n*2\r\n"
      "$3\r\nGET\r\n$1\r\nx\r\n";
  const std::vector<Words> expected = {{"PING"},
                                       {"SET", "", std::string("a\r\nb\0", 5)},
                                       {"GET", "key"},
                                       {"set", "a bA\n", "it's"},
                                       {"GET", "x"}};
  for (size_t step = 1; step <= whole.size(); ++step) EXPECT_EQ(expected, ParseAll(whole, step));
}

TEST(RequestParserTest, RefusesWhatIsNoRequest) {
  RequestParser::Limits small;
  small.max_inline_bytes = 100;
  small.max_argument_bytes = 1000;
  small.max_request_bytes = 2000;
  const std::string long_line(200, '1');
  const std::pair<std::string, std::string> cases[] = {
      {"*x\r\n", "Protocol error: invalid multibulk length"},
      {"*1 \r\n", "Protocol error: invalid multibulk length"},
      {"*99999999999999999999\r\n", "Protocol error: invalid multibulk length"},
      {"*2147483648\r\n", "Protocol error: invalid multibulk length"},
      {"*1048577\r\n", "Protocol error: invalid multibulk length"},
      {"*1\r\n:3\r\n", "Protocol error: expected '$', got ':'"},
      {"*1\r\n$-1\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$1001\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$a\r\n", "Protocol error: invalid bulk length"},
      {"*1\r\n$3\r\nPING\r\n", "Protocol error: a bulk string does not end where its length says"},
      {"*" + long_line + "\r\n", "Protocol error: too big mbulk count string"},
      {"*1\r\n$" + long_line, "Protocol error: too big bulk count string"},
      {long_line, "Protocol error: too big inline request"},
      {"get \"a\r\n", "Protocol error: unbalanced quotes in request"},
      {"get \"a\"b\r\n", "Protocol error: unbalanced quotes in request"},
      {"*3\r\n$900\r\n" + std::string(900, 'a') + "\r\n$900\r\n" + std::string(900, 'b') +
           "\r\n$900\r\n",
       "Protocol error: the request is larger than this server accepts"}};
  for (const auto& [input, expected] : cases) {
    for (const size_t step : {size_t{1}, input.size()}) {
      std::string error;
      EXPECT_TRUE(ParseAll(input, step, &error, RequestParser(small)).empty());
      EXPECT_EQ(expected, error) << input;
    }
  }
  std::string error;
  ParseAll("*11\r\n", 99, &error, RequestParser(RequestParser::Unauthenticated()));
  EXPECT_EQ("Protocol error: unauthenticated multibulk length", error);
  ParseAll("*1\r\n$16385\r\n", 99, &error, RequestParser(RequestParser::Unauthenticated()));
  EXPECT_EQ("Protocol error: unauthenticated bulk length", error);
}

std::string Written(int version, void (*write)(ReplyWriter&)) {
  ReplyWriter reply;
  reply.set_version(version);
  write(reply);
  return reply.ToString();
}

TEST(ReplyWriterTest, WritesBothVersions) {
  const struct {
    void (*write)(ReplyWriter&);
    const char* version2;
    const char* version3;
  } cases[] = {
      {[](ReplyWriter& r) { r.Simple("PONG"); }, "+PONG\r\n", "+PONG\r\n"},
      {[](ReplyWriter& r) { r.Error("ERR a\r\nb"); }, "-ERR a  b\r\n", "-ERR a  b\r\n"},
      {[](ReplyWriter& r) { r.Integer(-12); }, ":-12\r\n", ":-12\r\n"},
      {[](ReplyWriter& r) { r.Bulk("ab"); }, "$2\r\nab\r\n", "$2\r\nab\r\n"},
      {[](ReplyWriter& r) { r.BulkInteger(-7); }, "$2\r\n-7\r\n", "$2\r\n-7\r\n"},
      {[](ReplyWriter& r) { r.Null(); }, "$-1\r\n", "_\r\n"},
      {[](ReplyWriter& r) { r.NullArray(); }, "*-1\r\n", "_\r\n"},
      {[](ReplyWriter& r) { r.Boolean(true); }, ":1\r\n", "#t\r\n"},
      {[](ReplyWriter& r) { r.Double(1.5); }, "$3\r\n1.5\r\n", ",1.5\r\n"},
      {[](ReplyWriter& r) { r.Map(2); }, "*4\r\n", "%2\r\n"},
      {[](ReplyWriter& r) { r.Set(2); }, "*2\r\n", "~2\r\n"},
      {[](ReplyWriter& r) { r.Push(3); }, "*3\r\n", ">3\r\n"},
      {[](ReplyWriter& r) { r.Verbatim("txt", "hi"); }, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(one.version2, Written(2, one.write));
    EXPECT_EQ(one.version3, Written(3, one.write));
  }
}

TEST(ReplyWriterTest, KeepsLargePinnedValuesInTheirPlace) {
  const std::string large(ReplyWriter::kMinPinnedBytes, 'v');
  ReplyWriter reply;
  const auto pin = [&](std::string value) {
    const auto owner = std::make_shared<std::string>(std::move(value));
    reply.Pinned(*owner, owner);
  };
  pin("small");
  pin(large);
  const ReplyWriter::Mark mark = reply.mark();
  const std::string before = reply.ToString();
  pin(large);
  reply.Integer(1);
  const std::string header = "$" + std::to_string(large.size()) + "\r\n";
  EXPECT_EQ("$5\r\nsmall\r\n" + header + large + "\r\n", before);
  EXPECT_EQ(before + header + large + "\r\n:1\r\n", reply.ToString());
  EXPECT_EQ(reply.ToString().size(), reply.size());
  reply.Rewind(mark);
  EXPECT_EQ(before, reply.ToString());
  EXPECT_EQ(before.size(), reply.size());
}

TEST(RequestParserTest, ParsingIsLinearHoweverTheBytesArrive) {
  constexpr uint64_t kArguments = 20'000;
  std::string request = "*" + std::to_string(kArguments) + "\r\n";
  for (uint64_t i = 0; i < kArguments; ++i) request += "$2\r\nab\r\n";
  for (const size_t step : {1, 7, 4096, 1 << 20}) {
    RequestParser parser;
    std::vector<std::string_view> arguments;
    size_t consumed = 0;
    uint64_t calls = 0;
    Outcome outcome = Outcome::kNeedMore;
    for (size_t have = 0; outcome == Outcome::kNeedMore && have < request.size();) {
      have = std::min(request.size(), have + step);
      outcome = parser.Next(std::string_view(request).substr(0, have), &consumed, &arguments);
      ++calls;
    }
    EXPECT_EQ(outcome, Outcome::kRequest);
    EXPECT_EQ(consumed, request.size());
    EXPECT_EQ(arguments.size(), kArguments);
    // Two for each argument, and the one at which a call stopped again.
    EXPECT_LE(parser.steps(), 2 * kArguments + 1 + 2 * calls) << step;
  }
}

TEST(RequestParserTest, AFullBufferGrowsTwofoldButNotBeyondALargeArgument) {
  constexpr size_t kLeast = 64 << 10;
  // One more token wants but some bytes more.
  EXPECT_EQ(GrownInput(kLeast, kLeast + 4, kLeast), 2 * kLeast);
  EXPECT_EQ(GrownInput(10 * kLeast, 10 * kLeast + 4, kLeast), 20 * kLeast);
  EXPECT_EQ(GrownInput(4096, 1, kLeast), 4096 + kLeast);
  // A large one wants what it said, as it comes in.
  EXPECT_EQ(GrownInput(4096, 100'000, kLeast), 4096 + kLeast);
  EXPECT_EQ(GrownInput(kLeast, 2 * kLeast - 1, kLeast), 2 * kLeast);
  EXPECT_EQ(GrownInput(4 * kLeast, 5 * kLeast + 1, kLeast), 5 * kLeast + 1);
  EXPECT_EQ(GrownInput(4 * kLeast, size_t{1} << 30, kLeast), 8 * kLeast);
}

TEST(ReplyWriterTest, WhatIsBeyondTheLimitIsLeftOutUntilItIsRewound) {
  ReplyWriter reply;
  reply.Ok();
  const ReplyWriter::Mark mark = reply.mark();
  reply.set_limit(reply.size() + 100'000);
  const auto owner = std::make_shared<const std::string>(60'000, 'x');
  reply.Pinned(*owner, owner);
  EXPECT_FALSE(reply.overflowed());
  reply.Pinned(*owner, owner);
  EXPECT_TRUE(reply.overflowed());
  reply.Bulk("small");
  EXPECT_LE(reply.size(), 70'000u);
  reply.Rewind(mark);
  EXPECT_FALSE(reply.overflowed());
  reply.Bulk("small");
  EXPECT_EQ(reply.ToString(), "+OK\r\n$5\r\nsmall\r\n");
}

TEST(ReplyWriterTest, WritesNumbersAsRedisDoes) {
  EXPECT_EQ("3", FormatDouble(3));
  EXPECT_EQ("-0.1", FormatDouble(-0.1));
  EXPECT_EQ("3.1", FormatDouble(3.1));
  EXPECT_EQ("100000000", FormatDouble(1e8));
  EXPECT_EQ("0.0001", FormatDouble(0.0001));
  EXPECT_EQ("1e+20", FormatDouble(1e20));
  EXPECT_EQ("inf", FormatDouble(HUGE_VAL));
  EXPECT_EQ("-inf", FormatDouble(-HUGE_VAL));
}

}  // namespace
}  // namespace cairn::server
