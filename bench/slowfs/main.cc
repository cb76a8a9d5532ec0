// slowfs: mounts a directory a second time, as if it lay on slow storage: every read is answered a
// settable time after it arrived, any number of them in parallel, and counted.
//
//   slowfs [flags] BACKING MOUNTPOINT
//
// Runs until SIGINT, SIGTERM or an unmount, then prints the counts. Exit status: 0; 1 where the
// system refuses; 2 for a wrong command line.
#include <gflags/gflags.h>

#include <cstdint>
#include <cstdio>

#include "slowfs/device.h"
#include "slowfs/mount.h"

DEFINE_uint64(read_delay_us, 1000, "microseconds from a read's arrival to its answer");
DEFINE_uint64(read_jitter_us, 0, "a read takes uniformly 0 to this longer");
DEFINE_uint64(write_delay_us, 0, "microseconds from a write's arrival to its answer");
DEFINE_uint64(sync_delay_us, 0, "microseconds from a sync's arrival to its answer");
DEFINE_uint32(max_parallel, 0, "requests that are served at once, others queue (0: any number)");
DEFINE_uint32(max_readahead, 128 << 10,
              "bytes that the kernel reads ahead at most; it offers 131072. Below the size of a "
              "buffered read, that read comes in pieces, one after the other");
DEFINE_uint32(max_background, 1024, "asynchronous requests that the kernel sends at once");
DEFINE_uint32(threads, 16, "threads that take requests; each is in the backing file meanwhile");
DEFINE_bool(direct_io, false, "no page cache: every read of a program is one of slowfs");
DEFINE_bool(writeback, false, "writes stay in the page cache until synced or old");
DEFINE_bool(foreground, true, "stay in the foreground; else return once mounted");

namespace slowfs {
namespace {

constexpr uint32_t kMaxThreads = 1024;
constexpr uint32_t kMaxParallel = 1'000'000;

// Says what is wrong with a numeric flag, or null.
const char* BadFlag() {
  const uint64_t delays[] = {FLAGS_read_delay_us, FLAGS_read_jitter_us, FLAGS_write_delay_us,
                             FLAGS_sync_delay_us};
  for (const uint64_t delay : delays) {
    if (delay > Delays::kMaxDelay) return "a delay is at most 60000000 microseconds";
  }
  if (FLAGS_max_parallel > kMaxParallel) return "--max_parallel is at most 1000000";
  if (FLAGS_max_background < 1 || FLAGS_max_background > UINT16_MAX) {
    return "--max_background is 1 to 65535";
  }
  if (FLAGS_threads < 1 || FLAGS_threads > kMaxThreads) return "--threads is 1 to 1024";
  return nullptr;
}

int Main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "slowfs: two directories are needed: BACKING MOUNTPOINT; see --help\n");
    return 2;
  }
  if (const char* bad = BadFlag()) {
    std::fprintf(stderr, "slowfs: %s\n", bad);
    return 2;
  }
  MountOptions options;
  options.backing = RealDirectory("slowfs", argv[1]);
  options.mountpoint = RealDirectory("slowfs", argv[2]);
  if (options.backing.empty() || options.mountpoint.empty()) return 1;
  options.threads = FLAGS_threads;
  options.foreground = FLAGS_foreground;
  options.kernel.max_readahead = FLAGS_max_readahead;
  options.kernel.max_background = FLAGS_max_background;
  options.kernel.direct_io = FLAGS_direct_io;
  options.kernel.writeback = FLAGS_writeback;
  Device device(
      {FLAGS_read_delay_us, FLAGS_read_jitter_us, FLAGS_write_delay_us, FLAGS_sync_delay_us},
      FLAGS_max_parallel);
  return MountAndServe(options, &device);
}

}  // namespace
}  // namespace slowfs

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "[flags] BACKING MOUNTPOINT\n"
      "mounts a directory as slow storage. MOUNTPOINT/.slowfs gives the counts when read, and "
      "takes "
      "the lines reset, delay N, jitter N, write_delay N, sync_delay N (microseconds)");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  return slowfs::Main(argc, argv);
}
