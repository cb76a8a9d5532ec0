// RocksDB's own reader of table files (sst_dump, Debian package rocksdb-tools) accepts what we
// write. Skipped where the tool is not installed.

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "fs/testing/temp_dir.h"
#include "rocksdb/file_system.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

// The tool's output, both streams; *exit_code like the shell's.
std::string Run(const std::string& command, int* exit_code) {
  std::string output;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");  // style: runs another program, in a test
  if (pipe == nullptr) {
    *exit_code = -1;
    return output;
  }
  char buf[4096];
  size_t n;
  while ((n = fread(buf, 1, sizeof(buf), pipe)) > 0) output.append(buf, n);  // style: as above
  const int status = pclose(pipe);
  *exit_code = status < 0 ? -1 : (status >> 8) & 0xff;
  return output;
}

bool HaveSstDump() {
  int code;
  Run("command -v sst_dump", &code);
  return code == 0;
}

// What `sst_dump --command=scan` prints for one entry.
std::string ScanLine(const std::string& internal_key, const std::string& value) {
  return "'" + ExtractUserKey(internal_key).ToString() +
         "' seq:" + std::to_string(ExtractSequence(internal_key)) +
         ", type:" + std::to_string(ExtractValueType(internal_key)) + " => " + value + "\n";
}

void CheckWithSstDump(Harness* h, bool print_properties = false) {
  const std::shared_ptr<FileSystem> fs = FileSystem::Default();
  testing::TempDir dir(fs.get(), "sst");
  const std::string name = dir.path() + "/000012.sst";
  ASSERT_TRUE(h->Build().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h->fs, "/t.sst", &bytes).ok());
  ASSERT_TRUE(WriteStringToFile(fs.get(), bytes, name, false).ok());
  int code;
  std::string out = Run("sst_dump --file=" + name + " --command=verify", &code);
  EXPECT_EQ(code, 0) << out;
  EXPECT_NE(out.find("The file is ok"), std::string::npos) << out;
  out = Run("sst_dump --file=" + name + " --command=scan", &code);
  EXPECT_EQ(code, 0) << out;
  const std::string first =
      h->model.empty() ? "" : ScanLine(h->model.begin()->first, h->model.begin()->second);
  std::string expected;
  for (const auto& [key, value] : h->model) expected += ScanLine(key, value);
  const size_t start = out.find(first);
  ASSERT_NE(start, std::string::npos) << out.substr(0, 2000);
  EXPECT_TRUE(out.substr(start) == expected) << out.substr(0, 3000);
  if (!print_properties) return;
  out = Run("sst_dump --file=" + name + " --show_properties --command=none", &code);
  EXPECT_NE(out.find("# entries: " + std::to_string(h->model.size()) + "\n"), std::string::npos)
      << out;
  EXPECT_NE(out.find("filter policy name: bloomfilter"), std::string::npos) << out;
  EXPECT_NE(out.find("comparator name: leveldb.BytewiseComparator"), std::string::npos) << out;
  EXPECT_NE(out.find("column family name: default"), std::string::npos) << out;
  EXPECT_NE(out.find("DB session identity: " + h->session_id), std::string::npos) << out;
  EXPECT_NE(out.find("original file number: 12"), std::string::npos) << out;
}

TEST(TableInteropTest, SstDumpReadsEveryFormatAndCompression) {
  if (!HaveSstDump()) GTEST_SKIP() << "sst_dump is not installed";
  uint64_t seed = 40;
  for (uint32_t version = 2; version <= 5; ++version) {
    for (const CompressionType compression :
         {kNoCompression, kSnappyCompression, kZlibCompression, kBZip2Compression, kLZ4Compression,
          kLZ4HCCompression, kZSTD}) {
      if (version < 5 && compression != kZSTD) continue;
      SCOPED_TRACE("version " + std::to_string(version) + " compression " +
                   std::to_string(compression));
      Harness h;
      h.table_options.format_version = version;
      h.table_options.index_block_restart_interval = static_cast<int>(1 + seed % 4);
      h.compression = compression;
      h.FillRandom(++seed, 3000);
      CheckWithSstDump(&h, version == 5);
    }
  }
}

TEST(TableInteropTest, SstDumpReadsEveryChecksum) {
  if (!HaveSstDump()) GTEST_SKIP() << "sst_dump is not installed";
  for (const ChecksumType checksum : {kNoChecksum, kCRC32c, kxxHash, kxxHash64, kXXH3}) {
    SCOPED_TRACE("checksum " + std::to_string(checksum));
    Harness h;
    h.table_options.checksum = checksum;
    h.table_options.block_size = 700;
    h.FillRandom(60, 1500, 400);
    CheckWithSstDump(&h);
  }
}

TEST(TableInteropTest, SstDumpReadsPartitions) {
  if (!HaveSstDump()) GTEST_SKIP() << "sst_dump is not installed";
  uint64_t seed = 100;
  for (uint32_t version = 2; version <= 5; ++version) {
    SCOPED_TRACE("version " + std::to_string(version));
    Harness h;
    h.table_options.format_version = version;
    h.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
    h.table_options.partition_filters = true;
    h.table_options.metadata_block_size = 256;
    h.table_options.block_size = 512;
    h.table_options.index_block_restart_interval = static_cast<int>(1 + seed % 4);
    h.compression = version % 2 == 0 ? kNoCompression : kLZ4Compression;
    h.FillRandom(++seed, 3000);
    CheckWithSstDump(&h, version == 5);
  }
}

TEST(TableInteropTest, SstDumpReadsDictionaries) {
  if (!HaveSstDump()) GTEST_SKIP() << "sst_dump is not installed";
  for (const CompressionType compression :
       {kZlibCompression, kLZ4Compression, kLZ4HCCompression, kZSTD}) {
    for (const uint32_t train_bytes : {0u, 100u << 10}) {
      SCOPED_TRACE("compression " + std::to_string(compression) + " train " +
                   std::to_string(train_bytes));
      Harness h;
      h.table_options.format_version = train_bytes == 0 ? 5 : 3;
      h.table_options.block_size = 1024;
      h.compression = compression;
      h.compression_opts.max_dict_bytes = 4 << 10;
      h.compression_opts.zstd_max_train_bytes = train_bytes;
      h.FillRandom(70 + train_bytes, 3000, 300);
      CheckWithSstDump(&h);
    }
  }
}

TEST(TableInteropTest, SstDumpReadsIndexesWithSequenceNumbers) {
  if (!HaveSstDump()) GTEST_SKIP() << "sst_dump is not installed";
  Harness h;
  h.table_options.block_size = 256;
  for (SequenceNumber s = 1; s <= 300; ++s) h.Put("many", s, "value " + std::to_string(s));
  h.Put("other", 301, "x");
  CheckWithSstDump(&h);
}

}  // namespace
}  // namespace cairn
