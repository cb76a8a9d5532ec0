// The flags of db_bench, as FLAGS_<name>. RocksDB's names and defaults: supported_flags.inc lists
// what Cairn honours, unsupported_flags.inc what it refuses. Written once by ParseFlags() before
// any thread starts, then only read.
#pragma once

#include <gflags/gflags.h>

#include <cstddef>
#include <string>
#include <vector>

namespace db_bench {

#define FLAG(type, name, value, help) DECLARE_##type(name);
#include "db_bench/supported_flags.inc"
#undef FLAG

// Parses the command line. An unknown flag, a value that does not parse and a flag that Cairn
// cannot honour end the process with a message that names the flag (exit status 1); --undefok=NAMES
// excuses unknown ones.
void ParseFlags(int* argc, char*** argv);

// Which family a key is of, by its number % 100: --column_family_distribution. Empty: there is
// none.
const std::vector<size_t>& FamiliesByPercent();

// Ends the process with the message (exit status 1).
[[noreturn]] void Fail(const std::string& message);

}  // namespace db_bench
