// What a server's process has used, as the kernel tells it in /proc.
#pragma once

#include <cstdint>
#include <string>

namespace kv_load {

struct ServerUsage {
  double cpu_seconds = 0;  // user and system, of all threads, in steps of 10 ms
  uint64_t peak_memory_bytes = 0;
  uint64_t memory_bytes = 0;
};

// False: *error says why.
bool ReadServerUsage(int pid, ServerUsage* usage, std::string* error);

}  // namespace kv_load
