// A log that goes to a pipe, as the standard error of a service does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "fiber/io.h"
#include "server/host/log.h"
#include "server/testing/files.h"

namespace cairn::server {
namespace {

using testing::LinesIn;

TEST(LogPipeTest, AFullPipeStopsNobodyAndTheGapIsTold) {
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

TEST(LogPipeTest, AClosedPipeEndsNobody) {
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
