// RocksDB's own tool reads our logs. Skipped where `ldb` is not installed.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/coding.h"
#include "fs/fiber_file_system.h"
#include "fs/testing/temp_dir.h"
#include "wal/testing/log_harness.h"

namespace cairn {
namespace {

// A batch of one Put in RocksDB's wire format.
std::string PutBatch(uint64_t sequence, const std::string& key, const std::string& value) {
  std::string batch;
  PutFixed64(&batch, sequence);
  PutFixed32(&batch, 1);
  batch.push_back(0x1);
  PutLengthPrefixedSlice(&batch, key);
  PutLengthPrefixedSlice(&batch, value);
  return batch;
}

std::string RunCommand(const std::string& command) {
  std::string output;
  // style: RocksDB's tool is a process of its own
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  char buf[4096];
  size_t n;
  // style: RocksDB's tool is a process of its own
  while ((n = fread(buf, 1, sizeof(buf), pipe)) > 0) output.append(buf, n);
  pclose(pipe);
  return output;
}

class LdbTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Formats, LdbTest, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Recyclable" : "Legacy");
});

TEST_P(LdbTest, DumpWalReadsOurLogs) {
  if (std::system("ldb --help >/dev/null 2>&1") != 0 && RunCommand("command -v ldb").empty()) {
    GTEST_SKIP() << "ldb is not installed";
  }
  const auto fs = NewFiberFileSystem();
  const testing::TempDir dir(fs.get(), "ldb");
  std::vector<std::string> records;
  uint64_t sequence = 1;
  for (const size_t n : {0u, 1u, 100u, 32700u, 32741u, 32742u, 32743u, 32760u, 100000u, 5u}) {
    records.push_back(PutBatch(sequence, "key" + std::to_string(sequence), std::string(n, 'v')));
    ++sequence;
  }
  const std::string path = dir.File("000007.log");
  ASSERT_TRUE(WriteStringToFile(fs.get(), testing::BuildLog(records, GetParam(), 7), path).ok());
  const std::string output = RunCommand("ldb dump_wal --walfile=" + path);
  EXPECT_EQ(std::string::npos, output.find("orruption")) << output;
  for (uint64_t i = 1; i < sequence; ++i) {
    // "7,1,113,8,PUT(0) : 0x6B657937": sequence, count, bytes, offset, keys.
    char hex[32] = "";
    const std::string key = "key" + std::to_string(i);
    for (size_t c = 0; c < key.size(); ++c) std::snprintf(hex + 2 * c, 3, "%02X", key[c]);
    const std::string line = std::to_string(i) + ",1," + std::to_string(records[i - 1].size());
    EXPECT_NE(std::string::npos, output.find(line)) << line << "\n" << output;
    EXPECT_NE(std::string::npos, output.find(std::string("PUT(0) : 0x") + hex)) << output;
  }
}

}  // namespace
}  // namespace cairn
