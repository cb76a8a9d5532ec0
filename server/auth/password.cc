#include "server/auth/password.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>

namespace cairn::server {

namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void AppendHex(uint8_t byte, std::string* text) {
  text->push_back(kDigits[byte >> 4]);
  text->push_back(kDigits[byte & 15]);
}

}  // namespace

PasswordHash HashPassword(std::string_view password) {
  PasswordHash hash;
  SHA256(reinterpret_cast<const unsigned char*>(password.data()), password.size(), hash.data());
  return hash;
}

bool SameHash(const PasswordHash& a, const PasswordHash& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string HashToHex(const PasswordHash& hash) {
  std::string text;
  for (const uint8_t byte : hash) AppendHex(byte, &text);
  return text;
}

bool HashFromHex(std::string_view hex, PasswordHash* hash) {
  if (hex.size() != 2 * hash->size()) return false;
  for (size_t i = 0; i < hash->size(); ++i) {
    const size_t high = kDigits.find(hex[2 * i]), low = kDigits.find(hex[2 * i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return false;
    (*hash)[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

std::string RandomHex(size_t digits) {
  std::array<uint8_t, 512> bytes;
  const size_t count = std::min((digits + 1) / 2, bytes.size());
  // It fails only where the system has no source of randomness.
  if (RAND_bytes(bytes.data(), static_cast<int>(count)) != 1) return {};
  std::string text;
  for (size_t i = 0; i < count; ++i) AppendHex(bytes[i], &text);
  text.resize(std::min(digits, text.size()));
  return text;
}

}  // namespace cairn::server
