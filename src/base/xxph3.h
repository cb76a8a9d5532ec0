// The hash inside Bloom filters: XXH3 as it was in a preview of late 2019, before its final form.
// Filters written with it are on disk, so it is a format: the vectors in xxph3_test.cc come from
// files and the library of RocksDB 7.8.3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn {

// Seed 0, the only one that files use.
uint64_t XXPH3Hash64(const char* data, size_t n);

}  // namespace cairn
