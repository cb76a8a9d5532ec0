#include "manifest/manifest_reader.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"
#include "fs/file_reader.h"

namespace cairn {

namespace {

constexpr size_t kBlockSize = 32768;
constexpr size_t kHeaderSize = 7;  // crc32c, length (2 bytes), type
enum PlainType : uint8_t { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

bool AllZero(const Slice& s) {
  return std::all_of(s.data(), s.data() + s.size(), [](char c) { return c == 0; });
}

// The first `size` bytes of a file that may grow.
class FirstBytes final : public FSSequentialFileOwnerWrapper {
 public:
  FirstBytes(std::unique_ptr<FSSequentialFile> file, uint64_t size)
      : FSSequentialFileOwnerWrapper(std::move(file)), left_(size) {}
  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* dbg) override {
    n = static_cast<size_t>(std::min<uint64_t>(n, left_));
    *result = Slice();
    if (n == 0) return IOStatus::OK();
    IOStatus s = FSSequentialFileOwnerWrapper::Read(n, options, result, scratch, dbg);
    if (s.ok()) left_ -= result->size();
    return s;
  }
  IOStatus Skip(uint64_t n) override {
    n = std::min(n, left_);
    left_ -= n;
    return FSSequentialFileOwnerWrapper::Skip(n);
  }

 private:
  uint64_t left_;
};

// Whoever writes it has begun another one. What was read was a state of the database.
bool IsGone(const Status& s) { return s.IsNotFound() || s.IsPathNotFound(); }

}  // namespace

bool IsTornRecord(const Slice& tail, uint64_t offset) {
  Slice rest(tail.data(),
             static_cast<size_t>(WrittenEnd(tail.data(), tail.size(), offset) - offset));
  bool first_fragment = true;
  for (;;) {
    const size_t left_in_block = kBlockSize - static_cast<size_t>(offset % kBlockSize);
    if (left_in_block < kHeaderSize) {  // the filler at a block's end
      const size_t filler = std::min(left_in_block, rest.size());
      if (!AllZero(Slice(rest.data(), filler))) return false;
      rest.remove_prefix(filler);
      offset += filler;
      continue;
    }
    if (rest.size() < kHeaderSize || AllZero(rest)) return true;
    const uint32_t crc = crc32c::Unmask(DecodeFixed32(rest.data()));
    const size_t length =
        static_cast<uint8_t>(rest[4]) | static_cast<size_t>(static_cast<uint8_t>(rest[5])) << 8;
    const uint8_t type = static_cast<uint8_t>(rest[6]);
    const bool type_fits =
        first_fragment ? type == kFull || type == kFirst : type == kMiddle || type == kLast;
    if (!type_fits) return false;
    const size_t available = std::min(rest.size(), left_in_block) - kHeaderSize;
    if (length <= available) {
      // A whole fragment. It must be sound and must not be the last one, or the reader would have
      // returned the record.
      if (type == kFull || type == kLast) return false;
      if (crc32c::Value(rest.data() + 6, 1 + length) != crc) return false;
      rest.remove_prefix(kHeaderSize + length);
      offset += kHeaderSize + length;
      first_fragment = false;
      continue;
    }
    if (kHeaderSize + length > left_in_block) return false;  // no writer crosses a block
    // It ends early, or its length is damaged: then the checksum, which does not cover the length,
    // fits a shorter payload.
    uint32_t running = crc32c::Value(rest.data() + 6, 1);
    for (size_t n = 0;; ++n) {
      if (running == crc) return false;
      if (n == available) return true;
      running = crc32c::Extend(running, rest.data() + kHeaderSize + n, 1);
    }
  }
}

struct ManifestReader::Reporter : LogReader::Reporter {
  void Corruption(size_t /*bytes*/, const Status& reason) override {
    if (first.ok()) first = reason;
  }
  void OldLogRecord(size_t /*bytes*/) override { foreign = true; }
  Status first;
  bool foreign = false;
};

ManifestReader::ManifestReader(FileSystem* fs, std::string path, uint64_t number)
    : fs_(fs), path_(std::move(path)), number_(number) {}

ManifestReader::~ManifestReader() = default;

Status ManifestReader::Open(FileSystem* fs, const std::string& path, uint64_t number,
                            std::unique_ptr<ManifestReader>* reader) {
  std::unique_ptr<ManifestReader> made(new ManifestReader(fs, path, number));
  Status s = fs->GetFileSize(path, IOOptions(), &made->size_, nullptr);
  if (s.ok()) s = made->Reopen(0);
  if (s.ok()) *reader = std::move(made);
  return s;
}

IOStatus ManifestReader::OpenFile(std::unique_ptr<SequentialFileReader>* reader) const {
  std::unique_ptr<FSSequentialFile> file;
  IOStatus s = fs_->NewSequentialFile(path_, FileOptions(), &file, nullptr);
  if (!s.ok()) return s;
  *reader = std::make_unique<SequentialFileReader>(
      std::make_unique<FirstBytes>(std::move(file), size_), path_);
  return s;
}

Status ManifestReader::Reopen(uint64_t position) {
  std::unique_ptr<SequentialFileReader> file;
  IOStatus s = OpenFile(&file);
  if (!s.ok()) return s;
  log_.reset();
  reporter_ = std::make_unique<Reporter>();
  log_ = std::make_unique<LogReader>(nullptr, std::move(file), reporter_.get(),
                                     /*checksum=*/true, number_);
  return position == 0 ? Status::OK() : log_->SkipTo(position);
}

Status ManifestReader::Locate(const Status& status) const {
  if (status.ok()) return status;
  const char* message = status.getState();
  return Status(
      status.code(), status.subcode(), status.severity(),
      path_ + " at offset " + std::to_string(offset_) + ": " + (message != nullptr ? message : ""));
}

Status ManifestReader::OpenGrowing(FileSystem* fs, const std::string& path, uint64_t number,
                                   std::unique_ptr<ManifestReader>* reader) {
  Status s = Open(fs, path, number, reader);
  if (s.ok()) (*reader)->growing_ = true;
  return s;
}

Status ManifestReader::SkipTo(uint64_t position) {
  position_ = position;
  return log_->SkipTo(position);
}

bool ManifestReader::ReadRecord(Slice* record) {
  status_ = Status::OK();
  const bool got =
      log_->ReadRecord(record, &scratch_, WALRecoveryMode::kTolerateCorruptedTailRecords, &offset_);
  // A report is about what lies before this record: nothing after it can be trusted.
  if (!reporter_->first.ok()) {
    const Status& reason = reporter_->first;
    status_ = reason.IsCorruption() || reason.IsIOError()
                  ? reason
                  : Status::Corruption(path_, reason.ToString());
    return false;
  }
  if (got) return true;
  offset_ = log_->LastRecordEnd();
  if (const Status& s = log_->status(); !s.ok()) {
    status_ = s.IsIOError() ? s : Locate(Status::Corruption("MANIFEST", s.ToString()));
  } else if (reporter_->foreign) {
    status_ = Locate(Status::Corruption("MANIFEST", "a record that belongs to another log"));
  } else if (!growing_) {
    status_ = CheckTail();
  }
  return false;
}

bool ManifestReader::ReadEdit(VersionEdit* edit) {
  Slice record;
  const uint64_t begin = log_->LastRecordEnd();
  // (However fast it grows, real damage is told.)
  constexpr int kAttempts = 10;
  for (int attempt = 0; !ReadRecord(&record); ++attempt) {
    if (!status_.IsCorruption()) return false;
    const uint64_t size = size_;
    const Status damage = status_;
    Status s = fs_->GetFileSize(path_, IOOptions(), &size_, nullptr);
    if (s.ok()) s = (attempt == 0 || size_ != size) && attempt < kAttempts ? Reopen(begin) : damage;
    if (!s.ok()) {
      status_ = IsGone(s) ? Status::OK() : damage;
      return false;
    }
  }
  if (Status s = edit->DecodeFrom(record); !s.ok()) {
    status_ = Locate(s);
    return false;
  }
  return true;
}

bool ManifestReader::Next(VersionEdit* edit) {
  if (!group_.empty()) {
    *edit = std::move(group_.back());
    group_.pop_back();
    return true;
  }
  if (done_) return false;
  std::vector<VersionEdit> group;
  for (;;) {
    if (!ReadEdit(edit)) {
      done_ = true;  // an unfinished group is dropped
      return false;
    }
    if (!edit->atomic_group_remaining().has_value()) {
      if (group.empty()) {
        position_ = log_->LastRecordEnd();
        return true;
      }
      status_ = Locate(Status::Corruption("MANIFEST", "an atomic group is interrupted"));
      done_ = true;
      return false;
    }
    const uint32_t remaining = *edit->atomic_group_remaining();
    if (!group.empty() && remaining + 1 != *group.back().atomic_group_remaining()) {
      status_ = Locate(Status::Corruption("MANIFEST", "an atomic group misses a record"));
      done_ = true;
      return false;
    }
    group.push_back(std::move(*edit));
    if (remaining == 0) break;
  }
  position_ = log_->LastRecordEnd();
  std::reverse(group.begin(), group.end());
  group_ = std::move(group);
  *edit = std::move(group_.back());
  group_.pop_back();
  return true;
}

Status ManifestReader::CheckTail() {
  if (offset_ >= size_) return Status::OK();
  std::unique_ptr<SequentialFileReader> file;
  IOStatus s = OpenFile(&file);
  if (s.ok()) s = file->Skip(offset_);
  std::string buffer(static_cast<size_t>(size_ - offset_), '\0');
  Slice tail;
  if (s.ok()) s = file->Read(buffer.size(), &tail, buffer.data());
  if (!s.ok()) return IsGone(s) ? Status::OK() : Status(s);
  if (tail.empty() || IsTornRecord(tail, offset_)) return Status::OK();
  return Locate(Status::Corruption("MANIFEST", "the last record is damaged"));
}

}  // namespace cairn
