#include "kv_load/flags.h"

#include <gflags/gflags.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cmath>
#include <sstream>

DEFINE_string(host, "127.0.0.1", "the server's address or name");
DEFINE_int32(port, 6379, "the server's port");
DEFINE_string(unix, "", "the server's Unix socket, instead of --host and --port");
DEFINE_int32(resp, 2, "version of the protocol: 2, or 3 (asked for by HELLO)");
DEFINE_int32(connections, 50, "1 to 10000, each a fiber");
DEFINE_int32(threads, 1, "OS threads that the connections are spread over");
DEFINE_string(cpu, "", "processors for these threads, such as 1 or 0,1 (empty: any)");
DEFINE_int32(pipeline, 1,
             "1 to 1024: requests that a connection has on the way; a closed loop sends so many "
             "together and waits for all their replies");
DEFINE_uint64(keys, 1000000, "keys that the requests are about");
DEFINE_uint64(key_size, 16, "bytes; the number in big-endian order, then zeros");
DEFINE_uint64(value_size, 100, "bytes");
DEFINE_double(compression_ratio, 0.5, "of the values");
DEFINE_string(distribution, "uniform",
              "of the keys: uniform, zipfian, latest (reads prefer what was written last), "
              "sequential");
DEFINE_double(zipf_theta, 0.99, "skew of zipfian and latest, above 0");
DEFINE_string(command, "mixed",
              "mixed (get and set by --reads), get, set, mget, mset, del, exists, incr, ping, or a "
              "command with {key} and {value} in it, such as 'SETEX {key} 60 {value}'");
DEFINE_double(reads, 0.5, "mixed: the part of the requests that are GET, 0 to 1");
DEFINE_int32(batch, 8, "keys of an mget, mset, del or exists");
DEFINE_bool(load, false, "first SET every key once, pipelined");
DEFINE_double(duration, 10, "seconds; 0: none (with --load: only load)");
DEFINE_uint64(requests, 0, "end after so many requests, instead of --duration");
DEFINE_double(warmup, 0, "seconds of the same before, which are not counted");
DEFINE_double(rate, 0,
              "requests per second of all connections together, by a fixed schedule (open loop): a "
              "latency then begins when the request was due, not when it could be sent. 0: each "
              "connection sends when it has its replies (closed loop)");
DEFINE_double(timeout, 30,
              "seconds without a reply after which a connection is given up, and in which a lost "
              "one must come back");
DEFINE_bool(verify, false, "check that each GET and MGET answers with the key's value");
DEFINE_int32(pid, 0, "the server's process, to tell its processor time and memory");
DEFINE_string(json, "", "write the figures to this file, too");
DEFINE_bool(progress, true, "tell each second how it goes");
DEFINE_uint64(seed, 1, "of the random numbers");

namespace kv_load {
namespace {

constexpr int kMostConnections = 10000;
constexpr int kMostPipeline = 1024;
constexpr int kMostThreads = 64;
constexpr double kLongestSeconds = 1e7;
constexpr uint64_t kLargestValue = uint64_t{512} << 20;  // of the protocol
constexpr uint64_t kLargestKey = 65536;
constexpr int kLargestBatch = 10000;

uint64_t Nanos(double seconds) { return static_cast<uint64_t>(seconds * 1e9); }

bool Resolve(const std::string& host, int port, fiber::net::Address* address, std::string* error) {
  if (fiber::net::Address::parse(host, static_cast<uint16_t>(port), address) == 0) return true;
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status = getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (status != 0) {
    *error = "--host=" + host + ": " + gai_strerror(status);
    return false;
  }
  char numeric[NI_MAXHOST];
  const int named = getnameinfo(found->ai_addr, found->ai_addrlen, numeric, sizeof(numeric),
                                nullptr, 0, NI_NUMERICHOST);
  freeaddrinfo(found);
  if (named == 0 &&
      fiber::net::Address::parse(numeric, static_cast<uint16_t>(port), address) == 0) {
    return true;
  }
  *error = "--host=" + host + ": no address of it can be used";
  return false;
}

bool ReadServer(Plan* plan, std::string* error) {
  if (!FLAGS_unix.empty()) {
    plan->server_name = FLAGS_unix;
    if (fiber::net::Address::unix_path(FLAGS_unix, &plan->server) == 0) return true;
    *error = "--unix: the path is longer than 107 bytes";
    return false;
  }
  if (FLAGS_port < 1 || FLAGS_port > 65535) {
    *error = "--port must be 1 to 65535";
    return false;
  }
  if (!Resolve(FLAGS_host, FLAGS_port, &plan->server, error)) return false;
  plan->server_name = plan->server.to_string();
  return true;
}

bool ReadCpus(std::vector<int>* cpus, std::string* error) {
  std::istringstream list(FLAGS_cpu);
  for (std::string one; std::getline(list, one, ',');) {
    if (one.empty() || one.size() > 5 || one.find_first_not_of("0123456789") != std::string::npos) {
      *error = "--cpu must be numbers with commas between, such as 0,1";
      return false;
    }
    cpus->push_back(std::stoi(one));
  }
  return true;
}

bool ReadDistribution(Plan* plan, std::string* error) {
  plan->distribution_name = FLAGS_distribution;
  plan->zipf_theta = FLAGS_zipf_theta;
  if (FLAGS_distribution == "uniform") {
    plan->distribution = Distribution::kUniform;
  } else if (FLAGS_distribution == "zipfian") {
    plan->distribution = Distribution::kZipfian;
  } else if (FLAGS_distribution == "latest") {
    plan->distribution = Distribution::kLatest;
  } else if (FLAGS_distribution == "sequential") {
    plan->distribution = Distribution::kSequential;
  } else {
    *error = "--distribution must be uniform, zipfian, latest or sequential";
    return false;
  }
  return true;
}

bool ReadCommands(Plan* plan, std::string* error) {
  const auto parse = [&](const std::string& text, Command* command) {
    return Command::Parse(text, plan->key_size, plan->value_size, command, error);
  };
  if (!parse(NamedCommand("set", 1), &plan->load_command)) return false;
  plan->command_name = FLAGS_command;
  if (FLAGS_command == "mixed") {
    plan->kind_names[0] = "get";
    plan->kind_names[1] = "set";
    plan->first_below = FLAGS_reads >= 1 ? UINT64_MAX : static_cast<uint64_t>(FLAGS_reads * 0x1p64);
    return parse(NamedCommand("get", 1), &plan->commands[0]) &&
           parse(NamedCommand("set", 1), &plan->commands[1]);
  }
  std::string text = NamedCommand(FLAGS_command, FLAGS_batch);
  if (text.empty()) text = FLAGS_command;
  if (text.find(' ') == std::string::npos && text != "PING") {
    *error = "--command=" + FLAGS_command + " is no name that --help lists, and has no {key}";
    return false;
  }
  return parse(text, &plan->commands[0]);
}

// Of each number whether it is within its limits; null if all are.
const char* WrongNumber() {
  const auto is_time = [](double seconds) { return seconds >= 0 && seconds <= kLongestSeconds; };
  if (FLAGS_resp != 2 && FLAGS_resp != 3) return "--resp must be 2 or 3";
  if (FLAGS_connections < 1 || FLAGS_connections > kMostConnections) {
    return "--connections must be 1 to 10000";
  }
  if (FLAGS_threads < 1 || FLAGS_threads > kMostThreads) return "--threads must be 1 to 64";
  if (FLAGS_pipeline < 1 || FLAGS_pipeline > kMostPipeline) return "--pipeline must be 1 to 1024";
  if (FLAGS_keys < 1 || FLAGS_keys > uint64_t{1} << 40) return "--keys must be 1 to 2^40";
  if (FLAGS_key_size < 1 || FLAGS_key_size > kLargestKey) return "--key_size must be 1 to 65536";
  if (FLAGS_key_size < 8 && FLAGS_keys > uint64_t{1} << (8 * FLAGS_key_size)) {
    return "--key_size is too small to tell so many --keys apart";
  }
  if (FLAGS_value_size > kLargestValue) return "--value_size must be at most 512 MiB";
  if (!(FLAGS_compression_ratio >= 0 && FLAGS_compression_ratio <= 1)) {
    return "--compression_ratio must be 0 to 1";
  }
  if (!(FLAGS_zipf_theta > 0 && FLAGS_zipf_theta <= 10)) {
    return "--zipf_theta must be above 0 and at most 10";
  }
  if (!(FLAGS_reads >= 0 && FLAGS_reads <= 1)) return "--reads must be 0 to 1";
  if (FLAGS_batch < 1 || FLAGS_batch > kLargestBatch) return "--batch must be 1 to 10000";
  if (!is_time(FLAGS_duration)) return "--duration must be 0 to 1e7 seconds";
  if (!is_time(FLAGS_warmup)) return "--warmup must be 0 to 1e7 seconds";
  if (!is_time(FLAGS_timeout) || FLAGS_timeout == 0) {
    return "--timeout must be above 0 and at most 1e7 seconds";
  }
  if (!(FLAGS_rate >= 0 && FLAGS_rate <= 1e9)) return "--rate must be 0 to 1e9";
  if (FLAGS_pid < 0) return "--pid must be a process";
  if (FLAGS_duration == 0 && FLAGS_requests == 0 && !FLAGS_load) {
    return "--duration=0 without --requests or --load: nothing to do";
  }
  return nullptr;
}

}  // namespace

bool ReadFlags(Plan* plan, std::string* error) {
  if (const char* const wrong = WrongNumber()) {
    *error = wrong;
    return false;
  }
  plan->resp = FLAGS_resp;
  plan->connections = FLAGS_connections;
  plan->threads = std::min(FLAGS_threads, FLAGS_connections);
  plan->pipeline = FLAGS_pipeline;
  plan->seed = FLAGS_seed;
  plan->keys = FLAGS_keys;
  plan->key_size = FLAGS_key_size;
  plan->value_size = FLAGS_value_size;
  plan->compression_ratio = FLAGS_compression_ratio;
  plan->load = FLAGS_load;
  plan->verify = FLAGS_verify;
  plan->duration_nanos = Nanos(FLAGS_duration);
  plan->warmup_nanos = Nanos(FLAGS_warmup);
  plan->requests = FLAGS_requests;
  plan->rate = FLAGS_rate;
  plan->timeout_nanos = Nanos(FLAGS_timeout);
  plan->pid = FLAGS_pid;
  plan->json = FLAGS_json;
  plan->progress = FLAGS_progress;
  if (!ReadDistribution(plan, error) || !ReadCommands(plan, error) ||
      !ReadCpus(&plan->cpus, error) || !ReadServer(plan, error)) {
    return false;
  }
  if (plan->verify && !plan->commands[0].returns_values()) {
    *error = "--verify checks the answers of GET and MGET only, not of --command=" + FLAGS_command;
    return false;
  }
  return true;
}

}  // namespace kv_load
