#include "slowfs/device.h"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <functional>
#include <utility>

#include "fiber/clock.h"
#include "fiber/random.h"

namespace slowfs {
namespace {

constexpr uint64_t kNanosPerMicro = 1000;

}  // namespace

Device::Device(const Delays& delays, uint64_t max_parallel)
    : max_parallel_(max_parallel), delays_(delays), slots_(max_parallel, 0) {}

void Device::Start() {
  thread_ = fiber::Thread("slowfs-answers", [this] { SendAnswers(); });
}

void Device::Stop() {
  {
    fiber::MutexLock lock(&mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

uint64_t Device::DelayNanos(Kind kind) const {
  switch (kind) {
    case Kind::kRead: {
      const uint64_t jitter = delays_.read_jitter * kNanosPerMicro;
      return delays_.read * kNanosPerMicro + (jitter ? fiber::random_u64() % (jitter + 1) : 0);
    }
    case Kind::kWrite:
      return delays_.write * kNanosPerMicro;
    case Kind::kSync:
      return delays_.sync * kNanosPerMicro;
  }
  return 0;
}

Device::Request Device::Arrive(Kind kind) {
  fiber::MutexLock lock(&mutex_);
  Request request{kind, fiber::now_nanos(), 0, 0, epoch_};
  const uint64_t delay = DelayNanos(kind);
  request.due = request.arrived + delay;
  if (max_parallel_ > 0 && delay > 0) {
    std::pop_heap(slots_.begin(), slots_.end(), std::greater<>());
    request.due = std::max(request.arrived, slots_.back()) + delay;
    slots_.back() = request.due;
    std::push_heap(slots_.begin(), slots_.end(), std::greater<>());
  }
  if (kind == Kind::kRead) {
    ++counts_.reads;
    counts_.max_reads_in_flight = std::max(counts_.max_reads_in_flight, ++reads_in_flight_);
    request.depth = counts_.answered_depth + 1;
    counts_.rounds = std::max(counts_.rounds, request.depth);
  }
  return request;
}

void Device::Finish(const Request& request, uint64_t bytes, fiber::Function answer) {
  {
    fiber::MutexLock lock(&mutex_);
    if (request.epoch == epoch_) {
      if (request.kind == Kind::kRead) {
        counts_.read_bytes += bytes;
      } else if (request.kind == Kind::kWrite) {
        ++counts_.writes;
        counts_.write_bytes += bytes;
      } else {
        ++counts_.syncs;
      }
    }
    if (request.due > fiber::now_nanos() && !stopped_) {
      const bool earliest = queue_.empty() || request.due < queue_.front().due;
      queue_.push_back({request.due, order_++, request, std::move(answer)});
      std::push_heap(queue_.begin(), queue_.end());
      if (earliest) changed_.notify_one();
      return;
    }
    Answered(request);
  }
  answer();
}

// Before the answer is sent: a read that the client makes because of it finds it counted.
void Device::Answered(const Request& request) {
  if (request.kind != Kind::kRead) return;
  --reads_in_flight_;
  if (request.epoch != epoch_) return;
  ++counts_.answered_reads;
  counts_.read_nanos += fiber::now_nanos() - request.arrived;
  counts_.answered_depth = std::max(counts_.answered_depth, request.depth);
}

void Device::Run(const Operation& operation, const Act& act, Answer answer) {
  Kind kind;
  switch (operation.kind) {
    case Operation::Kind::kRead:
      kind = Kind::kRead;
      break;
    case Operation::Kind::kWrite:
      kind = Kind::kWrite;
      break;
    case Operation::Kind::kFsync:
    case Operation::Kind::kFdatasync:
    case Operation::Kind::kSyncDir:
      kind = Kind::kSync;
      break;
    default:
      answer(act(operation.size));
      return;
  }
  const Request request = Arrive(kind);
  const int64_t result = act(operation.size);
  Finish(request, result < 0 ? 0 : static_cast<uint64_t>(result),
         [result, answer = std::move(answer)] { answer(result); });
}

void Device::SendAnswers() {
  // The kernel may let a thread sleep 50 µs longer than asked; not this one.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  fiber::MutexLock lock(&mutex_);
  for (;;) {
    if (queue_.empty()) {
      if (stopped_) return;
      changed_.wait(&mutex_);
      continue;
    }
    const uint64_t due = queue_.front().due;
    if (!stopped_ && fiber::now_nanos() < due) {
      (void)changed_.wait_until(&mutex_, due);
      continue;
    }
    std::pop_heap(queue_.begin(), queue_.end());
    Pending pending = std::move(queue_.back());
    queue_.pop_back();
    Answered(pending.request);
    lock.unlock();
    pending.answer();
    lock.lock();
  }
}

std::string Device::Text() {
  fiber::MutexLock lock(&mutex_);
  const uint64_t answered = std::max<uint64_t>(counts_.answered_reads, 1);
  const std::pair<const char*, uint64_t> lines[] = {
      {"reads", counts_.reads},  // that arrived
      {"read_bytes", counts_.read_bytes},
      {"reads_in_flight", reads_in_flight_},
      {"max_reads_in_flight", counts_.max_reads_in_flight},
      {"rounds", counts_.rounds},
      // From the arrival to the answer, the mean of those that were answered.
      {"mean_read_us", counts_.read_nanos / answered / kNanosPerMicro},
      {"writes", counts_.writes},
      {"write_bytes", counts_.write_bytes},
      {"syncs", counts_.syncs},
      {"delay", delays_.read},
      {"jitter", delays_.read_jitter},
      {"write_delay", delays_.write},
      {"sync_delay", delays_.sync},
      {"parallel", max_parallel_},
  };
  std::string text;
  for (const auto& [name, value] : lines) {
    text.append(name).append(" ").append(std::to_string(value)).append("\n");
  }
  return text;
}

int Device::Command(std::string_view line) {
  fiber::MutexLock lock(&mutex_);
  if (line == "reset") {
    ++epoch_;
    counts_ = Counts{};
    return 0;
  }
  const std::pair<std::string_view, uint64_t*> settings[] = {
      {"delay ", &delays_.read},
      {"jitter ", &delays_.read_jitter},
      {"write_delay ", &delays_.write},
      {"sync_delay ", &delays_.sync},
  };
  for (const auto& [name, setting] : settings) {
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.begin(), line.end(), value);
    if (error != std::errc() || end != line.end() || value > Delays::kMaxDelay) return -EINVAL;
    *setting = value;
    return 0;
  }
  return -EINVAL;
}

}  // namespace slowfs
