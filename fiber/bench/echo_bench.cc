// Echo servers side by side: what a request costs on one core.
//
//   echo_bench [--connections=1000] [--message=64] [--rounds=5] [--seconds=1] [--streaming]
//              [--servers=epoll,fiber,...] [--server-cpu=0] [--load-cpu=1]
//
// Each server is a process of its own, pinned to one processor; the load comes from this process,
// pinned to another. The servers take turns (A B C, A B C, ...), so that what else happens on the
// machine hits all of them; the table holds medians over the rounds. CPU is the server's process
// CPU clock over the measured time; system calls are the kernel's count of the server's threads
// (perf's tracepoint raw_syscalls:sys_enter) in a short time of their own, because counting costs
// something; without the right to count the column says "-".
#include <arpa/inet.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "echo_epoll.h"
#include "echo_load.h"
#include "echo_servers.h"
#include "fiber/clock.h"
#include "fiber/io.h"

namespace fiber::bench {
namespace {

struct Server {
  const char* name;
  void (*serve)(int listener, size_t buffer_size);
  bool can_stream;
};

constexpr Server kServers[] = {
    {"epoll", echo_epoll, true},        {"threads", echo_threads, true},
    {"ring", echo_ring, true},          {"ring-multishot", echo_ring_multishot, false},
    {"fiber", echo_fibers_uring, true}, {"fiber-epoll", echo_fibers_epoll, true},
};

struct Options {
  int connections = 0;  // 0: 1000, or 8 when streaming
  size_t message = 0;   // 0: 64 bytes, or 64 KiB when streaming
  int rounds = 5;
  double seconds = 1;
  bool streaming = false;
  int server_cpu = 0;
  int load_cpu = 1;
  std::string servers = "epoll,threads,ring,ring-multishot,fiber,fiber-epoll";
};

struct Sample {
  double per_second = 0;  // requests, or MB when streaming
  double cpu = 0;         // us per request, or per MB
  double calls = -1;      // system calls per request, or per MB
};

[[noreturn]] void usage(int status) {
  std::printf(
      "echo_bench: echo servers side by side, each on one core\n"
      "  --connections=N   (1000; 8 with --streaming)\n"
      "  --message=BYTES   of a request (64; 65536 with --streaming)\n"
      "  --streaming       send without waiting for the answers; figures are per MB\n"
      "  --rounds=N        (5)\n"
      "  --seconds=S       measured per server and round (1)\n"
      "  --servers=LIST    of epoll,threads,ring,ring-multishot,fiber,fiber-epoll\n"
      "  --server-cpu=N --load-cpu=N   (0 and 1)\n");
  std::exit(status);
}

bool value_of(const char* argument, const char* name, const char** value) {
  const size_t size = std::strlen(name);
  if (std::strncmp(argument, name, size) != 0 || argument[size] != '=') return false;
  *value = argument + size + 1;
  return true;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const char* v;
    if (value_of(argv[i], "--connections", &v)) {
      options.connections = std::atoi(v);
    } else if (value_of(argv[i], "--message", &v)) {
      options.message = static_cast<size_t>(std::atol(v));
    } else if (value_of(argv[i], "--rounds", &v)) {
      options.rounds = std::atoi(v);
    } else if (value_of(argv[i], "--seconds", &v)) {
      options.seconds = std::atof(v);
    } else if (value_of(argv[i], "--servers", &v)) {
      options.servers = v;
    } else if (value_of(argv[i], "--server-cpu", &v)) {
      options.server_cpu = std::atoi(v);
    } else if (value_of(argv[i], "--load-cpu", &v)) {
      options.load_cpu = std::atoi(v);
    } else if (std::strcmp(argv[i], "--streaming") == 0) {
      options.streaming = true;
    } else if (std::strcmp(argv[i], "--help") == 0) {
      usage(0);
    } else {
      std::fprintf(stderr, "echo_bench: %s is not an option\n", argv[i]);
      usage(2);
    }
  }
  if (options.connections <= 0) options.connections = options.streaming ? 8 : 1000;
  if (options.message == 0) options.message = options.streaming ? size_t{64} << 10 : 64;
  if (options.rounds <= 0 || options.seconds <= 0) usage(2);
  return options;
}

void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof(set), &set) != 0) std::perror("echo_bench: pinning");
}

int listen_anywhere(uint16_t* port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (::bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(fd, 4096) != 0 ||
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("echo_bench: listening");
    std::exit(1);
  }
  *port = ntohs(address.sin_port);
  return fd;
}

std::vector<std::string> threads_of(pid_t pid) {
  std::vector<std::string> names;
  io::list_dir(("/proc/" + std::to_string(pid) + "/task").c_str(), &names);
  return names;
}

// Counts the system calls of all threads that the process has now.
class CallCounter {
 public:
  explicit CallCounter(pid_t pid) {
    FILE* file = std::fopen("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "r");
    unsigned long long id = 0;
    if (file == nullptr) return;
    if (std::fscanf(file, "%llu", &id) != 1) id = 0;
    std::fclose(file);
    perf_event_attr attributes = {};
    attributes.type = PERF_TYPE_TRACEPOINT;
    attributes.size = sizeof(attributes);
    attributes.config = id;
    for (const std::string& thread : threads_of(pid)) {
      const long fd = ::syscall(SYS_perf_event_open, &attributes, std::atoi(thread.c_str()), -1, -1,
                                PERF_FLAG_FD_CLOEXEC);
      if (fd < 0) {
        failed_ = true;
        return;
      }
      events_.push_back(static_cast<int>(fd));
    }
  }
  ~CallCounter() {
    for (int fd : events_) ::close(fd);
  }
  bool works() const { return !failed_ && !events_.empty(); }
  uint64_t count() const {
    uint64_t sum = 0;
    for (int fd : events_) {
      uint64_t value = 0;
      if (::read(fd, &value, sizeof(value)) == sizeof(value)) sum += value;
    }
    return sum;
  }

 private:
  std::vector<int> events_;
  bool failed_ = false;
};

uint64_t cpu_nanos(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

bool measure(const Server& server, const Options& options, Sample* sample) {
  uint16_t port;
  const int listener = listen_anywhere(&port);
  const size_t buffer_size =
      options.streaming ? size_t{64} << 10 : std::max<size_t>(options.message, 4096);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    pin(options.server_cpu);
    server.serve(listener, buffer_size);
    std::_Exit(1);
  }
  ::close(listener);
  bool works = false;
  {
    EchoLoad load(port, options.connections, options.message, options.streaming);
    clockid_t clock;
    const auto nanos = static_cast<uint64_t>(options.seconds * 1e9);
    if (load.connected() && ::clock_getcpuclockid(child, &clock) == 0 && load.run(nanos / 4) >= 0) {
      const double unit = options.streaming ? 1e6 : static_cast<double>(options.message);
      const uint64_t cpu_before = cpu_nanos(clock), before = now_nanos();
      const int64_t bytes = load.run(nanos);
      const double wall = static_cast<double>(now_nanos() - before) * 1e-9;
      const double cpu = static_cast<double>(cpu_nanos(clock) - cpu_before) * 1e-3;
      const double units = static_cast<double>(bytes) / unit;
      works = bytes > 0;
      sample->per_second = units / wall;
      sample->cpu = cpu / units;
      CallCounter counter(child);
      if (works && counter.works()) {
        const uint64_t calls_before = counter.count();
        const double more = static_cast<double>(load.run(nanos / 4)) / unit;
        sample->calls = static_cast<double>(counter.count() - calls_before) / more;
      }
    }
  }
  ::kill(child, SIGKILL);
  int status;
  ::waitpid(child, &status, 0);
  return works;
}

template <class Field>
double median(const std::vector<Sample>& samples, Field field) {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(field(s));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  rlimit files;
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (::access("/sys/kernel/tracing/events", F_OK) != 0)
    (void)::mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, nullptr);

  std::vector<const Server*> servers;
  for (const Server& s : kServers) {
    const std::string list = "," + options.servers + ",";
    if (list.find("," + std::string(s.name) + ",") == std::string::npos) continue;
    if (options.streaming && !s.can_stream) continue;
    servers.push_back(&s);
  }
  pin(options.load_cpu);
  std::vector<std::vector<Sample>> samples(servers.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = 0; i < servers.size(); ++i) {
      Sample sample;
      if (!measure(*servers[i], options, &sample)) {
        std::fprintf(stderr, "echo_bench: the server %s broke off\n", servers[i]->name);
        return 1;
      }
      samples[i].push_back(sample);
    }
  }
  const char* const unit = options.streaming ? "MB" : "request";
  std::printf("%d connections, %zu bytes, %s, %d rounds of %.1f s, medians\n", options.connections,
              options.message, options.streaming ? "streaming" : "ping-pong", options.rounds,
              options.seconds);
  std::printf("%-16s %12s %14s %14s %18s %16s\n", "server",
              options.streaming ? "MB/s" : "requests/s", (std::string("CPU us/") + unit).c_str(),
              (std::string("calls/") + unit).c_str(), "CPU / first one's", "(min .. max)");
  for (size_t i = 0; i < servers.size(); ++i) {
    // Of each round by itself, then the median: the machine's weather goes out.
    std::vector<Sample> ratios = samples[i];
    for (size_t r = 0; r < ratios.size(); ++r) ratios[r].cpu /= samples[0][r].cpu;
    auto cpu = [](const Sample& s) { return s.cpu; };
    auto [least, most] =
        std::minmax_element(ratios.begin(), ratios.end(),
                            [](const Sample& a, const Sample& b) { return a.cpu < b.cpu; });
    const double calls = median(samples[i], [](const Sample& s) { return s.calls; });
    std::printf("%-16s %12.0f %14.3f ", servers[i]->name,
                median(samples[i], [](const Sample& s) { return s.per_second; }),
                median(samples[i], cpu));
    if (calls < 0) {
      std::printf("%14s", "-");
    } else {
      std::printf("%14.4f", calls);
    }
    std::printf(" %18.3f %8.3f .. %.3f\n", median(ratios, cpu), least->cpu, most->cpu);
  }
  return 0;
}

}  // namespace
}  // namespace fiber::bench

int main(int argc, char** argv) { return fiber::bench::main(argc, argv); }
