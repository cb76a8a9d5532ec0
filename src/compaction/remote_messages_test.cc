#include "compaction/remote_messages.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/crc32c.h"

namespace cairn {
namespace {

RemoteJob SomeJob() {
  RemoteJob job;
  job.db_id = "a database";
  job.column_family = std::string("with a \0 in it", 14);
  job.paths = {"", "/second"};
  job.options_file_number = 7;
  job.manifest_number = 8;
  job.manifest_bytes = 999;
  job.inputs = {{0, {30, 29, 12}}, {4, {5}}};
  job.output_level = 4;
  job.begin = "b";
  job.end = std::string();
  job.snapshots = {1, 5, kMaxSequenceNumber};
  job.history_low = "low";
  job.compression = kZSTD;
  job.target_output_file_size = UINT64_MAX;
  job.max_compaction_bytes = 1;
  job.manual = true;
  job.reason = CompactionReason::kBottommostFiles;
  return job;
}

RemoteResult SomeResult() {
  RemoteResult result;
  result.output_path = "/out";
  result.output_level = 2;
  for (uint64_t i = 1; i <= 3; ++i) {
    FileMetaData file;
    file.number = 100 + i;
    file.path_id = 4;  // which the MANIFEST cannot tell
    file.file_size = 1000 * i;
    file.smallest = InternalKey(std::string(1, static_cast<char>('a' + 2 * i)), i, kTypeValue);
    file.largest = InternalKey(std::string(1, static_cast<char>('b' + 2 * i)), i, kTypeMerge);
    file.smallest_seqno = i;
    file.largest_seqno = i + 10;
    file.epoch_number = i + 20;
    file.oldest_ancester_time = 5;
    file.file_creation_time = 6;
    file.file_checksum = "sum";
    file.file_checksum_func_name = "function";
    file.marked_for_compaction = i == 2;
    file.unique_id = {i, i + 1};
    result.files.push_back(file);
  }
  result.counts.num_records_replaced = 3;
  result.counts.num_single_del_mismatch = 4;
  result.records_in = 100;
  result.records_dropped = 40;
  result.records_filtered = 2;
  result.cpu_micros = 11;
  result.bytes_read = 12;
  result.bytes_written = 13;
  return result;
}

// The same body under other last fields, whole.
std::string Sealed(std::string bytes, uint32_t version) {
  bytes.resize(bytes.size() - 8);
  PutFixed32(&bytes, version);
  PutFixed32(&bytes, crc32c::Mask(crc32c::Value(bytes.data(), bytes.size())));
  return bytes;
}

TEST(RemoteMessagesTest, AJobComesBack) {
  RemoteJob least;
  least.inputs = {{0, {1}}};
  for (const RemoteJob& job : {SomeJob(), least}) {
    RemoteJob read = SomeJob();
    const Status s = read.Decode(job.Encode());
    ASSERT_TRUE(s.ok()) << s.ToString();
    EXPECT_TRUE(read == job);
    EXPECT_EQ(job.Encode(), read.Encode());
  }
}

TEST(RemoteMessagesTest, AResultComesBack) {
  const RemoteResult result = SomeResult();
  RemoteResult read;
  const Status s = read.Decode(result.Encode());
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_TRUE(read.status.ok());
  EXPECT_EQ("/out", read.output_path);
  EXPECT_EQ(2, read.output_level);
  ASSERT_EQ(3u, read.files.size());
  for (size_t i = 0; i < 3; ++i) {
    const FileMetaData& was = result.files[i];
    const FileMetaData& is = read.files[i];
    EXPECT_EQ(was.number, is.number);
    EXPECT_EQ(0u, is.path_id);
    EXPECT_EQ(was.file_size, is.file_size);
    EXPECT_EQ(was.smallest.Encode(), is.smallest.Encode());
    EXPECT_EQ(was.largest.Encode(), is.largest.Encode());
    EXPECT_EQ(was.smallest_seqno, is.smallest_seqno);
    EXPECT_EQ(was.largest_seqno, is.largest_seqno);
    EXPECT_EQ(was.epoch_number, is.epoch_number);
    EXPECT_EQ(was.oldest_ancester_time, is.oldest_ancester_time);
    EXPECT_EQ(was.file_creation_time, is.file_creation_time);
    EXPECT_EQ(was.file_checksum, is.file_checksum);
    EXPECT_EQ(was.file_checksum_func_name, is.file_checksum_func_name);
    EXPECT_EQ(was.marked_for_compaction, is.marked_for_compaction);
    EXPECT_EQ(was.unique_id, is.unique_id);
  }
  EXPECT_EQ(3u, read.counts.num_records_replaced);
  EXPECT_EQ(4u, read.counts.num_single_del_mismatch);
  EXPECT_EQ(100u, read.records_in);
  EXPECT_EQ(40u, read.records_dropped);
  EXPECT_EQ(2u, read.records_filtered);
  EXPECT_EQ(11u, read.cpu_micros);
  EXPECT_EQ(12u, read.bytes_read);
  EXPECT_EQ(13u, read.bytes_written);
}

TEST(RemoteMessagesTest, AFailureComesBack) {
  RemoteResult result;
  result.status = Status::NoSpace("no room", "/out");
  RemoteResult read = SomeResult();
  ASSERT_TRUE(read.Decode(result.Encode()).ok());
  EXPECT_TRUE(read.status.IsNoSpace());
  EXPECT_EQ(result.status.ToString(), read.status.ToString());
  EXPECT_TRUE(read.files.empty());
}

TEST(RemoteMessagesTest, OneIsNotTheOther) {
  RemoteJob job;
  RemoteResult result;
  EXPECT_TRUE(job.Decode(SomeResult().Encode()).IsCorruption());
  EXPECT_TRUE(result.Decode(SomeJob().Encode()).IsCorruption());
}

TEST(RemoteMessagesTest, WhatIsCutOrChangedIsCorruption) {
  const std::string jobs = SomeJob().Encode();
  const std::string results = SomeResult().Encode();
  RemoteJob job;
  RemoteResult result;
  for (size_t i = 0; i < jobs.size(); ++i) {
    ASSERT_TRUE(job.Decode(jobs.substr(0, i)).IsCorruption()) << i;
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = jobs;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      ASSERT_TRUE(job.Decode(flipped).IsCorruption()) << i;
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(result.Decode(results.substr(0, i)).IsCorruption()) << i;
    std::string flipped = results;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    ASSERT_TRUE(result.Decode(flipped).IsCorruption()) << i;
  }
  // Bytes of a body that was cut before it was sealed.
  for (size_t cut = 12; cut + 1 < jobs.size(); ++cut) {
    EXPECT_FALSE(job.Decode(Sealed(jobs.substr(0, cut), 1)).ok()) << cut;
  }
  for (size_t cut = 12; cut + 1 < results.size(); ++cut) {
    EXPECT_FALSE(result.Decode(Sealed(results.substr(0, cut), 1)).ok()) << cut;
  }
}

TEST(RemoteMessagesTest, AnotherVersionIsNotSupported) {
  RemoteJob job;
  RemoteResult result;
  EXPECT_TRUE(job.Decode(Sealed(SomeJob().Encode(), 1)).ok());
  const Status s = job.Decode(Sealed(SomeJob().Encode(), 2));
  EXPECT_TRUE(s.IsNotSupported()) << s.ToString();
  EXPECT_TRUE(result.Decode(Sealed(SomeResult().Encode(), 0)).IsNotSupported());
}

TEST(RemoteMessagesTest, AJobThatMakesNoSenseIsCorruption) {
  RemoteJob job;
  for (const auto& inputs : std::vector<std::vector<RemoteJob::Level>>{
           {}, {{2, {1}}, {1, {2}}}, {{1, {}}}, {{5, {1}}}}) {
    RemoteJob bad = SomeJob();
    bad.inputs = inputs;
    EXPECT_TRUE(job.Decode(bad.Encode()).IsCorruption());
  }
  RemoteJob bad = SomeJob();
  bad.snapshots = {5, 1};
  EXPECT_TRUE(job.Decode(bad.Encode()).IsCorruption());
}

}  // namespace
}  // namespace cairn
