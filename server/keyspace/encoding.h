// How databases of typed keys lie in one ordered key-value store.
//
// A user's key has one entry: its type, the moment at which it expires, and, of a string, the
// value. The elements of a collection (hash, set, sorted set, list) are pairs of their own, under a
// number that the collection got when it was made and that is never used again: so RENAME moves
// one entry, and a collection is deleted by deleting its entry. What then belongs to nobody a
// compaction drops (expiry_filter.h).
//
//   key in the store                                 value
//   00 name                                          settings of the keyspace
//   1n nn nn nn  user's key                          the entry  (n: 28 bits, the namespace)
//   C0 id[8]  field of a hash                        its value
//   C0 id[8]  member of a set                        -
//   C0 id[8]  index[8] of a list                     the element
//   C0 id[8]  member of a sorted set                 its score[8]
//   C1 id[8]  score[8] member of a sorted set        -
//   E0 id[8]                                         namespace[4] user's key: whose the number is
//
//   entry: type[1] (+0x80: expires[8])  string: the value | collection: id[8] count[8] |
//          list: id[8] head[8] tail[8]
//
// Numbers are big-endian, so that their order is that of their bytes; signed ones have their sign
// bit flipped, and scores are ordered as IEEE 754 totals them. A database (SELECT 0...) has a
// namespace; FLUSHDB gives it a fresh one, and what was in the old one belongs to nobody.

#ifndef CAIRN_SERVER_KEYSPACE_ENCODING_H_
#define CAIRN_SERVER_KEYSPACE_ENCODING_H_

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "rocksdb/slice.h"

namespace cairn::server {

enum class Type : uint8_t { kString = 0, kList = 1, kSet = 2, kSortedSet = 3, kHash = 4 };

// "string", "list", "set", "zset", "hash": what TYPE answers.
std::string_view TypeName(Type type);

inline constexpr uint32_t kMaxNamespace = (uint32_t{1} << 28) - 1;

struct Entry {
  Type type = Type::kString;
  uint64_t expires_at = 0;  // milliseconds since 1970; 0: never
  // A view of what it was decoded from.
  std::string_view value;
  // Of a collection.
  uint64_t id = 0;
  uint64_t count = 0;  // of a list: tail - head
  // Of a list: its elements have the indexes head ... tail - 1.
  int64_t head = 0;
  int64_t tail = 0;

  bool ExpiredAt(uint64_t now_ms) const { return expires_at != 0 && expires_at <= now_ms; }
};

// False: no entry.
bool DecodeEntry(const rocksdb::Slice& bytes, Entry* entry);
std::string EncodeEntry(const Entry& entry);
// Of a string: the bytes before its value.
std::string EncodeStringHeader(uint64_t expires_at);

void AppendBigEndian32(std::string* out, uint32_t value);
void AppendBigEndian64(std::string* out, uint64_t value);
uint32_t DecodeBigEndian32(const char* bytes);
uint64_t DecodeBigEndian64(const char* bytes);

// Doubles in an order that the order of bytes is; -0 and 0 are one. No NaN.
uint64_t OrderedScore(double score);
double ScoreOfOrdered(uint64_t ordered);
inline uint64_t OrderedIndex(int64_t index) {
  return static_cast<uint64_t>(index) ^ uint64_t { 1 } << 63;
}

inline constexpr char kSettingTag = '\x00';
inline constexpr char kEntryTag = '\x10';  // and the namespace's high bits
inline constexpr char kElementTag = '\xC0';
inline constexpr char kScoreTag = '\xC1';
inline constexpr char kOwnerTag = '\xE0';
inline constexpr size_t kEntryPrefixBytes = 4;    // before the user's key
inline constexpr size_t kElementPrefixBytes = 9;  // before the field or member

std::string EntryPrefix(uint32_t ns);
std::string EntryKey(uint32_t ns, std::string_view key);
// What all elements of a collection begin with, and what follows them.
std::string ElementPrefix(uint64_t id);
std::string ElementKey(uint64_t id, std::string_view field);
std::string ListKey(uint64_t id, int64_t index);
std::string ScorePrefix(uint64_t id);
std::string ScoreKey(uint64_t id, double score, std::string_view member);
std::string OwnerKey(uint64_t id);
std::string OwnerValue(uint32_t ns, std::string_view key);
std::string SettingKey(std::string_view name);
// The first key behind all that begin with `prefix`; "" if there is none.
std::string BehindPrefix(std::string_view prefix);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_ENCODING_H_
