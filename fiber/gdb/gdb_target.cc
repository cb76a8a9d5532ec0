// What gdb_test.py looks at: a program with a few fibers that wait where their names say, and then
// aborts.
#include <cstdlib>

#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"

namespace {

__attribute__((noinline)) void wait_for_the_event(fiber::Event* event) {
  event->wait();
  asm volatile("" ::: "memory");  // no tail call
}

__attribute__((noinline)) void wait_for_the_mutex(fiber::Mutex* mutex) {
  fiber::MutexLock lock(mutex);
  asm volatile("" ::: "memory");
}

}  // namespace

int main() {
  fiber::Runtime runtime;
  runtime.run([] {
    fiber::Event event;
    fiber::Mutex mutex;
    fiber::MutexLock lock(&mutex);
    fiber::JoinHandle a = fiber::spawn({.name = "first"}, [&] { wait_for_the_event(&event); });
    fiber::JoinHandle b = fiber::spawn({.name = "second"}, [&] { wait_for_the_mutex(&mutex); });
    fiber::yield();  // they run until they wait
    fiber::set_name("aborter");
    abort();
  });
}
