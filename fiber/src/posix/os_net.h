// The system's headers of addresses. (windows/os_net.h is the other one.)
#pragma once

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>
