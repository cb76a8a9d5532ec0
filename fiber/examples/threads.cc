// A small program on an installed fiber: a hundred fibers count under one lock, and a word of the
// command line says where main() itself is expected to run: `thread`, or `fiber` (linked with
// fiber-main).
#include <cstdio>
#include <cstring>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/std/mutex.h"
#include "fiber/std/thread.h"

int main(int argc, char** argv) {
  const char* where = fiber::in_fiber() ? "fiber" : "thread";
  fiber_std::mutex mutex;
  int count = 0;
  int on_fibers = 0;
  std::vector<fiber_std::thread> threads;
  for (int i = 0; i < 100; i++) {
    threads.emplace_back([&] {
      fiber_std::this_thread::yield();
      fiber_std::lock_guard<fiber_std::mutex> lock(mutex);
      count++;
      on_fibers += fiber::in_fiber();
    });
  }
  for (auto& thread : threads) thread.join();
  std::printf("main on a %s, %d of %d on fibers\n", where, on_fibers, count);
  return count == 100 && on_fibers == 100 && argc == 2 && std::strcmp(argv[1], where) == 0 ? 0 : 1;
}
