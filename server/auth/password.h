// Passwords as they are kept: SHA-256, which ACL files have, too. By OpenSSL. Thread safe.

#ifndef CAIRN_SERVER_AUTH_PASSWORD_H_
#define CAIRN_SERVER_AUTH_PASSWORD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::server {

using PasswordHash = std::array<uint8_t, 32>;

PasswordHash HashPassword(std::string_view password);
// In a time that tells nothing.
bool SameHash(const PasswordHash& a, const PasswordHash& b);
std::string HashToHex(const PasswordHash& hash);  // 64 digits in lower case
bool HashFromHex(std::string_view hex, PasswordHash* hash);

// So many digits in lower case that nobody can guess; at most 1024.
std::string RandomHex(size_t digits);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_AUTH_PASSWORD_H_
