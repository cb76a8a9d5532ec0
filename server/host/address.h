// Addresses that the server listens on.

#ifndef CAIRN_SERVER_HOST_ADDRESS_H_
#define CAIRN_SERVER_HOST_ADDRESS_H_

#include <string>

#include "fiber/net.h"

namespace cairn::server {

// Whether no other machine reaches it.
inline bool IsLoopback(const fiber::net::Address& address) {
  const std::string text = address.to_string();
  return text.starts_with("127.") || text.starts_with("[::1]");
}

}  // namespace cairn::server

#endif  // CAIRN_SERVER_HOST_ADDRESS_H_
