#include "base/logging.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include "base/random.h"
#include "base/string_util.h"
#include "rocksdb/version.h"

namespace cairn {
namespace {

class VectorLogger : public Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list ap) override {
    char line[1000];
    std::vsnprintf(line, sizeof(line), format, ap);
    lines.push_back(line);
  }
  std::vector<std::string> lines;
};

TEST(Logging, DropsWhatIsBelowTheLevelAndMarksTheOthers) {
  VectorLogger logger;
  logger.SetInfoLogLevel(InfoLogLevel::INFO_LEVEL);
  LogDebug(&logger, "debug %d", 1);
  LogInfo(&logger, "info %d", 2);
  LogWarn(&logger, "warn %s", "3");
  LogError(&logger, "error");
  LogHeader(&logger, "header");
  LogInfo(nullptr, "nowhere");
  EXPECT_EQ((std::vector<std::string>{"info 2", "[WARN] warn 3", "[ERROR] error", "header"}),
            logger.lines);
}

TEST(Logging, PublicFunctionsTakeSharedAndPlainPointers) {
  auto logger = std::make_shared<VectorLogger>();
  const std::shared_ptr<Logger> shared = logger;
  ROCKSDB_NAMESPACE::Info(shared, "%d", 1);
  ROCKSDB_NAMESPACE::Warn(logger.get(), "%d", 2);
  ROCKSDB_NAMESPACE::Log(InfoLogLevel::ERROR_LEVEL, shared, "%d", 3);
  ROCKSDB_NAMESPACE::Log(shared, "%d", 4);
  ROCKSDB_NAMESPACE::Header(shared, "%d", 5);
  ROCKSDB_NAMESPACE::Debug(shared, "%d", 6);
  EXPECT_EQ((std::vector<std::string>{"1", "[WARN] 2", "[ERROR] 3", "4", "5"}), logger->lines);
}

TEST(EventLine, WritesOneJsonObject) {
  VectorLogger logger;
  EventLine(&logger, "flush_started", 3)
      .Field("memtables", 2)
      .Field("reason", "Manual \"Flush\"\n")
      .BeginList("lsm_state")
      .Item(1)
      .Item(0)
      .EndList()
      .BeginObject("table_properties")
      .Field("comparator", std::string("bytewise"))
      .Field("ok", true)
      .EndObject()
      .Field("ratio", 0.5);
  ASSERT_EQ(1u, logger.lines.size());
  const std::string& line = logger.lines[0];
  EXPECT_EQ(0u, line.find("EVENT_LOG_v1 {\"time_micros\": ")) << line;
  EXPECT_NE(std::string::npos,
            line.find(", \"job\": 3, \"event\": \"flush_started\", \"memtables\": 2, "
                      "\"reason\": \"Manual \\\"Flush\\\"\\u000a\", \"lsm_state\": [1, 0], "
                      "\"table_properties\": {\"comparator\": \"bytewise\", \"ok\": true}, "
                      "\"ratio\": 0.5}"))
      << line;
}

TEST(StringUtil, ParsesWholeNumbersOnly) {
  uint64_t u = 0;
  EXPECT_TRUE(ParseUint64("18446744073709551615", &u));
  EXPECT_EQ(UINT64_MAX, u);
  for (const char* bad : {"", "-1", "1 ", " 1", "18446744073709551616", "1x", "+1"}) {
    EXPECT_FALSE(ParseUint64(bad, &u)) << bad;
  }
  int64_t i = 0;
  EXPECT_TRUE(ParseInt64("-5", &i));
  EXPECT_EQ(-5, i);
  double d = 0;
  EXPECT_TRUE(ParseDouble("0.25", &d));
  EXPECT_EQ(0.25, d);
  bool b = false;
  EXPECT_TRUE(ParseBool("true", &b));
  EXPECT_TRUE(b);
  EXPECT_FALSE(ParseBool("yes", &b));
  Slice input("000123.sst");
  EXPECT_TRUE(ConsumeDecimalNumber(&input, &u));
  EXPECT_EQ(123u, u);
  EXPECT_EQ(".sst", input.ToString());
  EXPECT_FALSE(ConsumeDecimalNumber(&input, &u));
}

TEST(StringUtil, MakesTextForPeople) {
  EXPECT_EQ("42", NumberToString(42));
  EXPECT_EQ("a\\x00\\x5C", EscapeBytes(Slice("a\0\\", 3)));
  EXPECT_EQ("64.00 MB", BytesToHumanString(64 << 20));
  EXPECT_EQ("100.00 B", BytesToHumanString(100));
  EXPECT_EQ("999 us", MicrosToHumanString(999));
  EXPECT_EQ("12.345 ms", MicrosToHumanString(12345));
  EXPECT_EQ("01:01.500 M:S", MicrosToHumanString(61'500'000));
  EXPECT_EQ("x y", Trim(" \tx y\n"));
  EXPECT_EQ("7-a", StringPrintf("%d-%s", 7, "a"));
}

TEST(Random64, RepeatsItsSeedAndStaysInRange) {
  Random64 a(5), b(5), c(6);
  EXPECT_EQ(a.Next(), b.Next());
  EXPECT_NE(a.Next(), c.Next());
  int low = 0;
  for (int i = 0; i < 10000; i++) {
    ASSERT_LT(a.Uniform(10), 10u);
    const double d = a.NextDouble();
    ASSERT_GE(d, 0.0);
    ASSERT_LT(d, 1.0);
    ASSERT_LE(a.Skewed(10), 1u << 10);
    low += a.Uniform(2) == 0;
  }
  EXPECT_GT(low, 4500);
  EXPECT_LT(low, 5500);
  EXPECT_EQ(8u, a.RandomBinaryString(8).size());
  for (char ch : a.RandomString(100)) EXPECT_TRUE(ch >= ' ' && ch <= '~');
}

TEST(Version, SaysWhichApiAndWhichImplementation) {
  EXPECT_EQ("7.8.3", GetRocksVersionAsString());
  EXPECT_EQ("7.8", GetRocksVersionAsString(false));
  EXPECT_NE(std::string::npos, GetRocksBuildInfoAsString("prog").find("Cairn"));
  EXPECT_EQ(1u, GetRocksBuildProperties().count("cairn_version"));
}

}  // namespace
}  // namespace cairn
