#include "slowfs/mount.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fiber/io.h"

namespace slowfs {
namespace {

int Refuse(const char* program, const std::string& what, int status) {
  std::fprintf(stderr, "%s: %s: %s\n", program, what.c_str(), std::strerror(-status));
  return 1;
}

// What can be told better before the mount than from its failure. 0 if all is well.
int CheckSystem(const char* program) {
  const int fd = fiber::io::open("/dev/fuse", O_RDWR);
  if (fd == -ENOENT || fd == -ENODEV || fd == -ENXIO) {
    std::fprintf(stderr, "%s: no /dev/fuse: the kernel has no FUSE, or this container not\n",
                 program);
    return 1;
  }
  if (fd < 0) return Refuse(program, "/dev/fuse", fd);
  fiber::io::close(fd);
  return 0;
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

int Serve(fuse_session* session, uint32_t threads, Storage* storage) {
  BlockSignals(SIG_BLOCK);
  storage->Start();
  BlockSignals(SIG_UNBLOCK);
  fuse_loop_config* config = fuse_loop_cfg_create();
  fuse_loop_cfg_set_max_threads(config, threads);
  fuse_loop_cfg_set_idle_threads(config, threads);
  const int status = fuse_session_loop_mt(session, config);  // a signal's number, 0, or -errno
  fuse_loop_cfg_destroy(config);
  storage->Stop();
  return status;
}

}  // namespace

std::string RealDirectory(const char* program, const char* path) {
  struct stat attributes;
  int status = fiber::io::stat(path, &attributes);
  if (status == 0 && !S_ISDIR(attributes.st_mode)) status = -ENOTDIR;
  char* real = status == 0 ? realpath(path, nullptr) : nullptr;
  if (real == nullptr) {
    Refuse(program, path, status < 0 ? status : -errno);
    return "";
  }
  std::string result = real;
  std::free(real);
  return result;
}

int MountAndServe(const MountOptions& options, Storage* storage) {
  const char* const program = options.program;
  if (options.mountpoint != options.backing &&
      (options.mountpoint + "/").starts_with(options.backing + "/")) {
    std::fprintf(stderr, "%s: the mount point %s lies in %s: it would wait for itself\n", program,
                 options.mountpoint.c_str(), options.backing.c_str());
    return 2;
  }
  if (const int status = CheckSystem(program); status != 0) return status;
  RaiseDescriptorLimit();
  umask(0);  // the kernel has applied the caller's
  const int root = fiber::io::open(options.backing.c_str(), O_PATH | O_DIRECTORY);
  if (root < 0) return Refuse(program, options.backing, root);
  Passthrough files(root, storage, options.kernel);

  std::string name = program;
  std::string dash_o = "-o";
  std::string mount_options = "fsname=" + name + ",subtype=" + name + ",default_permissions";
  if (getuid() == 0)
    mount_options += ",allow_other";  // for others the system's owner must allow it
  char* arguments[] = {name.data(), dash_o.data(), mount_options.data(), nullptr};
  fuse_args args = FUSE_ARGS_INIT(3, arguments);
  fuse_session* session =
      fuse_session_new(&args, &Passthrough::Operations(), sizeof(fuse_lowlevel_ops), &files);
  fuse_opt_free_args(&args);
  if (session == nullptr) {
    std::fprintf(stderr, "%s: libfuse refuses the options %s\n", program, mount_options.c_str());
    return 1;
  }
  int status = 1;
  if (fuse_set_signal_handlers(session) != 0) {
    std::fprintf(stderr, "%s: the signals cannot be handled\n", program);
  } else {
    if (fuse_session_mount(session, options.mountpoint.c_str()) != 0) {
      std::fprintf(stderr,
                   "%s: %s cannot be mounted: it takes root, or the program fusermount3 "
                   "(Debian: fuse3) and a mount point of your own\n",
                   program, options.mountpoint.c_str());
    } else {
      std::printf("%s: %s mounted on %s\n", program, options.backing.c_str(),
                  options.mountpoint.c_str());
      std::fflush(stdout);
      status = fuse_daemonize(options.foreground) == 0 ? Serve(session, options.threads, storage)
                                                       : -EAGAIN;
      fuse_session_unmount(session);
      if (status < 0) Refuse(program, "the session ended", status);
      std::printf("%s", storage->Text().c_str());
      status = status < 0 ? 1 : 0;
    }
    fuse_remove_signal_handlers(session);
  }
  fuse_session_destroy(session);
  return status;
}

}  // namespace slowfs
