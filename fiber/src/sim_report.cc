#include "sim_report.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "parking_lot.h"
#include "simulator.h"
#include "worker.h"

namespace fiber::detail {
namespace {

constexpr int kMaxFrames = 24;

bool on_stack(const void* address, const Stack& stack) {
  return address >= stack.bottom && address < stack.top;
}

// Where the frame pointer and the address to return to are in what switch_stack() saved.
void saved_frame(const void* stack_pointer, uintptr_t* frame, uintptr_t* code) {
  const auto* words = static_cast<const uintptr_t*>(stack_pointer);
#if defined(__x86_64__)
  *frame = words[5];
  *code = words[6];
#else
  *frame = words[18];
  *code = words[19];
#endif
}

std::string symbol(uintptr_t code) {
  Dl_info info;
  char text[64];
  if (dladdr(reinterpret_cast<void*>(code), &info) == 0 || info.dli_fname == nullptr) return "?";
  const char* name = strrchr(info.dli_fname, '/');
  name = name != nullptr ? name + 1 : info.dli_fname;
  snprintf(text, sizeof(text), "+0x%" PRIxPTR, code - reinterpret_cast<uintptr_t>(info.dli_fbase));
  std::string result = std::string(name) + text;
  if (info.dli_sname != nullptr) {
    int status = 0;
    char* readable = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    result += std::string(" ") + (readable != nullptr ? readable : info.dli_sname);
    free(readable);
  }
  return result;
}

}  // namespace

SimReport::SimReport(Simulator* simulator) : simulator_(simulator) { collect_parked(); }

void SimReport::line(const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof(buffer), format, arguments);
  va_end(arguments);
  text_ += buffer;
  text_ += '\n';
}

void SimReport::collect_parked() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  for (Bucket& bucket : g_buckets) {
    bucket.lock.lock();
    for (Parked* leader = bucket.leaders; leader != nullptr; leader = leader->next_leader) {
      Parked* parked = leader;
      do {
        bool ours = false;
        if (const Fiber* fiber = parked->fiber()) {
          auto found = simulator_->fibers_.find(fiber->sim_number);
          ours = found != simulator_->fibers_.end() && found->second == fiber;
        } else {
          for (const auto& [number, thread] : simulator_->threads_)
            ours = ours || on_stack(parked, *thread->stack);
        }
        if (ours) parked_.push_back(parked);
        parked = parked->next;
      } while (parked != leader);
    }
    bucket.lock.unlock();
  }
}

void SimReport::unpark_all() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  for (Parked* parked : parked_) {
    Bucket* const bucket = bucket_of(parked->address);
    bucket->lock.lock();
    if (parked->queued) bucket->remove(parked);
    bucket->lock.unlock();
  }
}

const Parked* SimReport::parked_of(const SimThread& thread) const {
  for (const Parked* parked : parked_) {
    if (parked->fiber() == nullptr && on_stack(parked, *thread.stack)) return parked;
  }
  return nullptr;
}

const Parked* SimReport::parked_of(const Fiber& fiber) const {
  for (const Parked* parked : parked_) {
    if (parked->fiber() == &fiber) return parked;
  }
  return nullptr;
}

unsigned SimReport::number_of(const void* address) {
  return numbers_.emplace(address, static_cast<unsigned>(numbers_.size()) + 1).first->second;
}

std::string SimReport::text(SimulationResult::Status status) {
  line("simulation with seed %" PRIu64 ": %s, after %" PRIu64 " steps and %" PRIu64 ".%09" PRIu64
       " s",
       simulator_->options_.seed, to_string(status), simulator_->steps_,
       (simulator_->now_ - Simulator::kStartNanos) / 1000000000,
       (simulator_->now_ - Simulator::kStartNanos) % 1000000000);
  if (simulator_->foreign_wakes_ != 0) {
    line("  %" PRIu64
         " wake-ups crossed between the simulation and threads outside: not repeatable",
         simulator_->foreign_wakes_);
  }
  for (const auto& [number, thread] : simulator_->threads_) describe_thread(*thread);
  for (const auto& [number, fiber] : simulator_->fibers_) describe_fiber(*fiber);
  return std::move(text_);
}

void SimReport::describe_parked(const Parked& parked) {
  line("    waits in %s, at address #%u", parked.what, number_of(parked.address));
}

void SimReport::describe_thread(const SimThread& thread) {
  const Worker* const worker = thread.worker;
  line("  thread %u '%s'%s", thread.number, thread.name.c_str(),
       thread.state == SimThread::State::kReady           ? ": ready"
       : worker != nullptr && worker->current_ == nullptr ? ": a worker without ready fibers"
                                                          : "");
  if (thread.state == SimThread::State::kBlocked && thread.deadline != kNoDeadline) {
    line("    until %" PRIu64 " ns, now %" PRIu64, thread.deadline - Simulator::kStartNanos,
         simulator_->now_ - Simulator::kStartNanos);
  }
  if (const Parked* parked = parked_of(thread)) describe_parked(*parked);
  if (worker != nullptr && worker->current_ == nullptr) return;
  if (worker != nullptr) {
    line("    runs fiber %u", worker->current_->sim_number);
    backtrace(thread.context, *worker->current_->stack);
  } else {
    backtrace(thread.context, *thread.stack);
  }
}

void SimReport::describe_fiber(const Fiber& fiber) {
  const Worker* const worker = fiber.worker;
  if (worker != nullptr && worker->current_ == &fiber) return;  // with its thread
  const SimThread* at = nullptr;
  for (const auto& [number, thread] : simulator_->threads_) {
    if (worker != nullptr && thread->worker == worker) at = thread.get();
  }
  line("  fiber %u on thread %d '%s'%s", fiber.sim_number,
       at != nullptr ? static_cast<int>(at->number) : -1, at != nullptr ? at->name.c_str() : "",
       fiber.stack == nullptr ? ": not started" : "");
  if (const Parked* parked = parked_of(fiber)) describe_parked(*parked);
  for (const auto& [number, other] : simulator_->fibers_) {
    if ((other->end.load(std::memory_order_relaxed) & Fiber::kJoining) != 0 &&
        other->joiner->fiber() == &fiber) {
      line("    joins fiber %u", number);
    }
  }
  if (fiber.stack != nullptr) backtrace(fiber.stack->context, *fiber.stack);
}

// By frame pointers; ends where code without them was compiled in. Reads the stack as a debugger
// would, poisoned or not.
__attribute__((no_sanitize("address", "thread", "undefined"))) void SimReport::backtrace(
    const Context& context, const Stack& stack) {
  if (!on_stack(context.stack_pointer, stack)) return;
  uintptr_t frame, code;
  saved_frame(context.stack_pointer, &frame, &code);
  for (int depth = 0; depth < kMaxFrames; depth++) {
    line("    %2d %s", depth, symbol(code).c_str());
    if (!on_stack(reinterpret_cast<void*>(frame), stack) || frame % sizeof(void*) != 0 ||
        !on_stack(reinterpret_cast<char*>(frame) + 2 * sizeof(void*) - 1, stack)) {
      return;
    }
    const auto* words = reinterpret_cast<const uintptr_t*>(frame);
    if (words[1] == 0 || (words[0] != 0 && words[0] <= frame)) return;
    code = words[1] - 1;  // inside the call, not behind it
    frame = words[0];
  }
}

void Simulator::abandon() {
  SimReport(this).unpark_all();
  for (auto& [number, thread] : threads_) {
    // Stays as it is for ever: objects elsewhere may point into its stack.
    (void)thread.release();
  }
  threads_.clear();
  (void)default_runtime_.release();
}

}  // namespace fiber::detail
