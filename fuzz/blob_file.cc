// Blob files and blob indexes of any bytes: a file opens or is refused, and what is read out of it
// is its bytes or an error, the same whether each value is read by itself, unverified, or ahead of
// a scan in either direction. Checksums are made right again where the input says so.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "blob/blob_format.h"
#include "blob/blob_read_ahead.h"
#include "blob/blob_source.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/memory_file_system.h"
#include "fuzz/blob_bytes.h"
#include "fuzz/fuzz.h"

namespace cairn::fuzz {

namespace {

constexpr size_t kMaxBlobFile = 32 << 10;

bool IsExpected(const Status& s) {
  return s.ok() || s.IsCorruption() || s.IsNotSupported() || s.IsMemoryLimit();
}

struct Answer {
  Status::Code code = Status::kOk;
  std::string value;
  bool operator==(const Answer&) const = default;
};

class BlobFileUser {
 public:
  BlobFileUser(const std::string& file, size_t ahead)
      : file_(file), ahead_(ahead), source_(Options(file)) {}

  void UseAll() {
    const Status verified = source_.VerifyFile(ReadOptions(), kBlobFileNumber);
    FUZZ_CHECK(IsExpected(verified));
    FUZZ_CHECK(IsExpected(source_.CheckFile(kBlobFileNumber)));
    FUZZ_CHECK(!verified.ok() || source_.CheckFile(kBlobFileNumber).ok());
    std::vector<BlobRecord> records = FindBlobRecords(file_);
    const std::vector<Answer> answers = Scan(records, nullptr);
    const bool stored_plain = file_.size() > 13 && file_[13] == kNoCompression;
    for (size_t i = 0; i < records.size(); ++i) {
      if (!stored_plain) continue;
      FUZZ_CHECK(!verified.ok() || answers[i].code == Status::kOk);
      if (answers[i].code != Status::kOk) continue;
      FUZZ_CHECK(answers[i].value ==
                 file_.substr(records[i].value_offset(), records[i].value_size));
    }
    for (const size_t fixed : {size_t{0}, ahead_}) {
      BlobReadAheadOptions how;
      how.fixed = fixed;
      how.initial = how.max = ahead_;
      how.reads_before = 1;
      BlobReadAheads ahead(how);
      FUZZ_CHECK(Scan(records, &ahead) == answers);
      std::reverse(records.begin(), records.end());
      std::vector<Answer> backward = Scan(records, &ahead);
      std::reverse(backward.begin(), backward.end());
      FUZZ_CHECK(backward == answers);
      std::reverse(records.begin(), records.end());
    }
  }

  // Whatever the index says.
  void UseIndex(const Slice& key, const Slice& index) {
    BlobIndex at;
    const Status decoded = DecodeBlobIndex(index, &at);
    FUZZ_CHECK(decoded.ok() || decoded.IsCorruption());
    for (const bool verify : {true, false}) {
      ReadOptions options;
      options.verify_checksums = verify;
      PinnableSlice value;
      const Status s = source_.Get(options, key, index, &value);
      FUZZ_CHECK(IsExpected(s) || (s.IsIOError() && at.file_number != kBlobFileNumber));
      FUZZ_CHECK(decoded.ok() || s.IsCorruption());
    }
    if (!decoded.ok()) return;
    std::string encoded;
    AppendBlobIndex(at, &encoded);
    BlobIndex same;
    FUZZ_CHECK(DecodeBlobIndex(encoded, &same).ok());
    FUZZ_CHECK(same.file_number == at.file_number && same.offset == at.offset);
    FUZZ_CHECK(same.size == at.size && same.compression == at.compression);
  }

 private:
  BlobSourceOptions Options(const std::string& file) {
    BlobSourceOptions options;
    options.fs = &fs_;
    options.directory = "/db";
    FUZZ_CHECK(fs_.CreateDir("/db", IOOptions(), nullptr).ok());
    FUZZ_CHECK(WriteStringToFile(&fs_, file, BlobFileName("/db", kBlobFileNumber)).ok());
    return options;
  }

  std::vector<Answer> Scan(const std::vector<BlobRecord>& records, BlobReadAheads* ahead) {
    std::vector<Answer> answers;
    for (const BlobRecord& record : records) {
      std::string index;
      AppendBlobIndex({kBlobFileNumber, record.value_offset(), record.value_size,
                       static_cast<CompressionType>(file_[13])},
                      &index);
      const Slice key(file_.data() + record.offset + kBlobRecordHeaderSize, record.key_size);
      PinnableSlice value;
      Status s = source_.Get(ReadOptions(), key, index, &value, ahead);
      FUZZ_CHECK(IsExpected(s));
      answers.push_back({s.code(), s.ok() ? value.ToString() : ""});
      ReadOptions unverified;
      unverified.verify_checksums = false;
      s = source_.Get(unverified, key, index, &value, ahead);
      FUZZ_CHECK(IsExpected(s));
      FUZZ_CHECK(answers.back().code != Status::kOk || (s.ok() && value == answers.back().value));
    }
    return answers;
  }

  MemoryFileSystem fs_{MemoryFileSystem::Durability::kUntracked};
  const std::string file_;
  const size_t ahead_;
  BlobSource source_;
};

void UseBlobFile(std::string file, size_t ahead) {
  file.resize(std::min(file.size(), kMaxBlobFile));
  BlobFileUser(file, ahead).UseAll();
}

void UseBlobIndex(Input* input) {
  std::string key(input->Take(input->Byte() % 8));
  BlobFileUser user(BuildBlobFile(kNoCompression, {{"a", "1"}, {"key", std::string(100, 'v')}}), 8);
  const ExactCopy index(input->Rest());
  user.UseIndex(key, Slice(index.view().data(), index.view().size()));
}

void BuildAndDamageBlobFile(Input* input, size_t ahead) {
  constexpr CompressionType kKinds[] = {kNoCompression, kSnappyCompression, kZlibCompression,
                                        kLZ4Compression, kZSTD};
  const CompressionType compression = kKinds[input->Below(5)];
  std::vector<std::pair<std::string, std::string>> entries(input->Below(20));
  for (auto& [key, value] : entries) {
    key = input->Take(input->Byte() % 20);
    value = input->Take(input->Byte() % 40);
    value.append(input->Byte(), 'x');
  }
  std::string file = BuildBlobFile(compression, entries);
  const bool repair = input->Byte() % 2 != 0;
  while (!input->empty()) DamageOnce(input, &file);
  if (repair) RepairBlobChecksums(&file);
  UseBlobFile(std::move(file), ahead);
}

}  // namespace

}  // namespace cairn::fuzz

// What it is, how much is read ahead, and its bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace cairn::fuzz;
  Input input(data, size);
  const uint8_t what = input.Byte() % 4;
  if (what == 0) {
    UseBlobIndex(&input);
    return 0;
  }
  const size_t ahead = 1 + input.Byte() * size_t{4};
  if (what == 1) {
    BuildAndDamageBlobFile(&input, ahead);
    return 0;
  }
  std::string file(input.Rest());
  if (what == 3) RepairBlobChecksums(&file);
  UseBlobFile(std::move(file), ahead);
  return 0;
}
