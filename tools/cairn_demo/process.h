// What the demo asks of the system's processes: a child that is this program again and ends when
// its parent does, memory that both see, and who ended whom. Messages of failures go to standard
// error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace demo {

struct Ending {
  bool by_itself = false;  // it returned or exited; else it was killed or interrupted
  int status = 0;          // exit status, or what ended it
  double cpu_seconds = 0;  // of all its threads
};

class Child {
 public:
  // This program with other arguments (UTF-8). Null on failure.
  static std::unique_ptr<Child> Start(const std::vector<std::string>& arguments);

  virtual ~Child() = default;  // the child must have ended
  // Whether it has ended; does not wait.
  virtual bool HasEnded(Ending* ending) = 0;
  virtual Ending Wait() = 0;
  // At once: nothing that it holds in memory is written.
  virtual void Kill() = 0;
};

// From here on Ctrl+C does not end this process; it ends children that were started before.
void IgnoreInterrupts();

// Zeroed memory that outlives neither of those who map it. `name` is what the child maps it by.
void* CreateSharedMemory(size_t size, uint64_t* name);
void* AttachSharedMemory(size_t size, uint64_t name);
void ReleaseSharedMemory(void* memory, size_t size, uint64_t name);

bool ErrorIsTerminal();
// Where the user's temporary files go, without a separator at the end.
std::string TemporaryFolder();

}  // namespace demo
