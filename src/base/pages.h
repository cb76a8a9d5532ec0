// Memory in pages straight from the operating system, for huge_pages.cc: one body for each system,
// base/posix and base/windows. Thread-safe. It does not block: it is memory and no file.
#pragma once

#include <cstddef>
#include <string>

#include "base/namespace.h"

namespace cairn {

// `bytes` of zeroed memory; null if the system has none, with the reason in `*why`. `reserved`: in
// pages of just `page_size` bytes, a power of two, which the system keeps for who asks; `bytes` is
// then a multiple of it.
void* MapPages(size_t bytes, bool reserved, size_t page_size, std::string* why);
// The whole of what MapPages() returned.
void UnmapPages(void* start, size_t bytes);
// Asks the system to use huge pages there as soon as it can. Without effect where it does not.
void PreferHugePages(void* start, size_t bytes);
// What PreferHugePages() comes to: "transparent ones", "ordinary memory".
extern const char* const kPreferredPages;

}  // namespace cairn
