// The level of the RocksDB API that these headers offer, and Cairn's own version.
#pragma once

#include <string>
#include <unordered_map>

#include "rocksdb/rocksdb_namespace.h"

// Which release of RocksDB a program sees in the three numbers below: 7, the default, 10 or 11, for
// programs that ask (`#if ROCKSDB_MAJOR >= 10`). They change nothing else: what later releases
// added is here with each of them, and where a function was given another form both are. The
// library is the same, so files of one program may have different ones. (The C interface:
// rocksdb/c_releases.h.)
#ifndef CAIRN_ROCKSDB_RELEASE
#define CAIRN_ROCKSDB_RELEASE 7
#endif

// 7.8.3 is the release whose API (names, fields, defaults) and file formats Cairn follows.
#if CAIRN_ROCKSDB_RELEASE == 7
#define ROCKSDB_MAJOR 7
#define ROCKSDB_MINOR 8
#define ROCKSDB_PATCH 3
#elif CAIRN_ROCKSDB_RELEASE == 10
#define ROCKSDB_MAJOR 10
#define ROCKSDB_MINOR 4
#define ROCKSDB_PATCH 2
#elif CAIRN_ROCKSDB_RELEASE == 11
#define ROCKSDB_MAJOR 11
#define ROCKSDB_MINOR 8
#define ROCKSDB_PATCH 1
#else
#error "CAIRN_ROCKSDB_RELEASE is none of 7, 10 and 11"
#endif
#define __ROCKSDB_MAJOR__ ROCKSDB_MAJOR
#define __ROCKSDB_MINOR__ ROCKSDB_MINOR
#define __ROCKSDB_PATCH__ ROCKSDB_PATCH

// Cairn's own release; defined by no other implementation of this API, so it also tells which one
// is compiled against.
#define CAIRN_MAJOR 0
#define CAIRN_MINOR 1
#define CAIRN_PATCH 0

namespace ROCKSDB_NAMESPACE {

// Facts about this build: "cairn_version", "rocksdb_compatible_version". Lives as long as the
// program.
const std::unordered_map<std::string, std::string>& GetRocksBuildProperties();

// "7.8.3", or "7.8" without the patch number: the API level, not Cairn's version.
std::string GetRocksVersionAsString(bool with_patch = true);

// One line for a program's --version; with `verbose` all build properties, one a line.
std::string GetRocksBuildInfoAsString(const std::string& program, bool verbose = false);

}  // namespace ROCKSDB_NAMESPACE
