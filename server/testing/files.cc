#include "server/testing/files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fiber/io.h"
#include "fiber/random.h"

namespace cairn::server::testing {

std::string MakeScratchDirectory(const std::string& name) {
  std::string path = ::testing::TempDir() + name + std::to_string(fiber::random_u64());
  EXPECT_EQ(fiber::io::mkdir(path.c_str(), 0700), 0) << path;
  return path;
}

size_t LinesIn(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace cairn::server::testing
