#include "sim_report.h"

#include <cxxabi.h>

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "backtrace.h"
#include "parking_lot.h"
#include "simulator.h"
#include "worker.h"

namespace fiber::detail {
namespace {

bool on_stack(const void* address, const Stack& stack) {
  return address >= stack.bottom && address < stack.top;
}

// Of the code before a return address. Equal in each run, wherever the program was loaded.
std::string symbol(uintptr_t code) {
  const char* name = nullptr;
  const char* module = nullptr;
  uintptr_t offset = 0;
  std::string text;
  if (find_symbol(code - 1, &name, &offset, &module)) {
    int status = 0;
    char* readable = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    text = readable != nullptr ? readable : name;
    free(readable);
  } else if (module != nullptr) {
    text = module;
  } else {
    return "?";
  }
  char buffer[32];
  snprintf(buffer, sizeof(buffer), "+0x%" PRIxPTR, offset + 1);
  return text + buffer;
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

void SimReport::backtrace(const Context& context, const Stack& stack) {
  uintptr_t frames[kMaxFrames];
  const size_t count = backtrace_of(stack, context, frames);
  for (size_t i = 0; i < count; i++)
    line("    %2u %s", static_cast<unsigned>(i), symbol(frames[i]).c_str());
}

void Simulator::abandon() {
  SimReport(this).unpark_all();
  for (auto& [number, thread] : threads_) {
    // Stays as it is for ever: objects elsewhere may point into its stack.
    (void)thread.release();  // NOLINT(bugprone-unused-return-value)
  }
  threads_.clear();
  (void)default_runtime_.release();  // NOLINT(bugprone-unused-return-value)
}

}  // namespace fiber::detail
