// slowfs: mounts a directory a second time, as if it lay on slow storage: every read is answered a
// settable time after it arrived, any number of them in parallel, and counted.
//
//   slowfs [flags] BACKING MOUNTPOINT
//
// Runs until SIGINT, SIGTERM or an unmount, then prints the counts. Exit status: 0; 1 where the
// system refuses; 2 for a wrong command line.
#include <fcntl.h>
#include <gflags/gflags.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fiber/io.h"
#include "slowfs/device.h"
#include "slowfs/passthrough.h"

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

int Refuse(const std::string& what, int status) {
  std::fprintf(stderr, "slowfs: %s: %s\n", what.c_str(), std::strerror(-status));
  return 1;
}

// What can be told better before the mount than from its failure. 0 if all is well.
int CheckSystem() {
  const int fd = fiber::io::open("/dev/fuse", O_RDWR);
  if (fd == -ENOENT || fd == -ENODEV || fd == -ENXIO) {
    std::fprintf(stderr, "slowfs: no /dev/fuse: the kernel has no FUSE, or this container not\n");
    return 1;
  }
  if (fd < 0) return Refuse("/dev/fuse", fd);
  fiber::io::close(fd);
  return 0;
}

// The real path of a directory, or empty after an error, which is printed.
std::string Directory(const char* path) {
  struct stat attributes;
  int status = fiber::io::stat(path, &attributes);
  if (status == 0 && !S_ISDIR(attributes.st_mode)) status = -ENOTDIR;
  char* real = status == 0 ? realpath(path, nullptr) : nullptr;
  if (real == nullptr) {
    Refuse(path, status < 0 ? status : -errno);
    return "";
  }
  std::string result = real;
  std::free(real);
  return result;
}

// Every known file holds a descriptor.
void RaiseDescriptorLimit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

// The signals that end the program, for the main thread alone: its wait is what they cut short.
void BlockSignals(int how) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  sigprocmask(how, &signals, nullptr);
}

int Serve(fuse_session* session, Device* device) {
  BlockSignals(SIG_BLOCK);
  device->Start();
  BlockSignals(SIG_UNBLOCK);
  fuse_loop_config* config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, FLAGS_threads);
  fuse_loop_cfg_set_idle_threads(config, FLAGS_threads);
  const int status = fuse_session_loop_mt(session, config);  // a signal's number, 0, or -errno
  fuse_loop_cfg_destroy(config);
  device->Stop();
  return status;
}

int Mount(const char* program, const std::string& backing, const std::string& mountpoint) {
  const int root = fiber::io::open(backing.c_str(), O_PATH | O_DIRECTORY);
  if (root < 0) return Refuse(backing, root);
  Device device(
      {FLAGS_read_delay_us, FLAGS_read_jitter_us, FLAGS_write_delay_us, FLAGS_sync_delay_us},
      FLAGS_max_parallel);
  Passthrough files(root, &device,
                    {FLAGS_max_readahead, FLAGS_max_background, FLAGS_direct_io, FLAGS_writeback});

  std::string name = program;
  std::string dash_o = "-o";
  std::string options = "fsname=slowfs,subtype=slowfs,default_permissions";
  if (getuid() == 0) options += ",allow_other";  // for others the system's owner must allow it
  char* arguments[] = {name.data(), dash_o.data(), options.data(), nullptr};
  fuse_args args = FUSE_ARGS_INIT(3, arguments);
  fuse_session* session =
      fuse_session_new(&args, &Passthrough::Operations(), sizeof(fuse_lowlevel_ops), &files);
  fuse_opt_free_args(&args);
  if (session == nullptr) {
    std::fprintf(stderr, "slowfs: libfuse refuses the options %s\n", options.c_str());
    return 1;
  }
  int status = 1;
  if (fuse_set_signal_handlers(session) != 0) {
    std::fprintf(stderr, "slowfs: the signals cannot be handled\n");
  } else {
    if (fuse_session_mount(session, mountpoint.c_str()) != 0) {
      std::fprintf(stderr,
                   "slowfs: %s cannot be mounted: it takes root, or the program fusermount3 "
                   "(Debian: fuse3) and a mount point of your own\n",
                   mountpoint.c_str());
    } else {
      std::printf("slowfs: %s mounted on %s\n", backing.c_str(), mountpoint.c_str());
      std::fflush(stdout);
      status = fuse_daemonize(FLAGS_foreground) == 0 ? Serve(session, &device) : -EAGAIN;
      fuse_session_unmount(session);
      if (status < 0) Refuse("the session ended", status);
      std::printf("%s", device.Text().c_str());
      status = status < 0 ? 1 : 0;
    }
    fuse_remove_signal_handlers(session);
  }
  fuse_session_destroy(session);
  return status;
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
  const std::string backing = Directory(argv[1]);
  const std::string mountpoint = Directory(argv[2]);
  if (backing.empty() || mountpoint.empty()) return 1;
  if (mountpoint != backing && (mountpoint + "/").starts_with(backing + "/")) {
    std::fprintf(stderr, "slowfs: the mount point %s lies in %s: it would wait for itself\n",
                 mountpoint.c_str(), backing.c_str());
    return 2;
  }
  if (const int status = CheckSystem(); status != 0) return status;
  RaiseDescriptorLimit();
  umask(0);  // the kernel has applied the caller's
  return Mount(argv[0], backing, mountpoint);
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
