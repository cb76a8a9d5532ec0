#include "db_bench/flags.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "db_bench/workloads.h"

namespace db_bench {

void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

#define FLAG(type, name, value, help) DEFINE_##type(name, value, help);
#include "db_bench/supported_flags.inc"
#undef FLAG

#define UNSUPPORTED(type, name, value) \
  DEFINE_##type(name, value, "RocksDB's; not supported by Cairn");
#include "db_bench/unsupported_flags.inc"
#undef UNSUPPORTED

namespace {

const char* const kUnsupportedNames[] = {
#define UNSUPPORTED(type, name, value) #name,
#include "db_bench/unsupported_flags.inc"
#undef UNSUPPORTED
};

[[noreturn]] void Refuse(const std::string& message) { Fail("ERROR: " + message); }

void RefuseUnsupported() {
  for (const char* name : kUnsupportedNames) {
    gflags::CommandLineFlagInfo info;
    if (gflags::GetCommandLineFlagInfo(name, &info) && info.current_value != info.default_value) {
      Refuse(std::string("flag --") + name + "=" + info.current_value +
             " is not supported by Cairn's db_bench");
    }
  }
}

void CheckRanges() {
  if (FLAGS_num <= 0) Refuse("--num must be positive");
  if (FLAGS_threads <= 0) Refuse("--threads must be positive");
  if (FLAGS_fiber_workers < 0) Refuse("--fiber_workers must not be negative");
  if (FLAGS_key_size < 4) Refuse("--key_size must be at least 4");
  if (FLAGS_value_size < 0) Refuse("--value_size must not be negative");
  if (FLAGS_batch_size <= 0) Refuse("--batch_size must be positive");
  if (FLAGS_multiread_stride < 0) Refuse("--multiread_stride must not be negative");
  if (FLAGS_ops_between_duration_checks <= 0)
    Refuse("--ops_between_duration_checks must be positive");
}

}  // namespace

void ParseFlags(int* argc, char*** argv) {
  gflags::SetUsageMessage("[FLAGS...]\n" + WorkloadsHelp());
  gflags::SetVersionString("of Cairn");
  gflags::ParseCommandLineFlags(argc, argv, /*remove_flags=*/true);
  if (*argc > 1) {
    Refuse(std::string("unexpected argument '") + (*argv)[1] + "'");
  }
  RefuseUnsupported();
  CheckRanges();
}

}  // namespace db_bench
