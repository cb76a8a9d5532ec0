// What a run came to, for people (a table) and for scripts (JSON).
#pragma once

#include <string>

#include "kv_load/load.h"
#include "kv_load/plan.h"
#include "kv_load/server_usage.h"

namespace kv_load {

struct Report {
  const Plan* plan = nullptr;
  bool loaded = false;
  PhaseResult load;  // if loaded
  bool measured = false;
  PhaseResult run;  // if measured
  // Between the beginning and the end of the run, with --pid.
  double server_cpu_seconds = 0;
  ServerUsage server;
};

void PrintTable(const Report& report);
// One object on one line.
std::string Json(const Report& report);

}  // namespace kv_load
