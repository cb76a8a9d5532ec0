// What the workloads share: options from the flags, counts of operations, how they fail.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "db_bench/runner.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace db_bench {

// Ends the program with `<what> error: <status>`.
[[noreturn]] void Fail(const char* what, const rocksdb::Status& s);

rocksdb::ReadOptions MakeReadOptions();
rocksdb::WriteOptions MakeWriteOptions();

// How many operations a workload has that reads, that writes, that does both.
int64_t Reads();
int64_t Writes();
int64_t ReadsAndWrites();

// `(<found> of <read> found)`.
void AddFound(Client* client, int64_t found, int64_t read, const char* end);

// A value of the size that --value_size, or --value_size_distribution_type, says.
rocksdb::Slice NextValue(Client* client);

// What the client of id 0 does beside the others, until all of them ended: `operation` again and
// again, which returns the bytes that it wrote, at --benchmark_write_rate_limit. Its operations
// stay out of the report.
void RunBeside(Client* client, const std::function<uint64_t()>& operation);

}  // namespace db_bench
