// faultfs: mounts a directory a second time, over storage that fails and loses power as it is told
// (faults.h has the lines that MOUNTPOINT/.slowfs takes). crash_check.py runs real processes on it.
//
//   faultfs [flags] BACKING MOUNTPOINT
//
// Runs until SIGINT, SIGTERM or an unmount, then prints the counts. Exit status: 0; 1 where the
// system refuses; 2 for a wrong command line.
#include <fcntl.h>
#include <gflags/gflags.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "faultfs/faults.h"
#include "fiber/io.h"
#include "slowfs/mount.h"

DEFINE_string(names, "strict",
              "what a cut may take of names: strict: all that no sync of their directory made "
              "durable; ordered: the latest, as where names go through a journal");
DEFINE_bool(direct_io, false, "no page cache: all that a program reads and writes comes here");
DEFINE_string(log, "", "a file that gets each command and each injected fault");
DEFINE_uint32(threads, 4, "threads that take requests");

namespace faultfs {
namespace {

int Main(int argc, char** argv) {
  if (argc != 3 || (FLAGS_names != "strict" && FLAGS_names != "ordered") || FLAGS_threads == 0) {
    std::fprintf(stderr,
                 "faultfs: two directories are needed: BACKING MOUNTPOINT; --names is strict or "
                 "ordered; see --help\n");
    return 2;
  }
  slowfs::MountOptions options;
  options.program = "faultfs";
  options.backing = slowfs::RealDirectory(options.program, argv[1]);
  options.mountpoint = slowfs::RealDirectory(options.program, argv[2]);
  if (options.backing.empty() || options.mountpoint.empty()) return 1;
  options.threads = FLAGS_threads;
  options.kernel.direct_io = FLAGS_direct_io;
  options.kernel.cache_seconds = 0;  // an operation that failed may be done
  const int root = fiber::io::open(options.backing.c_str(), O_RDONLY | O_DIRECTORY);
  const int log =
      FLAGS_log.empty() ? -1 : fiber::io::open(FLAGS_log.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  if (root < 0 || (log < 0 && !FLAGS_log.empty())) {
    std::fprintf(stderr, "faultfs: %s: %s\n",
                 root < 0 ? options.backing.c_str() : FLAGS_log.c_str(),
                 std::strerror(root < 0 ? -root : -log));
    return 1;
  }
  FaultStorage storage(root, log, FLAGS_names == "strict" ? Names::kStrict : Names::kOrdered,
                       FLAGS_direct_io);
  const int status = slowfs::MountAndServe(options, &storage);
  fiber::io::close(root);
  if (log >= 0) fiber::io::close(log);
  return status;
}

}  // namespace
}  // namespace faultfs

int main(int argc, char** argv) {
  gflags::SetUsageMessage("[flags] BACKING MOUNTPOINT\nsee test/crash/faultfs/faults.h");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  return faultfs::Main(argc, argv);
}
