// The command line.
#pragma once

#include <string>

#include "kv_load/plan.h"

namespace kv_load {

// Makes the plan from the flags. False: *error says which flag is wrong, and why.
bool ReadFlags(Plan* plan, std::string* error);

}  // namespace kv_load
