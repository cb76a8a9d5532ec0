// The system's headers of addresses. (posix/os_net.h is the other one.)
#pragma once

#include "system.h"
// After it.
#include <iphlpapi.h>
#include <ws2tcpip.h>

#if __has_include(<afunix.h>)
#include <afunix.h>
#else
// Of Windows 10, 1803; not in mingw's headers.
struct sockaddr_un {
  ADDRESS_FAMILY sun_family;
  char sun_path[108];
};
#endif
