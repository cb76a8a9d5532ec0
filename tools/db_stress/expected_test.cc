#include "db_stress/expected.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace stress {
namespace {

// A key of which versions 1 and 2 are values and version 3 is a deletion.
uint64_t KeyWithADeletion() {
  for (uint64_t key = 0;; ++key) {
    if (!IsDeletion(key, 1) && !IsDeletion(key, 2) && IsDeletion(key, 3)) return key;
  }
}

TEST(ExpectedTest, AVersionOfTheWindowFits) {
  const uint64_t key = KeyWithADeletion();
  std::string error;
  EXPECT_TRUE(Expected::Fits(key, 1, 2, ValueText(key, 1), &error));
  EXPECT_TRUE(Expected::Fits(key, 1, 2, ValueText(key, 2), &error));
  EXPECT_TRUE(Expected::Fits(key, 2, 3, std::nullopt, &error));
  EXPECT_TRUE(Expected::Fits(key, 0, 1, std::nullopt, &error)) << "never written";
}

TEST(ExpectedTest, WhatIsTooOldTooNewOrWrongDoesNotFit) {
  const uint64_t key = KeyWithADeletion();
  std::string error;
  EXPECT_FALSE(Expected::Fits(key, 2, 3, ValueText(key, 1), &error)) << "too old";
  EXPECT_EQ(KeyText(key) + ": found " + ValueText(key, 1).substr(0, 60) +
                ", expected a version from 2 to 3",
            error);
  EXPECT_FALSE(Expected::Fits(key, 1, 1, ValueText(key, 2), &error)) << "too new";
  EXPECT_FALSE(Expected::Fits(key, 1, 2, std::nullopt, &error)) << "missing";
  EXPECT_FALSE(Expected::Fits(key, 3, 3, ValueText(key, 2), &error)) << "deleted";
  std::string wrong = ValueText(key, 1);
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_FALSE(Expected::Fits(key, 1, 1, wrong, &error)) << "a wrong bit";
  EXPECT_FALSE(Expected::Fits(key, 1, 1, ValueText(key + 1, 1), &error)) << "another key's";
}

TEST(ExpectedTest, ARestartContinuesFromWhatIsThere) {
  const uint64_t key = KeyWithADeletion();
  Expected expected(key + 1);
  for (int i = 0; i < 3; ++i) expected.Acknowledge(key, expected.Issue(key));
  std::string error;
  EXPECT_FALSE(expected.Restart(key, 3, ValueText(key, 2), &error)) << "3 was durable";
  ASSERT_TRUE(expected.Restart(key, 1, ValueText(key, 2), &error)) << error;
  EXPECT_EQ(2u, expected.issued(key));
  EXPECT_EQ(2u, expected.acknowledged(key));
  EXPECT_EQ(3u, expected.Issue(key));
}

TEST(ExpectedTest, KeysAreNumbersAndNothingElse) {
  EXPECT_EQ(std::optional<uint64_t>(7), KeyNumber(KeyText(7), 10));
  EXPECT_EQ(std::nullopt, KeyNumber(KeyText(10), 10));
  EXPECT_EQ(std::nullopt, KeyNumber(KeyText(7) + "x", 10));
  EXPECT_EQ(std::nullopt, KeyNumber("k", 10));
}

}  // namespace
}  // namespace stress
