// What the tests of traces share: the format as this test knows it, a trace file, a second family.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "conformance.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/utilities/replayer.h"

namespace conformance {

// Collects what is written, or fails.
class StringTraceWriter : public TraceWriter {
 public:
  StringTraceWriter(std::string* bytes, const bool* fails) : bytes_(bytes), fails_(fails) {}
  Status Write(const Slice& data) override {
    if (fails_ != nullptr && *fails_) return Status::IOError("the writer's error");
    bytes_->append(data.data(), data.size());
    return Status::OK();
  }
  Status Close() override { return Status::OK(); }
  uint64_t GetFileSize() override { return bytes_->size(); }

 private:
  std::string* bytes_;
  const bool* fails_;
};

class TraceFixture : public DBTest {
 protected:
  static void PutNumber(std::string* bytes, uint64_t number, int size) {
    for (int i = 0; i < size; i++) bytes->push_back(static_cast<char>(number >> (8 * i)));
  }
  static std::string Fixed32(uint32_t number) {
    std::string bytes;
    PutNumber(&bytes, number, 4);
    return bytes;
  }
  // With its length, which is below 128.
  static std::string Prefixed(const std::string& string) {
    return std::string(1, static_cast<char>(string.size())) + string;
  }
  static std::string Fields(uint64_t bits) {
    std::string bytes;
    PutNumber(&bytes, bits, 8);
    return bytes;
  }
  static uint64_t NumberAt(const std::string& bytes, size_t offset, int size) {
    uint64_t number = 0;
    for (int i = 0; i < size; i++) {
      number |= static_cast<uint64_t>(static_cast<unsigned char>(bytes.at(offset + i))) << (8 * i);
    }
    return number;
  }

  // What the payloads are, as this test knows them.
  static std::string WritePayload(const std::string& batch) {
    return Fields(1 << 1) + Prefixed(batch);
  }
  static std::string GetPayload(uint32_t family, const std::string& key) {
    return Fields(1 << 2 | 1 << 3) + Fixed32(family) + Prefixed(key);
  }
  static std::string SeekPayload(uint32_t family, const std::string& key,
                                 const std::string& lower = "", const std::string& upper = "") {
    std::string payload =
        Fields(1 << 4 | 1 << 5 | (lower.empty() ? 0 : 1 << 6) | (upper.empty() ? 0 : 1 << 7));
    payload += Fixed32(family) + Prefixed(key);
    if (!lower.empty()) payload += Prefixed(lower);
    if (!upper.empty()) payload += Prefixed(upper);
    return payload;
  }
  static std::string MultiGetPayload(const std::vector<uint32_t>& families,
                                     const std::vector<std::string>& keys) {
    std::string ids, strings;
    for (const uint32_t family : families) ids += Fixed32(family);
    for (const std::string& key : keys) strings += Prefixed(key);
    return Fields(1 << 8 | 1 << 9 | 1 << 10) + Fixed32(static_cast<uint32_t>(keys.size())) +
           Prefixed(ids) + Prefixed(strings);
  }
  // A batch with one Put into the default family.
  static std::string PutBatch(const std::string& key, const std::string& value) {
    return std::string(8, '\0') + Fixed32(1) + '\x01' + Prefixed(key) + Prefixed(value);
  }

  struct RawRecord {
    uint64_t timestamp;
    int type;
    std::string payload;

    std::string Encode() const {
      std::string bytes;
      PutNumber(&bytes, timestamp, 8);
      bytes.push_back(static_cast<char>(type));
      return bytes + Fixed32(static_cast<uint32_t>(payload.size())) + payload;
    }
  };
  static constexpr char kHeader01[] =
      "feedcafedeadbeef\tTrace Version: 0.1\tRocksDB Version: 6.8\tFormat: Timestamp OpType "
      "Payload\n";
  static constexpr char kHeader02[] =
      "feedcafedeadbeef\tTrace Version: 0.2\tRocksDB Version: 7.8\tFormat: Timestamp OpType "
      "Payload\n";

  TraceFixture() : trace_(root_ + "/trace") {}
  ~TraceFixture() override { CloseFamily(); }

  void OpenWithFamily() {
    Open();
    ASSERT_OK(db_->CreateColumnFamily(ColumnFamilyOptions(), "other", &other_));
  }
  void CloseFamily() {
    if (other_ != nullptr) {
      EXPECT_OK(db_->DestroyColumnFamilyHandle(other_));
    }
    other_ = nullptr;
  }

  void StartTrace(const TraceOptions& options = TraceOptions()) {
    std::unique_ptr<TraceWriter> writer;
    ASSERT_OK(NewFileTraceWriter(TheEnv(), EnvOptions(), trace_, &writer));
    ASSERT_OK(db_->StartTrace(options, std::move(writer)));
  }
  std::string TraceBytes() {
    std::string bytes;
    EXPECT_OK(ReadFileToString(TheEnv(), trace_, &bytes));
    return bytes;
  }
  void WriteTrace(const std::vector<RawRecord>& records) {
    std::string bytes;
    for (const RawRecord& record : records) bytes += record.Encode();
    ASSERT_OK(WriteStringToFile(TheEnv(), bytes, trace_));
  }
  // The file, taken apart by the lengths in it.
  static std::vector<RawRecord> Parse(const std::string& bytes) {
    std::vector<RawRecord> records;
    size_t at = 0;
    while (at + 13 <= bytes.size()) {
      const size_t length = NumberAt(bytes, at + 9, 4);
      EXPECT_LE(at + 13 + length, bytes.size());
      records.push_back({NumberAt(bytes, at, 8), bytes[at + 8], bytes.substr(at + 13, length)});
      at += 13 + length;
    }
    EXPECT_EQ(at, bytes.size());
    return records;
  }
  // The types of the records between header and footer, as "3 4 4".
  std::string Types() {
    const std::vector<RawRecord> records = Parse(TraceBytes());
    std::string types;
    for (const RawRecord& record : records) {
      if (record.type == kTraceBegin || record.type == kTraceEnd) continue;
      types += (types.empty() ? "" : " ") + std::to_string(record.type);
    }
    return types;
  }

  Status NewReplayer(std::unique_ptr<Replayer>* replayer, DB* db,
                     const std::vector<ColumnFamilyHandle*>& handles) {
    std::unique_ptr<TraceReader> reader;
    Status s = NewFileTraceReader(TheEnv(), EnvOptions(), trace_, &reader);
    return s.ok() ? db->NewDefaultReplayer(handles, std::move(reader), replayer) : s;
  }
  // Of all, as fast as it goes, on the open database.
  Status Replay(uint32_t threads = 1) {
    std::unique_ptr<Replayer> replayer;
    std::vector<ColumnFamilyHandle*> handles = {db_->DefaultColumnFamily()};
    if (other_ != nullptr) handles.push_back(other_);
    Status s = NewReplayer(&replayer, db_, handles);
    if (s.ok()) s = replayer->Prepare();
    if (s.ok()) s = replayer->Replay(ReplayOptions(threads, 1e6), nullptr);
    return s;
  }
  void Recreate() {
    CloseFamily();
    Shut();
    RemoveTree(dir_);
  }

  const std::string trace_;  // a file
  ColumnFamilyHandle* other_ = nullptr;
};

}  // namespace conformance
