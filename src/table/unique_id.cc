#include "table/unique_id.h"

#include <optional>

#include "base/coding.h"
#include "base/hash.h"
#include "rocksdb/unique_id.h"
#include "table/unique_id_text.h"

namespace cairn {
namespace {

constexpr char kMismatch[] = "Mismatch in unique ID on table file ";

// A session id is a number in base 36 of 8 and one of 12 digits (the first may have 1 to 12), which
// holds 64 bits, the lower part, and some 39 more: the last 12 digits have bits 0 to 61 of the
// lower part, the others its two highest and, above them, the upper part.
constexpr size_t kLowDigits = 12;
constexpr size_t kMostDigits = 24;
constexpr int kLowBits = 62;

struct Session {
  uint64_t upper = 0;
  uint64_t lower = 0;
};

std::optional<uint64_t> Base36(const Slice& digits) {
  uint64_t value = 0;
  for (const char c : digits.ToStringView()) {
    int digit;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'A' && c <= 'Z') {
      digit = c - 'A' + 10;
    } else if (c >= 'a' && c <= 'z') {
      digit = c - 'a' + 10;
    } else {
      return std::nullopt;
    }
    value = value * 36 + static_cast<uint64_t>(digit);
  }
  return value;
}

Status ParseSession(const std::string& id, Session* session) {
  if (id.empty()) return Status::NotSupported("Missing db_session_id");
  if (id.size() <= kLowDigits) return Status::NotSupported("Too short db_session_id");
  if (id.size() > kMostDigits) return Status::NotSupported("Too long db_session_id");
  const size_t high_digits = id.size() - kLowDigits;
  const std::optional<uint64_t> high = Base36(Slice(id.data(), high_digits));
  const std::optional<uint64_t> low = Base36(Slice(id.data() + high_digits, kLowDigits));
  if (!high || !low) return Status::NotSupported("Bad digit in db_session_id");
  session->upper = *high >> (64 - kLowBits);
  session->lower = (*low & ((uint64_t{1} << kLowBits) - 1)) | *high << kLowBits;
  return Status::OK();
}

struct LongId {
  UniqueId id;
  uint64_t third = 0;  // of the extended one
};

LongId Combine(const Session& session, const TableProperties& properties) {
  const Hash128 database =
      Hash2x64(properties.db_id.data(), properties.db_id.size(), session.upper);
  return {{session.lower, database.high ^ properties.orig_file_number}, database.low};
}

Status LongIdOf(const TableProperties& properties, LongId* id) {
  if (properties.db_id.empty()) return Status::NotSupported("Missing db_id");
  if (properties.orig_file_number == 0) {
    return Status::NotSupported("Missing or bad file number");
  }
  Session session;
  Status s = ParseSession(properties.db_session_id, &session);
  if (s.ok()) *id = Combine(session, properties);
  return s;
}

// Of whatever the properties say.
UniqueId AnyIdOf(const TableProperties& properties) {
  Session session;
  if (const std::string& text = properties.db_session_id; !ParseSession(text, &session).ok()) {
    const Hash128 hash = Hash2x64(text.data(), text.size());
    session = {hash.high, hash.low != 0 ? hash.low : hash.high | 1};
  }
  return Combine(session, properties).id;
}

// The public id. (The constants are what is hashed to zero: so only the null id is.)
LongId Published(const LongId& internal) {
  std::string bytes;
  PutFixed64(&bytes, internal.id[0] + 6417269962128484497u);
  PutFixed64(&bytes, internal.id[1] + 17391078804906429400u);
  const Hash128 hash = Hash2x64(bytes.data(), bytes.size());
  return {{hash.low, hash.high}, internal.third + hash.low + hash.high};
}

}  // namespace

UniqueId UniqueIdOf(const TableProperties& properties) {
  LongId id;
  return LongIdOf(properties, &id).ok() ? id.id : kNullUniqueId;
}

Status CheckUniqueId(const UniqueId& expected, const TableProperties& properties,
                     const std::string& file) {
  const UniqueId actual = AnyIdOf(properties);
  if (actual == expected) return Status::OK();
  return Status::Corruption(
      kMismatch + file, "Expected: " + UniqueIdText(expected) + " Actual: " + UniqueIdText(actual));
}

bool IsUniqueIdMismatch(const Status& s) {
  return s.IsCorruption() && s.getState() != nullptr && Slice(s.getState()).starts_with(kMismatch);
}

std::string EncodeUniqueId(const UniqueId& id) {
  std::string bytes;
  for (const uint64_t word : id) PutFixed64(&bytes, word);
  return bytes;
}

bool DecodeUniqueId(const Slice& bytes, UniqueId* id) {
  if (bytes.size() != sizeof(UniqueId)) return false;
  *id = {DecodeFixed64(bytes.data()), DecodeFixed64(bytes.data() + sizeof(uint64_t))};
  return true;
}

std::string PublicUniqueIdText(const UniqueId& id) {
  return UniqueIdToHumanString(EncodeUniqueId(Published({id, 0}).id));
}

std::string UniqueIdText(const UniqueId& id) {
  return "{" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "}";
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status GetUniqueIdFromTableProperties(const TableProperties& props, std::string* out_id) {
  cairn::LongId id;
  out_id->clear();
  Status s = cairn::LongIdOf(props, &id);
  if (s.ok()) *out_id = cairn::EncodeUniqueId(cairn::Published(id).id);
  return s;
}

Status GetExtendedUniqueIdFromTableProperties(const TableProperties& props, std::string* out_id) {
  cairn::LongId id;
  out_id->clear();
  Status s = cairn::LongIdOf(props, &id);
  if (!s.ok()) return s;
  const cairn::LongId published = cairn::Published(id);
  *out_id = cairn::EncodeUniqueId(published.id);
  cairn::PutFixed64(out_id, published.third);
  return s;
}

std::string UniqueIdToHumanString(const std::string& id) {
  constexpr size_t kDigitsOfAWord = 16;
  std::string text = Slice(id).ToString(/*hex=*/true);
  for (size_t at = text.size() <= kDigitsOfAWord ? 0 : (text.size() - 1) / kDigitsOfAWord; at > 0;
       --at) {
    text.insert(at * kDigitsOfAWord, "-");
  }
  return text;
}

}  // namespace ROCKSDB_NAMESPACE
