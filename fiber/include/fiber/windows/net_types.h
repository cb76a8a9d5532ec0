// The types and constants of net.h on Windows: our own, without winsock2.h, whose macros would come
// along. The constants have Winsock's values. (fiber/posix/net_types.h is the other one.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "fiber/windows/io_types.h"

struct sockaddr;  // Winsock's

namespace fiber::net {

using AddressSize = int;
using AddressFamily = uint16_t;
// As large and as aligned as Winsock's sockaddr_storage.
struct alignas(8) AddressStorage {
  AddressFamily ss_family;
  char rest[126];
};
inline AddressFamily family_of(const AddressStorage& storage) { return storage.ss_family; }

// What recvmsg() and sendmsg() take: only the parts and, of a received one, the flags.
struct Message {
  io::IoVec* msg_iov = nullptr;
  size_t msg_iovlen = 0;
  int msg_flags = 0;
};

inline constexpr int kUnspecified = 0;
inline constexpr int kIpV4 = 2;
inline constexpr int kIpV6 = 23;
inline constexpr int kUnix = 1;
inline constexpr int kStream = 1;

// `flags` of recv() and send(). Winsock has no kDontWait of its own; this is its number elsewhere.
inline constexpr int kPeek = 0x2;
inline constexpr int kDontWait = 0x40;

// shutdown()'s `how`.
inline constexpr int kShutReceive = 0;
inline constexpr int kShutSend = 1;
inline constexpr int kShutBoth = 2;

}  // namespace fiber::net
