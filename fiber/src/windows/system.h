// Windows' own header, without the parts and macros that nobody here wants. For .cc files of this
// folder alone: no other header includes it.
#pragma once

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0a00
#endif
// The order is Windows' own.
// clang-format off
#include <winsock2.h>
#include <windows.h>
// clang-format on
