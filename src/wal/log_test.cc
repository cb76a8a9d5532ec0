// Writer and reader together: what is written is read, and what a crash or a disk did to it is
// found.

#include <gtest/gtest.h>
#include <zstd.h>

#include "base/coding.h"
#include "base/crc32c.h"
#include "base/random.h"
#include "cairn/fault_injection.h"
#include "wal/testing/log_harness.h"

namespace cairn {
namespace {

using testing::BuildLog;
using testing::kAllRecoveryModes;
using testing::kLogName;
using testing::kLogNumber;
using testing::ReadAll;
using testing::ReadLog;

bool IsTailReportingMode(WALRecoveryMode mode) {
  return mode == WALRecoveryMode::kAbsoluteConsistency ||
         mode == WALRecoveryMode::kPointInTimeRecovery;
}

// A record whose bytes are found nowhere else.
std::string Record(size_t i, size_t n) {
  std::string record = "record" + std::to_string(i) + ":";
  Random64 rng(i);
  if (record.size() < n) record += rng.RandomString(n - record.size());
  return record;
}

// `part` is a subsequence of `whole`: nothing invented, nothing reordered.
bool IsSubsequence(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  size_t i = 0;
  for (const std::string& record : whole) {
    if (i < part.size() && part[i] == record) ++i;
  }
  return i == part.size();
}

bool IsPrefix(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

void FixChecksum(std::string* log, size_t offset, size_t header) {
  const size_t length = DecodeFixed16(log->data() + offset + 4);
  EncodeFixed32(log->data() + offset,
                crc32c::Mask(crc32c::Value(log->data() + offset + 6, header + length - 6)));
}

class LogTest : public ::testing::TestWithParam<bool> {
 protected:
  bool recyclable() const { return GetParam(); }
  size_t header() const { return recyclable() ? log::kRecyclableHeaderSize : log::kHeaderSize; }
};

INSTANTIATE_TEST_SUITE_P(Formats, LogTest, ::testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Recyclable" : "Legacy");
});

TEST_P(LogTest, WhatWasWrittenIsReadInEveryMode) {
  std::vector<std::string> records = {"", "a", std::string(100, 'b')};
  Random64 rng(301);
  for (size_t i = 0; i < 200; ++i) records.push_back(Record(i, rng.Skewed(17)));
  records.push_back(std::string(200000, 'c'));
  records.push_back("");
  const std::string bytes = BuildLog(records, recyclable());
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode);
    EXPECT_EQ(records, read.records);
    EXPECT_EQ(std::vector<std::string>{}, read.corruptions);
    EXPECT_TRUE(read.status.ok());
    EXPECT_TRUE(std::is_sorted(read.offsets.begin(), read.offsets.end()));
  }
}

TEST_P(LogTest, RecordsThatEndNearABlocksEnd) {
  // Leaves every number of bytes from none to twice a header at the end of the first block.
  for (size_t left = 0; left <= 2 * header(); ++left) {
    const std::vector<std::string> records = {std::string(log::kBlockSize - header() - left, 'x'),
                                              "next", "", "last"};
    const std::string bytes = BuildLog(records, recyclable());
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(bytes, mode);
      EXPECT_EQ(records, read.records) << left;
      EXPECT_TRUE(read.corruptions.empty()) << left << " " << read.corruptions.front();
    }
  }
}

TEST_P(LogTest, AnEmptyFileIsAnEmptyLog) {
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll("", mode);
    EXPECT_TRUE(read.records.empty());
    EXPECT_TRUE(read.corruptions.empty());
  }
}

TEST_P(LogTest, TruncationAtEveryOffset) {
  std::vector<std::string> records;
  for (size_t i = 0; i < 12; ++i) records.push_back(Record(i, 10 + 13 * i));
  records.push_back(Record(99, 40000));  // three blocks
  records.push_back("end");
  const std::string whole = BuildLog(records, recyclable());
  const ReadLog complete = ReadAll(whole, WALRecoveryMode::kAbsoluteConsistency);
  ASSERT_EQ(records, complete.records);
  // File offsets at which a record ends.
  std::vector<size_t> ends(complete.offsets.begin() + 1, complete.offsets.end());
  ends.push_back(whole.size());

  for (size_t size = 0; size < whole.size(); size += size < 2000 || size > 40000 ? 1 : 97) {
    const std::string cut = whole.substr(0, size);
    const size_t kept =
        static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
    const size_t clean_end = kept == 0 ? 0 : ends[kept - 1];
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(cut, mode);
      ASSERT_EQ(kept, read.records.size()) << "cut at " << size;
      ASSERT_TRUE(IsPrefix(read.records, records)) << "cut at " << size;
      const bool torn = size != clean_end;
      if (IsTailReportingMode(mode) && torn) {
        ASSERT_FALSE(read.corruptions.empty()) << "cut at " << size;
        ASSERT_NE(std::string::npos, read.corruptions[0].find(kLogName)) << read.corruptions[0];
      } else {
        ASSERT_TRUE(read.corruptions.empty())
            << "cut at " << size << ": " << read.corruptions.front();
      }
    }
  }
}

TEST_P(LogTest, EveryByteFlippedOneAtATime) {
  std::vector<std::string> records;
  for (size_t i = 0; i < 20; ++i) records.push_back(Record(i, 5 + 3 * i));
  records.insert(records.begin() + 10, Record(100, 33000));  // so that there are two blocks
  const std::string whole = BuildLog(records, recyclable());
  const ReadLog complete = ReadAll(whole, WALRecoveryMode::kAbsoluteConsistency);
  ASSERT_EQ(records, complete.records);
  const uint64_t big_begin = complete.offsets[10];
  const uint64_t big_end = complete.offsets[11];

  std::string bytes = whole;
  for (size_t at = 0; at < whole.size(); ++at) {
    // The inside of the big record is all alike.
    if (at > big_begin + 64 && at + 64 < big_end && at % 64 != 0 &&
        (at < log::kBlockSize - 32 || at > log::kBlockSize + 32)) {
      continue;
    }
    for (const uint8_t mask : {0x01, 0x80, 0xff}) {
      bytes[at] = static_cast<char>(whole[at] ^ mask);
      for (const WALRecoveryMode mode : kAllRecoveryModes) {
        const ReadLog read = ReadAll(bytes, mode);
        ASSERT_TRUE(IsSubsequence(read.records, records)) << "byte " << at;
        if (recyclable() && mode == WALRecoveryMode::kTolerateCorruptedTailRecords) {
          // In a recycled log this is where the old one may begin: an end, and no report.
          ASSERT_TRUE(IsPrefix(read.records, records) || !read.corruptions.empty());
          continue;
        }
        ASSERT_LT(read.records.size(), records.size()) << "byte " << at;
        ASSERT_FALSE(read.corruptions.empty()) << "byte " << at << " mask " << unsigned{mask};
        ASSERT_NE(std::string::npos, read.corruptions[0].find("/000007.log offset "))
            << read.corruptions[0];
        ASSERT_TRUE(read.status.ok() || read.status.IsNotSupported());
      }
      bytes[at] = whole[at];
    }
  }
}

TEST_P(LogTest, AWrongLengthInTheLastBlockIsNoTornTail) {
  const std::vector<std::string> records = {Record(1, 50), Record(2, 50), Record(3, 50)};
  const std::string whole = BuildLog(records, recyclable());
  for (size_t i = 0; i < records.size(); ++i) {
    std::string bytes = whole;
    const size_t offset = i * (header() + 50);
    EncodeFixed16(bytes.data() + offset + 4, 5000);
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kPointInTimeRecovery);
    EXPECT_EQ(i, read.records.size());
    ASSERT_EQ(1u, read.corruptions.size());
    EXPECT_EQ("Corruption: /000007.log offset " + std::to_string(offset) + ": bad record length",
              read.corruptions[0]);
  }
}

TEST_P(LogTest, AZeroedTailIsSpaceThatWasNeverWritten) {
  const std::vector<std::string> records = {Record(1, 50), Record(2, 50)};
  for (const size_t zeros : {1u, 6u, 7u, 11u, 1000u, 32768u, 100000u}) {
    const std::string bytes = BuildLog(records, recyclable()) + std::string(zeros, '\0');
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(bytes, mode);
      EXPECT_EQ(records, read.records);
      EXPECT_TRUE(read.corruptions.empty()) << zeros << " " << read.corruptions.front();
    }
  }
}

// The file got its new length, the last of its sectors did not get their bytes.
TEST_P(LogTest, SectorsThatWereNeverWrittenTearTheLastRecord) {
  for (const size_t first : {50u, 495u, 500u, 504u, 1000u}) {
    const std::vector<std::string> records = {Record(1, first), Record(2, 3000)};
    const std::string whole = BuildLog(records, recyclable());
    const size_t start = header() + first;
    for (size_t sector = (start / 512 + 1) * 512; sector < whole.size(); sector += 512) {
      std::string bytes = whole;
      std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(sector), bytes.end(), '\0');
      const ReadLog read = ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords);
      EXPECT_EQ(std::vector<std::string>{records[0]}, read.records);
      EXPECT_TRUE(read.corruptions.empty()) << sector << " " << read.corruptions.front();
      const ReadLog strict = ReadAll(bytes, WALRecoveryMode::kPointInTimeRecovery);
      EXPECT_EQ(std::vector<std::string>{records[0]}, strict.records);
      EXPECT_EQ(1u, strict.corruptions.size());
    }
    // But not a part of a sector.
    std::string bytes = whole;
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>((start / 512 + 1) * 512 + 5), bytes.end(),
              '\0');
    bytes.resize((start / 512 + 1) * 512 + 6);
    bytes += whole.substr(bytes.size());
    bytes[bytes.size() - 1] = 0;
    const ReadLog damaged = ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords);
    EXPECT_EQ(std::vector<std::string>{records[0]}, damaged.records);
    // In a recycled file that mode takes it for the remains of an older log.
    EXPECT_EQ(recyclable() ? 0u : 1u, damaged.corruptions.size());
  }
}

TEST_P(LogTest, ZerosInTheMiddleAreAHole) {
  std::string bytes = BuildLog({Record(1, 50), Record(2, 50)}, recyclable());
  bytes.resize(2 * log::kBlockSize);
  bytes += BuildLog({Record(3, 50)}, recyclable());
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode);
    EXPECT_EQ((std::vector<std::string>{Record(1, 50), Record(2, 50), Record(3, 50)}),
              read.records);
    ASSERT_EQ(1u, read.corruptions.size());
    EXPECT_NE(std::string::npos, read.corruptions[0].find("zeros in the middle of the log"));
  }
}

TEST_P(LogTest, FragmentsOutOfOrderAreReported) {
  const size_t type_shift = recyclable() ? log::kRecyclableFullType - log::kFullType : 0;
  const struct {
    std::vector<log::RecordType> types;
    std::vector<std::string> expected;
    std::string corruption;
  } kCases[] = {
      {{log::kMiddleType, log::kFullType}, {"1"}, "missing start of fragmented record(1)"},
      {{log::kLastType, log::kFullType}, {"1"}, "missing start of fragmented record(2)"},
      {{log::kFirstType, log::kFullType}, {"1"}, "partial record without end(1)"},
      {{log::kFirstType, log::kFirstType, log::kLastType}, {"12"}, "partial record without end(2)"},
      {{log::kFirstType, log::kMiddleType, log::kLastType}, {"012"}, ""},
  };
  for (const auto& c : kCases) {
    std::string bytes;
    for (size_t i = 0; i < c.types.size(); ++i) {
      const size_t at = bytes.size();
      bytes += BuildLog({std::to_string(i)}, recyclable());
      bytes[at + 6] = static_cast<char>(c.types[i] + type_shift);
      FixChecksum(&bytes, at, header());
    }
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(bytes, mode);
      EXPECT_EQ(c.expected, read.records);
      ASSERT_EQ(c.corruption.empty() ? 0u : 1u, read.corruptions.size());
      if (!c.corruption.empty()) {
        EXPECT_NE(std::string::npos, read.corruptions[0].find(c.corruption)) << read.corruptions[0];
      }
    }
  }
}

TEST_P(LogTest, AReadErrorEndsTheLogWithItsStatus) {
  const std::string bytes = BuildLog({Record(1, 50), Record(2, 100000), "x"}, recyclable());
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode, kLogNumber, 40000);
    EXPECT_EQ(1u, read.records.size());
    EXPECT_TRUE(read.status.IsIOError());
    ASSERT_FALSE(read.corruptions.empty());
  }
}

TEST_P(LogTest, RandomDamageNeverInventsARecord) {
  const uint64_t seed = 42;
  Random64 rng(seed);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> records;
    for (size_t i = 0; i < 30; ++i) records.push_back(Record(i + 1, rng.Skewed(15)));
    std::string bytes = BuildLog(records, recyclable());
    const size_t at = rng.Uniform(bytes.size());
    switch (rng.Uniform(4)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.replace(at, rng.Skewed(10), rng.RandomBinaryString(rng.Skewed(10)));
        break;
      case 2:
        bytes.erase(at, rng.Skewed(12));
        break;
      default:
        for (size_t i = 0, n = rng.Skewed(6) + 1; i < n; ++i) {
          bytes[rng.Uniform(bytes.size())] ^= static_cast<char>(rng.Next());
        }
    }
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      ASSERT_TRUE(IsSubsequence(ReadAll(bytes, mode).records, records))
          << "seed " << seed << " round " << round;
    }
  }
}

TEST(Log, ChecksumsAreThoseOfTheFormat) {
  // "foo" as one full record: the bytes that any implementation of the format writes.
  const std::string bytes = BuildLog({"foo"});
  ASSERT_EQ(10u, bytes.size());
  EXPECT_EQ(std::string("\x03\x00\x01"
                        "foo",
                        6),
            bytes.substr(4));
  EXPECT_EQ(crc32c::Mask(crc32c::Value("\x01"
                                       "foo",
                                       4)),
            DecodeFixed32(bytes.data()));
  const std::string recyclable = BuildLog({"foo"}, true, 0x1122334455667788);
  ASSERT_EQ(14u, recyclable.size());
  EXPECT_EQ(std::string("\x03\x00\x05\x88\x77\x66\x55"
                        "foo",
                        10),
            recyclable.substr(4));
  EXPECT_EQ(crc32c::Mask(crc32c::Value("\x05\x88\x77\x66\x55"
                                       "foo",
                                       8)),
            DecodeFixed32(recyclable.data()));
}

TEST(Log, TheRemainsOfARecycledFileAreNotOurs) {
  std::vector<std::string> old_records;
  for (size_t i = 0; i < 100; ++i) old_records.push_back(Record(1000 + i, 100));
  const std::string old_log = BuildLog(old_records, true, 3);
  std::vector<std::string> records;
  for (size_t i = 0; i < 10; ++i) records.push_back(Record(i, 100));
  const std::string fresh = BuildLog(records, true);
  // Ends exactly where an old record begins.
  std::string bytes = fresh + old_log.substr(fresh.size());
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode);
    EXPECT_EQ(records, read.records);
    EXPECT_TRUE(read.corruptions.empty());
    EXPECT_EQ(1u, read.old_records);
  }
  // Ends in the middle of an old record.
  const std::string shifted = BuildLog({Record(1, 77)}, true);
  bytes = shifted + old_log.substr(shifted.size());
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode);
    EXPECT_EQ(std::vector<std::string>{Record(1, 77)}, read.records);
    if (IsTailReportingMode(mode)) {
      EXPECT_FALSE(read.corruptions.empty());
    }
    if (mode == WALRecoveryMode::kTolerateCorruptedTailRecords) {
      EXPECT_TRUE(read.corruptions.empty());
    }
  }
}

// Whoever follows a log that is written meets what the old one had there: zeros, too (seed
// 467289204).
TEST(Log, TheRemainsOfARecycledFileMayBeginWithZeros) {
  const std::string fresh = BuildLog({Record(1, 77)}, true);
  std::string old_value(2 * log::kBlockSize, '\0');
  for (const size_t nonzero : {fresh.size() + 20, log::kBlockSize + 100}) {
    old_value[nonzero] = 'x';
    const std::string old_log = BuildLog({old_value, Record(2, 50)}, true, 3);
    const std::string bytes = fresh + old_log.substr(fresh.size());
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords);
    EXPECT_EQ(std::vector<std::string>{Record(1, 77)}, read.records);
    EXPECT_TRUE(read.corruptions.empty()) << read.corruptions[0];
    old_value[nonzero] = '\0';
  }
}

TEST(Log, AReusedFileIsOverwrittenFromItsStart) {
  MemoryFileSystem fs;
  ASSERT_TRUE(WriteStringToFile(&fs, BuildLog({Record(1, 5000)}, true, 3), "/old.log").ok());
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs.ReuseWritableFile(kLogName, "/old.log", FileOptions(), &file, nullptr).ok());
  LogWriter writer(std::make_unique<FileWriter>(std::move(file), kLogName, FileOptions()),
                   kLogNumber, true);
  ASSERT_TRUE(writer.AddRecord("new").ok());
  ASSERT_TRUE(writer.Close().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&fs, kLogName, &bytes).ok());
  EXPECT_GT(bytes.size(), 5000u);
  EXPECT_EQ(std::vector<std::string>{"new"},
            ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords).records);
}

TEST(Log, FeaturesThatWeLackAreRefusedByName) {
  for (const auto& [type, name] :
       {std::pair{log::kSetCompressionType, "wal_compression"}}) {  // of a kind that is unknown
    const bool recyclable = false;
    std::string bytes = BuildLog({"abcd"}, recyclable) + BuildLog({"after"}, recyclable);
    bytes[6] = static_cast<char>(type);
    FixChecksum(&bytes, 0, recyclable ? log::kRecyclableHeaderSize : log::kHeaderSize);
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(bytes, mode);
      EXPECT_TRUE(read.records.empty());
      EXPECT_TRUE(read.status.IsNotSupported()) << read.status.ToString();
      EXPECT_NE(std::string::npos, read.status.ToString().find(name)) << read.status.ToString();
      EXPECT_NE(std::string::npos, read.status.ToString().find("/000007.log offset 0"));
      ASSERT_EQ(1u, read.corruptions.size());
    }
  }
}

// As newer releases of RocksDB write it for families with user-defined timestamps.
TEST(Log, TimestampSizesAreRead) {
  const auto with_sizes = [](const std::string& sizes, bool recyclable) {
    std::string bytes = BuildLog({sizes}, recyclable);
    bytes[6] = static_cast<char>(recyclable ? log::kRecyclableUserDefinedTimestampSizeType
                                            : log::kUserDefinedTimestampSizeType);
    FixChecksum(&bytes, 0, recyclable ? log::kRecyclableHeaderSize : log::kHeaderSize);
    return bytes;
  };
  for (const bool recyclable : {false, true}) {
    const std::string bytes = with_sizes(std::string("\3\0\0\0\x8\0\7\1\0\0\0\1", 12), recyclable) +
                              BuildLog({"after"}, recyclable);
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kAbsoluteConsistency);
    EXPECT_EQ(std::vector<std::string>{"after"}, read.records);
    EXPECT_TRUE(read.corruptions.empty());
    EXPECT_EQ((std::map<uint32_t, size_t>{{3, 8}, {263, 256}}), read.timestamp_sizes);
    // Our own, across blocks; the records around it stay what they are.
    MemoryFileSystem fs(MemoryFileSystem::Durability::kUntracked);
    std::unique_ptr<FileWriter> file;
    ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
    LogWriter writer(std::move(file), kLogNumber, recyclable);
    std::map<uint32_t, size_t> sizes;
    for (uint32_t family = 0; family < 6000; ++family) sizes[family] = family % 3 + 1;
    const std::string large(log::kBlockSize - (recyclable ? 25 : 17), 'x');
    ASSERT_TRUE(writer.AddRecord(large).ok());
    ASSERT_TRUE(writer.AddTimestampSizes(sizes).ok());
    ASSERT_TRUE(writer.AddRecord("after").ok());
    ASSERT_TRUE(writer.Close().ok());
    std::string written;
    ASSERT_TRUE(ReadFileToString(&fs, kLogName, &written).ok());
    const ReadLog own = ReadAll(written, WALRecoveryMode::kAbsoluteConsistency);
    EXPECT_EQ((std::vector<std::string>{large, "after"}), own.records);
    EXPECT_TRUE(own.corruptions.empty());
    EXPECT_EQ(sizes, own.timestamp_sizes);
    const ReadLog bad = ReadAll(with_sizes("12345", recyclable) + BuildLog({"after"}, recyclable),
                                WALRecoveryMode::kAbsoluteConsistency);
    ASSERT_EQ(1u, bad.corruptions.size());
    EXPECT_NE(std::string::npos, bad.corruptions[0].find("timestamp sizes"));
  }
}

// As RocksDB writes it with wal_compression: a record that says so, and each record a frame.
std::string CompressedLog(const std::vector<std::string>& records, bool recyclable) {
  std::vector<std::string> frames;
  for (const std::string& record : records) {
    std::string frame(ZSTD_compressBound(record.size()), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), record.data(), record.size(), 3));
    frames.push_back(record.empty() ? "" : frame);
  }
  // The first record is in the old format always, and shorter than a recyclable one of 4 bytes: as
  // long as that of none.
  frames.insert(frames.begin(), recyclable ? "" : std::string(4, '\0'));
  std::string bytes = BuildLog(frames, recyclable);
  EncodeFixed16(bytes.data() + 4, 4);
  bytes[6] = static_cast<char>(log::kSetCompressionType);
  EncodeFixed32(bytes.data() + log::kHeaderSize, kZSTD);
  FixChecksum(&bytes, 0, log::kHeaderSize);
  return bytes;
}

std::vector<std::string> SomeRecords() {
  std::vector<std::string> records = {"", "a", std::string(300'000, 'b'), Record(1, 100'000)};
  for (size_t i = 2; i < 100; ++i) records.push_back(Record(i, i * 37) + std::string(i, 'x'));
  return records;
}

TEST_P(LogTest, CompressedLogsAreRead) {
  const std::vector<std::string> records = SomeRecords();
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(CompressedLog(records, recyclable()), mode);
    EXPECT_EQ(records, read.records);
    EXPECT_EQ(std::vector<std::string>{}, read.corruptions);
    EXPECT_TRUE(read.status.ok()) << read.status.ToString();
  }
}

TEST_P(LogTest, CompressedLogsAreWritten) {
  std::vector<std::string> records = SomeRecords();
  records.push_back(Record(7, 400'000));  // larger as a frame than as it is
  // The rest of a block is from too little for a header to much.
  for (size_t i = 0; i < 3000; ++i) records.push_back(Record(i, i % 97));
  const std::string bytes = BuildLog(records, recyclable(), kLogNumber, /*compressed=*/true);
  EXPECT_EQ(9, bytes[6]);
  EXPECT_EQ(7u, DecodeFixed32(bytes.data() + log::kHeaderSize)) << "ZSTD";
  for (const WALRecoveryMode mode : kAllRecoveryModes) {
    const ReadLog read = ReadAll(bytes, mode);
    EXPECT_EQ(records, read.records);
    EXPECT_EQ(std::vector<std::string>{}, read.corruptions);
    EXPECT_TRUE(read.status.ok()) << read.status.ToString();
  }
  const std::vector<std::string> repeated(100, std::string(1000, 'r'));
  EXPECT_LT(BuildLog(repeated, recyclable(), kLogNumber, true).size(), 10'000u);
}

TEST_P(LogTest, AnUnusedLogIsEmptyWithCompressionToo) {
  EXPECT_EQ("", BuildLog({}, recyclable(), kLogNumber, /*compressed=*/true));
}

// What an older log has left lies behind the end of a recycled one.
TEST(Log, RecycledCompressedLogsEndWhereTheyEnd) {
  const std::string old = BuildLog({std::string(100, 'o'), Record(1, 5000), Record(2, 5000)}, true,
                                   kLogNumber - 1, /*compressed=*/true);
  for (const size_t n : {0, 1, 100, 3000}) {
    std::string bytes = BuildLog({Record(3, n)}, true, kLogNumber, /*compressed=*/true);
    ASSERT_LT(bytes.size(), old.size());
    bytes += old.substr(bytes.size());
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kSkipAnyCorruptedRecords);
    ASSERT_EQ(1u, read.records.size());
    EXPECT_EQ(Record(3, n), read.records[0]);
  }
}

TEST_P(LogTest, CompressedLogsSayTimestampSizes) {
  MemoryFileSystem fs;
  std::unique_ptr<FileWriter> file;
  ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
  LogWriter writer(std::move(file), kLogNumber, recyclable(), false, /*compressed=*/true);
  ASSERT_TRUE(writer.AddTimestampSizes({{1, 8}}).ok());
  ASSERT_TRUE(writer.AddRecord("after").ok());
  ASSERT_TRUE(writer.Close().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&fs, kLogName, &bytes).ok());
  const ReadLog read = ReadAll(bytes, WALRecoveryMode::kAbsoluteConsistency);
  EXPECT_EQ(std::vector<std::string>{"after"}, read.records);
  EXPECT_EQ((std::map<uint32_t, size_t>{{1, 8}}), read.timestamp_sizes);
  EXPECT_TRUE(read.corruptions.empty());
}

TEST_P(LogTest, CompressedLogsAreReadFromTheMiddle) {
  const std::vector<std::string> records = SomeRecords();
  MemoryFileSystem fs;
  ASSERT_TRUE(WriteStringToFile(&fs, CompressedLog(records, recyclable()), kLogName).ok());
  uint64_t position = 0;
  bool recycled = false;
  for (const std::string& expected : records) {
    std::unique_ptr<SequentialFileReader> file;
    ASSERT_TRUE(SequentialFileReader::Open(&fs, kLogName, FileOptions(), &file).ok());
    LogReader reader(nullptr, std::move(file), nullptr, true, kLogNumber);
    if (position > 0) {
      ASSERT_TRUE(reader.SkipTo(position, recycled).ok());
    }
    Slice record;
    std::string scratch;
    ASSERT_TRUE(reader.ReadRecord(&record, &scratch)) << position;
    ASSERT_EQ(expected, record.ToString());
    position = reader.LastRecordEnd();
    recycled = reader.InRecyclableFormat();
    EXPECT_EQ(recyclable(), recycled);
  }
}

TEST_P(LogTest, ABadFrameIsACorruptionOfItsRecord) {
  const std::vector<std::string> records = {"first", "second", "third"};
  const std::string good = CompressedLog(records, recyclable());
  int bad_frames = 0;
  for (size_t at = log::kHeaderSize + 4; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    // Checksums that hold: what is damaged is inside of the frames.
    for (size_t p = log::kHeaderSize + 4; p + header() <= bytes.size();) {
      const size_t length = DecodeFixed16(bytes.data() + p + 4);
      if (p + header() + length > bytes.size()) break;
      FixChecksum(&bytes, p, header());
      p += header() + length;
    }
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords);
    EXPECT_LE(read.records.size(), 3u);
    EXPECT_TRUE(IsSubsequence(read.records, records) || read.corruptions.empty());
    for (const std::string& text : read.corruptions) {
      bad_frames += text.find("bad compressed record") != std::string::npos;
    }
  }
  EXPECT_GT(bad_frames, 20);
}

// RocksDB's record, byte by byte: the test of what others read and write.
TEST_P(LogTest, WhatALogSaysOfTheOneBeforeIsReadAndWritten) {
  for (const bool compressed : {false, true}) {
    MemoryFileSystem fs;
    std::unique_ptr<FileWriter> file;
    ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
    LogWriter writer(std::move(file), kLogNumber, recyclable(), /*manual_flush=*/false, compressed);
    ASSERT_TRUE(writer.AddPredecessor({5, 0x1234, 77}).ok());
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(&fs, kLogName, &bytes).ok());
    const size_t begin = compressed ? log::kHeaderSize + 4 : 0;
    ASSERT_EQ(bytes.size(), begin + header() + 24);
    EXPECT_EQ(static_cast<uint8_t>(bytes[begin + 6]), recyclable() ? 131 : 130);
    EXPECT_EQ(bytes.substr(begin + header()), std::string("\x05\0\0\0\0\0\0\0", 8) +
                                                  std::string("\x34\x12\0\0\0\0\0\0", 8) +
                                                  std::string("\x4d\0\0\0\0\0\0\0", 8));
    ASSERT_TRUE(writer.AddRecord("abc").ok());
    ASSERT_TRUE(writer.Close().ok());
    ASSERT_TRUE(ReadFileToString(&fs, kLogName, &bytes).ok());
    for (const WALRecoveryMode mode : kAllRecoveryModes) {
      const ReadLog read = ReadAll(bytes, mode);
      EXPECT_EQ(read.records, std::vector<std::string>{"abc"});
      EXPECT_TRUE(read.corruptions.empty());
      ASSERT_TRUE(read.predecessor.has_value());
      EXPECT_EQ(read.predecessor->number, 5u);
      EXPECT_EQ(read.predecessor->bytes, 0x1234u);
      EXPECT_EQ(read.predecessor->last_record, 77u);
    }
    // A short one is damage; bytes behind the three numbers are those of a newer release.
    bytes[begin + 4] = 23;
    bytes = bytes.substr(0, begin + header() + 23);
    FixChecksum(&bytes, begin, header());
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kPointInTimeRecovery);
    EXPECT_FALSE(read.predecessor.has_value());
    ASSERT_EQ(read.corruptions.size(), 1u);
    EXPECT_NE(read.corruptions[0].find("could not decode PredecessorWALInfoType record"),
              std::string::npos);
  }
}

TEST(Log, UnknownTypesAreSkippedOnlyIfMadeForIt) {
  for (const uint8_t type : {12, 77, 132, 200}) {
    std::string bytes = BuildLog({"abcd"}) + BuildLog({"after"});
    bytes[6] = static_cast<char>(type);
    FixChecksum(&bytes, 0, log::kHeaderSize);
    const ReadLog read = ReadAll(bytes, WALRecoveryMode::kPointInTimeRecovery);
    EXPECT_EQ(std::vector<std::string>{"after"}, read.records);
    EXPECT_EQ(type >= 128 ? 0u : 1u, read.corruptions.size()) << unsigned{type};
  }
}

TEST(Log, ManualFlushKeepsRecordsInTheBuffer) {
  MemoryFileSystem fs;
  std::unique_ptr<FileWriter> file;
  ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
  LogWriter writer(std::move(file), kLogNumber, false, /*manual_flush=*/true);
  uint64_t size;
  ASSERT_TRUE(writer.AddRecord("abc").ok());
  EXPECT_FALSE(writer.BufferIsEmpty());
  ASSERT_TRUE(fs.GetFileSize(kLogName, IOOptions(), &size, nullptr).ok());
  EXPECT_EQ(0u, size);
  ASSERT_TRUE(writer.WriteBuffer().ok());
  EXPECT_TRUE(writer.BufferIsEmpty());
  ASSERT_TRUE(fs.GetFileSize(kLogName, IOOptions(), &size, nullptr).ok());
  EXPECT_EQ(10u, size);
  ASSERT_TRUE(writer.Sync(false).ok());
  EXPECT_EQ(0u, fs.UnsyncedBytes());
  ASSERT_TRUE(writer.Close().ok());
  EXPECT_FALSE(writer.AddRecord("late").ok());
}

// The file system compares each write with the checksum that comes with it; the bytes are the same.
TEST_P(LogTest, ChecksumsAreHandedOverWithTheBytes) {
  std::vector<std::string> records = {"", "a"};
  Random64 rng(77);
  for (size_t i = 0; i < 200; ++i) records.push_back(Record(i, rng.Skewed(17)));
  for (const bool manual_flush : {false, true}) {
    for (const size_t buffer : {size_t{1}, size_t{10'000}, size_t{1} << 20}) {
      const auto memory = std::make_shared<MemoryFileSystem>();
      fault::FaultInjectionFileSystem fs(memory);
      FileOptions options;
      options.writable_file_max_buffer_size = buffer;
      std::unique_ptr<FileWriter> file;
      ASSERT_TRUE(FileWriter::Open(&fs, kLogName, options, &file).ok());
      file->EnableChecksumHandoff();
      LogWriter writer(std::move(file), kLogNumber, recyclable(), manual_flush);
      for (const std::string& record : records) {
        const IOStatus s = writer.AddRecord(record);
        ASSERT_TRUE(s.ok()) << s.ToString();
      }
      ASSERT_TRUE(writer.Close().ok());
      std::string bytes;
      ASSERT_TRUE(ReadFileToString(memory.get(), kLogName, &bytes).ok());
      EXPECT_TRUE(bytes == BuildLog(records, recyclable()));
    }
  }
}

TEST(Log, AnAcknowledgedRecordHasLeftTheProcess) {
  MemoryFileSystem fs;
  std::unique_ptr<FileWriter> file;
  ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
  LogWriter writer(std::move(file), kLogNumber, false);
  std::vector<std::string> records;
  for (size_t i = 0; i < 50; ++i) {
    records.push_back(Record(i, 3000));
    ASSERT_TRUE(writer.AddRecord(records.back()).ok());
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(&fs, kLogName, &bytes).ok());
    ASSERT_EQ(records, ReadAll(bytes, WALRecoveryMode::kAbsoluteConsistency).records);
  }
}

TEST(Log, AWriteErrorIsReturnedAndStays) {
  const auto memory = std::make_shared<MemoryFileSystem>();
  fault::FaultInjectionFileSystem fs(memory);
  std::unique_ptr<FileWriter> file;
  ASSERT_TRUE(FileWriter::Open(&fs, kLogName, FileOptions(), &file).ok());
  LogWriter writer(std::move(file), kLogNumber, false);
  ASSERT_TRUE(writer.AddRecord("good").ok());
  fs.SetFreeBytes(12);
  EXPECT_TRUE(writer.AddRecord(Record(1, 100)).IsNoSpace());
  fs.Heal();
  EXPECT_TRUE(writer.AddRecord("more").IsNoSpace());
  EXPECT_FALSE(writer.Close().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(memory.get(), kLogName, &bytes).ok());
  EXPECT_EQ(std::vector<std::string>{"good"},
            ReadAll(bytes, WALRecoveryMode::kTolerateCorruptedTailRecords).records);
}

}  // namespace
}  // namespace cairn
