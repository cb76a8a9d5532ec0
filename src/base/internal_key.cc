#include "base/internal_key.h"

#include "base/string_util.h"

namespace cairn {

std::string ParsedInternalKey::DebugString(bool hex) const {
  return StringPrintf("'%s' seq:%llu, type:%d",
                      hex ? user_key.ToString(true).c_str() : EscapeBytes(user_key).c_str(),
                      static_cast<unsigned long long>(sequence), static_cast<int>(type));
}

Status ParseInternalKey(const Slice& internal_key, ParsedInternalKey* result) {
  if (internal_key.size() < kInternalKeyFooterSize) {
    return Status::Corruption("internal key too short",
                              NumberToString(internal_key.size()) + " bytes");
  }
  UnpackSequenceAndType(ExtractInternalKeyFooter(internal_key), &result->sequence, &result->type);
  result->user_key = ExtractUserKey(internal_key);
  if (!IsInternalKeyType(result->type)) {
    return Status::Corruption("internal key of unknown type", NumberToString(result->type));
  }
  return Status::OK();
}

void AppendInternalKey(std::string* result, const ParsedInternalKey& key) {
  result->reserve(result->size() + key.user_key.size() + kInternalKeyFooterSize);
  result->append(key.user_key.data(), key.user_key.size());
  AppendInternalKeyFooter(result, key.sequence, key.type);
}

void AppendInternalKeyFooter(std::string* result, SequenceNumber sequence, ValueType type) {
  PutFixed64(result, PackSequenceAndType(sequence, type));
}

std::string InternalKeyWithMinTimestamp(const Slice& internal_key, size_t ts_size) {
  std::string key = WithMinTimestamp(ExtractUserKey(internal_key), ts_size);
  PutFixed64(&key, ExtractInternalKeyFooter(internal_key));
  return key;
}

std::string InternalKeyWithoutTimestamp(const Slice& internal_key, size_t ts_size) {
  std::string key = StripTimestamp(ExtractUserKey(internal_key), ts_size).ToString();
  PutFixed64(&key, ExtractInternalKeyFooter(internal_key));
  return key;
}

void InternalKeyComparator::FindShortestSeparator(std::string* start, const Slice& limit) const {
  const Slice user_start = ExtractUserKey(*start);
  std::string shorter = user_start.ToString();
  user_comparator_->FindShortestSeparator(&shorter, ExtractUserKey(limit));
  if (shorter.size() <= user_start.size() && CompareUserKey(user_start, shorter) < 0) {
    // A new user key, which no entry has: place it before all that could have it.
    AppendInternalKeyFooter(&shorter, kMaxSequenceNumber, kValueTypeForSeek);
    assert(Compare(*start, shorter) < 0);
    assert(Compare(shorter, limit) < 0);
    start->swap(shorter);
  }
}

void InternalKeyComparator::FindShortSuccessor(std::string* key) const {
  const Slice user_key = ExtractUserKey(*key);
  std::string shorter = user_key.ToString();
  user_comparator_->FindShortSuccessor(&shorter);
  if (shorter.size() <= user_key.size() && CompareUserKey(user_key, shorter) < 0) {
    AppendInternalKeyFooter(&shorter, kMaxSequenceNumber, kValueTypeForSeek);
    assert(Compare(*key, shorter) < 0);
    key->swap(shorter);
  }
}

bool InternalKey::Valid() const {
  ParsedInternalKey parsed;
  return ParseInternalKey(rep_, &parsed).ok();
}

std::string InternalKey::DebugString(bool hex) const {
  ParsedInternalKey parsed;
  if (ParseInternalKey(rep_, &parsed).ok()) return parsed.DebugString(hex);
  return "(bad)" + EscapeBytes(rep_);
}

LookupKey::LookupKey(const Slice& bare_key, SequenceNumber sequence, const Slice& timestamp) {
  const size_t user_size = bare_key.size() + timestamp.size();
  const size_t internal_size = user_size + kInternalKeyFooterSize;
  const size_t needed = internal_size + kMaxVarint32Length;
  start_ = needed <= sizeof(space_) ? space_ : new char[needed];
  key_start_ = EncodeVarint32(start_, static_cast<uint32_t>(internal_size));
  if (!bare_key.empty()) std::memcpy(key_start_, bare_key.data(), bare_key.size());
  if (!timestamp.empty()) [[unlikely]]
    std::memcpy(key_start_ + bare_key.size(), timestamp.data(), timestamp.size());
  EncodeFixed64(key_start_ + user_size, PackSequenceAndType(sequence, kValueTypeForSeek));
  end_ = key_start_ + internal_size;
}

}  // namespace cairn
