#include "kv_load/load.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "fiber/clock.h"
#include "fiber/mutex.h"

namespace kv_load {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;       // ns
constexpr uint64_t kPatienceCheck = 250'000'000;  // ns
constexpr rlim_t kOtherDescriptors = 200;         // rings, pipes, the library's
constexpr int kConnectors = 32;                   // of each worker; a backlog is limited
constexpr unsigned long kTimerSlackNanos = 1;     // the system's 50 us would make a schedule late

bool RaiseDescriptorLimit(int connections, std::string* error) {
  const rlim_t needed = static_cast<rlim_t>(connections) + kOtherDescriptors;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return true;
  rlimit raised = limit;
  raised.rlim_cur = needed;
  raised.rlim_max = std::max(limit.rlim_max, needed);
  if (setrlimit(RLIMIT_NOFILE, &raised) == 0) return true;
  *error = std::to_string(connections) + " connections need " + std::to_string(needed) +
           " descriptors and this process may have " + std::to_string(limit.rlim_max) +
           ": raise the limit (ulimit -n, as root also ulimit -Hn)";
  return false;
}

const char* NameOf(Phase::Kind kind) {
  switch (kind) {
    case Phase::Kind::kLoad:
      return "load";
    case Phase::Kind::kWarmUp:
      return "warm-up";
    case Phase::Kind::kMeasure:
      return "run";
  }
  return "";
}

}  // namespace

Load::Load(const Plan* plan)
    : plan_(plan), space_(plan->keys, plan->distribution, plan->zipf_theta) {}

Load::~Load() {
  if (runtime_ == nullptr) return;
  for (fiber::JoinHandle& handle : Spawn([this](int i) { connections_[i]->Close(); }, 1)) {
    handle.join();
  }
}

std::vector<fiber::JoinHandle> Load::Spawn(const std::function<void(int)>& work, int fibers) {
  std::vector<fiber::JoinHandle> handles;
  const int step = plan_->threads * fibers;
  for (int first = 0; first < std::min(step, plan_->connections); ++first) {
    fiber::SpawnOptions options;
    options.worker = first % plan_->threads;
    handles.push_back(runtime_->spawn(options, [this, work, first, step] {
      for (int i = first; i < plan_->connections; i += step) work(i);
    }));
  }
  return handles;
}

std::string Load::Explain(int status, const std::string& answer) const {
  const std::string where = plan_->server_name;
  if (!answer.empty()) return where + " answered HELLO 3 with: " + answer + " (--resp=2 is older)";
  switch (-status) {
    case ECONNREFUSED:
      return where +
             " refuses connections: no server listens there. Start it (cairn-server, or "
             "redis-server), or say where it is with --host and --port, or --unix";
    case ENOENT:
      return where +
             ": no such socket. Start the server so that it makes it, or give another "
             "--unix";
    case EACCES:
      return where + ": this user may not connect to the socket";
    case ETIMEDOUT:
      return where +
             " does not answer within --timeout: is the address right, is the server "
             "stopped?";
    case EADDRNOTAVAIL:
      return where +
             ": no free local ports: fewer --connections, a wider "
             "net.ipv4.ip_local_port_range, or --unix";
    case ECONNRESET:
      return where + " closes connections at once: has it a limit on them?";
    case EMFILE:
    case ENFILE:
      return where + ": no descriptors are left: raise the limit (ulimit -n)";
    default:
      return where + ": " + std::strerror(-status);
  }
}

bool Load::Connect(std::string* error) {
  if (!RaiseDescriptorLimit(plan_->connections, error)) return false;
  // The workers inherit it.
  prctl(PR_SET_TIMERSLACK, kTimerSlackNanos);
  fiber::RuntimeOptions options;
  // What else runs here is not to count as the server's latency.
  options.slice_nanos = 100'000;
  options.workers = plan_->threads;
  options.cpus = plan_->cpus;
  options.name = "load";
  if (fiber::Runtime::create(options, &runtime_, error) != 0) return false;
  for (int i = 0; i < plan_->threads; ++i) workers_.push_back(std::make_unique<Worker>(*plan_, i));
  for (int i = 0; i < plan_->connections; ++i) {
    Worker* const worker = workers_[static_cast<size_t>(i % plan_->threads)].get();
    connections_.push_back(std::make_unique<Connection>(plan_, &space_, worker, i));
  }
  fiber::Mutex mutex;
  int failed = 0;
  std::string answer;
  for (fiber::JoinHandle& handle : Spawn(
           [&](int i) {
             std::string told;
             const int status = connections_[static_cast<size_t>(i)]->Open(&told);
             if (status == 0) return;
             fiber::MutexLock lock(&mutex);
             failed = status;
             answer = told;
           },
           kConnectors)) {
    handle.join();
  }
  if (failed != 0) *error = Explain(failed, answer);
  return failed == 0;
}

void Load::Run(Phase* phase, PhaseResult* result) {
  for (auto& worker : workers_) worker->tally = std::make_unique<Tally>();
  fiber::Latch running(static_cast<uint32_t>(plan_->connections));
  fiber::Event over;
  const uint64_t duration = phase->end;
  const uint64_t cpu = fiber::process_cpu_nanos();
  phase->start = fiber::now_nanos();
  if (duration != UINT64_MAX) phase->end = phase->start + duration;
  std::vector<fiber::JoinHandle> handles = Spawn(
      [&](int i) {
        connections_[static_cast<size_t>(i)]->Run(phase);
        running.count_down();
      },
      plan_->connections);
  for (int worker = 0; worker < plan_->threads; ++worker) {
    fiber::SpawnOptions options;
    options.worker = worker;
    handles.push_back(runtime_->spawn(options, [this, &over, worker] {
      while (!over.wait_until(fiber::deadline_after(kPatienceCheck))) {
        const uint64_t now = fiber::now_nanos();
        for (auto i = static_cast<size_t>(worker); i < connections_.size();
             i += static_cast<size_t>(plan_->threads)) {
          connections_[i]->CheckPatience(now);
        }
      }
    }));
  }
  Watch(*phase, &running, result);
  over.set();
  for (fiber::JoinHandle& handle : handles) handle.join();
  result->cpu_seconds = static_cast<double>(fiber::process_cpu_nanos() - cpu) / 1e9;
  for (const auto& worker : workers_) {
    result->tally.Merge(*worker->tally);
    if (result->tally.first_error.empty()) result->tally.first_error = worker->tally->first_error;
  }
  uint64_t end = std::max(result->tally.last_reply.value(), phase->start + 1);
  if (duration != UINT64_MAX) end = std::max(end, phase->end);
  result->seconds = static_cast<double>(end - phase->start) / 1e9;
}

void Load::Watch(const Phase& phase, fiber::Latch* running, PhaseResult* result) {
  auto all = std::make_unique<bench::FineLatency>();
  uint64_t replies = 0;
  uint64_t second = 1;
  for (bool ended = false; !ended; ++second) {
    ended = running->wait_until(phase.start + second * kSecond);
    auto now_all = std::make_unique<bench::FineLatency>();
    uint64_t now_replies = 0;
    uint64_t errors = 0;
    uint64_t disconnects = 0;
    for (const auto& worker : workers_) {
      const Tally& tally = *worker->tally;
      for (const KindTally& kind : tally.kinds) now_all->Merge(kind.latency);
      now_replies += tally.replies();
      errors += tally.errors.value();
      disconnects += tally.disconnects.value() + tally.timeouts.value();
    }
    const uint64_t came = now_replies - replies;
    replies = now_replies;
    result->per_second.push_back(came);
    if (!plan_->progress || ended) continue;
    auto in_second = std::make_unique<bench::FineLatency>();
    in_second->Merge(*now_all);
    in_second->Subtract(*all);
    all = std::move(now_all);
    std::fprintf(stderr,
                 "%s %4" PRIu64 " s  %9" PRIu64 " ops/s  p99 %.0f us  errors %" PRIu64
                 "  disconnects %" PRIu64 "\n",
                 NameOf(phase.kind), second, came, in_second->PercentileMicros(0.99), errors,
                 disconnects);
  }
}

}  // namespace kv_load
