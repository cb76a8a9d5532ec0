// Cairn: a history is played on a thread or on a fiber.
#include "fiber/runtime.h"
#include "main.h"

namespace differential {

int Run(bool on_a_fiber, const std::function<int()>& function) {
  if (!on_a_fiber) return function();
  fiber::RuntimeOptions options;
  options.workers = 2;
  // The player's frames are those of a program made for threads.
  options.stack_size = size_t{512} << 10;
  fiber::Runtime runtime(options);
  return runtime.run([&] { return function(); });
}

bool ReadsAsynchronously() { return true; }

void PrepareToIngest(rocksdb::DB* /*db*/, rocksdb::ColumnFamilyHandle* /*family*/) {}

}  // namespace differential
