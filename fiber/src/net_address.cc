// Address of net.h: from and to text.
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "fiber/net.h"
#include "os_net.h"

namespace fiber::net {

namespace {

constexpr size_t kPathAt = offsetof(sockaddr_un, sun_path);

Address parsed(std::string_view numeric, uint16_t port) {
  Address address;
  (void)Address::parse(numeric, port, &address);
  return address;
}

}  // namespace

int Address::parse(std::string_view numeric, uint16_t port, Address* out) {
  std::string text(numeric);
  Address result;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage_);
  if (::inet_pton(AF_INET, text.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(port);
    result.size_ = sizeof(*v4);
    *out = result;
    return 0;
  }
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage_);
  uint32_t scope = 0;
  if (const size_t percent = text.find('%'); percent != std::string::npos) {
    scope = ::if_nametoindex(text.c_str() + percent + 1);
    if (scope == 0) return -EINVAL;
    text.resize(percent);
  }
  if (::inet_pton(AF_INET6, text.c_str(), &v6->sin6_addr) != 1) return -EINVAL;
  v6->sin6_family = AF_INET6;
  v6->sin6_port = htons(port);
  v6->sin6_scope_id = scope;
  result.size_ = sizeof(*v6);
  *out = result;
  return 0;
}

Address Address::any_v4(uint16_t port) { return parsed("0.0.0.0", port); }
Address Address::any_v6(uint16_t port) { return parsed("::", port); }
Address Address::loopback_v4(uint16_t port) { return parsed("127.0.0.1", port); }
Address Address::loopback_v6(uint16_t port) { return parsed("::1", port); }

int Address::unix_path(std::string_view path, Address* out) {
  Address result;
  auto* name = reinterpret_cast<sockaddr_un*>(&result.storage_);
  if (path.empty()) return -EINVAL;
  if (path.size() >= sizeof(name->sun_path)) return -ENAMETOOLONG;
  name->sun_family = AF_UNIX;
  std::memcpy(name->sun_path, path.data(), path.size());
  // An abstract name is all its bytes, a path ends with its zero.
  result.size_ = static_cast<AddressSize>(kPathAt + path.size() + (path[0] == '\0' ? 0 : 1));
  *out = result;
  return 0;
}

uint16_t Address::port() const {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  if (family() == AF_INET6)
    return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return 0;
}

std::string Address::to_string() const {
  char text[INET6_ADDRSTRLEN];
  if (family() == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage_);
    if (::inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)) == nullptr) return "";
    return std::string(text) + ":" + std::to_string(port());
  }
  if (family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage_);
    if (::inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)) == nullptr) return "";
    return "[" + std::string(text) + "]:" + std::to_string(port());
  }
  const auto size = static_cast<size_t>(size_);
  if (family() == AF_UNIX && size > kPathAt) {
    const char* name = reinterpret_cast<const sockaddr_un*>(&storage_)->sun_path;
    if (name[0] == '\0') return "@" + std::string(name + 1, size - kPathAt - 1);
    return std::string(name, ::strnlen(name, size - kPathAt));
  }
  return "";
}

}  // namespace fiber::net
