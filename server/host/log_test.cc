#include "server/host/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "fiber/io.h"
#include "server/host/files.h"

namespace cairn::server {
namespace {

std::string TextOf(const std::string& name) {
  std::string text;
  EXPECT_TRUE(ReadFile(name, &text).ok());
  return text;
}

size_t LinesIn(const std::string& text) {
  size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines;
}

TEST(LogTest, GoesOnInANewFileWhenTheOldOneWasRenamed) {
  const std::string name = ::testing::TempDir() + "log-" + std::to_string(getpid());
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
  EXPECT_FALSE(Log::Open("/nonexistent/log", &log).ok());
}

TEST(LogTest, AFullPipeStopsNobodyAndTheGapIsTold) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  Log log(ends[1]);
  const std::string text(1000, 'x');
  for (int i = 0; i < 1000; ++i) log.Info(text);  // a pipe has room for some dozens
  std::string seen(1 << 20, '\0');
  ptrdiff_t n = fiber::io::read(ends[0], seen.data(), seen.size());
  ASSERT_GT(n, 0);
  const size_t lines = LinesIn(seen.substr(0, static_cast<size_t>(n)));
  EXPECT_LT(lines, 1000u);
  log.Info("after");
  n = fiber::io::read(ends[0], seen.data(), seen.size());
  ASSERT_GT(n, 0);
  const std::string rest = seen.substr(0, static_cast<size_t>(n));
  EXPECT_NE(rest.find("lines=\"" + std::to_string(1000 - lines) + "\""), std::string::npos) << rest;
  EXPECT_NE(rest.find("msg=\"after\""), std::string::npos);
  fiber::io::close(ends[0]);
  fiber::io::close(ends[1]);
}

TEST(LogTest, AClosedPipeEndsNobody) {
  struct sigaction ignore = {}, before;
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGPIPE, &ignore, &before), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  fiber::io::close(ends[0]);
  Log log(ends[1]);
  for (int i = 0; i < 10; ++i) log.Info("nobody reads this");
  fiber::io::close(ends[1]);
  sigaction(SIGPIPE, &before, nullptr);
}

}  // namespace
}  // namespace cairn::server
