// What is asked for: encoded commands, key distributions, values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kv_load/command.h"
#include "kv_load/keys.h"

namespace kv_load {
namespace {

Command Parsed(const std::string& text) {
  Command command;
  std::string error;
  EXPECT_TRUE(Command::Parse(text, 8, 12, &command, &error)) << error;
  return command;
}

std::string Encoded(const Command& command, Filling* filling, uint64_t first_key) {
  std::string result(command.size(), '\0');
  command.Encode(result.data(), filling, [&] { return first_key++; });
  return result;
}

std::string Key(uint64_t number) {
  db_bench::KeyBuffer buffer(8);
  const rocksdb::Slice key = buffer.Set(number);
  return {key.data(), key.size()};
}

TEST(CommandTest, KeysAndValuesAreFilledIn) {
  Filling filling{db_bench::KeyBuffer(8), Values(0.5, 12)};
  std::string value(12, '\0');
  filling.values.Write(value.data(), 7);
  EXPECT_EQ(Encoded(Parsed("GET {key}"), &filling, 7),
            "*2\r\n$3\r\nGET\r\n$8\r\n" + Key(7) + "\r\n");
  EXPECT_EQ(Encoded(Parsed("SET {key} {value} EX 60"), &filling, 7),
            "*5\r\n$3\r\nSET\r\n$8\r\n" + Key(7) + "\r\n$12\r\n" + value +
                "\r\n$2\r\nEX\r\n$2\r\n60\r\n");
  EXPECT_EQ(Encoded(Parsed(NamedCommand("mget", 2)), &filling, 7),
            "*3\r\n$4\r\nMGET\r\n$8\r\n" + Key(7) + "\r\n$8\r\n" + Key(8) + "\r\n");
  EXPECT_EQ(
      Encoded(Parsed("HSET user:{key}:x f {value}"), &filling, 7),
      "*4\r\n$4\r\nHSET\r\n$15\r\nuser:" + Key(7) + ":x\r\n$1\r\nf\r\n$12\r\n" + value + "\r\n");
  EXPECT_EQ(Encoded(Parsed("PING"), &filling, 7), "*1\r\n$4\r\nPING\r\n");
}

TEST(CommandTest, WhatACommandDoesIsKnown) {
  EXPECT_TRUE(Parsed("set {key} {value}").writes());
  EXPECT_FALSE(Parsed("get {key}").writes());
  EXPECT_TRUE(Parsed("get {key}").returns_values());
  EXPECT_TRUE(Parsed(NamedCommand("mget", 5)).returns_values());
  EXPECT_FALSE(Parsed("mget other {key}").returns_values());
  EXPECT_FALSE(Parsed("exists {key}").returns_values());
  EXPECT_EQ(Parsed(NamedCommand("mset", 5)).keys(), 5u);
}

TEST(CommandTest, WhatCannotBeFilledInIsRefused) {
  for (const std::string text : {"", "   ", "SET {value} {key}", "GET {kez}", "GET {key"}) {
    Command command;
    std::string error;
    EXPECT_FALSE(Command::Parse(text, 8, 12, &command, &error)) << text;
    EXPECT_NE(error.find("--command"), std::string::npos) << error;
  }
}

TEST(ValuesTest, AValueIsItsKeysAndNoOthers) {
  for (const size_t size : {size_t{1}, size_t{8}, size_t{100}, size_t{3} << 20}) {
    Values values(0.5, size);
    std::string value(size, '\0');
    values.Write(value.data(), 5);
    for (size_t cut : {size_t{0}, size_t{1}, size_t{5}, size / 2, size}) {
      cut = std::min(cut, size);
      EXPECT_TRUE(values.Matches(5, 0, std::string_view(value).substr(0, cut)));
      EXPECT_TRUE(values.Matches(5, cut, std::string_view(value).substr(cut)));
    }
    EXPECT_FALSE(values.Matches(6, 0, value));
    EXPECT_FALSE(values.Matches(5, 0, value + "x"));
    EXPECT_FALSE(values.Matches(5, size + 1, ""));
    value.back() = static_cast<char>(value.back() ^ 1);
    EXPECT_FALSE(values.Matches(5, 0, value));
  }
}

std::vector<uint64_t> Draw(KeySpace* space, bool writes, int n) {
  db_bench::Random random(42);
  std::vector<uint64_t> counts(space->keys());
  for (int i = 0; i < n; ++i) ++counts.at(space->Next(writes, &random));
  return counts;
}

TEST(KeySpaceTest, EachDistributionStaysWithinTheKeysAlsoOfOne) {
  for (const auto distribution : {Distribution::kUniform, Distribution::kZipfian,
                                  Distribution::kLatest, Distribution::kSequential}) {
    for (const uint64_t keys : {1, 2, 3, 1000}) {
      KeySpace space(keys, distribution, 0.99);
      const auto counts = Draw(&space, false, 2000);
      EXPECT_EQ(std::count(counts.begin(), counts.end(), 2000u), keys == 1 ? 1 : 0);
      std::vector<bool> met(keys);
      for (uint64_t i = 0; i < keys; ++i) met.at(space.LoadOrder(i)) = true;
      EXPECT_EQ(std::count(met.begin(), met.end(), true), static_cast<long>(keys));
    }
  }
}

// The frequency of the k-th most frequent of n, by the law's definition.
TEST(KeySpaceTest, ZipfianFollowsItsLaw) {
  constexpr int kDraws = 400'000;
  for (const double theta : {0.5, 0.99, 1.0, 1.4}) {
    constexpr uint64_t kKeys = 1000;
    KeySpace space(kKeys, Distribution::kZipfian, theta);
    auto counts = Draw(&space, false, kDraws);
    std::sort(counts.rbegin(), counts.rend());
    double sum = 0;
    for (uint64_t k = 1; k <= kKeys; ++k) sum += std::pow(static_cast<double>(k), -theta);
    for (const uint64_t k : {1, 2, 10, 100}) {
      const double expected = kDraws * std::pow(static_cast<double>(k), -theta) / sum;
      EXPECT_NEAR(static_cast<double>(counts[k - 1]), expected,
                  expected * 0.03 + 5 * std::sqrt(expected))
          << "theta " << theta << ", k " << k;
    }
  }
}

TEST(KeySpaceTest, SequentialMeetsEveryKeyInTurn) {
  KeySpace space(100, Distribution::kSequential, 0.99);
  const auto counts = Draw(&space, false, 300);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 3u), 100);
}

TEST(KeySpaceTest, LatestReadsMostlyWhatWasWrittenLast) {
  KeySpace space(1000, Distribution::kLatest, 0.99);
  Draw(&space, true, 700);
  const auto counts = Draw(&space, false, 10'000);
  EXPECT_EQ(std::max_element(counts.begin(), counts.end()) - counts.begin(), 699);
  EXPECT_GT(counts[699], 1000u);
  EXPECT_GT(counts[699], counts[600] * 10);
}

}  // namespace
}  // namespace kv_load
