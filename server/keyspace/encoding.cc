#include "server/keyspace/encoding.h"

#include <cstring>

#include "cairn/compiler.h"

namespace cairn::server {

namespace {

constexpr uint8_t kExpires = 0x80;

std::string Tagged(char tag, uint64_t id, size_t more) {
  std::string key;
  key.reserve(kElementPrefixBytes + more);
  key.push_back(tag);
  AppendBigEndian64(&key, id);
  return key;
}

}  // namespace

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kString:
      return "string";
    case Type::kList:
      return "list";
    case Type::kSet:
      return "set";
    case Type::kSortedSet:
      return "zset";
    case Type::kHash:
      return "hash";
  }
  return "unknown";
}

void AppendBigEndian32(std::string* out, uint32_t value) {
  const uint32_t swapped = compiler::ByteSwap(value);
  out->append(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
}

void AppendBigEndian64(std::string* out, uint64_t value) {
  const uint64_t swapped = compiler::ByteSwap(value);
  out->append(reinterpret_cast<const char*>(&swapped), sizeof(swapped));
}

uint32_t DecodeBigEndian32(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return compiler::ByteSwap(value);
}

uint64_t DecodeBigEndian64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return compiler::ByteSwap(value);
}

uint64_t OrderedScore(double score) {
  if (score == 0) score = 0;
  const auto bits = std::bit_cast<uint64_t>(score);
  return (bits >> 63) != 0 ? ~bits : bits | uint64_t{1} << 63;
}

double ScoreOfOrdered(uint64_t ordered) {
  return std::bit_cast<double>((ordered >> 63) != 0 ? ordered & ~(uint64_t{1} << 63) : ~ordered);
}

bool DecodeEntry(const rocksdb::Slice& bytes, Entry* entry) {
  std::string_view rest(bytes.data(), bytes.size());
  if (rest.empty()) return false;
  const auto first = static_cast<uint8_t>(rest[0]);
  rest.remove_prefix(1);
  *entry = Entry();
  if ((first & kExpires) != 0) {
    if (rest.size() < 8) return false;
    entry->expires_at = DecodeBigEndian64(rest.data());
    rest.remove_prefix(8);
  }
  entry->type = static_cast<Type>(first & ~kExpires);
  switch (entry->type) {
    case Type::kString:
      entry->value = rest;
      return true;
    case Type::kList:
      if (rest.size() != 24) return false;
      entry->id = DecodeBigEndian64(rest.data());
      entry->head = static_cast<int64_t>(DecodeBigEndian64(rest.data() + 8));
      entry->tail = static_cast<int64_t>(DecodeBigEndian64(rest.data() + 16));
      entry->count = static_cast<uint64_t>(entry->tail - entry->head);
      return true;
    case Type::kSet:
    case Type::kSortedSet:
    case Type::kHash:
      if (rest.size() != 16) return false;
      entry->id = DecodeBigEndian64(rest.data());
      entry->count = DecodeBigEndian64(rest.data() + 8);
      return true;
  }
  return false;
}

std::string EncodeStringHeader(uint64_t expires_at) {
  std::string out(1, '\0');
  if (expires_at != 0) {
    out[0] = static_cast<char>(kExpires);
    AppendBigEndian64(&out, expires_at);
  }
  return out;
}

std::string EncodeEntry(const Entry& entry) {
  std::string out;
  out.reserve(33 + entry.value.size());
  const uint8_t flags = entry.expires_at != 0 ? kExpires : 0;
  out.push_back(static_cast<char>(static_cast<uint8_t>(entry.type) | flags));
  if (entry.expires_at != 0) AppendBigEndian64(&out, entry.expires_at);
  if (entry.type == Type::kString) {
    out.append(entry.value);
  } else {
    AppendBigEndian64(&out, entry.id);
    if (entry.type == Type::kList) {
      AppendBigEndian64(&out, static_cast<uint64_t>(entry.head));
      AppendBigEndian64(&out, static_cast<uint64_t>(entry.tail));
    } else {
      AppendBigEndian64(&out, entry.count);
    }
  }
  return out;
}

std::string EntryPrefix(uint32_t ns) {
  std::string key;
  AppendBigEndian32(&key, uint32_t{1} << 28 | ns);
  return key;
}

std::string EntryKey(uint32_t ns, std::string_view key) {
  std::string out;
  out.reserve(kEntryPrefixBytes + key.size());
  AppendBigEndian32(&out, uint32_t{1} << 28 | ns);
  out.append(key);
  return out;
}

std::string ElementPrefix(uint64_t id) { return Tagged(kElementTag, id, 0); }

std::string ElementKey(uint64_t id, std::string_view field) {
  std::string key = Tagged(kElementTag, id, field.size());
  key.append(field);
  return key;
}

std::string ListKey(uint64_t id, int64_t index) {
  std::string key = Tagged(kElementTag, id, 8);
  AppendBigEndian64(&key, OrderedIndex(index));
  return key;
}

std::string ScorePrefix(uint64_t id) { return Tagged(kScoreTag, id, 0); }

std::string ScoreKey(uint64_t id, double score, std::string_view member) {
  std::string key = Tagged(kScoreTag, id, 8 + member.size());
  AppendBigEndian64(&key, OrderedScore(score));
  key.append(member);
  return key;
}

std::string OwnerKey(uint64_t id) { return Tagged(kOwnerTag, id, 0); }

std::string OwnerValue(uint32_t ns, std::string_view key) {
  std::string value;
  AppendBigEndian32(&value, ns);
  value.append(key);
  return value;
}

std::string SettingKey(std::string_view name) {
  std::string key(1, kSettingTag);
  key.append(name);
  return key;
}

std::string BehindPrefix(std::string_view prefix) {
  std::string behind(prefix);
  while (!behind.empty() && static_cast<unsigned char>(behind.back()) == 0xff) behind.pop_back();
  if (!behind.empty()) ++behind.back();
  return behind;
}

}  // namespace cairn::server
