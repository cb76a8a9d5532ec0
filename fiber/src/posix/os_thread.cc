#include "os_thread.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>

namespace fiber::detail {

namespace {

struct Start {
  OsThreadMain main;
  void* argument;
};

void* run(void* start) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(start));
  const Start copy = *owned;
  copy.main(copy.argument);
  return nullptr;
}

int start(const pthread_attr_t* attributes, OsThreadMain main, void* argument, pthread_t* out) {
  auto made = std::make_unique<Start>(Start{main, argument});
  const int error = pthread_create(out, attributes, run, made.get());
  if (error == 0) (void)made.release();
  return -error;
}

}  // namespace

int os_start_thread(OsThreadMain main, void* argument, OsThread* out) {
  return start(nullptr, main, argument, out);
}

void os_join_thread(OsThread thread) { pthread_join(thread, nullptr); }

bool os_start_detached(OsThreadMain main, void* argument) {
  // Signals belong to the threads of the program, not to ours.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const bool started = start(&attributes, main, argument, &thread) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void os_name_thread(const char* name) { pthread_setname_np(pthread_self(), name); }

void os_renice_thread(int nice) {
  // Linux niceness is a thread's own.
  const id_t id = static_cast<id_t>(os_thread_id());
  (void)setpriority(PRIO_PROCESS, id, getpriority(PRIO_PROCESS, id) + nice);
}

uint64_t os_thread_id() { return static_cast<uint64_t>(syscall(SYS_gettid)); }

}  // namespace fiber::detail
