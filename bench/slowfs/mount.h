// Mounts a Passthrough and serves it: what slowfs and test/crash/faultfs have in common of a
// program. Called by their main threads. Errors are printed, with the program's name.
#pragma once

#include <cstdint>
#include <string>

#include "slowfs/passthrough.h"
#include "slowfs/storage.h"

namespace slowfs {

struct MountOptions {
  const char* program = "slowfs";  // named in messages and in /proc/mounts
  std::string backing;             // two real paths: RealDirectory()
  std::string mountpoint;
  uint32_t threads = 16;   // that take requests; each is in the backing file meanwhile
  bool foreground = true;  // else returns to the shell once mounted
  KernelOptions kernel;
};

// The real path of a directory, or empty after an error.
std::string RealDirectory(const char* program, const char* path);

// Runs until SIGINT, SIGTERM, SIGHUP or an unmount. The exit status: 0; 1 where the system refuses;
// 2 where the mount point lies in the backing directory.
int MountAndServe(const MountOptions& options, Storage* storage);

}  // namespace slowfs
