#include "trace/trace_format.h"

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "rocksdb/version.h"

namespace cairn {
namespace {

constexpr std::string_view kTraceVersionLabel = "Trace Version: ";
constexpr int kNewestTraceMinor = 2;

// The bits of a payload's fields.
using TracedField = uint64_t;
constexpr TracedField kTracedBatch = TracedField{1} << 1;
constexpr TracedField kTracedGetFamily = TracedField{1} << 2;
constexpr TracedField kTracedGetKey = TracedField{1} << 3;
constexpr TracedField kTracedSeekFamily = TracedField{1} << 4;
constexpr TracedField kTracedSeekKey = TracedField{1} << 5;
constexpr TracedField kTracedLowerBound = TracedField{1} << 6;
constexpr TracedField kTracedUpperBound = TracedField{1} << 7;
constexpr TracedField kTracedKeyCount = TracedField{1} << 8;
constexpr TracedField kTracedFamilies = TracedField{1} << 9;
constexpr TracedField kTracedKeys = TracedField{1} << 10;

Status DamagedTrace(const std::string& what) {
  return Status::Corruption("Corrupted trace file", what);
}

// Takes the fields off a payload, in the order of their bits.
class TracedFields {
 public:
  // `has_bits`: since version 0.2; else those in `implied` are there.
  TracedFields(const Slice& payload, bool has_bits, uint64_t implied)
      : rest_(payload), bits_(implied) {
    if (has_bits) ok_ = GetFixed64(&rest_, &bits_);
  }

  void Take(TracedField field, uint32_t* number) {
    if (Has(field)) ok_ = GetFixed32(&rest_, number);
  }
  void Take(TracedField field, Slice* string) {
    if (Has(field)) ok_ = GetLengthPrefixedSlice(&rest_, string);
  }
  // All was there, and nothing else is.
  Status Finish(const char* of) const {
    if (ok_ && bits_ == 0 && rest_.empty()) return Status::OK();
    return DamagedTrace(std::string("the payload of a ") + of);
  }

 private:
  bool Has(TracedField field) {
    const bool has = ok_ && (bits_ & field) != 0;
    bits_ &= ~field;
    return has;
  }

  Slice rest_;
  uint64_t bits_;
  bool ok_ = true;
};

Status DecodeTracedWrite(const TraceEntry& entry, bool has_bits,
                         std::unique_ptr<TraceRecord>* record) {
  Slice batch = entry.payload;
  if (has_bits) {
    TracedFields fields(entry.payload, has_bits, 0);
    batch.clear();
    fields.Take(kTracedBatch, &batch);
    Status s = fields.Finish("write");
    if (!s.ok()) return s;
  }
  *record = std::make_unique<WriteQueryTraceRecord>(PinnedCopy(batch), entry.timestamp);
  return Status::OK();
}

Status DecodeTracedGet(const TraceEntry& entry, bool has_bits,
                       std::unique_ptr<TraceRecord>* record) {
  uint32_t family = 0;
  Slice key;
  TracedFields fields(entry.payload, has_bits, kTracedGetFamily | kTracedGetKey);
  fields.Take(kTracedGetFamily, &family);
  fields.Take(kTracedGetKey, &key);
  Status s = fields.Finish("Get");
  if (!s.ok()) return s;
  *record = std::make_unique<GetQueryTraceRecord>(family, PinnedCopy(key), entry.timestamp);
  return s;
}

Status DecodeTracedSeek(const TraceEntry& entry, bool has_bits,
                        std::unique_ptr<TraceRecord>* record) {
  uint32_t family = 0;
  Slice key, lower, upper;
  TracedFields fields(entry.payload, has_bits, kTracedSeekFamily | kTracedSeekKey);
  fields.Take(kTracedSeekFamily, &family);
  fields.Take(kTracedSeekKey, &key);
  fields.Take(kTracedLowerBound, &lower);
  fields.Take(kTracedUpperBound, &upper);
  Status s = fields.Finish("seek");
  if (!s.ok()) return s;
  *record = std::make_unique<IteratorSeekQueryTraceRecord>(
      static_cast<IteratorSeekQueryTraceRecord::SeekType>(entry.type), family, PinnedCopy(key),
      PinnedCopy(lower), PinnedCopy(upper), entry.timestamp);
  return s;
}

Status DecodeTracedMultiGet(const TraceEntry& entry, bool has_bits,
                            std::unique_ptr<TraceRecord>* record) {
  if (!has_bits) return DamagedTrace("a MultiGet in a trace of version 0.1");
  uint32_t count = 0;
  Slice families, keys;
  TracedFields fields(entry.payload, has_bits, 0);
  fields.Take(kTracedKeyCount, &count);
  fields.Take(kTracedFamilies, &families);
  fields.Take(kTracedKeys, &keys);
  Status s = fields.Finish("MultiGet");
  if (!s.ok()) return s;
  if (count == 0) return Status::InvalidArgument("Empty MultiGet cf_ids or keys.");
  std::vector<uint32_t> ids;
  std::vector<PinnableSlice> copies;
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t id;
    Slice key;
    if (!GetFixed32(&families, &id) || !GetLengthPrefixedSlice(&keys, &key)) {
      return DamagedTrace("the payload of a MultiGet has fewer keys than it says");
    }
    ids.push_back(id);
    copies.push_back(PinnedCopy(key));
  }
  *record = std::make_unique<MultiGetQueryTraceRecord>(std::move(ids), std::move(copies),
                                                       entry.timestamp);
  return s;
}

// Digits, to the end of *text or to `end`, which is taken, too. False: there are none, or too many.
bool TakeVersionPart(std::string_view* text, char end, int* number) {
  *number = 0;
  size_t digits = 0;
  while (digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9') {
    if (digits == 6) return false;
    *number = *number * 10 + ((*text)[digits++] - '0');
  }
  if (digits == 0) return false;
  text->remove_prefix(digits);
  if (end == '\0') return text->empty();
  if (text->empty() || text->front() != end) return false;
  text->remove_prefix(1);
  return true;
}

}  // namespace

PinnableSlice PinnedCopy(const Slice& bytes) {
  PinnableSlice copy;
  copy.PinSelf(bytes);
  return copy;
}

std::string EncodeTraceEntry(uint64_t timestamp, TraceType type, const Slice& payload) {
  std::string bytes;
  bytes.reserve(kTraceEntryHeader + payload.size());
  PutFixed64(&bytes, timestamp);
  bytes.push_back(static_cast<char>(type));
  PutFixed32(&bytes, static_cast<uint32_t>(payload.size()));
  bytes.append(payload.data(), payload.size());
  return bytes;
}

Status DecodeTraceEntry(const Slice& bytes, TraceEntry* entry) {
  if (bytes.size() < kTraceEntryHeader) return DamagedTrace("a record is too short");
  const Slice payload(bytes.data() + kTraceEntryHeader, bytes.size() - kTraceEntryHeader);
  if (payload.size() != TracePayloadLength(bytes.data())) {
    return DamagedTrace("a record has another length than it says");
  }
  entry->timestamp = DecodeFixed64(bytes.data());
  entry->type = static_cast<TraceType>(bytes[8]);
  entry->payload.assign(payload.data(), payload.size());
  return Status::OK();
}

Status ReadTraceEntry(TraceReader* file, std::string* bytes, TraceEntry* entry) {
  const Status s = file->Read(bytes);
  return s.ok() ? DecodeTraceEntry(*bytes, entry) : s;
}

Status ReadFirstTraceEntry(TraceReader* file, std::string* bytes, TraceEntry* entry) {
  const Status s = ReadTraceEntry(file, bytes, entry);
  return s.IsIncomplete() ? Status::Corruption("the trace is empty") : s;
}

uint32_t TracePayloadLength(const char* header) { return DecodeFixed32(header + 8 + 1); }

std::string TraceHeaderText() {
  std::string text(kTraceMagic);
  text += '\t';
  text += kTraceVersionLabel;
  text += "0." + std::to_string(kNewestTraceMinor) + "\t";
  text += "RocksDB Version: " + GetRocksVersionAsString(/*with_patch=*/false) + "\t";
  text += "Format: Timestamp OpType Payload\n";
  return text;
}

std::string EncodeTracedWrite(const Slice& batch) {
  std::string payload;
  payload.reserve(batch.size() + 16);
  PutFixed64(&payload, kTracedBatch);
  PutLengthPrefixedSlice(&payload, batch);
  return payload;
}

std::string EncodeTracedGet(uint32_t family, const Slice& key) {
  std::string payload;
  PutFixed64(&payload, kTracedGetFamily | kTracedGetKey);
  PutFixed32(&payload, family);
  PutLengthPrefixedSlice(&payload, key);
  return payload;
}

std::string EncodeTracedSeek(uint32_t family, const Slice& target, const Slice* lower,
                             const Slice* upper) {
  const bool has_lower = lower != nullptr && !lower->empty();
  const bool has_upper = upper != nullptr && !upper->empty();
  std::string payload;
  PutFixed64(&payload, kTracedSeekFamily | kTracedSeekKey | (has_lower ? kTracedLowerBound : 0) |
                           (has_upper ? kTracedUpperBound : 0));
  PutFixed32(&payload, family);
  PutLengthPrefixedSlice(&payload, target);
  if (has_lower) PutLengthPrefixedSlice(&payload, *lower);
  if (has_upper) PutLengthPrefixedSlice(&payload, *upper);
  return payload;
}

std::string EncodeTracedMultiGet(size_t num_keys, const uint32_t* families, const Slice* keys) {
  std::string ids, strings;
  for (size_t i = 0; i < num_keys; ++i) {
    PutFixed32(&ids, families[i]);
    PutLengthPrefixedSlice(&strings, keys[i]);
  }
  std::string payload;
  PutFixed64(&payload, kTracedKeyCount | kTracedFamilies | kTracedKeys);
  PutFixed32(&payload, static_cast<uint32_t>(num_keys));
  PutLengthPrefixedSlice(&payload, ids);
  PutLengthPrefixedSlice(&payload, strings);
  return payload;
}

Status ParseTraceHeader(const TraceEntry& header, int* minor_version) {
  if (header.type != kTraceBegin) return DamagedTrace("it does not begin with a header");
  std::string_view text = header.payload;
  if (!text.starts_with(kTraceMagic)) return DamagedTrace("the magic is another");
  text.remove_prefix(kTraceMagic.size());
  if (!text.starts_with('\t')) return DamagedTrace("the header has no version");
  text.remove_prefix(1);
  const size_t end = text.find('\t');
  if (end == std::string_view::npos || !text.starts_with(kTraceVersionLabel)) {
    return DamagedTrace("the header has no version");
  }
  std::string_view version = text.substr(0, end);
  version.remove_prefix(kTraceVersionLabel.size());
  std::string_view rest = version;
  int major, minor;
  if (!TakeVersionPart(&rest, '.', &major) || !TakeVersionPart(&rest, '\0', &minor)) {
    return DamagedTrace("the header's version is none");
  }
  if (major > 0 || minor > kNewestTraceMinor) {
    return Status::NotSupported("a trace of the newer version", std::string(version));
  }
  *minor_version = minor;
  return Status::OK();
}

Status DecodeTraceRecord(const TraceEntry& entry, int minor_version,
                         std::unique_ptr<TraceRecord>* record) {
  record->reset();
  const bool has_bits = minor_version >= 2;
  switch (entry.type) {
    case kTraceWrite:
      return DecodeTracedWrite(entry, has_bits, record);
    case kTraceGet:
      return DecodeTracedGet(entry, has_bits, record);
    case kTraceIteratorSeek:
    case kTraceIteratorSeekForPrev:
      return DecodeTracedSeek(entry, has_bits, record);
    case kTraceMultiGet:
      return DecodeTracedMultiGet(entry, has_bits, record);
    default:
      return Status::NotSupported("Unsupported trace type.");
  }
}

}  // namespace cairn
