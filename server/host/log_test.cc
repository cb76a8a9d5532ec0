#include "server/host/log.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fiber/io.h"
#include "server/host/files.h"
#include "server/testing/files.h"

namespace cairn::server {
namespace {

using testing::LinesIn;

std::string TextOf(const std::string& name) {
  std::string text;
  EXPECT_TRUE(ReadFile(name, &text).ok());
  return text;
}

TEST(LogTest, GoesOnInANewFileWhenTheOldOneWasRenamed) {
  const std::string folder = testing::MakeScratchDirectory("log");
  const std::string name = folder + "/log";
  std::unique_ptr<Log> log;
  ASSERT_TRUE(Log::Open(name, &log).ok());
  log->Info("one");
  ASSERT_EQ(fiber::io::rename(name.c_str(), (name + ".1").c_str()), 0);
  log->Info("two");
  ASSERT_TRUE(log->Reopen().ok());
  log->Info("three");
  EXPECT_EQ(LinesIn(TextOf(name + ".1")), 2u);
  EXPECT_NE(TextOf(name).find("msg=\"three\""), std::string::npos);
  // One that cannot be opened leaves the old one.
  fiber::io::unlink(name.c_str());
  ASSERT_EQ(fiber::io::mkdir(name.c_str(), 0700), 0);
  EXPECT_FALSE(log->Reopen().ok());
  log->Info("four");
  log.reset();
  fiber::io::rmdir(name.c_str());
  fiber::io::unlink((name + ".1").c_str());
  EXPECT_EQ(fiber::io::rmdir(folder.c_str()), 0);
  EXPECT_FALSE(Log::Open("/nonexistent/log", &log).ok());
}

}  // namespace
}  // namespace cairn::server
