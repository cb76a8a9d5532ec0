#include "wal/log_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/coding.h"
#include "base/crc32c.h"

namespace cairn {

LogWriter::LogWriter(std::unique_ptr<FileWriter> dest, uint64_t log_number, bool recycle_log_files,
                     bool manual_flush, bool compressed)
    : dest_(std::move(dest)),
      log_number_(log_number),
      recycle_log_files_(recycle_log_files),
      manual_flush_(manual_flush),
      header_size_(recycle_log_files ? log::kRecyclableHeaderSize : log::kHeaderSize),
      block_offset_(static_cast<size_t>(dest_->file_size() % log::kBlockSize)) {
  for (unsigned type = 0; type <= log::kMaxWrittenRecordType; ++type) {
    char prefix[5];
    prefix[0] = static_cast<char>(type);
    EncodeFixed32(prefix + 1, static_cast<uint32_t>(log_number));
    const size_t n = log::IsRecyclableType(type) ? 5 : 1;
    type_crc_[type] = crc32c::Value(prefix, n);
  }
  if (compressed) {
    compressor_ = std::make_unique<LogCompressor>();
    frame_ = std::make_unique<char[]>(log::kBlockSize);
  }
}

LogWriter::~LogWriter() {
  if (dest_ != nullptr) {
    const IOStatus s = dest_->Close();
    s.PermitUncheckedError();
  }
}

IOStatus LogWriter::AddRecord(const Slice& payload) {
  if (dest_ == nullptr) return IOStatus::IOError("append to a closed log");
  const IOStatus s = compressor_ == nullptr ? AddFragments(payload) : AddCompressed(payload);
  return s.ok() && !manual_flush_ ? dest_->Flush() : s;
}

log::RecordType LogWriter::TypeOfFragment(bool begins, bool ends) const {
  const unsigned type = begins && ends ? log::kFullType
                        : begins       ? log::kFirstType
                        : ends         ? log::kLastType
                                       : log::kMiddleType;
  return static_cast<log::RecordType>(
      recycle_log_files_ ? type + (log::kRecyclableFullType - log::kFullType) : type);
}

// (Inlined, as EmitFragment() is: each write comes through here.)
[[gnu::always_inline]] inline IOStatus LogWriter::AddFragments(const Slice& payload) {
  const char* data = payload.data();
  size_t left = payload.size();
  bool begin = true;
  do {
    IOStatus s = MakeRoomForHeader();
    if (!s.ok()) return s;
    const size_t available = log::kBlockSize - block_offset_ - header_size_;
    const size_t n = left < available ? left : available;
    s = EmitFragment(TypeOfFragment(begin, n == left), data, n);
    if (!s.ok()) return s;
    data += n;
    left -= n;
    begin = false;
  } while (left > 0);
  return IOStatus::OK();
}

IOStatus LogWriter::AddCompressed(const Slice& payload) {
  IOStatus s = SayCompression();
  if (!s.ok()) return s;
  if (!compressor_->Begin(payload)) {
    return IOStatus::IOError("no memory to compress a record of the log", dest_->file_name());
  }
  bool begin = true, end = false;
  while (!end) {
    s = MakeRoomForHeader();
    if (!s.ok()) return s;
    size_t n = 0;
    if (!compressor_->Next(frame_.get(), log::kBlockSize - block_offset_ - header_size_, &n,
                           &end)) {
      return IOStatus::IOError("a record of the log cannot be compressed", dest_->file_name());
    }
    s = EmitFragment(TypeOfFragment(begin, end), frame_.get(), n);
    if (!s.ok()) return s;
    begin = false;
  }
  return IOStatus::OK();
}

// Written with the first record: until then the file is empty, as its owner can see.
IOStatus LogWriter::SayCompression() {
  if (compressor_ == nullptr || dest_->file_size() != 0) return IOStatus::OK();
  char type[sizeof(uint32_t)];
  EncodeFixed32(type, kZSTD);
  return EmitFragment(log::kSetCompressionType, type, sizeof(type));
}

[[gnu::always_inline]] inline IOStatus LogWriter::MakeRoomForHeader() {
  const size_t space = log::kBlockSize - block_offset_;
  if (space >= header_size_) return IOStatus::OK();
  block_offset_ = 0;
  // The reader skips what is too short for a header.
  return space == 0 ? IOStatus::OK() : dest_->Pad(space);
}

IOStatus LogWriter::AddTimestampSizes(const std::map<uint32_t, size_t>& sizes) {
  if (dest_ == nullptr) return IOStatus::IOError("append to a closed log");
  constexpr size_t kOne = sizeof(uint32_t) + sizeof(uint16_t);
  std::string payload;
  for (const auto& [family, size] : sizes) {
    PutFixed32(&payload, family);
    payload.push_back(static_cast<char>(size & 0xff));
    payload.push_back(static_cast<char>(size >> 8));
  }
  IOStatus said = SayCompression();
  if (!said.ok()) return said;
  // Each record is whole, and says what it can.
  for (size_t at = 0; at < payload.size();) {
    IOStatus s = MakeRoomForHeader();
    if (!s.ok()) return s;
    const size_t available = log::kBlockSize - block_offset_ - header_size_;
    const size_t n = std::min(payload.size() - at, available / kOne * kOne);
    s = EmitFragment(recycle_log_files_ ? log::kRecyclableUserDefinedTimestampSizeType
                                        : log::kUserDefinedTimestampSizeType,
                     payload.data() + at, n);
    if (!s.ok()) return s;
    at += n;
  }
  return IOStatus::OK();
}

IOStatus LogWriter::AddPredecessor(const PredecessorWal& wal) {
  if (dest_ == nullptr) return IOStatus::IOError("append to a closed log");
  const std::string payload = wal.Encode();
  IOStatus s = SayCompression();
  if (s.ok()) {
    s = EmitFragment(
        recycle_log_files_ ? log::kRecyclePredecessorWalInfoType : log::kPredecessorWalInfoType,
        payload.data(), payload.size());
  }
  return s.ok() && !manual_flush_ ? dest_->Flush() : s;
}

[[gnu::always_inline]] inline IOStatus LogWriter::EmitFragment(log::RecordType type,
                                                               const char* data, size_t n) {
  // What says the compression is in the old format always.
  const bool numbered = log::IsRecyclableType(type);
  const size_t header_size = numbered ? log::kRecyclableHeaderSize : log::kHeaderSize;
  char header[log::kRecyclableHeaderSize];
  header[4] = static_cast<char>(n & 0xff);
  header[5] = static_cast<char>(n >> 8);
  header[6] = static_cast<char>(type);
  if (numbered) EncodeFixed32(header + 7, static_cast<uint32_t>(log_number_));
  block_offset_ += header_size + n;
  if (dest_->hands_checksums()) [[unlikely]] {
    return EmitSummed(type, header, header_size, Slice(data, n));
  }
  EncodeFixed32(header, crc32c::Mask(crc32c::Extend(type_crc_[type], data, n)));
  IOStatus s = dest_->Append(Slice(header, header_size));
  if (s.ok()) s = dest_->Append(Slice(data, n));
  return s;
}

// The record's checksum and the file's are made of one that is computed once, where that is
// cheaper.
IOStatus LogWriter::EmitSummed(log::RecordType type, char* header, size_t header_size,
                               const Slice& data) {
  constexpr size_t kLong = 4 << 10;  // bytes; about what two combinations cost
  std::optional<uint32_t> of_data;
  uint32_t of_record = type_crc_[type];
  if (data.size() >= kLong) {
    of_data = crc32c::Value(data.data(), data.size());
    of_record = crc32c::Combine(of_record, *of_data, data.size());
  } else {
    of_record = crc32c::Extend(of_record, data.data(), data.size());
  }
  EncodeFixed32(header, crc32c::Mask(of_record));
  IOStatus s = dest_->AppendSummed(Slice(header, header_size));
  return s.ok() ? dest_->AppendSummed(data, of_data) : s;
}

IOStatus LogWriter::WriteBuffer() {
  return dest_ == nullptr ? IOStatus::IOError("flush of a closed log") : dest_->Flush();
}

IOStatus LogWriter::Sync(bool use_fsync) {
  return dest_ == nullptr ? IOStatus::IOError("sync of a closed log") : dest_->Sync(use_fsync);
}

IOStatus LogWriter::Close() {
  if (dest_ == nullptr) return IOStatus::OK();
  IOStatus s = dest_->Close();
  dest_.reset();
  return s;
}

}  // namespace cairn
