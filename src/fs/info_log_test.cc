#include "fs/info_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "fs/file_util.h"
#include "fs/memory_file_system.h"

namespace cairn {
namespace {

class InfoLogTest : public ::testing::Test {
 protected:
  std::vector<std::string> Files(const std::string& dir) {
    std::vector<std::string> names;
    EXPECT_TRUE(fs_.GetChildren(dir, IOOptions(), &names, nullptr).ok());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string Read(const std::string& name) {
    std::string data;
    EXPECT_TRUE(ReadFileToString(&fs_, name, &data).ok()) << name;
    return data;
  }

  MemoryFileSystem fs_;
};

TEST_F(InfoLogTest, LinesHaveTheShapeThatLogAnalysersExpect) {
  std::shared_ptr<Logger> log;
  ASSERT_TRUE(CreateInfoLog(&fs_, "/db", InfoLogOptions(), &log).ok());
  Info(log, "[db/db.cc:%d] %s", 12, "hello");
  Warn(log, "careful\n");
  Debug(log, "dropped");
  const std::string text = Read("/db/LOG");
  const std::regex shape(
      "\\d{4}/\\d\\d/\\d\\d-\\d\\d:\\d\\d:\\d\\d\\.\\d{6} [0-9a-f]+ \\[db/db\\.cc:12\\] hello\n"
      "\\d{4}/\\d\\d/\\d\\d-\\d\\d:\\d\\d:\\d\\d\\.\\d{6} [0-9a-f]+ \\[WARN\\] careful\n");
  EXPECT_TRUE(std::regex_match(text, shape)) << text;
  EXPECT_EQ(text.size(), log->GetLogFileSize());
}

TEST_F(InfoLogTest, LongLinesAreWhole) {
  std::shared_ptr<Logger> log;
  ASSERT_TRUE(CreateInfoLog(&fs_, "/db", InfoLogOptions(), &log).ok());
  for (const size_t n : {510u, 511u, 512u, 513u, 5000u}) {
    const std::string message(n, 'm');
    Info(log, "%s", message.c_str());
    EXPECT_NE(std::string::npos, Read("/db/LOG").find(" " + message + "\n")) << n;
  }
}

TEST_F(InfoLogTest, AnOlderLogIsSetAsideAndFewAreKept) {
  InfoLogOptions options;
  options.keep_files = 3;
  for (int i = 0; i < 6; ++i) {
    std::shared_ptr<Logger> log;
    ASSERT_TRUE(CreateInfoLog(&fs_, "/db", options, &log).ok());
    Info(log, "open %d", i);
  }
  const std::vector<std::string> files = Files("/db");
  ASSERT_EQ(3u, files.size());
  EXPECT_EQ("LOG", files[0]);
  EXPECT_NE(std::string::npos, Read("/db/LOG").find("open 5"));
  EXPECT_NE(std::string::npos, Read("/db/" + files[1]).find("open 3"));
  EXPECT_NE(std::string::npos, Read("/db/" + files[2]).find("open 4"));
}

TEST_F(InfoLogTest, RollsBySizeAndRepeatsTheHeader) {
  InfoLogOptions options;
  options.max_file_size = 1000;
  options.keep_files = 1000;
  std::shared_ptr<Logger> log;
  ASSERT_TRUE(CreateInfoLog(&fs_, "/db", options, &log).ok());
  Header(log, "the preamble");
  for (int i = 0; i < 100; ++i) Info(log, "line %d", i);
  const std::vector<std::string> files = Files("/db");
  EXPECT_GE(files.size(), 3u);
  std::string all;
  for (size_t i = 1; i < files.size(); ++i) all += Read("/db/" + files[i]);
  all += Read("/db/LOG");
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(std::string::npos, all.find(" line " + std::to_string(i) + "\n")) << i;
  }
  for (const std::string& f : files) {
    EXPECT_NE(std::string::npos, Read("/db/" + f).find("the preamble")) << f;
  }
}

TEST_F(InfoLogTest, ALogDirectoryHoldsTheDatabasesName) {
  InfoLogOptions options;
  options.log_dir = "/logs";
  std::shared_ptr<Logger> log;
  ASSERT_TRUE(CreateInfoLog(&fs_, "/data/db", options, &log).ok());
  Info(log, "x");
  EXPECT_EQ(std::vector<std::string>{"data_db_LOG"}, Files("/logs"));
}

TEST_F(InfoLogTest, LinesAfterCloseAreDropped) {
  std::shared_ptr<Logger> log;
  ASSERT_TRUE(NewFileLogger(&fs_, "/LOG", &log).ok());
  Info(log, "before");
  ASSERT_TRUE(log->Close().ok());
  ASSERT_TRUE(log->Close().ok());
  Info(log, "after");
  EXPECT_EQ(std::string::npos, Read("/LOG").find("after"));
}

TEST_F(InfoLogTest, NoDirectoryNoLog) {
  std::shared_ptr<Logger> log;
  EXPECT_FALSE(NewFileLogger(&fs_, "/nowhere/LOG", &log).ok());
  EXPECT_EQ(nullptr, log);
}

}  // namespace
}  // namespace cairn
