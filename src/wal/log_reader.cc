#include "wal/log_reader.h"

#include <algorithm>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/crc32c.h"

namespace cairn {

namespace {

bool AllZero(const char* p, size_t n) {
  return std::all_of(p, p + n, [](char c) { return c == 0; });
}

// Does a record that is whole and right start here? For telling a torn record from a broken one.
bool IsSoundRecord(const char* p, size_t n) {
  if (n < log::kHeaderSize) return false;
  const size_t length =
      static_cast<uint8_t>(p[4]) | (static_cast<size_t>(static_cast<uint8_t>(p[5])) << 8);
  const size_t header = log::IsRecyclableType(static_cast<uint8_t>(p[6]))
                            ? log::kRecyclableHeaderSize
                            : log::kHeaderSize;
  if (header + length > n) return false;
  return crc32c::Unmask(DecodeFixed32(p)) == crc32c::Value(p + 6, header + length - 6);
}

// A record says that it goes on beyond the end of the file. Either the writer died, or its length
// is wrong: then the checksum fits a shorter payload, behind which the file ends or goes on with a
// sound record. (By chance alone a checksum fits with 2^-32 per length, and then the rest must be
// sound too.)
bool LengthIsWrong(const char* p, size_t n, size_t header) {
  const uint32_t expected = crc32c::Unmask(DecodeFixed32(p));
  uint32_t crc = crc32c::Value(p + 6, header - 6);
  for (size_t end = header;; ++end) {
    if (crc == expected &&
        (end == n || IsSoundRecord(p + end, n - end) || AllZero(p + end, n - end))) {
      return true;
    }
    if (end == n) return false;
    crc = crc32c::Extend(crc, p + end, 1);
  }
}

}  // namespace

uint64_t WrittenEnd(const char* data, size_t size, uint64_t offset) {
  constexpr uint64_t kSector = 512;
  size_t written = size;
  while (written > 0 && data[written - 1] == 0) --written;
  const uint64_t end = (offset + written + kSector - 1) / kSector * kSector;
  return std::min<uint64_t>(end, offset + size);
}

LogReader::LogReader(std::shared_ptr<Logger> info_log, std::unique_ptr<SequentialFileReader> file,
                     Reporter* reporter, bool checksum, uint64_t log_number)
    : info_log_(std::move(info_log)),
      file_(std::move(file)),
      reporter_(reporter),
      checksum_(checksum),
      log_number_(log_number),
      backing_(std::make_unique<char[]>(log::kBlockSize)) {}

LogReader::~LogReader() = default;

void LogReader::Report(size_t bytes, const Status& reason) {
  if (reporter_ != nullptr) reporter_->Corruption(bytes, reason);
}

void LogReader::Report(size_t bytes, uint64_t offset, const std::string& what) {
  Report(bytes, Status::Corruption(file_->file_name() + " offset " + std::to_string(offset), what));
}

void LogReader::LacksMemory(size_t bytes, uint64_t offset) {
  status_ =
      Status::MemoryLimit("no memory for a record of more than " + std::to_string(bytes) +
                          " bytes in " + file_->file_name() + " offset " + std::to_string(offset));
  Report(bytes, status_);
  finished_ = true;
}

// A record that is being put together.
struct LogReader::Assembly {
  const WALRecoveryMode mode;
  Slice* const record;
  std::string* const scratch;  // the fragments so far
  bool in_fragmented = false;
  uint64_t start = 0;  // where the first of them is

  // These two report a torn end: the first because nothing may be missing, the second because the
  // caller must know that the log does not end here by itself.
  bool tail_matters() const {
    return mode == WALRecoveryMode::kAbsoluteConsistency ||
           mode == WALRecoveryMode::kPointInTimeRecovery;
  }
};

bool LogReader::ReadRecord(Slice* record, std::string* scratch, WALRecoveryMode mode,
                           uint64_t* record_offset) {
  scratch->clear();
  *record = Slice();
  if (finished_) return false;
  Assembly assembly{mode, record, scratch};
  Step step = Step::kGoOn;
  while (step == Step::kGoOn) {
    Found found;
    found.type = ReadPhysicalRecord(&found.fragment, &found.offset, &found.drop);
    // Behind the new log's end a recycled file goes on with an old record, or with the middle of
    // one, whatever that looks like.
    found.is_old = recycled_ && mode == WALRecoveryMode::kTolerateCorruptedTailRecords &&
                   (found.type == kBadLength || found.type == kBadChecksum ||
                    found.type == kBadSpace || found.type == kOldRecord);
    LookBehindZeros(found, &assembly);
    step = found.type < kEof ? TakeFragment(found, &assembly) : MeetOutcome(found, &assembly);
  }
  if (step == Step::kRecord && record_offset != nullptr) *record_offset = last_record_offset_;
  return step == Step::kRecord;
}

// Space that was never written may stand only at the end.
void LogReader::LookBehindZeros(const Found& found, Assembly* assembly) {
  if (zeros_at_ == kNoZeros || found.type == kZeros || found.type == kEof ||
      found.type == kReadError || found.is_old) {
    return;
  }
  const uint64_t at = std::exchange(zeros_at_, kNoZeros);
  Report(static_cast<size_t>(found.offset - at), at, "zeros in the middle of the log");
  AbandonFragments("error in middle of record", assembly);
}

void LogReader::AbandonFragments(const char* why, Assembly* assembly) {
  if (assembly->in_fragmented) Report(assembly->scratch->size(), assembly->start, why);
  assembly->in_fragmented = false;
  assembly->scratch->clear();
}

// All reading ends here.
LogReader::Step LogReader::End(Assembly* assembly) {
  finished_ = true;
  if (assembly->in_fragmented && assembly->tail_matters()) {
    Report(assembly->scratch->size(), assembly->start, "error reading trailing data");
  }
  assembly->in_fragmented = false;
  assembly->scratch->clear();
  return Step::kEnd;
}

// After a reason that was told: what was being put together is not told, too.
LogReader::Step LogReader::EndAtOnce(Assembly* assembly) {
  assembly->in_fragmented = false;
  return End(assembly);
}

// assembly->record is whole. If it is damaged, that is reported.
LogReader::Step LogReader::Deliver(uint64_t offset, Assembly* assembly) {
  Slice* const record = assembly->record;
  assembly->in_fragmented = false;
  if (decompressor_ != nullptr) {
    bool lacks_memory = false;
    if (!decompressor_->Decompress(*record, &decompressed_, &lacks_memory)) {
      if (lacks_memory) {
        LacksMemory(record->size(), offset);
        return EndAtOnce(assembly);
      }
      Report(record->size(), offset, "bad compressed record");
      assembly->scratch->clear();
      return Step::kGoOn;
    }
    *record = Slice(decompressed_);
  }
  last_record_offset_ = offset;
  last_record_end_ = end_of_buffer_offset_ - buffer_.size();
  return Step::kRecord;
}

LogReader::Step LogReader::TakeFragment(const Found& found, Assembly* assembly) {
  std::string* const scratch = assembly->scratch;
  bool is_last = false;
  switch (found.type) {
    case log::kFullType:
    case log::kRecyclableFullType:
      AbandonFragments("partial record without end(1)", assembly);
      *assembly->record = found.fragment;
      return Deliver(found.offset, assembly);

    case log::kFirstType:
    case log::kRecyclableFirstType:
      AbandonFragments("partial record without end(2)", assembly);
      assembly->start = found.offset;
      assembly->in_fragmented = true;
      break;

    case log::kLastType:
    case log::kRecyclableLastType:
      is_last = true;
      [[fallthrough]];
    case log::kMiddleType:
    case log::kRecyclableMiddleType:
      if (assembly->in_fragmented) break;
      Report(found.fragment.size(), found.offset,
             is_last ? "missing start of fragmented record(2)"
                     : "missing start of fragmented record(1)");
      return Step::kGoOn;

    default:
      return TakeOther(found, assembly);
  }
  if (!AppendIfPossible(scratch, found.fragment.data(), found.fragment.size())) {
    LacksMemory(scratch->size() + found.fragment.size(), assembly->start);
    return EndAtOnce(assembly);
  }
  if (!is_last) return Step::kGoOn;
  *assembly->record = Slice(*scratch);
  return Deliver(assembly->start, assembly);
}

bool LogReader::TakeTimestampSizes(const Slice& payload) {
  constexpr size_t kOne = sizeof(uint32_t) + sizeof(uint16_t);
  if (payload.size() % kOne != 0) return false;
  for (size_t at = 0; at < payload.size(); at += kOne) {
    const uint32_t family = DecodeFixed32(payload.data() + at);
    const auto* size = reinterpret_cast<const unsigned char*>(payload.data() + at + 4);
    timestamp_sizes_[family] = static_cast<size_t>(size[0]) | static_cast<size_t>(size[1]) << 8;
  }
  return true;
}

// Records that are not of a batch.
LogReader::Step LogReader::TakeOther(const Found& found, Assembly* assembly) {
  switch (found.type) {
    case log::kSetCompressionType:
      if (found.offset == begin_ && SetCompression(found.fragment)) {
        // What comes next says whether the log is in the recyclable format.
        begin_ = end_of_buffer_offset_ - buffer_.size();
        return Step::kGoOn;
      }
      status_ = Status::NotSupported(file_->file_name() + " offset " + std::to_string(found.offset),
                                     "unknown compression of the log (wal_compression)");
      Report(found.fragment.size(), status_);
      return EndAtOnce(assembly);

    case log::kUserDefinedTimestampSizeType:
    case log::kRecyclableUserDefinedTimestampSizeType:
      if (!assembly->in_fragmented && TakeTimestampSizes(found.fragment)) return Step::kGoOn;
      Report(found.fragment.size() + assembly->scratch->size(), found.offset,
             "bad record of timestamp sizes");
      assembly->in_fragmented = false;
      assembly->scratch->clear();
      return Step::kGoOn;

    case log::kPredecessorWalInfoType:
    case log::kRecyclePredecessorWalInfoType: {
      PredecessorWal wal;
      if (PredecessorWal::Decode(found.fragment, &wal)) {
        predecessor_ = wal;
        if (!assembly->in_fragmented) last_record_end_ = end_of_buffer_offset_ - buffer_.size();
      } else {
        Report(found.fragment.size(), found.offset,
               "could not decode PredecessorWALInfoType record");
      }
      return Step::kGoOn;
    }

    default:
      if ((found.type & log::kRecordTypeSafeIgnoreMask) != 0) break;  // made to be skipped
      Report(found.fragment.size() + assembly->scratch->size(), found.offset,
             "unknown record type " + std::to_string(found.type));
      assembly->in_fragmented = false;
      assembly->scratch->clear();
  }
  return Step::kGoOn;
}

// What is no record.
LogReader::Step LogReader::MeetOutcome(const Found& found, Assembly* assembly) {
  switch (found.type) {
    case kZeros:
      if (zeros_at_ == kNoZeros) zeros_at_ = found.offset;
      return Step::kGoOn;

    case kTornHeader:
    case kTornRecord:
      if (assembly->tail_matters()) {
        Report(found.drop, found.offset,
               found.type == kTornHeader ? "truncated header" : "truncated record body");
      }
      return End(assembly);

    case kOldRecord:
      if (assembly->mode == WALRecoveryMode::kSkipAnyCorruptedRecords && assembly->in_fragmented) {
        AbandonFragments("error in middle of record", assembly);
        return Step::kGoOn;
      }
      if (reporter_ != nullptr) reporter_->OldLogRecord(found.drop);
      return End(assembly);

    case kBadLength:
    case kBadChecksum:
    case kBadSpace:
      if (found.is_old) return End(assembly);
      Report(found.drop, found.offset,
             found.type == kBadLength     ? "bad record length"
             : found.type == kBadChecksum ? "checksum mismatch"
                                          : "data in space that was never written");
      AbandonFragments("error in middle of record", assembly);
      return Step::kGoOn;

    case kReadError:
      return EndAtOnce(assembly);

    default:  // kEof
      return End(assembly);
  }
}

bool LogReader::SetCompression(const Slice& payload) {
  if (payload.size() != 4) return false;
  const uint32_t type = DecodeFixed32(payload.data());
  if (type == kNoCompression) return true;
  if (type != kZSTD) return false;
  decompressor_ = std::make_unique<LogDecompressor>();
  return true;
}

Status LogReader::SkipTo(uint64_t offset, bool recyclable) {
  const uint64_t block = offset / log::kBlockSize * log::kBlockSize;
  begin_ = offset;
  recycled_ = recyclable;
  last_record_end_ = offset;
  // The log's first record, which was read when its other records were: it says whether those are
  // compressed.
  constexpr size_t kTypeRecord = log::kHeaderSize + 4;
  const auto look = [this](const Slice& head) {
    if (head.size() < kTypeRecord || DecodeFixed16(head.data() + 4) != 4 ||
        static_cast<uint8_t>(head[6]) != log::kSetCompressionType) {
      return;
    }
    (void)SetCompression(Slice(head.data() + log::kHeaderSize, 4));
  };
  if (block > 0) {
    Slice head;
    IOStatus io = file_->Read(kTypeRecord, &head, backing_.get());
    if (!io.ok()) return io;
    look(head);
    io = file_->Skip(block - head.size());
    if (!io.ok()) return io;
  }
  end_of_buffer_offset_ = block;
  unsigned outcome;
  size_t drop;
  if (offset == block) return Status::OK();
  if (!ReadMore(&outcome, &drop)) return status_;
  if (block == 0) look(buffer_);
  buffer_.remove_prefix(std::min<size_t>(buffer_.size(), offset - block));
  return Status::OK();
}

// Fills the buffer with the next block. False: there is none, and *outcome says why.
bool LogReader::ReadMore(unsigned* outcome, size_t* drop) {
  if (eof_) {
    *drop = buffer_.size();
    // Fewer bytes than a header: the writer died inside one, unless they are its padding.
    const bool torn = !buffer_.empty() && !AllZero(buffer_.data(), buffer_.size());
    *outcome = torn ? kTornHeader : kEof;
    return false;
  }
  buffer_ = Slice();
  IOStatus s = file_->Read(log::kBlockSize, &buffer_, backing_.get());
  end_of_buffer_offset_ += buffer_.size();
  if (!s.ok()) {
    buffer_ = Slice();
    eof_ = true;
    status_ = s;
    Report(log::kBlockSize, s);
    *outcome = kReadError;
    return false;
  }
  if (buffer_.size() < log::kBlockSize) eof_ = true;
  if (buffer_.empty()) {
    *drop = 0;
    *outcome = kEof;
    return false;
  }
  return true;
}

unsigned LogReader::ReadPhysicalRecord(Slice* fragment, uint64_t* offset, size_t* drop) {
  while (true) {
    unsigned outcome;
    *offset = end_of_buffer_offset_ - buffer_.size();
    if (buffer_.size() < log::kHeaderSize) {
      // A block's tail too short for a header is padding.
      if (!ReadMore(&outcome, drop)) return outcome;
      continue;
    }
    const char* const p = buffer_.data();
    const size_t size = buffer_.size();
    const size_t length =
        static_cast<uint8_t>(p[4]) | (static_cast<size_t>(static_cast<uint8_t>(p[5])) << 8);
    const unsigned type = static_cast<uint8_t>(p[6]);

    if (AllZero(p, log::kHeaderSize)) {
      const bool zeros = AllZero(p, size);
      *drop = size;
      buffer_ = Slice();
      if (!zeros) return kBadSpace;
      // A recyclable log pads up to ten bytes.
      if (size < log::kRecyclableHeaderSize && !eof_) continue;
      return kZeros;
    }

    const bool recyclable = log::IsRecyclableType(type);
    const size_t header = recyclable ? log::kRecyclableHeaderSize : log::kHeaderSize;
    if (recyclable && *offset == begin_) recycled_ = true;
    if (size < header) {
      *drop = size;
      if (eof_) {
        buffer_ = Slice();
        return kTornHeader;
      }
      buffer_ = Slice();
      return kBadLength;
    }
    // Remains of an older log in a recycled file. Only a record that is whole counts as one: the
    // number alone may be what was damaged.
    if (header + length > size) {
      *drop = size;
      buffer_ = Slice();
      if (!eof_) return kBadLength;
      return checksum_ && LengthIsWrong(p, size, header) ? kBadLength : kTornRecord;
    }
    if (checksum_ &&
        crc32c::Unmask(DecodeFixed32(p)) != crc32c::Value(p + 6, header + length - 6)) {
      // The length may be what is wrong: nothing more in this block can be trusted.
      *drop = size;
      buffer_ = Slice();
      const uint64_t end = eof_ ? WrittenEnd(p, size, *offset) : *offset + size;
      const size_t written = static_cast<size_t>(end - *offset);
      if (written < header || (written < header + length && !LengthIsWrong(p, written, header))) {
        return kTornRecord;
      }
      return kBadChecksum;
    }
    if (recyclable && DecodeFixed32(p + 7) != static_cast<uint32_t>(log_number_)) {
      *drop = size;
      buffer_.remove_prefix(header + length);
      return kOldRecord;
    }
    *fragment = Slice(p + header, length);
    buffer_.remove_prefix(header + length);
    return type;
  }
}

}  // namespace cairn
