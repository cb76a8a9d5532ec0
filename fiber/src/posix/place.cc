// See place.h. The signal's handler reads the interrupted registers and walks the frames itself:
// nobody else may look at a stack that is in use.
#include "place.h"

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "fiber/clock.h"
#include "keep_loaded.h"

namespace fiber::detail {
namespace {

constexpr uint64_t kPatienceNanos = 100'000'000;
constexpr size_t kMaxPlace = 16;

// The question that is asked now. A thread that answers late, to a question that nobody waits for
// any more, finds another number.
struct Question {
  std::atomic<uint32_t> thread{0};  // 0: none
  std::atomic<const char*> bottom{nullptr};
  std::atomic<const char*> top{nullptr};
  std::atomic<size_t> count{0};
  std::atomic<uintptr_t> frames[kMaxPlace] = {};
  std::atomic<bool> answered{false};
};
Question g_question;

__attribute__((no_sanitize("address", "thread", "undefined"))) uintptr_t peek(uintptr_t address) {
  return *reinterpret_cast<const volatile uintptr_t*>(address);
}

void registers_of(const ucontext_t& context, uintptr_t* code, uintptr_t* frame) {
#if defined(__x86_64__)
  *code = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  *frame = static_cast<uintptr_t>(context.uc_mcontext.gregs[REG_RBP]);
#else
  *code = context.uc_mcontext.pc;
  *frame = context.uc_mcontext.regs[29];
#endif
}

void answer(int, siginfo_t*, void* argument) {
  const int saved = errno;
  Question& question = g_question;
  if (question.thread.load() == static_cast<uint32_t>(::syscall(SYS_gettid))) {
    uintptr_t code, frame;
    registers_of(*static_cast<const ucontext_t*>(argument), &code, &frame);
    const uintptr_t bottom = reinterpret_cast<uintptr_t>(question.bottom.load());
    const uintptr_t top = reinterpret_cast<uintptr_t>(question.top.load());
    size_t count = 0;
    question.frames[count++].store(code + 1);  // as return addresses are: behind the instruction
    while (count < kMaxPlace && frame >= bottom && frame + 2 * sizeof(uintptr_t) <= top &&
           frame % sizeof(uintptr_t) == 0) {
      const uintptr_t address = peek(frame + sizeof(uintptr_t));
      const uintptr_t outer = peek(frame);
      if (address == 0) break;
      question.frames[count++].store(address);
      if (outer <= frame) break;
      frame = outer;
    }
    question.count.store(count);
    question.thread.store(0);
    question.answered.store(true);
  }
  errno = saved;
}

}  // namespace

bool prepare_places() {
  struct sigaction now;
  if (sigaction(SIGURG, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0) return now.sa_sigaction == answer;
  if (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN) return false;
  keep_loaded();
  struct sigaction action = {};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return sigaction(SIGURG, &action, nullptr) == 0;
}

size_t place_of(uint32_t thread, const Stack& stack, uintptr_t* frames, size_t max) {
  Question& question = g_question;
  question.answered.store(false);
  question.bottom.store(stack.bottom);
  question.top.store(stack.top);
  question.thread.store(thread);
  size_t count = 0;
  if (::syscall(SYS_tgkill, ::getpid(), thread, SIGURG) == 0) {
    const uint64_t end = now_nanos() + kPatienceNanos;
    while (!question.answered.load() && now_nanos() < end) {
      const timespec pause{0, 100'000};
      ::nanosleep(&pause, nullptr);
    }
    if (question.answered.load()) {
      for (; count < question.count.load() && count < max; count++) {
        frames[count] = question.frames[count].load();
      }
    }
  }
  question.thread.store(0);
  return count;
}

}  // namespace fiber::detail
