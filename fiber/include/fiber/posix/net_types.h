// The types and constants of net.h where the system is POSIX: aliases of its own.
// fiber/windows/net_types.h is the other one.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

namespace fiber::net {

using AddressStorage = sockaddr_storage;
using AddressSize = socklen_t;
using AddressFamily = sa_family_t;
using Message = msghdr;

inline AddressFamily family_of(const AddressStorage& storage) { return storage.ss_family; }

inline constexpr int kUnspecified = AF_UNSPEC;
inline constexpr int kIpV4 = AF_INET;
inline constexpr int kIpV6 = AF_INET6;
inline constexpr int kUnix = AF_UNIX;
inline constexpr int kStream = SOCK_STREAM;

// `flags` of recv() and send().
inline constexpr int kPeek = MSG_PEEK;
inline constexpr int kDontWait = MSG_DONTWAIT;

// shutdown()'s `how`.
inline constexpr int kShutReceive = SHUT_RD;
inline constexpr int kShutSend = SHUT_WR;
inline constexpr int kShutBoth = SHUT_RDWR;

}  // namespace fiber::net
