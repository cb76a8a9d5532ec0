// Numbers as INCRBYFLOAT and its kin read and write them.
#include "server/resp/words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace cairn::server {
namespace {

std::string Sum(std::string_view a, std::string_view b) {
  long double x = 0, y = 0;
  EXPECT_TRUE(ParseLongDouble(a, &x)) << a;
  EXPECT_TRUE(ParseLongDouble(b, &y)) << b;
  return FormatLongDouble(x + y);
}

TEST(WordsTest, SumsOfDecimalNumbersAreDecimal) {
  if (std::numeric_limits<long double>::digits10 < 18) {
    GTEST_SKIP() << "this compiler's long double has no more digits than its double";
  }
  EXPECT_EQ(Sum("3", "0.1"), "3.1");
  EXPECT_EQ(Sum("0.1", "0.2"), "0.3");
  EXPECT_EQ(Sum("+10.5", "-0.5"), "10");
  EXPECT_EQ(Sum("5.0e3", "2.0e2"), "5200");
  EXPECT_EQ(Sum("-0", "-0"), "0");
}

TEST(WordsTest, OnlyNumbersAreNumbers) {
  long double value = 0;
  double shorter = 0;
  for (const std::string_view text :
       {std::string_view(), std::string_view("+"), std::string_view("-"), std::string_view("+-1"),
        std::string_view(" 1"), std::string_view("1 "), std::string_view("0x10"),
        std::string_view("1e"), std::string_view("."), std::string_view("nan"),
        std::string_view("nan(1)"), std::string_view("1,5"), std::string_view("1\0", 2),
        std::string_view("1e99999"), std::string_view("1e-99999")}) {
    EXPECT_FALSE(ParseLongDouble(text, &value)) << text;
    EXPECT_FALSE(ParseDouble(text, &shorter)) << text;
  }
  for (const char* const text : {"inf", "+inf", "-inf", "Infinity"}) {
    EXPECT_TRUE(ParseLongDouble(text, &value)) << text;
    EXPECT_TRUE(std::isinf(value)) << text;
  }
  EXPECT_TRUE(ParseLongDouble("1.5", &value));
  EXPECT_EQ(value, 1.5L);
}

TEST(WordsTest, ALongDoubleGoesBeyondADouble) {
  if (std::numeric_limits<long double>::max_exponent10 < 4000) {
    GTEST_SKIP() << "this compiler's long double is its double";
  }
  double shorter = 0;
  EXPECT_FALSE(ParseDouble("1e400", &shorter));
  long double value = 0;
  ASSERT_TRUE(ParseLongDouble("1e400", &value));
  EXPECT_FALSE(std::isinf(value));
  EXPECT_EQ(FormatLongDouble(value).size(), 401u);
  EXPECT_TRUE(ParseLongDouble("1e-400", &value));
  EXPECT_GT(value, 0);
}

}  // namespace
}  // namespace cairn::server
