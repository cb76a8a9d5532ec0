// The reader of write-ahead logs, in every recovery mode: any file ends, no record has more bytes
// than the file, and what the writer wrote comes back.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespace.h"
#include "fuzz/fuzz.h"
#include "fuzz/log_bytes.h"
#include "wal/log_reader.h"

namespace cairn::fuzz {

namespace {

constexpr uint64_t kLogNumber = 7;

struct Collector final : LogReader::Reporter {
  void Corruption(size_t n, const Status& reason) override {
    FUZZ_CHECK(!reason.ok());
    dropped += n;
    ++reports;
  }
  size_t dropped = 0;
  size_t reports = 0;
};

std::vector<std::string> ReadAll(const std::string& bytes, WALRecoveryMode mode, bool checksum,
                                 Collector* collector) {
  LogReader reader(
      nullptr, std::make_unique<SequentialFileReader>(std::make_unique<BytesFile>(&bytes), "/log"),
      collector, checksum, kLogNumber);
  std::vector<std::string> records;
  Slice record;
  std::string scratch;
  size_t total = 0;
  uint64_t offset = 0, last_end = 0;
  while (reader.ReadRecord(&record, &scratch, mode, &offset)) {
    records.push_back(record.ToString());
    total += record.size();
    FUZZ_CHECK(offset == reader.LastRecordOffset() && offset >= last_end);
    last_end = reader.LastRecordEnd();
    FUZZ_CHECK(last_end > offset && last_end <= bytes.size());
  }
  FUZZ_CHECK(total <= bytes.size());
  // Once it is done, it stays so.
  FUZZ_CHECK(!reader.ReadRecord(&record, &scratch, mode, &offset));
  return records;
}

void CheckRoundTrip(std::string_view bytes, bool recyclable, uint8_t scale) {
  // Records whose lengths, in units, the first bytes of each tell.
  std::vector<std::string> records;
  Input input(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  while (!input.empty() && records.size() < 16) {
    const size_t length = input.Number(2) * (1 + scale % 8);
    std::string record(input.Take(length));
    record.resize(length, 'x');
    records.push_back(std::move(record));
  }
  const std::string log = WriteLog(records, recyclable, kLogNumber);
  for (const WALRecoveryMode mode :
       {WALRecoveryMode::kTolerateCorruptedTailRecords, WALRecoveryMode::kAbsoluteConsistency,
        WALRecoveryMode::kPointInTimeRecovery, WALRecoveryMode::kSkipAnyCorruptedRecords}) {
    Collector collector;
    FUZZ_CHECK(ReadAll(log, mode, true, &collector) == records);
    FUZZ_CHECK(collector.reports == 0);
  }
}

}  // namespace

}  // namespace cairn::fuzz

// How it is read, and the file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn;
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t how = input.Byte();
  if ((how & 15) == 15) {
    const uint8_t scale = input.Byte();
    CheckRoundTrip(input.Rest(), (how & 16) != 0, scale);
    return 0;
  }
  std::string bytes(input.Rest());
  if ((how & 16) != 0) FixLogChecksums(&bytes);
  Collector collector;
  (void)ReadAll(bytes, static_cast<WALRecoveryMode>(how & 3), (how & 32) == 0, &collector);
  return 0;
}
